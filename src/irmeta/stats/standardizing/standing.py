"""Where systems stand among everybody's on a collection: percentile with its ends, median and best."""

from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from irmeta.parallel import in_order, streams
from irmeta.stats.arrays import Bools, Floats, Indices
from irmeta.stats.standardizing.across import Estimate
from irmeta.stats.tests import multiplicity

Counts = npt.NDArray[np.integer[Any]]
_ROUNDING = 1e-6
"""Factors keep means to six decimals."""
DRAWS = 4000
"""Draws that the ends of percentiles are made of."""
CELLS = 1 << 20
"""Drawn means, or differences, that are looked at together."""


class Everybody(NamedTuple):
    """All systems of a collection: mean scores, mean standardized scores and the errors of these, each (other,)."""

    mean: Floats
    standardized: Floats
    error: Floats


class Percentile(NamedTuple):
    """Shares of everybody that systems beat, in percent: arrays of shape (system,).

    percentile : share of them with a lower mean, a tie counted half.
    low, high : the interval of the share of true means that are lower; NaN where means have no errors.
    """

    percentile: Floats
    low: Floats
    high: Floats


class Standing(NamedTuple):
    """Systems among everybody's, arrays of shape (system,); NaN where everybody's scores are of other topics.

    others : everybody's number.  percentile, percentile_low, percentile_high : see `Percentile`.
    not_different : those that a test finds not different.  surely_better : those that are better beyond it, with
    Holm's correction for all of everybody's.
    median, best : of everybody's standardized means; median_score, best_score : of their mean scores, whose best may
    be another system. Where differences have no errors, ends and counts are NaN.
    """

    others: Floats
    percentile: Floats
    percentile_low: Floats
    percentile_high: Floats
    not_different: Floats
    surely_better: Floats
    median: Floats
    best: Floats
    median_score: Floats
    best_score: Floats


def stand(
    own: Estimate,
    versus: Estimate,
    everybody: Everybody,
    level: float = 0.95,
    rng: int | np.random.Generator = 0,
) -> Standing:
    """Place systems by their means, (system,), and by their differences from everybody's, (system, other).

    Differences are tested at 1 - level, those of each system with Holm's correction. Percentiles are those of
    `percentiles`.

    >>> own = Estimate(np.array([0.5]), np.array([0.05]), np.array([1e9]))
    >>> versus = Estimate(np.array([[0.3, 0.1, -0.2]]), np.array([[0.1, 0.1, 0.1]]), np.full((1, 3), 1e9))
    >>> others = Everybody(np.array([0.1, 0.2, 0.4]), np.array([0.2, 0.4, 0.7]), np.full(3, 0.05))
    >>> found = stand(own, versus, others)
    >>> [part.round(1).item() for part in found[:4]]
    [3.0, 66.7, 33.3, 66.7]
    """
    systems, others = versus.value.shape
    if not others:
        return Standing(*np.full((len(Standing._fields), systems), np.nan))
    tied = np.abs(versus.value) <= _ROUNDING
    p = np.apply_along_axis(multiplicity.holm, 1, versus.p)
    sure = (p <= 1 - level) & ~tied
    better = (sure & (versus.value < 0)).sum(axis=1)
    whole = np.ones(systems)
    known = np.where(np.isnan(versus.error).any(axis=1), np.nan, 1.0)
    return Standing(
        others * whole,
        *percentiles(own, everybody, level, rng),
        not_different=(~sure).sum(axis=1) * known,
        surely_better=better * known,
        median=np.median(everybody.standardized) * whole,
        best=everybody.standardized.max() * whole,
        median_score=np.median(everybody.mean) * whole,
        best_score=everybody.mean.max() * whole,
    )


def ranks(scores: Floats, everybody: Everybody, joins: Bools) -> tuple[Floats, Floats]:
    """Return the rank of systems by their mean scores among everybody's, and of how many it is, each (system,).

    joins : (system,), whether a system is not one of everybody's, and so one more.

    >>> ranks(np.array([0.5, 0.2]), Everybody(np.array([0.1, 0.2, 0.4]), *np.zeros((2, 3))), np.array([True, False]))
    (array([1., 2.]), array([4., 3.]))
    """
    if not everybody.mean.size:
        return np.full(scores.shape, np.nan), np.full(scores.shape, np.nan)
    rank = 1.0 + (everybody.mean - scores[:, None] > _ROUNDING).sum(axis=1)
    return rank, everybody.mean.size + joins.astype(float)


