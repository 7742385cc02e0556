"""Runs and judgments as arrays, and how Python objects (dicts, data frames) become them."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

import numpy as np

from irmeta.errors import FileFormatError, Remark
from irmeta.io.runs.fields import Strings, Words
from irmeta.io.strictly import number
from irmeta.metrics.signatures import HIGHEST
from irmeta.scores.tables.roles import DOCUMENT
from irmeta.stats.arrays import Floats, Indices, Ints
from irmeta.words import counted

TOPIC = ("topic", "query_id", "qid", "query", "query-id")
SCORE = ("score", "sim")
GRADE = ("grade", "relevance", "rel", "label", "score")
SYSTEM = ("system", "run", "name")
"""Column names under which data frames may hold these; the first found is taken."""

_ROUNDS = 32
"""Numbers that share a slot in random data are few; after these rounds of comparing them, the rest is sorted."""


@dataclass(frozen=True)
class Run:
    """One system's ranked lists: n retrieved documents, in the order given.

    topics : the distinct topics, in order of first appearance; topic : index into them, of shape (n,).
    documents, scores : of shape (n,). ranks : the rank column, which nothing is ranked by, where there is one.
    digest : SHA-256 of what it was read from. tag : the first run tag of its file, empty where there is none.
    metadata : what its file says of it in a header of ir_metadata, as YAML.
    """

    name: str
    topics: list[str]
    topic: Indices
    documents: Strings
    scores: Floats
    ranks: Strings | None = None
    remarks: Sequence[Remark] = ()
    digest: str = ""
    tag: str = ""
    metadata: str = ""


@dataclass(frozen=True)
class Qrels:
    """Relevance judgments: n judged documents, with `topics` and `topic` as in Run, and grades of shape (n,).

    source : where they are from; digest : SHA-256 of what they were read from.
    """

    topics: list[str]
    topic: Indices
    documents: Strings
    grades: Floats
    remarks: Sequence[Remark] = ()
    source: str = "qrels"
    digest: str = ""

    @property
    def name(self) -> str:
        """What to call the collection."""
        return collection_name(self.source)


_GENERIC_PARTS = {
    *("qrels", "qrel", "train", "dev", "test"),
    *("txt", "tsv", "trec", "csv", "gz", "gzip", "bz2", "xz", "zst"),
}
"""Parts of the names of judgments that do not say of which collection."""


def collection_name(source: str | PurePath) -> str:
    """Name a collection by its qrels file, else by the folder of it, or by its dataset of ir_datasets.

    >>> collection_name("data/robust04.qrels.txt"), collection_name("qrels.dl21-passage.txt.gz")
    ('robust04', 'dl21-passage')
    >>> collection_name("robust04/qrels.txt")
    'robust04'
    >>> collection_name("irds:msmarco-passage/trec-dl-2019/judged")
    'msmarco-passage-trec-dl-2019-judged'
    """
    if str(source).startswith("irds:"):
        return str(source).removeprefix("irds:").replace("/", "-")
    path = Path(source)
    names = path.name.split(".")
    if path.parent != Path() or path.exists():
        folders = path if "://" in str(source) else path.absolute()
        names += [folder.name for folder in folders.parents]
    specific = (name for name in names if name and name.lower() not in _GENERIC_PARTS)
    return next(specific, names[0] or "collection")


def index_strings(texts: Strings) -> tuple[list[str], Indices]:
    """Return the distinct strings in order of first appearance, and each string's index among them."""
    new = texts.starts_block()
    known: dict[str, int] = {}
    codes = [
        known.setdefault(text, len(known)) for text in texts.take(np.flatnonzero(new))
    ]
    return list(known), np.array(codes, dtype=np.intp).take(np.cumsum(new) - 1)


def pair_keys(topic: Indices, document: Words) -> Words:
    """Return a number for each (topic, document hash) pair: equal pairs have equal ones, others almost never."""
    # the topic's number times a large odd constant, so that neighbouring topics differ in their first bits too
    spread = (topic.astype(np.uint64) + np.uint64(1)) * np.uint64(0xD6E8FEB86659FD93)
    return document ^ spread


def duplicates(topic: Indices, documents: Strings) -> tuple[Ints, Ints]:
    """Find rows that repeat an earlier row's topic and document: their indices, and the indices of the first ones."""
    key = pair_keys(topic, documents.hash)
    if not _has_repeats(key):
        return np.empty(0, np.int64), np.empty(0, np.int64)
    # rows that share a key: pairs that repeat, and different pairs whose hashes are equal, by chance or by design
    order = np.argsort(key, kind="stable")
    alike = key[order][1:] == key[order][:-1]
    shared = np.sort(order[np.append(alike, False) | np.append(False, alike)])
    # ordered by the pairs themselves, equal ones are neighbours; the sort is stable, so the earliest comes first
    texts = documents.take(shared)
    by_pair = np.lexsort((texts.sort_positions(), topic[shared]))
    row = shared[by_pair]
    texts = texts.take(by_pair)
    # where a pair differs from the one before it: by document, or by topic
    begins = texts.starts_block()
    begins[1:] |= topic[row][1:] != topic[row][:-1]
    # the row with which each row's block of equal pairs begins
    start = np.where(begins, np.arange(row.size), 0)
    first = row[np.maximum.accumulate(start)]
    return row[~begins], first[~begins]


