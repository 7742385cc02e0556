"""Least squares from means and covariances: exact, poolable over collections, and solved for many subsets at once."""

from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt

from irmeta.errors import ScoresError
from irmeta.stats.arrays import Floats, Indices

Variables = Indices | Sequence[int] | Sequence[Sequence[int]]

COLLINEAR = 1e-9
"""A predictor is collinear when this share or less of its variance is left by the predictors before it."""


class Moments(NamedTuple):
    """What least squares needs to know of data of shape (observation, variable): count, means, covariances (over n)."""

    n: int
    mean: Floats  # (variable,)
    cov: Floats  # (variable, variable)

    def take(self, variables: Variables) -> Self:
        """Keep some variables, in the order given."""
        at = np.asarray(variables)
        return self._replace(mean=self.mean[at], cov=self.cov[np.ix_(at, at)])

    def deviations(self) -> Floats:
        """Return the standard deviations, 1 for a variable that varies by rounding errors only."""
        sd = np.sqrt(np.diag(self.cov))
        return np.where(sd > 1e-10 * np.abs(self.mean), sd, 1.0)


def moments(data: npt.ArrayLike) -> Moments:
    """Sum up data of shape (observation, variable).

    >>> moments([[1.0, 2.0], [3.0, 6.0]]).cov.tolist()
    [[1.0, 2.0], [2.0, 4.0]]
    """
    rows = np.asarray(data, dtype=np.float64)
    n = len(rows)
    mean = rows.mean(axis=0)
    cov = (rows - mean).T @ (rows - mean) / n
    return Moments(n, mean, cov)


def pool(parts: Sequence[Moments]) -> Moments:
    """Return the moments of all observations together, from those of each part.

    With n_p observations in part p, n in all:  mean = sum n_p mean_p / n,  and with d_p = mean_p - mean,
    covariance = sum n_p (cov_p + d_p d_p') / n.

    >>> both = pool([moments([[1.0]]), moments([[2.0], [6.0]])])
    >>> both.n, both.mean.item(), round(both.cov.item(), 4)
    (3, 3.0, 4.6667)
    """
    n = sum(part.n for part in parts)
    total = np.zeros_like(parts[0].mean)
    for part in parts:
        total = total + part.n * part.mean
    mean = total / n
    products = np.zeros_like(parts[0].cov)
    for part in parts:
        shift = part.mean - mean
        products = products + part.n * (part.cov + np.outer(shift, shift))
    return Moments(n, mean, products / n)


def least_squares(
    data: Moments, predictors: Variables, targets: Variables
) -> tuple[Floats, Floats]:
    """Fit every target on every set of predictors by ordinary least squares with intercept.

    predictors : variables of shape (..., k);  targets : variables of shape (target,).
    Returns coefficients of shape (..., k, target) and intercepts of shape (..., target). A predictor that the ones
    before it determine (see COLLINEAR) gets the coefficient 0. Too few observations raise ScoresError.
    """
    at = np.asarray(predictors)
    target = np.asarray(targets)
    k = at.shape[-1]
    if data.n < k + 2:
        raise ScoresError(
            f"{data.n} systems are too few to fit {k} predictors and an intercept; at least {k + 2} are needed"
        )
    # solve the normal equations R b = r in units of the standard deviations
    unit = data.deviations()
    correlation = data.cov / unit[:, None] / unit
    among = correlation[at[..., :, None], at[..., None, :]]  # R, (..., k, k)
    across = correlation[at[..., :, None], target]  # r, (..., k, target)
    standardized = _eliminate(np.concatenate([among, across], axis=-1), k)
    slopes = standardized * unit[target] / unit[at][..., None]
    return slopes, data.mean[target] - _predicted(data.mean[at], slopes)


def _predicted(values: Floats, slopes: Floats) -> Floats:
    """Sum values (..., k) times slopes (..., k, target) over the predictors: (..., target)."""
    return np.asarray(np.einsum("...k,...kt->...t", values, slopes))


def residual_moments(
    data: Moments,
    predictors: Variables,
    targets: Variables,
    slopes: Floats,
    intercepts: Floats,
) -> tuple[Floats, Floats]:
    """Return the mean and the variance of target minus prediction over the data that the moments stand for.

    With slopes b, covariance C of the predictors, c of predictors with target, v of the target: v - 2 b'c + b'C b.
    The arguments are those of `least_squares` and what it returns; both results have the shape (..., target).
    """
    at = np.asarray(predictors)
    target = np.asarray(targets)
    among = data.cov[at[..., :, None], at[..., None, :]]  # C, (..., k, k)
    across = data.cov[at[..., :, None], target]  # c, (..., k, target)
    mean = data.mean[target] - intercepts - _predicted(data.mean[at], slopes)
    explained = np.einsum("...kt,...kt->...t", slopes, across)  # b'c
    predicted = np.einsum("...kt,...kj,...jt->...t", slopes, among, slopes)  # b'C b
    variance = np.diag(data.cov)[target] - 2 * explained + predicted
    return mean, np.maximum(variance, 0.0)


def _eliminate(system: Floats, k: int) -> Floats:
    """Solve systems [A | B] of shape (..., k, k + t), A symmetric and positive semidefinite, by Gauss-Jordan.

    A pivot that the rows before it leave (almost) nothing of is skipped: its solution is 0.
    """
    for i in range(k):
        pivot = system[..., i, i]
        free = pivot > COLLINEAR
        divisor = np.where(free, pivot, 1.0)[..., None]
        row = np.where(free[..., None], system[..., i, :] / divisor, 0.0)
        column = system[..., :, i].copy()
        column[..., i] = 0.0
        # clear column i in every other row
        system = system - column[..., :, None] * row[..., None, :]
        system[..., i, :] = row
    return system[..., k:]
