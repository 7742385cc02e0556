"""Promises about collections: expected tau, E rho^2 and Phi."""

from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from pathlib import Path

import numpy as np

from bench.coverage.frame import Case, Entry
from bench.coverage.worlds import UNTIED, in_populations, in_worlds, named, worlds
from irmeta.datasets.like import World
from irmeta.io.importers import import_matrix
from irmeta.stats.rankings.rank import settled, tau_a
from irmeta.stats.reliability import components, expected
from irmeta.stats.reliability.design_taus import design_taus
from irmeta.stats.reliability.intervals import signal_ends
from irmeta.studies.design import design

FEW_AND_MANY = (5, 15, 40)
"""Numbers of systems that are drawn from a population."""


def _expected_tau(
    world: World, scores: np.ndarray, rng: np.random.Generator
) -> Mapping[str, float]:
    tau = float(tau_a(settled(world.means[:, 0]), settled(scores.mean(axis=1))))
    low, high = expected.tau_interval(scores, rng)
    error = expected.expected(expected.pairs(scores)).tau - tau
    return {"kept": low <= tau <= high, "width": high - low, "bias": error}


@cache
def _true_signals(world: World) -> dict[str, float]:
    """Return the true signal of both coefficients, from many topics of the world."""
    topics = 4000 if len(world.systems) < 500 else 1000
    found = components.components(
        world.scores(topics, np.random.default_rng(0))[..., 0]
    )
    return {name: float(components.signal(found, name)) for name in ("erho2", "phi")}


def _coefficient(
    name: components.Coefficient,
    world: World,
    scores: np.ndarray,
    _: np.random.Generator,
) -> Mapping[str, float]:
    topics = scores.shape[1]
    low, high = signal_ends(scores, name)
    ends = [float(components.stability(end, topics)) for end in (low, high)]
    return {
        "kept": low <= _true_signals(world)[name] <= high,
        "width": ends[1] - ends[0],
    }


CLONES, SPREAD = 4, 0.1
"""Near-clones in a team, and the standard deviation by which they differ; that of teams is 1, of their noise 2."""
SIGNAL = (1 + SPREAD**2) / (4 + SPREAD**2)
"""The true signal of E rho^2 where systems come in such teams."""


def _teams(topics: int, teams: int, rng: np.random.Generator) -> Mapping[str, float]:
    """Draw teams of near-clones: they share ability and what topics suit them."""
    ability = np.repeat(rng.normal(size=teams), CLONES) + SPREAD * rng.normal(
        size=teams * CLONES
    )
    noise = np.repeat(2 * rng.normal(size=(teams, topics)), CLONES, axis=0)
    own = SPREAD * rng.normal(size=(teams * CLONES, topics))
    scores = ability[:, None] + noise + own + rng.normal(size=topics)
    low, high = signal_ends(scores, "erho2", team=np.repeat(np.arange(teams), CLONES))
    ends = [float(components.stability(end, topics)) for end in (low, high)]
    return {"kept": low <= SIGNAL <= high, "width": ends[1] - ends[0]}


def _in_teams(_: Path | None) -> Iterable[Case]:
    for teams, topics in ((5, 25), (10, 50), (20, 50)):
        yield Case(
            f"{teams} teams of {CLONES} near-clones",
            topics,
            partial(_teams, topics, teams),
        )


GIVEN, KEPT_APART = 49, 200
"""Topics that a design is chosen on, and those on which its promise is checked."""


def _design(
    scores: Callable[[np.random.Generator], np.ndarray],
    n: int,
    rng: np.random.Generator,
) -> Mapping[str, float]:
    """Hold the tau that a design of n topics promises to what it is on topics kept apart."""
    drawn = scores(rng)
    given, apart = drawn[:, :GIVEN], drawn[:, GIVEN:]
    one = (
        design(named(given[..., None], "AP"), topics=[n], partitions=100, rng=rng)
        .isel(way=0)
        .sel(size=n)
    )
    low, high, promised = (float(one[name]) for name in ("low", "high", "tau"))
    tau = design_taus(apart[..., None], apart, [n], rng, 100).tau[0, 0]
    return {"kept": low <= tau <= high, "width": high - low, "bias": promised - tau}


def _designs(folder: Path | None) -> Iterable[Case]:
    """Return cases of 249 topics of Robust 2004 in another order each time, or of a made world."""
    if folder is None:
        world = worlds(None)["like a made cube"]
        name, scores = (
            "like a made cube",
            lambda rng: world.scores(GIVEN + KEPT_APART, rng)[..., 0],
        )
    else:
        real = import_matrix(
            folder / "matrices" / "robust2004-249" / "AP.csv", rows="systems"
        ).values[..., 0]
        name, scores = (
            "Robust 2004, AP: 49 topics and 200 others",
            partial(_reordered, real),
        )
    for n in (10, 20, 40, 96):
        yield Case(name, n, partial(_design, scores, n))


def _reordered(scores: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return rng.permutation(scores, axis=1)


ENTRIES = [
    Entry("tau with the true ranking", 0.95, 0.90, in_worlds(_expected_tau, UNTIED)),
    Entry("E rho2", 0.95, 0.92, in_worlds(partial(_coefficient, "erho2"))),
    Entry(
        "E rho2, other systems",
        0.95,
        0.92,
        in_populations(partial(_coefficient, "erho2"), FEW_AND_MANY, (10, 50)),
    ),
    Entry("E rho2, teams left out", 0.95, 0.92, _in_teams, draws=1000),
    Entry("tau of a design", 0.95, 0.90, _designs, draws=100, few=10),
    Entry("Phi", 0.95, 0.92, in_worlds(partial(_coefficient, "phi"))),
    Entry(
        "Phi, other systems",
        0.95,
        0.85,
        in_populations(partial(_coefficient, "phi"), FEW_AND_MANY, (10, 50)),
    ),
]
