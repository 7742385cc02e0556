"""Runs and judgments as arrays, and how Python objects (dicts, data frames) become them."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

import numpy as np

from irmeta.errors import FileFormatError, Remark
from irmeta.io.fields import Strings, Words
from irmeta.signatures import HIGHEST
from irmeta.stats.arrays import Floats, Indices, Ints

TOPIC = ("topic", "query_id", "qid", "query", "query-id")
DOCUMENT = ("document", "doc_id", "docno", "docid", "doc", "corpus-id")
SCORE = ("score", "sim")
GRADE = ("grade", "relevance", "rel", "label", "score")
SYSTEM = ("system", "run", "name")
"""Column names under which data frames may hold these; the first found is taken."""


@dataclass(frozen=True)
class Run:
    """One system's ranked lists: n retrieved documents, in the order given.

    topics : the distinct topics, in order of first appearance; topic : index into them, of shape (n,).
    documents, scores : of shape (n,). ranks : the rank column, which nothing is ranked by, where there is one.
    digest : SHA-256 of what it was read from. tag : the first run tag of its file, empty where there is none.
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


def collection_name(source: str | PurePath) -> str:
    """Name a collection by its qrels file, up to the first point.

    >>> collection_name("data/robust04.qrels.txt")
    'robust04'
    """
    return PurePath(source).name.partition(".")[0] or "collection"


def index_strings(texts: Strings) -> tuple[list[str], Indices]:
    """Give the distinct strings in order of first appearance, and each string's index among them."""
    new = texts.starts_block()
    known: dict[str, int] = {}
    codes = [known.setdefault(text, len(known)) for text in texts.take(np.flatnonzero(new))]
    return list(known), np.array(codes, dtype=np.intp).take(np.cumsum(new) - 1)


def pair_keys(topic: Indices, document: Words) -> Words:
    """Give a number to each (topic, document hash) pair: equal ones to equal pairs, others almost surely differ."""
    return document ^ (topic.astype(np.uint64) + np.uint64(1)) * np.uint64(0xD6E8FEB86659FD93)


def duplicates(topic: Indices, documents: Strings) -> tuple[Ints, Ints]:
    """Find rows that repeat an earlier row's topic and document: their indices, and the indices of the first ones."""
    key = pair_keys(topic, documents.hash)
    if not _repeats(key):
        return np.empty(0, np.int64), np.empty(0, np.int64)
    order = np.argsort(key, kind="stable")
    later = np.flatnonzero(key[order][1:] == key[order][:-1]) + 1
    repeated, original = order[later], order[np.searchsorted(key[order], key[order][later])]
    same = (topic[repeated] == topic[original]) & documents.take(repeated).equals(documents.take(original))
    return repeated[same], original[same]


def _repeats(key: Words) -> bool:
    """Tell whether a number stands there twice, without sorting: all go to slots, where only the last to come stays.

    The others are compared with the one that stayed in theirs, and if they differ, go to slots among themselves.
    """
    slot = (key >> np.uint64(64 - int(key.size * 4).bit_length())).astype(np.intp)
    row = np.arange(key.size)
    stays = np.empty(int(slot.max(initial=0)) + 1, dtype=np.intp)
    while row.size:
        stays[slot] = row
        other = stays.take(slot)
        gone = np.flatnonzero(other != row)
        row, other, slot = row[gone], other[gone], slot[gone]
        if (key[row] == key[other]).any():
            return True
    return False


def run_from_mapping(lists: Mapping[str, Mapping[str, float]], name: str) -> Run:
    """Make a run of {topic: {document: score}}."""
    topics, documents, scores = _flat(lists)
    return _run(name, topics, documents, scores)


def qrels_from_mapping(judgments: Mapping[str, Mapping[str, float]]) -> Qrels:
    """Make judgments of {topic: {document: grade}}."""
    return _qrels(*_flat(judgments))


def runs_from_frame(table: Any, name: str = "run") -> list[Run]:
    """Make runs of a pandas or polars frame with columns for topic, document and score, and for system if several.

    Column names may be those of ir_measures (query_id, doc_id), PyTerrier (qid, docno) or ours.
    """
    topics, documents, scores = _columns(table, SCORE)
    system = next((column for column in SYSTEM if column in table.columns), None)
    if system is None:
        return [_run(name, topics, documents, scores)]
    names, code = index_strings(_ids(table[system]))
    rows = [np.flatnonzero(code == index) for index in range(len(names))]
    return [_run(name, topics.take(at), documents.take(at), scores[at]) for name, at in zip(names, rows, strict=True)]


