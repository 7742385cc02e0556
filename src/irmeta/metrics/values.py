"""What values scores of a metric can take, and how they are averaged: arithmetically, GMAP geometrically."""

from collections.abc import Callable, Iterable

import numpy as np
import numpy.typing as npt

from irmeta.errors import ScoresError
from irmeta.metrics.names import highest, is_known

GMAP_FLOOR = 1e-5
"""What GMAP takes for a score of 0, or below this, as trec_eval does."""
_ROUNDING = 1e-9
"""How far rounding may take a score beyond what its metric can be."""

Values = npt.NDArray[np.float64]


def geometric(metrics: Iterable[object]) -> list[str]:
    """Name those of the metrics whose mean over topics is geometric: GMAP.

    >>> geometric(["AP", "GMAP(rel=2)"])
    ['GMAP(rel=2)']
    """
    return [str(name) for name in metrics if str(name).startswith("GMAP")]


def additive(scores: Values, metrics: Iterable[object]) -> Values:
    """Return scores whose arithmetic mean over topics orders systems as the metric does: GMAP becomes a logarithm.

    scores : of any shape whose last axis is that of the metrics. Source of GMAP: Robertson (CIKM 2006).
    """
    logs = are_geometric(metrics)
    if not logs.any():
        return scores
    # GMAP of a system = exp(mean over topics of log max(AP, floor)): its additive score is the logarithm
    floored = np.maximum(scores, GMAP_FLOOR)
    return np.where(logs, np.log(np.where(logs, floored, 1.0)), scores)


def from_additive(values: Values, logs: npt.NDArray[np.bool_]) -> Values:
    """Undo `additive`: put means, or the ends of their intervals, back on each metric's own scale.

    logs : which values are logarithms, of a shape that fits theirs.
    """
    return np.where(logs, np.exp(np.where(logs, values, 0.0)), values)


def are_geometric(metrics: Iterable[object]) -> npt.NDArray[np.bool_]:
    """Mark the metrics whose mean over topics is geometric."""
    return np.array([bool(geometric([name])) for name in metrics], dtype=np.bool_)


def means(scores: Values, metrics: Iterable[object]) -> Values:
    """Return the means over topics of scores of shape (system, topic, metric): (system, metric).

    >>> means(np.array([[[0.5, 0.04], [0.1, 0.01]]]), ["AP", "GMAP"]).round(4).tolist()
    [[0.3, 0.02]]
    """
    names = list(metrics)
    return from_additive(additive(scores, names).mean(axis=1), are_geometric(names))


def require_possible(
    scores: Values, metrics: Iterable[object], named: Callable[[int], str] | None = None
) -> None:
    """Raise ScoresError if a score is lower or higher than its metric can be.

    scores : a column for each metric.  named : what the error calls a row.
    """
    lowest = np.fmin.reduce(scores, axis=0, initial=np.inf)
    largest = np.fmax.reduce(scores, axis=0, initial=-np.inf)
    for column, metric in enumerate(map(str, metrics)):
        if not is_known(metric):  # it may take any value
            continue
        most = highest(metric) + _ROUNDING
        if lowest[column] < -_ROUNDING or largest[column] > most:
            beyond = (scores[:, column] < -_ROUNDING) | (scores[:, column] > most)
            row = int(np.flatnonzero(beyond)[0])
            where = f" ({named(row)})" if named else ""
            raise ScoresError(
                f"{scores[row, column]:g}{where} is not a score of {metric}, {_takes(highest(metric))}"
            )


def _takes(high: float) -> str:
    """Say what scores a metric takes that can be so high, and what to do with others."""
    rename = "give the metric another name"
    if np.isinf(high):
        return f"whose scores are 0 or more: {rename}"
    return f"whose scores are 0 to {high:g}: divide percentages by 100, correct the score, or {rename}"
