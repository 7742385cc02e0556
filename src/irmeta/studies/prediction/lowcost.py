"""Can metrics of the first few documents replace a metric that takes deep judgments? Try every subset."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, product
from typing import Any, NamedTuple, get_args

import numpy as np
import polars as pl
import xarray as xr

from irmeta.choices import Judgments, Missing
from irmeta.errors import MetricError, ScoresError
from irmeta.metrics.names import parse, raw, split
from irmeta.scores.cubes import (
    ONE_COLLECTION,
    common_metrics,
    prepare_together,
    system_level,
    with_roles,
)
from irmeta.scores.figures import short
from irmeta.scores.result import frame, result, with_nulls
from irmeta.scores.tables.roles import ALL
from irmeta.stats.arrays import Floats, Indices
from irmeta.stats.prediction.accuracy import accuracy
from irmeta.stats.prediction.predictors import Fold, best_predictors, folds
from irmeta.stats.prediction.regression import Moments, least_squares, moments
from irmeta.studies.door import Cube, Cubes, study
from irmeta.studies.prediction.likeliest import (
    count_metric,
    expected_means,
    metrics_to_add,
    rankings,
)

_MEASURES = ("tau", "r2", "rmse")
_BY_ENTROPY = tuple(f"entropy_{name}" for name in _MEASURES)


@study
def lowcost(
    train: Cube | Cubes,
    test: Cube | Cubes,
    *,
    targets: Iterable[str],
    dev: Cube | Cubes | None = None,
    depths: Sequence[int] = (10, 20, 30, 40, 50),
    proper: bool = False,
    missing: Missing = "error",
) -> xr.Dataset:
    """Predict each target from the metrics that look at the first D documents, for each D, on other collections.

    Predictors of depth D are the metrics named with `depth=D`, as in P(depth=10)@1000; those also named with `pool=D`
    saw only the judgments of a pool of that depth ("pool") and are kept apart from those that saw all ("full"). Every
    subset of them is fitted on all training systems; the highest mean tau on the development collections wins, or
    without them over the training collections left out in turn.

    A rival stands beside them that needs no training: on each topic the ranking of greatest entropy that has the given
    P and AP of the first documents.

    train : scores of the collections to fit on
    test : scores of the collections to measure on
    dev : scores of the collections to choose predictors on
    targets : costly metrics to predict, as in 'AP@1000 P@1000'
    depths : how many documents of each list the cheap metrics look at, as in 10,20,30
    proper : try every subset of the cheap metrics but the whole set, as the released code of Gupta et al. (ECIR 2019)
        does
    missing : what to do with missing scores, as in `selection.complete`

    Returns over (target, judgments, depth, collection): tau, r2, rmse; over (target, judgments, depth): predictors.
    entropy_tau, entropy_r2, entropy_rmse are of a rival without training: on each topic the ranking of greatest entropy
    with the given P(depth=D)@k, AP(depth=D)@k (k of D or more) and NumRel (for a pool NumRel(pool=D)). NaN without
    scores by topic of these three, and for targets other than P, R, AP, nDCG and RBP; a note says what to evaluate.
    Source: Aslam, Yilmaz and Pavlu (SIGIR 2005).
    """
    cubes, role = with_roles(train=train, dev=dev, test=test)
    known = common_metrics(cubes)
    wanted = common_metrics(cubes, targets)
    groups = _groups(known, depths)
    _refuse_predictors(wanted, groups, depths)
    predictors = {name for group in groups.values() for name in group}
    counts = {count_metric(kind, depth) for kind, depth in groups}
    used = [name for name in known if name in {*wanted, *predictors, *counts}]
    by_topic, notes = prepare_together(
        cubes, metrics=used, missing=missing, by_topic=True
    )
    levels, more = system_level(by_topic, used)
    notes += more
    shown = [name for name in cubes if role[name] != "train"]
    kinds = {kind for kind, _ in groups}
    judgments = [kind for kind in get_args(Judgments) if kind in kinds]

    # (system, metric) of each collection
    values = {name: scores.values for name, scores in levels.items()}
    training = [values[name] for name in levels if role[name] == "train"]
    development = [values[name] for name in levels if role[name] == "dev"]
    fits = _Fits(
        folds=folds(training, development),
        train=moments(np.concatenate(training)),
        shown=[values[name] for name in shown],
    )
    at = [used.index(target) for target in wanted]
    # by target, judgments and depth: the subset chosen; how near it comes on each collection, and the rival
    shape = (len(wanted), len(judgments), len(depths))
    chosen = np.full(shape, "", dtype=object)
    measured, rivals = np.full((2, *shape, len(shown), len(_MEASURES)), np.nan)
    for (j, kind), (d, depth) in product(enumerate(judgments), enumerate(depths)):
        candidates = [used.index(name) for name in groups.get((kind, depth), [])]
        for t, subset in enumerate(_best(fits.folds, candidates, at, proper)):
            chosen[t, j, d] = " ".join(used[i] for i in subset)
            measured[t, j, d] = fits.measured(at[t], subset)
        for c, name in enumerate(shown):
            actual = values[name][:, at]
            rivals[:, j, d, c] = _rival_measures(
                by_topic[name], actual, wanted, kind, depth
            )

    coords = {
        "target": wanted,
        "judgments": judgments,
        "depth": list(depths),
        "collection": shown,
    }
    dims = tuple(coords)
    data: dict[str, Any] = {}
    for i, name in enumerate(_MEASURES):
        data[name] = (dims, measured[..., i])
        data[f"entropy_{name}"] = (dims, rivals[..., i])
    data["predictors"] = (dims[:3], chosen)
    data["role"] = ("collection", [role[name] for name in shown])
    if "dev" in role.values():
        by = "tau on the dev collections"
    else:
        by = "mean tau, training collections left out"
    notes += [f"chosen by {by}", ONE_COLLECTION]
    notes += _rival_notes(by_topic, used, groups)
    options = {"roles": role}
    return result(
        "lowcost", data, inputs=cubes, options=options, notes=notes
    ).assign_coords(coords)


def _rival_notes(
    by_topic: Mapping[str, xr.DataArray],
    metrics: Sequence[str],
    groups: Iterable[tuple[Judgments, int]],
) -> list[str]:
    """Say what to evaluate for the rival that needs no training, where it is not there."""
    no_topics = any(
        scores.topic.values.tolist() == [ALL] for scores in by_topic.values()
    )
    lacking = dict.fromkeys(
        name for kind, depth in groups for name in metrics_to_add(metrics, kind, depth)
    )
    named = f" of {' '.join(lacking)}" if lacking else ""
    method = "the method without training (maximum entropy)"
    if no_topics:
        return [f"{method} needs scores by topic{named}"]
    if lacking:
        return [f"{method} also needs scores{named}; add them with irmeta evaluate"]
    return []


def _refuse_predictors(
    targets: Iterable[str],
    groups: Mapping[tuple[Judgments, int], Sequence[str]],
    depths: Sequence[int],
) -> None:
    """Raise ScoresError for a target that is among the predictors."""
    predictors = set(chain.from_iterable(groups.values()))
    for target in targets:
        if target in predictors:
            raise ScoresError(
                f"{target} is one of the predictors; a target must look deeper than "
                f"{max(depths)} documents"
            )


class _Fits(NamedTuple):
    """What subsets are chosen by, fitted on, and measured on."""

    folds: list[Fold]
    train: Moments
    shown: list[Floats]  # (system, metric) of each collection that is not for training

    def measured(self, target: int, subset: Indices) -> Floats:
        """Fit a target on a subset of the metrics; return how near it comes: (collection, measure)."""
        slopes, intercept = least_squares(self.train, subset, [target])
        rows = []
        for scores in self.shown:
            predicted = scores[:, subset] @ slopes[:, 0] + intercept[0]
            rows.append(_measures(scores[:, target], predicted))
        return np.array(rows, dtype=np.float64)


def _rival_measures(
    scores: xr.DataArray,
    actual: Floats,
    targets: Sequence[str],
    kind: Judgments,
    depth: int,
) -> Floats | float:
    """Return how near the means that rankings of greatest entropy lead to come to the actual ones: (target, measure).

    scores : a cube with topics
    actual : the means, (system, target).  NaN without what such rankings take
    """
    found = rankings(scores, kind, depth)
    if found is None:
        return np.nan
    pairs = zip(actual.T, targets, strict=True)
    return np.array(
        [_measures(means, expected_means(target, found)) for means, target in pairs]
    )


def _measures(actual: Floats, predicted: Floats) -> list[float]:
    """Return how near predicted scores of systems come to the actual ones; NaN where nothing is predicted."""
    if np.isnan(predicted).any():
        return [np.nan] * len(_MEASURES)
    close = accuracy(actual, predicted)
    return [float(getattr(close, name)) for name in _MEASURES]


def tables(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Table `lowcost`: target, judgments, depth, predictors, collection, role (train or test), and measures."""
    spread = outcome.assign(
        {
            name: outcome[name].broadcast_like(outcome["tau"])
            for name in ("predictors", "role")
        }
    )
    every = frame(spread, [*_MEASURES, *_BY_ENTROPY, "predictors", "role"])
    figures = with_nulls(every).filter(pl.col("predictors") != "")
    lists = pl.Series(
        "predictors",
        [split(names) for names in figures["predictors"]],
        dtype=pl.List(pl.String),
    )
    columns = ("target", "judgments", "depth", "predictors", "collection", "role")
    made = figures.with_columns(lists).select(*columns, *_MEASURES, *_BY_ENTROPY)
    return {"lowcost": made}


