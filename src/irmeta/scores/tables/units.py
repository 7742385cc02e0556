"""Whether systems have scores in one unit: a share of 1 beside a percentage is a slip that nothing else shows."""

from collections.abc import Mapping

import numpy as np
import xarray as xr

from irmeta.metrics.names import STANDARDIZED, is_known
from irmeta.scores.notes import Act
from irmeta.stats.arrays import Bools, Floats
from irmeta.words import listed, shortened

APART = 10
"""Scores that are this many times those of most others are on another scale."""


def unit_doubts(cubes: Mapping[str, xr.DataArray]) -> list[str]:
    """Say whose scores seem to be in another unit than those of most systems on the same topics, if any seem so.

    A metric that irmeta knows has one unit.
    """
    doubted: dict[str, tuple[float, float, str]] = {}  # own mean, that of most, metric
    for scores in cubes.values():
        for metric in scores.metric.values:
            if is_known(str(metric)) or str(metric).endswith(STANDARDIZED):
                continue
            table = scores.sel(metric=metric)
            own, usual = _beside_most(table.values)
            for at in np.flatnonzero(_in_another_unit(own, usual)):
                name = str(table.system.values[at])
                doubted.setdefault(name, (own[at], usual[at], str(metric)))
    if not doubted:
        return []
    names = list(doubted)
    own_mean, usual_mean, by = doubted[names[0]]
    first = shortened(names[0])
    others = listed(names[1:], 3)
    also = f"; so may those of {others}" if others else ""
    return [
        Act(
            f"The scores of {first} may be in another unit: {own_mean:.3g} by {shortened(by)} on average, where most "
            f"systems have {usual_mean:.3g} on the same topics{also}. Bring percentages and shares of 1 to one unit, "
            "or leave these systems out."
        )
    ]


def _beside_most(table: Floats) -> tuple[Floats, Floats]:
    """Return each system's mean, and that of the medians of all systems on the topics that it has: (system,) each.

    table : (system, topic); NaN where a score is missing. Where no score is above 1, or one is below -1, all are NaN.
    """
    highest = np.fmax.reduce(table, axis=None, initial=-np.inf)
    lowest = np.fmin.reduce(table, axis=None, initial=np.inf)
    if highest <= 1 or lowest < -1 or len(table) < 2:
        unknown = np.full(len(table), np.nan)
        return unknown, unknown
    scored = table[:, np.isfinite(table).any(axis=0)]
    usual = np.where(np.isfinite(scored), np.nanmedian(scored, axis=0), np.nan)
    # a system without any score has no mean
    has = np.isfinite(scored).any(axis=1)
    own = np.full(len(table), np.nan)
    of_most = own.copy()
    own[has] = np.nanmean(scored[has], axis=1)
    of_most[has] = np.nanmean(usual[has], axis=1)
    return own, of_most


def _in_another_unit(own: Floats, usual: Floats) -> Bools:
    """Mark the systems far above or below most, if the higher are above 1 and the lower are not."""
    above = (own > 1) & (usual <= 1) & (own >= APART * usual) & (usual > 0)
    below = (own <= 1) & (usual > 1) & (usual >= APART * own) & (own > 0)
    return above | below
