"""Where systems stand among everybody's on a collection: percentile with its ends, median and best."""

from typing import NamedTuple

import numpy as np

from irmeta.stats.arrays import Floats
from irmeta.stats.standardizing.across import Estimate

_ROUNDING = 1e-6
"""Factors keep means to six decimals."""


class Everybody(NamedTuple):
    """All systems of a collection: mean scores and mean standardized scores, each (other,)."""

    mean: Floats
    standardized: Floats


class Standing(NamedTuple):
    """Systems among everybody's, arrays of shape (system,); NaN where everybody's scores are of other topics.

    others : everybody's number.  percentile : share of them with a lower mean, a tie counted half, in percent.
    percentile_low, percentile_high : the same if none, or all, of those that may be equal were better.
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


def stand(versus: Estimate, everybody: Everybody, level: float = 0.95) -> Standing:
    """Place systems by their differences from everybody's, (system, other), tested at 1 - level.

    >>> versus = Estimate(np.array([[0.3, 0.1, -0.2]]), np.array([[0.1, 0.1, 0.1]]), np.full((1, 3), 1e9))
    >>> found = stand(versus, Everybody(np.array([0.1, 0.2, 0.4]), np.array([0.2, 0.4, 0.7])))
    >>> [part.round(1).item() for part in found[:4]]  # better than one surely, than one perhaps; one is surely better
    [3.0, 66.7, 33.3, 66.7]
    """
    systems, others = versus.value.shape
    if not others:
        return Standing(*np.full((len(Standing._fields), systems), np.nan))
    tied = np.abs(versus.value) <= _ROUNDING
    sure = (versus.p <= 1 - level) & ~tied
    better = (sure & (versus.value < 0)).sum(axis=1)
    worse = (sure & (versus.value > 0)).sum(axis=1)
    below = (versus.value > _ROUNDING).sum(axis=1) + 0.5 * tied.sum(axis=1)
    whole = np.ones(systems)
    known = np.where(np.isnan(versus.error).any(axis=1), np.nan, 1.0)
    return Standing(
        others=others * whole,
        percentile=100 * below / others,
        percentile_low=100 * worse / others * known,
        percentile_high=100 * (others - better) / others * known,
        not_different=(~sure).sum(axis=1) * known,
        surely_better=better * known,
        median=np.median(everybody.standardized) * whole,
        best=everybody.standardized.max() * whole,
        median_score=np.median(everybody.mean) * whole,
        best_score=everybody.mean.max() * whole,
    )
