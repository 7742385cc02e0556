"""Whom a judge favours: judge less truth, less what the judge gives all systems, paired over topics."""

from dataclasses import dataclass

import numpy as np
import scipy.stats

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
    error = by_topic.std(axis=-1, ddof=1) / np.sqrt(topics)
    error = np.where(error < 1e-12, 0.0, error)  # rounding
    half = scipy.stats.t.ppf(0.975, topics - 1) * error
    size = np.abs(mean)
    p = 2 * scipy.stats.t.sf(over(size, error), topics - 1)
    # without an error the favour is certain, or there is none
    certain = np.where(size < 1e-12, 1.0, 0.0)
    p = np.where(error == 0, certain, p)
    return Favour(mean, mean - half, mean + half, p)
