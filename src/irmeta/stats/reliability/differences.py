"""Which differences in mean score a number of topics shows, by paired t tests.

A paired t test of n topics has the noncentrality d sqrt(n) / sd, for a true difference d and topic differences of
standard deviation sd. Sources: Webber, Moffat and Zobel (CIKM 2008); Cohen, *Statistical Power Analysis* (1988).
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from scipy.special import ncfdtr, stdtrit

from irmeta.stats.arrays import Floats
from irmeta.stats.reliability.worth import ALL_FALLS, Worth


def power(effect: npt.ArrayLike, topics: int, alpha: float = 0.05) -> Floats:
    """Return the power of a two-sided paired t test: the chance that it shows a difference of `effect` deviations.

    >>> float(power(0.5, 34).round(3))
    0.808
    """
    # t squared is F with 1 and n - 1, its noncentrality n effect^2
    nc = np.asarray(effect, dtype=np.float64) ** 2 * topics
    limit = stdtrit(topics - 1, 1 - alpha / 2) ** 2
    finite = np.isfinite(nc)
    missed = ncfdtr(1, topics - 1, np.where(finite, nc, 0), limit)
    return np.where(finite, 1 - missed, 1.0)  # an infinite effect is always shown


def smallest_effect(
    topics: int, alpha: float = 0.05, power_wanted: float = 0.8
) -> float:
    """Return the difference, in standard deviations of topic differences, that a test shows with this power.

    >>> round(smallest_effect(50), 4)
    0.4042
    """
    from scipy.optimize import brentq

    def short(effect: float) -> float:
        return float(power(effect, topics, alpha)) - power_wanted

    highest = 1.0
    while short(highest) < 0:
        highest *= 2
    return float(brentq(short, 0, highest))


def paired_topics(
    effect: float,
    alpha: float = 0.05,
    power_wanted: float = 0.8,
    worth: Worth = ALL_FALLS,
) -> float:
    """Return how many topics show a difference of `effect` deviations with this power; infinite where no number does.

    worth : what numbers of topics are worth, where not all of the variance of differences falls with them; of one
    metric.

    >>> paired_topics(0.5)
    34
    """

    def shown(topics: int) -> bool:
        seen = effect * np.sqrt(worth.of(topics) / topics)
        return bool(power(seen, topics, alpha) >= power_wanted)

    needed = fewest(shown)
    return needed if needed < MOST_TOPICS else np.inf


MOST_TOPICS = 1 << 24
"""Nobody has more topics."""


def fewest(enough: Callable[[int], bool]) -> int:
    """Find the smallest number of topics, from 2, for which a condition holds that holds from there on.

    >>> fewest(lambda topics: topics**2 >= 200)
    15
    """
    high = 2
    while not enough(high):
        high *= 2
        if high > MOST_TOPICS:
            return MOST_TOPICS
    # bisection: `low` topics are too few, `high` are enough
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        if enough(middle):
            high = middle
        else:
            low = middle
    return high
