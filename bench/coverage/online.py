"""Promises about online outcomes: how often users agree with a metric, or more often than with another."""

from collections.abc import Iterable, Mapping
from functools import cache, partial
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np

from bench.coverage.frame import AWAY, Case, Entry
from irmeta.stats.rankings.outcomes import (
    Outcomes,
    agreement,
    lead,
    posterior,
    ratio,
    scaled,
)

SIZES = (6, 12, 30)
TEAM = 3
LEVELS = np.array([0.025, 0.5, 0.975])
BESIDE = {
    "normal outcomes": lambda rng, size: rng.normal(size=size),
    "outcomes with heavy tails": lambda rng, size: rng.standard_t(3, size) / np.sqrt(3),
    "skewed outcomes": lambda rng, size: rng.exponential(size=size) - 1,
}
"""What is drawn of an outcome beside the line, with variance 1."""


class World(NamedTuple):
    """How scores and outcomes are drawn.

    share : of the variance of outcomes that is no noise.  pairs : whether systems are compared with each other, each
    with 3 to its right.  other : how a second metric correlates with outcomes, and with the first.
    """

    r: float
    share: float
    beside: str = "normal outcomes"
    skewed: bool = False
    teams: bool = False
    pairs: bool = False
    other: tuple[float, float] | None = None

    def __str__(self) -> str:
        r = " and ".join(f"{one:g}" for one in (self.r, *(self.other or ())[:1]))
        said = [self.beside, f"r {r}", f"noise {1 - self.share:.0%}"]
        said += ["skewed scores"] * self.skewed + ["teams of 3"] * self.teams
        said += ["interleaved pairs"] * self.pairs
        return ", ".join(said)

    def scores(self, systems: int, rng: np.random.Generator) -> np.ndarray:
        """Draw scores (system,)."""
        if self.skewed:
            return -rng.exponential(size=systems)
        if self.teams:
            own = rng.normal(size=systems)
            return np.sqrt(0.8) * _teams(systems, rng) + np.sqrt(0.2) * own
        return rng.normal(size=systems)

    def outcomes(
        self, line: np.ndarray, spread: float, rng: np.random.Generator
    ) -> Outcomes:
        """Draw outcomes around what is expected of each system."""
        systems = len(line)
        luck = BESIDE[self.beside](rng, systems)
        if self.teams:
            luck = np.sqrt(0.5) * (_teams(systems, rng) + luck)
        true = line + spread * luck
        # the variance of true outcomes is 1
        noise = np.sqrt((1 / self.share - 1) * rng.gamma(4, 0.25, size=systems))
        design = np.eye(systems)
        if self.pairs:
            design = np.concatenate(
                [design - np.roll(design, by, axis=1) for by in (1, 2, 3)]
            )
            noise = np.sqrt(2) * np.tile(noise, 3)
        value = design @ true + noise * rng.normal(size=len(design))
        return Outcomes(value, noise, design)


def _teams(systems: int, rng: np.random.Generator) -> np.ndarray:
    return np.repeat(rng.normal(size=-(-systems // TEAM)), TEAM)[:systems]


@cache
def _apart(beside: str) -> np.ndarray:
    """Return sorted differences of two draws beside the line."""
    rng = np.random.default_rng(5)
    return np.sort(np.diff(BESIDE[beside](rng, (400_000, 2)))[:, 0])


def _truth(beside: str, r: float, scores: np.ndarray) -> float:
    """Return on which share of pairs of other systems with these scores the order is that of true outcomes."""
    above = np.triu_indices(len(scores), 1)
    gap = r / np.sqrt(1 - r**2) * np.abs(scores[above[0]] - scores[above[1]])
    apart = _apart(beside)
    return float(1 - (np.searchsorted(apart, -gap) / len(apart)).mean())


def _agreement(
    world: World, systems: int, rng: np.random.Generator
) -> Mapping[str, float]:
    scores = world.scores(systems, rng)
    outcomes = world.outcomes(world.r * scores, np.sqrt(1 - world.r**2), rng)
    one = scaled(scores)
    found = agreement(ratio(posterior(outcomes, one[:, None]), LEVELS), one)
    truth = _truth(world.beside, world.r, scores)
    return {
        "kept": float(found[0] <= truth <= found[2]),
        "width": float(found[2] - found[0]),
        AWAY: float(found[1] - truth),
    }


def _lead(world: World, systems: int, rng: np.random.Generator) -> Mapping[str, float]:
    r, both = world.other
    one = world.scores(systems, rng)
    two = both * one + np.sqrt(1 - both**2) * world.scores(systems, rng)
    slopes = np.linalg.solve([[1, both], [both, 1]], [world.r, r])
    left = np.sqrt(1 - slopes @ [world.r, r])
    outcomes = world.outcomes(slopes @ [one, two], left, rng)
    drawn = lead(outcomes, scaled(one), scaled(two), rng)
    low, middle, high = np.quantile(drawn, LEVELS)
    truth = _truth(world.beside, world.r, one) - _truth(world.beside, r, two)
    return {
        "kept": float(low <= truth <= high),
        "width": float(high - low),
        AWAY: float(middle - truth),
    }


EASY = [World(*one) for one in product((0, 0.6, 0.95), (0.9, 0.5, 0.2))]
HARD = [
    World(r, share, **how)
    for r, share in ((0.6, 0.9), (0.95, 0.5))
    for how in (
        {"beside": "outcomes with heavy tails"},
        {"beside": "skewed outcomes"},
        {"skewed": True},
        {"teams": True},
        {"pairs": True},
    )
]
TWO = [
    World(r, share, other=(other, 0.7))
    for r, other in ((0.7, 0.7), (0.9, 0.4))
    for share in (0.9, 0.5)
]


def _cases(
    check: object, worlds: Iterable[World], folder: Path | None
) -> Iterable[Case]:
    every = list(worlds)
    for world, systems in product(
        every if folder else every[:2], SIZES if folder else SIZES[1:2]
    ):
        trial = partial(check, world, systems)
        yield Case(f"{systems} systems, {world}", 1, trial, systems)


ENTRIES = [
    Entry(
        "agreement of users with a metric",
        0.95,
        0.85,
        partial(_cases, _agreement, [*EASY, *HARD]),
        draws=300,
    ),
    Entry(
        "lead of a metric in agreement",
        0.95,
        0.85,
        partial(_cases, _lead, TWO),
        draws=300,
    ),
]
