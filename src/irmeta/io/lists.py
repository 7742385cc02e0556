"""Small tables of names: topics with the probability that each had of being drawn, systems with their labels."""

import re
from collections.abc import Mapping, Sequence
from math import isfinite
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from irmeta.errors import FileFormatError, ScoresError
from irmeta.io.files import Location, read_bytes
from irmeta.io.sheets import Sheet, parse_sheet, read_pairs, read_sheet, rows_by_key
from irmeta.io.strictly import fields, lines, number_or_nan, stripped
from irmeta.scores.names import labels, require_names
from irmeta.scores.tables.roles import SPELLINGS
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
    table = read_sheet(path, *columns)
    sample: dict[str, float] = {}
    for topic, (line, [text]) in rows_by_key(table, *columns).items():
        probability = number_or_nan(text)
        if not LEAST <= probability <= 1:
            raise FileFormatError(
                f"{table.where}:{line}: the probability {shortened(text)!r} must be at least {LEAST:g} and at most 1"
            )
        sample[topic] = probability
    return sample


def read_topics(topics_or_file: str | Path | Sequence[str]) -> list[str]:
    """Read topics from a file, one on each line; a list of their names is returned as it is.

    Raises FileFormatError for a file without topics, and for one that is not text.
    """
    if not isinstance(topics_or_file, str | Path):
        return list(topics_or_file)
    topics = list(dict.fromkeys(labels(read_ids(Path(topics_or_file)))))
    if not topics:
        raise FileFormatError(f"{topics_or_file}: no topics; expected one on each line")
    try:
        require_names(topics, "among its lines")
    except ScoresError as error:
        raise FileFormatError(f"{topics_or_file}: {error}") from error
    return topics


def read_ids(path: Location) -> list[str]:
    """Read ids from a file, one on each line; bytes that are not UTF-8 come back as they were."""
    return list(filter(None, map(stripped, lines(read_bytes(path)))))


def read_labels(path: Path) -> dict[str, str]:
    """Read what systems and metrics are called in a paper: a CSV with columns system and label."""
    systems = [name for name in SPELLINGS["system"] if name != "name"]
    return read_pairs(path, systems, ("label", "name"))


def read_anchors(path: "Path | Frame") -> dict[str, float]:
    """Read what people scored items: a CSV with columns topic and score, lines of an item and its score, or qrels."""
    anchors: dict[str, float] = {}
    for line, (item, text) in _scored_items(path):
        score = number_or_nan(text)
        if not isfinite(score):
            raise FileFormatError(
                f"{path}:{line}: {shortened(text)!r} is not a score; expected an item and what people scored it"
            )
        if item in anchors:
            raise FileFormatError(
                f"{path}:{line}: {item} is given twice; an anchor is one answer with one score"
            )
        anchors[item] = score
    return anchors


def _scored_items(path: "Path | Frame") -> list[tuple[int, tuple[str, ...]]]:
    """Read items with a score, with line numbers: from a CSV by its header, or from lines of 2 fields, or of qrels."""
    if not isinstance(path, str | PathLike):  # a data frame
        return _items_of_sheet(read_sheet(path, ITEMS, SCORES))
    data = bytes(read_bytes(path))
    rows = labels(lines(data))
    # without a line it is for the reader of sheets to refuse
    header = next((line.lower() for line in rows if stripped(line)), ",")
    columns = map(stripped, re.split("[;\t]", header))
    has_score_column = not set(SCORES).isdisjoint(columns)
    if has_score_column or "," in header or b"\0" in data:
        return _items_of_sheet(parse_sheet(data, str(path)))
    items: list[tuple[int, tuple[str, ...]]] = []
    for at, words in enumerate(map(fields, rows), 1):
        if len(words) not in (0, 2, 4):
            raise FileFormatError(
                f"{path}:{at}: {counted(len(words), 'field')}; expected an item and its score, or a CSV with columns "
                "topic and score"
            )
        if words:
            items.append((at, (words[0], words[-1])))
    return items


def _items_of_sheet(table: Sheet) -> list[tuple[int, tuple[str, ...]]]:
    """Return items and scores of a table, with the lines that they stand on."""
    rows = rows_by_key(table, ITEMS, SCORES)
    return [(line, (item, text)) for item, (line, [text]) in rows.items()]


def sample_text(sample: Mapping[str, float]) -> str:
    r"""Write a sample as CSV.

    >>> sample_text({"301": 0.3})
    'topic,probability\n301,0.3\n'
    """
    return "topic,probability\n" + "".join(
        f"{topic},{probability!r}\n" for topic, probability in sample.items()
    )
