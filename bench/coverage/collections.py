"""Promises about collections: expected tau, E rho^2 and Phi."""

from collections.abc import Mapping
from functools import cache, partial

import numpy as np

from bench.coverage.frame import Entry
from bench.coverage.worlds import UNTIED, in_worlds
from irmeta.datasets.like import World
from irmeta.stats.rankings.rank import settled, tau_a
from irmeta.stats.reliability import components, expected


def _expected_tau(world: World, scores: np.ndarray, rng: np.random.Generator) -> Mapping[str, float]:
    tau = float(tau_a(settled(world.means[:, 0]), settled(scores.mean(axis=1))))
    low, high = expected.tau_interval(scores, rng)
    error = expected.expected(expected.pairs(scores)).tau - tau
    return {"kept": low <= tau <= high, "width": high - low, "bias": error}


@cache
def _true_signals(world: World) -> dict[str, float]:
    """Return the true signal of both coefficients, from 4000 topics of the world."""
    found = components.components(world.scores(4000, np.random.default_rng(0))[..., 0])
    return {name: float(components.signal(found, name)) for name in ("erho2", "phi")}


def _coefficient(
    name: components.Coefficient, world: World, scores: np.ndarray, _: np.random.Generator
) -> Mapping[str, float]:
    topics = scores.shape[1]
    low, high = components.signal_interval(components.components(scores), name)
    ends = [float(components.stability(end, topics)) for end in (low, high)]
    return {"kept": low <= _true_signals(world)[name] <= high, "width": ends[1] - ends[0]}


ENTRIES = [
    Entry("tau with the true ranking", 0.95, 0.80, in_worlds(_expected_tau, UNTIED)),
    Entry("E rho2", 0.95, 0.70, in_worlds(partial(_coefficient, "erho2"))),
    Entry("Phi", 0.95, 0.80, in_worlds(partial(_coefficient, "phi"))),
]
