"""The normal distribution function of very many values: a table, and a parabola from its nearest knot."""

import numpy as np
from scipy.special import ndtr

from irmeta.stats.arrays import Floats

ERROR = 2.5e-13
"""Bound of the absolute error of `cdf`: the remainder of its parabolas, at most 2.42e-13, and rounding."""

_KNOTS = 2048
"""Knots to a standard deviation: a power of 2, so that steps from a knot are exact."""
_REACH = 9.0
"""Standard deviations from 0 to the last knot on either side; 1e-19 is further out."""


def _heights_and_slopes() -> tuple[Floats, Floats]:
    """Return the distribution function at each knot, and its rise over one knot along the tangent there.

    The slope has in it the cubic term of the Taylor series, replaced by the line nearest to it (economized, after
    Lanczos): over half a step d to either side, d³ and 3/16 d differ by at most 1/32.
    """
    z = np.arange(-_REACH * _KNOTS, _REACH * _KNOTS + 1) / _KNOTS
    density = np.exp(-z * z / 2) / np.sqrt(2 * np.pi) / _KNOTS
    return ndtr(z), density * (1 + 3 / 16 * (z * z - 1) / 6 / _KNOTS**2)


_HEIGHTS, _SLOPES = _heights_and_slopes()


def cdf(z: Floats) -> Floats:
    """Return the share of the standard normal distribution below each z, with an absolute error of at most `ERROR`.

    z : an array of one or more dimensions; NaN stays NaN. About three times as fast as `scipy.special.ndtr`, which is
    exact in the tails, too. The parabolas leave at most M h³ / 6 / 32, where M < 0.399 is the largest third derivative
    and h = 1/2048 the distance of the knots.

    >>> cdf(np.array([-np.inf, -1.0, 0.0, 1.0, np.nan])).round(12).tolist()
    [0.0, 0.158655253931, 0.5, 0.841344746069, nan]
    """
    steps = np.clip(z, -_REACH, _REACH)
    steps *= _KNOTS
    nearest = np.rint(steps)
    steps -= nearest
    rise = nearest * steps
    # the density falls with z times itself, which makes the curve
    rise *= -1 / (2 * _KNOTS**2)
    rise += 1
    rise *= steps
    nearest += _REACH * _KNOTS
    with np.errstate(invalid="ignore"):
        knot = nearest.astype(np.intp)  # of NaN any: its step is NaN
    rise *= _SLOPES.take(knot, mode="clip", out=nearest)
    rise += _HEIGHTS.take(knot, mode="clip", out=nearest)
    return rise
