"""Promises about topics that come in clusters: the hardest worlds first; sizes are numbers of clusters."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.stats
import xarray as xr

from bench.coverage.frame import AWAY, Case, Entry
from irmeta.scores import standardization
from irmeta.scores.cube import cube
from irmeta.scores.groups.clusters import by_cluster, with_clusters
from irmeta.stats import descriptive
from irmeta.stats.arrays import Floats, Ints
from irmeta.stats.halves.clusters import alike, pseudo_values, totals
from irmeta.stats.judging.sampling import (
    Estimates,
    Sample,
    estimate_differences,
    estimate_means,
)
from irmeta.stats.rankings.ranksets import rank_sets
from irmeta.stats.tests.compared import Given
from irmeta.stats.tests.comparing import TESTS
from irmeta.stats.tests.paired import differences
from irmeta.studies.place.study import place
from irmeta.studies.result import Result

SYSTEMS = 10
CLUSTERS = (5, 12, 30, 60)
MOST = 20
"""Clusters of unequal sizes have 1 to so many topics, those of equal sizes 5."""
OTHERS = 20
"""Systems that standardize."""


Check = Callable[["World", Floats, Floats, Ints], Mapping[str, float]]
"""From a world, values of clusters, scores of topics (both by system) and clusters to the figures of a `Trial`."""
Study = Callable[[xr.DataArray, xr.DataArray, xr.DataArray], Mapping[str, float]]
"""From two systems, the same with clusters, and others that standardize, to the figures of a `Trial`."""
Cases = Callable[[Path | None], Iterable[Case]]


class World(NamedTuple):
    """How scores are drawn: the intraclass correlation, whether sizes are equal, and what scores look like."""

    icc: float
    equal: bool
    shape: str

    def __str__(self) -> str:
        sizes = "clusters of 5" if self.equal else f"clusters of 1 to {MOST}"
        return f"{sizes}, ICC {self.icc:g}, {self.shape} scores"

    def drawn(
        self, clusters: int, rng: np.random.Generator, systems: int = SYSTEMS
    ) -> tuple[Floats, Ints]:
        """Draw scores (system, topic) of equal systems, and the cluster of each topic."""
        sizes = np.full(clusters, 5)
        if not self.equal:
            sizes = rng.integers(1, MOST + 1, clusters)
        cluster = np.repeat(np.arange(clusters), sizes)
        return self.scores(cluster, rng, systems), cluster

    def scores(self, cluster: Ints, rng: np.random.Generator, systems: int) -> Floats:
        """Draw scores (system, topic) of equal systems, the cluster of each topic given."""
        common = rng.normal(size=(systems, cluster.max() + 1))[:, cluster]
        own = rng.normal(size=(systems, len(cluster)))
        normal = np.sqrt(self.icc) * common + np.sqrt(1 - self.icc) * own
        return SHAPES[self.shape].ppf(scipy.stats.norm.cdf(normal))

    @property
    def mean(self) -> float:
        """The true mean of every system."""
        return float(SHAPES[self.shape].mean())


SHAPES: dict[str, Any] = {
    "skewed": scipy.stats.beta(0.3, 1.2),
    "0/1": scipy.stats.bernoulli(0.2),
    "normal": scipy.stats.norm(0.5, 0.15),
}
WORLDS = [
    World(icc, equal, shape)
    for shape, icc, equal in product(SHAPES, (0.6, 0.3, 0.1, 0.0), (False, True))
]


def _in_worlds(check: Check, shapes: tuple[str, ...] = tuple(SHAPES)) -> Cases:
    """Return the cases of a promise: all worlds with scores of these shapes, with each number of clusters."""
    return partial(_cases, partial(_trial, check), shapes)


def _cases(
    trial: Callable[[World, int, np.random.Generator], Mapping[str, float]],
    shapes: tuple[str, ...],
    folder: Path | None,
) -> Iterable[Case]:
    chosen = [world for world in WORLDS if world.shape in shapes]
    if folder is None:  # the short form
        chosen = chosen[:2]
    for world, clusters in product(chosen, CLUSTERS if folder else CLUSTERS[1:2]):
        yield Case(str(world), clusters, partial(trial, world, clusters))


def _trial(
    check: Check, world: World, clusters: int, rng: np.random.Generator
) -> Mapping[str, float]:
    scores, cluster = world.drawn(clusters, rng)
    return check(world, pseudo_values(scores, cluster), scores, cluster)


def _difference(
    world: World, clusters: int, rng: np.random.Generator
) -> Mapping[str, float]:
    """Whether intervals of differences hold, over clusters and, beside it, over topics; half of the systems are normal.

    Differences of systems with scores of one shape are symmetric, and easy; those of two shapes are skewed.
    """
    scores, cluster = world.drawn(clusters, rng)
    half = SYSTEMS // 2
    normal = world._replace(shape="normal")
    scores = np.concatenate([scores[:half], normal.scores(cluster, rng, half)])
    means = np.repeat([world.mean, normal.mean], half)[:, None]
    truth = differences(means)[:, 0]
    held = []
    for values in (pseudo_values(scores, cluster), scores):
        found = differences(values)
        low, high = descriptive.t_interval(found)
        kept = ((low <= truth) & (truth <= high)).mean()
        held.append((kept, (high - low).mean(), found.mean(axis=1) - truth))
    kept, width, away = held[0]
    return {"kept": kept, "width": width, AWAY: away, "over topics": held[1][0]}


def _mean_within(
    world: World, values: Floats, _: Floats, __: Ints
) -> Mapping[str, float]:
    """Whether intervals of means that know of bounds hold; normal scores have none."""
    of = descriptive.unbounded_interval
    if world.shape != "normal":
        of = descriptive.bounded_interval
    low, high = of(values)
    return {
        "kept": ((low <= world.mean) & (world.mean <= high)).mean(),
        "width": (high - low).mean(),
        AWAY: values.mean(axis=1) - world.mean,
    }


def _test(
    test: str, _: World, values: Floats, scores: Floats, cluster: Ints
) -> Mapping[str, float]:
    """Whether a test of two equal systems rejects, over clusters and, beside it, over topics."""
    rng = np.random.default_rng(len(cluster))
    # signs are those of sums
    used = totals(values, np.bincount(cluster)) if test == "permutation" else values
    p = TESTS[test](Given(used[:1] - used[1:2]), 999, rng)
    plain = TESTS[test](Given(scores[:1] - scores[1:2]), 999, rng)
    return {"kept": float(p[0] < 0.05), "over topics": float(plain[0] < 0.05)}


def _ranks(_: World, values: Floats, __: Floats, cluster: Ints) -> Mapping[str, float]:
    """Whether the rank sets of equal systems claim nothing: each may have every rank."""
    used = totals(values, np.bincount(cluster))
    found = rank_sets(used.T, np.random.default_rng(len(cluster)))
    every = (found.low == 1) & (found.high == SYSTEMS)
    return {"kept": float(every.all())}


def _alike(
    world: World, _: Floats, scores: Floats, cluster: Ints
) -> Mapping[str, float]:
    """Whether the interval of the intraclass correlation holds; of normal scores only it is known."""
    found = alike(scores, cluster)
    return {
        "kept": float(found.low <= world.icc <= found.high),
        "width": found.high - found.low,
    }


def _among_others(study: Study, icc: Sequence[float], most: int) -> Cases:
    """Return the cases of a promise about two systems among others, which standardize, in so many clusters at most."""

    def cases(folder: Path | None) -> Iterable[Case]:
        worlds = [
            World(one, equal, shape)
            for shape, one, equal in product(("skewed", "normal"), icc, (False, True))
        ]
        sizes = [one for one in CLUSTERS if one <= most] if folder else CLUSTERS[1:2]
        for world, clusters in product(worlds if folder else worlds[:2], sizes):
            trial = partial(_of_two, study, world, clusters)
            yield Case(str(world), clusters, trial)

    return cases


def _of_two(
    study: Study, world: World, clusters: int, rng: np.random.Generator
) -> Mapping[str, float]:
    scores, cluster = world.drawn(clusters, rng, OTHERS + 2)
    names = [f"s{at}" for at in range(len(scores))]
    topics = [str(at) for at in range(len(cluster))]
    both = cube(scores[..., None], names, topics, ["AP"])
    of = dict(zip(topics, cluster.astype(str), strict=True))
    plain, others = both.isel(system=slice(2)), both.isel(system=slice(2, None))
    return study(plain, with_clusters(plain, of), others)


def _placed(
    _: xr.DataArray, clustered: xr.DataArray, others: xr.DataArray
) -> Mapping[str, float]:
    """Whether the interval of a difference of two equal systems holds 0, placed among others."""
    return of_difference(place(clustered, on=others))


def of_difference(found: Result) -> Mapping[str, float]:
    """Whether the interval of the one difference of a study holds 0."""
    value, low, high = (
        found[f"difference{end}"].item() for end in ("", "_low", "_high")
    )
    return {"kept": float(low <= 0 <= high), "width": high - low, AWAY: value}


def _standardized(
    plain: xr.DataArray, clustered: xr.DataArray, others: xr.DataArray
) -> Mapping[str, float]:
    """Whether the interval of a difference of two equal systems' standardized scores holds 0."""
    factors = standardization.fit(others)
    values, over_topics = (
        by_cluster(standardization.apply(one, factors))[0].values[..., 0]
        for one in (clustered, plain)
    )
    low, high = (end[0] for end in descriptive.t_interval(values[:1] - values[1:]))
    plain_low, plain_high = (
        end[0] for end in descriptive.t_interval(over_topics[:1] - over_topics[1:])
    )
    return {
        "kept": float(low <= 0 <= high),
        "width": high - low,
        AWAY: float(np.mean(values[0] - values[1])),
        "over topics": float(plain_low <= 0 <= plain_high),
    }


