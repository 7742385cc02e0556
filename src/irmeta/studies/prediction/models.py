"""Does another model predict unseen collections better than least squares? Compare them, each collection left out."""

from collections.abc import Iterable, Sequence
from typing import get_args

import numpy as np
import polars as pl
import xarray as xr

from irmeta.choices import Learner, Missing, Scale, Unit
from irmeta.errors import ScoresError
from irmeta.parallel import seed, steps
from irmeta.scores.cubes import (
    ONE_COLLECTION,
    at_unit,
    check_scale,
    system_level,
    targets_and_candidates,
)
from irmeta.scores.figures import short
from irmeta.scores.result import frame, result, with_nulls
from irmeta.stats.prediction.accuracy import accuracy
from irmeta.stats.prediction.learners import learner
from irmeta.stats.prediction.scales import from_scale, to_scale
from irmeta.studies.door import Cubes, study

_MEASURES = ("tau", "r2", "rmse")


@study
def models(
    cubes: Cubes,
    *,
    targets: Iterable[str] | None = None,
    metrics: Iterable[str] | None = None,
    scales: Sequence[Scale] = ("raw", "logit"),
    unit: Unit = "system",
    missing: Missing = "error",
    rng: int = 0,
) -> xr.Dataset:
    """Predict each collection's systems by models fitted on the systems of all the others, and measure how well.

    cubes : two collections or more, by name
    targets : metrics to predict, each from all others, as in 'AP P@10'; by default all
    metrics : the predictors, by default those that every collection has
    scales : the scales of the scores in the models: raw, logit (log odds) or both; predictions are brought back to
        scores before they are compared
    missing : what to do with missing scores, as in `selection.complete`
    rng : seed of what is random in the models
    unit : what to predict: systems' means, or with "topic" every system's score on every topic

    Models: least squares; ridge regression (penalty chosen by cross-validation), a support vector machine with a
    radial kernel, and gradient-boosted trees, these three by scikit-learn on standardized predictors.
    Gives over (target, model, scale, collection): tau, r2, rmse, on the metric's own scale.
    """
    cubes = at_unit(cubes, unit)
    rng = seed(rng)
    if len(cubes) < 2:
        raise ScoresError(
            "models need at least 2 collections, to leave out each in turn"
        )
    names, wanted, candidates = targets_and_candidates(cubes, targets, metrics)
    for scale in scales:
        check_scale(names, scale)
    levels, notes = system_level(cubes, names, missing=missing)
    fits = {name: learner(name, rng=rng) for name in get_args(Learner)}
    found = np.full(
        (len(wanted), len(fits), len(scales), len(cubes), len(_MEASURES)), np.nan
    )
    for j, scale in enumerate(scales):
        values = {name: to_scale(table.values, scale) for name, table in levels.items()}
        for c, held in enumerate(steps(list(values), f"{scale} scale: collections")):
            # every collection but one, to learn from: (system, metric)
            rest = [scores for name, scores in values.items() if name != held]
            train = np.concatenate(rest)
            for t, target in enumerate(wanted):
                at = names.index(target)
                others = [names.index(name) for name in candidates if name != target]
                new = values[held][:, others]
                actual = levels[held].values[:, at]
                for m, fit in enumerate(fits.values()):
                    predict = fit(train[:, others], train[:, at])
                    close = accuracy(actual, from_scale(predict(new), scale))
                    found[t, m, j, c] = [getattr(close, name) for name in _MEASURES]
    coords = {
        "target": wanted,
        "model": list(fits),
        "scale": list(scales),
        "collection": list(cubes),
    }
    data = {
        name: xr.DataArray(found[..., i], coords, tuple(coords))
        for i, name in enumerate(_MEASURES)
    }
    options = {"metrics": candidates}
    notes.append(ONE_COLLECTION)
    return result("models", data, inputs=cubes, options=options, notes=notes)


def tables(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Tables `summary` (means over targets and collections; worst_rmse) and `models` (of each)."""
    figures = with_nulls(frame(outcome, _MEASURES))
    summary = figures.group_by("model", "scale", maintain_order=True).agg(
        pl.col("tau").mean(),
        pl.col("rmse").mean(),
        pl.col("rmse").max().alias("worst_rmse"),
    )
    return {"summary": summary, "models": figures}


def overview(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Show the means of each model."""
    return {"summary": tables(outcome)["summary"]}


def findings(outcome: xr.Dataset) -> list[str]:
    """Name the model with the lowest mean error, beside least squares on raw scores."""
    ranked = tables(outcome)["summary"].sort("rmse")
    best = ranked.row(0, named=True)
    plain = ranked.filter(pl.col("model") == "ols").row(0, named=True)
    return [
        f"Lowest mean RMSE on left-out collections: {best['model']} on the {best['scale']} scale "
        f"({short(best['rmse'], 3)}); the best least squares has {short(plain['rmse'], 3)} ({plain['scale']})."
    ]
