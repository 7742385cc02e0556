"""The compiled core, where there is one: it reads runs and adds over ranks; without it NumPy does, to the same bits."""

import codecs
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from irmeta.choices import Precision
from irmeta.io.files import Content
from irmeta.io.runs.fields import PADDING, Strings
from irmeta.io.runs.rankings import Qrels, Run
from irmeta.io.runs.trec import (
    HEADER,
    has_hidden_lines,
    metadata_of,
    not_utf8_remark,
    tag_remark,
)
from irmeta.stats import arrays
from irmeta.stats.arrays import Indices, Ints

_KEYS = secrets.token_bytes(16)
"""Of this process's hashes: nobody can choose ids whose hashes collide."""


@dataclass(frozen=True)
class JudgedRun:
    """Where a run has judged documents: for each its topic, its rank from 0, and its row in the judgments.

    retrieved : documents retrieved, of shape (judged topics,). topics : the judged topics that the run has;
    other_topics : how many more it has.
    disagreeing : topics in whose list the rank column contradicts the order by score, beyond ties.
    constant : topics in whose list several documents have one score, so that their ids decide the order.
    tied : documents of judged topics that have the score of another of their list. rounded : topics in whose list
        scores of single precision, as trec_eval has them, would order judged documents otherwise.
    order : a digest of the lists of the judged topics; runs that rank the same documents alike share it.
    """

    name: str
    topic: Indices
    rank: Ints
    judgment: Indices
    retrieved: Ints
    topics: frozenset[str]
    other_topics: int
    disagreeing: int
    constant: int
    order: str
    tied: int = 0
    rounded: int = 0

    def judged(self, k: int) -> float:
        """Return the share of the documents at the first k ranks of all topics that are judged; 0 without any."""
        seen = np.minimum(self.retrieved, k).sum()
        return float((self.rank < k).sum() / max(seen, 1))


class Found(NamedTuple):
    """What the core found in a run.

    run : the run without its documents. top_topic, top_rank, top : the first documents of each list.
    """

    judged: JudgedRun
    run: Run
    top_topic: Ints
    top_rank: Ints
    top: Strings


def reader() -> str:
    """Say what reads runs."""
    if arrays.core is None:
        return "runs are read by NumPy, since the compiled core could not be built"
    return "runs are read by the compiled core"


def table(qrels: Qrels) -> Any:
    """Make judgments ready for the core; None where there is none, or hashes collide too often."""
    if arrays.core is None:
        return None
    documents = qrels.documents
    return arrays.core.judgments(
        [topic.encode("utf-8", "surrogateescape") for topic in qrels.topics],
        documents.buffer,
        documents.start.astype(np.int64),
        documents.length.astype(np.int64),
        qrels.topic.astype(np.int64),
        _KEYS,
    )


def read(
    content: Content,
    name: str,
    qrels: Qrels,
    judgments: Any,
    precision: Precision,
    top: int = 0,
    *,
    digested: bool = True,
) -> Found | None:
    """Read a run; None unless it is regular and has a judged topic: then the plain reader says what it is.

    judgments : what `table` made of the qrels.  top : of how many documents of each list the ids are wanted.
    digested : whether the run is to have the digest of its file.
    """
    reader = arrays.core.run(judgments, precision == "float32", top)
    header, pieces = _header(content.pieces(digested=digested))
    before = b"\n"
    for piece in pieces:
        # the plain reader says what comments are that may be lines of data
        if has_hidden_lines(before + piece[:2]) or has_hidden_lines(piece):
            return None
        if not arrays.core.feed(reader, piece):
            return None
        before = (before + piece[-2:])[-2:]
    found = arrays.core.finish(reader)
    if found is None:
        return None
    *of_judged, others, disagreeing, order, is_ascii, more_tags, tag = found[:10]
    *of_top, top_ids, constant, tied, rounded = found[10:]
    topic, rank, judgment, retrieved, top_topic, top_rank, ends = (
        np.frombuffer(part, dtype=np.int64) for part in (*of_judged, *of_top)
    )
    present = np.flatnonzero(retrieved)
    if not present.size:
        return None
    run = Run(
        name,
        [qrels.topics[place] for place in present.tolist()],
        np.empty(0, dtype=np.intp),
        Strings.of([]),
        np.empty(0),
        remarks=[
            *([] if is_ascii or _is_utf8(content) else [not_utf8_remark(content.path)]),
            *([tag_remark(content.path)] if more_tags else []),
        ],
        digest=content.digest if digested else "",
        tag=tag.decode("utf-8", "surrogateescape"),
        metadata=metadata_of(header),
    )
    judged = JudgedRun(
        *(name, topic, rank, judgment, retrieved, frozenset(run.topics)),
        *(others, disagreeing, constant, format(order, "016x"), tied, rounded),
    )
    starts = np.append(0, ends[:-1]) if ends.size else ends
    first = Strings(top_ids + PADDING, starts, ends - starts)
    return Found(judged, run, top_topic, top_rank, first)


def _header(pieces: Iterator[bytes]) -> tuple[bytes, Iterator[bytes]]:
    """Return as much of a file as may be a header, if it begins with a comment; and all of its pieces."""
    held: list[bytes] = []
    for piece in pieces:
        held.append(piece)
        if not held[0].startswith(b"#") or sum(map(len, held)) >= HEADER:
            break
    begins = b"".join(held) if held and held[0].startswith(b"#") else b""
    return begins.replace(b"\r\n", b"\n"), chain(held, pieces)


def _is_utf8(content: Content) -> bool:
    """Say whether a file is UTF-8, read again piece by piece."""
    decode = codecs.getincrementaldecoder("utf-8")().decode
    try:
        for piece in content.pieces():
            decode(piece)
        decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True
