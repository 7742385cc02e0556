"""Promises about differences: each by itself, of one system from others, and from itself on other topics."""

from collections.abc import Mapping
from functools import cache

import numpy as np

from bench.coverage.frame import AWAY, Entry
from bench.coverage.systems import DRAWS
from bench.coverage.worlds import (
    SIZES,
    TIED,
    in_all,
    in_hard,
    in_ranked_worlds,
    in_worlds,
    rare_worlds,
)
from irmeta.datasets.like import World
from irmeta.stats.standardizing import comparability
from irmeta.stats.tests import paired, resampling, stepdown
from irmeta.stats.tests.compared import Given, Pairs
from irmeta.stats.tests.comparing import Way, compare


def _by_itself(
    world: World, scores: np.ndarray, rng: np.random.Generator
) -> Mapping[str, float]:
    """Return the share of differences that lie in their interval, as `versus` and `significance` print it."""
    way = Way("t", "none", 0.05, None, DRAWS)
    binary = bool(np.isin(scores, (0, 1)).all())
    found = compare(Pairs(scores), way, rng, binary=binary)
    truth = paired.differences(world.means[:, :1])[:, 0]
    missed = (truth < found["low"] - 1e-12) | (truth > found["high"] + 1e-12)
    return {
        "kept": 1 - missed.mean(),
        "width": np.nanmean(found["high"] - found["low"]),
        AWAY: found["difference"] - truth,
    }


def _dunnett(
    _: World, scores: np.ndarray, rng: np.random.Generator
) -> Mapping[str, float]:
    return {
        "kept": (
            resampling.dunnett(Given(scores[0] - scores[1:]), DRAWS, rng) < 0.05
        ).any()
    }


def _one_of(
    _: World, scores: np.ndarray, rng: np.random.Generator
) -> Mapping[str, float]:
    found = paired.less(scores[0], scores[1:])
    p = stepdown.of_differences(found, DRAWS, rng)
    return {"kept": (p <= 0.05).any()}


@cache
def _expected_drmse(world: World, topics: int) -> float:
    """Compute the mean dRMSE between two samples of so many topics."""
    rng = np.random.default_rng(0)
    means = [world.scores(topics, rng)[..., 0].mean(axis=1) for _ in range(200)]
    return float(
        comparability.drmse(np.array(means[::2]), np.array(means[1::2])).mean()
    )


def _on_other_topics(
    world: World, scores: np.ndarray, rng: np.random.Generator
) -> Mapping[str, float]:
    """Test systems against themselves on other topics; beside it what dRMSE says of all together."""
    other = world.scores(scores.shape[1], rng)[..., 0]
    _, _, p = comparability.own_difference(scores, other)
    usual, _ = comparability.repartition(scores, other, 200, rng)
    observed = comparability.drmse(scores.mean(axis=1), other.mean(axis=1))
    low, high = comparability.drmse_interval(scores, other)
    return {
        "kept": (p < 0.05).mean(),
        "dRMSE beyond random splits": observed > np.quantile(usual, 0.95),
        "dRMSE interval": low <= _expected_drmse(world, scores.shape[1]) <= high,
    }


_SINGLE = in_all(
    in_worlds(_by_itself),
    in_hard(_by_itself, ("differ", "shapes")),
)
_RARE = in_ranked_worlds(_by_itself, rare_worlds, (5, *SIZES))
ENTRIES = [
    Entry("a difference by itself", 0.95, 0.85, _SINGLE),
    Entry("a difference of scores of 0 and 1", 0.95, 0.92, _RARE),
    Entry("Dunnett's test", 0.05, 0.07, in_worlds(_dunnett, TIED)),
    Entry(
        "max-t test of one against others",
        *(0.05, 0.07),
        in_all(in_worlds(_one_of, TIED), in_hard(_one_of, ("equal", "shapes"))),
    ),
    Entry(
        "a system against itself on other topics",
        *(0.05, 0.07),
        in_worlds(_on_other_topics),
    ),
]
