"""Means over topics: arithmetic, and geometric for GMAP."""

from collections.abc import Iterable

import numpy as np
import xarray as xr

from irmeta.scores.cube import in_order
from irmeta.stats.arrays import Bools

GMAP_FLOOR = 1e-5
"""What GMAP takes for a score of 0, or below this, as trec_eval does."""


def additive(scores: xr.DataArray) -> xr.DataArray:
    """Return scores whose arithmetic mean over topics orders systems as the metric does: GMAP becomes a logarithm.

    Rank systems by the mean of this over any set of topics. Source of GMAP: Robertson (CIKM 2006).
    """
    geometric = _geometric(scores)
    if not geometric.any():
        return scores
    # GMAP of a system = exp(mean over topics of log max(AP, floor)): its additive score is the logarithm
    floored = np.maximum(scores.values, GMAP_FLOOR)
    logs = np.log(np.where(geometric, floored, 1.0))
    return scores.copy(data=np.where(geometric, logs, scores.values))


def means(scores: xr.DataArray) -> xr.DataArray:
    """Return system-level scores of shape (system, metric): the mean over topics, for GMAP the geometric mean.

    scores : a cube.
    A system with a missing topic has a missing mean: means over different topics do not compare.

    >>> from irmeta.scores.cube import cube
    >>> means(cube([[[0.5], [0.1]]], ["bm25"], ["301", "302"], ["AP"])).item()
    0.3
    """
    return from_additive(additive(in_order(scores)).mean("topic", skipna=False))


def from_additive(values: xr.DataArray) -> xr.DataArray:
    """Undo `additive`: put means, or the ends of their intervals, back on each metric's own scale."""
    # along the metric's axis, and of length 1 along the others, so that it fits values of any shape
    shape = [1] * values.ndim
    shape[values.dims.index("metric")] = -1
    geometric = _geometric(values).reshape(shape)
    powers = np.exp(np.where(geometric, values.values, 0.0))
    return values.copy(data=np.where(geometric, powers, values.values))


def geometric(metrics: Iterable[object]) -> list[str]:
    """Name those of the metrics whose mean over topics is geometric: GMAP.

    >>> geometric(["AP", "GMAP(rel=2)"])
    ['GMAP(rel=2)']
    """
    return [str(name) for name in metrics if str(name).startswith("GMAP")]


def _geometric(scores: xr.DataArray) -> Bools:
    """Mark the metrics whose mean over topics is geometric."""
    logs = geometric(scores.metric.values)
    return np.array(
        [str(name) in logs for name in scores.metric.values], dtype=np.bool_
    )
