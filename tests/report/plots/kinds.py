"""Every kind of plot, from results of simulated systems with names as long as real ones."""

from collections.abc import Callable
from functools import cache
from typing import get_args

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from tests.studies.agreement import test_online

import irmeta
from irmeta import choices
from irmeta.metrics.names import metric_names
from irmeta.scores.cube import cube

STEMS = ("BRPHJ_", "covidex.r5.", "UIowaS_Run", "sab20.5.", "dl-ensemble-of-", "bm25")
METRICS = metric_names("seeds23")
FEW = ["AP@1000", "P@10", "nDCG@20"]
CHEAP = ["AP@1000", "P(depth=10)@1000"]


def names(systems: int) -> list[str]:
    """Name systems as teams of TREC name their runs."""
    return [f"{STEMS[at % len(STEMS)]}{at:03}.2s.lr" for at in range(systems)]


def scores(
    systems: int,
    metrics: list[str] = FEW,
    topics: int = 50,
    seed: int = 0,
    collection: str = "made",
) -> xr.DataArray:
    """Simulate scores in which systems and topics differ and metrics share most of both."""
    rng = np.random.default_rng(seed)
    quality = np.random.default_rng(99).normal(size=(systems, 1, 1))
    shared = quality + rng.normal(size=(1, topics, 1))
    made = shared + 0.7 * rng.normal(size=(systems, topics, 1))
    made = made + 0.4 * rng.normal(size=(systems, topics, len(metrics)))
    share = 1 / (1 + np.exp(1 - made))
    ids = [str(301 + at) for at in range(topics)]
    return cube(share, names(systems), ids, metrics, collection=collection)


def several(
    systems: int, count: int, metrics: list[str] = FEW, first: int = 0
) -> dict[str, xr.DataArray]:
    """Simulate that many collections of the same systems."""
    made = {}
    for seed in range(first, first + count):
        name = f"trec-covid-{seed + 1}"
        made[name] = scores(systems, metrics, 30, seed, name)
    return made


def pooled(systems: int) -> tuple[dict, dict]:
    """Simulate runs and the judgments of their pool."""
    rng = np.random.default_rng(5)
    topics = [str(301 + at) for at in range(12)]
    qrels = {t: {f"d{d}": int(rng.random() < 0.3) for d in range(80)} for t in topics}
    runs: dict[str, dict[str, dict[str, float]]] = {}
    for at, name in enumerate(names(systems)):
        lists = runs.setdefault(name, {})
        for topic in topics:
            luck = rng.normal(size=80)
            luck += np.array([qrels[topic][f"d{d}"] for d in range(80)]) * at / systems
            best = np.argsort(-luck)[:20]
            lists[topic] = {f"d{d}": float(20 - i) for i, d in enumerate(best)}
    seen = {t: set() for t in topics}
    for lists in runs.values():
        for topic in topics:
            seen[topic] |= set(list(lists[topic])[:5])
    kept = {t: {d: g for d, g in qrels[t].items() if d in seen[t]} for t in topics}
    return kept, runs


def mine(systems: int) -> str:
    return names(systems)[3]


def other(systems: int) -> str:
    return names(systems)[5]


def costs(systems: int) -> dict[str, float]:
    """Return what each system costs, from a hundredth to 30."""
    return dict(zip(names(systems), np.geomspace(0.01, 30, systems), strict=True))


def judges(systems: int) -> dict[str, xr.DataArray]:
    """Return the scores of the same systems under three judges."""
    called = ("nist", "umbrela-gpt-4o", "crowd")
    return {name: scores(systems, seed=seed) for seed, name in enumerate(called)}


def predicted(systems: int) -> tuple[irmeta.Result, xr.DataArray]:
    """Predict three metrics of a collection from three others, by a model of four collections."""
    six = METRICS[:6]
    new = several(systems, 1, six, first=5)["trec-covid-6"]
    model = irmeta.predict.fit(several(systems, 4, six))
    return irmeta.predict.apply(new[..., :3], model, want=six[3:]), new


def reused(systems: int) -> irmeta.Result:
    return irmeta.reuse(
        *pooled(systems), teams="each", depth=5, metrics="P@5 AP nDCG@10"
    )