def qrels_from_frame(table: Any) -> Qrels:
    """Make judgments of a pandas or polars frame with columns for topic, document and grade."""
    return _qrels(*_columns(table, GRADE))


def grade_remarks(grades: Floats, source: str) -> list[Remark]:
    """Say what is unusual about grades: below zero, very high, not whole."""
    texts = []
    if (grades < 0).any():
        kinds, counts = np.unique(grades[grades < 0], return_counts=True)
        listed = ", ".join(f"{count} of {kind:g}" for kind, count in zip(kinds, counts, strict=True))
        texts.append(f"grades below zero count as not judged: {listed}")
    if (grades > 127).any():
        texts.append(f"the highest grade is {grades.max():g}; is that a grade?")
    if (grades % 1 != 0).any():
        texts.append(f"{int((grades % 1 != 0).sum())} grades are not whole numbers; they are used as gains as they are")
    return [Remark("warning", source, None, text) for text in texts]


def score_remarks(scores: Floats, source: str) -> list[Remark]:
    """Say what is unusual about scores: infinities."""
    count = np.count_nonzero(np.isinf(scores))
    text = f"{count} scores are infinite; documents with equal ones are ties"
    return [Remark("warning", source, None, text)] if count else []


def _run(name: str, topics: Strings, documents: Strings, scores: Floats) -> Run:
    if np.isnan(scores).any():
        raise FileFormatError(f"run {name}: a score is NaN; such a document has no place in a ranking, leave it out")
    names, topic = index_strings(topics)
    _refuse_duplicates(f"run {name}", names, topic, documents)
    remarks = score_remarks(scores, f"run {name}")
    return Run(name, names, topic, documents, scores, remarks=remarks, digest=_digest(topics, documents, scores))


def _qrels(topics: Strings, documents: Strings, grades: Floats) -> Qrels:
    if not grades.size:
        raise FileFormatError("qrels: there is no judgment in them")
    if not np.isfinite(grades).all():
        raise FileFormatError("qrels: a grade is not a finite number")
    if (large := grades[np.abs(grades) > HIGHEST]).size:
        raise FileFormatError(f"qrels: the grade {large[0]:g} is too large for a grade (at most 2^31)")
    names, topic = index_strings(topics)
    _refuse_duplicates("qrels", names, topic, documents)
    remarks = grade_remarks(grades, "qrels")
    return Qrels(names, topic, documents, grades, remarks, digest=_digest(topics, documents, grades))


def _digest(topics: Strings, documents: Strings, values: Floats) -> str:
    parts = [part for texts in (topics, documents) for part in (texts.buffer, texts.start, texts.length)]
    return hashlib.sha256(b"".join(bytes(part) for part in (*parts, values))).hexdigest()


def _refuse_duplicates(source: str, names: list[str], topic: Indices, documents: Strings) -> None:
    repeated, _ = duplicates(topic, documents)
    if repeated.size:
        first = int(repeated.min())
        raise FileFormatError(
            f"{source}: document {documents[first]!r} is given twice for topic {names[topic[first]]!r}"
        )


def _flat(nested: Mapping[str, Mapping[str, float]]) -> tuple[Strings, Strings, Floats]:
    try:
        cells = [(topic, document, value) for topic, inner in nested.items() for document, value in inner.items()]
        values = np.array([float(value) for _, _, value in cells], dtype=np.float64)
    except (AttributeError, TypeError, ValueError) as error:
        raise FileFormatError(f"not of the form {{topic: {{document: number}}}}: {error}") from error
    return Strings.of([str(topic) for topic, _, _ in cells]), Strings.of([str(name) for _, name, _ in cells]), values


def _columns(table: Any, value: tuple[str, ...]) -> tuple[Strings, Strings, Floats]:
    found = []
    for names in (TOPIC, DOCUMENT, value):
        column = next((name for name in names if name in table.columns), None)
        if column is None:
            present = ", ".join(str(name) for name in table.columns)
            raise FileFormatError(f"the table has no column {' or '.join(names)}; it has {present}")
        found.append(table[column])
    topics, documents = (_ids(column) for column in found[:2])
    try:
        return topics, documents, np.asarray(found[2], dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise FileFormatError(f"the column {found[2].name!r} of the table is not of numbers: {error}") from error


def _ids(column: Any) -> Strings:
    cells = list(column)
    if any(map(_is_missing, cells)):
        raise FileFormatError(f"the column {column.name!r} of the table has missing ids")
    return Strings.of([str(cell) for cell in cells])


def _is_missing(cell: Any) -> bool:
    try:
        return cell is None or bool(cell != cell)
    except TypeError:  # pandas.NA: whether it differs from anything is missing, too
        return True
