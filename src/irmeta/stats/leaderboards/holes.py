"""What holes decide: the best and the worst rank that a model's missing scores, and those of others, allow."""

from typing import NamedTuple

import numpy as np

from irmeta.choices import Aggregate
from irmeta.stats.arrays import Bools, Floats, Ints, settled
from irmeta.stats.leaderboards.aggregates import task_points, weights

APART = 10
"""Scores whose highest values differ by this factor, as 1 and 100 do, are on different scales."""


class Bounds(NamedTuple):
    """The best and the worst rank of each model, (model,), ranks from 1; equal where nothing is missing."""

    best: Ints
    worst: Ints


def scale(scores: Floats) -> tuple[Floats, Floats]:
    """Return the lowest and the highest score that each task can have, (task,), judged by what is seen on it.

    The highest is 1, or 100 where some score of the task exceeds 1, or the highest seen where some exceeds 100. The
    lowest is 0, or minus the highest on a task with a score below 0.

    >>> low, high = scale(np.array([[0.2, -0.1, 35.0], [0.4, np.nan, 60.0]]))
    >>> low.tolist(), high.tolist()
    ([0.0, -1.0, 0.0], [1.0, 1.0, 100.0])
    """
    highest = np.nanmax(np.abs(scores), axis=0)
    top = np.where(highest <= 1, 1.0, np.maximum(highest, 100.0))
    below = np.nanmin(scores, axis=0) < 0
    return np.where(below, -top, 0.0), top


def on_larger_scale(scores: Floats) -> Bools:
    """Say which tasks have a scale that is `APART` times as long as that of another task, or longer: (task,).

    >>> on_larger_scale(np.array([[0.2, 35.0], [0.4, 60.0]])).tolist()
    [False, True]
    """
    _, top = scale(scores)
    return np.asarray(top >= APART * top.min())


def bounds(
    scores: Floats,
    kind: Aggregate,
    limits: tuple[Floats, Floats],
    types: Ints | None = None,
) -> Bounds:
    """Return the ranks that every filling of the holes with scores within `limits` leaves to each model.

    scores : (model, task), NaN where missing.  limits : lowest and highest score of each task, (task,).
    Each end is reached by a filling for mean and types; for the others the true rank lies within, and the ends may be
    beyond reach. standardized keeps the means and deviations of the scores that there are. bt ranks a table without
    holes as borda does (total wins are sufficient): its bounds are the same.
    """
    if kind in ("borda", "bt"):
        return _borda_bounds(scores)
    tasks = scores.shape[1]
    if kind == "standardized":
        within = (np.zeros(tasks), np.ones(tasks))
    else:
        within = limits
    known = task_points(scores, kind)
    weight = weights(tasks, kind, types)
    absent = np.isnan(known)
    low, high = (
        settled((np.where(absent, end, known) * weight).sum(axis=1)) for end in within
    )
    rising_low = np.sort(low)
    rising_high = np.sort(high)
    # others' worst beats my best
    surely_above = len(low) - np.searchsorted(rising_low, high, side="right")
    # my worst beats others' best
    surely_below = np.searchsorted(rising_high, low, side="left")
    return Bounds(1 + surely_above, len(low) - surely_below)


def _borda_bounds(scores: Floats) -> Bounds:
    """Bound Borda's ranks: add up over tasks the least that one model can lead another by."""
    models = len(scores)
    votes = task_points(scores, "borda")
    least = np.zeros((models, models))
    for column in votes.T:
        least += _least_lead(column)
    surely = settled(least) > 0
    return Bounds(1 + surely.sum(axis=0), models - surely.sum(axis=1))


def _least_lead(votes: Floats) -> Floats:
    """Return the least that the row's model can lead the column's by on one task: (model, model).

    Absent models may end up anywhere. Between two that are present they only widen the lead of the better one. A model
    that is present beats at least those it has beaten; an absent one may beat everybody, or nobody.
    """
    models = len(votes)
    absent = np.isnan(votes)
    held = np.where(absent, 0.0, votes)
    missing = int(absent.sum())
    lead = held[:, None] - held
    lead -= missing * (lead < 0)
    # Against an absent model, which may come first; and as an absent one, which may come last.
    lead[:, absent] = (held - (models - 1))[:, None]
    lead[absent] = -(held + missing)
    lead[np.ix_(absent, absent)] = 1.0 - models
    return np.asarray(lead)
