"""Promises about collections: expected tau, E rho^2 and Phi."""

from collections.abc import Iterable, Mapping
from functools import cache, partial
from pathlib import Path

import numpy as np

from bench.coverage.frame import Case, Entry
from bench.coverage.worlds import UNTIED, in_populations, in_worlds
from irmeta.datasets.like import World
from irmeta.stats.rankings.rank import settled, tau_a
from irmeta.stats.reliability import components, expected
from irmeta.stats.reliability.intervals import signal_ends

FEW_AND_MANY = (5, 15, 40)
"""Numbers of systems that are drawn from a population."""


def _expected_tau(world: World, scores: np.ndarray, rng: np.random.Generator) -> Mapping[str, float]:
    tau = float(tau_a(settled(world.means[:, 0]), settled(scores.mean(axis=1))))
    low, high = expected.tau_interval(scores, rng)
    error = expected.expected(expected.pairs(scores)).tau - tau
    return {"kept": low <= tau <= high, "width": high - low, "bias": error}


@cache
def _true_signals(world: World) -> dict[str, float]:
    """Return the true signal of both coefficients, from many topics of the world."""
    topics = 4000 if len(world.systems) < 500 else 1000
    found = components.components(world.scores(topics, np.random.default_rng(0))[..., 0])
    return {name: float(components.signal(found, name)) for name in ("erho2", "phi")}


def _coefficient(
    name: components.Coefficient, world: World, scores: np.ndarray, _: np.random.Generator
) -> Mapping[str, float]:
    topics = scores.shape[1]
    low, high = signal_ends(scores, name)
    ends = [float(components.stability(end, topics)) for end in (low, high)]
    return {"kept": low <= _true_signals(world)[name] <= high, "width": ends[1] - ends[0]}


CLONES, SPREAD = 4, 0.1
"""Near-clones in a team, and the standard deviation by which they differ; that of teams is 1, of their noise 2."""
SIGNAL = (1 + SPREAD**2) / (4 + SPREAD**2)
"""The true signal of E rho^2 where systems come in such teams."""


def _teams(topics: int, teams: int, rng: np.random.Generator) -> Mapping[str, float]:
    """Draw teams of near-clones: they share ability and what topics suit them."""
    ability = np.repeat(rng.normal(size=teams), CLONES) + SPREAD * rng.normal(size=teams * CLONES)
    noise = np.repeat(2 * rng.normal(size=(teams, topics)), CLONES, axis=0)
    own = SPREAD * rng.normal(size=(teams * CLONES, topics))
    scores = ability[:, None] + noise + own + rng.normal(size=topics)
    low, high = signal_ends(scores, "erho2", team=np.repeat(np.arange(teams), CLONES))
    ends = [float(components.stability(end, topics)) for end in (low, high)]
    return {"kept": low <= SIGNAL <= high, "width": ends[1] - ends[0]}


def _in_teams(_: Path | None) -> Iterable[Case]:
    for teams, topics in ((5, 25), (10, 50), (20, 50)):
        yield Case(f"{teams} teams of {CLONES} near-clones", topics, partial(_teams, topics, teams))


ENTRIES = [
    Entry("tau with the true ranking", 0.95, 0.80, in_worlds(_expected_tau, UNTIED)),
    Entry("E rho2", 0.95, 0.92, in_worlds(partial(_coefficient, "erho2"))),
    Entry("E rho2, other systems", 0.95, 0.92, in_populations(partial(_coefficient, "erho2"), FEW_AND_MANY, (10, 50))),
    Entry("E rho2, teams left out", 0.95, 0.92, _in_teams, draws=1000),
    Entry("Phi", 0.95, 0.92, in_worlds(partial(_coefficient, "phi"))),
    Entry("Phi, other systems", 0.95, 0.85, in_populations(partial(_coefficient, "phi"), FEW_AND_MANY, (10, 50))),
]
