"""Where systems stand among everybody's on a collection: percentile with its ends, median and best."""

from typing import NamedTuple

import numpy as np

from irmeta.stats.arrays import Bools, Floats
from irmeta.stats.standardizing.across import Estimate

_ROUNDING = 1e-6
"""Factors keep means to six decimals."""


DRAWS = 4000
"""Draws that the ends of percentiles are made of."""


class Everybody(NamedTuple):
    """All systems of a collection: mean scores, mean standardized scores and the errors of these, each (other,)."""

    mean: Floats
    standardized: Floats
    error: Floats


class Standing(NamedTuple):
    """Systems among everybody's, arrays of shape (system,); NaN where everybody's scores are of other topics.

    others : everybody's number.  percentile : share of them with a lower mean, a tie counted half, in percent.
    percentile_low, percentile_high : the interval of the share of true means that are lower.
    not_different : those that a test finds not different.  surely_better : those that are better beyond it.
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

    Differences are tested at 1 - level. Ends of percentiles are of draws (`shares_below`).

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
    sure = (versus.p <= 1 - level) & ~tied
    better = (sure & (versus.value < 0)).sum(axis=1)
    below = (versus.value > _ROUNDING).sum(axis=1) + 0.5 * tied.sum(axis=1)
    whole = np.ones(systems)
    known = np.where(np.isnan(versus.error).any(axis=1), np.nan, 1.0)
    ends = np.full((2, systems), np.nan)
    if not np.isnan(known).any():
        shares = shares_below(own, everybody, tied, np.random.default_rng(rng))
        ends = np.quantile(shares, [(1 - level) / 2, (1 + level) / 2], axis=0)
    percentile = below / others
    return Standing(
        others=others * whole,
        percentile=100 * percentile,
        percentile_low=100 * np.minimum(ends[0], percentile),
        percentile_high=100 * np.maximum(ends[1], percentile),
        not_different=(~sure).sum(axis=1) * known,
        surely_better=better * known,
        median=np.median(everybody.standardized) * whole,
        best=everybody.standardized.max() * whole,
        median_score=np.median(everybody.mean) * whole,
        best_score=everybody.mean.max() * whole,
    )


def shares_below(
    own: Estimate, everybody: Everybody, same: Bools, rng: np.random.Generator
) -> Floats:
    """Draw which share of everybody's true means may be below those of systems: (draw, system).

    A system's own mean varies by its error, with Student's t. Everybody's are drawn nearer to their mean than they
    seem, because part of what they differ is error: by the share B = (m - 3) / (m - 1) error² / (tau² + error²) of m
    systems, with the variance error² (1 - B (m - 1) / m) + 2 B² (seen - mean)² / (m - 3). Source: Morris (1983).
    same : (system, other), the same system: it counts half.
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
    chance = rng.normal(size=(DRAWS, count))
    theirs = seen - nearer * gap + np.sqrt(likely) * chance
    shares = np.empty((DRAWS, own.value.size))
    for system, (value, error, df) in enumerate(zip(*own, strict=True)):
        drawn = value + np.sqrt(apart) * error * rng.standard_t(df, DRAWS)
        lower = np.where(same[system], 0.5, theirs < drawn[:, None])
        shares[:, system] = lower.mean(axis=1)
    return shares
