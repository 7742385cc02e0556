"""The normal distribution function of very many values: a table, and a parabola from its nearest knot."""

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

Floats = npt.NDArray[np.float64]

ERROR = 2.5e-13
"""Bound of the absolute error of `cdf`: the remainder of its parabolas, at most 2.42e-13, and rounding."""

_KNOTS = 2048
"""Knots to a standard deviation: a power of 2, so that steps from a knot are exact."""
_REACH = 9.0
"""Standard deviations from 0 to the last knot on either side; 1e-19 is further out."""


def _parabolas() -> Floats:
    """Give the coefficients at each knot for steps counted in knots, at most 1/2: (order 0 to 2, knot).

    The Taylor series to order 3, whose cubic term is replaced by the line nearest to it (economized, after Lanczos):
    d³ and 3/16 d differ by at most 1/32.
    """
    z = np.arange(-_REACH * _KNOTS, _REACH * _KNOTS + 1) / _KNOTS
    density = np.exp(-z * z / 2) / np.sqrt(2 * np.pi) / _KNOTS
    cubic = (z * z - 1) * density / 6 / _KNOTS**2
    return np.stack([ndtr(z), density + 3 / 16 * cubic, -z * density / 2 / _KNOTS])


_COEFFICIENTS = _parabolas()


def cdf(z: Floats) -> Floats:
    """Give the share of the standard normal distribution below each z, with an absolute error of at most `ERROR`.

    z : an array of one or more dimensions; NaN stays NaN. Two to three times as fast as `scipy.special.ndtr`, which is
    exact in the tails, too. The parabolas leave at most M h³ / 6 / 32, where M < 0.399 is the largest third derivative
    and h = 1/2048 the distance of the knots.

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
    value = _COEFFICIENTS[-1].take(knot, mode="clip")
    for lower in _COEFFICIENTS[-2::-1]:
        value *= steps
        value += lower.take(knot, mode="clip", out=nearest)
    return value
