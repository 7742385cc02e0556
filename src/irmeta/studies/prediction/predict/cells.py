"""Predict each score that a system lacks from all that it has."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, get_args

import numpy as np
import xarray as xr
from scipy import stats

from irmeta.choices import Learner, Scale
from irmeta.errors import ScoresError, require_choice
from irmeta.io.model_file import Model
from irmeta.metrics.names import highest, lowest
from irmeta.scores.cubes import by_name, in_range
from irmeta.scores.means import means
from irmeta.stats.arrays import Floats, Indices
from irmeta.stats.prediction import learners
from irmeta.stats.prediction.intervals import (
    band,
    leave_one_out,
    leverage,
    mahalanobis,
    reach,
)
from irmeta.stats.prediction.learners import Fit
from irmeta.stats.prediction.regression import Moments, least_squares, pool
from irmeta.stats.prediction.scales import from_scale, to_scale

OUTSIDE = 0.999
"""A system is outside what the model has seen when, were its scores normal, this share would lie nearer."""


class _Predicted(NamedTuple):
    """What is said of a predicted score; arrays of any one shape."""

    value: Floats
    low: Floats
    high: Floats
    distance: Floats
    outside: Floats  # 1 where the given scores lie outside what the model has seen
    known: Floats  # number of systems that told the collection's offset


class Learned(NamedTuple):
    """A kind of model that takes the scores themselves, and these: (system, metric) by collection."""

    fit: Fit
    tables: Mapping[str, xr.DataArray]

    def rows(self, metrics: Sequence[str]) -> list[Floats]:
        """Return the scores of the collections that have these metrics."""
        held = [
            table
            for table in self.tables.values()
            if set(metrics) <= set(table.metric.values)
        ]
        return [table.sel(metric=list(metrics)).values for table in held]

    def fitted(self, rows: Sequence[Floats]) -> Callable[[Floats], Floats]:
        """Fit the last variable of all these rows on the others."""
        together = np.concatenate(rows)
        return self.fit(together[:, :-1], together[:, -1])


def _linear(data: Sequence[Moments]) -> Callable[[Floats], Floats]:
    """Fit the last variable by least squares on all the others."""
    together = pool(data)
    last = len(together.mean) - 1
    slopes, intercept = least_squares(together, range(last), [last])
    return lambda rows: np.asarray((rows @ slopes + intercept)[:, 0])


def learned_from(
    train: Mapping[str, xr.DataArray] | None,
    learner: Learner,
    kernel: float | None,
    rng: int,
) -> Learned | None:
    """Return what a kind of model takes that is not linear; None for least squares, which the model itself serves."""
    require_choice("learner", learner, get_args(Learner))
    if learner == "ols":
        return None
    if train is None:
        raise ScoresError(
            f"{learner} needs scores, but a model holds only means and covariances; name score "
            "files with --train instead"
        )
    tables = {name: in_range(means(scores)) for name, scores in by_name(train).items()}
    return Learned(learners.learner(learner, kernel=kernel, rng=rng), tables)


def predict_cells(
    table: xr.DataArray,
    targets: Sequence[str],
    model: Model,
    level: float,
    calibration: xr.DataArray | None,
    learned: Learned | None,
) -> dict[str, Floats]:
    """Predict what each system lacks from all that it has: each figure of _Predicted, of shape (system, target)."""
    shape = (table.sizes["system"], len(targets))
    grid = {name: np.full(shape, np.nan) for name in _Predicted._fields}
    for rows, given in patterns(table):
        scores = table.sel(metric=given).values[rows]
        for j, target in enumerate(targets):
            if target in given:
                continue
            found = _predict(scores, given, target, model, level, calibration, learned)
            for name, values in zip(found._fields, found, strict=True):
                grid[name][rows, j] = values
    return grid


def patterns(table: xr.DataArray) -> Iterator[tuple[Indices, list[str]]]:
    """Yield the systems that have the same metrics, and these metrics; systems without any are left out."""
    there = ~np.isnan(table.values)
    patterns, number = np.unique(there, axis=0, return_inverse=True)
    for i, pattern in enumerate(patterns):
        if pattern.any():
            yield (
                np.flatnonzero(number == i),
                [str(metric) for metric in table.metric.values[pattern]],
            )


def _predict(
    scores: Floats,
    given: list[str],
    target: str,
    model: Model,
    level: float,
    calibration: xr.DataArray | None,
    learned: Learned | None,
) -> _Predicted:
    """Predict one metric of systems that have the same given ones: scores of shape (system, given)."""
    held = model.holding([*given, target])
    if not held:
        raise ScoresError(
            f"no collection of the model has all of {', '.join([*given, target])}; give fewer metrics, or fit a model"
        )
    data = [part.moments for part in held]
    # places of the given metrics, and of the target behind them
    at = list(range(len(given)))
    of = [len(given)]
    values = to_scale(scores, model.scale)
    rows: list[Floats] = []
    if learned is None:
        fitted = _linear(data)
    else:
        rows = [to_scale(part, model.scale) for part in learned.rows([*given, target])]
        fitted = learned.fitted(rows)
    centre = fitted(values)
    half: float | Floats = np.nan
    residuals = _residuals(calibration, [*given, target], model.scale, fitted)
    # how far collections differ shows only on several
    if len(held) > 1:
        if learned is None:
            errors = leave_one_out(data, at, of)
        else:
            errors = learners.held_out(rows, learned.fit)
        found = band(
            errors,
            level,
            reach=reach(np.array([part.tails[of] for part in held]), level),
            known=residuals.size,
            known_mean=residuals.mean() if residuals.size else 0.0,
            leverage=leverage(data, values, at)[:, None],  # (system, 1)
        )
        centre = centre + found.shift.ravel()
        half = found.half.ravel()
    ends = from_scale([centre, centre - half, centre + half], model.scale)
    value, low, high = np.clip(ends, lowest(target), highest(target))
    distance = mahalanobis(pool(data), values, at)
    outside = distance**2 * len(given) > stats.chi2.ppf(OUTSIDE, len(given))
    known = np.full(len(values), float(residuals.size))
    return _Predicted(value, low, high, distance, outside.astype(np.float64), known)


def _residuals(
    calibration: xr.DataArray | None,
    metrics: list[str],
    scale: Scale,
    fitted: Callable[[Floats], Floats],
) -> Floats:
    """Return the errors on those known systems that have all the scores it takes; the target is the last metric."""
    if calibration is None or not set(metrics) <= set(calibration.metric.values):
        return np.empty(0)
    table = calibration.sel(metric=metrics).values
    whole = ~np.isnan(table).any(axis=1)
    if not whole.any():
        return np.empty(0)
    rows = to_scale(table[whole], scale)
    return np.asarray(rows[:, -1] - fitted(rows[:, :-1]))
