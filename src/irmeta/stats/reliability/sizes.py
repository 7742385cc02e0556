"""Topic set sizes by design: a paired t test, one-way analysis of variance, or the width of an interval.

All take the variance of a system's scores over topics, and let a difference of two systems have twice that: systems are
taken as if they did not share topics. Source: Sakai, "Topic set size design" (Information Retrieval Journal 2016).
"""

import numpy as np
from scipy.special import fdtri, gammaln, ncfdtr, stdtrit

from irmeta.stats.arrays import Floats
from irmeta.stats.reliability.differences import fewest, paired_topics


def within_variance(scores: Floats) -> Floats:
    """Return the mean over systems of the variance of their scores over topics: (system, topic, ...) to (...).

    >>> float(within_variance(np.array([[0.1, 0.3], [0.2, 0.2]])).round(4))
    0.01
    """
    return np.asarray(scores.var(axis=1, ddof=1).mean(axis=0))


def by_t_test(
    difference: float, variance: float, alpha: float = 0.05, power: float = 0.8
) -> float:
    """Return the topics with which a paired t test shows a difference with this power, sd = sqrt(2 variance).

    >>> by_t_test(0.1, 0.05)
    81
    """
    return paired_topics(difference / np.sqrt(2 * variance), alpha, power)


def by_anova(
    difference: float,
    variance: float,
    systems: int,
    alpha: float = 0.05,
    power: float = 0.8,
) -> int:
    """Return the topics with which one-way analysis of variance shows that the best and the worst differ by so much.

    F is noncentral with lambda = n difference^2 / (2 variance), the least that this range of means allows.

    >>> [by_anova(0.1, 0.05, systems) for systems in (2, 3, 5, 10, 20, 50, 100)]
    [80, 98, 121, 158, 207, 301, 405]
    """

    def enough(topics: int) -> bool:
        between = systems - 1
        within = systems * (topics - 1)
        limit = float(fdtri(between, within, 1 - alpha))
        missed = ncfdtr(between, within, topics * difference**2 / (2 * variance), limit)
        return bool(1 - missed >= power)

    return fewest(enough)


def by_interval(width: float, variance: float, alpha: float = 0.05) -> int:
    """Return the topics with which the interval of a difference is expected to be no wider than this.

    The expected width is 2 t_{n-1} E(s) / sqrt(n), E(s) = sqrt(2 variance) sqrt(2/(n-1)) Gamma(n/2) / Gamma((n-1)/2).

    >>> by_interval(0.2, 0.05)
    41
    """

    def enough(topics: int) -> bool:
        # log of sqrt(2/(n-1)) Gamma(n/2) / Gamma((n-1)/2)
        gammas = gammaln(topics / 2) - gammaln((topics - 1) / 2)
        log = gammas + 0.5 * np.log(2 / (topics - 1))
        s = np.sqrt(2 * variance) * np.exp(log)  # E(s)
        t = stdtrit(topics - 1, 1 - alpha / 2)
        return bool(2 * t * s / np.sqrt(topics) <= width)

    return fewest(enough)
