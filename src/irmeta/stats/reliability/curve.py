"""The curve that worth follows beyond what is measured: tau(n) = (2/pi) asin(a n / (n + k)), as normal scores would."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from irmeta.stats.arrays import Floats

_LEAST = 0.01
"""Correlations are taken as at least this when the curve is fitted: it has no place for negative ones."""


@dataclass(frozen=True)
class Curve:
    """The fitted curve of each column: tau(n) = (2/pi) asin(a n / (n + k)); a and k of shape (..., column)."""

    a: Floats
    k: Floats

    def tau(self, n: npt.ArrayLike) -> Floats:
        """Return tau for a number of topics."""
        topics = np.asarray(n, dtype=np.float64)
        return (
            2 / np.pi * np.arcsin(np.clip(self.a * topics / (topics + self.k), -1, 1))
        )

    def topics(self, tau: npt.ArrayLike) -> Floats:
        """Return how many topics give this tau; infinite where none do."""
        y = np.sin(np.pi * np.asarray(tau, dtype=np.float64) / 2)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(self.a > y, self.k * y / (self.a - y), np.inf)


def fit(sizes: Sequence[int], tau: Floats) -> Curve:
    """Fit the curve to tau (..., size, column), through the last size: n / y = n / a + k / a, y = sin(pi tau / 2).

    So it goes on where measuring ends. Other points count by y^4 / n^2, as the error of n / y is n / y^2 times that of
    y. a is at most 1, and k at least 0.

    >>> curve = Curve(np.array([0.9]), np.array([12.0]))
    >>> sizes = [5, 10, 25]
    >>> found = fit(sizes, np.stack([curve.tau(n) for n in sizes]))
    >>> [round(float(part[0]), 6) for part in (found.a, found.k)]
    [0.9, 12.0]
    """
    n = np.asarray(sizes, dtype=np.float64)[:, None]
    y = np.maximum(np.sin(np.pi * tau / 2), _LEAST)
    weight = y**4 / n**2
    line = n / y
    last, end = n[-1], line[..., -1, :]
    # weighted least squares of the line on n, both from the last point on: slope 1 / a, intercept k / a
    away = n - last
    spread = (weight * away**2).sum(axis=-2)
    products = (weight * away * (line - end[..., None, :])).sum(axis=-2)
    slope = products / np.where(spread > 0, spread, 1)
    # a is at most 1, k at least 0
    slope = np.clip(slope, 1.0, end / last)
    return Curve(1 / slope, end / slope - last)
