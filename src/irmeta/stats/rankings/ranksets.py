"""Rank sets: the ranks that a system may have, given that systems are compared on the same topics.

A system's set goes from 1 + the number of systems that are surely better to m less the number that are surely worse.
"Surely" is a difference beyond what the largest of all differences reaches where none is real, under random signs and
under random directions of topics, again without the differences that are sure: what `stats.tests.stepdown` claims.
Source: Mogstad, Romano, Shaikh and Wilhelm (REStud 2024), sections 3.1 and 3.2.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import numpy.typing as npt
from scipy.special import stdtr

from irmeta.errors import ScoresError, require_share
from irmeta.parallel import in_order
from irmeta.stats import arrays
from irmeta.stats.arrays import Bools, Floats, Indices, Ints, Singles, settled
from irmeta.stats.rankings.rank import BLOCK
from irmeta.stats.tests import floors
from irmeta.stats.tests.compared import Pairs
from irmeta.stats.tests.multiplicity import bh
from irmeta.stats.tests.stepdown import DRAWS, alone, laws

Draws = slice | Indices
"""Which draws: all, or some."""

Found = tuple[Singles, Ints]
"""The largest statistic of each draw, (draw,), and the better and the worse system of it, (draw, 2)."""
_ROUNDING = 2.0**-18
"""Draws are in single precision: a difference is known to this share of what was subtracted."""


@dataclass(frozen=True)
class RankSets:
    """The best and the worst rank that each system may have, and the claims that these follow from.

    low, high : (system,), ranks from 1.
    better, worse : (system, system), whether the row's system is surely better, or worse, than the column's. Of
    simultaneous sets `worse` is the transpose of `better`; of marginal ones each row is a claim of its own.
    """

    better: Bools
    worse: Bools

    @property
    def low(self) -> Ints:
        """The best rank that each system may have: 1 + the number of systems surely better."""
        return 1 + self.worse.sum(axis=1)

    @property
    def high(self) -> Ints:
        """The worst rank that each system may have: the number of systems less those surely worse."""
        return len(self.better) - self.better.sum(axis=1)


def rank_sets(
    scores: npt.ArrayLike,
    rng: np.random.Generator,
    *,
    level: float = 0.95,
    marginal: bool = False,
    draws: int = DRAWS,
) -> RankSets:
    """Return the rank sets of systems whose scores are paired by topic.

    scores : (topic, system), the larger the better; NaN where a system has no score, and a pair of systems is then
    compared on the topics that both have.
    level : the chance, in (0, 1), that the sets of all systems cover the true ranks; with marginal=True that the set of
    any one system named in advance does.
    draws : of weights of the topics, by each of the two laws of `stats.tests.stepdown`. Memory is 6 arrays of (system,
    system).
    Raises ScoresError for fewer than 2 systems or topics, or a level outside (0, 1).

    A claim needs p of at most 1 - level by both laws, p = (1 + draws that reach the statistic) / (1 + draws); of two
    systems p is that of one difference by itself, `stepdown.alone`. The level is kept with any number of topics where
    the differences of equal systems are as likely up as down. With n topics p is at least 2 / 2^n: at 95% 5 claim
    nothing.

    >>> topics = np.random.default_rng(0).normal(size=(40, 3)) + [0, 0.1, 5]
    >>> sets = rank_sets(topics, np.random.default_rng(1))
    >>> sets.low.tolist(), sets.high.tolist()
    ([2, 2, 1], [3, 3, 1])
    """
    values = np.asarray(scores, dtype=np.float64)
    if values.ndim != 2 or min(values.shape) < 2:
        raise ScoresError(
            f"rank sets need at least 2 systems and 2 topics; the scores have the shape {values.shape}"
        )
    values = values[~np.isnan(values).all(axis=1)]
    known = ~np.isnan(values)
    if values.shape[1] == 2:
        return _of_two(values[known.all(axis=1)], level)
    # differences of systems stay the same without the median of a topic
    held = np.where(known, values - np.nanmedian(values, axis=1, keepdims=True), 0)
    signs, directions = laws(len(held), draws, rng)
    weights = np.concatenate([signs, directions])
    if known.all():
        difference, squares = _complete(held)
        means = np.ascontiguousarray(weights @ held.astype(np.float32))
        drawn = _Drawn(means, len(means))
    else:
        there = known.astype(np.float64)
        difference, squares = _with_holes(held, there)
        singles = np.ascontiguousarray(held.T, dtype=np.float32)
        drawn = _Drawn(weights, len(signs), singles, np.ascontiguousarray(known.T))
    rounding = _rounding(np.sqrt((held**2).sum(axis=0)))
    spread = _spread(squares, rounding)
    # systems that differ by rounding only are equal
    observed = _ratio(np.where(spread > 0, difference, 0), spread, rounding)
    counts = (len(signs), len(directions))
    return _stepped(observed, spread, drawn, counts, level, marginal)


def discovered(scores: npt.ArrayLike, *, level: float = 0.95) -> RankSets:
    """Return rank sets by false discovery rate: of the claims behind them, at most 1 - level are wrong on average.

    scores : (topic, system), as in `rank_sets`, with which these sets share their reading. A pair is claimed by its
    paired t test, corrected for all pairs as by Benjamini and Hochberg; so is the sign (Benjamini and Yekutieli, JASA
    2005, section 6). Sets are narrower than those of `rank_sets`, and some may be wrong: nothing is promised of all.

    >>> topics = np.random.default_rng(0).normal(size=(40, 3)) + [0, 0.1, 5]
    >>> sets = discovered(topics)
    >>> sets.low.tolist(), sets.high.tolist()
    ([2, 2, 1], [3, 3, 1])
    """
    require_share("the level of rank sets", level, 0.95)
    values = np.asarray(scores, dtype=np.float64)
    known = ~np.isnan(values)
    middle = np.nanmedian(values, axis=1, keepdims=True)
    held = np.where(known, values - middle, 0)
    there = known.astype(np.float64)
    difference, squares = _with_holes(held, there)
    pairs = np.triu_indices(values.shape[1], 1)
    rounding = _rounding(np.sqrt((held**2).sum(axis=0)))[pairs]
    total = difference[pairs]
    topics = (there.T @ there)[pairs]
    shared = np.maximum(topics, 1)
    # sum of squares about the mean: t = total sqrt(n - 1) / sqrt(n about)
    about = squares[pairs] - total**2 / shared
    same = about <= rounding**2
    error = np.sqrt(np.where(same, 1, shared * about))
    t = np.where(same, np.inf, np.abs(total) * np.sqrt(shared - 1) / error)
    t[np.abs(total) <= rounding] = 0
    by_t = 2 * stdtr(np.maximum(shared - 1, 1), -t)
    p = np.where(np.isinf(t), floors.of_signs(shared), by_t)
    better = np.zeros(difference.shape, dtype=np.bool_)
    better[pairs] = bh(p) <= 1 - level
    better |= better.T
    return RankSets(better & (difference > 0), better & (difference < 0))


def fewest_topics(level: float) -> int:
    """Return with how many topics, at least, `rank_sets` can distinguish two systems at a level in (0, 1).

    Of the 2^n ways to reverse signs, all and none reach the clearest difference: 2 / 2^n is at most 1 - level.

    >>> fewest_topics(0.95), fewest_topics(0.99)
    (6, 8)
    """
    # 1e-9: as in _limit
    return math.ceil(math.log2(2 / (1 - level)) - 1e-9)


def rank_sets_of(
    estimates: npt.ArrayLike,
    drawn: npt.ArrayLike,
    *,
    level: float = 0.95,
    marginal: bool = False,
) -> RankSets:
    """Return the rank sets of estimates that come with draws of their own: bootstraps, or a known covariance.

    estimates : (system,), the larger the better.  drawn : (draw, system), how far each draw lies from the estimates.
    The standard error of a difference is the root of its mean square.  level, marginal : as in `rank_sets`.

    >>> drawn = np.random.default_rng(0).normal(0, 0.1, (1000, 3))
    >>> sets = rank_sets_of([0.5, 0.4, 2.0], drawn)
    >>> sets.low.tolist(), sets.high.tolist()
    ([2, 2, 1], [3, 3, 1])
    """
    means = settled(np.asarray(estimates, dtype=np.float64))
    values = np.asarray(drawn, dtype=np.float64)
    products = values.T @ values / len(values)
    rounding = _rounding(np.sqrt(np.diag(products)))
    spread = _spread(_squares(products), rounding)
    observed = _ratio(means[:, None] - means, spread, rounding)
    singles = np.ascontiguousarray(values, dtype=np.float32)
    return _stepped(
        observed, spread, _Drawn(singles, len(singles)), (len(values),), level, marginal
    )


def _of_two(values: Floats, level: float) -> RankSets:
    """Return the rank sets of two systems, from scores (topic, system): there is one difference, by itself."""
    require_share("the level of rank sets", level, 0.95)
    total = values.sum(axis=0)
    better = total[:, None] > total
    # on one topic, or none, nothing is known; 1e-9: as in _limit
    if len(values) < 2 or alone(Pairs(values.T)).item() > 1 - level + 1e-9:
        better[:] = False
    return RankSets(better, better.T)


def _complete(values: Floats) -> tuple[Floats, Floats]:
    """Compute each pair's sum of differences, and the sum of their squares, of (topic, system)."""
    total = values.sum(axis=0)
    return total[:, None] - total, _squares(values.T @ values)


