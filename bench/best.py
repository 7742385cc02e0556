"""Best of many: what is named beside the best where nothing is better, and how often what is better is found.

python -m bench.best --part metrics           lines of docs/worlds.md; also --part systems, --part sets
python -m bench.best --part metrics --draws 20 --only "23 metrics, 60 systems"
"""

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import product
from typing import NamedTuple

import numpy as np
import scipy.stats
import xarray as xr

from irmeta.scores.cube import cube
from irmeta.stats.arrays import Floats, settled
from irmeta.stats.halves.halving import (
    both_ways,
    half_tau,
    halves,
    set_means,
    shuffles,
    split_half,
)
from irmeta.stats.rankings.ranksets import rank_sets
from irmeta.stats.tests import multiplicity, paired
from irmeta.stats.tests.multiplicity import range_quantile
from irmeta.studies.agreement.predictivity import summary as power
from irmeta.studies.agreement.predictivity.study import best_predictor, predictivity
from irmeta.studies.choice.ranking import summary as ranking
from irmeta.studies.choice.ranking.study import rank

LEVEL = 0.05
BETTER = 0.05
"""How much better the better metric is, in mean phi, and the better system, in its mean."""
PARTITIONS = 20
METRICS, SYSTEMS, TOPICS = (4, 10, 23), (10, 30, 60), (25, 50)

Figures = Mapping[str, float]


class Cell(NamedTuple):
    """A world and its size, and what one draw of it shows: figures by name, whose means are reported."""

    name: str
    draw: Callable[[np.random.Generator], Figures]


class Noise(NamedTuple):
    """How a world errs: skewed and rounded scores tie systems, as precision does."""

    name: str
    ties: bool


NOISES = (Noise("normal", False), Noise("skewed, ties", True))


def scores_of_metrics(
    rng: np.random.Generator,
    metrics: int,
    systems: int,
    topics: int,
    noise: Noise,
    precise: float = 1.0,
    leaning: float = 0.3,
) -> Floats:
    """Draw scores (system, topic, metric) of metrics that share quality and topics; each has noise and leanings.

    precise : by what the noise and the leanings of the first metric are multiplied.  leaning : how strongly a metric
    favours some systems; 0 where metrics are to be equally good for these systems, not for systems like them.
    """
    own = np.full(metrics, 1.0)
    own[0] = precise
    quality = 0.6 * rng.normal(size=(systems, 1, 1))
    leans = leaning * own * rng.normal(size=(systems, 1, metrics))
    shared = rng.normal(size=(systems, topics, 1)) + rng.normal(size=(1, topics, 1))
    scores = (
        quality + leans + shared + own * rng.normal(size=(systems, topics, metrics))
    )
    return _tied(scores) if noise.ties else scores


def _tied(scores: Floats) -> Floats:
    """Turn normal scores into shares of ten documents, most of them low."""
    return np.asarray(np.round(10 * scipy.stats.norm.cdf(scores / 2 - 0.7)) / 10)


@cache
def precision_for(metrics: int, topics: int, noise: Noise) -> float:
    """Find the factor with which the first metric's mean phi is .05 above that of each other, by bisection."""
    low, high = 0.0, 1.0
    for _ in range(12):
        middle = (low + high) / 2
        low, high = (
            (middle, high)
            if _true_lead(middle, metrics, topics, noise) > BETTER
            else (low, middle)
        )
    return low


