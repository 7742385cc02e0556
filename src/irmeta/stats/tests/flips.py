"""Two systems whose scores are 0 or 1: the topics on which they differ are all that a test sees."""

import numpy as np
from scipy.special import bdtr, bdtrc, bdtrik

from irmeta.stats.arrays import Ints
from irmeta.stats.reliability.differences import fewest


def mcnemar(wins: int, losses: int) -> float:
    """Return the two-sided p of McNemar's exact test: on how many topics is one of two alone right, and the other.

    >>> mcnemar(9, 1), mcnemar(0, 0)
    (0.021484375, 1.0)
    """
    differ = wins + losses
    return float(min(1.0, 2 * bdtr(min(wins, losses), differ, 0.5)))


def needed(differ: Ints, alpha: float = 0.05) -> Ints:
    """Return how many of the topics that differ must go one way for p < alpha; one more than these where none suffice.

    >>> needed(np.array([5, 6, 10])).tolist()
    [6, 6, 9]
    """
    # the most that may go the other way: P(X <= losses) < alpha / 2
    most = np.floor(bdtrik(alpha / 2, np.maximum(differ, 1), 0.5))
    too_many = 2 * bdtr(most, differ, 0.5) >= alpha
    return np.asarray(differ - most + too_many, dtype=np.int64)


def power(
    difference: float, differing: float, topics: int, alpha: float = 0.05
) -> float:
    """Return the chance that McNemar's exact test shows a difference of two shares of topics that are right.

    difference, differing : the shares of topics by which they differ in mean, and on which they differ at all.

    >>> round(power(0.2, 0.3, 50), 2)
    0.7
    """
    differ = np.arange(topics + 1)
    least = needed(differ, alpha)
    ahead = (1 + difference / differing) / 2
    # at least these topics one way, or the other way
    won = bdtrc(least - 1, differ, ahead)
    lost = np.where(
        least <= differ, bdtr(np.maximum(differ - least, 0), differ, ahead), 0.0
    )
    chance = np.diff(bdtr(differ, topics, differing), prepend=0)
    return float(((won + lost) * chance).sum())


def smallest_seen(
    differing: float, topics: int, alpha: float = 0.05, power_wanted: float = 0.8
) -> float:
    """Return the smallest difference in mean, in steps of one topic, that is shown with this power; NaN if none is.

    differing : the share of topics on which the two differ at all; at least the difference.

    >>> round(smallest_seen(0.2, 51), 2), smallest_seen(0.2, 5)
    (0.18, nan)
    """

    def is_shown(ahead: int) -> bool:
        if ahead > topics:
            return True  # this ends the search
        difference = ahead / topics
        shown = power(difference, max(differing, difference), topics, alpha)
        return shown >= power_wanted

    ahead = fewest(is_shown)
    return ahead / topics if ahead <= topics else float("nan")