def _with_holes(values: Floats, known: Floats) -> tuple[Floats, Floats]:
    """Compute as `_complete` on the topics that both systems of a pair have; values are 0 where not known."""
    # a system's sum over the topics that the other has, and that of its squares
    total = values.T @ known
    squares = (values**2).T @ known
    return total - total.T, squares + squares.T - 2 * values.T @ values


def _squares(products: Floats) -> Floats:
    """Compute the sum of squares of the difference of each two systems from the products of all, (system, system)."""
    # sum d^2 = sum a^2 + sum b^2 - 2 sum a b
    return np.diag(products)[:, None] + np.diag(products) - 2 * products


def _spread(squares: Floats, rounding: Floats) -> Floats:
    """Return the root of sums of squared differences; 0 where rounding alone can have made it."""
    return np.sqrt(np.where(squares > rounding**2, squares, 0))


def _rounding(sizes: Floats) -> Floats:
    """Return how far from 0 the difference of two systems may be that are equal, from the size of each."""
    return _ROUNDING * (sizes[:, None] + sizes)


def _ratio(difference: Floats, spread: Floats, rounding: Floats) -> Floats:
    """Return what of a difference is more than rounding, over its spread; infinite where that is 0."""
    size = np.maximum(np.abs(difference) - rounding, 0)
    beyond = np.where(size > 0, np.inf, 0)
    ratio = np.divide(size, spread, out=beyond, where=spread > 0)
    return np.copysign(ratio, difference)


