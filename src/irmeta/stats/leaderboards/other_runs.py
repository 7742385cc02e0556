"""Models that are means of several runs: what other runs would do to the value of a model under any aggregate."""

import numpy as np

from irmeta.choices import Aggregate
from irmeta.stats.arrays import Floats, Ints
from irmeta.stats.halves.repeats import mean_along, variance_over_topics
from irmeta.stats.leaderboards.aggregates import parts, task_points
from irmeta.stats.leaderboards.bradley_terry import Strengths

DRAWS = 200
"""Draws of other runs: variances are within a tenth, intervals within a twentieth."""


def variance_added(
    runs: Floats,
    scores: Floats,
    kind: Aggregate,
    rng: np.random.Generator,
    types: Ints | None = None,
    model: Strengths | None = None,
) -> Floats:
    """Return what other runs add to the variance of each model's value, (model,), from what they add to its mean.

    runs : (model,), added to the variance of the mean score.  scores : (model, task).  model : for bt.
    A level moves the mean of scores, or of types, as much as each score; what it does to other values is drawn.

    >>> table = np.array([[0.2, 0.4], [0.3, 0.9]])
    >>> variance_added(np.array([0.01, 0.0]), table, "mean", np.random.default_rng(0)).tolist()
    [0.01, 0.0]
    """
    if kind in ("mean", "types"):
        return runs
    levels = rng.normal(size=(DRAWS, len(runs), 1)) * np.sqrt(runs)[:, None]
    now = _mean_value(scores, kind, types, model)
    moved = np.stack(
        [_mean_value(scores + level, kind, types, model) - now for level in levels]
    )
    beside = moved - moved.mean(axis=1, keepdims=True)
    # taking the mean of all models away leaves 1 - 1/models of the variance
    variance: Floats = beside.var(axis=0) / (1 - 1 / len(runs))
    return np.where(runs > 0, variance, 0.0)


def scattered(compared: Floats, added: Floats) -> Floats:
    """Return what tasks add to values, (model, task), moved about its means so that it scatters as other runs do, too.

    added : (model,), to the variance of each value. Means of models and tasks stay; see `halves.repeats.widened`.
    """
    over = variance_over_topics(compared[..., None])[:, 0]
    factor = np.sqrt(
        1 + np.divide(added, over, out=np.zeros_like(over), where=over > 0)
    )
    own = compared - mean_along(compared, 1)
    of_task = mean_along(own, 0)
    moved = factor[:, None] * (own - of_task)
    return np.asarray(compared - own + of_task + moved - mean_along(moved, 0))


def _mean_value(
    scores: Floats, kind: Aggregate, types: Ints | None, model: Strengths | None
) -> Floats:
    """Return each model's value, the mean over the tasks that it has; of bt a Newton step away."""
    if model is None:
        return mean_along(parts(scores, kind, types), 1)[:, 0]
    won = np.nansum(task_points(scores, kind), axis=1)
    return model.after(won)
