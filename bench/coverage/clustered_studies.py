"""Promises of tests, boards, comparisons, choices of metrics and reuse whose topics come in clusters: eight worlds."""

from collections.abc import Mapping

import numpy as np
import xarray as xr

from bench.coverage.clustered import (
    NOISES,
    SYSTEMS,
    abilities,
    clusters_of,
    drawn,
    in_eight,
    labelled,
    noise,
    shaped,
    true_r,
)
from bench.coverage.clusters import World
from bench.coverage.frame import AWAY, Entry
from irmeta.stats.prediction import penalty
from irmeta.stats.subsets.orders import unexplained
from irmeta.studies.choice.ranking.study import rank
from irmeta.studies.differences.significance.study import significance
from irmeta.studies.leaderboard.study import leaderboard
from irmeta.studies.standardizing.comparison.study import compare

RESAMPLES = 300


def _equals(world: World, clusters: int, rng: np.random.Generator) -> xr.DataArray:
    """Draw systems that are equally good, on topics in clusters."""
    cluster = clusters_of(world, clusters, rng)
    return labelled(drawn(world, np.zeros(SYSTEMS), cluster, rng, NOISES[:1]), cluster)


def _tests(
    world: World, clusters: int, rng: np.random.Generator
) -> Mapping[str, float]:
    """Say whether a difference is found between equal systems; beside it whether by Holm's t, and over topics."""
    scores = _equals(world, clusters, rng)
    ways = (
        significance(scores, resamples=RESAMPLES),
        significance(scores, test="t"),
        significance(scores.drop_vars("cluster"), resamples=RESAMPLES),
    )
    found = [float((way["p_corrected"] < 0.05).any()) for way in ways]
    return {"kept": found[0], "Holm": found[1], "over topics": found[2]}


def _board(
    world: World, clusters: int, rng: np.random.Generator
) -> Mapping[str, float]:
    """Say by how many aggregates rank sets of equal models claim nothing; and by each of them."""
    found = leaderboard(_equals(world, clusters, rng), resamples=RESAMPLES, rng=rng)
    nothing = (found["low"] == 1) & (found["high"] == SYSTEMS)
    every = nothing.all("system")
    return {
        "kept": float(every.mean()),
        **{str(one): float(every.sel(aggregate=one)) for one in every.aggregate.values},
    }


def _compared(
    world: World, clusters: int, rng: np.random.Generator
) -> Mapping[str, float]:
    """Test systems against themselves on new clusters; beside it what re-partitions say of all together."""
    able = abilities(rng)
    cubes = {}
    for name in ("one", "other"):
        cluster = clusters_of(world, clusters, rng)
        made = labelled(drawn(world, able, cluster, rng, NOISES[:1]), cluster)
        topics = [f"{name}{topic}" for topic in made.topic.values]
        cubes[name] = made.assign_coords(
            topic=topics, cluster=("topic", [f"{name}{at}" for at in cluster])
        )
    found = compare(
        cubes, kinds=["raw"], partitions=200, same_systems=True, rng=rng
    ).squeeze(drop=True)
    return {
        "kept": float((found["own_p"] < 0.05).mean()),
        "dRMSE beyond random splits": float(found["drmse_quantile"] > 0.95),
        "false positives beyond": float(found["false_positives_quantile"] > 0.95),
    }


def _chosen(
    world: World, clusters: int, rng: np.random.Generator
) -> Mapping[str, float]:
    """Hold what one and two chosen metrics leave unexplained; beside it the lead of the best set."""
    able = abilities(np.random.default_rng(1))
    cluster = clusters_of(world, clusters, rng)
    found = rank(labelled(drawn(world, able, cluster, rng), cluster), k=2, rng=rng)
    truth = true_r(world, clusters)
    left = _left(truth, found["chosen"].values)
    low, high = (found[f"unexplained_{end}"].values for end in ("low", "high"))
    figures = {
        "kept": ((low <= left) & (left <= high)).mean(),
        "width": (high - low).mean(),
        AWAY: found["unexplained"].values - left,
    }
    if "rival" in found:
        pairs = np.array([[at != out for at in range(3)] for out in range(3)])
        best = pairs[_left(truth, pairs).argmin()]
        among = (found["rival"].values == best).all(axis=1).any()
        figures["best is among those that may be"] = float(among)
    return figures


def _left(sigma: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """Return what each set of metrics leaves unexplained by this matrix."""
    return np.array([unexplained(sigma, np.flatnonzero(one)) for one in chosen])


GROUPS, NEW, RUNS = 20, 15, 3


def _lost(world: World, clusters: int, rng: np.random.Generator) -> Mapping[str, float]:
    """Predict what runs of new groups lose, on the same topics, where groups err alike in a cluster."""
    cluster = clusters_of(world, clusters, rng)
    group = np.repeat(np.arange(GROUPS + NEW), RUNS)
    topic = noise(world, cluster, (), rng)
    by_group = noise(world, cluster, (GROUPS + NEW,), rng)[group]
    by_run = noise(world, cluster, group.shape, rng)
    scores = shaped((topic + by_group + by_run) / np.sqrt(3), world.shape)
    factor = np.exp(noise(world, cluster, (GROUPS + NEW,), rng)[group] / 2)
    unjudged = rng.uniform(0.05, 0.6, group.size)
    # one number a run, as the study sees it: means over topics
    score = scores.mean(axis=1)
    loss = 0.2 * unjudged * (factor * scores).mean(axis=1)
    old = group < GROUPS
    learned = penalty.fit(loss[old], unjudged[old], score[old], group[old])
    found = penalty.band(learned, unjudged[~old], score[~old])
    held = penalty.coverage(loss[~old], found, group[~old] - GROUPS)
    return {
        "kept": held,
        "width": (found.high - found.low).mean() / loss.std(),
        AWAY: (found.expected - loss[~old]) / loss.std(),
    }


ENTRIES = [
    Entry("max-t test of all pairs, clusters", 0.05, 0.08, in_eight(_tests), 150, 10),
    Entry("rank sets of a leaderboard, clusters", 0.95, 0.85, in_eight(_board), 150, 5),
    Entry(
        "a system against itself on other topics, clusters",
        *(0.05, 0.08),
        in_eight(_compared),
        *(150, 10),
    ),
    Entry(
        "what chosen metrics leave, clusters", 0.95, 0.90, in_eight(_chosen), 300, 10
    ),
    Entry(
        "loss of a run that was not pooled, clusters",
        *(0.90, 0.85),
        in_eight(_lost),
        *(150, 20),
    ),
]
