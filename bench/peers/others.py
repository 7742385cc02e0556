"""What the peers return by default: ends (2, quantity) as in `ours`; None where they refuse so few topics.

Bootstraps have 1000 resamples where their default is 10 000, which moves no share of the table by .001.
"""

import importlib
import warnings
from collections.abc import Callable, Mapping
from importlib.metadata import version
from types import ModuleType

import numpy as np

from bench.peers.worlds import Drawn

NAMES = ("evalstats", "truescore", "evalsig")
RESAMPLES = 1000
FEWEST = 15
"""evalstats refuses to compare systems, and to correct a machine, by fewer scores of people."""

Way = Callable[[Drawn], np.ndarray | None]


def installed() -> Mapping[str, str]:
    """Return the versions of the peers that can be imported."""
    found = {}
    for name in NAMES:
        try:
            importlib.import_module(name)
        except ImportError:
            continue
        found[name] = version(name)
    return found


def _of(name: str) -> ModuleType:
    return importlib.import_module(name)


def _binary(scores: np.ndarray) -> bool:
    return bool(np.isin(scores, (0, 1)).all())


def _each(interval: Callable[[int], tuple[float, float]]) -> np.ndarray:
    """Return the intervals of both systems, (2, system)."""
    return np.array([interval(0), interval(1)]).T


def _one(low: float, high: float) -> np.ndarray:
    return np.array([[low], [high]])


def evalstats_mean(drawn: Drawn) -> np.ndarray:
    """Return the intervals of `mean_ci`: Wilson's, or on the logit scale."""
    found = [_of("evalstats").mean_ci(one, rng=0) for one in drawn.scores]
    return _each(lambda at: (found[at].ci_low, found[at].ci_high))


def truescore_mean(drawn: Drawn) -> np.ndarray:
    """Return the intervals of `gold_only_estimate`: Wilson's, or Student's."""
    estimate = _of("truescore.correct").gold_only_estimate
    found = [estimate(one, clusters=drawn.cluster) for one in drawn.scores]
    return _each(lambda at: (found[at].low, found[at].high))


def evalstats_difference(drawn: Drawn) -> np.ndarray | None:
    """Return the interval of `compare`, by the functions that it chooses and calls."""
    if drawn.scores.shape[1] < FEWEST:
        return None
    chosen = _of("evalstats.core.router").resolve_auto_robustness_method(drawn.scores)
    found = _of("evalstats.core.paired").all_pairwise(
        drawn.scores,
        ["a", "b"],
        method=chosen[0],
        score_range=chosen[2],
        rng=np.random.default_rng(0),
    )
    pair = found.get("a", "b")
    return _one(pair.ci_low, pair.ci_high)


