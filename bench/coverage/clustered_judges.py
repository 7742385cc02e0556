"""Promises of judges whose topics come in clusters: eight worlds, the hardest first."""

from collections.abc import Mapping
from functools import cache

import numpy as np

from bench.coverage.clustered import (
    ABILITY,
    SYSTEMS,
    abilities,
    clusters_of,
    in_eight,
    noise,
    shaped,
)
from bench.coverage.clusters import World
from bench.coverage.frame import AWAY, Entry
from irmeta.stats.arrays import Floats, Ints, settled
from irmeta.stats.halves.clusters import pseudo_values
from irmeta.stats.halves.phi import phi, phi_interval
from irmeta.stats.judging.rankings import taus
from irmeta.stats.judging.soft import p_values, soft_accuracy
from irmeta.stats.rankings.rank import tau_b

FAVOUR = (0.0, 0.05, 0.4)
"""How a judge favours systems (standard deviation): people, a good judge and a bad one."""


def _judged(
    world: World, clusters: int, rng: np.random.Generator
) -> tuple[Floats, Ints]:
    """Draw scores (set, system, topic) by people, a good judge and a bad one, and the clusters."""
    able, cluster = abilities(rng), clusters_of(world, clusters, rng)
    seen = noise(world, cluster, (), rng) + noise(world, cluster, (SYSTEMS,), rng)
    made = []
    for favour, apart in zip(FAVOUR, (0.0, 0.5, 1.0), strict=True):
        own = favour * rng.normal(size=SYSTEMS)
        errs = apart * noise(world, cluster, (SYSTEMS,), rng)
        spread = np.sqrt(2 + ABILITY**2 + favour**2 + apart**2)
        made.append(shaped(((able + own)[:, None] + seen + errs) / spread, world.shape))
    return np.stack(made), cluster


@cache
def _true_taus(world: World, clusters: int) -> Floats:
    """Compute the mean tau of each judge over many collections."""
    rng, found = np.random.default_rng(0), []
    for _ in range(1500):
        means = settled(_judged(world, clusters, rng)[0].mean(axis=-1))
        found.append(tau_b(means[0], means[1:]))
    return np.mean(found, axis=0)


def _tau(world: World, clusters: int, rng: np.random.Generator) -> Mapping[str, float]:
    """Hold the good judge's tau; beside it the bad one's, and the good one's over topics."""
    scores, cluster = _judged(world, clusters, rng)
    truth = _true_taus(world, clusters)
    found = taus(pseudo_values(scores, cluster), rng)
    own = found.interval()
    inside = (own.low <= truth) & (truth <= own.high)
    plain = taus(scores, rng).interval()
    return {
        "kept": inside[0],
        "width": own.high[0] - own.low[0],
        AWAY: own.value[0] - truth[0],
        "bad judge": inside[1],
        "over topics": plain.low[0] <= truth[0] <= plain.high[0],
    }


def _difference(
    world: World, clusters: int, rng: np.random.Generator
) -> Mapping[str, float]:
    """Hold the good judge's tau less the bad one's."""
    values = pseudo_values(*_judged(world, clusters, rng))
    truth = _true_taus(world, clusters)
    found = taus(values, rng).differences()
    low, high = found.low[0, 1], found.high[0, 1]
    apart = truth[0] - truth[1]
    return {
        "kept": low <= apart <= high,
        "width": high - low,
        AWAY: found.value[0, 1] - apart,
    }


@cache
def _true_soft(world: World, clusters: int) -> Floats:
    """Compute the mean soft pairwise accuracy of each judge over many collections, on the scale of tau."""
    rng = np.random.default_rng(0)
    signs = rng.choice([-1.0, 1.0], size=(200, clusters))
    upper, found = np.triu_indices(SYSTEMS, 1), []
    for _ in range(300):
        p = p_values(pseudo_values(*_judged(world, clusters, rng)), signs)
        found.append(1 - 2 * np.abs(p[1:] - p[0])[:, *upper].mean(axis=-1))
    return np.mean(found, axis=0)


def _soft(world: World, clusters: int, rng: np.random.Generator) -> Mapping[str, float]:
    """Hold the good judge's soft accuracy; beside it the bad one's."""
    values = pseudo_values(*_judged(world, clusters, rng))
    truth = _true_soft(world, clusters)
    own = soft_accuracy(values, rng, np.arange(SYSTEMS)).interval()
    inside = (own.low <= truth) & (truth <= own.high)
    width = (own.high[0] - own.low[0]) / 2
    off = (own.value[0] - truth[0]) / 2
    return {"kept": inside[0], "width": width, AWAY: off, "bad judge": inside[1]}


@cache
def _true_gain(world: World, clusters: int) -> float:
    """Compute by how much the good judge predicts people better than they do themselves, over many collections."""
    rng, gains = np.random.default_rng(0), []
    for _ in range(600):
        values = pseudo_values(*_judged(world, clusters, rng))
        own, judge = phi(values[:2], rng, 4)
        gains.append(judge - own)
    return float(np.mean(gains))


def _gain(world: World, clusters: int, rng: np.random.Generator) -> Mapping[str, float]:
    values = pseudo_values(*_judged(world, clusters, rng))
    found, low, high = phi_interval(values[:2], rng, 200)
    truth = _true_gain(world, clusters)
    return {
        "kept": low[0] <= truth <= high[0],
        "width": high[0] - low[0],
        AWAY: found[1] - found[0] - truth,
    }


ENTRIES = [
    Entry("tau, good judge, clusters", 0.95, 0.90, in_eight(_tau), 400, 20),
    Entry(
        "difference of tau, good and bad judge, clusters",
        0.95,
        0.90,
        in_eight(_difference),
        600,
        10,
    ),
    Entry("soft pairwise accuracy, clusters", 0.95, 0.90, in_eight(_soft), 600, 10),
    Entry("gain in phi, good judge, clusters", 0.95, 0.85, in_eight(_gain), 150, 10),
]
