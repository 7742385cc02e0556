"""Promises about differences: intervals of all pairs, from a baseline, and of a system from itself on other topics."""

from collections.abc import Callable, Mapping
from functools import cache, partial

import numpy as np

from bench.coverage.frame import AWAY, Entry
from bench.coverage.systems import DRAWS
from bench.coverage.worlds import (
    SIZES,
    TIED,
    TIES,
    UNTIED,
    Cases,
    Check,
    in_all,
    in_hard,
    in_ranked_worlds,
    in_worlds,
    rare_worlds,
)
from irmeta.datasets.like import World
from irmeta.stats.standardizing import comparability
from irmeta.stats.tests import paired, resampling, stepdown
from irmeta.stats.tests.compared import Compared, Given, Pairs
from irmeta.stats.tests.comparing import Way, compare

Half = Callable[[np.ndarray, np.random.Generator], np.ndarray]
"""From scores (system, topic) and a generator to half the widths of the intervals of all differences."""


def _by_tukey(scores: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return resampling.tukey(Pairs(scores), DRAWS, rng).half


def _student(compared: Compared, correct: str) -> np.ndarray:
    way = Way("t", correct, 0.05, None, DRAWS)
    found = compare(compared, way, np.random.default_rng(0))
    return (found["high"] - found["low"]) / 2


def _by_bonferroni(scores: np.ndarray, _: np.random.Generator) -> np.ndarray:
    return _student(Pairs(scores), "bonferroni")


def _differences(
    half: Half,
    top: float,
    world: World,
    scores: np.ndarray,
    rng: np.random.Generator,
) -> Mapping[str, float]:
    """Whether the intervals of all differences of the best systems hold at once."""
    best = np.argsort(-scores.mean(axis=1), kind="stable")[: int(top * len(scores))]
    used, truth = np.ascontiguousarray(scores[best]), world.means[best, 0]
    left, right = np.triu_indices(len(used), 1)
    error = (used.mean(axis=1) - truth)[left] - (used.mean(axis=1) - truth)[right]
    width = half(used, rng)
    # a difference that is the same on every topic has no interval, and nothing is promised of it
    missed = np.abs(error) > width + 1e-12
    mean = 2 * np.nanmean(width) if np.isfinite(width).any() else np.nan
    return {"kept": not missed.any(), "width": mean, AWAY: np.abs(error).max()}


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


def _from_baseline(
    world: World, scores: np.ndarray, rng: np.random.Generator, *, dunnett: bool
) -> Mapping[str, float]:
    """Whether the intervals of all differences from the median system hold at once."""
    truth = world.means[:, 0]
    baseline = int(np.argsort(truth)[len(truth) // 2])
    found = np.delete(scores[baseline] - scores, baseline, axis=0)
    true = np.delete(truth[baseline] - truth, baseline)
    if dunnett:
        half = resampling.dunnett(Given(found), DRAWS, rng).half
    else:
        half = _student(Given(found), "bonferroni")
    off = np.abs(found.mean(axis=1) - true)
    missed = off > half + 1e-12
    return {"kept": not missed.any(), "width": 2 * np.nanmean(half), AWAY: off.max()}


def _dunnett(
    _: World, scores: np.ndarray, rng: np.random.Generator
) -> Mapping[str, float]:
    return {
        "kept": (
            resampling.dunnett(Given(scores[0] - scores[1:]), DRAWS, rng).p < 0.05
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


_MISSES = "intervals all held at once in"
"""What the notes of `significance` and `versus` say where a promise may not be kept."""
_ALL, _FROM = "all differences at once", "differences from a baseline at once"
_TREC = (*UNTIED, *TIES)


def _of(half: Half, top: float = 1.0) -> Check:
    return partial(_differences, half, top)


def _warned(name: str, bound: float, cases: Cases) -> Entry:
    """Promise intervals at once, of which the output says how often they hold."""
    return Entry(name, 0.95, bound, cases, 400, 40, _MISSES)


_SINGLE = in_all(
    in_worlds(_by_itself),
    in_hard(_by_itself, ("differ", "shapes")),
    in_ranked_worlds(_by_itself, rare_worlds, (5, *SIZES)),
)
_BY_T, _BY_DUNNETT = (
    in_worlds(partial(_from_baseline, dunnett=dunnett)) for dunnett in (False, True)
)

ENTRIES = [
    Entry("a difference by itself", 0.95, 0.85, _SINGLE),
    _warned(f"{_ALL}, Bonferroni's t", 0.40, in_worlds(_of(_by_bonferroni))),
    _warned(
        f"{_ALL}, Bonferroni's t, best 75%",
        0.80,
        in_worlds(_of(_by_bonferroni, 0.75), _TREC),
    ),
    _warned(f"{_ALL}, Tukey", 0.80, in_worlds(_of(_by_tukey))),
    _warned(f"{_FROM}, Bonferroni's t", 0.70, _BY_T),
    _warned(f"{_FROM}, Dunnett", 0.65, _BY_DUNNETT),
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
