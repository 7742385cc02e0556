"""Aggregates over tasks: each but Bradley-Terry is a weighted sum of what a score earns on its task.

Scores have the shape (model, task); NaN is a hole: the model was not run on the task.
"""

import numpy as np
from scipy.special import ndtr

from irmeta.choices import Aggregate
from irmeta.stats.arrays import Floats, Ints
from irmeta.stats.rankings.ranks import tied_ranks


def task_points(scores: Floats, kind: Aggregate) -> Floats:
    """Return what each score earns on its task, of shape (model, task); holes earn NaN.

    mean, types : the score itself.  standardized : the normal distribution function of its z among the models that have
    the task; 0.5 where they score alike (Webber, Moffat and Zobel, SIGIR 2008).  borda, bt : the number of the models
    that have the task which it beats, ties counting half.

    >>> task_points(np.array([[0.9], [0.5], [np.nan], [0.5]]), "borda").ravel().tolist()
    [2.0, 0.5, nan, 0.5]
    """
    if kind == "standardized":
        return _standardized(scores)
    if kind in ("borda", "bt"):
        return _count_beaten(scores)
    return scores


def _standardized(scores: Floats) -> Floats:
    """Apply the normal distribution function to (score - mean) / deviation of each task."""
    present = np.isfinite(scores)
    count = present.sum(axis=0)
    # mean and deviation over the models that have the task
    total = np.where(present, scores, 0.0).sum(axis=0)
    mean = total / np.maximum(count, 1)
    squares = np.where(present, scores - mean, 0.0) ** 2
    sd = np.sqrt(squares.sum(axis=0) / np.maximum(count - 1, 1))
    # where models score alike only rounding is left: z = 0
    alike = sd <= 1e-12 * np.abs(mean)
    unit = np.where(alike, 1.0, sd)
    z = (scores - mean) / unit
    z = np.where(alike, 0.0, z)
    return np.where(present, ndtr(z), np.nan)


def _count_beaten(scores: Floats) -> Floats:
    """Count on each task the models below, and half of those that tie: the average rank from below, less 1."""
    present = np.isfinite(scores)
    rising = tied_ranks(np.where(present, scores, np.inf).T).T
    # the first beats nobody
    return np.where(present, rising - 1, np.nan)


def weights(tasks: int, kind: Aggregate, types: Ints | None = None) -> Floats:
    """Return the weight of each task in the sum: the same for all, or for `types` the same for each type of task.

    types : the type of each task, a number from 0; for kind "types".

    >>> weights(3, "types", np.array([0, 0, 1])).tolist()
    [0.25, 0.25, 0.5]
    """
    if kind == "borda":
        return np.ones(tasks)
    if kind != "types" or types is None:
        return np.full(tasks, 1 / tasks)
    size = np.bincount(types)
    return np.asarray(1 / (np.count_nonzero(size) * size[types]))


def values(scores: Floats, kind: Aggregate, types: Ints | None = None) -> Floats:
    """Return the value of each model, (model,), the larger the better.

    mean, types and standardized have none (NaN) for a model with a hole. borda is that of MTEB: on each task a model
    earns the number of *all* models less its rank among those that have it, and nothing on a task that it lacks.

    >>> values(np.array([[0.9, 0.8], [0.5, np.nan]]), "mean").round(3).tolist()
    [0.85, nan]
    >>> values(np.array([[0.9, 0.8], [0.5, np.nan]]), "borda").tolist()
    [2.0, 0.0]
    """
    if kind == "borda":
        absent = np.isnan(scores).sum(axis=0)
        # models - rank = those it beats + those absent
        return np.nansum(task_points(scores, kind) + absent, axis=1)
    weighted = task_points(scores, kind) * weights(scores.shape[1], kind, types)
    return np.asarray(weighted.sum(axis=1))


def parts(scores: Floats, kind: Aggregate, types: Ints | None = None) -> Floats:
    """Return what each task adds to a comparison of two models that both have it, of shape (model, task).

    The mean of a row is the model's value where nothing is missing (for borda: its share of the votes).
    """
    tasks = scores.shape[1]
    if kind == "borda":
        others = np.maximum(np.isfinite(scores).sum(axis=0) - 1, 1)
        return task_points(scores, kind) / others
    return task_points(scores, kind) * weights(tasks, kind, types) * tasks
