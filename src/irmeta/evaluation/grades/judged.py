"""The grade array: what stood at each rank, for a chunk of systems and all topics; measures are formulas on it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from irmeta.evaluation.grades.core import JudgedRun
from irmeta.io.runs.rankings import Qrels
from irmeta.stats import arrays
from irmeta.stats.arrays import Bools, Floats, Indices, Ints

T = TypeVar("T", bound=npt.NDArray[Any])
Places = npt.NDArray[np.int32]
"""Lists, ranks and codes, as the core takes them."""

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

    def ideal(self) -> "Judged":
        """Return the grade array of one system that ranks each topic's judged documents by grade, best first."""
        parts = (self.topic, self._place(), FIRST + self.grade)
        cell, rank, code = (part.astype(np.int32) for part in parts)
        return Judged(cell, rank, code, self.num_judged()[None], self)

    def _first(self) -> Ints:
        """Return where each topic's documents begin: (topic,)."""
        judged = self.num_judged()
        first: Ints = np.cumsum(judged) - judged
        return first

    def _place(self) -> Ints:
        """Return the place of each document among those of its topic, from 0: (document,)."""
        return np.arange(self.topic.size) - self._first()[self.topic]


@dataclass(frozen=True)
class Judged:
    """Grades of retrieved documents, and what is known of the topics.

    cell, rank, code : of each judged document its list, as system x topics + topic, its rank from 0, and its grade as
    FIRST + i for the i-th of the facts' grades; list after list, by rank; all of shape (document,).
    retrieved : list lengths, of shape (system, topic). A grade below zero counts as unjudged.
    """

    cell: Places
    rank: Places
    code: Places
    retrieved: Ints
    facts: Facts
    memo: Memo = field(default_factory=Memo, repr=False)

    @cached_property
    def depth(self) -> int:
        """Length of the rank axis: that of the longest list, at least 1."""
        return int(self.retrieved.max(initial=1))

    @cached_property
    def codes(self) -> npt.NDArray[Any]:
        """The grade array: BEYOND, UNJUDGED or the code of what stands at each rank, (system, topic, rank).

        In as few bytes as the grades allow: one for up to 254.
        """
        smallest = np.min_scalar_type(FIRST + self.facts.grades.size)
        codes = np.zeros((self.retrieved.size, self.depth), dtype=smallest)
        # every retrieved document is unjudged, until its judgment says otherwise
        codes[np.arange(self.depth) < self.retrieved.reshape(-1, 1)] = UNJUDGED
        codes[self.cell, self.rank] = self.code
        return codes.reshape(*self.retrieved.shape, self.depth)

    @cached_property
    def first(self) -> Ints:
        """Where the documents of each list begin, and where the last one's end."""
        begins = np.flatnonzero(np.diff(self.cell, prepend=-1))
        return np.append(begins, self.cell.size)

    def of_grade(self, rel: float) -> int:
        """Return the lowest code of a grade of `rel` or higher."""
        return FIRST + self.facts.grade_index(rel)

    def relevant(self, rel: float) -> Bools:
        """Say which ranks hold a document of grade `rel` or higher: (system, topic, rank)."""
        return self.memo(("relevant", rel), lambda: self.codes >= self.of_grade(rel))

    def nonrelevant(self, rel: float) -> Bools:
        """Say which ranks hold a document judged from 0 to below `rel`: (system, topic, rank)."""
        low = self.of_grade(0)
        return self.memo(
            ("nonrelevant", rel), lambda: (self.codes >= low) & ~self.relevant(rel)
        )

    def unjudged(self) -> Bools:
        """Say which ranks hold a document that was not judged, or below zero: (system, topic, rank)."""
        high = self.of_grade(0)
        return self.memo(
            "unjudged", lambda: (self.codes != BEYOND) & (self.codes < high)
        )

    def relevant_so_far(self, rel: float) -> Ints:
        """Count relevant documents down to each rank: (system, topic, rank)."""
        return self.memo(
            ("so far", rel), lambda: self.relevant(rel).cumsum(axis=-1, dtype=np.int32)
        )

    def num_relevant_in(self, k: int | None, rel: float) -> Floats:
        """Count relevant documents among the first k: (system, topic)."""
        return self.num_relevant_above(np.full(self.facts.topics, self._end(k)), rel)

    def num_relevant_above(self, end: Ints, rel: float) -> Floats:
        """Count relevant documents down to a rank of each topic, `end` of shape (topic,): (system, topic)."""
        if arrays.core:
            return self._sum_by_core(arrays.core.counts, end, self.of_grade(rel))
        topic = self.cell % self.facts.topics
        deep_enough = self.rank < end[topic]
        relevant = self.code >= self.of_grade(rel)
        cells = self.cell[deep_enough & relevant]
        found = np.bincount(cells, minlength=self.retrieved.size)
        return found.reshape(self.retrieved.shape).astype(np.float64)

    def sum_of_precisions(self, k: int | None, rel: float) -> Floats:
        """Sum the precisions at relevant documents among the first k: (system, topic)."""
        if arrays.core:
            return self._sum_by_core(
                arrays.core.precisions, self._end(k), self.of_grade(rel)
            )
        so_far = self.relevant_so_far(rel)[..., :k]
        precision = so_far / np.arange(1, so_far.shape[-1] + 1)
        return total(precision * self.relevant(rel)[..., :k])

    def reciprocal_of_first(self, k: int | None, rel: float) -> Floats:
        """Return 1 / rank of the first relevant document, 0 without one among the first k: (system, topic)."""
        if arrays.core:
            return self._sum_by_core(
                arrays.core.firsts, self._end(k), self.of_grade(rel)
            )
        relevant = self.relevant(rel)[..., :k]
        return relevant.any(axis=-1) / (relevant.argmax(axis=-1) + 1)

    def sum_of_gains(self, k: int | None, gain: Floats, weights: Floats) -> Floats:
        """Sum gain x weight over the first k ranks: (system, topic).

        gain : of each grade, (grade,); documents without a grade have none. weights : of at least k ranks.
        """
        by_code = self._by_code(gain)
        if arrays.core:
            return self._sum_by_core(arrays.core.gains, self._end(k), by_code, weights)
        codes = self.codes[..., :k]
        return total(by_code.take(codes) * weights[: codes.shape[-1]])

    def sum_of_stops(self, k: int | None, stop: Floats) -> Floats:
        """Sum over the first k ranks the chance that a user stops there, divided by the rank: (system, topic).

        stop : of each grade the chance to stop at it, once reached, (grade,).
        """
        by_code = self._by_code(stop)
        if arrays.core:
            return self._sum_by_core(arrays.core.stops, self._end(k), by_code)
        stops = by_code.take(self.codes[..., :k])
        # the chance to reach a rank: the product over earlier ones of 1 - stop
        reached = np.ones_like(stops)
        np.cumprod(1 - stops[..., :-1], axis=-1, out=reached[..., 1:])
        ranks = np.arange(1, stops.shape[-1] + 1)
        return total(stops * reached / ranks)

    def sum_of_nonrelevant_above(self, rel: float, most: Ints) -> Floats:
        """Sum over relevant documents the judged non-relevant ones above, at most `most`, (topic,): (system, topic)."""
        if arrays.core:
            codes = self.of_grade(0), self.of_grade(rel)
            return self._sum_by_core(arrays.core.above, *codes, most)
        above = self.nonrelevant(rel).cumsum(axis=-1, dtype=np.int32)
        counted = np.minimum(above, most.astype(np.int32)[:, None])
        of_relevant = counted * self.relevant(rel)
        return of_relevant.sum(axis=-1).astype(np.float64)

    def _sum_by_core(self, add: Callable[..., None], *arguments: Any) -> Floats:
        """Let a function of the core add over the ranks of judged documents: (system, topic)."""
        sums = np.zeros(self.retrieved.shape)
        add(self.first, self.cell, self.rank, self.code, *arguments, sums)
        return sums

    def _by_code(self, of_grades: Floats) -> Floats:
        """Return what a document of each code counts, (code,), by what one of each grade does, (grade,)."""
        return np.concatenate([np.zeros(FIRST), of_grades])

    def _end(self, k: int | None) -> int:
        """Return how many ranks there are to look at down to a cutoff."""
        return self.depth if k is None else min(k, self.depth)

    def at_depth(self, depth: int) -> "Judged":
        """Look only at the first `depth` documents of each list; the topics' facts stay (trec_eval -M)."""
        kept = self.rank < depth
        cell, rank, code = self.cell[kept], self.rank[kept], self.code[kept]
        retrieved = np.minimum(self.retrieved, depth)
        return Judged(cell, rank, code, retrieved, self.facts)

    def all_judged_best(self) -> "Judged":
        """Return the same lists as if every unjudged document had the highest grade."""
        lists = self.codes.reshape(-1, self.depth)
        cell, rank = (part.astype(np.int32) for part in np.nonzero(lists != BEYOND))
        code = lists[cell, rank].astype(np.int32)
        code[code == UNJUDGED] = FIRST + self.facts.grades.size - 1
        return Judged(cell, rank, code, self.retrieved, self.facts)

    def judged_only(self) -> "Judged":
        """Drop unjudged documents from the lists, so that judged ones move up (trec_eval -J)."""
        kept = self.code >= self.of_grade(0)
        cell = self.cell[kept]
        code = self.code[kept]
        # ranks count from where each list begins
        place = np.arange(cell.size, dtype=np.int32)
        begins = np.where(np.diff(cell, prepend=-1) != 0, place, 0)
        rank = (place - np.maximum.accumulate(begins)).astype(np.int32)
        counts = np.bincount(cell, minlength=self.retrieved.size)
        retrieved = counts.reshape(self.retrieved.shape)
        return Judged(cell, rank, code, retrieved, self.facts)


