"""Differences by topic between a system and its baselines."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import xarray as xr

from irmeta.errors import ScoresError
from irmeta.stats.arrays import Floats, Ints
from irmeta.stats.tests import paired

MEDIAN, BEST, ALL = "median", "best", "all"
"""Baselines that are not systems of the collection: its topic-wise median, its best other system, every other one."""


class Differences(NamedTuple):
    """How a system's scores differ from those of its baselines.

    values : (against, topic, metric).  theirs : the scores of the baselines, of the same shape.
    who : whose scores these are, by baseline and metric.
    """

    values: Floats
    theirs: Floats
    who: list[list[str]]


def differences(
    line: xr.DataArray, system: str, others: Sequence[str], names: Sequence[str]
) -> Differences:
    """Compare a system with baselines, by topic.

    line : scores that can be averaged.  others : every other system.  names : the baselines.
    """
    mine = line.sel(system=system).transpose("topic", "metric").values
    values = line.sel(system=list(others)).transpose("system", "topic", "metric").values
    rows, who = [], []
    for name in names:
        if name in others:
            rows.append(values[others.index(name)])
            who.append([name] * values.shape[2])
        elif name == MEDIAN:
            none = np.isnan(values).all(axis=0)  # topics that all others lack
            median = np.nanmedian(np.where(none, 0.0, values), axis=0)
            rows.append(np.where(none, np.nan, median))
            who.append([MEDIAN] * values.shape[2])
        else:
            best = _best_systems(values)  # (metric,)
            rows.append(
                np.stack([values[at, :, m] for m, at in enumerate(best)], axis=1)
            )
            who.append([others[at] for at in best])
    theirs = np.stack(rows)
    return Differences(paired.less(mine, theirs), theirs, who)


def _best_systems(values: Floats) -> Ints:
    """Return the system of the best mean by each metric, from (system, topic, metric); one that misses topics is none.

    A mean over other topics does not compare.
    """
    means = values.mean(axis=1)
    if np.isnan(means).all(axis=0).any():
        raise ScoresError(
            "no other system has scores on all topics, so there is no best one; name systems "
            "in --against"
        )
    return np.asarray(np.nanargmax(means, axis=0))
