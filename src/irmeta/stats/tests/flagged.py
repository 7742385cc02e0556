"""What leaving flagged topics out changes in means over topics, with its interval."""

import numpy as np
from scipy.special import stdtrit

from irmeta.stats.arrays import Bools, Floats

FEWEST = 5
"""Topics of each kind that an interval needs: fewer come out alike too often, whatever they vary by."""


def half_width(values: Floats, flagged: Bools, level: float = 0.95) -> Floats:
    """Return half the interval of how means of values (..., topic) change when flagged topics (topic,) go: (...,).

    With the flagged topics' share s, the change is s (mean of the others - mean of the flagged). The interval is of
    that difference for other topics of both kinds: Welch's, with 1.5 times the variance of the others as one more
    flagged topic's square, as flagged topics that come out alike would else seem not to vary at all. NaN, where a
    value is missing, is left out. There is no interval, NaN, where there are fewer than 5 topics of either kind, or
    where no value varies. Source: Welch (Biometrika 1947); decision 231.

    >>> values = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0])
    >>> half_width(values, np.arange(10) < 5).round(3).item()
    0.118
    """
    gone, left = values[..., flagged], values[..., ~flagged]
    few, many = ((~np.isnan(kind)).sum(axis=-1) for kind in (gone, left))
    with np.errstate(divide="ignore", invalid="ignore"):
        # s_o² = SS_o / (n_o - 1), s_f² = (SS_f + 1.5 s_o²) / n_f
        of_others = _squares(left) / (many - 1)
        of_flagged = (_squares(gone) + 1.5 * of_others) / few
        # V = s_f² / n_f + s_o² / n_o
        first = of_flagged / few
        second = of_others / many
        variance = first + second
        # V² / ((s_f² / n_f)² / (n_f - 1) + (s_o² / n_o)² / (n_o - 1)) degrees of freedom
        freedom = variance**2 / (first**2 / (few - 1) + second**2 / (many - 1))
        quantile = stdtrit(freedom, (1 + level) / 2)
        share = few / (few + many)
        half = share * quantile * np.sqrt(variance)
    enough = np.minimum(few, many) >= FEWEST
    return np.where(enough & (half > 1e-12), half, np.nan)


def _squares(part: Floats) -> Floats:
    """Return sums of squared deviations from the mean of what is there of (..., topic)."""
    there = ~np.isnan(part)
    seen = np.where(there, part, 0.0)
    mean = seen.sum(axis=-1, keepdims=True) / there.sum(axis=-1, keepdims=True)
    return np.asarray((np.where(there, seen - mean, 0.0) ** 2).sum(axis=-1))
