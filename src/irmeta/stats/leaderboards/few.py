"""Which few tasks rank models as all do: chosen one after the other, and checked on other models."""

from typing import NamedTuple

import numpy as np

from irmeta.stats.arrays import Floats, settled
from irmeta.stats.rankings.rank import tau_b

MOST = 10
"""Tasks that are chosen at most."""
HALVES = 30
"""Random halves of the models: one chooses tasks, the other says what they are worth."""
LARGEST = 100
"""Models that choose, or say what a choice is worth, at most: of more, some drawn at random."""


class Few(NamedTuple):
    """Tasks in the order of their choice, and tau between the ranking by as many tasks and by all.

    tasks : (step,), positions.  chosen_on : (step,), of these tasks, on the models that chose them.
    others : (half, step), of the tasks that one half of the models chose, on the other half; NaN where all tie.
    """

    tasks: list[int]
    chosen_on: Floats
    others: Floats


def choose_few_tasks(scores: Floats, rng: np.random.Generator) -> Few:
    """Choose up to `MOST` tasks greedily from scores (model, task) without holes, 8 models or more.

    Each step takes the task with which the mean over the chosen ones ranks models most as the mean over all tasks does
    (Kendall's tau-b). Halves of the models choose in the same way, and the other half, not looked at, says what such
    a choice is worth.

    >>> choose_few_tasks(np.array([[i / 9, (i * 7 % 9) / 20] for i in range(9)]), np.random.default_rng(0)).tasks
    [0]
    """
    tasks, chosen_on = _choose_greedily(scores)
    others = [
        _tau_elsewhere(scores, rng.permutation(len(scores))) for _ in range(HALVES)
    ]
    return Few(tasks, chosen_on, np.array(others))


def _tau_elsewhere(scores: Floats, models: np.ndarray) -> Floats:
    """Return tau by number of tasks on the second half of the models, of tasks that the first half chose."""
    half = len(models) // 2
    first = scores[models[:half][:LARGEST]]
    second = scores[models[half:][:LARGEST]]
    tasks = _choose_greedily(first)[0]
    so_far = settled(second[:, tasks].cumsum(axis=1))
    return tau_b(so_far.T, settled(second.mean(axis=1)))


def _choose_greedily(scores: Floats) -> tuple[list[int], Floats]:
    """Choose tasks one after the other; return them, and tau after each, NaN where there is none."""
    whole = settled(scores.mean(axis=1))
    left = list(range(scores.shape[1]))
    chosen: list[int] = []
    taus: list[float] = []
    while left and len(chosen) < min(MOST, scores.shape[1] - 1):
        agreement = _tau_with_each(scores, chosen, left, whole)
        best = int(np.argmax(np.nan_to_num(agreement, nan=-1.0)))
        chosen.append(left.pop(best))
        taus.append(float(agreement[best]))
    return chosen, np.array(taus)


def _tau_with_each(
    scores: Floats, chosen: list[int], left: list[int], whole: Floats
) -> Floats:
    """Return tau between the ranking by all tasks and that by the chosen ones and each one left."""
    so_far = scores[:, chosen].sum(axis=1)
    # the mean over the chosen tasks and each other one: (model, candidate)
    means = (so_far[:, None] + scores[:, left]) / (len(chosen) + 1)
    return tau_b(settled(means).T, whole)
