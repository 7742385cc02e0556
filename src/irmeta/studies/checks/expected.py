"""What a run is expected to hold where nobody knows the judgments: topics, documents, and how deep its lists may be."""

from collections.abc import Iterable, Set
from dataclasses import dataclass
from os import PathLike, fspath

import numpy as np

from irmeta.errors import FileFormatError, IrmetaError, Remark
from irmeta.io.files import location
from irmeta.io.lists import read_ids
from irmeta.io.runs.rankings import Run
from irmeta.words import counted, listed

Ids = str | PathLike[str] | Iterable[str]
"""Ids, or the path of a file with one on each line."""


@dataclass(frozen=True)
class Expected:
    """What runs may hold; what is None is not checked.

    topics : what every run should have lists for. documents : what a list may hold. depth : of a list, at most.
    """

    topics: tuple[str, ...] | None = None
    documents: Set[str] | None = None
    depth: int | None = None

    @classmethod
    def of(
        cls, topics: Ids | None, documents: Ids | None, depth: int | None
    ) -> "Expected":
        """Read the ids where they are files; raise IrmetaError for no topics and for a depth below 1."""
        wanted = None if topics is None else tuple(dict.fromkeys(_ids(topics)))
        if wanted is not None and not wanted:
            raise IrmetaError("topics: there are none; name one or more")
        if depth is not None and depth < 1:
            raise IrmetaError(f"depth must be 1 or more, not {depth}")
        known = documents
        if known is not None and not isinstance(known, Set):
            known = frozenset(_ids(known))
        return cls(wanted, known, depth)

    def remarks(self, run: Run, where: str) -> list[Remark]:
        """Say in which way a run holds what is not expected; raise FileFormatError if no topic of it is."""
        errors = [*self._unknown_documents(run), *self._too_deep(run)]
        warnings = self._other_topics(run, where)
        return [
            *(Remark("error", where, None, text) for text in errors),
            *(Remark("warning", where, None, text) for text in warnings),
        ]

    def _other_topics(self, run: Run, where: str) -> list[str]:
        """Name the topics that a run lacks, and those that the collection does not have."""
        if self.topics is None:
            return []
        held = set(run.topics)
        surplus = [topic for topic in run.topics if topic not in set(self.topics)]
        if surplus and len(surplus) == len(run.topics):
            raise FileFormatError(
                f"{where}: none of its topics is one of the collection (it has {listed(surplus)}, "
                f"the collection has {listed(self.topics)}); is it a run of another collection?"
            )
        missing = [topic for topic in self.topics if topic not in held]
        remarks = []
        if missing:
            remarks.append(
                f"lacks {len(missing)} of {counted(len(self.topics), 'topic')}: {listed(missing)}; "
                "it scores 0 there"
            )
        if surplus:
            remarks.append(
                f"{len(surplus)} of its {len(run.topics)} topics are not in the collection and are "
                f"ignored: {listed(surplus)}"
            )
        return remarks

    def _unknown_documents(self, run: Run) -> list[str]:
        """Name documents that the collection does not have."""
        if self.documents is None:
            return []
        unknown = {text for text in run.documents if text not in self.documents}
        if not unknown:
            return []
        return [
            f"{counted(len(unknown), 'document')} not in the collection: "
            f"{listed(sorted(unknown))}; remove them, or check how ids are written"
        ]

    def _too_deep(self, run: Run) -> list[str]:
        """Name the topics whose list is too long."""
        if self.depth is None:
            return []
        length = np.bincount(run.topic, minlength=len(run.topics))
        deep = [run.topics[at] for at in np.flatnonzero(length > self.depth)]
        if not deep:
            return []
        return [
            f"lists of more than {self.depth} documents (up to {length.max()}): topics "
            f"{listed(deep)}; keep the best {self.depth} of each"
        ]


def _ids(ids: Ids) -> list[str]:
    """Return ids, or those that a file has on its lines."""
    if not isinstance(ids, str | PathLike):
        return [str(one) for one in ids]
    return read_ids(location(fspath(ids)))
