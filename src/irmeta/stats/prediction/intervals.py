"""Prediction intervals for a collection that the model has not seen: collections differ by an offset of their own."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import stats

from irmeta.stats.arrays import Floats
from irmeta.stats.prediction.regression import Moments, Variables, least_squares, pool, residual_moments

LEVELS = (0.5, 0.8, 0.9, 0.95, 0.99)
"""The levels at which `tails` knows how far residuals reach; between them it interpolates."""


class HeldOut(NamedTuple):
    """What leaving each collection out in turn tells of a model's errors there, each of shape (collection, ...)."""

    offset: Floats  # mean residual of the collection
    variance: Floats  # variance of its residuals about that mean


class Band(NamedTuple):
    """What turns a prediction into an interval, each of shape (...): value = prediction + shift, plus or minus half."""

    shift: Floats
    half: Floats


def leave_one_out(parts: Sequence[Moments], predictors: Variables, targets: Variables) -> HeldOut:
    """Predict each collection by least squares on all others; needs two collections or more.

    predictors, targets : as in `least_squares`. The results have the shape (collection, ..., target).
    """
    found = []
    for i, held in enumerate(parts):
        fit = least_squares(pool([*parts[:i], *parts[i + 1 :]]), predictors, targets)
        found.append(residual_moments(held, predictors, targets, *fit))
    return HeldOut(*(np.array(column) for column in zip(*found, strict=True)))


def band(
    held: HeldOut, level: float, *, reach: npt.ArrayLike = 1.0, known: int = 0, known_mean: npt.ArrayLike = 0.0
) -> Band:
    """Give the interval of a new system of a collection that the model has not seen.

    The model is residual = offset of the collection + error of the system: the offsets' variance is the mean square of
    those of held-out collections, the errors' variance the mean of theirs, and the quantile Student's with one degree
    of freedom less than there are collections. Systems of the new collection whose score is known tell its offset:
    known is their number, known_mean their mean residual of shape (...), and the shift is the offset to expect then.

    level : in (0, 1).  reach : how far errors reach at this level, relative to a normal's; broadcasts to held's shape.

    >>> held = HeldOut(np.array([0.1, -0.1, 0.1]), np.array([0.0, 0.0, 0.0]))
    >>> round(float(band(held, 0.9).half), 4)  # 0.1 times Student's 95% quantile with 2 degrees of freedom
    0.292
    """
    between = np.mean(held.offset**2, axis=0)
    within = np.mean(held.variance * np.asarray(reach) ** 2, axis=0)
    total = known * between + within
    kept = np.where(total > 0, within / np.where(total > 0, total, 1.0), 1.0)  # of the offset's variance
    quantile = float(stats.t.ppf((1 + level) / 2, len(held.offset) - 1 + known))
    return Band((1 - kept) * np.asarray(known_mean), quantile * np.sqrt(between * kept + within))


def tails(data: npt.ArrayLike) -> Floats:
    """Tell how far each variable's residuals reach at each of LEVELS, in standard deviations.

    data : shape (observation, variable). The residuals are those of the variable's regressions on each single other
    one, standardized and taken together. Gives shape (variable, level); NaN for a variable without residuals.
    """
    centred = np.asarray(data, dtype=np.float64)
    centred = centred - centred.mean(axis=0)
    sums = centred.T @ centred
    scale = np.where(np.diag(sums) > 0, np.diag(sums), 1.0)
    found = np.full((centred.shape[1], len(LEVELS)), np.nan)
    for y in range(centred.shape[1]):
        residuals = np.delete(centred[:, [y]] - centred * (sums[y] / scale), y, axis=1)
        sd = residuals.std(axis=0)
        if (useful := sd > 1e-12).any():
            found[y] = np.quantile(np.abs(residuals[:, useful] / sd[useful]), LEVELS)
    return found


def reach(tails: Floats, level: float) -> Floats:
    """Interpolate tails of shape (..., level) at one level, relative to a normal's; 1 where there are none."""
    normal = stats.norm.ppf((1 + np.array(LEVELS)) / 2)
    relative = np.where(np.isnan(tails), 1.0, tails / normal)
    at = np.interp(stats.norm.ppf((1 + level) / 2), normal, np.arange(len(LEVELS)))
    low = np.minimum(int(at), len(LEVELS) - 2)
    return np.asarray(relative[..., low] * (low + 1 - at) + relative[..., low + 1] * (at - low))


def mahalanobis(data: Moments, given: Floats, variables: Sequence[int]) -> Floats:
    """Tell how far given values of shape (system, variable) lie from the data, per variable: about 1 is usual.

    Directions in which the data do not vary are left out. The square times their number follows, for normal data, a
    chi-square distribution with that many degrees of freedom.
    """
    part = data.take(variables)
    unit = part.deviations()
    values, vectors = np.linalg.eigh(part.cov / unit[:, None] / unit)
    varies = values > 1e-9
    scores = ((given - part.mean) / unit) @ vectors[:, varies] / np.sqrt(values[varies])
    return np.sqrt((scores**2).mean(axis=-1)) if varies.any() else np.zeros(len(given))
