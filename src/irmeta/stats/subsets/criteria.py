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
        """Give the layers, of shape (layer, n, n), of a covariance matrix of which nothing is chosen yet."""

    def gains(self, diagonal: Floats) -> Floats:
        """Give what each variable adds, of shape (..., n), from the diagonals of the layers, (..., layer, n)."""

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
        """Give the covariance alone."""
        return sigma[None]

    def gains(self, diagonal: Floats) -> Floats:
        """Give the logarithms of the variances given what is chosen."""
        return _log(diagonal[..., 0, :])

    @property
    def bounds(self) -> tuple[Callable[[Floats], Floats], ...]:
        """The cheap ones first."""
        return self.hadamard, self.complement, self.spectral

    def hadamard(self, layers: Floats) -> Floats:
        """Bound by Hadamard's inequality: a determinant is at most the product of its diagonal."""
        return _best_sums(self.gains(diagonals(layers)))

    def complement(self, layers: Floats) -> Floats:
        """Bound by Hadamard's inequality on the inverse, whose minors belong to what is left out."""
        left_out = _best_sums(_log(diagonals(np.linalg.inv(layers[:, 0]))))
        bound: Floats = np.linalg.slogdet(layers[:, 0])[1][:, None] + left_out[:, ::-1]
        return bound

    def spectral(self, layers: Floats) -> Floats:
        """Bound by the largest eigenvalues. Source: Ko, Lee and Queyranne (Operations Research 1995), section 2."""
        values = np.linalg.eigvalsh(layers[:, 0])
        rounding = values.shape[1] * np.finfo(float).eps * values[:, -1:]
        return _best_sums(_log(np.maximum(values, 0) + rounding))


class ExplainedVariance:
    """Variance of all variables together that a linear model on the chosen ones explains: the trace criterion.

    What it leaves is the trace of the covariance given the chosen ones. Source: McCabe (Technometrics 1984), criterion
    2; Gupta et al. (ECIR 2019), Algorithm 2, adds the variable with the largest gain.
    """

    def layers(self, sigma: Floats) -> Floats:
        """Give the covariance and its square."""
        return np.stack([sigma, sigma @ sigma])

    def gains(self, diagonal: Floats) -> Floats:
        """Give the sum of squared covariances with all variables over the variance."""
        variance = diagonal[..., 0, :]
        gain: Floats = diagonal[..., 1, :] / np.where(variance > 0, variance, np.inf)
        return gain

    @property
    def bounds(self) -> tuple[Callable[[Floats], Floats], ...]:
        """The cheap ones first."""
        return self.leaps, self.spectral

    def leaps(self, layers: Floats) -> Floats:
        """Bound by the losses: r variables less explain less by at least the r-th smallest loss of one variable.

        Source: Furnival and Wilson (Technometrics 1974), leaps and bounds.
        """
        inverse = np.linalg.inv(layers[:, 0])
        total = np.einsum("bij,bji->b", inverse, layers[:, 1])[:, None]
        losses = diagonals(inverse @ layers[:, 1] @ inverse) / diagonals(inverse)
        return np.concatenate([total - np.sort(losses, axis=1)[:, ::-1], total], axis=1)

    def spectral(self, layers: Floats) -> Floats:
        """Bound by the best directions among all combinations of the variables. Source: Rao (Sankhya 1964)."""
        root = np.linalg.cholesky(layers[:, 0])
        half = np.linalg.solve(root, layers[:, 1])
        values = np.linalg.eigvalsh(np.linalg.solve(root, half.swapaxes(1, 2)))
        return _best_sums(np.maximum(values, 0))


def choose(layers: Floats, variable: int) -> Floats:
    """Give the layers, of shape (..., layer, n, n), once `variable` is chosen; its own row and column become zero."""
    pivot = layers[..., :1, variable, variable]
    weights = layers[..., :1, :, variable] / pivot[..., None]
    rows = layers[..., variable, :]
    outer = weights[..., :, None] * (rows - rows[..., variable, None] * weights / 2)[..., None, :]
    chosen: Floats = layers - outer - outer.swapaxes(-1, -2)
    return chosen


def diagonals(layers: npt.NDArray[np.floating]) -> Floats:
    """Give the diagonals, of shape (..., layer, n), of layers of shape (..., layer, n, n)."""
    found: Floats = np.diagonal(layers, axis1=-2, axis2=-1)
    return found


def _best_sums(values: Floats) -> Floats:
    """Give the largest sum of m = 0, ..., n of the values along the last axis."""
    ordered = -np.sort(-values, axis=-1)
    return np.concatenate([np.zeros((*values.shape[:-1], 1)), np.cumsum(ordered, axis=-1)], axis=-1)


def _log(values: Floats) -> Floats:
    """Give the logarithm, minus infinity for zero and for what rounding left below it."""
    positive = values > 0
    return np.where(positive, np.log(np.where(positive, values, 1.0)), -np.inf)
