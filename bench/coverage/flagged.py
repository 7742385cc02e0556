"""Promises about how differences change when flagged topics go, where these are unlike the others."""

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from bench.coverage.frame import AWAY, Entry
from bench.coverage.worlds import (
    UNTIED,
    Cases,
    in_all,
    in_hard,
    in_ranked_worlds,
    in_worlds,
    rare_worlds,
)
from irmeta.datasets.like import World
from irmeta.stats.tests.flagged import half_width

FLAGGED = (5, 10, 20)
"""Numbers of flagged topics, which a case has for its topics."""
OTHERS = 50
"""Topics that stay."""
HARD = 0.2
"""The share of trivial topics that are like the others after all."""
NAME, _MISSES = "change without {} topics", "95% intervals of changes held in"
Kind = Callable[
    [np.ndarray, np.ndarray, np.random.Generator], tuple[np.ndarray, np.ndarray]
]
"""From scores (system, topic) and true means to the scores of flagged topics and the true means there."""


def _contaminated(
    scores: np.ndarray, means: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Make the first system perfect on a random half of the topics, whose answers it has seen."""
    scores, means = scores.copy(), means.copy()
    scores[0, rng.random(scores.shape[1]) < 0.5] = 1
    means[0] += (1 - means[0]) / 2
    return scores, means


def _trivial(
    scores: np.ndarray, means: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Make every system perfect on all but a few of the topics."""
    trivial = rng.random(scores.shape[1]) >= HARD
    return np.where(trivial, 1, scores), 1 - HARD * (1 - means)


def _change(
    kind: Kind, world: World, scores: np.ndarray, rng: np.random.Generator
) -> Mapping[str, object]:
    """In what share the intervals of changes of differences from the first system hold."""
    means = world.means[:, 0]
    others = world.scores(OTHERS, rng)[..., 0]
    on_flagged, there = kind(scores, means, rng)
    scores = np.concatenate([on_flagged, others], axis=1)
    flagged = np.arange(scores.shape[1]) < on_flagged.shape[1]
    found = scores[0] - scores[1:]
    change = found[:, ~flagged].mean(axis=1) - found.mean(axis=1)
    gap = flagged.mean() * (means - there)
    away = change - (gap[0] - gap[1:])
    half = half_width(found, flagged)
    # a difference that is the same on every topic has no interval, and nothing is promised of it
    missed = np.abs(away) > half + 1e-12
    return {"kept": 1 - missed.mean(), "width": 2 * half[half > 0].mean(), AWAY: away}


def _cases(kind: Kind) -> Cases:
    check = partial(_change, kind)
    return in_all(
        in_worlds(check, UNTIED, FLAGGED),
        in_hard(check, ("differ",), sizes=FLAGGED),
        in_ranked_worlds(check, rare_worlds, FLAGGED),
    )


ENTRIES = [
    Entry(NAME.format(name), 0.95, 0.60, _cases(kind), 300, 40, _MISSES)
    for name, kind in (("contaminated", _contaminated), ("trivial", _trivial))
]