def percentiles(
    own: Estimate,
    everybody: Everybody,
    level: float = 0.95,
    rng: int | np.random.Generator = 0,
) -> Percentile:
    """Return which share of everybody systems beat by their means, (system,), with intervals of draws (`beaten`).

    Time and memory grow with systems and with everybody, not with their product.

    >>> own = Estimate(np.array([0.5]), np.array([0.05]), np.array([1e9]))
    >>> others = Everybody(np.array([0.1, 0.2, 0.4]), np.array([0.2, 0.4, 0.7]), np.full(3, 0.05))
    >>> percentiles(own, others).percentile.round(1).tolist()
    [66.7]
    """
    others = everybody.standardized.size
    if not others:
        return Percentile(*np.full((3, own.value.size), np.nan))
    # systems that are alike share their draws
    alike, back = np.unique(np.stack(own), axis=1, return_inverse=True)
    own = Estimate(*alike)
    below, ties = _compared(own.value, everybody.standardized)
    percentile = below / others
    ends = np.full((2, below.size), np.nan)
    if not np.isnan(own.error).any():
        drawn = beaten(own, everybody, ties, np.random.default_rng(rng))
        shares = [(1 - level) / 2, (1 + level) / 2]
        step = max(1, CELLS // DRAWS)
        for start in range(0, below.size, step):
            part = slice(start, start + step)
            ends[:, part] = np.quantile(drawn[part] / (2 * others), shares, axis=1)
    low = np.minimum(ends[0], percentile)
    high = np.maximum(ends[1], percentile)
    back = back.ravel()
    return Percentile(*(100 * part[back] for part in (percentile, low, high)))


def _compared(own: Floats, theirs: Floats) -> tuple[Floats, tuple[Indices, Indices]]:
    """Count how many of everybody's means are below each of some, a tie as half; and name the ties."""
    below = np.empty(own.size)
    systems, same = [], []
    step = max(1, CELLS // theirs.size)
    for start in range(0, own.size, step):
        gap = own[start : start + step, None] - theirs
        tied = np.abs(gap) <= _ROUNDING
        lower = (gap > _ROUNDING).sum(axis=1)
        below[start : start + step] = lower + 0.5 * tied.sum(axis=1)
        system, other = tied.nonzero()
        systems.append(start + system)
        same.append(other)
    return below, (np.concatenate(systems), np.concatenate(same))


def beaten(
    own: Estimate,
    everybody: Everybody,
    ties: tuple[Indices, Indices],
    rng: np.random.Generator,
) -> Counts:
    """Draw how many of everybody's true means may be below those of systems, counted twice: (system, draw).

    A system's own mean varies by its error, with Student's t. Everybody's are drawn nearer to their mean than they
    seem, because part of what they differ is error: by the share B = (m - 3) / (m - 1) error² / (tau² + error²) of m
    systems, with the variance error² (1 - B (m - 1) / m) + 2 B² (seen - mean)² / (m - 3). Source: Morris (1983).
    ties : systems and the same ones of everybody's, ordered by system: these count half.
    """
    count = everybody.standardized.size
    # standardized by each other, means of m systems vary together by -1 / (m - 1)
    apart = count / max(count - 1, 1)
    seen, variance = everybody.standardized, apart * everybody.error**2
    gap = seen - seen.mean()
    spread = max(float((gap**2).sum() / max(count - 1, 1) - variance.mean()), 0.0)
    nearer = variance / np.maximum(spread + variance, 1e-300)
    nearer = nearer * max(count - 3, 0) / max(count - 1, 1)
    likely = variance * (1 - nearer * (count - 1) / count)
    likely = likely + 2 * (nearer * gap) ** 2 / max(count - 3, 1)
    theirs = seen - nearer * gap, np.sqrt(likely)
    own = own._replace(error=np.sqrt(apart) * own.error)
    work = partial(_beaten, own, *theirs, ties)
    blocks = streams(rng, DRAWS, max(1, CELLS // (count + own.value.size)))
    smallest = np.min_scalar_type(2 * count)
    below = np.empty((own.value.size, DRAWS), dtype=smallest)
    at = 0
    for counts in in_order(work, blocks):
        below[:, at : at + len(counts)] = counts.T
        at += len(counts)
    return below


def _beaten(
    own: Estimate,
    middle: Floats,
    spread: Floats,
    ties: tuple[Indices, Indices],
    block: tuple[np.random.Generator, int],
) -> Counts:
    """Count, in a block of draws, twice how many of everybody's means are below those of systems."""
    rng, draws = block
    theirs = middle + spread * rng.normal(size=(draws, middle.size))
    mine = own.value + own.error * rng.standard_t(own.df, (draws, own.value.size))
    twice = np.empty(mine.shape, dtype=np.int32)
    for counts, others, means in zip(twice, theirs, mine, strict=True):
        counts[:] = 2 * np.searchsorted(np.sort(others), means)
    system, other = ties
    have, first = np.unique(system, return_index=True)
    if have.size:
        # twice a half instead of whether it is below
        lower = theirs[:, other] < mine[:, system]
        halves = 1 - 2 * lower.astype(np.int32)
        twice[:, have] += np.add.reduceat(halves, first, axis=1)
    return twice
