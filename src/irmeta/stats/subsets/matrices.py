"""Matrices of a set of variables: covariance, correlation, normal scores; whether one is a covariance matrix at all."""

import numpy as np
import numpy.typing as npt
from scipy import stats

from irmeta.stats.arrays import Floats


def covariance(rows: Floats) -> Floats:
    """Give the covariance of the columns of `rows`, with n - 1; one column gives a 1 x 1 matrix."""
    return np.atleast_2d(np.cov(rows, rowvar=False))


def correlation(sigma: Floats) -> Floats:
    """Scale a covariance matrix to unit variances; the diagonal is exactly 1.

    >>> correlation(np.array([[4.0, 1.0], [1.0, 1.0]]))
    array([[1. , 0.5],
           [0.5, 1. ]])
    """
    scale = np.sqrt(np.diag(sigma))
    scaled: Floats = np.clip(sigma / np.outer(scale, scale), -1, 1)
    np.fill_diagonal(scaled, 1.0)
    return scaled


def normal_scores(rows: Floats) -> Floats:
    """Replace each column by its van der Waerden scores, the normal quantiles of rank / (n + 1); ties share a rank.

    Values that agree to ten decimals are ties.

    >>> normal_scores(np.array([[0.2], [0.9], [0.4]])).round(2).ravel()
    array([-0.67,  0.67,  0.  ])
    """
    ranks = stats.rankdata(rows.round(10), axis=0)
    scores: Floats = stats.norm.ppf(ranks / (len(rows) + 1))
    return scores


def symmetrized(matrix: Floats) -> tuple[Floats, float]:
    """Give the mean of a matrix and its transpose, and the largest difference between the two."""
    return (matrix + matrix.T) / 2, float(np.abs(matrix - matrix.T).max(initial=0.0))


def smallest_eigenvalue(sigma: Floats) -> float:
    """Give the smallest eigenvalue over the largest; clearly below zero, `sigma` is no covariance matrix."""
    values = np.linalg.eigvalsh(sigma)
    return float(values[0] / max(abs(values[-1]), np.finfo(float).tiny))


def dependent(sigma: Floats, first: npt.ArrayLike = (), *, tolerance: float = 1e-9) -> list[tuple[int, list[int]]]:
    """Name the variables that are linear combinations of others: (variable, those that it is made of).

    sigma : positive semi-definite, with no zero on its diagonal.  first : the variables to keep before all others.
    tolerance : the share of a variable's variance, given those kept, at which it counts as none.
    Source: pivoted Cholesky factorisation (Higham 2002, section 10.3).

    >>> dependent(np.array([[1.0, 1.0, 0.1], [1.0, 1.0, 0.1], [0.1, 0.1, 1.0]]))
    [(1, [0])]
    """
    scaled, wanted = correlation(sigma), set(np.asarray(first, dtype=np.intp).tolist())
    kept: list[int] = []
    left = list(range(len(sigma)))
    residual = scaled.copy()
    while left:
        variance = np.diag(residual)
        pool = [i for i in left if i in wanted and variance[i] > tolerance] or left
        best = pool[int(np.argmax(variance[pool].round(9)))]
        if variance[best] <= tolerance:
            break
        kept.append(best)
        left.remove(best)
        residual = residual - np.outer(residual[:, best], residual[best]) / residual[best, best]
    if not left:
        return []
    weights = np.linalg.solve(scaled[np.ix_(kept, kept)], scaled[np.ix_(kept, left)])
    parts = np.abs(weights) > 1e-3 * np.abs(weights).max(axis=0)
    return [(i, [kept[j] for j in np.flatnonzero(parts[:, at])]) for at, i in enumerate(left)]
