"""Relevance of all pairs of topic and document from people's judgments of some and a machine's of all.

A pair's relevance is estimated as m + (y - m) / pi if people judged it, and as m if not: y is theirs, m the mean of y
among pairs of the same machine grade, pi the probability that they judged it. The machine says what it can, and what it
gets wrong is corrected without bias, whatever it is. A metric that is linear in relevance, as P@k, is then estimated
without bias, too. Sources: Cochran (1977), Sampling Techniques, chapters 5A and 7; Horvitz and Thompson (1952).
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import chdtrc

from irmeta.stats.arrays import Bools, Floats, Ints

GRADES = 6
"""Strata at most: a machine that gives more grades, as fractions, has them put together."""
ALIKE = 0.01
"""Below this p topics have shares of judged pairs of their own."""


@dataclass(frozen=True)
class Corrected:
    """Relevance of pairs, and the variance of each that judging others would have added: (pair,)."""

    value: Floats
    variance: Floats


@dataclass(frozen=True)
class Estimated:
    """Scores (system, topic), and what judging other pairs adds to the covariance of their means: (system, system)."""

    scores: Floats
    errors: Floats


def estimate(
    weight: Floats, topic: Ints, truth: Floats, stratum: Ints, topics: int
) -> Estimated:
    """Estimate scores that are sums of weights of relevant pairs: (system, topic).

    weight : (system, pair).  topic : of each pair, `topics` in all.  truth : by people, NaN where not judged.

    >>> both = np.array([[0.5, 0.5]]), np.array([0, 0])
    >>> estimate(*both, np.array([1.0, 0.0]), np.array([0, 0]), 1).scores.tolist()
    [[0.5]]
    """
    judged = ~np.isnan(truth)
    found = corrected(truth, stratum, chances(stratum, topic, judged))
    scores = np.zeros((len(weight), topics))
    np.add.at(scores.T, topic, (weight * found.value).T)
    errors = (weight * found.variance) @ weight.T / topics**2
    return Estimated(scores, errors)


def strata(grade: Floats) -> Ints:
    """Number pairs by the machine's grade, from 0; many grades are put into groups of about equal size.

    >>> strata(np.array([0.0, 2.0, 0.0, 1.0])).tolist()
    [0, 2, 0, 1]
    """
    known = np.unique(grade)
    if known.size > GRADES:
        inner = np.quantile(grade, np.arange(1, GRADES) / GRADES)
        known = np.unique(inner)
        return np.searchsorted(known, grade, side="right")
    return np.searchsorted(known, grade)


def chances(stratum: Ints, topic: Ints, judged: Bools) -> Floats:
    """Return the probability of each pair that people judged it, by its stratum; by its topic if these clearly differ.

    >>> chances(np.array([0, 0, 1, 1]), np.zeros(4, int), np.array([True, False, True, True])).tolist()
    [0.5, 0.5, 1.0, 1.0]
    """
    chance = _shares(stratum, judged, np.ones(judged.size))
    expected = np.bincount(topic, chance)
    variance = np.bincount(topic, chance * (1 - chance))
    count = np.bincount(topic, judged)
    some = variance > 0
    # chi-squared over topics, each with its binomial variance
    apart = ((count - expected)[some] ** 2 / variance[some]).sum()
    if chdtrc(max(some.sum() - 1, 1), apart) >= ALIKE:
        return chance
    own = _shares(topic, judged, np.ones(judged.size))
    return np.minimum(own * _shares(stratum, judged, own), 1.0)


def _shares(group: Ints, judged: Bools, size: Floats) -> Floats:
    """Return for each pair the number judged in its group, over the group's sum of sizes."""
    share = np.bincount(group, judged) / np.maximum(np.bincount(group, size), 1e-12)
    return np.asarray(share[group])


def corrected(truth: Floats, stratum: Ints, chance: Floats) -> Corrected:
    """Estimate the relevance of every pair.

    truth : by people, NaN where they did not judge.  chance : that they judged it.
    Half of the pairs, one stratum: what was judged counts twice as far from the mean.

    >>> corrected(np.array([1.0, 0.0, np.nan, np.nan]), np.zeros(4, int), np.full(4, 0.5)).value.tolist()
    [1.5, -0.5, 0.5, 0.5]
    """
    judged = ~np.isnan(truth)
    weight = np.divide(1, chance, out=np.zeros(truth.size), where=judged)
    y = np.where(judged, truth, 0.0)
    count = np.bincount(stratum, judged)
    total = np.bincount(stratum, weight)
    seen = total > 0
    mean = np.bincount(stratum, weight * y)[seen] / total[seen]
    # a grade of which no pair was judged lies between its neighbours
    expected = np.interp(stratum, np.flatnonzero(seen), mean)
    rest = y - expected
    value = expected + weight * rest
    # of a sum of judged pairs, each with its probability; the mean of few fits them too well
    fitted = (count / np.maximum(count - 1, 1))[stratum]
    variance = (1 - chance) * (weight * rest) ** 2 * fitted
    return Corrected(value, variance)


def unlike(rank: Ints, stratum: Ints, judged: Bools) -> float:
    """Return p of the hypothesis that people judged pairs whatever their best rank, within strata (Bonferroni)."""
    from scipy import stats

    p = [1.0]
    for number in np.unique(stratum):
        here = stratum == number
        theirs, others = rank[here & judged], rank[here & ~judged]
        if min(theirs.size, others.size) >= 3 and np.ptp(rank[here]):
            p.append(float(stats.mannwhitneyu(theirs, others).pvalue))
    return min(1.0, min(p) * max(len(p) - 1, 1))
