"""Predict each score that a system lacks from all that it has."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, get_args

import numpy as np
import xarray as xr
from scipy.special import chdtri

from irmeta.choices import Learner, Scale
from irmeta.errors import ScoresError, require_choice
from irmeta.io.formats.model_file import Model, Part
from irmeta.metrics.names import highest, lowest
from irmeta.scores.averages.means import means
from irmeta.scores.cubes import by_name, in_range
from irmeta.stats.arrays import Floats, Indices
from irmeta.stats.prediction import learners
from irmeta.stats.prediction.intervals import (
    HeldOut,
    band,
    from_line,
    leave_one_out,
    leverage,
    mahalanobis,
    reach,
)
from irmeta.stats.prediction.learners import Fit
from irmeta.stats.prediction.regression import Moments, least_squares, pool
from irmeta.stats.prediction.scales import from_scale, to_scale
from irmeta.studies.prediction.predict.relevant import Relevant, is_divided

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

    def rows(self, metrics: Sequence[str]) -> dict[str, Floats]:
        """Return the scores of the collections that have these metrics, by collection."""
        return {
            name: table.sel(metric=list(metrics)).values
            for name, table in self.tables.items()
            if set(metrics) <= set(table.metric.values)
        }

    def called(self, old_names: Mapping[str, str]) -> "Learned":
        """Return the same with metrics under other names; old_names : by the new ones."""
        new = {old: name for name, old in old_names.items()}
        tables = {
            name: table.assign_coords(
                metric=[new.get(one, one) for one in table.metric.values.tolist()]
            )
            for name, table in self.tables.items()
        }
        return self._replace(tables=tables)

    def fitted(self, rows: Sequence[Floats]) -> Callable[[Floats], Floats]:
        """Fit the last variable of all these rows on the others."""
        together = np.concatenate(rows)
        return self.fit(together[:, :-1], together[:, -1])


def _fit_line(data: Sequence[Moments]) -> Callable[[Floats], Floats]:
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
            f"{learner} needs scores, but a model holds only means and covariances; instead "
            "name score files (--train)"
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
    relevant: Relevant | None = None,
) -> dict[str, Floats]:
    """Predict what each system lacks from all that it has: each figure of _Predicted, of shape (system, target).

    calibration : scores of known systems, (system, metric).  learned : a model other than least squares.
    relevant : predicts, too, where the target or a given metric is divided by the number of relevant documents
    """
    shape = (table.sizes["system"], len(targets))
    grid = {name: np.full(shape, np.nan) for name in _Predicted._fields}
    for rows, given in patterns(table):
        scores = table.sel(metric=given).values[rows]
        for j, target in enumerate(targets):
            if target in given:
                continue
            counts = relevant if any(map(is_divided, [*given, target])) else None
            found = _predict(
                scores, given, target, model, level, calibration, learned, counts
            )
            for name, values in zip(found._fields, found, strict=True):
                grid[name][rows, j] = values
    return grid


def patterns(table: xr.DataArray) -> Iterator[tuple[Indices, list[str]]]:
    """Yield the systems that have the same metrics, and these metrics; systems without any are left out."""
    there = ~np.isnan(table.values)
    distinct, number = np.unique(there, axis=0, return_inverse=True)
    for i, pattern in enumerate(distinct):
        if pattern.any():
            yield (
                np.flatnonzero(number == i),
                [str(metric) for metric in table.metric.values[pattern]],
            )


class _Variables(NamedTuple):
    """What a target is predicted from, on the model's scale, the target last where it is known.

    values : of the systems to predict, (system, predictor).  known : of systems whose target is known, (system,
    predictor and target).  moments : of each collection of the model.  rows : scores of each collection for a model
    that takes them, else none.
    """

    values: Floats
    known: Floats
    moments: list[Moments]
    rows: list[Floats]

    def fitted(self, learned: Learned | None) -> Callable[[Floats], Floats]:
        """Fit the target on the predictors over all collections."""
        return _fit_line(self.moments) if learned is None else learned.fitted(self.rows)

    def held_out(self, learned: Learned | None) -> HeldOut:
        """Return how far each collection's target is from what the others say of it."""
        # places of the predictors, and of the target behind them
        at = list(range(self.values.shape[1]))
        target = [len(at)]
        if len(self.moments) == 1:
            return from_line(self.moments[0], at, target)
        if learned is None:
            return leave_one_out(self.moments, at, target)
        return learners.held_out(self.rows, learned.fit)


