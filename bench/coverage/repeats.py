"""Promises about systems that run several times: the hardest worlds first."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np
import scipy.stats
import xarray as xr

from bench.coverage.frame import Case, Entry
from irmeta.scores.cube import cube
from irmeta.scores.repeats import by_runs, with_repeats
from irmeta.stats import descriptive
from irmeta.stats.arrays import Floats
from irmeta.stats.rankings.ranksets import rank_sets

TOPICS = (5, 12, 50)

Check = Callable[[Floats, Floats], Mapping[str, float]]
"""From values that allow for runs and plain means of runs, both (system, topic), to the figures of a `Trial`."""
Cases = Callable[[Path | None], Iterable[Case]]


class World(NamedTuple):
    """How scores are drawn.

    runs : how many each system has.  level : the standard deviation of what a run adds to all topics, where what a
    system and what a run does on one topic have .5 each.  shape : what scores look like.
    """

    runs: Sequence[int]
    level: float
    shape: str

    def __str__(self) -> str:
        each = ", ".join(map(str, sorted(set(self.runs))))
        return f"{len(self.runs)} systems of {each} runs, their levels {self.level:g}, {self.shape} scores"

    def drawn(self, topics: int, rng: np.random.Generator) -> xr.DataArray:
        """Draw the scores of equal systems, each run of which differs."""
        of = np.repeat(np.arange(len(self.runs)), self.runs)
        own = 0.5 * rng.normal(size=(len(self.runs), topics))[of]
        level = self.level * rng.normal(size=(len(of), 1))
        if len(set(self.runs)) > 1:  # a system of one run never varies
            level[np.array(self.runs)[of] == 1] = 0.0
        once = 0.5 * rng.normal(size=(len(of), topics))
        normal = rng.normal(size=topics) + own + level + once
        spread = np.sqrt(1.5 + self.level**2)
        scores = _SHAPES[self.shape].ppf(scipy.stats.norm.cdf(normal / spread))
        names = [f"s{at}_{number}" for number, at in enumerate(of)]
        return cube(scores[..., None], names, [str(at) for at in range(topics)], ["AP"])


_SHAPES = {
    "skewed": scipy.stats.beta(0.3, 1.2),
    "0/1": scipy.stats.bernoulli(0.2),
    "normal": scipy.stats.norm(0.5, 0.15),
}
_RUNS = ((2, 2), (3, 3), (10, 10), (3,) * 8, (2, 3, 10, 10))
_LEVELS = (0.5, 0.15, 0.0)


def _in_worlds(check: Check, fewest: int = 2) -> Cases:
    """Return the cases of a promise: all worlds with at least this number of systems, with each number of topics."""

    def cases(folder: Path | None) -> Iterable[Case]:
        worlds = [
            World(runs, level, shape)
            for shape, runs, level in product(_SHAPES, _RUNS, _LEVELS)
            if len(runs) >= fewest
        ]
        if folder is None:  # the short form
            worlds = worlds[:2]
        for world, topics in product(worlds, TOPICS if folder else TOPICS[1:2]):
            trial = partial(_trial, check, world, topics)
            yield Case(str(world), topics, trial, systems=len(world.runs))

    return cases


def _trial(
    check: Check, world: World, topics: int, rng: np.random.Generator
) -> Mapping[str, float]:
    means = with_repeats(world.drawn(topics, rng), "stem")
    moved, _ = by_runs(means)
    return check(moved.values[..., 0], means.values[..., 0])


def _difference(values: Floats, plain: Floats) -> Mapping[str, float]:
    """Whether the interval of a difference of two equal systems holds 0, with and without what runs add."""
    low, high = (end[0] for end in descriptive.t_interval(values[:1] - values[1:2]))
    plain_low, plain_high = (
        end[0] for end in descriptive.t_interval(plain[:1] - plain[1:2])
    )
    return {
        "kept": float(low <= 0 <= high),
        "width": high - low,
        "over topics": float(plain_low <= 0 <= plain_high),
    }


def _ranks(values: Floats, plain: Floats) -> Mapping[str, float]:
    """Whether the rank sets of equal systems claim nothing: each may have every rank."""
    rng = np.random.default_rng(values.shape[1])
    found = rank_sets(values.T, rng)
    every = (found.low == 1) & (found.high == len(values))
    over_topics = rank_sets(plain.T, rng)
    return {
        "kept": float(every.all()),
        "over topics": float((over_topics.high == len(values)).all()),
    }


ENTRIES = [
    Entry(
        "difference of means of runs", 0.95, 0.90, _in_worlds(_difference), draws=600
    ),
    Entry("rank sets of means of runs", 0.95, 0.90, _in_worlds(_ranks, 4), draws=300),
]
