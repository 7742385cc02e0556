"""Matrices of a set of variables: covariance, correlation, normal scores; whether one is a covariance matrix at all."""

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from irmeta.stats.arrays import Floats, settled
from irmeta.stats.rankings.ranks import tied_ranks


def covariance(rows: Floats) -> Floats:
    """Return the covariance of the columns of `rows`, with n - 1; one column gives a 1 x 1 matrix."""
    return np.atleast_2d(np.cov(rows, rowvar=False))


def correlation(sigma: Floats) -> Floats:
    """Scale a covariance matrix to unit variances; the diagonal is exactly 1.

    >>> correlation(np.array([[4.0, 1.0], [1.0, 1.0]]))
    array([[1. , 0.5],
           [0.5, 1. ]])
    """
    sd = np.sqrt(np.diag(sigma))
    scaled: Floats = np.clip(sigma / np.outer(sd, sd), -1, 1)
    np.fill_diagonal(scaled, 1.0)
    return scaled


def normal_scores(rows: Floats) -> Floats:
    """Replace each column by its van der Waerden scores, the normal quantiles of rank / (n + 1); ties share a rank.

    Values that agree to ten decimals are ties.

    >>> normal_scores(np.array([[0.2], [0.9], [0.4]])).round(2).ravel()
    array([-0.67,  0.67,  0.  ])
    """
    ranks = tied_ranks(settled(rows).T).T
    scores: Floats = ndtri(ranks / (len(rows) + 1))
    return scores


def symmetrized(matrix: Floats) -> tuple[Floats, float]:
    """Return the mean of a matrix and its transpose, and the largest difference between the two."""
    largest = np.abs(matrix - matrix.T).max(initial=0.0)
    return (matrix + matrix.T) / 2, float(largest)


def smallest_eigenvalue(sigma: Floats) -> float:
    """Return the smallest eigenvalue over the largest; clearly below zero, `sigma` is no covariance matrix."""
    values = np.linalg.eigvalsh(sigma)
    largest = max(abs(values[-1]), np.finfo(float).tiny)
    return float(values[0] / largest)


_NONE = 1e-9
"""The share of a variable's variance, given those that are kept, at which it counts as none."""


def dependent(sigma: Floats, first: npt.ArrayLike = ()) -> list[tuple[int, list[int]]]:
    """Name the variables that are linear combinations of others: (variable, those that it is made of).

    sigma : positive semi-definite, with no zero on its diagonal.  first : the variables to keep before all others.
    Source: pivoted Cholesky factorisation (Higham 2002, section 10.3).

    >>> dependent(np.array([[1.0, 1.0, 0.1], [1.0, 1.0, 0.1], [0.1, 0.1, 1.0]]))
    [(1, [0])]
    """
    scaled = correlation(sigma)
    wanted = set(np.asarray(first, dtype=np.intp).tolist())
    kept, left = _independent(scaled, wanted)
    if not left:
        return []
    # the weights of the kept variables in each of the others, (kept, left); those near 0 have no part in it
    weights = np.linalg.solve(scaled[np.ix_(kept, kept)], scaled[np.ix_(kept, left)])
    sizes = np.abs(weights)
    parts = sizes > 1e-3 * sizes.max(axis=0)
    made_of = [np.array(kept)[has_part].tolist() for has_part in parts.T]
    return list(zip(left, made_of, strict=True))


def _independent(scaled: Floats, wanted: set[int]) -> tuple[list[int], list[int]]:
    """Keep, again and again, the variable with the most variance given those kept; return those kept and those left."""
    kept: list[int] = []
    left = list(range(len(scaled)))
    residual = scaled.copy()
    while left:
        variance = np.diag(residual)
        wanted_left = [i for i in left if i in wanted and variance[i] > _NONE]
        among = wanted_left or left
        best = among[int(np.argmax(variance[among].round(9)))]
        if variance[best] <= _NONE:
            break
        kept.append(best)
        left.remove(best)
        residual = without(residual, best)
    return kept, left


def without(sigma: Floats, i: int) -> Floats:
    """Return what is left of covariances once variable i explains what it can; zeros in its own row and column."""
    return sigma - np.outer(sigma[:, i], sigma[i]) / sigma[i, i]
