"""What irmeta raises when the user's input is wrong; every message says what, where, and what to do."""

import re
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Literal

from irmeta.words import message, shown

_TYPED: ContextVar[bool] = ContextVar("typed", default=False)
"""Whether who reads a message types commands; else they call Python."""
FLAGS = {
    "allow_empty",
    "allow_missing_tag",
    "append",
    "each",
    "extra_columns",
    "replace",
    "same_systems",
    "skip_header",
    "unpaired",
}
"""Options without a value: in Python they are True."""
_ENDS = r"(?=$|[;,.:)'`]|\s(?:or|and|for|needs|shows|to|has|\()\b)"
"""What stands after the value of an option; another word after an option is no value, as in `--budget needs`."""
_VALUE = (
    r"'[^']*'|\"[^\"]*\"|[\d.]*\d|\w+@\d+|[A-Z][A-Z.a-z]*\b"
    rf"|[\w-]+(?:,[\w-]+)*\*?{_ENDS}"
)
_OPTION = re.compile(
    rf"(?<![\w-])(?:--([a-z]+(?:-[a-z]+)*)|-([mk]))(?![\w-])(?: ({_VALUE}))?"
)
_COMMAND = re.compile(
    r"`?\birmeta ((?:(?:judges|predict|standardize) )?[a-z]+)"
    r"((?: (?:[A-Z]{3,}|\.\.\.|-[a-z-]+(?: [A-Z]{3,})?))+)`?"
)


@contextmanager
def typed() -> Iterator[None]:
    """Let messages speak of options as they are typed: `--missing pairwise`, not `missing='pairwise'`."""
    before = _TYPED.set(True)
    try:
        yield
    finally:
        _TYPED.reset(before)


def in_python(text: str) -> str:
    """Say in Python what a message says of the command line.

    >>> in_python("drop topics (--missing common), or name teams with --teams FILE or --same-systems")
    "drop topics (missing='common'), or name teams with teams=FILE or same_systems=True"
    >>> in_python("add its run: `irmeta evaluate QRELS RUN -o SCORES --append`; or lower --min-tasks")
    'add its run: irmeta.evaluate_to(SCORES, QRELS, RUN, append=True); or lower min_tasks='
    """
    return _OPTION.sub(_argument, _COMMAND.sub(_call, text))


def _argument(found: re.Match[str]) -> str:
    """Return an option as an argument of a call."""
    name = {"m": "metrics", "seed": "rng"}.get(
        found[1] or found[2], found[1] or found[2]
    )
    name, value = name.replace("-", "_"), found[3]
    if name in FLAGS:
        return f"{name}=True" + (f" {value}" if value else "")
    if name == "ignore" and value and not value.isupper():
        value = str([one.strip(" '") for one in value.split(",")])
    elif value and re.fullmatch(r"[a-z].*|\w+@\d+", value):
        value = repr(value)
    return f"{name}={value or ''}"


def _call(found: re.Match[str]) -> str:
    """Return a command with its arguments as a call."""
    name, words = found[1].replace(" ", "."), found[2].split()
    if "-o" in words:  # what a command writes, Python names first
        at = words.index("-o")
        words = [*words[at + 1 : at + 2], *words[:at], *words[at + 2 :]]
        name = {"evaluate": "evaluate_to"}.get(name, name)
    name = {"import": "import_table"}.get(name, name)
    plain = [word for word in words if not word.startswith("-")]
    options = _OPTION.sub(_argument, " ".join(words[len(plain) :]))
    return f"irmeta.{name}({', '.join([*plain, *options.split()])})"


def in_words_of_reader(text: str) -> str:
    """Return what a message says, options as arguments unless the reader types commands."""
    return text if _TYPED.get() else in_python(text)


class IrmetaError(Exception):
    """The user's input or arguments are wrong; the command line prints the message and exits with 2.

    Names of files in it are shown so that they can be printed anywhere (`irmeta.words.message`).
    """

    def __init__(self, text: str) -> None:
        super().__init__(message(text))

    def __str__(self) -> str:
        """Return the message in the words of who reads it."""
        return in_words_of_reader(super().__str__())


@dataclass(frozen=True)
class Remark:
    """Something to say about a file: an error, or a warning about what was done with it."""

    level: Literal["error", "warning"]
    path: str
    line: int | None
    text: str

    def __str__(self) -> str:
        if self.line is None:
            where = self.path
        else:
            where = f"{self.path}:{self.line}"
        return message(f"{where}: {self.text}")


class FileFormatError(IrmetaError):
    """A run, qrels or score file cannot be read as what it should be; `remarks` are its errors where it has many."""

    def __init__(self, message: str, remarks: Sequence[Remark] = ()) -> None:
        super().__init__(message)
        self.remarks = tuple(remarks)


def require_choice(name: str, value: object, choices: Sequence[object]) -> None:
    """Raise IrmetaError unless an option has one of the values it may have."""
    if not isinstance(value, Hashable) or value not in choices:
        raise IrmetaError(
            f"{name}={shown(value)}: choose {' or '.join(map(repr, choices))}"
        )


_EXTRAS = {
    "matplotlib": "plot",
    "sklearn": "models",
    "distributed": "cluster",
    "fsspec": "cluster",
    "cryptography": "cluster",
    "ir_measures": "ir-measures",
}
"""The extra that brings a library which not every user needs."""


@contextmanager
def extras() -> Iterator[None]:
    """Name the extra to install where a library is lacking that only some answers need."""
    try:
        yield
    except ModuleNotFoundError as error:
        library = (error.name or "").partition(".")[0]
        if library not in _EXTRAS:
            raise
        raise IrmetaError(
            f"this needs {library}; install it: pip install 'irmeta[{_EXTRAS[library]}]'"
        ) from error


class MetricError(IrmetaError):
    """A metric name is unknown or its parameters do not fit."""


class ScoresError(IrmetaError):
    """A cube of scores lacks what a study needs, or an option does not fit it."""


_NEAREST = 1e-9
"""How near to 0 and 1 a share may be: a quantile beyond is that of no sample."""


def require_share(name: str, value: float, such_as: float) -> None:
    """Raise ScoresError unless an option lies between 0 and 1, such as a level or alpha; the ends are not allowed.

    >>> require_share("alpha", 5, 0.05)
    Traceback (most recent call last):
    irmeta.errors.ScoresError: alpha must be between 0 and 1, as in 0.05, not 5
    """
    if not _NEAREST <= value <= 1 - _NEAREST:
        raise ScoresError(
            f"{name} must be between 0 and 1, as in {such_as:g}, not {value:g}"
        )


def require_least(**given: tuple[float | None, float]) -> None:
    """Raise ScoresError unless each number, by the name of its option, is at least its least; None passes.

    >>> require_least(resamples=(10, 40))
    Traceback (most recent call last):
    irmeta.errors.ScoresError: resamples must be 40 or more, not 10
    """
    for name, (value, least) in given.items():
        if value is not None and not value >= least:
            raise ScoresError(f"{name} must be {least:g} or more, not {value:g}")
