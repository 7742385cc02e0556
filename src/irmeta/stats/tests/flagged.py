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
    counts = np.array([(~np.isnan(part)).sum(axis=-1) for part in parts])
    with np.errstate(divide="ignore", invalid="ignore"):
        squares = np.array([_squares(part) for part in parts])
        # V_i = sum of squares / (n_i - 1) / n_i
        each = squares / (counts - 1) / counts
        freedom = each.sum(axis=0) ** 2 / (each**2 / (counts - 1)).sum(axis=0)
        welch = stdtrit(freedom, (1 + level) / 2) * np.sqrt(each.sum(axis=0))
        # s² = sum of both sums of squares / (n - 2), V = s² (1 / n_1 + 1 / n_2)
        left = counts.sum(axis=0) - 2
        shared = squares.sum(axis=0) / left * (1 / counts).sum(axis=0)
        pooled = stdtrit(left, (1 + level) / 2) * np.sqrt(shared)
        half = counts[0] / counts.sum(axis=0) * np.fmax(welch, pooled)
    return np.where((half > 1e-12) & (counts > 1).all(axis=0), half, np.nan)


def _squares(part: Floats) -> Floats:
    """Return sums of squared deviations from the mean of what is there of (..., topic)."""
    there = ~np.isnan(part)
    seen = np.where(there, part, 0.0)
    mean = seen.sum(axis=-1, keepdims=True) / there.sum(axis=-1, keepdims=True)
    return np.asarray((np.where(there, seen - mean, 0.0) ** 2).sum(axis=-1))
