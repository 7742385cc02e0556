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
        """Give the standard deviations, 1 for a variable that varies by rounding errors only."""
        sd = np.sqrt(np.diag(self.cov))
        return np.where(sd > 1e-10 * np.abs(self.mean), sd, 1.0)


def moments(data: npt.ArrayLike) -> Moments:
    """Sum up data of shape (observation, variable).

    >>> moments([[1.0, 2.0], [3.0, 6.0]]).cov.tolist()
    [[1.0, 2.0], [2.0, 4.0]]
    """
    rows = np.asarray(data, dtype=np.float64)
    mean = rows.mean(axis=0)
    return Moments(len(rows), mean, (rows - mean).T @ (rows - mean) / len(rows))


def pool(parts: Sequence[Moments]) -> Moments:
    """Give the moments of all observations together, from those of each part.

    >>> both = pool([moments([[1.0]]), moments([[2.0], [6.0]])])
    >>> both.n, both.mean.item(), round(both.cov.item(), 4)
    (3, 3.0, 4.6667)
    """
    n = sum(part.n for part in parts)
    mean = sum((part.n * part.mean for part in parts), np.zeros_like(parts[0].mean)) / n
    cov = sum(
        (part.n * (part.cov + np.outer(part.mean - mean, part.mean - mean)) for part in parts),
        np.zeros_like(parts[0].cov),
    )
    return Moments(n, mean, cov / n)


def least_squares(data: Moments, predictors: Variables, targets: Variables) -> tuple[Floats, Floats]:
    """Fit every target on every set of predictors by ordinary least squares with intercept.

    predictors : variables of shape (..., k);  targets : variables of shape (target,).
    Gives coefficients of shape (..., k, target) and intercepts of shape (..., target). A predictor that the ones
    before it determine (see COLLINEAR) gets the coefficient 0. Too few observations raise ScoresError.
    """
    at, of = np.asarray(predictors), np.asarray(targets)
    k = at.shape[-1]
    if data.n < k + 2:
        raise ScoresError(f"{data.n} systems are too few to fit {k} predictors and an intercept; {k + 2} are needed")
    unit = data.deviations()
    correlation = data.cov / unit[:, None] / unit
    system = np.concatenate(
        [correlation[at[..., :, None], at[..., None, :]], correlation[at[..., :, None], of]], axis=-1
    )
    slopes = _eliminate(system, k) * unit[of] / unit[at][..., None]
    return slopes, data.mean[of] - np.einsum("...k,...kt->...t", data.mean[at], slopes)


def residual_moments(
    data: Moments, predictors: Variables, targets: Variables, slopes: Floats, intercepts: Floats
) -> tuple[Floats, Floats]:
    """Give the mean and the variance of target minus prediction over the data that the moments stand for.

    The arguments are those of `least_squares` and what it gives; both results have the shape (..., target).
    """
    at, of = np.asarray(predictors), np.asarray(targets)
    mean = data.mean[of] - intercepts - np.einsum("...k,...kt->...t", data.mean[at], slopes)
    inside = np.einsum("...kt,...kj,...jt->...t", slopes, data.cov[at[..., :, None], at[..., None, :]], slopes)
    across = np.einsum("...kt,...kt->...t", slopes, data.cov[at[..., :, None], of])
    return mean, np.maximum(np.diag(data.cov)[of] - 2 * across + inside, 0.0)


def _eliminate(system: Floats, k: int) -> Floats:
    """Solve systems [A | B] of shape (..., k, k + t), A symmetric and positive semidefinite, by Gauss-Jordan."""
    for i in range(k):
        pivot = system[..., i, i]
        free = pivot > COLLINEAR
        row = np.where(free[..., None], system[..., i, :] / np.where(free, pivot, 1.0)[..., None], 0.0)
        column = system[..., :, i].copy()
        column[..., i] = 0.0
        system = system - column[..., :, None] * row[..., None, :]
        system[..., i, :] = row
    return system[..., k:]
