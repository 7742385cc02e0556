"""Orders of variables by the determinant of their covariance: every published way, each from best to worst.

An order is an array of indices. `include` are variables that come first, in the order in which the method would take
them. Among equals, the variable that stands first in the matrix counts as the better one. Only logarithms of
determinants are formed, so that nothing overflows.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy import linalg

from irmeta.stats.arrays import Bools, Floats, Indices
from irmeta.stats.subsets.criteria import Criterion, choose, diagonals
from irmeta.stats.subsets.matrices import without

Order = Indices
TIE = 1e-9
"""Values that differ by this share of the largest are equal."""


def log_determinant(sigma: Floats, subset: npt.ArrayLike) -> float:
    """Return the natural logarithm of the determinant of the rows and columns in `subset`; -inf if singular.

    >>> round(log_determinant(np.diag([1e-200, 1e-200, 1.0]), [0, 1]), 3)
    -921.034
    """
    chosen = np.asarray(subset, dtype=np.intp)
    sign, value = np.linalg.slogdet(sigma[np.ix_(chosen, chosen)])
    if sign > 0:
        return float(value)
    return -np.inf


def unexplained(sigma: Floats, subset: npt.ArrayLike) -> float:
    """Return the share of the total variance that a linear model on the variables in `subset` leaves unexplained.

    In [0, 1]. Only the variables outside `subset` have any left. With A the covariance of the subset and B that of the
    subset with the rest, the variances explained are the diagonal of B' A^-1 B.
    """
    chosen = np.asarray(subset, dtype=np.intp)
    if not chosen.size:
        return 1.0
    rest = np.setdiff1d(np.arange(len(sigma)), chosen)
    own = sigma[np.ix_(chosen, chosen)]  # A
    cross = sigma[np.ix_(chosen, rest)]  # B
    # with A = L L', the diagonal of B' A^-1 B holds the squared lengths of L^-1 B
    factor = linalg.cholesky(own, lower=True)
    half = linalg.solve_triangular(factor, cross, lower=True)
    explained = (half**2).sum(axis=0)
    variance = np.diag(sigma)[rest]
    left = np.maximum(variance - explained, 0)
    return float(left.sum() / np.trace(sigma))


def explained_by_each(sigma: Floats, order: npt.ArrayLike) -> Floats:
    """Return the variance that each variable of an order explains, of itself and those after it, given those before.

    sigma : covariances of shape (variable, variable).  order : variables, each once.  Returns (position,), from 0; over
    all variables they sum to the trace. Source: the criterion of Gupta et al. (ECIR 2019), Algorithm 2, step 4.

    >>> explained_by_each(np.array([[4.0, 2.0], [2.0, 2.0]]), [0, 1]).tolist()
    [5.0, 1.0]
    """
    left = sigma.astype(np.float64)  # covariances given the variables so far
    explained = []
    for i in np.asarray(order, dtype=np.intp):
        variance = left[i, i]
        if not variance > 0:  # those before determine it
            explained.append(0.0)
            continue
        row = left[i].copy()
        # sum of sigma_ij^2 / sigma_ii
        explained.append(row @ row / variance)
        left = left - np.outer(row, row) / variance
    return np.array(explained)


def iterative_backward(sigma: Floats, include: Sequence[int] = ()) -> Order:
    """Drop, again and again, the variable whose loss leaves the largest determinant, in O(S^3) for the whole order.

    Without variable i the determinant is the old one times P_ii, where P is the inverse, and the new inverse is P less
    P_i P_i' / P_ii; so one inversion serves all steps. Raises LinAlgError if sigma is singular.
    Source: Gupta et al. (ECIR 2019), Algorithm 1, whose step 7 prints the update for the covariance, where it is wrong.
    """
    inverse = linalg.cho_solve(linalg.cho_factor(sigma), np.eye(len(sigma)))  # P
    remaining = np.ones(len(sigma), dtype=bool)
    dropped = []
    for _ in range(len(sigma)):
        worst = _last_best(np.diag(inverse), _droppable(remaining, include))
        inverse = without(inverse, worst)
        remaining[worst] = False
        dropped.append(worst)
    return np.array(dropped[::-1], dtype=np.intp)


def sheffield(sigma: Floats, include: Sequence[int] = ()) -> Order:
    """Drop the variable whose loss leaves the largest determinant, with every sub-determinant computed: O(S^5) in all.

    The same order as `iterative_backward`, kept to show what its update saves.
    Source: Sheffield (Photogrammetric Engineering and Remote Sensing 1985).
    """
    remaining = np.ones(len(sigma), dtype=bool)
    dropped = []
    for _ in range(len(sigma)):
        left = np.flatnonzero(remaining)
        # (variable, others)
        without = np.stack([left[left != variable] for variable in left])
        minors = sigma[without[:, :, None], without[:, None, :]]
        values = np.full(len(sigma), -np.inf)
        values[left] = np.linalg.slogdet(minors).logabsdet
        worst = _last_best(values, _droppable(remaining, include))
        remaining[worst] = False
        dropped.append(worst)
    return np.array(dropped[::-1], dtype=np.intp)


def greedy(criterion: Criterion, layers: Floats, include: Sequence[int] = ()) -> Order:
    """Add, again and again, the variable that gains most.

    With `LogDeterminant` this is the Cholesky factorisation with the largest pivot first; with `ExplainedVariance`,
    Algorithm 2 of Gupta et al. (ECIR 2019).
    """
    remaining = np.ones(layers.shape[-1], dtype=bool)
    order = []
    for _ in range(layers.shape[-1]):
        gains = criterion.gains(diagonals(layers))
        best = _first_best(gains, _addable(remaining, include))
        layers = choose(layers, best)
        remaining[best] = False
        order.append(best)
    return np.array(order, dtype=np.intp)


def row_sums(sigma: Floats, include: Sequence[int] = ()) -> Order:
    """Add the variable with the largest sum of covariances with those not yet added, itself among them.

    Source: forward_greedy.m, released with Gupta et al. (ECIR 2019). It is not their Algorithm 2: sums are signed, and
    what is chosen is not conditioned on. For reproduction only.
    """
    remaining = np.ones(len(sigma), dtype=bool)
    order = []
    for _ in range(len(sigma)):
        sums = sigma[:, remaining].sum(axis=1)
        best = _first_best(sums, _addable(remaining, include))
        remaining[best] = False
        order.append(best)
    return np.array(order, dtype=np.intp)


def _addable(remaining: Bools, include: Sequence[int]) -> Order:
    """Return the variables that may come next: the included ones while there are any."""
    wanted = sorted(variable for variable in include if remaining[variable])
    if wanted:
        return np.array(wanted, dtype=np.intp)
    return np.flatnonzero(remaining)


def _droppable(remaining: Bools, include: Sequence[int]) -> Order:
    """Return the variables that may go next: the included ones only when nothing else is left."""
    left = np.flatnonzero(remaining)
    free = np.setdiff1d(left, np.asarray(include, dtype=np.intp))
    if free.size:
        return free
    return left


def _first_best(values: Floats, among: Order) -> int:
    """Return the variable with the largest value; the first in the matrix wins ties."""
    best = _best(values[among])
    return int(among[np.argmax(best)])


def _last_best(values: Floats, among: Order) -> int:
    """Return the variable with the largest value; the last in the matrix wins ties."""
    reverse = among[::-1]
    best = _best(values[reverse])
    return int(reverse[np.argmax(best)])


def _best(values: Floats) -> Bools:
    """Mark the values that equal the largest but for rounding."""
    scale = np.abs(values[np.isfinite(values)]).max(initial=0.0)
    tied: Bools = values >= values.max() - TIE * scale
    return tied