def total(values: Floats) -> Floats:
    """Sum over ranks, one after the other from the first: the same to the last bit whatever stands beside or below.

    `sum` over the last axis adds in an order that depends on the length of lists, and a matrix product in one that
    depends on the others.
    """
    if values.size == values.shape[-1]:  # a single list, of which NumPy adds pairs
        alone: Floats = values.cumsum(axis=-1)[..., -1]
        return alone
    by_rank = np.ascontiguousarray(np.moveaxis(values, -1, 0))
    return np.add.reduce(by_rank, axis=0)


class GradeArray:
    """Makes the grade arrays of judged runs, for all topics or some."""

    def __init__(self, qrels: Qrels) -> None:
        self._grades, self._grade = np.unique(qrels.grades, return_inverse=True)
        self._code = (FIRST + self._grade).astype(np.int32)
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
        topic, rank, judgment = (
            np.concatenate([getattr(run, part) for run in runs])
            for part in ("topic", "rank", "judgment")
        )
        system = np.repeat(np.arange(len(runs)), [run.topic.size for run in runs])
        if pool is not None or not np.array_equal(topics, self.topics):
            # where each topic stands among those asked for, -1 where it is not
            place = np.full(self._judged.size, -1)
            place[topics] = np.arange(topics.size)
            topic = place[topic]
            kept = topic >= 0
            if pool is not None:
                kept &= pool[judgment]
            topic, rank, judgment, system = (
                part[kept] for part in (topic, rank, judgment, system)
            )
        return Judged(
            (system * topics.size + topic).astype(np.int32),
            rank.astype(np.int32),
            self._code[judgment],
            retrieved,
            self.facts(topics, pool),
        )

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
        """Compute what `facts` returns."""
        judged = self._judged[topics]
        # the judgments of each topic in turn: its first one, and as many more as it has
        begins = self._first[topics] - (np.cumsum(judged) - judged)
        listed = np.repeat(begins, judged) + np.arange(judged.sum())
        topic = np.repeat(np.arange(topics.size), judged)
        row = self._order[listed]
        if pool is not None:
            topic = topic[pool[row]]
            row = row[pool[row]]
        highest = float(self._grades.max(initial=0.0))
        return Facts(topics.size, self._grades, topic, self._grade[row], highest)
