"""Two-sided tests of paired differences with known null distributions: t, Wilcoxon, sign; all pairs at once."""

import numpy as np
import numpy.typing as npt
from scipy import stats
from scipy.special import bdtr, stdtr

Floats = npt.NDArray[np.float64]


def differences(scores: Floats) -> Floats:
    """Give the differences (pair, topic) of all pairs of systems i < j, from scores (system, topic).

    What only rounding can have made, up to 1e-12, is 0: systems that are the same must not differ significantly.

    >>> differences(np.array([[0.5, 0.1], [0.2, 0.1], [0.2, 0.3]])).round(12).tolist()
    [[0.3, 0.0], [0.3, -0.2], [0.0, -0.2]]
    """
    left, right = np.triu_indices(scores.shape[0], 1)
    found = scores[left] - scores[right]
    return np.where(np.abs(found) <= 1e-12, 0.0, found)


def t(found: Floats) -> Floats:
    """Give p of the paired t test, from differences (pair, topic); 1 for equal systems, 0 for a constant difference.

    >>> t(np.array([[0.1, 0.2, 0.3], [0.0, 0.0, 0.0]])).round(4).tolist()
    [0.0742, 1.0]
    """
    return np.asarray(2 * stdtr(found.shape[1] - 1, -np.abs(statistic(found))))


def statistic(found: Floats) -> Floats:
    """Student's t of differences (pair, topic): their mean over its standard error; 0 where all are 0."""
    return np.asarray(effect_size(found) * np.sqrt(found.shape[1]))


def effect_size(found: Floats) -> Floats:
    """Mean of the differences (pair, topic) in units of their standard deviation (divisor n - 1): Cohen's d for pairs.

    0 where all differences are 0, infinite where all are the same but not 0. Source: Cohen (1988), section 2.3.5.
    """
    mean, sd = found.mean(axis=1), found.std(axis=1, ddof=1)
    sd = np.where(sd <= 1e-12 * np.abs(mean), 0.0, sd)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(mean == 0, 0.0, mean / sd)


def wilcoxon(found: Floats) -> Floats:
    """Give p of Wilcoxon's signed-rank test, from differences (pair, topic); topics without a difference are left out.

    Exact where there are at most 50 topics and neither zeros nor ties, else the normal approximation corrected for
    ties, as scipy.stats.wilcoxon decides for one pair. Equal systems have p = 1.
    """
    p = np.ones(found.shape[0])
    found = found.round(10)  # ties that rounding broke are ties
    sizes = np.sort(np.abs(found), axis=1)
    irregular = (sizes[:, 0] == 0) | (np.diff(sizes, axis=1) == 0).any(axis=1)
    irregular |= found.shape[1] > 50
    differs = sizes[:, -1] > 0
    if (rows := differs & irregular).any():
        p[rows] = stats.wilcoxon(found[rows], axis=1, method="asymptotic").pvalue  # type: ignore[call-overload]
    if (rows := differs & ~irregular).any():
        p[rows] = stats.wilcoxon(found[rows], axis=1, method="exact").pvalue
    return p


def sign(found: Floats) -> Floats:
    """Give p of the sign test, exact, from differences (pair, topic); topics without a difference are left out.

    >>> sign(np.array([[0.1, 0.2, 0.3, 0.0], [0.0, 0.0, 0.0, 0.0]])).tolist()
    [0.25, 1.0]
    """
    above, below = (found > 0).sum(axis=1), (found < 0).sum(axis=1)
    return np.asarray(np.minimum(1.0, 2 * bdtr(np.minimum(above, below), above + below, 0.5)))
