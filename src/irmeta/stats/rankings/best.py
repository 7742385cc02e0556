"""The best of many runs: what the best of as many equal ones reaches, and an interval that knows of the choice."""

from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

from irmeta.stats.arrays import Floats

DRAWS = 4000
"""Random signs of the topics; the same ones each time, so that the same scores give the same answer."""


class Best(NamedTuple):
    """The best of some runs: its place, and means.

    mean : of the best. chance, chance_high : what the best of as many runs of one true mean reaches, on average and in
    95% of draws. low, high : of the true mean of the run that was chosen for being the best.
    """

    place: int
    mean: float
    chance: float
    chance_high: float
    low: float
    high: float


def best(scores: Floats, level: float = 0.95) -> Best:
    """Compare the best of some runs with chance. scores : (run, topic), all known, 2 topics or more.

    With residuals d = s - mean(s) of each run, and the same random signs e_t for all runs:
        errors = sum(e_t d) / n sqrt(n / (n - 1))              their noise and its correlation between runs
        chance = mean of all runs + max over runs of (error - mean error)
        low    = best - q se, q the (1 + level) / 2 quantile of the largest t of all runs
        high   = best + t((1 + level) / 2, n - 1) se           to be chosen makes a run look better, never worse
    """
    topics = scores.shape[1]
    means = scores.mean(axis=1)
    place = int(means.argmax())
    deviations = scores - means[:, None]
    error = scores.std(axis=1, ddof=1) / np.sqrt(topics)
    signs = np.random.default_rng(0).choice([-1.0, 1.0], size=(DRAWS, topics))
    sums = signs @ deviations.T / topics
    errors = sums * np.sqrt(topics / (topics - 1))
    largest = (errors - errors.mean(axis=1, keepdims=True)).max(axis=1)
    # a sum of signed residuals has the squares of the residuals, and a mean of its own
    squares = (deviations**2).mean(axis=1) - sums**2
    spread = np.sqrt(np.maximum(squares, 0) / (topics - 1))
    t = np.divide(sums, spread, out=np.zeros_like(sums), where=spread > 1e-12)
    t_of_one = float(stdtrit(topics - 1, (1 + level) / 2))
    t_of_largest = max(t_of_one, float(np.quantile(t.max(axis=1), (1 + level) / 2)))
    middle, top = float(means.mean()), float(means[place])
    return Best(
        place,
        top,
        middle + float(largest.mean()),
        middle + float(np.quantile(largest, 0.95)),
        top - t_of_largest * float(error[place]),
        top + t_of_one * float(error[place]),
    )
