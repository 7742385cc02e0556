"""The grade array: what stood at each rank, for a chunk of systems and all topics; measures are formulas on it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from irmeta.evaluation.judging import JudgedRun
from irmeta.io.rankings import Qrels
from irmeta.stats.arrays import Bools, Floats, Indices, Ints

T = TypeVar("T", bound=npt.NDArray[Any])

BEYOND, UNJUDGED, FIRST = 0, 1, 2
"""Codes of the grade array: no document at this rank, an unjudged one, and the lowest grade of the judgments."""


class Memo:
    """Keeps what several measures share, so that it is computed once."""

    def __init__(self) -> None:
        self._known: dict[Any, Any] = {}

    def __call__(self, key: Any, compute: Callable[[], T]) -> T:
        """Return what is kept under this key; compute it the first time."""
        if key not in self._known:
            self._known[key] = compute()
        known: T = self._known[key]
        return known


@dataclass(frozen=True)
class Facts:
    """What the judgments say of some topics, whatever any system retrieved.

    topics : how many there are. grades : the distinct grades of the collection, ascending, of shape (grade,).
    topic, grade : of each judged document its topic and the index of its grade, topic by topic, the highest grade
    first; both of shape (document,). max_grade : the highest grade of the collection.
    """

    topics: int
    grades: Floats
    topic: Ints
    grade: Ints
    max_grade: float
    memo: Memo = field(default_factory=Memo, repr=False)

    def grade_index(self, rel: float) -> int:
        """Return the place among `grades` of the lowest grade that is at least `rel`."""
        return int(np.searchsorted(self.grades, rel))

    def num_judged(self) -> Ints:
        """Count the judged documents: (topic,)."""
        return self.memo(
            "judged", lambda: np.bincount(self.topic, minlength=self.topics)
        )

    def num_relevant(self, rel: float) -> Ints:
        """Count the documents of grade `rel` or higher: (topic,)."""

        def compute() -> Ints:
            relevant = self.topic[self.grade >= self.grade_index(rel)]
            return np.bincount(relevant, minlength=self.topics)

        return self.memo(("relevant", rel), compute)

    def num_nonrelevant(self, rel: float) -> Ints:
        """Count the documents of grade 0 to below `rel`: (topic,)."""
        return self.num_relevant(0) - self.num_relevant(max(rel, 0))

    def num_above(self, topic: Indices, grade: Indices) -> Ints:
        """Count the documents of a topic whose grade is higher than that of this index; all of one shape."""
        # (topic, grade) as one number that ascends as the documents are listed
        size = self.grades.size
        listed = self.topic * size - self.grade
        return np.searchsorted(listed, topic * size - grade) - self._first()[topic]

    def ideal_gains(self, transform: Callable[[Floats], Floats]) -> Floats:
        """Return the gains of each topic's judged documents, best first, then zeros: (topic, documents)."""

        def compute() -> Floats:
            ideal = np.zeros((self.topics, self._most()))
            ideal[self.topic, self._place()] = gain[self.grade]
            return ideal

        gain = transform(np.maximum(self.grades, 0.0))
        return self.memo(gain.tobytes(), compute)

    def ideal(self) -> "Judged":
        """Return the grade array of one system that ranks each topic's judged documents by grade, best first."""

        def compute() -> npt.NDArray[Any]:
            codes = np.zeros(
                (1, self.topics, self._most()),
                dtype=np.min_scalar_type(FIRST + self.grades.size),
            )
            codes[0, self.topic, self._place()] = FIRST + self.grade
            return codes

        return Judged(self.memo("ideal", compute), self.num_judged()[None], self)

    def _first(self) -> Ints:
        """Return where each topic's documents begin: (topic,)."""
        judged = self.num_judged()
        first: Ints = np.cumsum(judged) - judged
        return first

    def _place(self) -> Ints:
        """Return the place of each document among those of its topic, from 0: (document,)."""
        return np.arange(self.topic.size) - self._first()[self.topic]

    def _most(self) -> int:
        return int(self.num_judged().max(initial=1))


