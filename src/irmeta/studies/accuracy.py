"""How near did predictions come? Set them beside the scores that they stand for, metric by metric."""

import numpy as np
import polars as pl
import xarray as xr

from irmeta.attributes import about
from irmeta.cube import check, means, select
from irmeta.errors import ScoresError
from irmeta.result import frame, result
from irmeta.stats.prediction import accuracy as measures

_MEASURES = ("tau", "r2", "r", "rmse", "r2_offset_removed", "bias_share")
_FIGURES = (*_MEASURES, "inside", "width")


def accuracy(predicted: xr.Dataset, actual: xr.DataArray) -> xr.Dataset:
    """Compare predictions with the actual scores of the same systems, over the systems of each target.

    predicted : what `irmeta.predict` gives, every system's prediction of every target.
    actual : a cube that has these systems and targets; its means over topics are used.

    Returns over (target) tau (Kendall's tau-b), r2 (below 0 where the mean would have done better), r, rmse,
    r2_offset_removed, bias_share, inside (the share of systems whose score is in its interval) and width (of the mean
    interval); over (system, target) value, low, high and actual. Too few systems or a missing score raise ScoresError.

    >>> from irmeta.cube import cube
    >>> from irmeta.studies.prediction import predict
    >>> scores = cube([[[0.3, 0.5]], [[0.2, 0.4]], [[0.1, 0.2]]], ["a", "b", "c"], ["all"], ["AP@1000", "P@10"])
    >>> accuracy(predict(scores.sel(metric=["P@10"]), want=["AP@1000"]), scores)["tau"].item()
    1.0
    """
    actual = check(actual)
    if not isinstance(predicted, xr.Dataset) or predicted.attrs.get("study") != "prediction":
        raise ScoresError("predictions are what `irmeta.predict` gives; the actual scores are the second argument")
    systems, targets = ([str(name) for name in predicted[dim].values] for dim in ("system", "target"))
    if len(systems) < 2:
        raise ScoresError(f"predictions are compared over systems, 2 or more; there is {len(systems)}")
    truth = means(select(actual, systems=systems, metrics=targets)).transpose("system", "metric").values
    value, low, high = (predicted[name].transpose("system", "target").values for name in ("value", "low", "high"))
    absent = np.isnan(truth) | np.isnan(value)
    if absent.any():
        system, target = (int(at[0]) for at in np.nonzero(absent))
        raise ScoresError(f"{targets[target]} of {systems[system]} is missing among the predictions or the scores")
    found = [measures.accuracy(one, guess) for one, guess in zip(truth.T, value.T, strict=True)]
    measured = np.array([[getattr(one, name) for one in found] for name in _MEASURES])
    no_interval = np.isnan(low).any(axis=0)
    inside = np.where(no_interval, np.nan, ((low <= truth) & (truth <= high)).mean(axis=0))
    cells = {"value": value, "low": low, "high": high, "actual": truth}
    figures = dict(zip(_FIGURES, [*measured, inside, (high - low).mean(axis=0)], strict=True))
    outcome = result(
        "accuracy",
        {name: (("system", "target"), cell) for name, cell in cells.items()}
        | {name: ("target", column) for name, column in figures.items()},
        inputs={str(actual.attrs.get("collection", "collection")): actual},
        options={**about(predicted)["options"], "given": [str(name) for name in predicted["metric"].values]},
        notes=about(predicted)["notes"],
    )
    return outcome.assign_coords(system=systems, target=targets)


def tables(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Tables `accuracy` (metric, tau, ..., inside, width) and `cells` (system, metric, value, low, high, actual)."""
    accuracy = frame(outcome, _FIGURES).fill_nan(None)
    cells = frame(outcome, ("value", "low", "high", "actual")).fill_nan(None)
    return {"accuracy": accuracy.rename({"target": "metric"}), "cells": cells.rename({"target": "metric"})}


def findings(outcome: xr.Dataset) -> list[str]:
    """Say how many metrics the given ones stand in for, which they do not, and whether the intervals held."""
    options, count = about(outcome)["options"], outcome.sizes["target"]
    tau = outcome["tau"].values
    good, worst = int((tau >= 0.9).sum()), int(np.nan_to_num(tau, nan=-2.0).argmin())
    least = "undefined" if np.isnan(tau[worst]) else f"{tau[worst]:.2f}"
    told = [
        f"From {', '.join(options['given'])}, {good} of {count} other metrics are predicted with tau 0.9 or more; "
        f"{outcome.target.values[worst]} least well (tau {least})."
    ]
    if np.isfinite(outcome["inside"].values).any():
        held, width = float(outcome["inside"].mean()), float(outcome["width"].mean())
        level = f"{options['level']:.0%}"
        told.append(f"The {level} intervals hold {held:.0%} of the actual scores; their mean width is {width:.3f}.")
    return told