class Sampled(NamedTuple):
    """How few topics are judged by people and all by a machine, which often has the score of people.

    whole : people judge all topics of some clusters, else as many topics as five times these clusters, one by one.
    copies : how often the machine has the score of people, and not one of another draw.
    """

    world: World
    whole: bool
    copies: float

    def __str__(self) -> str:
        judged = "whole clusters" if self.whole else "5 topics a cluster, anywhere"
        machine = "good" if self.copies > COPIES[1] else "bad"
        return f"{judged}, {machine} machine, {self.world}"

    def drawn(self, clusters: int, rng: np.random.Generator) -> Sample:
        """Draw scores of clusters of which people judge so many, or their topics, of several times as many."""
        human, cluster = self.world.drawn(EVERY * clusters, rng, FEW_SYSTEMS)
        other = self.world.scores(cluster, rng, FEW_SYSTEMS)
        machine = np.where(rng.random(human.shape) < self.copies, human, other)
        if self.whole:
            drawn = np.flatnonzero(cluster < clusters)
        else:
            drawn = np.sort(rng.permutation(len(cluster))[: 5 * clusters])
        return Sample(
            human[:, drawn], machine, drawn, np.ones(len(drawn)), cluster=cluster
        )


COPIES = (0.7, 0.2)
FEW_SYSTEMS = 5
EVERY = 4
"""The machine judges this many times as many clusters as people."""


