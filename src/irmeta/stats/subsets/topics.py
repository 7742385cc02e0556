"""Few topics that rank systems as all do, or as little as can be: a search by swaps (Guiver, Mizzaro, Robertson 2009).

Means over topics are linear in the topics, and so are differences of means: a candidate's are a sum of columns, one
for each topic, and a swap takes off one column and adds another.
"""

from collections.abc import Callable
from functools import partial
from itertools import chain, combinations
from math import comb
from typing import NamedTuple

import numpy as np

from irmeta.stats.arrays import DECIMALS, Floats, Ints, settled
from irmeta.stats.rankings.rank import over, tau_b

EXACT = 2000
"""Subsets up to this number are all tried."""
STARTS = 10
"""Random subsets from which a search begins."""
STARTS_OF_MANY = 2
"""The same for a search that is one of many."""
TIED = 10.0**-DECIMALS
"""Sums that differ by less are tied: they were added in another order."""


class Goal(NamedTuple):
    """What a subset of topics is held against: the ranking over all of them.

    columns : (topic, part), what each topic adds
    worth : of sums (subset, part), to which a row (part,) is added, how far each agrees
    """

    columns: Floats
    worth: Callable[[Floats, Floats], Floats]

    def of(self, chosen: Ints) -> Floats:
        """Return the worth of subsets, given by their topics: (subset, topics of a subset)."""
        nothing_more = np.zeros(self.columns.shape[1])
        return self.worth(self.columns[chosen].sum(axis=1), nothing_more)


def kendall(scores: Floats) -> Goal:
    """Return tau-b with the ranking over all topics as the goal; scores (system, topic).

    tau-b = (C - D) / sqrt(U V): concordant less discordant pairs over pairs untied by the subset, and by all topics.
    """
    first, second = np.triu_indices(len(scores), 1)
    apart = settled(scores.mean(axis=1))
    sign = np.sign(apart[first] - apart[second])
    untied = int(np.count_nonzero(sign))
    # a pair is turned so that all topics prefer its first system; tied ones come last
    order = np.argsort(sign == 0, kind="stable")
    differences = scores[first] - scores[second]
    turned = differences * np.where(sign < 0, -1, 1)[:, None]
    columns = np.ascontiguousarray(turned[order].T)
    return Goal(columns, partial(_tau, untied=untied))


def _tau(sums: Floats, more: Floats, untied: int) -> Floats:
    """Count what the sums and the row together prefer, without adding them up: that would take as long again."""
    above = sums > TIED - more
    below = sums < -TIED - more
    right = np.count_nonzero(above[:, :untied], axis=1)
    wrong = np.count_nonzero(below[:, :untied], axis=1)
    rest = np.count_nonzero(above[:, untied:] | below[:, untied:], axis=1)
    untied_here = right + wrong + rest
    more_right = (right - wrong).astype(np.float64)
    return np.nan_to_num(over(more_right, np.sqrt(untied_here * float(untied))))


def best_subset(
    goal: Goal,
    size: int,
    rng: np.random.Generator,
    *,
    starts: int = STARTS,
    sign: int = 1,
) -> Ints:
    """Return the topics of the best subset found, in order; with sign -1 the worst.

    All subsets are tried where there are few. Else topics of a random subset are swapped, each for the topic that
    helps most, until no swap helps; the best of several starts is returned.

    >>> scores = np.array([[0.1, 0.9, 0.2], [0.2, 0.1, 0.2], [0.3, 0.5, 0.8]])
    >>> best_subset(kendall(scores), 1, np.random.default_rng(0)).tolist()
    [2]
    """
    topics = len(goal.columns)
    if comb(topics, size) <= EXACT:
        every = chain.from_iterable(combinations(range(topics), size))
        subsets = np.fromiter(every, np.int64).reshape(-1, size)
    else:
        drawn = random_subsets(topics, size, starts, rng)
        subsets = np.array([_swapped(goal, subset, sign) for subset in drawn])
    return np.sort(subsets[int((sign * goal.of(subsets)).argmax())])


def _swapped(goal: Goal, chosen: Ints, sign: int) -> Ints:
    """Swap each chosen topic for the one that helps most, in turn, until none helps."""
    worth = sign * goal.of(chosen[None])[0]
    unmoved, place = 0, 0
    while unmoved < len(chosen):
        rest = goal.columns[np.delete(chosen, place)].sum(axis=0)
        swaps = sign * goal.worth(goal.columns, rest)
        swaps[chosen] = -np.inf
        best = int(swaps.argmax())
        unmoved += 1
        if swaps[best] > worth + TIED:
            chosen[place] = best
            worth, unmoved = swaps[best], 0
        place = (place + 1) % len(chosen)
    return chosen


class Held(NamedTuple):
    """Tau-b with the ranking over all topics, of the best, a random and the worst subset: over each part of a split.

    chosen : by the systems that chose, (kind, draw).  new : by the others, (kind, draw). A best or worst subset is
    one draw, repeated.
    """

    chosen: Floats
    new: Floats


def held_out(
    scores: Floats,
    halves: tuple[Ints, Ints],
    size: int,
    draws: int,
    rng: np.random.Generator,
) -> Held:
    """Choose subsets of topics by some systems, and say how far they serve others; scores (system, topic)."""
    known, others = (scores[half] for half in halves)
    goal = kendall(known)
    best, worst = (
        best_subset(goal, size, rng, starts=STARTS_OF_MANY, sign=sign)
        for sign in (1, -1)
    )
    drawn = random_subsets(scores.shape[1], size, draws, rng)
    kinds = np.array([best, *drawn, worst])
    return Held(*(_by_kind(agreement(half, kinds)) for half in (known, others)))


def _by_kind(tau: Floats) -> Floats:
    """Arrange tau of the best subset, random ones and the worst as (kind, draw)."""
    drawn = tau[1:-1]
    return np.stack([np.full_like(drawn, tau[0]), drawn, np.full_like(drawn, tau[-1])])


def random_subsets(
    topics: int, size: int, draws: int, rng: np.random.Generator
) -> Ints:
    """Draw subsets of topics, without replacement in each: (draw, topics of a subset)."""
    return np.argsort(rng.random((draws, topics)), axis=1)[:, :size]


def agreement(scores: Floats, chosen: Ints) -> Floats:
    """Return tau-b between systems ranked over subsets of topics (subset, topics of a subset) and over all."""
    means = scores[:, chosen].mean(axis=-1)  # (system, subset)
    return np.asarray(tau_b(settled(means.T), settled(scores.mean(axis=1))))
