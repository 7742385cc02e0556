"""Bradley and Terry's model of who beats whom: on each task, each model meets every other that has the task."""

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components
from scipy.special import expit

from irmeta.errors import ScoresError
from irmeta.stats.arrays import Bools, Floats
from irmeta.stats.leaderboards.aggregates import task_points

STEPS = 100
"""Newton's method takes about 6."""
PRIOR = 0.1
"""Meetings that are added to every pair, won by half, where somebody wins or loses everything."""
LEAST = 3
"""Tasks that a model must have for its strength to have an error."""


class Strengths(NamedTuple):
    """Strengths, the log odds of beating an average model; their standard errors; and what each task adds.

    value, error : (model,).  parts : (model, task); their mean is `value`, their spread that of `error`. A model with
    fewer than `LEAST` tasks has no error and no parts (NaN).
    separated : somebody never loses (or a group never loses to the others), so that `PRIOR` was added.
    information : Fisher's, (model, model).
    """

    value: Floats
    error: Floats
    parts: Floats
    separated: bool
    information: Floats

    def after(self, won: Floats) -> Floats:
        """Return the strengths after one step of Newton's method towards `won` more wins, of shape (..., model)."""
        # strengths sum to 0, so that a constant may be added to the singular information
        solvable = self.information + 1 / len(self.value)
        steps = np.linalg.solve(solvable, np.atleast_2d(won).T).T
        steps = steps - steps.mean(axis=-1, keepdims=True)
        return np.asarray(self.value + steps.reshape(np.shape(won)))


def strengths(scores: Floats) -> Strengths:
    """Fit the strengths by maximum likelihood to scores of shape (model, task), NaN where a model lacks a task.

    P(i beats j) = 1 / (1 + exp(s_j - s_i)); a tie is half a win for both. The strengths' mean is 0. Errors are those of
    the sandwich estimator with one cluster a task: the meetings on one task are not independent. Sources: Bradley and
    Terry (Biometrika 1952); Hunter (Annals of Statistics 2004). Models that never met raise ScoresError.

    >>> strengths(np.array([[0.9, 0.2, 0.6, 0.7], [0.5, 0.4, 0.3, 0.1]])).value.round(4).tolist()
    [0.5493, -0.5493]
    """
    present = np.isfinite(scores).astype(np.float64)
    met = _shared_tasks(scores)
    if isolated(scores).any():
        raise ScoresError(
            "some models are not connected to the others by common tasks; leave them out"
        )
    won = np.nan_to_num(task_points(scores, "bt"))  # (model, task)
    separated = _is_separated(scores)
    # meetings of a prior with every other model, half of them won
    prior = PRIOR if separated else 0.0
    pairs = met + prior * (1 - np.eye(len(met)))
    value = _fit(pairs, won.sum(axis=1) + prior * (len(met) - 1) / 2)
    chance = expit(value[:, None] - value)  # P(row beats column)
    # one step of Newton's method per task: parts = value + T I^-1 (won - expected)
    information = _information(pairs, chance)
    score = won - _expected_wins(present, chance)
    score = score - score.mean(axis=0)
    tasks = scores.shape[1]
    # strengths sum to 0, so that a constant may be added to the singular information
    influence = np.linalg.solve(information + 1 / len(met), score)
    influence /= np.sqrt(1 - _leverage(present, chance))  # HC2
    influence -= influence.mean(axis=1, keepdims=True)
    influence[present.sum(axis=1) < LEAST] = np.nan
    # the sandwich, a cluster for each task: sum of squared influences
    error = np.sqrt((influence**2).sum(axis=1))
    return Strengths(
        value, error, value[:, None] + tasks * influence, separated, information
    )


def _fit(pairs: Floats, won: Floats) -> Floats:
    """Solve won_i = sum_j pairs_ij P(i beats j) by Newton's method; the mean of the solution is 0."""
    value = np.zeros(len(won))
    for _ in range(STEPS):
        chance = expit(value[:, None] - value)
        gradient = won - (pairs * chance).sum(axis=1)
        curvature = _information(pairs, chance) + 1 / len(won)
        step = np.linalg.solve(curvature, gradient)
        # no leap beyond what the curve can bear: 2 at most
        largest = max(np.abs(step).max(), 1e-300)
        value += step * min(1.0, 2.0 / largest)
        value -= value.mean()
        if np.abs(step).max() < 1e-10:
            return value
    raise ScoresError(
        "the Bradley-Terry strengths do not converge; leave out the aggregate bt"
    )


def _information(pairs: Floats, chance: Floats) -> Floats:
    """Return Fisher's information: the Laplacian of pairs x P(i beats j) P(j beats i)."""
    curve = pairs * chance * (1 - chance)
    return np.diag(curve.sum(axis=1)) - curve


def _expected_wins(present: Floats, chance: Floats) -> Floats:
    """Return how many of those present on a task each model should beat there, (model, task)."""
    centered = chance - 0.5 * np.eye(len(chance))  # nobody meets itself
    return np.asarray(present * (centered @ present))


def _leverage(present: Floats, chance: Floats) -> Floats:
    """Return the share of what is known of a model that comes from each task, (model, task), below 1.

    The fit follows the tasks that it leans on: influences are divided by sqrt(1 - leverage), as those of regression are
    in MacKinnon and White (Journal of Econometrics 1985), HC2.
    """
    curve = chance * (1 - chance)
    np.fill_diagonal(curve, 0.0)
    known = present * (curve @ present)
    share = known / np.maximum(known.sum(axis=1, keepdims=True), 1e-300)
    return np.asarray(np.minimum(share, 1 - 1e-9))


def _is_separated(scores: Floats) -> bool:
    """Say whether the models fall into groups of which one never loses to another."""
    beaten: Bools = np.zeros((len(scores), len(scores)), dtype=np.bool_)
    for column in scores.T:
        beaten |= column[:, None] >= column  # NaN beats nobody; a tie is half a win
    graph = csr_matrix(beaten.astype(np.int8))
    groups, _ = connected_components(graph, directed=True, connection="strong")
    return bool(groups > 1)


def isolated(scores: Floats) -> Bools:
    """Mark the models that no chain of common tasks connects with most of the others, from (model, task).

    >>> isolated(np.array([[0.9, np.nan], [0.5, np.nan], [np.nan, 0.2]])).tolist()
    [False, False, True]
    """
    linked = csr_matrix((_shared_tasks(scores) > 0).astype(np.int8))
    group = connected_components(linked, directed=False)[1]
    return np.asarray(group != np.bincount(group).argmax())


def _shared_tasks(scores: Floats) -> Floats:
    """Count the tasks that two models share, from (model, task); a model shares none with itself."""
    present = np.isfinite(scores).astype(np.float64)
    met = present @ present.T
    np.fill_diagonal(met, 0.0)
    return met
