"""Which few tasks rank models as all do: chosen one after the other on half of the models, checked on the others."""

from typing import NamedTuple

import numpy as np

from irmeta.stats.arrays import Floats, settled
from irmeta.stats.rankings.rank import tau_b

MOST = 10
"""Tasks that are chosen at most."""


class Few(NamedTuple):
    """Tasks in the order of their choice, and tau between the ranking by the tasks so far and by all.

    tasks : (step,), positions.  chosen_on : (step,), of the models they were chosen on.  others : (step,), of the rest.
    """

    tasks: list[int]
    chosen_on: Floats
    others: Floats


def few(scores: Floats, rng: np.random.Generator) -> Few:
    """Choose up to `MOST` tasks greedily from scores (model, task) without holes, 8 models or more.

    Each step takes the task with which the mean over the chosen ones ranks half of the models most as the mean over all
    tasks does (Kendall's tau-b); the other half, not looked at, says what the choice is worth.

    >>> few(np.array([[i / 9, (i * 7 % 9) / 20] for i in range(9)]), np.random.default_rng(0)).tasks
    [0]
    """
    # half of the models choose the tasks, the others check the choice
    models = rng.permutation(len(scores))
    first = scores[np.sort(models[::2])]
    second = scores[np.sort(models[1::2])]
    whole = settled(first.mean(axis=1))
    check = settled(second.mean(axis=1))
    chosen: list[int] = []
    taus: list[tuple[float, float]] = []
    left = list(range(scores.shape[1]))
    while left and len(chosen) < min(MOST, scores.shape[1] - 1):
        agreement = _with_each(first, chosen, left, whole)
        best = int(np.argmax(agreement))
        chosen.append(left.pop(best))
        # tau of the same tasks on the models that did not choose
        of_others = settled(second[:, chosen].mean(axis=1))
        kept = float(tau_b(of_others, check))
        taus.append((float(agreement[best]), kept))
    on, others = np.array(taus).reshape(-1, 2).T
    return Few(chosen, on, others)


def _with_each(
    scores: Floats, chosen: list[int], left: list[int], whole: Floats
) -> Floats:
    """Return tau between the ranking by all tasks and that by the chosen ones and each one left; -1 without a tau."""
    so_far = scores[:, chosen].sum(axis=1)
    # the mean over the chosen tasks and each other one: (model, candidate)
    means = (so_far[:, None] + scores[:, left]) / (len(chosen) + 1)
    agreement = tau_b(settled(means).T, whole)
    return np.nan_to_num(agreement, nan=-1.0)
