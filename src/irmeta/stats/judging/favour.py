"""Whom a judge favours: judge less truth, less what the judge gives all systems, paired over topics where it can be."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr, stdtrit

from irmeta.stats.arrays import Floats
from irmeta.stats.rankings.rank import over


@dataclass(frozen=True)
class Favour:
    """How much a judge favours, with 95% intervals and p, each of (judge, system or group)."""

    favour: Floats
    low: Floats
    high: Floats
    p: Floats


def favour(scores: Floats, members: Floats) -> Favour:
    """Estimate how much each judge favours groups of systems: scores of (set, system, topic), the truth first.

    members : (group, system), weights that sum to 1 in each group; the identity for single systems. On each topic the
    judge's score less the truth's is taken relative to its mean over all systems, then averaged over the group; the
    mean over topics has Student's t interval. Source of the question: Balog, Metzler and Qin (SIGIR 2025).
    """
    # the judge's score less the truth's, and less what the judge gives to all systems
    gain = scores[1:] - scores[0]
    gain = gain - gain.mean(axis=1, keepdims=True)
    by_topic = np.einsum("gs,jst->jgt", members, gain)  # (judge, group, topic)
    topics = by_topic.shape[-1]
    mean = by_topic.mean(axis=-1)
    return _student(mean, _standard_errors(by_topic), np.full(mean.shape, topics - 1.0))


def unpaired(scores: Sequence[Floats], members: Floats) -> Favour:
    """Estimate favour where judge and truth have different topics: scores (system, topic) of each, the truth's first.

    On each topic a group's mean score is taken relative to the mean over all systems. Favour is its mean over the
    judge's topics less that over the truth's; the interval is Welch's, with variance s1^2 / n1 + s2^2 / n2.
    """
    relative = [one - one.mean(axis=0) for one in scores]
    by_topic = [members @ one for one in relative]  # (group, topic)
    mean = np.stack([one.mean(axis=-1) for one in by_topic])
    error = np.stack([_standard_errors(one) for one in by_topic])
    topics = np.array([one.shape[1] for one in by_topic])
    squares = error**2
    total = np.sqrt(squares[0] + squares[1:])
    free = _welch(error, total, topics[:, None] - 1.0)
    difference = mean[1:] - mean[0]
    return _student(difference, total, free)


def _welch(error: Floats, total: Floats, free: Floats) -> Floats:
    """Return degrees of freedom by Welch and Satterthwaite; those of the judge where nothing varies.

    error : (set, group).  total : of the difference from the first set.  free : (set, 1), degrees of freedom of each.
    """
    parts = error**4 / free
    spent = parts[0] + parts[1:]
    found = np.clip(over(total**4, spent), 1, None)
    return np.where(spent > 0, found, free[1:])


def _standard_errors(by_topic: Floats) -> Floats:
    """Return standard errors of means over the last axis; those that are rounding only are 0."""
    error = by_topic.std(axis=-1, ddof=1) / np.sqrt(by_topic.shape[-1])
    return np.where(error < 1e-12, 0.0, error)


def _student(mean: Floats, error: Floats, df: Floats) -> Favour:
    """Return Student's 95% intervals and p, of any one shape."""
    half = stdtrit(df, 0.975) * error
    size = np.abs(mean)
    p = 2 * stdtr(df, -over(size, error))
    # without an error the favour is certain, or there is none
    certain = np.where(size < 1e-12, 1.0, 0.0)
    p = np.where(error == 0, certain, p)
    return Favour(mean, mean - half, mean + half, p)
