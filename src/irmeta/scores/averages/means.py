"""Means over topics, or over their clusters: arithmetic, and geometric for GMAP."""

import numpy as np
import xarray as xr

from irmeta.errors import ScoresError
from irmeta.metrics import values as arrays
from irmeta.scores.attributes import CLUSTER, OVER
from irmeta.scores.cube import in_order
from irmeta.stats.arrays import settled


def additive(scores: xr.DataArray) -> xr.DataArray:
    """Return scores whose arithmetic mean over topics orders systems as the metric does: GMAP becomes a logarithm.

    Rank systems by the mean of this over any set of topics. Source of GMAP: Robertson (CIKM 2006).
    """
    if not arrays.geometric(scores.metric.values):
        return scores
    return scores.copy(data=arrays.additive(scores.values, scores.metric.values))


def means(scores: xr.DataArray) -> xr.DataArray:
    """Return system-level scores of shape (system, metric): the mean over topics, for GMAP the geometric mean.

    scores : a cube. Where it says that means are over clusters (`with_clusters`), each cluster counts alike.
    A system with a missing topic has a missing mean: means over different topics do not compare.

    >>> from irmeta.scores.cube import cube
    >>> means(cube([[[0.5], [0.1]]], ["bm25"], ["301", "302"], ["AP"])).item()
    0.3
    """
    line = additive(in_order(scores))
    with np.errstate(over="ignore"):
        if line.attrs.get(OVER) == "clusters" and CLUSTER in line.coords:
            mean = line.weighted(_weights(line)).mean("topic", skipna=False)
        else:
            mean = line.mean("topic", skipna=False)
    if np.isinf(mean.values).any():
        raise ScoresError(
            "the sum of scores is too large for a number; multiply all of them by a small one"
        )
    return from_additive(mean)


def systems_ahead(scores: xr.DataArray, system: str) -> dict[str, int]:
    """Return the systems whose mean is above that of one system on the topics that both have: how many these are.

    scores : a cube of one metric, with holes.

    >>> from irmeta.scores.cube import from_frame
    >>> systems_ahead(from_frame({"a": {"1": 0.5, "2": 0.1}, "b": {"1": 0.6}, "c": {"2": 0.1}}), "a")
    {'b': 1}
    """
    line = additive(scores).isel(metric=0)
    lead = line - line.sel(system=system)
    mean = settled(lead.mean("topic").values)
    shared = lead.notnull().sum("topic")
    ahead = shared.isel(system=mean > 0)
    names = map(str, ahead.system.values)
    return dict(zip(names, ahead.values.tolist(), strict=True))


def _weights(scores: xr.DataArray) -> xr.DataArray:
    """Return a weight for each topic with which each cluster counts alike: one over the topics of its cluster."""
    _, cluster = np.unique(scores[CLUSTER].values.astype(str), return_inverse=True)
    return xr.DataArray(1 / np.bincount(cluster)[cluster], dims="topic")


def from_additive(values: xr.DataArray) -> xr.DataArray:
    """Undo `additive`: put means, or the ends of their intervals, back on each metric's own scale."""
    # along the metric's axis, and of length 1 along the others, so that it fits values of any shape
    shape = [1] * values.ndim
    shape[values.dims.index("metric")] = -1
    logs = arrays.are_geometric(values.metric.values).reshape(shape)
    return values.copy(data=arrays.from_additive(values.values, logs))
