"""What leaving flagged topics out changes in means over topics, with its interval."""

import numpy as np
from scipy.special import stdtrit

from irmeta.stats.arrays import Bools, Floats


def half_width(values: Floats, flagged: Bools, level: float = 0.95) -> Floats:
    """Return half the interval of how means of values (..., topic) change when flagged topics (topic,) go: (...,).

    With the flagged topics' share s, the change is s (mean of the others - mean of the flagged). The interval is of
    that difference for other topics of both kinds, and the wider of two: Welch's, which sees no spread where few
    flagged topics score alike, and that of a variance that both kinds share. NaN, where a value is missing, is left
    out. There is no interval, NaN, where fewer than 2 topics of either kind are there, as one says nothing of others
    like it, or where no value varies. Source: Welch (Biometrika 1947).

    >>> values = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    >>> half_width(values, np.arange(6) < 3).round(3).item()
    0.113
    """
    parts = [values[..., flagged], values[..., ~flagged]]
    there = [~np.isnan(part) for part in parts]
    counts = np.array([part.sum(axis=-1) for part in there])
    with np.errstate(divide="ignore", invalid="ignore"):
        squares = np.array([_squares(part) for part in parts])
        ends = [_welch(squares, counts, level), _shared(squares, counts, level)]
        share = counts[0] / counts.sum(axis=0)
        half = share * np.fmax(*ends)
    enough = (counts > 1).all(axis=0)
    return np.where(enough & (half > 1e-12), half, np.nan)


def _welch(squares: Floats, counts: Floats, level: float) -> Floats:
    """Return half the interval of a difference of means by Welch; squares, counts : of both parts, (part, ...).

    V_i = sum of squares / (n_i - 1) / n_i, and the degrees of freedom (V_1 + V_2)² / sum of V_i² / (n_i - 1).
    """
    free = counts - 1
    each = squares / free / counts
    variance = each.sum(axis=0)
    spent = (each**2 / free).sum(axis=0)
    freedom = variance**2 / spent
    return np.asarray(stdtrit(freedom, (1 + level) / 2) * np.sqrt(variance))


def _shared(squares: Floats, counts: Floats, level: float) -> Floats:
    """Return half the interval of a difference of means where both parts vary alike; the arguments are Welch's.

    s² = sum of both sums of squares / (n - 2), V = s² (1 / n_1 + 1 / n_2).
    """
    freedom = counts.sum(axis=0) - 2
    spread = squares.sum(axis=0) / freedom
    variance = spread * (1 / counts).sum(axis=0)
    return np.asarray(stdtrit(freedom, (1 + level) / 2) * np.sqrt(variance))


def _squares(part: Floats) -> Floats:
    """Return sums of squared deviations from the mean of what is there of (..., topic)."""
    there = ~np.isnan(part)
    seen = np.where(there, part, 0.0)
    mean = seen.sum(axis=-1, keepdims=True) / there.sum(axis=-1, keepdims=True)
    return np.asarray((np.where(there, seen - mean, 0.0) ** 2).sum(axis=-1))