def check_doors() -> None:
    """Raise AssertionError where the functions called here do not return what the doors of evalstats do."""
    import pandas as pd

    evalstats = _of("evalstats")
    rng = np.random.default_rng(0)
    human, machine = rng.random((2, 2, 60)).round(2)
    of = np.arange(20)
    frame = pd.DataFrame(
        {
            "model": np.repeat(["a", "b"], 60),
            "item": np.tile(np.arange(60), 2),
            "score": human.ravel(),
            "judge": machine.ravel(),
            "people": np.where(np.arange(60) < 20, human, np.nan).ravel(),
        }
    )
    truth = np.zeros(2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        data = evalstats.load_from(frame, metric_cols=["score", "judge", "people"])
        plain = evalstats.compare(data, factors="model", metric="score", rng=0)
        aligned = evalstats.judge_alignment(
            data, llm_metric="judge", human_groundtruth="people"
        )
        both = evalstats.compare(
            data,
            factors="model",
            metric="judge",
            alignment={"judge": aligned},
            rng=0,
        )
        judged = Drawn(human[:, of], truth, machine, of)
        found = [
            (plain, evalstats_difference(Drawn(human, truth))),
            (both, evalstats_debiased_difference(judged)),
        ]
        means = evalstats_debiased(judged)
    for door, ends in found:
        pair = door.pairwise.get("a", "b")
        np.testing.assert_allclose(ends, _one(pair.ci_low, pair.ci_high))
    assert means is not None
    table = both.to_frame()["entities"]
    np.testing.assert_allclose(means, table[["ci_low", "ci_high"]].to_numpy().T)


def truescore_difference(drawn: Drawn) -> np.ndarray:
    """Return the interval of `mcnemar` for scores of 0 and 1, and of `paired_bootstrap` for others and clusters."""
    compare = _of("truescore.compare")
    a, b = drawn.scores
    if drawn.cluster is None and _binary(drawn.scores):
        found = compare.mcnemar(a, b)
    else:
        found = compare.paired_bootstrap(
            a, b, n_bootstrap=RESAMPLES, clusters=drawn.cluster
        )
    return _one(found.low, found.high)


def evalsig_difference(drawn: Drawn) -> np.ndarray:
    """Return the interval of `compare`: Wald's beside McNemar's test, percentiles of a bootstrap, or of clusters."""
    runs = [_run(one, drawn.cluster) for one in drawn.scores]
    cluster = None if drawn.cluster is None else "cluster"
    # it takes the first from the second
    low, high = (
        _of("evalsig").compare(*runs[::-1], n_resamples=RESAMPLES, cluster=cluster).ci
    )
    return _one(low, high)


def _run(scores: np.ndarray, cluster: np.ndarray | None) -> object:
    types = _of("evalsig.types")
    of = [None] * len(scores) if cluster is None else [str(one) for one in cluster]
    items = [
        types.ItemResult(f"{at:06}", float(score), one)
        for at, (score, one) in enumerate(zip(scores, of, strict=True))
    ]
    return types.RunFrame("run", "model", "task", "score", items)


def _human(drawn: Drawn) -> np.ndarray:
    """Return the scores of people (system, all topics), NaN where they did not judge."""
    assert drawn.machine is not None
    human = np.full(drawn.machine.shape, np.nan)
    human[:, drawn.of] = drawn.scores
    return human


def evalstats_debiased(drawn: Drawn) -> np.ndarray | None:
    """Return the intervals of means by `compare` with `alignment`, by the functions that it chooses and calls."""
    assert drawn.machine is not None
    if drawn.scores.shape[1] < FEWEST:
        return None
    return evalstats_formula(drawn)


def evalstats_formula(drawn: Drawn) -> np.ndarray:
    """Return these intervals also from fewer topics than it takes."""
    assert drawn.machine is not None
    by, api = drawn.machine, _of("evalstats.api")
    human = _human(drawn)
    kind, bounds = _kind(by)
    _, way = _of("evalstats.config").resolve_ppi_auto_methods(kind)
    found = [
        api._ppi_robustness_dispatch(way, *one, 0.05, RESAMPLES, None, bounds)
        for one in zip(by, human, strict=True)
    ]
    return _each(lambda at: (found[at].ci_low, found[at].ci_high))


def evalstats_debiased_difference(drawn: Drawn) -> np.ndarray | None:
    """Return the interval of the difference by `compare` with `alignment`, as for means."""
    assert drawn.machine is not None
    if drawn.scores.shape[1] < FEWEST:
        return None
    by, api = drawn.machine, _of("evalstats.api")
    human = _human(drawn)
    kind, bounds = _kind(by)
    way, _ = _of("evalstats.config").resolve_ppi_auto_methods(kind)
    found = api._ppi_pairwise_dispatch(
        way, *by, *human, 0.05, RESAMPLES, np.random.default_rng(0), bounds
    )
    return _one(found.ci_low, found.ci_high)


def _kind(scores: np.ndarray) -> tuple[str, tuple[float, float] | None]:
    chosen = _of("evalstats.core.router").resolve_auto_robustness_method(scores)
    return chosen[3], chosen[2]


def truescore_corrected(drawn: Drawn) -> np.ndarray:
    """Return the intervals of `ppi_estimate`."""
    assert drawn.machine is not None
    estimate = _of("truescore.correct").ppi_estimate
    found = [
        estimate(machine, human, drawn.of, clusters=drawn.cluster)
        for machine, human in zip(drawn.machine, drawn.scores, strict=True)
    ]
    return _each(lambda at: (found[at].low, found[at].high))


def truescore_corrected_difference(drawn: Drawn) -> np.ndarray:
    """Return the interval of `ppi_compare`."""
    assert drawn.machine is not None
    found = _of("truescore.compare").ppi_compare(
        *drawn.machine, *drawn.scores, drawn.of, clusters=drawn.cluster
    )
    return _one(found.low, found.high)


def quiet(way: Way) -> Way:
    """Return a way without its warnings."""

    def quietly(drawn: Drawn) -> np.ndarray | None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return way(drawn)

    return quietly