def _has_repeats(key: Words) -> bool:
    """Tell whether a number occurs twice, without sorting unless many begin alike.

    Each number is written into the slot that its first bits name, over what another wrote there before. The numbers
    that were overwritten are compared with the one that stayed, and then go through the same among themselves.
    """
    # about four slots for each number
    bits = np.uint64(64 - int(key.size * 4).bit_length())
    slot = (key >> bits).astype(np.intp)
    row = np.arange(key.size, dtype=np.min_scalar_type(key.size))
    stays = np.empty(int(slot.max(initial=0)) + 1, dtype=row.dtype)
    for _ in range(_ROUNDS):
        stays[slot] = row
        winner = stays.take(slot)
        overwritten = np.flatnonzero(winner != row)
        row = row[overwritten]
        winner = winner[overwritten]
        slot = slot[overwritten]
        if (key[row] == key[winner]).any():
            return True
        if not row.size:
            return False
    return np.unique(key[row]).size < row.size


def run_from_mapping(lists: Mapping[str, Mapping[str, float]], name: str) -> Run:
    """Make a run from {topic: {document: score}}."""
    topics, documents, scores = _columns_of_mapping(lists)
    return _checked_run(name, topics, documents, scores)


def qrels_from_mapping(judgments: Mapping[str, Mapping[str, float]]) -> Qrels:
    """Make judgments from {topic: {document: grade}}."""
    return _checked_qrels(*_columns_of_mapping(judgments))


def runs_from_frame(table: Any, name: str = "run") -> list[Run]:
    """Make runs from a pandas or polars frame with columns for topic, document and score, and for system if several.

    Column names may be those of ir_measures (query_id, doc_id), PyTerrier (qid, docno) or ours.
    """
    topics, documents, scores = _columns_of_frame(table, SCORE)
    system = next((column for column in SYSTEM if column in table.columns), None)
    if system is None:
        return [_checked_run(name, topics, documents, scores)]
    names, code = index_strings(_strings_of_column(table[system]))
    runs = []
    for index, system_name in enumerate(names):
        rows = np.flatnonzero(code == index)
        columns = topics.take(rows), documents.take(rows), scores[rows]
        runs.append(_checked_run(system_name, *columns))
    return runs


def qrels_from_frame(table: Any) -> Qrels:
    """Make judgments from a pandas or polars frame with columns for topic, document and grade."""
    return _checked_qrels(*_columns_of_frame(table, GRADE))


def grade_remarks(grades: Floats, source: str) -> list[Remark]:
    """Say what is unusual about grades: below zero, very high, not whole."""
    texts = []
    below = grades[grades < 0]
    if below.size:
        kinds, counts = np.unique(below, return_counts=True)
        each = zip(kinds, counts, strict=True)
        histogram = ", ".join(f"{count} of grade {kind:g}" for kind, count in each)
        texts.append(f"documents with a grade below 0 count as not judged: {histogram}")
    if (grades > 127).any():
        texts.append(
            f"the highest grade is {grades.max():g}; are these counts rather than grades?"
        )
    fractions = int(np.count_nonzero(grades % 1))
    if fractions:
        texts.append(
            f"{counted(fractions, 'grade')} not whole; used as gains unchanged"
        )
    return [Remark("warning", source, None, text) for text in texts]


def score_remarks(scores: Floats, source: str) -> list[Remark]:
    """Say what is unusual about scores: infinities."""
    count = int(np.count_nonzero(np.isinf(scores)))
    if not count:
        return []
    text = f"{counted(count, 'infinite score')}; documents with equal ones tie"
    return [Remark("warning", source, None, text)]


def _checked_run(name: str, topics: Strings, documents: Strings, scores: Floats) -> Run:
    """Make a run of its rows; a score that is NaN, or a document twice, raises FileFormatError."""
    if np.isnan(scores).any():
        raise FileFormatError(
            f"run {name}: a score is NaN, which cannot be ranked; leave the document out"
        )
    names, topic = index_strings(topics)
    _refuse_duplicates(f"run {name}", names, topic, documents)
    remarks = score_remarks(scores, f"run {name}")
    digest = _digest(topics, documents, scores)
    return Run(name, names, topic, documents, scores, remarks=remarks, digest=digest)


