"""Runs in parts: a file is read in blocks that stay in the processor's cache, and memory does not grow with it.

A part holds whole topics. That takes a file whose lines are regular and whose topics each stand in one place; any other
is read whole by `irmeta.io.runs.trec`, which alone says what is wrong with a file.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TypeVar

import numpy as np

from irmeta.errors import Remark
from irmeta.io.files import Content
from irmeta.io.runs.fields import PADDING, Columns, Strings, split
from irmeta.io.runs.rankings import Run, duplicates, index_strings, score_remarks
from irmeta.io.runs.trec import (
    RUN,
    Reading,
    metadata_of,
    regular,
    run_of,
    tag_remark,
    text_of,
)
from irmeta.stats.arrays import Indices

BLOCK = 1 << 22
"""Bytes of a block, more where a topic has more: smaller ones cost more calls, larger ones more memory (decision 3)."""

Done = TypeVar("Done")


def in_parts(
    content: Content, name: str, reading: Reading, work: Callable[[Run], Done]
) -> tuple[list[Done], Run]:
    """Apply `work` to a run, part by part; return what it returned, and the run without its documents.

    content, name, reading : as in `irmeta.io.runs.trec.run_of`, which says what is refused.
    """
    parts = _Parts(content, name)
    try:
        done = [work(part) for part in parts]
        return done, parts.head()
    except _IrregularError:
        whole = run_of(content, name, reading)
        return [work(whole)], replace(
            whole, documents=Strings.of([]), scores=np.empty(0), ranks=None
        )


class _IrregularError(Exception):
    """A file that has to be read whole."""


class _Parts:
    """The parts of a run file, in order, and what is known of it at their end."""

    def __init__(self, content: Content, name: str) -> None:
        self._content = content
        self._name = name
        self._topics: dict[str, None] = {}
        self._remarks: dict[Remark, None] = {}
        self._tags: dict[str, None] = {}
        self._more_tags = False
        self._metadata = ""
        self._infinite: list[float] = []

    def __iter__(self) -> Iterator[Run]:
        """Yield the parts; raise _IrregularError for a file that has to be read whole."""
        kept: list[bytes] = []
        size, enough = 0, BLOCK
        for piece in self._content.pieces():
            kept.append(piece)
            size += len(piece)
            if size >= enough:
                part, rest = self._part(b"".join(kept))
                if part is not None:
                    yield part
                # a topic that has not ended is read again with as much more
                kept = [rest]
                size = len(rest)
                enough = max(BLOCK, 2 * len(rest))
        columns = self._columns(b"".join(kept))
        yield self._run(columns, *index_strings(columns[0]))

    def head(self) -> Run:
        """Return the run without its documents."""
        path = self._content.path
        remarks = [*self._remarks, *score_remarks(np.array(self._infinite), str(path))]
        if self._more_tags or len(self._tags) > 1:
            remarks.append(tag_remark(path))
        nothing = np.empty(0, dtype=np.intp)
        return Run(
            self._name,
            list(self._topics),
            nothing,
            Strings.of([]),
            np.empty(0),
            remarks=remarks,
            digest=self._content.digest,
            tag=next(iter(self._tags)),
            metadata=self._metadata,
        )

    def _part(self, text: bytes) -> tuple[Run | None, bytes]:
        """Return the topics that end in a text, and the text that is left; None if no topic does."""
        end = text.rfind(b"\n") + 1
        if not end:
            return None, text
        columns = self._columns(text[:end])
        topics, topic = index_strings(columns[0])
        # the last topic may go on in the text that follows
        last = int(topic.size - np.argmax(topic[::-1] != topic[-1]))
        if len(topics) == 1:
            return None, text
        rest = (
            columns.buffer[int(columns.ends[-1, last - 1]) + 1 : -len(PADDING)]
            + text[end:]
        )
        ended = topics[: int(topic[:last].max()) + 1]
        return self._run(columns.head(last), ended, topic[:last]), rest

    def _columns(self, text: bytes) -> Columns:
        """Return the fields of some lines."""
        first = not self._topics
        text, remarks = text_of(text, self._content.path, first=first)
        self._remarks |= dict.fromkeys(remarks)
        self._metadata = self._metadata or (metadata_of(text) if first else "")
        is_json = first and text[:64].lstrip().startswith(b"{")
        columns = None if is_json else split(text, RUN.width)
        if columns is None:
            raise _IrregularError
        return columns

    def _run(self, columns: Columns, topics: list[str], topic: Indices) -> Run:
        """Return the run of some lines, and keep what there is to say of them."""
        rows = regular(columns, RUN, self._content.path)
        if rows is None:
            raise _IrregularError
        topics, topic = index_strings(rows.topic)
        if (
            not self._topics.keys().isdisjoint(topics)
            or duplicates(topic, rows.document)[0].size
        ):
            raise _IrregularError
        self._topics |= dict.fromkeys(topics)
        self._tags[rows.tag] = None
        self._more_tags |= bool(rows.remarks)
        self._infinite += rows.value[np.isinf(rows.value)].tolist()
        return Run(self._name, topics, topic, rows.document, rows.value, rows.ranks)
