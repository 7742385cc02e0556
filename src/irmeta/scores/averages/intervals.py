"""Intervals of means over topics, or over clusters of topics."""

from typing import Any

import numpy as np
import xarray as xr

from irmeta.errors import ScoresError, require_share
from irmeta.measured.coverage import Held
from irmeta.metrics.names import ESTIMATED
from irmeta.metrics.values import geometric
from irmeta.scores.attributes import about
from irmeta.scores.averages.limits import limits
from irmeta.scores.averages.means import additive, from_additive, means
from irmeta.scores.cube import check
from irmeta.scores.groups.clusters import by_cluster, coverage_of_means, right_or_wrong
from irmeta.scores.groups.repeats import by_runs
from irmeta.stats.arrays import Bools, Floats
from irmeta.stats.descriptive import bounded_interval, unbounded_interval

_FEW = 3
"""Systems that say little of each other's variances."""


def intervals(scores: xr.DataArray, *, level: float = 0.95) -> xr.Dataset:
    """Return mean, low and high of each system by each metric: an interval over topics, or over their clusters.

    scores : a cube; a system that misses a score has no interval (NaN).
    level : of the intervals, in (0, 1).
    The intervals are those of `describe`, without rank sets, which take time quadratic in the number of systems. They
    are score intervals where the metric has a lowest and a highest score, or all scores are 0 or 1, and Student's
    elsewhere; those of GMAP are of logarithms. Unless all scores are 0 or 1, a system's variance is moved towards that
    of the others, as far as few topics leave it open. Raises ScoresError for fewer than 2 topics or clusters.

    >>> from irmeta.scores.cube import cube
    >>> one = intervals(cube([[[0.1], [0.2], [0.3]]], ["a"], ["1", "2", "3"], ["AP"]))
    >>> one["low"].values.round(4).item(), one["high"].values.round(4).item()
    (0.0566, 0.5104)
    """
    require_share("the level of an interval", level, 0.95)
    units, _ = by_cluster(check(scores))
    scores, _ = by_runs(units)
    if scores.sizes["topic"] < 2:
        raise ScoresError("an interval over topics needs at least 2 topics")
    return unit_intervals(scores, level, right_or_wrong(scores))


def held_intervals(scores: xr.DataArray) -> Held:
    """Return how often intervals of means held in collections like this one."""
    promise = "interval of a mean"
    if "clusters" not in about(scores):
        if scores.sizes["system"] <= _FEW:
            promise += ", few systems"
        elif not np.isfinite(limits(scores)[1]).any():
            promise += " without bounds"
    return coverage_of_means(scores, promise)


def unit_intervals(scores: xr.DataArray, level: float, binary: Bools) -> xr.Dataset:
    """Return what `intervals` does, of topics or of values of clusters; binary : by which metrics all are 0 or 1."""
    lines = additive(scores).transpose("metric", "system", "topic")
    logs = np.isin(scores.metric.values, geometric(scores.metric.values))
    bounds = zip(*limits(scores), binary, logs, strict=True)
    ends = []
    for name, line, bound in zip(
        lines.metric.values, lines.values, bounds, strict=True
    ):
        alone = str(name).endswith(ESTIMATED)
        intervals_of = _single_intervals if alone else _metric_intervals
        ends.append(intervals_of(line, level, *bound))
    shape = lines.isel(topic=0, drop=True).transpose("system", "metric")
    low, high = (
        from_additive(shape.copy(data=np.transpose(of_metrics)))
        for of_metrics in zip(*ends, strict=True)
    )
    return xr.Dataset({"mean": means(scores), "low": low, "high": high})


def _single_intervals(line: Floats, level: float, *bound: Any) -> tuple[Floats, Floats]:
    """Return the ends of each system by itself: how far an estimate is off, those of other systems do not say."""
    ends = [_metric_intervals(own[None], level, *bound) for own in line]
    low, high = np.concatenate(ends, axis=1)
    return low, high


def _metric_intervals(
    line: Floats, level: float, least: float, most: float, binary: bool, logs: bool
) -> tuple[Floats, Floats]:
    """Return the ends (system,) of one metric's intervals, from additive scores (system, topic)."""
    if binary and not logs:
        return bounded_interval(line, level, binary=True)
    if logs or not np.isfinite(most):
        return unbounded_interval(line, level)
    span = most - least
    low, high = bounded_interval((line - least) / span, level)
    return least + span * low, least + span * high
