"""The grade array: what stood at each rank, for a chunk of systems and all topics; measures are formulas on it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from irmeta.evaluation.judging import JudgedRun
from irmeta.io.rankings import Qrels
from irmeta.stats.arrays import Bools, Floats, Ints

T = TypeVar("T", bound=npt.NDArray[Any])

BEYOND, UNJUDGED, FIRST = 0, 1, 2
"""Codes of the grade array: no document at this rank, an unjudged one, and the lowest grade of the judgments."""

STEP = 64
"""Rank axes are as long as the longest list in whole steps of this: sums then add in the same order for every list."""


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
    """What the judgments say of the topics, whatever any system retrieved.

    grades : the distinct grades, ascending, of shape (grade,). judged : documents of each grade, (topic, grade).
    max_grade : the highest grade of the collection.
    """

    grades: Floats
    judged: Ints
    max_grade: float
    memo: Memo = field(default_factory=Memo, repr=False)

    def grade_index(self, rel: float) -> int:
        """Return the place among `grades` of the lowest grade that is at least `rel`."""
        return int(np.searchsorted(self.grades, rel))

    def num_relevant(self, rel: float) -> Ints:
        """Count the documents of grade `rel` or higher: (topic,)."""
        total: Ints = self.judged[:, self.grade_index(rel) :].sum(axis=1)
        return total

    def num_nonrelevant(self, rel: float) -> Ints:
        """Count the documents of grade 0 to below `rel`: (topic,)."""
        return self.num_relevant(0) - self.num_relevant(max(rel, 0))

    def num_above(self) -> Ints:
        """Count the documents of a higher grade than each: (topic, grade)."""
        so_far = self.judged.cumsum(axis=1)
        above: Ints = so_far[:, -1:] - so_far
        return above

    def ideal_gains(self, transform: Callable[[Floats], Floats]) -> Floats:
        """Return the gains of each topic's judged documents, best first, then zeros: (topic, documents)."""

        def compute() -> Floats:
            most = int(self.judged.sum(axis=1).max(initial=1))
            ideal = np.zeros((self.judged.shape[0], _whole_steps(most)))
            for topic, counts in enumerate(self.judged[:, ::-1]):
                listed = np.repeat(gain, counts)
                ideal[topic, : listed.size] = listed
            return ideal

        gain = transform(np.maximum(self.grades, 0.0))[::-1]
        return self.memo(gain.tobytes(), compute)

    def ideal(self) -> "Judged":
        """Return the grade array of one system that ranks each topic's judged documents by grade, best first."""

        def compute() -> npt.NDArray[Any]:
            listed = self.judged.sum(axis=1)
            depth = _whole_steps(int(listed.max(initial=1)))
            codes = np.zeros((1, len(listed), depth), dtype=np.min_scalar_type(FIRST + self.grades.size))
            by_grade = np.arange(self.grades.size)[::-1]
            for topic, counts in enumerate(self.judged[:, ::-1]):
                codes[0, topic, : listed[topic]] = FIRST + np.repeat(by_grade, counts)
            return codes

        return Judged(self.memo("ideal", compute), self.judged.sum(axis=1)[None], self)


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
        return self.memo(("relevant", rel), lambda: self.codes >= FIRST + self.facts.grade_index(rel))

    def nonrelevant(self, rel: float) -> Bools:
        """Say which ranks hold a document judged from 0 to below `rel`: (system, topic, rank)."""
        low = FIRST + self.facts.grade_index(0)
        return self.memo(("nonrelevant", rel), lambda: (self.codes >= low) & ~self.relevant(rel))

    def unjudged(self) -> Bools:
        """Say which ranks hold a document that was not judged, or below zero: (system, topic, rank)."""
        high = FIRST + self.facts.grade_index(0)
        return self.memo("unjudged", lambda: (self.codes != BEYOND) & (self.codes < high))

    def relevant_so_far(self, rel: float) -> Ints:
        """Count relevant documents down to each rank: (system, topic, rank)."""
        return self.memo(("so far", rel), lambda: self.relevant(rel).cumsum(axis=-1, dtype=np.int32))

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
        table = np.concatenate([np.zeros(FIRST), transform(np.maximum(self.facts.grades, 0.0))])
        return self.memo(("gains", table.tobytes()), lambda: table.take(self.codes))

    def at_depth(self, depth: int) -> "Judged":
        """Look only at the first `depth` documents of each list; the topics' facts stay (trec_eval -M)."""
        return replace(self, codes=self.codes[..., :depth], retrieved=np.minimum(self.retrieved, depth), memo=Memo())

    def judged_only(self) -> "Judged":
        """Drop unjudged documents from the lists, so that judged ones move up (trec_eval -J)."""
        kept = self.codes >= FIRST + self.facts.grade_index(0)
        count = kept.sum(axis=-1)
        # list by list, the codes that are kept fill the first ranks; the others stay BEYOND
        codes = np.zeros_like(self.codes)
        codes[np.arange(self.depth) < count[..., None]] = self.codes[kept]
        return replace(self, codes=codes, retrieved=count, memo=Memo())


class GradeArray:
    """Makes the grade arrays of chunks of judged runs."""

    def __init__(self, qrels: Qrels) -> None:
        self.topics = len(qrels.topics)
        self._grades, self._grade = np.unique(qrels.grades, return_inverse=True)
        self._topic = qrels.topic
        self._facts = self._facts_of(slice(None))

    def of(self, runs: Sequence[JudgedRun], pool: Bools | None = None) -> Judged:
        """Return the grades of these runs; if there is a `pool`, only the judgments that it marks count as judged."""
        retrieved = np.array([run.retrieved for run in runs])
        depth = _whole_steps(int(retrieved.max(initial=1)))
        smallest = np.min_scalar_type(FIRST + self._grades.size)
        codes = np.zeros((*retrieved.shape, depth), dtype=smallest)
        # every retrieved document is unjudged, until its judgment says otherwise
        codes[np.arange(depth) < retrieved[..., None]] = UNJUDGED
        for system, run in enumerate(runs):
            counts = slice(None) if pool is None else pool[run.judgment]
            grade = self._grade[run.judgment[counts]]
            codes[system, run.topic[counts], run.rank[counts]] = FIRST + grade
        facts = self._facts if pool is None else self._facts_of(pool)
        return Judged(codes, retrieved, facts)

    def _facts_of(self, counts: slice | Bools) -> Facts:
        """Count the judgments of each grade, by topic, among those that count."""
        size = self._grades.size
        cell = self._topic[counts] * size + self._grade[counts]  # (topic, grade) as one number
        judged = np.bincount(cell, minlength=self.topics * size).reshape(self.topics, size)
        return Facts(self._grades, judged, float(self._grades.max(initial=0.0)))


def _whole_steps(length: int) -> int:
    return -(-length // STEP) * STEP