def overview(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Show tau and R2 over the depths, by target, kind of judgments and collection; `lowcost` has the rest."""
    figures = tables(outcome)["lowcost"]
    key = ["target", "judgments", "collection"]
    views = {
        "tau by depth": "tau",
        "r2 by depth": "r2",
        "tau by depth, without training": "entropy_tau",
    }
    return {
        title: figures.pivot("depth", index=key, values=measure)
        for title, measure in views.items()
        if figures[measure].count()
    }


def findings(outcome: xr.Dataset) -> list[str]:
    """Say at which depths each target is ordered well (tau 0.9) on every collection."""
    lines = []
    for kind, target in product(outcome.judgments.values, outcome.target.values):
        of_target = outcome.sel(judgments=kind, target=target)
        tau = of_target["tau"].isel(depth=of_target["predictors"].values != "")
        judged = "all judgments" if kind == "full" else "a pool of that depth"
        lines.append(f"{target}, with {judged}: {_reached_clause(tau)}.")
        tested = of_target.isel(collection=outcome["role"].values == "test")
        if tested["entropy_tau"].notnull().any():
            lines.append(
                f"{target}, with {judged}, without training (maximum entropy): {_rival_clause(tested)}."
            )
    return lines


def _rival_clause(tested: xr.Dataset) -> str:
    """Say at which depths the rival orders the systems of test collections as well as regression does, or better."""
    mean, regression = (
        tested[name].mean("collection", skipna=False) for name in ("entropy_tau", "tau")
    )
    as_good = tested.depth.values[mean.values >= regression.values]
    best = f"mean tau on test collections is at most {short(float(mean.max()))}"
    if not as_good.size:
        return f"{best}; regression is better at every depth"
    return f"{best}; as good as regression or better at depth {', '.join(map(str, as_good))}"


def _reached_clause(tau: xr.DataArray) -> str:
    """Say at which depths tau (depth, collection) is 0.9 or more on every collection."""
    worst = tau.min("collection", skipna=False)
    good = worst.depth.values[worst.values >= 0.9]
    if good.size:
        tried = ", ".join(map(str, worst.depth.values))
        return f"tau is 0.9 or more on every collection at depth {', '.join(map(str, good))} (tried: {tried})"
    undefined = tau.collection.values[tau.isnull().any("depth").values]
    if undefined.size:
        return f"tau is undefined on {', '.join(undefined)}, where scores or predictions are all equal"
    return f"tau never reaches 0.9 on every collection (at most {short(float(worst.max()), 3)})"


def _groups(
    metrics: Sequence[str], depths: Sequence[int]
) -> dict[tuple[Judgments, int], list[str]]:
    """Return the predictors by kind of judgments and depth; a depth without any raises MetricError."""
    groups: dict[tuple[Judgments, int], list[str]] = {}
    for name in metrics:
        try:
            metric = parse(raw(name))
        except MetricError:  # a metric of the user's own
            continue
        depth, pool = metric["depth"], metric["pool"]
        if isinstance(depth, int) and depth in depths and pool in (None, depth):
            kind: Judgments = "full" if pool is None else "pool"
            groups.setdefault((kind, depth), []).append(name)
    found = {depth for _, depth in groups}
    for depth in depths:
        if depth not in found:
            raise MetricError(
                f"no metric looks only at the first {depth} documents; evaluate some with "
                f"depth={depth}, as in 'P(depth={depth})@1000 RBP(p=0.95, depth={depth})', and "
                f"pool={depth} to limit the judgments too"
            )
    return groups


def _best(
    chosen_on: Sequence[Fold],
    candidates: Sequence[int],
    targets: Sequence[int],
    proper: bool,
) -> list[Indices]:
    """Return the best subset of the candidates, of any size, for each target; of equals the first of the smallest.

    proper : all candidates together are not tried.  No candidates give no subsets.
    """
    most = len(candidates) - proper
    found = [
        best_predictors(chosen_on, candidates, targets, k) for k in range(1, most + 1)
    ]
    if not found:
        return []
    taus = np.array([best.tau for best in found])  # (size, target)
    return [found[size].predictors[t] for t, size in enumerate(taus.argmax(axis=0))]
