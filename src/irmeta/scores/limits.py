"""What scores can show: the values that a metric can take, and what rank sets suppose."""

import numpy as np
import xarray as xr

from irmeta.measured.coverage import held
from irmeta.metrics.names import highest
from irmeta.scores.attributes import about
from irmeta.scores.means import geometric
from irmeta.scores.notes import Method
from irmeta.stats.arrays import Floats


def limits(scores: xr.DataArray) -> tuple[Floats, Floats]:
    """Return the lowest and the highest score that each metric can take: (metric,), infinite where it has no bound.

    Metrics that irmeta does not know have none, nor have standardized scores, nor a metric some of whose scores lie
    beyond its own bounds.

    >>> from irmeta.scores.cube import cube
    >>> low, high = limits(cube([[[0.1, 3.0]]], ["a"], ["301"], ["AP", "DCG@20"]))
    >>> low.tolist(), high.tolist()
    ([0.0, -inf], [1.0, inf])
    """
    most = np.array([highest(str(metric)) for metric in scores.metric.values])
    values = scores.transpose(..., "metric").values
    beyond = ((values < 0) | (values > most)).any(axis=(0, 1))
    known = np.isfinite(most) & ~beyond & ("standardization" not in about(scores))
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


def shapes_notes(noun: str, systems: int, topics: int) -> list[str]:
    """Say what rank sets by signs suppose of equal systems, or models, if they do not hold where it is not so.

    >>> shapes_notes("model", 20, 5)
    []
    >>> shapes_notes("model", 20, 25)[0][:59]
    'Rank sets suppose that equal models have scores of one shap'
    """
    found = held("rank sets where shapes differ", systems=systems, topics=topics)
    if not found.broken:
        return []
    return [
        Method(
            f"Rank sets suppose that equal {noun}s have scores of one shape: where shapes differ much, all held at "
            f"once in {found}."
        )
    ]
