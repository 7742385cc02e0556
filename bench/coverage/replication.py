"""Promises about reproductions: how much of a lead is there again, and how near scores and ranked lists are."""

from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np

from bench.coverage.frame import AWAY, Case, Entry
from bench.hard import KINDS, LABELS, MANY, TEAM, Hard
from irmeta.stats import descriptive
from irmeta.stats.rankings.lists import overlap, tau_union
from irmeta.stats.tests import reproduced
from irmeta.stats.tests.reproduced import Found, Two

SIZES = (5, 10, 50, 200)
BINARY = 0.3
"""Scores above this are 1, others 0, in worlds of successes and failures."""
Drawn = tuple[np.ndarray, np.ndarray]
"""Scores of an experiment and of its reproduction, (system, topic) each: the advanced system, then the baseline."""
Check = Callable[["World", Drawn], Mapping[str, float]]


class World(NamedTuple):
    """How two systems are drawn twice: the shape of scores, how alike the second time is, and on which topics.

    near : near-clones stand for the systems in the reproduction, so that nothing of the truth changes; else two others.
    """

    kind: str
    near: bool
    together: bool

    def __str__(self) -> str:
        label = "0/1 scores" if self.kind == "0/1" else LABELS[self.kind]
        who = "near-clones" if self.near else "other systems"
        return f"{label}, {who}, {'same' if self.together else 'other'} topics"

    @property
    def _of(self) -> Hard:
        kind = "beta" if self.kind == "0/1" else self.kind
        return _hard(kind, TEAM if self.near else 1)

    def scores(self, topics: int, rng: np.random.Generator) -> np.ndarray:
        """Draw scores (system, topic): advanced and baseline, then the same of the reproduction."""
        every = self._of.scores(topics, rng)
        best_first = np.argsort(-self._of.means, kind="stable")
        if self.near:
            # the two teams: some of the better one, some of the worse one
            chosen = best_first[[0, TEAM, 1, TEAM + 1]]
        else:
            chosen = best_first[[0, -1, 1, -2]]
        found = every[chosen]
        return (found > BINARY).astype(float) if self.kind == "0/1" else found

    def drawn(self, topics: int, rng: np.random.Generator) -> Drawn:
        """Draw both experiments."""
        first = self.scores(topics, rng)
        again = first if self.together else self.scores(topics, rng)
        return first[:2], again[2:]


@cache
def _hard(kind: str, team: int) -> Hard:
    return Hard(kind, "differ", 8, team)


@cache
def _truth(world: World) -> np.ndarray:
    return world.scores(MANY, np.random.default_rng(11))


WORLDS = [World(*one) for one in product([*KINDS, "0/1"], (True, False), (True, False))]


def _in_worlds(
    check: Check, only: Iterable[World]
) -> Callable[[Path | None], Iterable[Case]]:
    every = list(only)

    def cases(folder: Path | None) -> Iterable[Case]:
        chosen = every if folder else every[:2]
        for world, topics in product(chosen, SIZES if folder else SIZES[2:3]):
            yield Case(str(world), topics, partial(_trial, check, world, topics))

    return cases


def _trial(
    check: Check, world: World, topics: int, rng: np.random.Generator
) -> Mapping[str, float]:
    return check(world, world.drawn(topics, rng))


def _kept(found: Found, truth: float) -> Mapping[str, float]:
    """Whether an interval holds the truth; one that does not end claims nothing, and beside it is how often it ends."""
    ends = np.isfinite(found.low)
    held = not ends or found.low - 1e-12 <= truth <= found.high + 1e-12
    return {"kept": float(held), "bounded": float(ends)}


def _ratio(world: World, drawn: Drawn) -> Mapping[str, float]:
    first, again = (one[0] - one[1] for one in drawn)
    mean = _truth(world).mean(axis=1)
    truth = 1.0 if world.near else (mean[2] - mean[3]) / (mean[0] - mean[1])
    return _kept(reproduced.ratio(Two(first, again, world.together), 0.95), truth)


def _delta(world: World, drawn: Drawn) -> Mapping[str, float]:
    mean = _truth(world).mean(axis=1)
    truth = 0.0 if world.near else mean[0] / mean[1] - mean[2] / mean[3]
    advanced, baseline = (
        Two(drawn[0][at], drawn[1][at], world.together) for at in range(2)
    )
    return _kept(reproduced.relative(advanced, baseline, 0.95), truth)


def _change(world: World, drawn: Drawn) -> Mapping[str, float]:
    first, again = (one[0] - one[1] for one in drawn)
    mean = _truth(world).mean(axis=1)
    truth = 0.0 if world.near else mean[2] - mean[3] - mean[0] + mean[1]
    return _kept(reproduced.change(Two(first, again, world.together), 0.95), truth)


MOVES = (0.02, 0.1, 0.4)
"""How far noise moves documents whose scores are spread over 0 to 1, in the typical topic."""
POPULATION = 3000
LEAST = {"tau": -1.0, "rbo": 0.0}
_MEASURES: Mapping[str, Callable[[list[str], list[str]], float]] = {
    "tau": tau_union,
    "rbo": partial(overlap, depth=20),
}


@cache
def _lists(measure: str, move: float) -> np.ndarray:
    """Return how alike two lists of 20 of 60 documents are on many topics, some of which move far more than others."""
    rng = np.random.default_rng(3)
    names = np.array([f"d{rng.integers(10**6):06}" for _ in range(60)])
    found = []
    for _ in range(POPULATION):
        score = rng.random(60)
        moved = score + move * rng.lognormal(0, 1) * rng.normal(size=60)
        lists = [names[np.argsort(-one)[:20]].tolist() for one in (score, moved)]
        found.append(_MEASURES[measure](*lists))
    return np.array(found)


def _alike(
    measure: str, move: float, topics: int, rng: np.random.Generator
) -> Mapping[str, float]:
    every = _lists(measure, move)
    drawn, truth = rng.choice(every, topics), every.mean()
    least = LEAST[measure]
    low, high = (
        least + (1 - least) * end
        for end in descriptive.bounded_interval((drawn - least) / (1 - least))
    )
    return {
        "kept": float(low <= truth <= high),
        "width": float(high - low),
        AWAY: drawn.mean() - truth,
    }


def _of_lists(measure: str, folder: Path | None) -> Iterable[Case]:
    for move, topics in product(MOVES, SIZES if folder else SIZES[2:3]):
        trial = partial(_alike, measure, move, topics)
        yield Case(f"documents moved by {move:g}", topics, trial)


ENTRIES = [
    Entry("effect ratio of a reproduction", 0.95, 0.90, _in_worlds(_ratio, WORLDS)),
    Entry(
        "change of a lead in a reproduction", 0.95, 0.86, _in_worlds(_change, WORLDS)
    ),
    Entry("delta relative improvement", 0.95, 0.90, _in_worlds(_delta, WORLDS)),
    Entry("tau union of a reproduction", 0.95, 0.88, partial(_of_lists, "tau")),
    Entry("RBO of a reproduction", 0.95, 0.85, partial(_of_lists, "rbo")),
]
