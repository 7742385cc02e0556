"""Systems of which only a mean is known, as a paper reports it: where they stand among everybody, and how sure that is.

Everybody's plain means x and standardized means y of one collection lie near a curve: the probit of y is nearly a line
in x, also beyond their best. The line at a reported mean says where its system stands by standardized scores. That is
uncertain as other topics would move such a system (the variance over topics of those with the nearest means) and as
systems lie off the line (the error of a prediction by least squares).
"""

import numpy as np
from scipy.special import ndtr, ndtri

from irmeta.stats.arrays import Floats
from irmeta.stats.standardizing.across import Estimate
from irmeta.stats.standardizing.standing import Everybody, Percentile, percentiles

FEWEST = 10
"""With fewer systems the line is not known well enough for an interval."""
NEAREST = 0.25
"""Share of everybody whose variance over topics is taken for that of a system with such a mean."""
_ROUNDING = 1e-9
"""What decimals of two means differ by that are as far apart as reported ones round."""
_END = 1e-3
"""Standardized means nearer to 0 or 1 are taken as this: their probit has no bound."""


def placed(
    mean: Floats,
    within: Floats,
    everybody: Everybody,
    topics: int,
    level: float = 0.95,
    rng: int | np.random.Generator = 0,
) -> Percentile:
    """Return which share of everybody has a smaller plain mean than those reported, (system,), with intervals.

    The interval is of the share of true standardized means that are lower; NaN where means have no errors.

    mean : as reported, on the scale of everybody's.  within : half a unit of its last decimal; nearer means tie.
    topics : over which they are.

    >>> others = Everybody(np.array([0.1, 0.2, 0.4]), np.array([0.2, 0.4, 0.7]), np.full(3, 0.05))
    >>> placed(np.array([0.3, 0.2]), np.array([0.05, 0.05]), others, 50).percentile.round(1).tolist()
    [66.7, 50.0]
    """
    gap = mean[:, None] - everybody.mean
    tied = np.abs(gap) <= within[:, None] + _ROUNDING
    share = 100 * ((gap > 0) & ~tied).mean(axis=1) + 50 * tied.mean(axis=1)
    ends = percentiles(standardized(mean, everybody, topics), everybody, level, rng)
    return Percentile(share, np.minimum(ends.low, share), np.maximum(ends.high, share))


def standardized(mean: Floats, everybody: Everybody, topics: int) -> Estimate:
    """Return the standardized means that systems with such plain means, (system,), may have; few systems show no error.

    >>> x = np.linspace(0.1, 0.5, 20)
    >>> found = standardized(np.array([0.3, 0.6]), Everybody(x, ndtr(4 * x - 1.2), np.full(20, 0.03)), 50)
    >>> found.value.round(2).tolist(), found.error.round(2).tolist()
    ([0.5, 0.88], [0.03, 0.03])
    """
    x, y = everybody.mean, ndtri(np.clip(everybody.standardized, _END, 1 - _END))
    apart = x - x.mean()
    total = float(apart @ apart)
    slope = float(apart @ y) / total if total > 0 else 0.0
    # probit(y) = mean + slope (x - mean of x)
    far = mean - x.mean()
    middle = y.mean() + slope * far
    if x.size < FEWEST or total == 0:
        unknown = np.full(mean.shape, np.nan)
        return Estimate(ndtr(middle), unknown, unknown)
    df = x.size - 2
    off = float(((y - y.mean() - slope * apart) ** 2).sum()) / df
    # a prediction by least squares, by the slope of Phi on the scale of y
    predicted = off * (1 + 1 / x.size + far**2 / total)
    predicted = predicted * np.exp(-(middle**2)) / (2 * np.pi)
    near = np.argsort(np.abs(mean[:, None] - x), axis=1, kind="stable")
    near = near[:, : max(FEWEST // 2, round(NEAREST * x.size))]
    of_topics = (everybody.error[near] ** 2).mean(axis=1)
    return Estimate(
        ndtr(middle),
        np.sqrt(predicted + of_topics),
        np.full(mean.shape, float(min(df, topics - 1))),
    )
