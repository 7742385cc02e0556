"""The worlds: those of bench/hard.py, scores of 0 and 1, topics in clusters, and a machine that judges all topics."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import product

import numpy as np
from scipy.special import expit, logit

from bench.coverage.clusters import World as Clustered
from bench.hard import LABELS, TEAM, Hard

SYSTEMS = 12
COPIES = {"good": 0.7, "bad": 0.2}
"""How often the machine has the score of people, and not one of another draw."""


@dataclass(frozen=True)
class Drawn:
    """What is seen of two systems, and their true means.

    scores : (system, topic), by people.  machine : (system, all topics), and of : which of these people judged.
    cluster : of each topic, of all topics where there is a machine.
    """

    scores: np.ndarray
    truth: np.ndarray
    machine: np.ndarray | None = None
    of: np.ndarray | None = None
    cluster: np.ndarray | None = None


@dataclass(frozen=True)
class Binary:
    """Scores of 0 and 1: systems of about this rate, on topics that are easy or difficult for all."""

    rate: float
    systems: int = SYSTEMS
    ability: np.ndarray = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Draw the systems."""
        own = np.random.default_rng(5).normal(0, 0.5, self.systems)
        object.__setattr__(self, "ability", logit(self.rate) + own)

    def __str__(self) -> str:
        """Name the world in a table."""
        return f"0/1, about {self.rate:g}".replace("0.", ".")

    def scores(self, topics: int, rng: np.random.Generator) -> np.ndarray:
        """Draw scores (system, topic)."""
        share = expit(self.ability[:, None] + rng.normal(size=topics))
        return (rng.random(share.shape) < share).astype(np.float64)

    @cached_property
    def means(self) -> np.ndarray:
        """The true means (system,)."""
        nodes, weights = np.polynomial.hermite_e.hermegauss(60)
        share = expit(self.ability[:, None] + nodes)
        return np.asarray(share @ weights / weights.sum())


World = Hard | Binary
BINARY = [Binary(0.6), Binary(0.08)]
PLAIN: Mapping[str, World] = {
    **{LABELS[kind]: Hard(kind, "differ", SYSTEMS) for kind in LABELS},
    **{str(world): world for world in BINARY},
}
"""Worlds by name, of systems that differ."""
CLONES: Mapping[str, World] = {
    f"{LABELS[kind]}, near-clones": Hard(kind, "differ", SYSTEMS, TEAM)
    for kind in ("beta", "rr")
}
"""Worlds of systems in teams, of which two of a team are compared."""


def two(world: World, topics: int, rng: np.random.Generator) -> Drawn:
    """Draw topics for two systems of the world; of a team where there are teams."""
    if isinstance(world, Hard) and world.team > 1:
        first = world.team * rng.integers(world.teams)
        chosen = first + rng.permutation(world.team)[:2]
    else:
        chosen = rng.permutation(world.systems)[:2]
    return Drawn(world.scores(topics, rng)[chosen], world.means[chosen])


def judged(
    world: World, copies: float, n: int, topics: int, rng: np.random.Generator
) -> Drawn:
    """Draw topics for two systems, scored by a machine, n of them by people, too."""
    chosen = rng.permutation(world.systems)[:2]
    human, other = (world.scores(topics, rng)[chosen] for _ in range(2))
    machine = _copied(human, other, copies, rng, isinstance(world, Binary))
    of = np.sort(rng.permutation(topics)[:n])
    return Drawn(human[:, of], world.means[chosen], machine, of)


def _copied(
    human: np.ndarray,
    other: np.ndarray,
    copies: float,
    rng: np.random.Generator,
    binary: bool,
) -> np.ndarray:
    """Return a machine's scores: those of people or of another draw, and a little too high."""
    copied = np.where(rng.random(human.shape) < copies, human, other)
    liked = 0.1 * rng.random((2, 1))
    if binary:
        return np.maximum(copied, rng.random(human.shape) < liked)
    return np.minimum(copied + liked, 1)


def in_clusters(world: Clustered, clusters: int, rng: np.random.Generator) -> Drawn:
    """Draw topics in clusters for two equal systems."""
    scores, cluster = world.drawn(clusters, rng, 2)
    return Drawn(scores, np.full(2, world.mean), cluster=cluster)


def judged_in_clusters(
    world: Clustered, copies: float, g: int, clusters: int, rng: np.random.Generator
) -> Drawn:
    """Draw topics in clusters for two equal systems, scored by a machine, g whole clusters by people, too."""
    human, cluster = world.drawn(clusters, rng, 2)
    other = world.scores(cluster, rng, 2)
    machine = _copied(human, other, copies, rng, world.shape == "0/1")
    seen = rng.permutation(clusters)[:g]
    of = np.flatnonzero(np.isin(cluster, seen))
    return Drawn(human[:, of], np.full(2, world.mean), machine, of, cluster)


Draw = Callable[[np.random.Generator], Drawn]


@dataclass(frozen=True)
class Case:
    """A row: a world by name, its size in words, and how to draw it; `n` topics or clusters are judged."""

    world: str
    size: str
    n: int
    draw: Draw


def plain(sizes: tuple[int, ...], *, clones: bool) -> list[Case]:
    """Return the cases of two systems on topics."""
    worlds = {**PLAIN, **CLONES} if clones else PLAIN
    return [
        Case(name, str(n), n, partial(two, world, n))
        for (name, world), n in product(worlds.items(), sizes)
    ]


def with_machine(sizes: tuple[tuple[int, int], ...]) -> list[Case]:
    """Return the cases of n topics judged by people among all."""
    return [
        Case(
            f"{name}, {machine} machine",
            f"{n} of {topics}",
            n,
            partial(judged, world, copies, n, topics),
        )
        for (name, world), (machine, copies), (n, topics) in product(
            PLAIN.items(), COPIES.items(), sizes
        )
    ]


IN_CLUSTERS = [
    Clustered(icc, equal, shape)
    for shape, icc, equal in (
        ("skewed", 0.6, False),
        ("skewed", 0.1, True),
        ("0/1", 0.6, False),
        ("0/1", 0.1, True),
    )
]


def clustered(sizes: tuple[int, ...]) -> list[Case]:
    """Return the cases of topics in clusters."""
    return [
        Case(str(world), str(n), n, partial(in_clusters, world, n))
        for world, n in product(IN_CLUSTERS, sizes)
    ]


def clustered_with_machine(sizes: tuple[tuple[int, int], ...]) -> list[Case]:
    """Return the cases of n clusters judged by people among all."""
    return [
        Case(
            f"{world}, {machine} machine",
            f"{n} of {clusters}",
            n,
            partial(judged_in_clusters, world, copies, n, clusters),
        )
        for world, (machine, copies), (n, clusters) in product(
            IN_CLUSTERS, COPIES.items(), sizes
        )
    ]