@dataclass(frozen=True)
class _Drawn:
    """What was drawn of all systems: weights of topics by which their scores are added up, or means of systems.

    draws : (draw, topic), of which `signs` come first; the others are scaled to a mean square of 1 over the topics that
    two systems share. Or means, (draw, system), which count as signs.
    values : scores (system, topic), 0 where there is none, and of no system where means were drawn.
    known : where there is a score.
    """

    draws: Singles
    signs: int
    values: Singles = field(default_factory=lambda: np.empty((0, 0), dtype=np.float32))
    known: Bools = field(default_factory=lambda: np.empty((0, 0), dtype=np.bool_))

    def largest(self, upward: Singles, draws: Draws, systems: range) -> Found:
        """Find the largest statistic of some systems and the later ones in each of some draws."""
        if arrays.core is None:
            return _first(_of_later(self, upward, draws, one) for one in systems)
        drawn = self.draws[draws]
        most = np.empty(len(drawn), dtype=np.float32)
        pairs = np.empty((len(drawn), 2), dtype=np.int64)
        given = self.values, self.known, upward, drawn, self._signs(draws)
        arrays.core.largest(*given, systems.start, systems.stop, most, pairs)
        return most, pairs

    def differences(self, draws: Draws, system: int, others: slice) -> Singles:
        """Compute the differences of one system from others in some draws: (draw, other)."""
        if not len(self.values):
            return self.draws[draws, system, None] - self.draws[draws, others]
        both = self.known[others] & self.known[system]
        # (other, topic)
        found = np.where(both, self.values[system] - self.values[others], 0)
        shared = both.astype(np.float32)
        weights = self.draws[draws]
        sums = weights @ found.T
        signs = self._signs(draws)
        square = weights[signs:] ** 2 @ shared.T
        square /= np.maximum(shared.sum(axis=1), 1)
        square[square == 0] = 1
        sums[signs:] /= np.sqrt(square, out=square)
        return sums

    def _signs(self, draws: Draws) -> int:
        """Count the signs among some draws."""
        return int(np.count_nonzero(np.arange(len(self.draws))[draws] < self.signs))


