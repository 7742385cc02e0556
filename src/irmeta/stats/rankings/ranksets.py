"""Rank sets: the ranks that a system may have, given that systems are compared on the same topics.

A system's set goes from 1 + the number of systems that are surely better to m less the number that are surely worse.
"Surely" is a difference beyond what the largest of all differences reaches where none is real; the largest is found by
reversing the sign of whole topics (a wild bootstrap), again without the differences that are sure (step-down).
Sources: Mogstad, Romano, Shaikh and Wilhelm (REStud 2024), sections 3.1 and 3.2; Romano and Wolf (Econometrica 2005).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from irmeta.errors import ScoresError
from irmeta.parallel import in_order
from irmeta.stats.arrays import Bools, Floats, Indices, Ints, Singles
from irmeta.stats.rankings.rank import BLOCK, settled

Differences = Callable[[Indices, slice, slice], Iterator[Singles]]
"""For some draws: the differences of some systems, rows, from others, (row, column), draw after draw."""

DRAWS = 1000
"""Sign reversals; the level is met within .7 of a percent."""
_ROUNDING = 1e-5
"""Draws are in single precision: a statistic exceeds them only by more than this."""


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
    draws : sign reversals of whole topics. Memory is 6 arrays of (system, system).
    Raises ScoresError for fewer than 2 systems or topics, or a level outside (0, 1).

    A pair's statistic is self-normalised, sum(d) / sqrt(sum(d^2)) of the differences d, which rises with Student's t; a
    draw is sum(e (d - mean)) / sqrt(sum((d - mean)^2)), the e random signs, one a topic.

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
    signs = rng.choice(
        np.array([-1.0, 1.0], dtype=np.float32), size=(draws, len(values))
    )
    known = ~np.isnan(values)
    if known.all():
        observed, spread = _complete(values)
        differences: Differences = partial(_of_means, _drawn(values, signs))
    else:
        held = np.where(known, values, 0)
        there = known.astype(np.float64)
        observed, spread, mean = _with_holes(held, there)
        small = [array.astype(np.float32) for array in (held, there, mean)]
        differences = partial(_of_shared, small[0], small[1], small[2], signs)
    return _stepped(observed, spread, differences, draws, level, marginal)


def rank_sets_of(
    estimates: npt.ArrayLike,
    drawn: npt.ArrayLike,
    errors: npt.ArrayLike,
    *,
    level: float = 0.95,
    marginal: bool = False,
) -> RankSets:
    """Return the rank sets of estimates that come with draws of their own: bootstraps, or a known covariance.

    estimates : (system,), the larger the better.  drawn : (draw, system), how far each draw lies from the estimates.
    errors : (system, system), the standard error of each difference, not below 0; level, marginal : as in `rank_sets`.

    >>> errors = np.array([0.1, 0.1, 0.1])
    >>> drawn = np.random.default_rng(0).normal(0, errors, (1000, 3))
    >>> sets = rank_sets_of([0.5, 0.4, 2.0], drawn, np.hypot(errors[:, None], errors))
    >>> sets.low.tolist(), sets.high.tolist()
    ([2, 2, 1], [3, 3, 1])
    """
    means = settled(np.asarray(estimates, dtype=np.float64))
    spread = np.asarray(errors, dtype=np.float64)
    values = np.ascontiguousarray(drawn, dtype=np.float32)
    observed = _ratio(means[:, None] - means, spread)  # z = (a - b) / error of a - b
    return _stepped(
        observed, spread, partial(_of_means, values), len(values), level, marginal
    )


def _complete(values: Floats) -> tuple[Floats, Floats]:
    """Compute each pair's statistic and the root of the sum of squares about its mean, of (topic, system)."""
    topics = len(values)
    centred = values - values.mean(axis=0)
    products = centred.T @ centred
    # sum (d - mean d)^2
    squares = np.diag(products)[:, None] + np.diag(products) - 2 * products
    spread = _root(squares, np.diag(products).max())
    mean = settled(values.mean(axis=0))
    difference = mean[:, None] - mean
    # sum d^2 = sum (d - mean d)^2 + n (mean d)^2
    size = np.sqrt(spread**2 + topics * difference**2)
    return _ratio(topics * difference, size), spread


