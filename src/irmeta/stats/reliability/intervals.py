"""Intervals of E rho^2 and Phi over samples of topics and of systems, by leaving out each of them.

The intervals of `components.signal_interval` take scores as normal and systems as independent on a topic; scores are
neither, and with 10 topics like those of TREC such an interval of E rho^2 holds the truth in 3 cases of 4.
Source of the scale: Feldt (Psychometrika 1965), whose pivot is the ratio of mean squares, 1 + n times the signal.
"""

import numpy as np
from scipy.special import stdtrit

from irmeta.stats.arrays import Floats
from irmeta.stats.reliability.components import Coefficient, Components, components

_LEAST = 1e-3
"""The smallest ratio of mean squares whose logarithm is taken: a smaller one says no more."""


def signal_ends(scores: Floats, coefficient: Coefficient, level: float = 0.95) -> tuple[Floats, Floats]:
    """Return the ends of the interval of `components.signal`, not below 0, over samples of topics and of systems.

    scores : (system, topic, ...).  level : in (0, 1).
    The logarithm of 1 + n L, L the signal and n the topics, plus and minus t times its standard error; the squared
    error is the sum of the jackknife's over topics and over systems, and t has min(systems, topics) - 1 degrees of
    freedom. Of fewer than 3 systems nothing is known: the ends are 0 and infinity.

    >>> scores = np.arange(20)[:, None] / 10 + np.random.default_rng(0).normal(size=(20, 50))
    >>> [round(float(end), 2) for end in signal_ends(scores, "erho2")]
    [0.18, 0.51]
    """
    systems, topics = scores.shape[:2]
    found = components(scores)
    if systems < 3:
        return np.zeros(found.ms_s.shape), np.full(found.ms_s.shape, np.inf)
    centre = _scaled(found, coefficient, topics)
    swapped = np.swapaxes(scores, 0, 1)
    square = _jackknife(_scaled(_without_each_topic(scores), coefficient, topics))
    square = square + _jackknife(_scaled(_turned(_without_each_topic(swapped)), coefficient, topics))
    half = stdtrit(min(systems, topics) - 1, (1 + level) / 2) * np.sqrt(square)
    ends = [np.maximum(np.expm1(end) / topics, 0) for end in (centre - half, centre + half)]
    exact = found.ms_e == 0  # nothing but systems and topics: the signal has no noise
    low, high = (np.where(exact & (found.ms_s > 0), np.inf, np.where(exact, 0, end)) for end in ends)
    return low, high


def _scaled(found: Components, coefficient: Coefficient, topics: int) -> Floats:
    """Return log(1 + n L) of the signal L; n stays that of all topics where one is left out."""
    s, q, e = found.raw
    noise = e if coefficient == "erho2" else np.maximum(q, 0) + e
    signal = np.divide(s, noise, out=np.zeros(s.shape), where=noise > 0)
    return np.log(np.maximum(1 + topics * signal, _LEAST))


def _jackknife(without: Floats) -> Floats:
    """Return the squared standard error, (n - 1)/n times the sum of squares, from values without each of n."""
    n = len(without)
    return (n - 1) / n * ((without - without.mean(axis=0)) ** 2).sum(axis=0)


def _without_each_topic(scores: Floats) -> Components:
    """Return the mean squares without each topic, (topic, ...): sums of squares from sums, nothing computed twice."""
    systems, topics = scores.shape[:2]
    left = topics - 1
    centred = scores - scores.mean(axis=(0, 1))
    of_topics = centred.sum(axis=0)  # its sum over all topics is 0
    grand = of_topics**2 / (systems * left)
    rows = centred.sum(axis=1, keepdims=True) - centred  # each system's sum without each topic
    ss_s = (rows**2).sum(axis=0) / left - grand
    ss_q = ((of_topics**2).sum(axis=0) - of_topics**2) / systems - grand
    squares = (centred**2).sum(axis=0)
    total = squares.sum(axis=0) - squares - grand
    ss_e = np.maximum(total - ss_s - ss_q, 0)
    return Components(systems, left, ss_s / (systems - 1), ss_q / (left - 1), ss_e / ((systems - 1) * (left - 1)))


def _turned(found: Components) -> Components:
    """Return what was found of (topic, system) as of (system, topic)."""
    return Components(found.topics, found.systems, found.ms_q, found.ms_s, found.ms_e)
