"""The nights that a gate has seen: a file of JSON lines, one for each night, to which the next is added whole."""

from itertools import chain
from pathlib import Path

import msgspec
import numpy as np

from irmeta.errors import FileFormatError
from irmeta.io.files import read_bytes
from irmeta.io.outputs import append, require_folder
from irmeta.stats.arrays import Floats


class Comparison(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """One comparison of a night: the differences by topic, what was said of a loss, and the differences by anchor."""

    against: str
    metric: str
    verdict: str
    differences: dict[str, float]
    anchors: dict[str, float] = {}


class Night(msgspec.Struct, forbid_unknown_fields=True):
    """One night: the system, the loss that matters, and each comparison."""

    system: str
    margin: float
    comparisons: list[Comparison]

    def repeats(self, other: "Night") -> bool:
        """Say whether another night has these very differences under this margin: it shows nothing new."""
        return self.margin == other.margin and [
            (one.differences, one.anchors) for one in self.comparisons
        ] == [(one.differences, one.anchors) for one in other.comparisons]


def read_nights(path: Path) -> list[Night]:
    """Read the nights of a file, none where there is no file yet; a line that is no night raises FileFormatError."""
    require_folder(path)
    if not path.exists():
        return []
    data = bytes(read_bytes(path))
    if data and not data.endswith(b"\n"):
        last = data.count(b"\n") + 1
        raise FileFormatError(
            f"{path}:{last}: the line is cut off; remove it, and run that night again"
        )
    return [
        _parse_night(path, at, line) for at, line in enumerate(data.splitlines(), 1)
    ]


def _parse_night(path: Path, at: int, line: bytes) -> Night:
    """Return the night on a line; what is not one raises FileFormatError."""
    try:
        night = msgspec.json.decode(line, type=Night)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise FileFormatError(
            f"{path}:{at}: not a night of irmeta versus --history ({error}); name another "
            "file, or remove the line"
        ) from error
    if not night.comparisons or not all(one.differences for one in night.comparisons):
        raise FileFormatError(f"{path}:{at}: a night without scores; remove the line")
    return night


def add_night(path: Path, night: Night) -> None:
    """Add a night to the end of a file."""
    append(path, msgspec.json.encode(night) + b"\n")


def by_topic(nights: list[Night]) -> list[Floats]:
    """Return the differences of each night over all topics of any: (comparison, topic), NaN where there is none."""
    return _difference_arrays(
        [[one.differences for one in night.comparisons] for night in nights]
    )


def by_anchor(nights: list[Night]) -> list[Floats]:
    """Return the differences of each night over all anchors of any: (comparison, anchor), NaN where there is none."""
    return _difference_arrays(
        [[one.anchors for one in night.comparisons] for night in nights]
    )


def _difference_arrays(nights: list[list[dict[str, float]]]) -> list[Floats]:
    """Return an array (comparison, item) for each night, whose comparisons have differences by item."""
    places: dict[str, int] = {}
    for differences in chain.from_iterable(nights):
        for item in differences:
            places.setdefault(item, len(places))
    arrays = []
    for night in nights:
        array = np.full((len(night), len(places)), np.nan)
        for row, differences in zip(array, night, strict=True):
            row[[places[item] for item in differences]] = list(differences.values())
        arrays.append(array)
    return arrays
