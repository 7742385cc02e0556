"""The normal distribution function of very many values: a table, and a cubic from its nearest knot."""

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

Floats = npt.NDArray[np.float64]

ERROR = 2.2e-14
"""Bound of the absolute error of `cdf`: the remainder of its cubics, at most 2.1e-14, and rounding."""

_KNOTS = 512
"""Knots to a standard deviation: a power of 2, so that steps from a knot are exact."""
_REACH = 9.0
"""Standard deviations from 0 to the last knot on either side; 1e-19 is further out."""


def _taylor_terms() -> Floats:
    """Give the terms of the Taylor series at each knot, for steps counted in knots: (order 0 to 3, knot)."""
    z = np.arange(-_REACH * _KNOTS, _REACH * _KNOTS + 1) / _KNOTS
    density = np.exp(-z * z / 2) / np.sqrt(2 * np.pi)
    terms = ndtr(z), density, -z * density / 2, (z * z - 1) * density / 6
    return np.stack([term / _KNOTS**order for order, term in enumerate(terms)])


_TERMS = _taylor_terms()


def cdf(z: Floats) -> Floats:
    """Give the share of the standard normal distribution below each z, with an absolute error of at most `ERROR`.

    z : an array of one or more dimensions; NaN stays NaN. Two to three times as fast as `scipy.special.ndtr`, which is
    exact in the tails, too. A cubic Taylor series leaves at most M d⁴ / 24, where M < 0.551 is the largest fourth
    derivative and d the distance from the nearest knot, at most 1/1024.

    >>> cdf(np.array([-np.inf, -1.0, 0.0, 1.0, np.nan])).round(12).tolist()
    [0.0, 0.158655253931, 0.5, 0.841344746069, nan]
    """
    steps = np.clip(z, -_REACH, _REACH)
    steps *= _KNOTS
    nearest = np.rint(steps)
    steps -= nearest
    nearest += _REACH * _KNOTS
    with np.errstate(invalid="ignore"):
        knot = nearest.astype(np.intp)  # of NaN any: its step is NaN
    value = _TERMS[-1].take(knot, mode="clip")
    for terms in _TERMS[-2::-1]:
        value *= steps
        value += terms.take(knot, mode="clip", out=nearest)
    return value