def _checked_qrels(topics: Strings, documents: Strings, grades: Floats) -> Qrels:
    """Make judgments of their rows; grades that none can be, or a document twice, raise FileFormatError."""
    if not grades.size:
        raise FileFormatError("the qrels are empty")
    if not np.isfinite(grades).all():
        raise FileFormatError("qrels: a grade is not a finite number")
    large = grades[np.abs(grades) > HIGHEST]
    if large.size:
        raise FileFormatError(
            f"qrels: the grade {large[0]:g} is too large for a grade (at most 2^31)"
        )
    names, topic = index_strings(topics)
    _refuse_duplicates("qrels", names, topic, documents)
    remarks = grade_remarks(grades, "qrels")
    digest = _digest(topics, documents, grades)
    return Qrels(names, topic, documents, grades, remarks, digest=digest)


def _digest(topics: Strings, documents: Strings, values: Floats) -> str:
    """Return the SHA-256 of rows."""
    sha = hashlib.sha256()
    for texts in (topics, documents):
        for part in (texts.buffer, texts.start, texts.length):
            sha.update(bytes(part))
    sha.update(bytes(values))
    return sha.hexdigest()


def _refuse_duplicates(
    source: str, names: list[str], topic: Indices, documents: Strings
) -> None:
    """Raise FileFormatError for the first row that repeats a document of its topic."""
    repeated, _ = duplicates(topic, documents)
    if repeated.size:
        first = int(repeated.min())
        raise FileFormatError(
            f"{source}: document {documents[first]!r} occurs twice for topic {names[topic[first]]!r}"
        )


def _columns_of_mapping(
    nested: Mapping[str, Mapping[str, float]],
) -> tuple[Strings, Strings, Floats]:
    """Return topics, documents and numbers of {topic: {document: number}}."""
    topics: list[str] = []
    documents: list[str] = []
    values: list[float] = []
    try:
        for topic, inner in nested.items():
            topics += [str(topic)] * len(inner)
            documents += map(str, inner)
            values += map(number, inner.values())
        numbers = np.array(values, dtype=np.float64)
        return Strings.of(topics), Strings.of(documents), numbers
    except (AttributeError, TypeError, ValueError) as error:
        raise FileFormatError(
            f"not of the form {{topic: {{document: number}}}}: {error}"
        ) from error


def _columns_of_frame(
    table: Any, value: tuple[str, ...]
) -> tuple[Strings, Strings, Floats]:
    """Return topics, documents and numbers of a frame; value : the names that the column of numbers may have."""
    import polars as pl

    columns = [_column(table, names) for names in (TOPIC, DOCUMENT, value)]
    topics, documents = map(_strings_of_column, columns[:2])
    values = columns[2]
    try:
        return topics, documents, _numbers_of_column(values)
    except (TypeError, ValueError, pl.exceptions.PolarsError) as error:
        raise FileFormatError(
            f"the column {values.name!r} of the table must hold numbers: {error}"
        ) from error


def _column(table: Any, names: Sequence[str]) -> Any:
    """Return the column under the first of these names that a frame has; none, or two, raise FileFormatError."""
    name = next((name for name in names if name in table.columns), None)
    if name is None:
        present = ", ".join(map(str, table.columns))
        raise FileFormatError(
            f"the table has no column {' or '.join(names)}; it has {present}"
        )
    if list(table.columns).count(name) > 1:
        raise FileFormatError(
            f"the table has more than one column {name}; drop all but one"
        )
    return table[name]


def _numbers_of_column(column: Any) -> Floats:
    """Return a column of numbers; texts count if a run file could have them."""
    cells = np.asarray(column)
    if cells.ndim != 1:
        raise ValueError("each cell holds several")
    if cells.dtype.kind in "fiu":
        return cells.astype(np.float64)
    return np.array([number(cell) for cell in cells.tolist()], dtype=np.float64)


_NO_IDS = (bool, np.bool_, bytes, dict, list, tuple, set, np.ndarray)


def _strings_of_column(column: Any) -> Strings:
    """Return a column of ids as strings; what is missing, or is no id, raises FileFormatError."""
    import polars as pl

    cells = list(column)
    if any(map(_is_missing, cells)):
        raise FileFormatError(
            f"the column {column.name!r} of the table has missing ids"
        )
    unfit = (*_NO_IDS, pl.Series)
    if others := {type(cell).__name__ for cell in cells if isinstance(cell, unfit)}:
        raise FileFormatError(
            f"the column {column.name!r} of the table holds {min(others)}, not ids"
        )
    try:
        return Strings.of([str(cell) for cell in cells])
    except UnicodeEncodeError as error:
        raise FileFormatError(
            f"the column {column.name!r} of the table has an id that is not text: {error}"
        ) from error


def _is_missing(cell: Any) -> bool:
    try:
        return cell is None or bool(cell != cell)
    # pandas.NA != pandas.NA is itself pandas.NA, which is neither True nor False
    except TypeError:
        return True
