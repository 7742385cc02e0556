"""Which one, two or three metrics predict each other metric best? Every subset is tried."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import polars as pl
import xarray as xr

from irmeta.choices import ChosenBy, Learner, Missing, Unit
from irmeta.errors import ScoresError
from irmeta.parallel import seed, steps
from irmeta.scores.cubes import (
    ONE_COLLECTION,
    at_unit,
    check_sizes,
    system_level,
    targets_and_candidates,
    with_roles,
)
from irmeta.scores.result import frame, result, with_nulls
from irmeta.stats.arrays import Floats, Indices
from irmeta.stats.prediction import learners
from irmeta.stats.prediction.accuracy import Accuracy, accuracy
from irmeta.stats.prediction.learners import Fit
from irmeta.stats.prediction.predictors import Fold, best_predictors, folds
from irmeta.stats.prediction.regression import Moments, least_squares, moments
from irmeta.studies.door import Cube, Cubes, study
from irmeta.words import counted

_MEASURES = Accuracy._fields


@study
def predictors(
    train: Cube | Cubes,
    test: Cube | Cubes,
    *,
    dev: Cube | Cubes | None = None,
    choose: ChosenBy = "dev",
    targets: Iterable[str] | None = None,
    metrics: Iterable[str] | None = None,
    k: Sequence[int] = (1, 2, 3),
    unit: Unit = "system",
    learner: Learner = "ols",
    kernel: float | None = None,
    missing: Missing = "error",
    rng: int = 0,
) -> xr.Dataset:
    """Find the best predictors of each target, of each size, and measure how well they predict other collections.

    train : scores of the collections to fit on, all systems of them together
    test : scores of the collections to measure on
    dev : scores of the collections to choose predictors on
    choose : how predictors are chosen: "dev" keeps the subset with the highest tau on the development collections, as
        Gupta et al. (ECIR 2019) do; "leave-one-out" the highest mean tau over the training collections, each predicted
        from the others, so that the development collections test it too
    targets : metrics to predict, as in 'AP P@10'; by default all
    metrics : candidates, by default those that every collection has
    k : numbers of predictors, as in 2 or 1-3
    unit : what to predict: systems' means, or with "topic" every system's score on every topic
    learner : the kind of model that is measured: see `irmeta.stats.prediction.learners.learner`; predictors are always
        chosen by least squares, whose coefficients are given
    kernel : with svr, the size of its radial kernel; by default scaled
    rng : seed of what is random in the model that is measured
    missing : what to do with missing scores, as in `selection.complete`

    Returns over (target, size, collection): tau, r2, r, rmse, r2_offset_removed, r2_training_mean, bias_share; over
    (target, size): chosen_by, the tau that decided; over (target, size, metric): coefficient, NaN for metrics left out,
    and intercept.
    """
    rng = seed(rng)
    cubes, role = with_roles(train=train, dev=dev, test=test)
    cubes = at_unit(cubes, unit)
    names, wanted, candidates = targets_and_candidates(cubes, targets, metrics)
    check_sizes(k, wanted, candidates)
    levels, notes = system_level(cubes, names, missing=missing)
    by_role: dict[str, dict[str, Floats]] = {"train": {}, "dev": {}, "test": {}}
    for name, table in levels.items():
        by_role[role[name]][name] = table.values  # (system, metric)
    if choose == "dev" and not by_role["dev"]:
        raise ScoresError(
            "there is no development collection to choose on; add --dev, or choose by "
            "leave-one-out"
        )

    training = list(by_role["train"].values())
    rows = np.concatenate(training)
    development = list(by_role["dev"].values()) if choose == "dev" else []
    chosen_on = folds(training, development)
    # dev collections test it too
    tests = {
        name: table.values for name, table in levels.items() if role[name] != "train"
    }
    learned = None
    if learner != "ols":
        model = learners.learner(learner, kernel=kernel, rng=rng)
        learned = partial(_fit_learner, model, rows)
    fitted = (chosen_on, moments(rows), learned)
    best = partial(_best_of_size, *fitted, tests, names, wanted, candidates)
    parts = [best(size) for size in steps(k, "sizes")]
    outcome = xr.concat(parts, xr.DataArray(list(k), dims="size", name="size"))
    outcome = outcome.assign(role=("collection", [role[name] for name in tests]))
    notes += _notes(choose, outcome["chosen_by"].values, list(by_role["dev"]))
    if learner != "ols":
        notes.append(
            f"measured with {learner}; predictors were chosen by least squares, whose "
            "coefficients are given"
        )
    options = {"roles": role}
    data = {str(name): values for name, values in outcome.data_vars.items()}
    notes.append(ONE_COLLECTION)
    return result("predictors", data, inputs=cubes, options=options, notes=notes)


def tables(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Tables `selection` (target, k, predictors, collection, role: train, dev or test, tau, ...), `coefficients`."""
    spread = outcome.assign(role=outcome["role"].broadcast_like(outcome["tau"]))
    every = frame(spread.transpose("target", "size", ...), ["role", *_MEASURES])
    figures = with_nulls(every).rename({"size": "k"})
    intercept = outcome["intercept"].expand_dims(metric=["intercept"])
    weights = xr.concat([outcome["coefficient"], intercept], "metric")
    fitted = weights.transpose("target", "size", "metric").to_dataset(
        name="coefficient"
    )
    coefficients = with_nulls(frame(fitted, ["coefficient"]))
    coefficients = coefficients.drop_nulls().rename(
        {"size": "k", "metric": "predictor"}
    )
    sets = coefficients.filter(pl.col("predictor") != "intercept").group_by(
        "target", "k", maintain_order=True
    )
    selection = figures.join(
        sets.agg(predictors="predictor"), on=["target", "k"], maintain_order="left"
    )
    columns = ("target", "k", "predictors", "collection", "role", *_MEASURES)
    return {"selection": selection.select(columns), "coefficients": coefficients}