@dataclass(frozen=True)
class Judged:
    """Grades of retrieved documents, and what is known of the topics.

    codes : of shape (system, topic, rank), in as few bytes as the grades allow (one for up to 254): BEYOND, UNJUDGED,
    or FIRST + i for the i-th of the facts' grades. A grade below zero counts as unjudged.
    retrieved : list lengths, of shape (system, topic).
    """

    codes: npt.NDArray[Any]
    retrieved: Ints
    facts: Facts
    memo: Memo = field(default_factory=Memo, repr=False)

    @property
    def depth(self) -> int:
        """Length of the rank axis: that of the longest list, at least 1."""
        return int(self.codes.shape[-1])

    def relevant(self, rel: float) -> Bools:
        """Say which ranks hold a document of grade `rel` or higher: (system, topic, rank)."""
        return self.memo(
            ("relevant", rel), lambda: self.codes >= FIRST + self.facts.grade_index(rel)
        )

    def nonrelevant(self, rel: float) -> Bools:
        """Say which ranks hold a document judged from 0 to below `rel`: (system, topic, rank)."""
        low = FIRST + self.facts.grade_index(0)
        return self.memo(
            ("nonrelevant", rel), lambda: (self.codes >= low) & ~self.relevant(rel)
        )

    def unjudged(self) -> Bools:
        """Say which ranks hold a document that was not judged, or below zero: (system, topic, rank)."""
        high = FIRST + self.facts.grade_index(0)
        return self.memo(
            "unjudged", lambda: (self.codes != BEYOND) & (self.codes < high)
        )

    def relevant_so_far(self, rel: float) -> Ints:
        """Count relevant documents down to each rank: (system, topic, rank)."""
        return self.memo(
            ("so far", rel), lambda: self.relevant(rel).cumsum(axis=-1, dtype=np.int32)
        )

    def num_relevant_in(self, k: int, rel: float) -> Ints:
        """Count relevant documents among the first k: (system, topic)."""
        found: Ints = self.relevant_so_far(rel)[..., min(k, self.depth) - 1]
        return found

    def precision_at_relevant(self, rel: float) -> Floats:
        """Return the precision at each rank with a relevant document, 0 elsewhere: (system, topic, rank)."""

        def compute() -> Floats:
            precision: Floats = self.relevant_so_far(rel) / np.arange(1, self.depth + 1)
            precision *= self.relevant(rel)
            return precision

        return self.memo(("precision", rel), compute)

    def gains(self, transform: Callable[[Floats], Floats]) -> Floats:
        """Return the gain of each rank's document, 0 where there is none or it is unjudged: (system, topic, rank)."""
        table = np.concatenate(
            [np.zeros(FIRST), transform(np.maximum(self.facts.grades, 0.0))]
        )
        return self.memo(("gains", table.tobytes()), lambda: table.take(self.codes))

    def at_depth(self, depth: int) -> "Judged":
        """Look only at the first `depth` documents of each list; the topics' facts stay (trec_eval -M)."""
        return replace(
            self,
            codes=self.codes[..., :depth],
            retrieved=np.minimum(self.retrieved, depth),
            memo=Memo(),
        )

    def all_judged_best(self) -> "Judged":
        """Return the same lists as if every unjudged document had the highest grade."""
        best = FIRST + self.facts.grades.size - 1
        return Judged(
            np.where(self.codes == UNJUDGED, best, self.codes).astype(self.codes.dtype),
            self.retrieved,
            self.facts,
        )

    def judged_only(self) -> "Judged":
        """Drop unjudged documents from the lists, so that judged ones move up (trec_eval -J)."""
        kept = self.codes >= FIRST + self.facts.grade_index(0)
        count = kept.sum(axis=-1)
        # list by list, the codes that are kept fill the first ranks; the others stay BEYOND
        codes = np.zeros_like(self.codes)
        codes[np.arange(self.depth) < count[..., None]] = self.codes[kept]
        return replace(self, codes=codes, retrieved=count, memo=Memo())


