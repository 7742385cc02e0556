"""How much of an effect is there again: ratios of means, with intervals, from scores of two experiments by topic.

Sources: Breuer et al. (SIGIR 2020) for the figures, Fieller (1954) for ratios, Zou and Donner (Statistics in Medicine
2008) for differences of ratios.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit
from scipy.stats import ttest_ind

from irmeta.stats.arrays import Floats
from irmeta.stats.tests import paired

POWER = 0.8
"""The probability to show what is there, for which topics are counted."""
ROUNDING = 1e-12
"""Means, and scores, that lie no further apart are equal."""


class Found(NamedTuple):
    """A figure with the ends of its interval, NaN where it has none."""

    value: float
    low: float
    high: float


NOTHING = Found(np.nan, np.nan, np.nan)


class Two(NamedTuple):
    """Scores, or differences, of the first experiment and of the other: (topic,) each.

    together : whether these are the same topics, in the same order.
    """

    first: Floats
    again: Floats
    together: bool

    @property
    def variances(self) -> tuple[float, float, float]:
        """The variances of both means, and their covariance: 0 on other topics."""
        of_first = float(self.first.var(ddof=1)) / len(self.first)
        of_again = float(self.again.var(ddof=1)) / len(self.again)
        if not self.together:
            return of_first, of_again, 0.0
        return of_first, of_again, float(np.cov(self.first, self.again)[0, 1]) / self.n

    @property
    def n(self) -> int:
        """The topics of the experiment that has fewer."""
        return min(len(self.first), len(self.again))


def change(two: Two, level: float) -> Found:
    """Return how much higher the mean is in the other experiment, by t; on other topics with Welch's error.

    >>> found = change(Two(np.array([0.1, 0.2, 0.3]), np.array([0.2, 0.2, 0.5]), True), 0.95)
    >>> [round(one, 3) for one in found]
    [0.1, -0.148, 0.348]
    """
    value = float(two.again.mean() - two.first.mean())
    if two.n < 2:
        return Found(value, np.nan, np.nan)
    of_first, of_again, both = two.variances
    variance = of_first + of_again - 2 * both
    if variance <= ROUNDING**2:  # the same on every topic
        return Found(value, value, value)
    freedom = two.n - 1.0
    if not two.together:
        parts = of_first**2 / (len(two.first) - 1) + of_again**2 / (len(two.again) - 1)
        freedom = variance**2 / parts
    half = float(stdtrit(freedom, (1 + level) / 2) * np.sqrt(variance))
    return Found(value, value - half, value + half)


def p_value(two: Two) -> float:
    """Return p of the t test, paired or of two independent samples with one variance; 1 where all scores are equal."""
    if two.n < 2:
        return np.nan
    if two.together:
        return float(paired.t(paired.less(two.again, two.first[None]))[0])
    every = np.concatenate([two.first, two.again])
    if np.ptp(every) <= ROUNDING:
        return 1.0
    return float(ttest_ind(two.first, two.again).pvalue)


def ratio(two: Two, level: float) -> Found:
    """Return the other mean over the first, with Fieller's interval: the r for which t does not reject again = r first.

    (again - r first)^2 <= q^2 (v_again - 2 r c + r^2 v_first), a quadratic inequality in r. Where the first mean is not
    distinguished from 0, every r far out is possible, and there is no interval. q is of n - 1 degrees of freedom.

    >>> [round(one, 3) for one in ratio(Two(np.array([0.4, 0.5, 0.6]), np.array([0.2, 0.2, 0.4]), True), 0.95)]
    [0.533, -0.071, 0.832]
    """
    first, again = float(two.first.mean()), float(two.again.mean())
    if abs(first) <= ROUNDING:
        return NOTHING
    value = again / first
    if two.n < 2:
        return Found(value, np.nan, np.nan)
    q = float(stdtrit(two.n - 1, (1 + level) / 2))
    of_first, of_again, both = two.variances
    # a r^2 - 2 b r + c <= 0
    a = first**2 - q**2 * of_first
    b = first * again - q**2 * both
    c = again**2 - q**2 * of_again
    if a <= 0:
        return Found(value, np.nan, np.nan)
    root = np.sqrt(max(b**2 - a * c, 0.0))
    return Found(value, float((b - root) / a), float((b + root) / a))


def relative(advanced: Two, baseline: Two, level: float) -> Found:
    """Return the delta relative improvement: how much larger the relative improvement was in the first experiment.

    RI = (mean advanced - mean baseline) / mean baseline. Its interval comes from those of both ratios of means,

        low  = d - sqrt((r1 - l1)^2 + (u2 - r2)^2 - 2 rho (r1 - l1) (u2 - r2)),

    and high with the other ends; rho, 0 on other topics, is the correlation of what topics add to either ratio.
    """
    first, again = (
        ratio(Two(below, above, True), level)
        for below, above in zip(baseline[:2], advanced[:2], strict=True)
    )
    value = first.value - again.value
    rho = _correlation(advanced, baseline, first.value, again.value)
    down = _joined(first.value - first.low, again.high - again.value, rho)
    up = _joined(first.high - first.value, again.value - again.low, rho)
    return Found(value, value - down, value + up)


def _correlation(advanced: Two, baseline: Two, first: float, again: float) -> float:
    """Correlate what topics add to the two ratios, advanced - ratio * baseline."""
    if not advanced.together or advanced.n < 2:
        return 0.0
    one = advanced.first - first * baseline.first
    two = advanced.again - again * baseline.again
    if min(np.ptp(one), np.ptp(two)) <= ROUNDING:
        return 0.0
    return float(np.corrcoef(one, two)[0, 1])


def _joined(one: float, two: float, rho: float) -> float:
    """Return how far a difference reaches to one side, of two figures that correlate by rho and reach so far."""
    return float(np.sqrt(max(one**2 + two**2 - 2 * rho * one * two, 0.0)))


def rmse(two: Two) -> float:
    """Return the root mean square error between scores of the same topics.

    >>> round(rmse(Two(np.array([0.1, 0.4]), np.array([0.4, 0.4]), True)), 4)
    0.2121
    """
    return float(np.sqrt(((two.again - two.first) ** 2).mean()))


def topics_needed(two: Two, keep: float, level: float) -> float:
    """Return how many topics of the other experiment would show in 80% of samples that an effect is there as large.

    two : the effect by topic. Shown is that more than the share `keep` of it is left: the variance of the mean of
    again - keep * first must be below (1 - keep)^2 effect^2 / (q + z)^2. On other topics the first experiment stays as
    it is; infinite where it alone is too uncertain.
    """
    effect = abs(float(two.first.mean()))
    if two.n < 2 or effect <= ROUNDING:
        return np.inf
    # normal quantiles: those of t with many topics
    q, z = (float(stdtrit(1e6, p)) for p in ((1 + level) / 2, POWER))
    room = ((1 - keep) * effect / (q + z)) ** 2
    of_first, of_again, both = two.variances
    if two.together:
        variance = of_again + keep**2 * of_first - 2 * keep * both
        return float(np.ceil(variance * two.n / room))
    room -= keep**2 * of_first
    if room <= 0:
        return np.inf
    return float(np.ceil(of_again * len(two.again) / room))
