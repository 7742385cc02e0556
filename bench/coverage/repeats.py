"""Promises about systems that run several times: the hardest worlds first."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.stats
import xarray as xr

from bench.coverage.clusters import of_difference
from bench.coverage.frame import AWAY, UNITS, Case, Entry
from bench.coverage.judges import Kind
from irmeta.scores import standardization
from irmeta.scores.attributes import REPEATS
from irmeta.scores.cube import cube
from irmeta.scores.groups.repeats import by_runs, with_repeats
from irmeta.stats import descriptive
from irmeta.stats.arrays import Floats, Ints
from irmeta.stats.judging.rankings import taus
from irmeta.stats.rankings.rank import tau_b
from irmeta.stats.rankings.ranksets import rank_sets
from irmeta.studies.judges.compare.aligned import aligned
from irmeta.studies.leaderboard.study import leaderboard
from irmeta.studies.place.study import place

TOPICS = (5, 12, 50)
OTHERS = 40
"""Systems of one run that standardize."""

Check = Callable[[Floats, Floats], Mapping[str, float]]
"""From values that allow for runs and plain means of runs, both (system, topic), to the figures of a `Trial`."""
Study = Callable[[xr.DataArray], Mapping[str, float]]
"""From means of runs, as a cube, to the figures of a `Trial`."""
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


_SHAPES: dict[str, Any] = {
    "skewed": scipy.stats.beta(0.3, 1.2),
    "0/1": scipy.stats.bernoulli(0.2),
    "normal": scipy.stats.norm(0.5, 0.15),
}
_RUNS = ((2, 2), (3, 3), (10, 10), (3,) * 8, (2, 3, 10, 10))
_LEVELS = (0.5, 0.15, 0.0)


def _in_worlds(
    study: Study, fewest: int = 2, levels: Sequence[float] = _LEVELS
) -> Cases:
    """Return the cases of a promise: all worlds with at least this number of systems, with each number of topics."""

    def cases(folder: Path | None) -> Iterable[Case]:
        worlds = [
            World(runs, level, shape)
            for shape, runs, level in product(_SHAPES, _RUNS, levels)
            if len(runs) >= fewest
        ]
        return _cases(study, worlds, folder)

    return cases


def _among_others(study: Study) -> Cases:
    """Return the cases of a promise about two systems of several runs among others of one run, which standardize."""

    def cases(folder: Path | None) -> Iterable[Case]:
        worlds = [
            World((*runs, *[1] * OTHERS), level, shape)
            for shape, runs, level in product(
                ("skewed", "normal"), ((2, 2), (3, 3)), _LEVELS[:2]
            )
        ]
        return _cases(study, worlds, folder)

    return cases


def _cases(study: Study, worlds: list[World], folder: Path | None) -> Iterable[Case]:
    """Cross worlds with numbers of topics; without real collections two worlds and one number, the short form."""
    if folder is None:
        worlds = worlds[:2]
    for world, topics in product(worlds, TOPICS if folder else TOPICS[1:2]):
        trial = partial(_trial, study, world, topics)
        yield Case(str(world), topics, trial, systems=len(world.runs))


def _trial(
    study: Study, world: World, topics: int, rng: np.random.Generator
) -> Mapping[str, float]:
    """Draw means of runs and study them; of a difference, the runs of two systems tell how far their levels vary."""
    found = study(with_repeats(world.drawn(topics, rng), "stem"))
    if AWAY not in found:
        return found
    freedom = sum(world.runs[:2]) - 2
    return {**found, UNITS: min(freedom + 1, topics)}


def _moved(check: Check) -> Study:
    """Return the check as a study of means of runs."""

    def study(means: xr.DataArray) -> Mapping[str, float]:
        moved, _ = by_runs(means)
        return check(moved.values[..., 0], means.values[..., 0])

    return study


def _as_plain(means: xr.DataArray) -> xr.DataArray:
    """Return a cube that does not know of runs."""
    plain = means.copy()
    plain.attrs.pop(REPEATS)
    return plain


def _board(means: xr.DataArray) -> Mapping[str, float]:
    """Whether the rank sets of equal models claim nothing, on average over the aggregates; and by each of them."""
    found, plain = (
        leaderboard(one, resamples=200)["tied"] == means.sizes["system"]
        for one in (means, _as_plain(means))
    )
    every = {
        str(one): float(found.sel(aggregate=one)) for one in found.aggregate.values
    }
    return {
        "kept": float(found.mean()),
        "over topics": float(plain.mean()),
        **every,
    }


def _placed(means: xr.DataArray) -> Mapping[str, float]:
    """Whether the interval of a difference of two equal systems holds 0, placed among others."""
    others = means.isel(system=slice(2, None))
    return of_difference(place(means.isel(system=slice(2)), on=others))


def _standardized(means: xr.DataArray) -> Mapping[str, float]:
    """The same of standardized scores."""
    factors = standardization.fit(_as_plain(means.isel(system=slice(2, None))))
    made = standardization.apply(means.isel(system=slice(2)), factors)
    moved, _ = by_runs(made)
    return _difference(moved.values[..., 0], made.values[..., 0])


@dataclass(frozen=True)
class Judged:
    """How scores are drawn that people and a machine give to the same runs.

    level : the standard deviation of what a run adds to all topics; on one topic it adds as much again.
    """

    kind: Kind
    runs: int
    level: float

    def __str__(self) -> str:
        return f"{self.kind}, {self.runs} runs, their levels {self.level:g}"

    def drawn(self, rng: np.random.Generator) -> tuple[Floats, Ints]:
        """Draw scores (set, run, topic) of people and a good machine, and the system of each run."""
        of = np.arange(self.kind.systems).repeat(self.runs)
        scores = self.kind.draw(rng)[0][:2, of]
        level = self.level * rng.normal(size=(len(of), 1))
        return scores + level + self.level * rng.normal(size=scores.shape[1:]), of


@cache
def expected_tau(world: Judged) -> float:
    """Compute the mean tau of means of runs over many draws."""
    rng = np.random.default_rng(0)
    found = []
    for _ in range(2000):
        scores, _ = world.drawn(rng)
        means = scores.mean(axis=2).reshape(2, -1, world.runs).mean(axis=2)
        found.append(tau_b(means[0], means[1]))
    return float(np.mean(found))


def _tau(world: Judged, rng: np.random.Generator) -> Mapping[str, float]:
    """Whether the interval of a judge's tau with people holds, with and without what runs add."""
    scores, of = world.drawn(rng)
    names = [f"s{at}_{number}" for number, at in enumerate(of)]
    topics = [str(at) for at in range(scores.shape[2])]
    means = {
        name: with_repeats(cube(one[..., None], names, topics, ["AP"]), "stem")
        for name, one in zip(("people", "machine"), scores, strict=True)
    }
    truth = expected_tau(world)
    held = []
    for cubes in (means, {name: _as_plain(one) for name, one in means.items()}):
        together = aligned(cubes, "people", None, "shared", "error")
        found = taus(together.over(together.judges, 0), rng).interval()
        low, value, high = found.low[0], found.value[0], found.high[0]
        held.append((low <= truth <= high, high - low, value - truth))
    return {
        "kept": held[0][0],
        "width": held[0][1],
        AWAY: held[0][2],
        "over topics": held[1][0],
    }


