"""What makes a subset of variables good: the log determinant of its covariance, or the variance that it explains.

Both are functions of one or two square matrices, the *layers*, indexed by the variables that may still be chosen. Layer
0 is their covariance given the variables chosen so far. Layer 1, where there is one, holds the products of their
covariances with every variable to be explained. Choosing a variable is one congruence transformation of every layer.
"""

from collections.abc import Callable
from typing import Protocol

import numpy as np
import numpy.typing as npt

from irmeta.stats.arrays import Floats


class Criterion(Protocol):
    """A set function that grows, by `gains`, with each variable chosen; the search looks for its largest value."""

    def layers(self, sigma: Floats) -> Floats:
        """Return the layers, of shape (layer, n, n), of a covariance matrix of which nothing is chosen yet."""

    def gains(self, diagonal: Floats) -> Floats:
        """Return what each variable adds, of shape (..., n), from the diagonals of the layers, (..., layer, n)."""

    @property
    def bounds(self) -> tuple[Callable[[Floats], Floats], ...]:
        """Upper bounds, of shape (batch, n + 1), on what any 0, ..., n variables add; the cheap ones first.

        Each is a function of layers of shape (batch, layer, n, n).
        """


class LogDeterminant:
    """log det of the chosen variables' covariance: what is chosen varies much and overlaps little.

    Equal, up to constants, to the entropy of the chosen variables if all are Gaussian.
    """

    def layers(self, sigma: Floats) -> Floats:
        """Return the covariance alone."""
        return sigma[None]

    def gains(self, diagonal: Floats) -> Floats:
        """Return the logarithms of the variances given what is chosen."""
        return _log(diagonal[..., 0, :])

    @property
    def bounds(self) -> tuple[Callable[[Floats], Floats], ...]:
        """Upper bounds on what any 0, ..., n variables add, the cheap ones first: see `Criterion`."""
        return self.hadamard, self.complement, self.spectral

    def hadamard(self, layers: Floats) -> Floats:
        """Bound by Hadamard's inequality: a determinant is at most the product of its diagonal."""
        return _best_sums(self.gains(diagonals(layers)))

    def complement(self, layers: Floats) -> Floats:
        """Bound by Hadamard's inequality on the inverse, whose minors belong to what is left out.

        log det of the chosen = log det of all + log det of the inverse's minor of those left out.
        """
        covariance = layers[:, 0]
        # of 0, ..., n left out
        left_out = _best_sums(_log(diagonals(np.linalg.inv(covariance))))
        whole = np.linalg.slogdet(covariance).logabsdet
        bound: Floats = whole[:, None] + left_out[:, ::-1]
        return bound

    def spectral(self, layers: Floats) -> Floats:
        """Bound by the largest eigenvalues. Source: Ko, Lee and Queyranne (Operations Research 1995), section 2."""
        values = np.linalg.eigvalsh(layers[:, 0])  # ascending
        n = values.shape[1]
        rounding = n * np.finfo(float).eps * values[:, -1:]
        return _best_sums(_log(np.maximum(values, 0) + rounding))


class ExplainedVariance:
    """Variance of all variables together that a linear model on the chosen ones explains: the trace criterion.

    What it leaves is the trace of the covariance given the chosen ones. Source: McCabe (Technometrics 1984), criterion
    2; Gupta et al. (ECIR 2019), Algorithm 2, adds the variable with the largest gain.
    """

    def layers(self, sigma: Floats) -> Floats:
        """Return the covariance and its square."""
        return np.stack([sigma, sigma @ sigma])

    def gains(self, diagonal: Floats) -> Floats:
        """Return the sum of squared covariances with all variables over the variance."""
        variance = diagonal[..., 0, :]
        squares = diagonal[..., 1, :]
        gain: Floats = squares / np.where(variance > 0, variance, np.inf)
        return gain

    @property
    def bounds(self) -> tuple[Callable[[Floats], Floats], ...]:
        """Upper bounds on what any 0, ..., n variables add, the cheap ones first: see `Criterion`."""
        return self.leaps, self.spectral

    def leaps(self, layers: Floats) -> Floats:
        """Bound by the losses: r variables less explain less by at least the r-th smallest loss of one variable.

        Source: Furnival and Wilson (Technometrics 1974), leaps and bounds.
        """
        covariance = layers[:, 0]
        products = layers[:, 1]
        inverse = np.linalg.inv(covariance)
        # what all variables explain
        total = np.einsum("bij,bji->b", inverse, products)[:, None]
        # (batch, variable)
        losses = diagonals(inverse @ products @ inverse) / diagonals(inverse)
        falling = np.sort(losses, axis=1)[:, ::-1]
        return np.concatenate([total - falling, total], axis=1)

    def spectral(self, layers: Floats) -> Floats:
        """Bound by the best directions among all combinations of the variables. Source: Rao (Sankhya 1964).

        With covariance L L' and products Q, the eigenvalues of L^-1 Q L'^-1.
        """
        covariance = layers[:, 0]
        products = layers[:, 1]
        root = np.linalg.cholesky(covariance)
        half = np.linalg.solve(root, products)
        values = np.linalg.eigvalsh(np.linalg.solve(root, half.swapaxes(1, 2)))
        return _best_sums(np.maximum(values, 0))


def choose(layers: Floats, variable: int) -> Floats:
    """Return the layers, of shape (..., layer, n, n), once `variable` is chosen; its own row and column become zero.

    With w = the weights of the regressions of all variables on v, each layer M becomes (I - w e_v') M (I - w e_v')',
    which is M - w r' - r w' with r = M_v - M_vv w / 2.
    """
    pivot = layers[..., :1, variable, variable]
    weights = layers[..., :1, :, variable] / pivot[..., None]  # w
    rows = layers[..., variable, :]  # M_v
    half = rows - rows[..., variable, None] * weights / 2  # r
    outer = weights[..., :, None] * half[..., None, :]
    chosen: Floats = layers - outer - outer.swapaxes(-1, -2)
    return chosen


def diagonals(layers: npt.NDArray[np.floating]) -> Floats:
    """Return the diagonals, of shape (..., layer, n), of layers of shape (..., layer, n, n)."""
    diagonal: Floats = np.diagonal(layers, axis1=-2, axis2=-1)
    return diagonal


def _best_sums(values: Floats) -> Floats:
    """Return the largest sum of m = 0, ..., n of the values along the last axis."""
    falling = -np.sort(-values, axis=-1)
    none = np.zeros((*values.shape[:-1], 1))
    return np.concatenate([none, np.cumsum(falling, axis=-1)], axis=-1)


def _log(values: Floats) -> Floats:
    """Return the logarithm; minus infinity for zero and for what rounding left below it."""
    positive = values > 0
    logs = np.log(np.where(positive, values, 1.0))
    return np.where(positive, logs, -np.inf)