def _drawn(values: Floats, signs: Singles) -> Singles:
    """Sum the centred scores of each system under each draw of signs: (draw, system)."""
    centred = values - values.mean(axis=0)
    return np.ascontiguousarray(signs @ centred.astype(np.float32))


def _with_holes(values: Floats, known: Floats) -> tuple[Floats, Floats, Floats]:
    """Compute as `_complete` on the topics that both systems of a pair have, and the pairs' mean differences."""
    shared = known.T @ known  # topics that both have
    total = values.T @ known  # a system's sum over the topics that the other has
    mean = settled(_divided(total - total.T, shared))
    # sum d^2 = sum a^2 + sum b^2 - 2 sum a b
    squares = (values**2).T @ known
    raw = squares + squares.T - 2 * values.T @ values
    spread = _root(raw - shared * mean**2, squares.max())
    size = np.sqrt(spread**2 + shared * mean**2)
    statistic = _ratio(shared * mean, size)
    return np.where(shared > 1, statistic, 0), spread, mean


def _root(squares: Floats, largest: float) -> Floats:
    """Take the root; 0 where a square is one of rounding only."""
    return np.sqrt(np.where(squares > 1e-12 * largest, squares, 0))


def _divided(numerator: Floats, denominator: Floats) -> Floats:
    return np.divide(
        numerator, denominator, out=np.zeros(numerator.shape), where=denominator > 0
    )


def _ratio(difference: Floats, scale: Floats) -> Floats:
    """Divide; no difference is 0, and one without any spread is beyond all draws."""
    beyond = np.where(difference != 0, np.copysign(np.inf, difference), 0)
    return np.divide(difference, scale, out=beyond, where=scale > 0)


def _of_means(
    drawn: Singles, draws: Indices, rows: slice, columns: slice
) -> Iterator[Singles]:
    """Compute the differences of drawn means (draw, system), of some systems from others, for some of the draws."""
    for means in drawn[draws]:
        yield means[rows, None] - means[columns]


def _of_shared(
    values: Singles,
    known: Singles,
    mean: Singles,
    signs: Singles,
    draws: Indices,
    rows: slice,
    columns: slice,
) -> Iterator[Singles]:
    """Compute sum(e (d - mean)) over shared topics, of some systems from others, for some of the draws."""
    own = values[:, rows]
    there = known[:, rows]
    both = np.concatenate([values[:, columns], known[:, columns]], axis=1)
    width = both.shape[1] // 2
    centre = mean[rows, columns]
    for e in signs[draws, :, None]:
        here = (e * there).T @ both  # sum e b, and sum e, over the topics of both
        yield (e * own).T @ both[:, width:] - here[:, :width] - centre * here[:, width:]


def _stepped(
    observed: Floats,
    spread: Floats,
    differences: Differences,
    draws: int,
    level: float,
    marginal: bool,
) -> RankSets:
    """Claim the differences beyond the largest drawn, take them out of the family, and repeat while there are new."""
    if not 0 < level < 1:
        raise ScoresError(
            f"the level of rank sets must be between 0 and 1, not {level:g}"
        )
    weight = _divided(np.ones(spread.shape), spread).astype(np.float32)
    better = worse = np.zeros(observed.shape, dtype=np.bool_)
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
        limit = (
            np.quantile(largest, level, axis=0, method="higher")[:, None] + _ROUNDING
        )
        found = observed > limit, -observed > limit
        if (found[0] == better).all() and (found[1] == worse).all():
            return RankSets(better, worse)
        better, worse = found
        # the largest of other draws is still in the family
        stale = np.flatnonzero(better[pair[:, 0], pair[:, 1]])


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
    largest = np.empty(len(draws), dtype=np.float32)
    pair = np.empty((len(draws), 2), dtype=np.intp)
    for draw, difference in enumerate(differences(draws, rows, later)):
        high = difference * above
        low = difference * below
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
