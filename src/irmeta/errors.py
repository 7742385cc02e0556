"""What irmeta raises when input is wrong, and what arguments must be; a message says what, where, and what to do."""

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from numbers import Integral, Number, Real
from os import PathLike, fspath
from pathlib import Path
from types import UnionType
from typing import (
    Any,
    Literal,
    NamedTuple,
    TypeGuard,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from irmeta.words import in_python, message, shown

_TYPED: ContextVar[bool] = ContextVar("typed", default=False)
"""Whether who reads a message types commands; else they call Python."""


@contextmanager
def typed() -> Iterator[None]:
    """Let messages speak of options as they are typed: `--missing pairwise`, not `missing='pairwise'`."""
    before = _TYPED.set(True)
    try:
        yield
    finally:
        _TYPED.reset(before)


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


VARYING = r"""'[^']*'|"[^"]*"|\d[\d.,]*%?"""
"""Names and numbers: problems that differ in these alone are of one kind."""


@dataclass(frozen=True)
class Remark:
    """Something to say about a file: an error, or a warning about what was done with it."""

    level: Literal["error", "warning"]
    path: str
    line: int | None
    text: str

    @property
    def kind(self) -> str:
        """What is said, whatever the names and the numbers in it."""
        return re.sub(VARYING, "#", self.text)

    def __str__(self) -> str:
        where = self.path if self.line is None else f"{self.path}:{self.line}"
        return message(f"{where}: {self.text}")


class FileFormatError(IrmetaError):
    """A run, qrels or score file cannot be read as what it should be; `remarks` are its errors where it has many."""

    def __init__(self, message: str, remarks: Sequence[Remark] = ()) -> None:
        super().__init__(message)
        self.remarks = tuple(remarks)


class MetricError(IrmetaError):
    """A metric name is unknown or its parameters do not fit."""


class ScoresError(IrmetaError):
    """A cube of scores lacks what a study needs, or an option does not fit it."""


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


def require_choice(name: str, value: object, choices: Sequence[object]) -> None:
    """Raise IrmetaError unless an option has one of the values it may have."""
    if not isinstance(value, Hashable) or value not in choices:
        raise IrmetaError(
            f"{name}={shown(value)}: choose {' or '.join(map(repr, choices))}"
        )


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


def require_least(**options: tuple[float | None, float]) -> None:
    """Raise ScoresError unless the first number of each option is at least the second; None passes.

    >>> require_least(resamples=(10, 40))
    Traceback (most recent call last):
    irmeta.errors.ScoresError: resamples must be 40 or more, not 10
    """
    for name, (value, least) in options.items():
        if value is not None and not value >= least:
            raise ScoresError(f"{name} must be {least:g} or more, not {value:g}")


_LARGEST = 1e15
"""Numbers beyond have no digits left for what is measured here, and overflow where they are squared."""
_MOST = 10_000_000
"""More repetitions, topics or metrics than this take more time and memory than anybody has."""


class Fitting(NamedTuple):
    """How a plain type is known, and what a message calls one value of it, and several."""

    fits: Callable[[Any], bool]
    called: str
    several: str


def is_list(value: Any) -> TypeGuard[Iterable[Any]]:
    """Say whether a value is several: no text, no mapping, and no array without dimensions.

    >>> is_list(["a"]), is_list("a"), is_list({"a": 1})
    (True, False, False)
    """
    if isinstance(value, str | bytes | Mapping) or getattr(value, "ndim", 1) == 0:
        return False
    return isinstance(value, Iterable)


def _is_number(value: Any) -> bool:
    """Say whether a value is a number that is not too large; a truth value is none, and NaN is the study's to name."""
    real = isinstance(value, Real) and not isinstance(value, bool)
    return real and not abs(value) > _LARGEST


def _is_whole(value: Any) -> bool:
    """Say whether a value is a whole number that is not too large; a truth value is none."""
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    return whole and abs(int(value)) <= _MOST


def _is_path(value: Any) -> bool:
    """Say whether a value can be the path of something."""
    if not isinstance(value, str | PathLike):
        return False
    path = fspath(value)
    return bool(path) and isinstance(path, str)


def _is_name(value: Any) -> bool:
    """Say whether a value is a name: a text, or an object that is written as one, as a measure of ir_measures."""
    if isinstance(value, str | Number | Iterable | None):
        return isinstance(value, str)
    written = {type(value).__str__, type(value).__repr__}
    return not written <= {object.__str__, object.__repr__}


def _is_truth(value: Any) -> bool:
    """Say whether a value is a truth value, of Python or of NumPy, which is not loaded here."""
    return isinstance(value, bool) or type(value).__name__ == "bool"


_PATH = Fitting(_is_path, "a path", "paths")
FITTING: Mapping[Any, Fitting] = {
    bool: Fitting(_is_truth, "True or False", "truth values"),
    int: Fitting(
        _is_whole,
        f"a whole number of at most {_MOST:,}",
        f"whole numbers of at most {_MOST:,}",
    ),
    float: Fitting(
        _is_number,
        f"a number of at most {_LARGEST:.0e}",
        f"numbers of at most {_LARGEST:.0e}",
    ),
    str: Fitting(lambda one: isinstance(one, str), "a text", "names"),
    Path: _PATH,
    PathLike[str]: _PATH,
}
"""The plain types of arguments."""
_LISTS = (Iterable, Sequence)
_PATHS = (Path, PathLike[str])


def kinds_of(hint: Any) -> list[Any]:
    """List the types that a hint allows, None aside, and text where it is to be a path.

    >>> kinds_of(int | str | None), kinds_of(str | Path)
    ([<class 'int'>, <class 'str'>], [<class 'pathlib.Path'>])
    """
    if not isinstance(hint, UnionType) and get_origin(hint) is not Union:
        return [hint]
    parts = [part for one in get_args(hint) for part in kinds_of(one)]
    paths = any(part in _PATHS for part in parts)
    return [part for part in parts if part not in (type(None), str if paths else None)]


def fits(value: Any, kinds: Sequence[Any]) -> bool:
    """Say whether a value is of one of some types; of a type that nobody can know one from, every value is.

    >>> fits([1, 2], [Sequence[int]]), fits({1: 0.5}, [Mapping[str, float]])
    (True, False)
    """
    return any(_fits(value, kind) for kind in kinds)


def _fits(value: Any, kind: Any) -> bool:
    """Say whether a value is of one type, with all that it holds where that is a list."""
    if kind in FITTING:
        return FITTING[kind].fits(value)
    base, parts = get_origin(kind) or kind, get_args(kind)
    if base is Literal:  # `require_choice` says which there are
        return True
    if base is Mapping and parts:
        # what is wrong with a value, the function says with its name
        keys = kinds_of(parts[0])
        return isinstance(value, Mapping) and all(fits(key, keys) for key in value)
    if base in _LISTS:
        kinds = kinds_of(parts[0]) if parts else [Any]
        named = str in kinds
        if named and isinstance(value, str):
            return True  # which names may stand in
        return is_list(value) and all(
            fits(one, kinds) or (named and _is_name(one)) for one in value
        )
    known = isinstance(base, type) and base is not Any
    if known and getattr(base, "_is_protocol", False):
        known = getattr(base, "_is_runtime_protocol", False)
    return isinstance(value, base) if known else True


def as_names(value: Any, kinds: Sequence[Any]) -> Any:
    """Return names for objects that are written as names, as a measure of ir_measures, where a function takes names."""
    each = [get_args(kind) for kind in kinds if get_origin(kind) in _LISTS]
    if is_list(value) and (str,) in each:
        return [str(one) if _is_name(one) else one for one in value]
    others = [kind for kind in kinds if kind is not str]
    if str in kinds and _is_name(value) and not fits(value, others):
        return str(value)
    return value


def _called(kind: Any) -> str:
    """Return what a message calls a value of a type."""
    if kind in FITTING:
        return FITTING[kind].called
    base, parts = get_origin(kind) or kind, get_args(kind)
    if base is Mapping:
        return f"a mapping{_of_values('names to ', *parts[1:])}"
    if base in _LISTS:
        return f"a list{_of_values('', *parts)}"
    if base.__module__.startswith("irmeta.") and base.__doc__:
        first = base.__doc__.partition("\n")[0].removesuffix(".").replace("`", "")
        said = f"{first[:1].lower()}{first[1:]}"
        protocol = getattr(base, "_is_protocol", False)
        return said if protocol else f"{base.__name__} ({said})"
    if base in (bytes, Callable):
        return {bytes: "bytes", Callable: "a function"}[base]
    return getattr(base, "__name__", str(base))


def _of_values(before: str, hint: Any = Any) -> str:
    """Return " of " and what a message calls values of this type, in a list; nothing where it has no word for them."""
    known = [FITTING[kind] for kind in kinds_of(hint) if kind in FITTING]
    words = dict.fromkeys(fitting.several for fitting in known)
    return f" of {before}{' or '.join(words)}" if words else ""


def require_fitting(name: str, value: object, kinds: Sequence[Any]) -> None:
    """Raise ScoresError unless a value is of one of some types."""
    # objects of other libraries may fail to say what is in them
    with suppress(Exception):
        if fits(value, kinds):
            return
    expected = " or ".join(dict.fromkeys(map(_called, kinds)))
    if any(kind in _PATHS for kind in kinds):
        table = isinstance(value, Mapping) or hasattr(value, "columns")
        expected += "; irmeta.from_frame reads a table in memory" if table else ""
    raise ScoresError(f"{name} {shown(value)}: expected {expected}")


def require_fields(record: Any) -> None:
    """Raise unless the fields of a dataclass are of the types, and of the choices, that it declares."""
    for name, hint in get_type_hints(type(record)).items():
        value = getattr(record, name)
        if get_origin(hint) is Literal:
            require_choice(name, value, get_args(hint))
        else:
            require_fitting(name, value, kinds_of(hint))


def once(value: Any, kinds: Sequence[Any]) -> Any:
    """Return what a function may pass through more than once, and ask for its length: a list, where it takes lists."""
    lists = any((get_origin(kind) or kind) in _LISTS for kind in kinds)
    if isinstance(value, Iterator) or (lists and is_list(value)):
        return list(value)
    return value
