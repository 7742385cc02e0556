"""What a metric's score says of the grades of the documents in a list: every pattern of grades, and its score."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from irmeta.evaluation.grades.judged import GradeArray
from irmeta.evaluation.grades.scoring import scores
from irmeta.io.runs.fields import Strings
from irmeta.io.runs.rankings import Qrels
from irmeta.metrics.names import Metric
from irmeta.stats.arrays import Bools, Floats, Ints
from irmeta.studies.leaderboard.leak.board import NONE, lists

LONGEST = 50
"""Documents whose grades a double can hold as bits."""
CELLS = 200_000
"""Scores that a table of patterns has at most."""
IDEALS = 300
"""Ideal lists that are thought of at most."""
LARGEST = 12
"""Documents of a pattern at most."""
RARE = 0.7
"""Share of documents that an attacker takes for not relevant before any answer."""
UNIQUE = 0.97
"""Share of patterns with a score of their own that makes a table readable."""


@dataclass(frozen=True)
class Reading:
    """What an attacker makes of an answer: the likeliest grade of each document, and how likely each ideal list is."""

    levels: Ints
    ideals: Floats


@dataclass(frozen=True)
class Codebook:
    """How one topic's score is read, to a resolution: patterns of grades by their scores.

    levels : the grades that the metric distinguishes, the lowest first. ideals : how many documents of each level above
    the lowest a topic may have: (ideal, level); one row where scores do not depend on it.
    """

    metric: Metric
    levels: Floats
    ideals: Ints
    resolution: float

    @classmethod
    def of(
        cls, metric: Metric, grades: Sequence[float], resolution: float
    ) -> "Codebook":
        """Learn from the metric alone which grades it distinguishes, and whether scores depend on the ideal list."""
        levels = np.unique([0.0, *(grade for grade in grades if grade > 0)])
        every = cls(metric, levels, _ideals(metric, levels.size - 1), resolution)
        # levels by which a document alone scores the same are one: the lowest stands for it
        alone = every.scores(np.arange(levels.size)[:, None])[every._whole]
        _, first = np.unique(alone, return_index=True)
        levels = levels[np.sort(first)]
        if levels.size < 2:
            return every  # scores that say nothing of grades: no pattern has its own
        book = cls(metric, levels, _ideals(metric, levels.size - 1), resolution)
        best = book.scores(np.full((1, 1), levels.size - 1))[:, 0]
        there = best[book.ideals[:, -1] > 0]
        if np.ptp(there) > 1e-12:
            return book
        return cls(metric, levels, book.ideals[[book._whole]], resolution)

    @property
    def _whole(self) -> int:
        """The place of an ideal list that has every level."""
        return int(np.flatnonzero((self.ideals > 0).all(axis=1))[-1])

    @cached_property
    def size(self) -> int:
        """How many documents of a topic one score can tell the grades of; 0 if it is too coarse for one."""
        if self._bits.size > 1:
            return self._bits.size
        size = 0
        while size < LARGEST and self._is_readable(size + 1):
            size += 1
        return size

    def _is_readable(self, size: int) -> bool:
        """Say whether there are few patterns of a size, of which nearly all have a score of their own."""
        if self.levels.size**size * len(self.ideals) > CELLS:
            return False
        shares = []
        for values in self._table(size):
            possible = values[~np.isnan(values)]
            steps = np.round(possible / self.resolution)
            _, counts = np.unique(steps, return_counts=True)
            shares.append((counts == 1).sum() / max(1, possible.size))
        return bool(np.mean(shares) >= UNIQUE)

    def read(self, value: float, ideals: Floats) -> Reading | None:
        """Read a score; None where no grades have it. ideals : how likely each is."""
        if self._bits.size > 1:
            return Reading(self._expanded(value), ideals)
        # half a step of rounding, and a little for what floats add
        near = np.abs(self._known - value) <= 0.51 * self.resolution + 1e-9
        weight = near * ideals[:, None] * self._prior
        if not weight.any():
            return None
        best = self._patterns[int(weight.sum(axis=0).argmax())]
        return Reading(best, weight.sum(axis=1) / weight.sum())

    @cached_property
    def _bits(self) -> Floats:
        """The weights of the ranks, where each is above the sum of those below: a score is then a number in bits.

        Of as many ranks as the resolution shows; empty for metrics whose scores do not add up so.
        """
        none = np.zeros(0)
        if self.levels.size != 2 or len(self.ideals) > 1:
            return none
        single = np.eye(LONGEST, dtype=np.int64)
        weights = self.scores(single)[0]
        both = single[:1] + single[1:6]
        if not np.allclose(self.scores(both)[0], weights[0] + weights[1:6], rtol=1e-12):
            return none
        for size in range(LONGEST, 1, -1):
            # what is below each rank, of the ranks that are asked
            below = np.cumsum(weights[:size][::-1])[::-1] - weights[:size]
            if (weights[:size] - below >= 0.999 * self.resolution).all():
                return weights[:size]
        return none

    def _expanded(self, value: float) -> Ints:
        """Return the bits of a score, the first rank first."""
        bits = np.zeros(self._bits.size, dtype=np.int64)
        rest = value + 0.5 * self._bits[-1]
        for place, weight in enumerate(self._bits):
            if rest >= weight:
                bits[place] = 1
                rest -= weight
        return bits

    @cached_property
    def _patterns(self) -> Ints:
        """The levels of the documents that one score tells of, in every way: (pattern, rank)."""
        return _patterns(self.levels.size, self.size)

    @cached_property
    def _known(self) -> Floats:
        """The score of each of these patterns by each ideal list: (ideal, pattern)."""
        return self._table(self.size)

    @cached_property
    def _prior(self) -> Floats:
        """How likely an attacker takes each pattern to be: (pattern,)."""
        share = np.full(self.levels.size, (1 - RARE) / max(1, self.levels.size - 1))
        share[0] = RARE
        return share[self._patterns].prod(axis=1)

    def _table(self, size: int) -> Floats:
        """Return the score of each pattern by each ideal list, NaN where it has more good documents than there are."""
        patterns = _patterns(self.levels.size, size)
        values = self.scores(patterns)
        values[~self._possible(patterns)] = np.nan
        return values

    @cached_property
    def _further(self) -> Bools:
        """Where a topic may have documents of a level behind its ideal list, which is full: (ideal, level)."""
        full = self.ideals.sum(axis=1) == self.metric.cutoff
        lowest = (self.ideals > 0).argmax(axis=1)
        levels = np.arange(self.ideals.shape[1])
        several = self.levels.size > 2
        return np.logical_and(levels <= lowest[:, None], full[:, None] & several)

    def _possible(self, patterns: Ints) -> Bools:
        """Say which patterns have no more documents of a level than a topic has: (ideal, pattern)."""
        if len(self.ideals) == 1:  # it stands for all
            return np.ones((1, len(patterns)), dtype=np.bool_)
        above = range(1, self.levels.size)
        counts = np.stack([(patterns == level).sum(axis=1) for level in above])
        enough = self.ideals[:, :, None] >= counts
        further = self._further[:, :, None]
        return np.asarray((enough | further).all(axis=1))

    def scores(self, patterns: Ints) -> Floats:
        """Score lists of these levels in topics of each ideal: (ideal, pattern)."""
        number = len(self.ideals)
        lowest = np.ones(number, dtype=np.int64)
        others = self.ideals + self._further
        counts = np.column_stack([lowest, others])
        levels = np.tile(self.levels, number)
        each = np.repeat(levels, counts.ravel())
        topic = np.repeat(np.arange(number), counts.sum(axis=1))
        # documents without a name: nothing is looked up by it
        names = [str(place) for place in range(number)]
        qrels = Qrels(names, topic, Strings.of([]), each)
        # of each topic and level, a document that has it
        behind = np.cumsum(counts).reshape(counts.shape)
        documents = np.where(counts > 0, behind - counts, NONE)
        asked = np.repeat(patterns[:, None], number, axis=1)
        runs = [lists(documents, orders) for orders in asked]
        found = scores(GradeArray(qrels), runs, [self.metric], {None: None})
        return found[:, :, 0].T


def _patterns(levels: int, size: int) -> Ints:
    """List all patterns of some levels on some ranks: (pattern, rank)."""
    grid = np.indices((levels,) * size).reshape(size, -1)
    return np.ascontiguousarray(grid.T, dtype=np.int64)


def _ideals(metric: Metric, above: int) -> Ints:
    """List how many documents of each level above the lowest a topic may have: (ideal, level).

    With one level any number; with more, as many as a list to the cutoff holds.
    """
    if above == 1:
        return np.arange(1, IDEALS + 1)[:, None]
    # about IDEALS lists have this number of documents or fewer
    most = int(IDEALS ** (1 / above) * 1.3)
    if isinstance(metric.cutoff, int):
        most = min(most, metric.cutoff)
    every = np.indices((most + 1,) * above).reshape(above, -1).T
    total = every.sum(axis=1)
    found: Ints = every[(total > 0) & (total <= most)]
    return found
