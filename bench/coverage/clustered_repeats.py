"""Promises about systems that run several times on topics in clusters: eight worlds, the hardest first."""

from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from bench.coverage.clustered import clusters_of, noise, shaped
from bench.coverage.clusters import CLUSTERS
from bench.coverage.clusters import World as Clustered
from bench.coverage.frame import AWAY, Case, Entry
from irmeta.scores.cube import cube
from irmeta.scores.groups.clusters import with_clusters
from irmeta.scores.groups.repeats import with_repeats
from irmeta.scores.selection import prepare
from irmeta.stats import descriptive


class World(NamedTuple):
    """How scores are drawn: clusters, how many runs each of two systems has, and how much these scatter on all topics.

    What a system and what a run does on a topic have a standard deviation of .5, alike in a cluster.
    """

    clusters: Clustered
    runs: tuple[int, int]
    level: float

    def __str__(self) -> str:
        each = " and ".join(map(str, sorted(set(self.runs))))
        return f"{self.clusters}, systems of {each} runs, their levels {self.level:g}"


_HARD = Clustered(0.6, False, "skewed")
WORLDS = (
    World(_HARD, (3, 3), 0.5),
    World(_HARD, (1, 3), 0.5),
    World(_HARD, (10, 10), 0.5),
    World(_HARD, (3, 3), 0.15),
    World(Clustered(0.6, False, "0/1"), (3, 3), 0.5),
    World(Clustered(0.3, False, "0/1"), (3, 10), 0.15),
    World(Clustered(0.1, True, "normal"), (3, 3), 0.15),
    World(Clustered(0.0, True, "normal"), (10, 10), 0.0),
)


def _trial(
    world: World, clusters: int, rng: np.random.Generator
) -> Mapping[str, float]:
    """Hold the difference of two equal systems."""
    of = np.repeat([0, 1], world.runs)
    cluster = clusters_of(world.clusters, clusters, rng)
    own = noise(world.clusters, cluster, (2,), rng)[of]
    once = noise(world.clusters, cluster, (len(of),), rng)
    level = world.level * rng.normal(size=(len(of), 1))
    level[np.array(world.runs)[of] == 1] = 0.0  # a system of one run never varies
    normal = noise(world.clusters, cluster, (), rng) + (own + once) / 2 + level
    spread = np.sqrt(1.5 + world.level**2)
    scores = shaped(normal / spread, world.clusters.shape)
    topics = [str(at) for at in range(len(cluster))]
    made = cube(
        scores[..., None], [f"s{of[at]}_{at}" for at in range(len(of))], topics, ["AP"]
    )
    named = with_clusters(made, dict(zip(topics, cluster.astype(str), strict=True)))
    means = with_repeats(named, "stem")
    values = prepare(means)[0].values[..., 0]
    low, high = (end[0] for end in descriptive.t_interval(values[:1] - values[1:]))
    return {
        "kept": float(low <= 0 <= high),
        "width": high - low,
        AWAY: float(np.mean(values[0] - values[1])),
    }


def _cases(folder: Path | None) -> Iterable[Case]:
    for world in WORLDS if folder else WORLDS[:1]:
        for clusters in CLUSTERS if folder else (12,):
            yield Case(str(world), clusters, partial(_trial, world, clusters), 2)


ENTRIES = [
    Entry("difference of means of runs, clusters", 0.95, 0.90, _cases, draws=600),
]
