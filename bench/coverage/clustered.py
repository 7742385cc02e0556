"""Promises of studies of many systems whose topics come in clusters: eight worlds, the hardest first."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path

import numpy as np
import scipy.stats
import xarray as xr

from bench.coverage.clusters import CLUSTERS, MOST, SHAPES, World
from bench.coverage.frame import AWAY, Case, Entry
from irmeta.scores.cube import cube
from irmeta.scores.groups.clusters import with_clusters
from irmeta.stats.arrays import Floats, Ints, settled
from irmeta.stats.halves.clusters import pseudo_values
from irmeta.stats.rankings import agreement
from irmeta.stats.rankings.rank import tau_a, tau_b
from irmeta.stats.reliability import components, expected
from irmeta.stats.reliability.intervals import signal_ends
from irmeta.studies.agreement.predictivity.study import predictivity
from irmeta.studies.design.study import design

SYSTEMS = 20
WORLDS = (
    World(0.6, False, "skewed"),
    World(0.6, False, "0/1"),
    World(0.6, True, "skewed"),
    World(0.3, False, "skewed"),
    World(0.3, False, "0/1"),
    World(0.1, False, "skewed"),
    World(0.6, False, "normal"),
    World(0.0, True, "normal"),
)
NOISES = (1.0, 2.0, 1.2)
"""Of three metrics, the standard deviation of what they do on one system and topic; the second is noisy."""
METRICS = ["AP", "P@10", "nDCG@20"]
ABILITY, SHARED = 0.5, 0.8
"""Standard deviations: of systems, and of what all metrics see of a system on a topic; that of topics is 1."""

Trial = Callable[[World, int, np.random.Generator], Mapping[str, float]]
Cases = Callable[[Path | None], Iterable[Case]]
GRID = np.linspace(-6.0, 6.0, 6001)


@cache
def _quantiles(shape: str) -> Floats:
    """Tabulate the scores of a shape along normal ones."""
    return np.asarray(SHAPES[shape].ppf(scipy.stats.norm.cdf(GRID)))


def shaped(normal: Floats, shape: str) -> Floats:
    """Give normal scores of variance 1 a shape."""
    if shape == "0/1":
        return (normal > scipy.stats.norm.ppf(0.8)).astype(np.float64)
    return np.interp(normal, GRID, _quantiles(shape))


def clusters_of(world: World, clusters: int, rng: np.random.Generator) -> Ints:
    """Draw the cluster of each topic."""
    sizes = np.full(clusters, 5)
    if not world.equal:
        sizes = rng.integers(1, MOST + 1, clusters)
    return np.repeat(np.arange(clusters), sizes)


def noise(
    world: World, cluster: Ints, shape: tuple[int, ...], rng: np.random.Generator
) -> Floats:
    """Draw normal noise (..., topic) of variance 1, alike in a cluster."""
    common = rng.normal(size=(*shape, cluster.max() + 1))[..., cluster]
    own = rng.normal(size=(*shape, len(cluster)))
    return np.sqrt(world.icc) * common + np.sqrt(1 - world.icc) * own


def abilities(rng: np.random.Generator) -> Floats:
    """Draw systems."""
    return ABILITY * rng.normal(size=SYSTEMS)


def drawn(
    world: World,
    able: Floats,
    cluster: Ints,
    rng: np.random.Generator,
    noises: Sequence[float] = NOISES,
) -> Floats:
    """Draw scores (metric, system, topic) of systems on new topics by metrics with these noises, alike in a cluster."""
    seen = able[:, None] + noise(world, cluster, (), rng)
    seen = seen + SHARED * noise(world, cluster, (len(able),), rng)
    own = noise(world, cluster, (len(noises), len(able)), rng)
    spread = np.array(noises)[:, None, None]
    return shaped(
        (seen + spread * own) / np.sqrt(1 + ABILITY**2 + SHARED**2 + spread**2),
        world.shape,
    )


def collection(
    world: World, clusters: int, rng: np.random.Generator
) -> tuple[Floats, Floats, Ints]:
    """Draw systems, and their scores (system, topic) by the first metric in clusters."""
    able, cluster = abilities(rng), clusters_of(world, clusters, rng)
    return able, drawn(world, able, cluster, rng, NOISES[:1])[0], cluster


def labelled(scores: Floats, cluster: Ints) -> xr.DataArray:
    """Return scores (metric, system, topic) as a cube whose topics have clusters."""
    systems, topics = ([str(at) for at in range(n)] for n in scores.shape[1:])
    made = cube(np.moveaxis(scores, 0, -1), systems, topics, METRICS[: len(scores)])
    return with_clusters(made, dict(zip(topics, cluster.astype(str), strict=True)))


def in_eight(trial: Trial, sizes: tuple[int, ...] = CLUSTERS) -> Cases:
    """Return the cases of a promise: the eight worlds, with each number of clusters."""

    def cases(folder: Path | None) -> Iterable[Case]:
        for world in WORLDS if folder else WORLDS[:1]:
            for clusters in sizes if folder else (12,):
                one = partial(trial, world, clusters)
                yield Case(str(world), clusters, one, SYSTEMS)

    return cases


@cache
def _true_components(world: World, clusters: int) -> components.Components:
    """Compute the variances of systems, and of means of so many clusters times their number, over many collections."""
    rng = np.random.default_rng(0)
    able = ABILITY * scipy.stats.norm.ppf((np.arange(40) + 0.5) / 40)
    means = []
    for _ in range(400):
        cluster = clusters_of(world, clusters, rng)
        means.append(drawn(world, able, cluster, rng, NOISES[:1])[0].mean(axis=1))
    # a collection in place of a topic: what it adds to all, and to each
    return components.components(np.array(means).T[..., None])


def _coefficient(
    name: components.Coefficient, world: World, clusters: int, rng: np.random.Generator
) -> Mapping[str, float]:
    """Hold the coefficient with as many clusters, over clusters and, beside it, over topics."""
    _, scores, cluster = collection(world, clusters, rng)
    signal = components.signal(_true_components(world, clusters), name)
    truth = float(components.stability(signal, 1).item())
    held = []
    for values in (pseudo_values(scores, cluster), scores):
        ends = signal_ends(values, name)
        own = components.signal(components.components(values[..., None]), name).item()
        low, value, high = (
            float(components.stability(one, values.shape[1]))
            for one in (ends[0], own, ends[1])
        )
        held.append((float(low <= truth <= high), high - low, value - truth))
    return {
        "kept": held[0][0],
        "width": held[0][1],
        AWAY: held[0][2],
        "over topics": held[1][0],
    }


def _expected_tau(
    world: World, clusters: int, rng: np.random.Generator
) -> Mapping[str, float]:
    """Hold tau with the true ranking, over clusters and, beside it, over topics."""
    able, scores, cluster = collection(world, clusters, rng)
    tau = float(tau_a(able, settled(scores.mean(axis=1))))
    held = []
    for values in (pseudo_values(scores, cluster), scores):
        half = float(expected.half_tau(values[..., None], 50, rng).item())
        low, high = expected.tau_interval(values, half, rng)
        stepped = expected.stepped(half, 2)
        low, high = min(low, stepped), max(high, stepped)
        held.append((float(low <= tau <= high), high - low, stepped - tau))
    return {
        "kept": held[0][0],
        "width": held[0][1],
        AWAY: held[0][2],
        "over topics": held[1][0],
    }


@cache
def true_r(world: World, clusters: int) -> Floats:
    """Compute the mean correlation of metrics over scores of the same systems, over many collections."""
    able, rng = abilities(np.random.default_rng(1)), np.random.default_rng(0)
    found = []
    for _ in range(600):
        scores = drawn(world, able, clusters_of(world, clusters, rng), rng)
        found.append(np.corrcoef(scores.reshape(len(scores), -1)))
    return np.mean(found, axis=0)


def _correlated(
    world: World, clusters: int, rng: np.random.Generator
) -> Mapping[str, float]:
    """Hold correlations over scores, each cluster left out and, beside it, each topic."""
    able = abilities(np.random.default_rng(1))
    cluster = clusters_of(world, clusters, rng)
    scores = np.moveaxis(drawn(world, able, cluster, rng), 0, -1)
    truth, pairs = true_r(world, clusters), np.triu_indices(len(METRICS), 1)
    held = []
    for units in ([cluster], [np.arange(len(cluster))]):
        r, without = agreement.over_scores([scores], "pearson", units)
        low, high = agreement.interval(r, without)
        inside = ((low <= truth) & (truth <= high))[pairs].mean()
        held.append((inside, (high - low)[pairs].mean(), (r - truth)[pairs]))
    return {
        "kept": held[0][0],
        "width": held[0][1],
        AWAY: held[0][2],
        "over topics": held[1][0],
    }


AGAIN = 40
"""Pairs of new sets of clusters that the true tau of a design is the mean over."""


def _design(
    world: World, clusters: int, rng: np.random.Generator
) -> Mapping[str, float]:
    """Hold the tau that a design of half of the clusters promises to that of the same systems on new ones."""
    able, cluster = abilities(rng), clusters_of(world, clusters, rng)
    scores = drawn(world, able, cluster, rng)
    n = clusters // 2
    found = design(
        labelled(scores, cluster),
        target="AP",
        metrics="AP",
        sizes=[n],
        partitions=100,
        teams="each",
        rng=rng,
    ).sel(size=n)
    low, high = (float(found[name].item()) for name in ("low", "high"))
    means = [
        drawn(world, able, clusters_of(world, n, rng), rng, NOISES[:1])[0].mean(axis=1)
        for _ in range(2 * AGAIN)
    ]
    tau = tau_b(settled(np.array(means[::2])), settled(np.array(means[1::2]))).mean()
    return {
        "kept": float(low <= tau <= high),
        "width": high - low,
    }


@cache
def _true_halves(world: World, clusters: int) -> tuple[Floats, Floats]:
    """Compute mean phi, and mean advantages, of halves of the clusters over many collections."""
    rng, found = np.random.default_rng(0), []
    for _ in range(1500):
        able, n = abilities(rng), clusters // 2
        means = [
            settled(drawn(world, able, clusters_of(world, size, rng), rng).mean(axis=2))
            for size in (n, clusters - n)
        ]
        # where all systems tie tau counts as 0
        found.append(np.nan_to_num(tau_b(*means)))
    both = np.mean(found, axis=0)
    mean = (both + both.T) / 2
    return mean, mean - np.diag(mean)


def _predictivity(
    world: World, clusters: int, rng: np.random.Generator
) -> Mapping[str, float]:
    """Hold advantages; beside them phi."""
    able, cluster = abilities(rng), clusters_of(world, clusters, rng)
    scores = labelled(drawn(world, able, cluster, rng), cluster)
    found = predictivity(scores, partitions=100, teams="each", rng=rng)
    mean, advantages = _true_halves(world, clusters)
    off = ~np.eye(len(METRICS), dtype=np.bool_)
    low, high = found["low"].values, found["high"].values
    inside = (low <= advantages) & (advantages <= high)
    of_phi = (found["phi_low"].values <= mean) & (mean <= found["phi_high"].values)
    # no interval where hardly a system changes its place, which claims nothing
    silent = np.isnan(low)
    return {
        "kept": (inside | silent)[off].mean(),
        "width": float(np.nanmean(np.where(off, high - low, np.nan))),
        AWAY: (found["advantage"].values - advantages)[off & ~silent],
        "phi": (of_phi | np.isnan(found["phi_low"].values)).mean(),
        "none": silent[off].mean(),
    }


_MORE = (12, 30, 60)
"""Numbers of clusters of studies that take at least eight."""

ENTRIES = [
    Entry("E rho2, clusters", 0.95, 0.92, in_eight(partial(_coefficient, "erho2"))),
    Entry("Phi, clusters", 0.95, 0.92, in_eight(partial(_coefficient, "phi"))),
    Entry("tau with the true ranking, clusters", 0.95, 0.85, in_eight(_expected_tau)),
    Entry("r over scores, clusters", 0.95, 0.90, in_eight(_correlated)),
    Entry("tau of a design, clusters", 0.95, 0.90, in_eight(_design, _MORE), 150, 10),
    Entry(
        "advantage of a metric, clusters",
        0.95,
        0.90,
        in_eight(_predictivity),
        150,
        10,
    ),
]