def _of_judges(folder: Path | None) -> Iterable[Case]:
    """Return the cases of a judge's tau where systems ran several times."""
    kinds = [
        Kind(10, 10, False),
        Kind(20, 25, False),
        Kind(40, 10, False),
        Kind(20, 25, True),
    ]
    for kind, level in product(kinds if folder else kinds[:1], (0.1, 0.03)):
        world = Judged(kind, 3, level)
        yield Case(str(world), kind.topics, partial(_tau, world), kind.systems)


def _difference(values: Floats, plain: Floats) -> Mapping[str, float]:
    """Whether the interval of a difference of two equal systems holds 0, with and without what runs add."""
    low, high = (end[0] for end in descriptive.t_interval(values[:1] - values[1:2]))
    plain_low, plain_high = (
        end[0] for end in descriptive.t_interval(plain[:1] - plain[1:2])
    )
    return {
        "kept": float(low <= 0 <= high),
        "width": high - low,
        AWAY: float(np.mean(values[0] - values[1])),
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
        "difference of means of runs",
        0.95,
        0.90,
        _in_worlds(_moved(_difference)),
        draws=600,
    ),
    Entry(
        "rank sets of means of runs",
        0.95,
        0.90,
        _in_worlds(_moved(_ranks), 4),
        draws=300,
    ),
    Entry(
        "rank sets of a leaderboard of means of runs",
        0.95,
        0.90,
        _in_worlds(_board, 4, _LEVELS[:2]),
        draws=150,
    ),
    Entry(
        "difference of placed means of runs",
        0.95,
        0.90,
        _among_others(_placed),
        draws=400,
        few=10,
    ),
    Entry(
        "difference of standardized means of runs",
        0.95,
        0.90,
        _among_others(_standardized),
        draws=600,
    ),
    Entry("tau of a judge, means of runs", 0.95, 0.90, _of_judges, draws=400, few=20),
]
