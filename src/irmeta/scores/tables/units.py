"""Whether systems have scores in one unit: a share of 1 beside a percentage is a slip that nothing else shows."""

from collections.abc import Mapping

import numpy as np
import xarray as xr

from irmeta.metrics.names import STANDARDIZED, is_known
from irmeta.scores.notes import Act
from irmeta.stats.arrays import Bools, Floats, Ints
from irmeta.words import decimal, listed, shortened

HUNDREDFOLD = 10, 1000
"""Scores about a hundred times those of most systems are between these times theirs."""
NEARLY_ALL = 0.9
"""The share of its topics on which the scores of a system in another unit are a hundredfold, or a hundredth."""
ENOUGH = 5
"""Topics from which on a hundredfold is no accident; of fewer, scores must be beyond 1, where those of most are not."""


def in_other_unit(
    cubes: Mapping[str, xr.DataArray],
) -> dict[str, tuple[float, float, str]]:
    """Return the systems whose scores seem to be in another unit: own mean, that of most on these topics, metric."""
    doubted: dict[str, tuple[float, float, str]] = {}
    for scores in cubes.values():
        for metric in scores.metric.values:
            table = scores.sel(metric=metric)
            usual = _of_most(table.values)
            own_mean, usual_mean = _means(table.values), _means(usual)
            apart, topics = _hundredfold(table.values, usual)
            beyond = (own_mean > 1) != (usual_mean > 1)
            # gains of a metric that irmeta knows may be beyond 1
            known = is_known(str(metric)) or str(metric).endswith(STANDARDIZED)
            apart &= (topics >= ENOUGH) | (beyond & (not known))
            for at in np.flatnonzero(apart):
                name = str(table.system.values[at])
                doubted.setdefault(name, (own_mean[at], usual_mean[at], str(metric)))
    return doubted


def unit_doubts(cubes: Mapping[str, xr.DataArray]) -> list[str]:
    """Say whose scores seem to be in another unit than those of most systems on the same topics, if any seem so."""
    doubted = in_other_unit(cubes)
    if not doubted:
        return []
    names = list(doubted)
    own, of_most, by = doubted[names[0]]
    first = shortened(names[0])
    others = listed(names[1:], 3)
    also = f"; so may those of {others}" if others else ""
    mend = "Multiply" if own < of_most else "Divide"
    return [
        Act(
            f"The scores of {first} may be in another unit: {decimal(own)} by {shortened(by)} on average, where most "
            f"systems have {decimal(of_most)} on the same topics{also}. {mend} them by 100, or leave these systems out."
        )
    ]


def _of_most(table: Floats) -> Floats:
    """Return the median of all systems on the topics that each has: (system, topic), NaN where a score is missing."""
    middle = np.full(table.shape[1], np.nan)
    scored = np.isfinite(table).any(axis=0)
    middle[scored] = np.nanmedian(table[:, scored], axis=0)
    return np.where(np.isfinite(table), middle, np.nan)


def _means(table: Floats) -> Floats:
    """Return the mean score of each system, 0 without any."""
    return np.nansum(table, axis=1) / np.fmax(np.isfinite(table).sum(axis=1), 1)


def _hundredfold(table: Floats, usual: Floats) -> tuple[Bools, Ints]:
    """Mark the systems a hundred times as good as most on nearly all topics, or a hundredth; and count their topics."""
    low, high = HUNDREDFOLD
    times = np.zeros(table.shape)
    np.divide(table, usual, where=usual > 0, out=times)
    above = (times >= low) & (times <= high)
    below = (times >= 1 / high) & (times <= 1 / low)
    apart = np.fmax(above.sum(axis=1), below.sum(axis=1))
    topics = np.isfinite(table).sum(axis=1)
    return (topics > 0) & (apart >= NEARLY_ALL * topics), topics
