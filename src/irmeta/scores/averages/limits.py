"""What scores can show: the values that a metric can take, what rank sets suppose, and what a test sees of 0 and 1."""

import numpy as np
import xarray as xr

from irmeta.metrics.names import ESTIMATED, highest, is_known
from irmeta.metrics.values import geometric
from irmeta.scores.attributes import REPEATS, about
from irmeta.scores.figures import short
from irmeta.stats.arrays import Floats, settled
from irmeta.stats.leaderboards.holes import APART, scale
from irmeta.stats.reliability.differences import smallest_effect
from irmeta.stats.tests.flips import needed, smallest_seen


def limits(scores: xr.DataArray) -> tuple[Floats, Floats]:
    """Return the lowest and the highest score that each metric can take: (metric,), infinite where it has no bound.

    Metrics that irmeta does not know have none, nor have standardized scores, nor a metric some of whose scores lie
    beyond its own bounds. Values of clusters, scores moved so that intervals hold for other runs, and what topics add
    to an estimate may lie beyond: of these the means count.

    >>> from irmeta.scores.cube import cube
    >>> low, high = limits(cube([[[0.1, 3.0]]], ["a"], ["301"], ["AP", "DCG@20"]))
    >>> low.tolist(), high.tolist()
    ([0.0, -inf], [1.0, inf])
    """
    names = [str(metric).removesuffix(ESTIMATED) for metric in scores.metric.values]
    most = np.array([highest(name) for name in names])
    facts = about(scores)
    repeats = facts.get(REPEATS, {})
    moved = "clusters" in facts or "estimated" in facts or repeats.get("in_intervals")
    counted = scores.mean("topic", skipna=False) if moved else scores
    last = counted.transpose(..., "metric")
    values = settled(last.values).reshape(-1, most.size)
    beyond = (values < 0) | (values > most)
    own_scale = "standardization" not in facts
    known = np.isfinite(most) & ~beyond.any(axis=0) & own_scale
    return np.where(known, 0.0, -np.inf), np.where(known, most, np.inf)


def widest(scores: xr.DataArray) -> Floats:
    """Return the largest difference that two means by each metric can have: (metric,), infinite without bounds.

    Differences of geometric means are of logarithms, which have none.

    >>> from irmeta.scores.cube import cube
    >>> widest(cube([[[0.1, 0.3]]], ["a"], ["301"], ["AP", "GMAP"])).tolist()
    [1.0, inf]
    """
    least, most = limits(scores)
    logs = np.isin(scores.metric.values, geometric(scores.metric.values))
    return np.where(logs, np.inf, most - least)


def supposed_range(scores: xr.DataArray) -> Floats:
    """Return the range that scores by each metric that irmeta does not know seem to have: (metric,), else infinite.

    It is 1 where all are within 0 and 1, and 100 where all are within 0 and 100 and some are well above 1; a scale of
    1 to 5 is neither.

    >>> from irmeta.scores.cube import cube
    >>> supposed_range(cube([[[0.1, 35.0, 4.0, 0.2]]], ["a"], ["301"], ["x", "y", "z", "AP"])).tolist()
    [1.0, 100.0, inf, inf]
    """
    values = scores.transpose(..., "metric").values.reshape(-1, scores.sizes["metric"])
    low, high = scale(values)
    percent = (high == 100) & (np.nanmax(values, axis=0) > APART)
    unknown = [not is_known(str(name)) for name in scores.metric.values]
    return np.where(unknown & (low == 0) & ((high == 1) | percent), high, np.inf)


def detection_clause(
    differ: int,
    units: int,
    alpha: float,
    power: float = 0.8,
    *,
    deviation: float | None = None,
) -> str:
    """End a sentence on how many topics two systems differ on: how many must go one way, and what is found at all.

    deviation : where units are clusters of topics, the standard deviation of the differences of their values.

    >>> detection_clause(12, 51, 0.05)
    "12 of 51 topics: 10 of them must go one way (McNemar's exact test at 5%); with 51 topics the smallest \
difference found in 80% of samples is .20."
    >>> detection_clause(12, 17, 0.05, deviation=0.2)
    '12 of 17 clusters: 10 of them must go one way (exact sign test at 5%); with 17 clusters the smallest \
difference found in 80% of samples is .14.'
    """
    noun, test = "topics", "McNemar's exact test"
    if deviation is not None:
        noun, test = "clusters", "exact sign test"
    least = int(needed(np.array([differ]), alpha)[0])
    if least > differ:
        takes = f"too few for a test at {alpha:.0%}"
    else:
        takes = f"{least} of them must go one way ({test} at {alpha:.0%})"
    if deviation is None:
        smallest = smallest_seen(differ / units, units, alpha, power)
    else:
        smallest = _smallest_over_clusters(units, alpha, power) * deviation
    found = f"no difference is found in {power:.0%} of samples"
    if smallest <= 1:
        found = f"the smallest difference found in {power:.0%} of samples is {short(smallest, 2)}"
    return f"{differ} of {units} {noun}: {takes}; with {units} {noun} {found}."


def _smallest_over_clusters(clusters: int, alpha: float, power: float) -> float:
    """Return the smallest difference in deviations that a t test finds, NaN where not even all clusters one way do."""
    if needed(np.array([clusters]), alpha)[0] > clusters:
        return np.nan
    return smallest_effect(clusters, alpha, power)
