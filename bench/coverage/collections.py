"""Promises about collections: expected tau, E rho^2 and Phi."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path

import numpy as np

from bench.coverage.frame import AWAY, Case, Entry
from bench.coverage.worlds import (
    SIZES,
    UNTIED,
    Cases,
    in_all,
    in_hard,
    in_populations,
    in_worlds,
    named,
    teams_of,
    worlds,
)
from irmeta.datasets.like import World
from irmeta.io.tables.matrices import import_matrix
from irmeta.scores.cube import cube
from irmeta.scores.groups.teams import Grouping
from irmeta.stats.arrays import settled
from irmeta.stats.rankings.rank import tau_a, tau_b
from irmeta.stats.reliability import components, expected
from irmeta.stats.reliability.design_taus import design_taus
from irmeta.stats.reliability.intervals import signal_ends
from irmeta.studies.design.study import design

FEW_AND_MANY = (5, 20, 60)
"""Numbers of systems that are drawn from a population."""


def _expected_tau(
    world: World, scores: np.ndarray, rng: np.random.Generator
) -> Mapping[str, float]:
    tau = float(tau_a(settled(world.means[:, 0]), settled(scores.mean(axis=1))))
    half = float(expected.half_tau(scores[..., None], 50, rng).item())
    stepped = expected.stepped(half, 2)
    low, high = expected.tau_interval(scores, half, rng)
    low, high = min(low, stepped), max(high, stepped)
    return {
        "kept": low <= tau <= high,
        "width": high - low,
        "bias": stepped - tau,
        AWAY: stepped - tau,
    }


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
    found = components.components(scores[..., None])
    estimate, truth = components.signal(found, name).item(), _true_signals(world)[name]
    off = components.stability(estimate, topics) - components.stability(truth, topics)
    return {
        "kept": low <= truth <= high,
        "width": ends[1] - ends[0],
        AWAY: float(off),
    }


def _at_hand(
    name: components.Coefficient,
    world: World,
    scores: np.ndarray,
    rng: np.random.Generator,
) -> Mapping[str, float]:
    """Hold the coefficient for the systems at hand: the promise is for others, too, so it needs more than these do."""
    found = _coefficient(name, world, scores, rng)
    return {figure: value for figure, value in found.items() if figure != AWAY}


CLONES, SPREAD = 4, 0.1
"""Near-clones in a team, and the standard deviation by which they differ; that of teams is 1, of their noise 2."""
SIGNAL = {
    "erho2": (1 + SPREAD**2) / (4 + SPREAD**2),
    "phi": (1 + SPREAD**2) / (5 + SPREAD**2),
}
"""The true signals where systems come in such teams; topics have a standard deviation of 1."""


def _teams(
    name: components.Coefficient,
    topics: int,
    teams: int,
    rng: np.random.Generator,
) -> Mapping[str, float]:
    """Draw teams of near-clones: they share ability and what topics suit them."""
    ability = np.repeat(rng.normal(size=teams), CLONES) + SPREAD * rng.normal(
        size=teams * CLONES
    )
    noise = np.repeat(2 * rng.normal(size=(teams, topics)), CLONES, axis=0)
    own = SPREAD * rng.normal(size=(teams * CLONES, topics))
    scores = ability[:, None] + noise + own + rng.normal(size=topics)
    low, high = signal_ends(scores, name, team=np.repeat(np.arange(teams), CLONES))
    ends = [float(components.stability(end, topics)) for end in (low, high)]
    found = components.components(scores[..., None])
    estimate, truth = components.signal(found, name).item(), SIGNAL[name]
    off = components.stability(estimate, topics) - components.stability(truth, topics)
    return {
        "kept": low <= truth <= high,
        "width": ends[1] - ends[0],
        AWAY: float(off),
    }


def _in_teams(name: components.Coefficient) -> Cases:
    """Return the cases of 20, 40 and 80 systems in teams that are named."""

    def cases(_: Path | None) -> Iterable[Case]:
        for teams in (5, 10, 20):
            for topics in SIZES:
                world = f"{teams} teams of {CLONES} near-clones"
                trial = partial(_teams, name, topics, teams)
                yield Case(world, topics, trial, teams * CLONES)

    return cases


GIVEN, KEPT_APART = 49, 200
"""Topics that a design is chosen on, and those on which its promise is checked."""
Scores = Callable[[np.random.Generator], np.ndarray]


def _design(
    scores: Scores, n: int, groups: Grouping, rng: np.random.Generator
) -> Mapping[str, float]:
    """Hold the tau that a design of n topics promises to what it is on topics kept apart."""
    drawn = scores(rng)
    given, apart = drawn[:, :GIVEN], drawn[:, GIVEN:]
    one = (
        design(
            named(given[..., None], "AP"),
            sizes=[n],
            partitions=100,
            teams=groups,
            rng=rng,
        )
        .isel(way=0)
        .sel(size=n)
    )
    low, high, promised = (float(one[name]) for name in ("low", "high", "tau"))
    tau = design_taus(apart[..., None], apart, [n], rng, 100).tau[0, 0]
    return {
        "kept": low <= tau <= high,
        "width": high - low,
        "bias": promised - tau,
    }


def _designs(folder: Path | None) -> Iterable[Case]:
    """Return cases of 249 topics of Robust 2004 in another order each time, and of worlds."""
    sizes = (10, 20, 40, 96)
    if folder is not None:
        name = "Robust 2004, AP: 49 topics and 200 others"
        robust = _robust(folder)
        reordered = partial(_reordered, robust)
        for n in sizes:
            trial = partial(_design, reordered, n, None)
            yield Case(name, n, trial, len(robust))
    for name in (
        "like a made cube",
        "like TREC-8, P@10",
        "20 systems",
        "5 systems",
    ):
        if name in worlds(folder):
            world = worlds(folder)[name]
            scores = partial(_given, world)
            for n in sizes:
                trial = partial(_design, scores, n, None)
                yield Case(name, n, trial, len(world.systems))
    name = "60 systems in teams of 4"
    if name in worlds(folder):
        world = worlds(folder)[name]
        scores, groups = partial(_given, world), teams_of(world, 4)
        for n in sizes:
            trial = partial(_design, scores, n, groups)
            yield Case(f"{name}, which are named", n, trial, len(world.systems))


def _robust(folder: Path) -> np.ndarray:
    path = folder / "matrices" / "robust2004-249" / "AP.csv"
    return import_matrix(path, rows="systems").values[..., 0]


def _given(world: World, rng: np.random.Generator) -> np.ndarray:
    return world.scores(GIVEN + KEPT_APART, rng)[..., 0]


def _reordered(scores: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return rng.permutation(scores, axis=1)


NOISES = (1.0, 1.1, 1.3, 2.0)
"""Of four metrics, the target first, on one system and topic: the standard deviation of their noise."""


def _ways(
    systems: int,
    topics: int,
    team: int,
    step: float,
    noises: Sequence[float],
    rng: np.random.Generator,
) -> np.ndarray:
    """Draw scores (system, topic, metric) of new systems, in teams of near-clones, on new topics."""
    shape = (systems // team, topics)
    shared = 0.5 * rng.normal(size=(shape[0], 1)) + rng.normal(size=shape)
    made = shared.repeat(team, axis=0)[..., None] + np.array(noises) * rng.normal(
        size=(systems, topics, len(noises))
    )
    return np.round(made / step) * step if step else made


@cache
def _true_ways(
    systems: int, team: int, step: float, noises: Sequence[float], n: int
) -> np.ndarray:
    """Compute the mean tau of each metric on n topics with the target on n others, over many worlds."""
    rng = np.random.default_rng(0)
    drawn = (_ways(systems, 2 * n, team, step, noises, rng) for _ in range(1000))
    means = [(one[:, :n].mean(1).T, one[:, n:, 0].mean(1)) for one in drawn]
    return np.mean([tau_b(settled(by), settled(goal)) for by, goal in means], axis=0)


def _behind(
    systems: int,
    n: int,
    team: int,
    step: float,
    noises: Sequence[float],
    rng: np.random.Generator,
) -> Mapping[str, float]:
    """Hold how far ways are behind the best at least to how far they are; beside it, whether the best may be it."""
    scores = _ways(systems, GIVEN + 1, team, step, noises, rng)
    names = [f"P@{at}" for at in range(1, len(noises) + 1)]
    numbers = [[str(at) for at in range(count)] for count in scores.shape[:2]]
    groups = {str(at): str(at // team) for at in range(systems)}
    found = design(
        cube(scores, numbers[0], numbers[1], names),
        target="P@1",
        topic_cost=1,
        budget=n,
        sizes=[n],
        teams=groups if team > 1 else None,
        partitions=100,
        rng=rng,
    )
    truth = _true_ways(systems, team, step, noises, n)
    best = int(np.argmax(found["chosen_tau"].values))
    low = found["behind_low"].values
    others = np.arange(len(noises)) != best
    true = truth[best] - truth
    return {
        "kept": (low <= true)[others].mean(),
        "best is among those that may be": low[np.argmax(truth)] <= 0,
        "clearly behind": (low > 0).mean(),
    }


def _in_ways(folder: Path | None) -> Iterable[Case]:
    """Return worlds of metrics that differ, and of metrics that are equally good."""
    kinds = {"20 systems": (20, 1, 0.0)}
    if folder is not None:
        kinds |= {
            "5 systems": (5, 1, 0.0),
            "60 systems": (60, 1, 0.0),
            "20 systems, few values": (20, 1, 1.0),
            "60 systems in teams of 4": (60, 4, 0.0),
        }
    for name, (systems, team, step) in kinds.items():
        for n in SIZES if folder is not None else (10,):
            trial = partial(_behind, systems, n, team, step, NOISES)
            yield Case(name, n, trial, systems)
    yield Case(
        "20 systems, metrics equally good",
        25,
        partial(_behind, 20, 25, 1, 0.0, (1.0,) * 4),
        20,
    )


def _others(name: components.Coefficient) -> Cases:
    return in_populations(partial(_coefficient, name), FEW_AND_MANY, SIZES)


_TRUE = in_all(
    in_worlds(_expected_tau, UNTIED),
    in_hard(_expected_tau, ["differ"], systems=24, sizes=(5, 10, 25, 50)),
)
_ALSO = in_populations(_expected_tau, FEW_AND_MANY, SIZES, own=True)

ENTRIES = [
    Entry("tau with the true ranking", 0.95, 0.84, _TRUE),
    Entry("tau with the true ranking, other systems", 0.95, 0.85, _ALSO),
    Entry("E rho2", 0.95, 0.92, in_worlds(partial(_at_hand, "erho2"))),
    Entry("E rho2, other systems", 0.95, 0.92, _others("erho2")),
    Entry("E rho2, teams left out", 0.95, 0.92, _in_teams("erho2")),
    Entry("Phi", 0.95, 0.92, in_worlds(partial(_at_hand, "phi"))),
    Entry("Phi, other systems", 0.95, 0.92, _others("phi")),
    Entry("Phi, teams left out", 0.95, 0.92, _in_teams("phi")),
    Entry("tau of a design", 0.95, 0.90, _designs, draws=120, few=10),
    Entry("ways behind the best of a design", 0.975, 0.90, _in_ways, 120, 10),
]