def _predict(
    scores: Floats,
    given: list[str],
    target: str,
    model: Model,
    level: float,
    calibration: xr.DataArray | None,
    learned: Learned | None,
    relevant: Relevant | None,
) -> _Predicted:
    """Predict one metric of systems that have the same given ones: scores of shape (system, given).

    calibration : scores of known systems of the same collection.  learned, relevant : as in `predict_cells`.
    """
    needed = [*given, target]
    held = model.parts_with(needed)
    if not held:
        raise ScoresError(
            f"no collection of the model has all of {', '.join(needed)}; give fewer metrics, or fit a model"
        )
    scaled = to_scale(scores, model.scale)
    # distance is that of the scores alone
    together = pool([part.moments for part in held])
    distance = mahalanobis(together, scaled, range(len(given)))
    outside = distance**2 * len(given) > chdtri(len(given), 1 - OUTSIDE)
    if relevant is not None:
        held = relevant.parts(held)
    if not held:
        raise ScoresError(
            f"no collection of the model that has all of {', '.join(needed)} shows how many documents are "
            "relevant; leave out --relevant"
        )
    known = _calibration_scores(calibration, needed, model.scale)
    found = {} if learned is None else learned.rows(needed)
    rows = {name: to_scale(part, model.scale) for name, part in found.items()}
    variables = _variables(scaled, known, held, rows, relevant)
    fitted = variables.fitted(learned)
    centre = fitted(variables.values)
    half: float | Floats = np.nan
    known = variables.known
    residuals = known[:, -1] - fitted(known[:, :-1]) if len(known) else np.empty(0)
    # how far collections differ shows only on several, or by known systems of the new one
    if len(held) > 1 or (residuals.size > 1 and learned is None):
        tails = np.array([part.tails[[len(given)]] for part in held])
        predictors = range(variables.values.shape[1])
        leverages = leverage(variables.moments, variables.values, predictors)
        interval = band(
            variables.held_out(learned),
            level,
            reach=reach(tails, level),
            known=residuals,
            leverage=leverages[:, None],  # (system, 1)
        )
        centre = centre + interval.shift.ravel()
        half = interval.half.ravel()
    ends = from_scale([centre, centre - half, centre + half], model.scale)
    value, low, high = np.clip(ends, lowest(target), highest(target))
    told = np.full(len(value), float(residuals.size))
    return _Predicted(value, low, high, distance, outside.astype(np.float64), told)


def _variables(
    scaled: Floats,
    known: Floats,
    held: Sequence[Part],
    rows: Mapping[str, Floats],
    relevant: Relevant | None,
) -> _Variables:
    """Put the number of relevant documents, where it is told, before the given metrics."""
    if relevant is None:
        moments = [part.moments for part in held]
        return _Variables(scaled, known, moments, list(rows.values()))
    numbers = relevant.of
    return _Variables(
        relevant.beside(scaled),
        relevant.beside(known),
        [relevant.moments(part) for part in held],
        [
            relevant.beside(part, numbers[name])
            for name, part in rows.items()
            if name in numbers
        ],
    )


def _calibration_scores(
    calibration: xr.DataArray | None, metrics: list[str], scale: Scale
) -> Floats:
    """Return the scores of those known systems that have all of these metrics: (system, metric)."""
    if calibration is None or not set(metrics) <= set(calibration.metric.values):
        return np.empty((0, len(metrics)))
    table = calibration.sel(metric=metrics).values
    whole = ~np.isnan(table).any(axis=1)
    return to_scale(table[whole], scale)
