"""Rank sets: the ranks that a system may have, given that systems are compared on the same topics.

A system's set goes from 1 + the number of systems that are surely better to m less the number that are surely worse.
"Surely" is a difference beyond what the largest of all differences reaches where none is real, under random signs and
under random directions of topics, again without the differences that are sure: what `stats.tests.stepdown` claims.
Source: Mogstad, Romano, Shaikh and Wilhelm (REStud 2024), sections 3.1 and 3.2.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt
from scipy.special import stdtr

from irmeta.errors import ScoresError, require_share
from irmeta.parallel import in_order
from irmeta.stats.arrays import Bools, Floats, Indices, Ints, Singles, settled
from irmeta.stats.rankings.rank import BLOCK
from irmeta.stats.tests import floors
from irmeta.stats.tests.multiplicity import bh
from irmeta.stats.tests.stepdown import DRAWS, laws

Differences = Callable[[Indices, slice, slice], Iterator[Singles]]
"""For some draws: the differences of some systems, rows, from others, (row, column), draw after draw."""

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

    A claim needs p of at most 1 - level by both laws, p = (1 + draws that reach the statistic) / (1 + draws). The level
    is kept with any number of topics where the differences of equal systems are as likely up as down. With n topics p
    is at least 2 / 2^n: at 95% 5 claim nothing.

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
    # differences of systems stay the same without the median of a topic
    held = np.where(known, values - np.nanmedian(values, axis=1, keepdims=True), 0)
    signs, directions = laws(len(held), draws, rng)
    weights = np.concatenate([signs, directions])
    if known.all():
        difference, squares = _complete(held)
        drawn = np.ascontiguousarray(weights @ held.astype(np.float32))
        differences: Differences = partial(_of_means, drawn)
    else:
        there = known.astype(np.float64)
        difference, squares = _with_holes(held, there)
        singles = held.astype(np.float32), there.astype(np.float32)
        differences = partial(_of_shared, *singles, weights)
    rounding = _rounding(np.sqrt((held**2).sum(axis=0)))
    spread = _spread(squares, rounding)
    # systems that differ by rounding only are equal
    observed = _ratio(np.where(spread > 0, difference, 0), spread, rounding)
    counts = (len(signs), len(directions))
    return _stepped(observed, spread, differences, counts, level, marginal)


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
    held = np.where(known, values - np.nanmedian(values, axis=1, keepdims=True), 0)
    there = known.astype(np.float64)
    difference, squares = _with_holes(held, there)
    rounding = _rounding(np.sqrt((held**2).sum(axis=0)))
    pairs = np.triu_indices(values.shape[1], 1)
    total = difference[pairs]
    shared = np.maximum((there.T @ there)[pairs], 1)
    # sum of squares about the mean: t = total sqrt(n - 1) / sqrt(n about)
    about = squares[pairs] - total**2 / shared
    same = about <= rounding[pairs] ** 2
    error = np.sqrt(np.where(same, 1, shared * about))
    t = np.where(same, np.inf, np.abs(total) * np.sqrt(shared - 1) / error)
    t[np.abs(total) <= rounding[pairs]] = 0
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
    differences = partial(_of_means, singles)
    return _stepped(observed, spread, differences, (len(values),), level, marginal)


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
    """Take the root; 0 where it is one of rounding only."""
    return np.sqrt(np.where(squares > rounding**2, squares, 0))


def _rounding(sizes: Floats) -> Floats:
    """Return how far from 0 the difference of two systems may be that are equal, from the size of each."""
    return _ROUNDING * (sizes[:, None] + sizes)


def _divided(numerator: Floats, denominator: Floats) -> Floats:
    return np.divide(
        numerator, denominator, out=np.zeros(numerator.shape), where=denominator > 0
    )


def _ratio(difference: Floats, spread: Floats, rounding: Floats) -> Floats:
    """Divide what is more than rounding; no difference is 0, and one without any spread is beyond all draws."""
    size = np.maximum(np.abs(difference) - rounding, 0)
    beyond = np.where(size > 0, np.inf, 0)
    ratio = np.divide(size, spread, out=beyond, where=spread > 0)
    return np.copysign(ratio, difference)


def _of_means(
    drawn: Singles, draws: Indices, rows: slice, columns: slice
) -> Iterator[Singles]:
    """Compute the differences of drawn means (draw, system), of some systems from others, for some of the draws."""
    for means in drawn[draws]:
        yield means[rows, None] - means[columns]


def _of_shared(
    values: Singles,
    there: Singles,
    weights: Singles,
    draws: Indices,
    rows: slice,
    columns: slice,
) -> Iterator[Singles]:
    """Compute sum(w d) over shared topics, of some systems from others, for some of the draws.

    values, there : scores (topic, system), 0 where there is none, and whether there is one. The weights of the topics
    that two systems share are scaled to a mean square of 1.
    """
    mine, theirs = there[:, rows], there[:, columns]
    shared = np.maximum(mine.T @ theirs, 1)
    # sum w (a there_b - there_a b), in one product
    left = np.concatenate([values[:, rows], -mine])
    right = np.concatenate([theirs, values[:, columns]])
    for w in weights[draws, :, None]:
        sums = (np.concatenate([w, w]) * left).T @ right
        if not (np.abs(w) == 1).all():
            scale = (w**2 * mine).T @ theirs
            scale /= shared
            scale[scale == 0] = 1
            sums /= np.sqrt(scale, out=scale)
        yield sums


def _stepped(
    observed: Floats,
    spread: Floats,
    differences: Differences,
    counts: Sequence[int],
    level: float,
    marginal: bool,
) -> RankSets:
    """Claim the differences beyond the largest drawn, take them out of the family, and repeat while there are new.

    counts : the draws of each law, one law after the other; a claim is beyond the largest of each.
    """
    require_share("the level of rank sets", level, 0.95)
    weight = _divided(np.ones(spread.shape), spread).astype(np.float32)
    better = worse = np.zeros(observed.shape, dtype=np.bool_)
    draws = sum(counts)
    ends = np.cumsum(counts)[:-1]
    largest = np.zeros((draws, len(observed) if marginal else 1), dtype=np.float32)
    pair = np.zeros((draws, 2), dtype=np.intp)
    stale = np.arange(draws)
    while True:
        open_pairs = np.where(better, 0, weight), np.where(worse, 0, weight)
        if marginal:
            largest = _largest_of_each(differences, *open_pairs, draws)
        else:
            largest[stale, 0], pair[stale] = _largest_of_all(
                differences, open_pairs[0], stale
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


def _blocks(systems: int) -> list[slice]:
    """Cut the systems so that the weights of a block stay in the processor's cache."""
    step = max(1, BLOCK // 16 // systems)
    return [
        slice(start, min(start + step, systems)) for start in range(0, systems, step)
    ]


def _largest_of_each(
    differences: Differences, upward: Singles, downward: Singles, draws: int
) -> Singles:
    """Find each system's largest statistic in each draw, of those not yet claimed: (draw, system)."""
    work = partial(_of_rows, differences, upward, downward, draws)
    found = in_order(work, _blocks(len(upward)), "blocks of systems")
    return np.concatenate(list(found), axis=1)


def _of_rows(
    differences: Differences,
    upward: Singles,
    downward: Singles,
    draws: int,
    rows: slice,
) -> Singles:
    """Find the largest statistics of some systems, above or below others: (draw, row)."""
    above = upward[rows]
    below = downward[rows]
    largest = np.empty((draws, len(above)), dtype=np.float32)
    for draw, difference in enumerate(differences(np.arange(draws), rows, slice(None))):
        highest = (difference * above).max(axis=1)
        lowest = (difference * below).min(axis=1)
        largest[draw] = np.maximum(highest, -lowest)
    return largest


def _largest_of_all(
    differences: Differences, upward: Singles, draws: Indices
) -> tuple[Singles, Ints]:
    """Find the largest statistic of some draws, of those not yet claimed, and of which two systems it is."""
    work = partial(_of_block, differences, upward, draws)
    found = list(in_order(work, _blocks(len(upward)), "blocks of systems"))
    # (block, draw), (block, draw, 2)
    values, pairs = (np.stack(part) for part in zip(*found, strict=True))
    first = values.argmax(axis=0)
    each = np.arange(len(draws))
    return values[first, each], pairs[first, each]


def _of_block(
    differences: Differences, upward: Singles, draws: Indices, rows: slice
) -> tuple[Singles, Ints]:
    """Find the largest statistic among some systems and the later ones: (draw,), and (draw, 2) systems.

    The difference of a pair is that of its reverse with the sign reversed, so earlier systems need not be looked at.
    """
    later = slice(rows.start, None)
    above = upward[rows, later]
    below = np.ascontiguousarray(upward[later, rows].T)
    alike = np.array_equal(above, below)
    largest = np.empty(len(draws), dtype=np.float32)
    pair = np.empty((len(draws), 2), dtype=np.intp)
    for draw, difference in enumerate(differences(draws, rows, later)):
        high = difference * above
        low = high if alike else difference * below
        row, column = divmod(int(high.argmax()), high.shape[1])
        other_row, other_column = divmod(int(low.argmin()), low.shape[1])
        if high[row, column] >= -low[other_row, other_column]:
            largest[draw], pair[draw] = high[row, column], (row, column)
        else:
            largest[draw], pair[draw] = (
                -low[other_row, other_column],
                (other_column, other_row),
            )
    return largest, pair + rows.start
