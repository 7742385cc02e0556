"""Small tables of names: topics with the probability that each had of being drawn, systems with their labels."""

import re
from collections.abc import Mapping, Sequence
from math import isfinite
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from irmeta.errors import FileFormatError, ScoresError
from irmeta.io.files import Location, read_bytes
from irmeta.io.sheets import Sheet, keyed, pairs, sheet, sheet_in
from irmeta.io.strictly import fields, lines, number_or_nan, stripped
from irmeta.scores.names import labels, require_names
from irmeta.words import counted, shortened

if TYPE_CHECKING:
    from irmeta.scores.tables.objects import Frame

DRAWN = ("topic", "query_id", "qid")
"""What the column of a sample is called that names its topics."""
LEAST = 1e-9
"""The smallest probability of being drawn: less is no sample, but a mistake."""
ITEMS = ("topic", "item", "item_id", "id", "query_id", "qid", "question_id", "doc_id")
SCORES = ("score", "human", "people", "grade", "label", "value")
"""What columns of anchors are called."""


def read_sample(path: Path) -> dict[str, float]:
    """Read the probability that each topic had of being drawn: a CSV with columns topic and probability."""
    columns = (DRAWN, ("probability",))
    table = sheet(path, *columns)
    sample: dict[str, float] = {}
    for topic, (line, [text]) in keyed(table, *columns).items():
        chance = number_or_nan(text)
        if not LEAST <= chance <= 1:
            raise FileFormatError(
                f"{table.where}:{line}: the probability {shortened(text)!r} must be at least {LEAST:g} and at most 1"
            )
        sample[topic] = chance
    return sample


def read_topics(given: str | Path | Sequence[str]) -> list[str]:
    """Read topics from a file, one on each line; a list of their names is returned as it is.

    Raises FileFormatError for a file without topics, and for one that is not text.
    """
    if not isinstance(given, str | Path):
        return list(given)
    topics = list(dict.fromkeys(labels(read_ids(Path(given)))))
    if not topics:
        raise FileFormatError(f"{given}: no topics; expected one on each line")
    try:
        require_names(topics, "among its lines")
    except ScoresError as error:
        raise FileFormatError(f"{given}: {error}") from error
    return topics


def read_ids(path: Location) -> list[str]:
    """Read ids from a file, one on each line; bytes that are not UTF-8 come back as they were."""
    return list(filter(None, map(stripped, lines(read_bytes(path)))))


def read_labels(path: Path) -> dict[str, str]:
    """Read what systems are called in a paper: a CSV with columns system and label."""
    return pairs(path, ("system", "run", "model"), ("label", "name"))


def read_anchors(path: "Path | Frame") -> dict[str, float]:
    """Read what people scored items: a CSV with columns topic and score, lines of an item and its score, or qrels."""
    anchors: dict[str, float] = {}
    for line, (item, text) in _scored(path):
        scored = number_or_nan(text)
        if not isfinite(scored):
            raise FileFormatError(
                f"{path}:{line}: {shortened(text)!r} is not a score; expected an item and what people scored it"
            )
        if item in anchors:
            raise FileFormatError(
                f"{path}:{line}: {item} is given twice; an anchor is one answer with one score"
            )
        anchors[item] = scored
    return anchors


def _scored(path: "Path | Frame") -> list[tuple[int, tuple[str, ...]]]:
    """Read items with a score, with line numbers: from a CSV by its header, or from lines of 2 fields, or of qrels."""
    if not isinstance(path, str | PathLike):  # a data frame
        return _with_places(sheet(path, ITEMS, SCORES))
    data = bytes(read_bytes(path))
    every = labels(lines(data))
    head = next((line.lower() for line in every if stripped(line)), ",")
    named = any(stripped(one) in SCORES for one in re.split("[;\t]", head))
    if named or "," in head or b"\0" in data:
        return _with_places(sheet_in(data, str(path)))
    found: list[tuple[int, tuple[str, ...]]] = []
    for at, words in enumerate(map(fields, every), 1):
        if len(words) not in (0, 2, 4):
            raise FileFormatError(
                f"{path}:{at}: {counted(len(words), 'field')}; expected an item and its score, or a CSV with columns "
                "topic and score"
            )
        if words:
            found.append((at, (words[0], words[-1])))
    return found


def _with_places(table: Sheet) -> list[tuple[int, tuple[str, ...]]]:
    """Return items and scores of a table, with the lines that they stand on."""
    held = keyed(table, ITEMS, SCORES)
    return [(line, (item, text)) for item, (line, [text]) in held.items()]


def sample_text(sample: Mapping[str, float]) -> str:
    r"""Write a sample as CSV.

    >>> sample_text({"301": 0.3})
    'topic,probability\n301,0.3\n'
    """
    return "topic,probability\n" + "".join(
        f"{topic},{chance!r}\n" for topic, chance in sample.items()
    )
