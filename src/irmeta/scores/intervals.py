"""Intervals of means over topics, or over clusters of topics."""

import xarray as xr

from irmeta.errors import ScoresError, require_share
from irmeta.scores.clusters import by_cluster
from irmeta.scores.cube import check
from irmeta.scores.limits import limits
from irmeta.scores.means import additive, from_additive, means
from irmeta.scores.repeats import by_runs
from irmeta.stats.descriptive import t_interval


def intervals(scores: xr.DataArray, *, level: float = 0.95) -> xr.Dataset:
    """Return mean, low and high of each system by each metric: the t interval over topics, or over their clusters.

    scores : a cube; a system that misses a score has no interval (NaN).
    level : of the intervals, in (0, 1).
    The intervals are those of `describe`, without rank sets, which take time quadratic in the number of systems. They
    are cut to the scores that the metric can take; those of GMAP are of logarithms. Raises ScoresError for fewer than
    2 topics or clusters.

    >>> from irmeta.scores.cube import cube
    >>> one = intervals(cube([[[0.1], [0.2], [0.3]]], ["a"], ["1", "2", "3"], ["AP"]))
    >>> one["low"].values.round(4).item(), one["high"].values.round(4).item()
    (0.0, 0.4484)
    """
    require_share("the level of an interval", level, 0.95)
    units, _ = by_cluster(check(scores))
    scores, _ = by_runs(units)
    if scores.sizes["topic"] < 2:
        raise ScoresError("an interval over topics needs at least 2 topics")
    mean = means(scores)
    least, most = limits(scores)
    by_topic = additive(scores).transpose("system", "metric", "topic")
    empty = by_topic.isel(topic=0, drop=True)
    low, high = (
        from_additive(empty.copy(data=end)).clip(least, most)
        for end in t_interval(by_topic.values, level)
    )
    return xr.Dataset({"mean": mean, "low": low, "high": high})
