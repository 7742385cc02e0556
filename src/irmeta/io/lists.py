"""Small tables of names: topics with the probability that each had of being drawn, systems with their labels."""

from collections.abc import Mapping, Sequence
from math import isfinite, nan
from pathlib import Path

from irmeta.errors import FileFormatError
from irmeta.io.files import read_bytes
from irmeta.io.strictly import lines, number, rows
from irmeta.scores.names import labels
from irmeta.words import counted, listed, shortened

ITEMS = ("topic", "item", "item_id", "id", "query_id", "qid", "question_id", "doc_id")
SCORES = ("score", "human", "people", "grade", "label", "value")
"""What columns of anchors are called."""


def read_sample(path: Path) -> dict[str, float]:
    """Read the probability that each topic had of being drawn: a CSV with columns topic and probability."""
    sample: dict[str, float] = {}
    for line, (topic, text) in _rows(
        path, ("topic", "query_id", "qid"), ("probability",)
    ):
        try:
            chance = number(text)
        except ValueError:
            chance = -1.0
        if not 0 < chance <= 1:
            raise FileFormatError(
                f"{path}:{line}: the probability {text!r} must be above 0 and at most 1"
            )
        if topic in sample:
            raise FileFormatError(
                f"{path}:{line}: topic {topic} is given twice; remove one line"
            )
        sample[topic] = chance
    return sample


def read_labels(path: Path) -> dict[str, str]:
    """Read what systems are called in a paper: a CSV with columns system and label."""
    found: dict[str, str] = {}
    for line, (system, label) in _rows(
        path, ("system", "run", "model"), ("label", "name")
    ):
        if found.setdefault(system, label) != label:
            raise FileFormatError(
                f"{path}:{line}: system {system} has two labels; remove one line"
            )
    return found


def read_anchors(path: Path) -> dict[str, float]:
    """Read what people scored items: a CSV with columns topic and score, lines of an item and its score, or qrels."""
    anchors: dict[str, float] = {}
    for line, (item, text) in _scored(path):
        try:
            scored = number(text)
        except ValueError:
            scored = nan
        if not isfinite(scored):
            raise FileFormatError(
                f"{path}:{line}: {shortened(text)!r} is not a score; expected an item and what people scored it"
            )
        if not item:
            raise FileFormatError(f"{path}:{line}: a line lacks its item; name it")
        if item in anchors:
            raise FileFormatError(
                f"{path}:{line}: {item} is given twice; an anchor is one answer with one score"
            )
        anchors[item] = scored
    if not anchors:
        raise FileFormatError(f"{path}: no anchors; expected an item and its score")
    return anchors


def _scored(path: Path) -> list[tuple[int, tuple[str, ...]]]:
    """Read items with a score, with line numbers: from a CSV by its header, or from lines of 2 fields, or of qrels."""
    try:
        every = [line.split() for line in labels(lines(_text(path)))]
    except ValueError as error:
        raise FileFormatError(f"{path}: not text ({error})") from error
    if every and every[0] and any("," in field for field in every[0]):
        return _rows(path, ITEMS, SCORES)
    found: list[tuple[int, tuple[str, ...]]] = []
    for at, fields in enumerate(every, 1):
        if len(fields) not in (0, 2, 4):
            raise FileFormatError(
                f"{path}:{at}: {counted(len(fields), 'field')}; expected an item and its score, or a CSV with columns "
                "topic and score"
            )
        if fields:
            found.append((at, (fields[0], fields[-1])))
    return found


def _text(path: Path) -> bytes:
    """Return the bytes of a text; those of another encoding, and of no text, raise ValueError."""
    data = bytes(read_bytes(path))
    if b"\0" in data:
        raise ValueError(
            "it contains NUL bytes; is it UTF-16 or binary? Save it as UTF-8"
        )
    return data


def sample_text(sample: Mapping[str, float]) -> str:
    r"""Write a sample as CSV.

    >>> sample_text({"301": 0.3})
    'topic,probability\n301,0.3\n'
    """
    return "topic,probability\n" + "".join(
        f"{topic},{chance!r}\n" for topic, chance in sample.items()
    )


def _rows(path: Path, *columns: Sequence[str]) -> list[tuple[int, tuple[str, ...]]]:
    """Read columns of a CSV with a header, each under one of several names, with line numbers."""
    try:
        lines = [
            (line, [cell.strip() for cell in row])
            for line, row in rows(_text(path))
            if row
        ]
    except ValueError as error:
        raise FileFormatError(f"{path}: not a CSV table ({error})") from error
    if not lines:
        raise FileFormatError(
            f"{path}: the file is empty; expected a CSV with a header"
        )
    header = [cell.lower() for cell in lines[0][1]]
    places = []
    for names in columns:
        place = next((header.index(name) for name in names if name in header), None)
        if place is None:
            raise FileFormatError(
                f"{path}:1: no column {' or '.join(names)}; the header has {listed(header)}"
            )
        places.append(place)
    for line, row in lines[1:]:
        if len(row) != len(header):
            raise FileFormatError(
                f"{path}:{line}: {len(row)} cells, the header has {len(header)}"
            )
    return [(line, tuple(row[place] for place in places)) for line, row in lines[1:]]
