"""How near did predictions come? Set them beside the scores that they stand for, metric by metric."""

from typing import Any

import numpy as np
import polars as pl
import xarray as xr

from irmeta.errors import ScoresError
from irmeta.scores.attributes import about
from irmeta.scores.averages.means import means
from irmeta.scores.cube import check
from irmeta.scores.figures import short
from irmeta.scores.result import frame, result, with_nulls
from irmeta.scores.selection import select
from irmeta.stats.arrays import Floats
from irmeta.stats.prediction import accuracy as measures
from irmeta.studies.result import Result, returning_result
from irmeta.words import listed

_MEASURES = ("tau", "r2", "r", "rmse", "r2_offset_removed", "bias_share")
_FIGURES = (*_MEASURES, "inside", "width")


@returning_result
def accuracy(predicted: Result, actual: xr.DataArray) -> xr.Dataset:
    """Compare predictions with the actual scores of the same systems, over the systems of each target.

    predicted : what `irmeta.predict.apply` returns, every system's prediction of every target
    actual : a cube that has these systems and targets; its means over topics are used

    Returns over (target) tau (Kendall's tau-b), r2 (below 0 where the mean would have done better), r, rmse,
    r2_offset_removed, bias_share, inside (the share of systems whose score is in its interval) and width (of the mean
    interval); over (system, target) value, low, high and actual. Too few systems or a missing score raise ScoresError.

    >>> from irmeta.scores.cube import cube
    >>> from irmeta.studies.prediction.predict.study import predict
    >>> scores = cube([[[0.3, 0.5]], [[0.2, 0.4]], [[0.1, 0.2]]], ["a", "b", "c"], ["all"], ["AP@1000", "P@10"])
    >>> accuracy(predict(scores.sel(metric=["P@10"]), want=["AP@1000"]), scores)["tau"].item()
    1.0
    """
    actual = check(actual)
    predictions = _require_predictions(predicted)
    systems = [str(name) for name in predictions["system"].values]
    targets = [str(name) for name in predictions["target"].values]
    chosen = means(select(actual, systems=systems, metrics=targets))
    ordered = predictions.transpose("system", "target", ...)
    # each of (system, target)
    cells = {name: ordered[name].values for name in ("value", "low", "high")}
    cells["actual"] = chosen.transpose("system", "metric").values
    absent = np.argwhere(np.isnan(cells["actual"]) | np.isnan(cells["value"]))
    if len(absent):
        system, target = absent[0]
        raise ScoresError(
            f"{targets[target]} of {systems[system]} is missing from the predictions or from "
            "the scores"
        )
    data: dict[str, Any] = {
        name: (("system", "target"), part) for name, part in cells.items()
    }
    data |= {name: ("target", part) for name, part in _target_measures(**cells).items()}
    given = [str(name) for name in predictions["metric"].values]
    outcome = result(
        "accuracy",
        data,
        inputs={str(actual.attrs.get("collection", "collection")): actual},
        options=about(predictions)["options"] | {"given": given},
        notes=about(predictions)["notes"],
    )
    return outcome.assign_coords(system=systems, target=targets)


def _require_predictions(predicted: object) -> xr.Dataset:
    """Return predictions; refuse what is not a result of them, and those of a single system."""
    if (
        not isinstance(predicted, Result)
        or predicted.attrs.get("study") != "prediction"
    ):
        raise ScoresError(
            "the first argument must be a result of `irmeta.predict.apply`, the second the actual scores"
        )
    systems = predicted.data.sizes["system"]
    if systems < 2:
        raise ScoresError(
            f"predictions must be compared over at least 2 systems; there is {systems}"
        )
    return predicted.data


def _target_measures(
    *, value: Floats, low: Floats, high: Floats, actual: Floats
) -> dict[str, Floats]:
    """Measure each target's predictions, all of (system, target): the measures, and how intervals hold; (target,)."""
    pairs = zip(actual.T, value.T, strict=True)
    found = [measures.accuracy(scores, guesses) for scores, guesses in pairs]
    figures = {
        name: np.array([getattr(one, name) for one in found]) for name in _MEASURES
    }
    held = ((low <= actual) & (actual <= high)).mean(axis=0)
    no_interval = np.isnan(low).any(axis=0)
    figures["inside"] = np.where(no_interval, np.nan, held)
    figures["width"] = (high - low).mean(axis=0)
    return figures


def tables(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Tables `accuracy` (metric, tau, ..., inside, width) and `cells` (system, metric, value, low, high, actual)."""
    accuracy = with_nulls(frame(outcome, _FIGURES))
    cells = with_nulls(frame(outcome, ("value", "low", "high", "actual")))
    return {
        "accuracy": accuracy.rename({"target": "metric"}),
        "cells": cells.rename({"target": "metric"}),
    }


def findings(outcome: xr.Dataset) -> list[str]:
    """Say how many metrics the given ones stand in for, which they do not, and whether the intervals held."""
    options = about(outcome)["options"]
    tau = outcome["tau"].values
    good = int((tau >= 0.9).sum())
    worst = int(np.nan_to_num(tau, nan=-2.0).argmin())
    least = "undefined" if np.isnan(tau[worst]) else short(tau[worst])
    given, name = ", ".join(options["given"]), outcome.target.values[worst]
    if len(tau) == 1:
        lines = [f"From {given}, {name} is predicted (tau {least})."]
    else:
        lines = [
            f"From {given}, {good} of {len(tau)} other metrics can be predicted with tau 0.9 or more; {name} is "
            f"predicted worst (tau {least})."
        ]
    if np.isfinite(outcome["inside"].values).any():
        level = f"{options['level']:.0%}"
        inside = f"{float(outcome['inside'].mean()):.0%}"
        width = float(outcome["width"].mean())
        lines.append(
            f"The {level} intervals contain {inside} of these scores; their mean width is {short(width, 3)}."
        )
    return lines


def warnings(outcome: xr.Dataset) -> list[str]:
    """Say which intervals hold clearly fewer systems than their level says, and what predictions warned of."""
    options = about(outcome)["options"]
    inside = outcome["inside"].values
    level = options["level"]
    alarms = options["alarms"]
    by_share = np.argsort(inside, kind="stable")
    least = measures.by_chance(level, outcome.sizes["system"])
    failing = by_share[inside[by_share] < least]
    if not failing.size:
        return list(alarms)
    names = outcome.target.values[failing].astype(str)
    return [
        f"the {level:.0%} intervals fail here for {failing.size} of {inside.size} metrics "
        f"({listed(names)}); for {names[0]} they contain the score of "
        f"{inside[failing[0]]:.0%} of the systems. This collection has its own offset; a few "
        "systems with known scores correct it (irmeta predict apply --calibrate).",
        *alarms,
    ]