def overview(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Show tau and R2 of each set on each collection in a row, as the papers print them, and the coefficients."""
    views = tables(outcome)
    key = ["target", "k", "predictors"]
    measures = ("tau", "r2")
    long = [
        views["selection"].select(*key, name=pl.col("collection") + f" {m}", value=m)
        for m in measures
    ]
    wide = pl.concat(long).pivot("name", index=key, values="value")
    columns = [f"{name} {m}" for name in outcome.collection.values for m in measures]
    selection = wide.select(*key, *columns)
    return {"selection": selection, "coefficients": views["coefficients"]}


def findings(outcome: xr.Dataset) -> list[str]:
    """Say which targets can be predicted on every collection, and whether errors are offsets of the collection."""
    lines = []
    for size in outcome["size"].values:
        worst = outcome["tau"].sel(size=size).min("collection", skipna=False)
        good = [str(target) for target in worst.target.values[worst.values >= 0.9]]
        lines.append(
            f"With {counted(size, 'predictor')}, tau is 0.9 or more on every collection for: "
            f"{', '.join(good) or 'no metric'}."
        )
    lines += _undefined_sentences(outcome["tau"])
    negative = outcome["r2"].values < 0
    if negative.any():
        cases = int(outcome["r2"].notnull().sum())
        share = float(np.nanmedian(outcome["bias_share"].values[negative]))
        lines.append(
            f"R2 is negative in {int(negative.sum())} of {cases} cases; in the median case "
            f"{share:.0%} of the squared error is a constant offset of the collection, which a few "
            "known systems would remove."
        )
    return lines


def _undefined_sentences(tau: xr.DataArray) -> list[str]:
    """Name the targets and collections on which scores or predictions are all equal."""
    undefined = tau.isnull().any("size").transpose("target", "collection")
    cells = [
        f"{tau.target.values[i]} on {tau.collection.values[j]}"
        for i, j in np.argwhere(undefined.values)
    ]
    if not cells:
        return []
    return [
        f"tau is undefined where scores or predictions are all equal: {', '.join(cells)}."
    ]


def _fit_learner(
    fit: Fit, rows: Floats, subset: Indices, target: int
) -> Callable[[Floats], Floats]:
    """Fit a model of a target on a set of predictors; the result predicts from all metrics (system, metric)."""
    predict = fit(rows[:, subset], rows[:, target])
    return lambda scores: predict(scores[:, subset])


def _best_of_size(
    chosen_on: Sequence[Fold],
    together: Moments,
    learned: Callable[[Indices, int], Callable[[Floats], Floats]] | None,
    tests: Mapping[str, Floats],
    names: list[str],
    targets: list[str],
    candidates: list[str],
    size: int,
) -> xr.Dataset:
    """Choose the predictors of each target, fit them on all training systems, and measure them on each test.

    together : moments of the training systems.  learned : fits a model other than least squares, see `_fit_learner`.
    """
    at = [names.index(name) for name in targets]
    sources = [names.index(name) for name in candidates]
    best = best_predictors(chosen_on, sources, at, size)
    weights = np.full((len(at), len(names)), np.nan)
    intercepts = np.empty(len(at))
    measured = np.empty((len(at), len(tests), len(_MEASURES)))
    for i, (target, subset) in enumerate(zip(at, best.predictors, strict=True)):
        slopes, (intercept,) = least_squares(together, subset, [target])
        weights[i, subset] = slopes[:, 0]
        intercepts[i] = intercept
        model = None if learned is None else learned(subset, target)
        for c, scores in enumerate(tests.values()):
            if model is None:
                predicted = scores[:, subset] @ slopes[:, 0] + intercept
            else:
                predicted = model(scores)
            measured[i, c] = accuracy(
                scores[:, target], predicted, training_mean=together.mean[target]
            )
    data: dict[str, Any] = {}
    for m, name in enumerate(_MEASURES):
        data[name] = (("target", "collection"), measured[..., m])
    data["chosen_by"] = ("target", best.tau)
    data["intercept"] = ("target", intercepts)
    data["coefficient"] = (("target", "metric"), weights)
    return xr.Dataset(
        data, {"target": targets, "collection": list(tests), "metric": names}
    )


def _notes(choose: ChosenBy, decided: Floats, dev: Sequence[str]) -> list[str]:
    """Say what tau and R2 are, and how sets were chosen: decided, the tau of each; dev, development collections."""
    notes = [
        "tau is Kendall's tau-b; R2 is relative to the mean of the predicted collection, and can be negative"
    ]
    if choose == "dev":
        notes.append(
            f"predictors were chosen by tau on {', '.join(dev)}, where figures are optimistic"
        )
    if np.isinf(decided).any():
        notes.append(
            "if every tau is undefined (constant scores), the first subset is kept"
        )
    return notes