def _estimated(
    way: Callable[..., Estimates],
    sampled: Sampled,
    clusters: int,
    rng: np.random.Generator,
) -> Mapping[str, float]:
    """Whether intervals by few human topics and a machine hold, over clusters and, beside it, over topics."""
    sample = sampled.drawn(clusters, rng)
    held = []
    for one in (sample, replace(sample, cluster=None)):
        found = way(one)
        low, high = found.interval(one.freedom(new_topics=True))
        truth, each = sampled.world.mean, slice(None)
        if low.ndim > 1:
            truth, each = 0.0, np.triu_indices(FEW_SYSTEMS, 1)
        inside = (low - 1e-12 <= truth) & (truth <= high + 1e-12)
        away = (found.value - truth)[each]
        held.append((inside[each].mean(), (high - low)[each].mean(), away))
    return {
        "kept": held[0][0],
        "width": held[0][1],
        AWAY: held[0][2],
        "over topics": held[1][0],
    }


def _of_samples(way: Callable[..., Estimates]) -> Cases:
    """Return the cases of estimates by few human topics and a machine: the hardest worlds."""

    def cases(folder: Path | None) -> Iterable[Case]:
        worlds = [
            Sampled(World(0.6, equal, shape), whole, copies)
            for shape, whole, equal, copies in product(
                ("skewed", "normal"), (True, False), (False, True), COPIES
            )
        ]
        sizes = (5, 12, 30) if folder else (12,)
        for sampled, clusters in product(worlds if folder else worlds[:2], sizes):
            trial = partial(_estimated, way, sampled, clusters)
            yield Case(str(sampled), clusters, trial, FEW_SYSTEMS)

    return cases


_of_differences = partial(_cases, _difference, tuple(SHAPES))
ENTRIES = [
    Entry("interval of a mean, clusters", 0.95, 0.92, _in_worlds(_mean_within), 400),
    Entry("a difference by itself, clusters", 0.95, 0.85, _of_differences, 400),
    Entry(
        "paired t test, clusters",
        0.05,
        0.08,
        _in_worlds(partial(_test, "t")),
        draws=2000,
    ),
    Entry(
        "permutation test, clusters",
        0.05,
        0.08,
        _in_worlds(partial(_test, "permutation")),
        draws=2000,
    ),
    Entry("rank sets, clusters", 0.95, 0.92, _in_worlds(_ranks), draws=400),
    Entry(
        "intraclass correlation", 0.95, 0.80, _in_worlds(_alike, ("normal",)), draws=400
    ),
    Entry(
        "difference of placed systems, clusters",
        0.95,
        0.92,
        _among_others(_placed, (0.6, 0.1), 30),
        draws=400,
        few=10,
    ),
    Entry(
        "difference of standardized scores, clusters",
        0.95,
        0.92,
        _among_others(_standardized, (0.6, 0.1), 60),
        draws=600,
    ),
    Entry(
        "mean by few human topics and a machine, clusters",
        0.95,
        0.87,
        _of_samples(estimate_means),
        draws=300,
    ),
    Entry(
        "difference by few human topics and a machine, clusters",
        0.95,
        0.92,
        _of_samples(estimate_differences),
        draws=300,
    ),
]