def low_cost(systems: int) -> irmeta.Result:
    return irmeta.predict.lowcost(
        several(systems, 2, CHEAP),
        several(systems, 2, CHEAP, first=2),
        targets=["AP@1000"],
        depths=[10],
    )


RESULTS: dict[str, Callable[[int], irmeta.Result]] = {
    "describe": lambda n: irmeta.describe(scores(n)),
    "table": lambda n: irmeta.table(scores(n), baseline=mine(n), test="t"),
    "table, letters": lambda n: irmeta.table(scores(n), test="t"),
    "versus": lambda n: irmeta.versus(scores(n), mine(n), resamples=200),
    "versus, one": lambda n: irmeta.versus(scores(n), mine(n), against=other(n)),
    "significance": lambda n: irmeta.significance(scores(n), test="t"),
    "significance, many": lambda n: irmeta.significance(scores(n, METRICS), test="t"),
    "leaderboard": lambda n: irmeta.leaderboard(
        scores(n),
        metric="AP@1000",
        resamples=40,
        aggregate=["mean", "borda"],
        cost=costs(n),
    ),
    "place": lambda n: irmeta.place(scores(n)[:9], on=scores(n)),
    "replicate": lambda n: irmeta.replicate(
        several(n, 5), system=mine(n), against=other(n)
    ),
    "correlate": lambda n: irmeta.correlate(scores(n, METRICS)),
    "predictivity": lambda n: irmeta.predictivity(
        scores(n), partitions=20, sizes=(5, 10, 20)
    ),
    "predictivity, many": lambda n: irmeta.predictivity(
        scores(n, METRICS), partitions=20
    ),
    "rank": lambda n: irmeta.rank(scores(n, METRICS), k=6),
    "rank, pivot": lambda n: irmeta.rank(scores(n, METRICS), "pivot"),
    "predict.apply": lambda n: predicted(n)[0],
    "accuracy": lambda n: irmeta.accuracy(*predicted(n)),
    "predict.coverage": lambda n: irmeta.predict.coverage(several(n, 4)),
    "predict.select": lambda n: irmeta.predict.select(
        several(n, 3), several(n, 2, first=3), choose="leave-one-out", k=[1, 2]
    ),
    "predict.lowcost": low_cost,
    "online": lambda n: irmeta.online(
        test_online.made(), test_online.outcomes(test_online.made())
    ),
    "leak": lambda n: irmeta.leak(
        metrics="P@5 RBP(p=0.5, rel=1)", submissions=200, topics=4, judged=n
    ),
    "reuse": reused,
    "judges.compare": lambda n: irmeta.judges.compare(judges(n), partitions=20),
    "judges.estimate": lambda n: irmeta.judges.estimate(
        scores(n)[:, :15], scores(n, seed=1)
    ),
    "judges.plan": lambda n: irmeta.judges.plan(scores(n)[:, :15], scores(n, seed=1)),
    "compare": lambda n: irmeta.compare(several(n, 3), partitions=20),
    "reliability": lambda n: irmeta.reliability(scores(n)),
    "design": lambda n: irmeta.design(scores(n), target="AP@1000", partitions=20),
    "standardize.sample": lambda n: irmeta.standardize.sample(
        scores(n), scores(n, seed=4), resamples=1000
    ),
}
VIEWS = {
    "describe": get_args(choices.ScoreView),
    "leaderboard": get_args(choices.LeaderboardView),
    "correlate": get_args(choices.CorrelationView),
    "predictivity": get_args(choices.PredictivityView),
    "predictivity, many": ("means", "advantage", "matrix"),
    "reuse": get_args(choices.ReuseView),
    "judges.compare": get_args(choices.JudgesView),
    "reliability": get_args(choices.ReliabilityView),
}
KINDS = [(name, view) for name in RESULTS for view in VIEWS.get(name, ("",))]
"""Results with what is drawn of them; an empty view is the only one."""


@cache
def result(name: str, systems: int) -> irmeta.Result:
    return RESULTS[name](systems)


def plotted(name: str, view: str, systems: int, width: float) -> Figure:
    """Draw a kind of plot of that many systems, that many inches wide."""
    options = {"view": view} if view else {}
    return result(name, systems).plot(width=width, **options)
