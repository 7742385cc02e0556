"""What irmeta raises when the user's input is wrong; every message says what, where, and what to do."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Literal

from irmeta.words import message


class IrmetaError(Exception):
    """The user's input or arguments are wrong; the command line prints the message and exits with 2.

    Names of files in it are shown so that they can be printed anywhere (`irmeta.words.message`).
    """

    def __init__(self, text: str) -> None:
        super().__init__(message(text))


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
            f"{name}={value!r}: choose {' or '.join(repr(choice) for choice in choices)}"
        )


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