def _stepped(
    observed: Floats,
    spread: Floats,
    drawn: _Drawn,
    counts: Sequence[int],
    level: float,
    marginal: bool,
) -> RankSets:
    """Claim the differences beyond the largest drawn, take them out of the family, and repeat while there are new.

    counts : the draws of each law, one law after the other; a claim is beyond the largest of each.
    """
    require_share("the level of rank sets", level, 0.95)
    inverse = np.divide(1, spread, out=np.zeros(spread.shape), where=spread > 0)
    weight = inverse.astype(np.float32)
    better = worse = np.zeros(observed.shape, dtype=np.bool_)
    draws = sum(counts)
    ends = np.cumsum(counts)[:-1]
    largest = np.zeros((draws, len(observed) if marginal else 1), dtype=np.float32)
    pair = np.zeros((draws, 2), dtype=np.intp)
    stale: Draws = slice(None)
    while True:
        open_pairs = np.where(better, 0, weight), np.where(worse, 0, weight)
        if marginal:
            largest = _largest_of_each(drawn, *open_pairs)
        else:
            largest[stale, 0], pair[stale] = _largest_of_all(
                drawn, open_pairs[0], stale
            )
        limits = [_limit(of_law, level) for of_law in np.split(largest, ends)]
        limit = np.max(limits, axis=0)[:, None]
        found = observed > limit, -observed > limit
        if (found[0] == better).all() and (found[1] == worse).all():
            return RankSets(better, worse)
        better, worse = found
        # the largest of other draws is still in the family
        stale = np.flatnonzero(better[pair[:, 0], pair[:, 1]])


def _limit(largest: Singles, level: float) -> Singles:
    """Find what a statistic must exceed so that p is at most 1 - level, of each column of draws; infinite if none can.

    p = (1 + draws that reach the statistic) / (1 + draws): the data themselves are one more draw.
    """
    # 1e-9: a level such as .9 is not exact
    reach = int((1 - level) * (len(largest) + 1) + 1e-9)
    if reach == 0:
        return np.full(largest.shape[1], np.inf, dtype=np.float32)
    return np.sort(largest, axis=0)[-reach]


def _blocks(systems: int) -> list[range]:
    """Cut the systems into blocks that are worth a turn of a thread."""
    step = max(1, BLOCK // 16 // systems)
    return [
        range(start, min(start + step, systems)) for start in range(0, systems, step)
    ]


def _largest_of_each(drawn: _Drawn, upward: Singles, downward: Singles) -> Singles:
    """Find each system's largest statistic in each draw, of those not yet claimed: (draw, system)."""
    work = partial(_of_systems, drawn, upward, downward)
    found = in_order(work, _blocks(len(upward)), "blocks of systems")
    return np.concatenate(list(found), axis=1)


def _of_systems(
    drawn: _Drawn, upward: Singles, downward: Singles, systems: range
) -> Singles:
    """Find the largest statistics of some systems, above or below others: (draw, system)."""
    every = slice(None)
    largest = []
    for system in systems:
        difference = drawn.differences(every, system, every)
        highest = (difference * upward[system]).max(axis=1)
        lowest = (difference * downward[system]).min(axis=1)
        largest.append(np.maximum(highest, -lowest))
    return np.stack(largest, axis=1)


def _largest_of_all(drawn: _Drawn, upward: Singles, draws: Draws) -> Found:
    """Find the largest statistic of some draws, of those not yet claimed."""
    work = partial(drawn.largest, upward, draws)
    # the last system has no later one
    blocks = _blocks(len(upward) - 1)
    return _first(in_order(work, blocks, "blocks of systems"))


def _first(found: Iterable[Found]) -> Found:
    """Return the first largest of several statistics of each draw, with its pair."""
    # (part, draw), (part, draw, 2)
    values, pairs = (np.stack(part) for part in zip(*found, strict=True))
    first = values.argmax(axis=0)
    each = np.arange(len(first))
    return values[first, each], pairs[first, each]


def _of_later(drawn: _Drawn, upward: Singles, draws: Draws, system: int) -> Found:
    """Find the largest statistic of a system and the later ones in each of some draws.

    The difference of a pair is that of its reverse with the sign reversed, so earlier systems need not be looked at.
    """
    later = slice(system + 1, None)
    difference = drawn.differences(draws, system, later)
    high = difference * upward[system, later]
    alike = np.array_equal(upward[system, later], upward[later, system])
    low = high if alike else difference * upward[later, system]
    most = high.argmax(axis=1)
    least = low.argmin(axis=1)
    each = np.arange(len(high))
    above = high[each, most]
    below = -low[each, least]
    pairs = np.where(
        (above >= below)[:, None],
        np.stack([np.full_like(most, system), later.start + most], axis=1),
        np.stack([later.start + least, np.full_like(least, system)], axis=1),
    )
    return np.maximum(above, below), pairs