def _true_lead(precise: float, metrics: int, topics: int, noise: Noise) -> float:
    """Return the lead of the first metric over another, with the same draws for every factor.

    All others are alike, so phi of four metrics has every kind of pair: lead = [phi(A, A) + (M - 1) phi(A, B)
    - phi(A, B) - phi(B, B) - (M - 2) phi(B, C)] / M.
    """
    phi = np.zeros((4, 4))
    for seed in range(12):
        rng = np.random.default_rng([seed, 7])
        scores = scores_of_metrics(rng, 4, 150, topics, noise, precise)
        phi += split_half(scores, [(topics // 2, topics // 2)], 10, rng)[0].phi / 12
    itself, others = phi[0, 0], phi[0, 1:].mean()
    own = np.diagonal(phi)[1:].mean()
    between = phi[1:, 1:][~np.eye(3, dtype=bool)].mean()
    return float(
        (itself + (metrics - 2) * others - own - (metrics - 2) * between) / metrics
    )


@cache
def dunnett(count: int, freedom: int) -> float:
    """Return the one-sided 5% quantile of the largest t of `count` comparisons with one control (correlation 1/2)."""
    rng = np.random.default_rng(0)
    others = rng.normal(size=(100_000, count)).max(axis=1)
    spread = np.sqrt(2 * rng.chisquare(freedom, 100_000) / freedom)
    return float(np.quantile((others - rng.normal(size=100_000)) / spread, 1 - LEVEL))


def bonferroni(count: int, freedom: int) -> float:
    """Return Student's quantile for all pairs of `count` at once."""
    return float(scipy.stats.t.isf(LEVEL / (count * (count - 1)), freedom))


QUANTILES = {
    "Bonferroni": bonferroni,
    "Tukey": range_quantile,
    "Hsu": lambda count, freedom: dunnett(count - 1, freedom),
}


def beside(lead: Floats, error: Floats, quantile: float) -> int:
    """Count what is not clearly behind the best, itself included: lead, error (other,) with 0 for the best."""
    return int((lead <= quantile * error).sum())


def _named(name: str, count: int, size: int, best: bool) -> Figures:
    """Return whether all are named, whether the first alone is, and how many are."""
    return {
        f"{name}: all": count == size,
        f"{name}: it alone": count == 1 and best,
        f"{name}: named": count,
    }


def of_metrics(
    rng: np.random.Generator,
    metrics: int,
    systems: int,
    topics: int,
    noise: Noise,
    better: bool,
) -> Figures:
    """Draw a world of metrics; say what predictivity names, and what simpler methods would."""
    precise = precision_for(metrics, topics, noise) if better else 1.0
    scores = scores_of_metrics(rng, metrics, systems, topics, noise, precise)
    outcome = predictivity(labelled(scores), partitions=PARTITIONS, rng=rng)
    best = best_predictor(outcome)
    lead = outcome["lead"].values[best]
    freedom = min(systems, topics) - 1
    drawn = halves(
        shuffles(topics, PARTITIONS, rng), (topics // 2, topics - topics // 2)
    )
    alone = over_topics(scores, drawn)[best]
    rivals = power.rivals_of_best(outcome)
    said = " ".join(power.findings(outcome))
    found = dict(_named("irmeta", len(rivals) + 1, metrics, best == 0))
    found["a metric is better"] = "better than they predict themselves" in said
    error = (lead - outcome["lead_low"].values[best]) / range_quantile(metrics, freedom)
    for name in ("Bonferroni", "Hsu"):
        found |= _named(
            name,
            beside(lead, error, QUANTILES[name](metrics, freedom)),
            metrics,
            best == 0,
        )
    count = beside(lead, alone, bonferroni(metrics, topics - 1))
    return found | _named("over topics", count, metrics, best == 0)


def over_topics(scores: Floats, drawn: np.ndarray) -> Floats:
    """Return the standard errors of leads by leaving out each topic, the systems taken as fixed: (metric, metric)."""
    by_topic = scores.transpose(1, 2, 0)
    moved = []
    for topic in range(scores.shape[1]):
        without = drawn.copy()
        without[:, :, topic] = False
        moved.append(_leads(by_topic, without))
    centred = np.array(moved) - np.mean(moved, axis=0)
    count = len(moved)
    return np.sqrt((count - 1) / count * (centred**2).sum(axis=0))


def _leads(by_topic: Floats, drawn: np.ndarray) -> Floats:
    means = settled(set_means(by_topic, drawn))
    phi = both_ways(half_tau(means[:, 0], means[:, 1], "b"))
    mean = phi.mean(axis=(0, 2))
    return np.asarray(mean[:, None] - mean)


def labelled(scores: Floats) -> xr.DataArray:
    """Name systems, topics and metrics."""
    systems, topics, metrics = scores.shape
    names = [f"P@{k}" for k in range(1, metrics + 1)]
    return cube(
        scores,
        [f"s{i:02}" for i in range(systems)],
        [str(i) for i in range(topics)],
        names,
        collection="made",
    )


SPREAD = 0.1
"""The standard deviation of a system's scores on a topic, beside what all systems share there."""


def scores_of_systems(
    rng: np.random.Generator, systems: int, topics: int, noise: Noise, better: bool
) -> Floats:
    """Draw scores (system, topic) of systems of one true mean, or of which the first is better."""
    topic = 0.15 * rng.normal(size=topics)
    scores = 0.4 + topic + SPREAD * rng.normal(size=(systems, topics))
    if noise.ties:
        skewed = rng.gamma(0.5, 0.2, size=(systems, topics)) * np.exp(
            topic
        )  # mean .1 exp(topic)
        scores = np.round(10 * skewed) / 10
    scores[0] += BETTER * better
    return scores


def of_systems(
    rng: np.random.Generator, systems: int, topics: int, noise: Noise, better: bool
) -> Figures:
    """Draw a world of systems; say which describe and significance name beside the best, and simpler methods would."""
    scores = scores_of_systems(rng, systems, topics, noise, better)
    mean = scores.mean(axis=1)
    best = int(mean.argmax())
    sets = rank_sets(scores.T, rng)
    found = dict(_named("describe", int((sets.low == 1).sum()), systems, best == 0))
    found["describe: a rank is claimed"] = bool(sets.better.any())
    p = multiplicity.holm(paired.t(paired.differences(scores)))
    differs = np.zeros((systems, systems), dtype=bool)
    differs[np.triu_indices(systems, 1)] = p < LEVEL
    count = systems - int((differs | differs.T)[best].sum())
    found |= _named("significance", count, systems, best == 0)
    found["significance: a pair differs"] = bool(differs.any())
    gaps = scores[best] - scores
    error = gaps.std(axis=1, ddof=1) / np.sqrt(topics)
    for name, quantile in QUANTILES.items():
        found |= _named(
            name,
            beside(gaps.mean(axis=1), error, quantile(systems, topics - 1)),
            systems,
            best == 0,
        )
    return found


CHOSEN = 2
"""The size of the sets of metrics that are chosen."""


def of_sets(
    rng: np.random.Generator,
    metrics: int,
    systems: int,
    topics: int,
    noise: Noise,
    better: bool,
) -> Figures:
    """Draw a world of metrics; say how many sets of two rank names, and its verdict; two are better, or none."""
    scores = scores_of_metrics(rng, metrics, systems, topics, noise, leaning=0)
    if better:
        scores = _two_cores(rng, metrics, systems, topics)
    outcome = rank(
        labelled(scores), k=CHOSEN, candidates="all", partitions=PARTITIONS, rng=rng
    )
    said = " ".join([*ranking.findings(outcome), *ranking.warnings(outcome)])
    near, every = outcome.sizes["near"], int(outcome["compared_sets"])
    found = {
        "sets: all": near == every,
        "sets: it alone": near == 1,
        "sets: named": near,
    }
    return found | {verdict: verdict in said for _, verdict in ranking.TRUST}


def _two_cores(
    rng: np.random.Generator, metrics: int, systems: int, topics: int
) -> Floats:
    """Draw two metrics, and others that repeat one or the other with noise."""
    cores = rng.normal(size=(systems, topics, 2))
    own = np.where(np.arange(metrics) < 2, 0.5, 1.0)
    return cores[..., np.arange(metrics) % 2] + own * rng.normal(
        size=(systems, topics, metrics)
    )


def cells(part: str) -> Iterator[Cell]:
    """Return the cells of a part, worlds without a best one first."""
    draw, counts = PARTS[part]
    unit = "systems" if part == "systems" else "metrics"
    for better, noise, count, size, topics in product(
        (False, True), NOISES, counts, SYSTEMS, TOPICS
    ):
        if unit == "systems":
            if size == SYSTEMS[0]:
                kind = "one better" if better else "all equal"
                name = f"{kind}, {noise.name}: {count} systems, {topics} topics"
                yield Cell(
                    name,
                    lambda rng, c=count, t=topics, n=noise, b=better: of_systems(
                        rng, c, t, n, b
                    ),
                )
            continue
        kind = "one better" if better else "all equal"
        name = f"{kind}, {noise.name}: {count} metrics, {size} systems, {topics} topics"
        yield Cell(
            name,
            lambda rng, c=count, s=size, t=topics, n=noise, b=better: draw(
                rng, c, s, t, n, b
            ),
        )


PARTS = {
    "metrics": (of_metrics, METRICS),
    "systems": (None, SYSTEMS),
    "sets": (of_sets, METRICS),
}


def run(arguments: Sequence[str]) -> None:
    """Print a line for each cell."""
    parser = argparse.ArgumentParser(
        prog="bench.best", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--part", choices=list(PARTS), default="metrics")
    parser.add_argument("--draws", type=int, default=100)
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        help="cells whose name contains this; repeatable",
    )
    chosen = parser.parse_args(arguments)
    head = False
    for cell in cells(chosen.part):
        if chosen.only and not any(part in cell.name for part in chosen.only):
            continue
        drawn = [
            cell.draw(np.random.default_rng([seed, len(cell.name)]))
            for seed in range(chosen.draws)
        ]
        if not head:
            print(f"| world | {' | '.join(drawn[0])} |", flush=True)
            head = True
        means = [np.mean([float(one[key]) for one in drawn]) for key in drawn[0]]
        print(
            f"| {cell.name} | {' | '.join(f'{mean:.3g}' for mean in means)} |",
            flush=True,
        )


if __name__ == "__main__":
    run(sys.argv[1:])