class GradeArray:
    """Makes the grade arrays of judged runs, for all topics or some."""

    def __init__(self, qrels: Qrels) -> None:
        self._grades, self._grade = np.unique(qrels.grades, return_inverse=True)
        # the judgments topic by topic, the highest grade first, and where each topic's begin
        self._order = np.lexsort((-self._grade, qrels.topic))
        self._judged = np.bincount(qrels.topic, minlength=len(qrels.topics))
        self._first = np.cumsum(self._judged) - self._judged

    @property
    def topics(self) -> Indices:
        """All topics of the judgments."""
        return np.arange(self._judged.size)

    def tiles(
        self, runs: Sequence[JudgedRun], topics: Indices, cells: int
    ) -> Iterator[tuple[slice, Indices]]:
        """Cut runs and topics into tiles of about `cells` places (system, topic, rank); yield where both stand.

        A tile is the grade array of some runs on some topics, scored at once: it bounds memory, whatever the number and
        the length of lists. Topics whose lists are alike in length go together, since the rank axis is as long as the
        longest list. Yields the runs of a tile as a slice, and its topics as places among `topics`.
        """
        if not runs:
            return
        # of each topic: the longest list, and the places that all runs fill there, or the judged documents if more
        deepest = np.max([run.retrieved[topics] for run in runs], axis=0, initial=1)
        each = np.maximum(len(runs) * deepest, self._judged[topics])
        order = np.argsort(each, kind="stable")
        while order.size:
            # the places of the first 1, 2, ... topics: all as deep as the last one, which has the longest lists
            together = each[order] * np.arange(1, order.size + 1)
            count = max(1, int(np.searchsorted(together, cells, side="right")))
            places = np.sort(order[:count])
            order = order[count:]
            # where even one topic of all runs is too much, some runs at a time
            depth = int(deepest[places].max())
            size = max(1, cells // (count * depth))
            for start in range(0, len(runs), size):
                yield slice(start, start + size), places

    def of(
        self, runs: Sequence[JudgedRun], topics: Indices, pool: Bools | None = None
    ) -> Judged:
        """Return the grades of these runs on these topics.

        pool : of shape (judgment,), which judgments count; None: all do. The others are as if never made.
        """
        retrieved = np.array([run.retrieved[topics] for run in runs])
        depth = int(retrieved.max(initial=1))
        smallest = np.min_scalar_type(FIRST + self._grades.size)
        codes = np.zeros((*retrieved.shape, depth), dtype=smallest)
        # every retrieved document is unjudged, until its judgment says otherwise
        codes[np.arange(depth) < retrieved[..., None]] = UNJUDGED
        # where each topic stands among those asked for, -1 where it is not
        place = np.full(self._judged.size, -1)
        place[topics] = np.arange(topics.size)
        for system, run in enumerate(runs):
            topic = place[run.topic]
            counts = topic >= 0
            if pool is not None:
                counts &= pool[run.judgment]
            grade = self._grade[run.judgment[counts]]
            codes[system, topic[counts], run.rank[counts]] = FIRST + grade
        return Judged(codes, retrieved, self.facts(topics, pool))

    def facts(self, topics: Indices, pool: Bools | None = None) -> Facts:
        """Return what the judgments say of these topics; `pool` as in `of`."""
        if pool is None and np.array_equal(topics, self.topics):
            return self._whole
        return self._facts(topics, pool)

    @cached_property
    def _whole(self) -> Facts:
        """What the judgments say of all topics: the same for every run, where one tile holds all topics."""
        return self._facts(self.topics)

    def _facts(self, topics: Indices, pool: Bools | None = None) -> Facts:
        judged = self._judged[topics]
        # the judgments of each topic in turn: its first one, and as many more as it has
        begins = self._first[topics] - (np.cumsum(judged) - judged)
        listed = np.repeat(begins, judged) + np.arange(judged.sum())
        topic = np.repeat(np.arange(topics.size), judged)
        row = self._order[listed]
        if pool is not None:
            topic = topic[pool[row]]
            row = row[pool[row]]
        return Facts(
            topics.size,
            self._grades,
            topic,
            self._grade[row],
            float(self._grades.max(initial=0.0)),
        )
