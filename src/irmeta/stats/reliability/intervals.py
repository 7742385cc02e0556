"""Intervals of E rho^2 and Phi over samples of topics and of systems, by leaving out each of them.

The intervals of `components.signal_interval` take scores as normal and systems as independent on a topic; scores are
neither, and with 10 topics like those of TREC such an interval of E rho^2 holds the truth in 3 cases of 4.
Source of the scale: Feldt (Psychometrika 1965), whose pivot is the ratio of mean squares, 1 + n times the signal.
"""

import numpy as np
from scipy.special import stdtrit

from irmeta.stats.arrays import Floats, Ints
from irmeta.stats.reliability.components import Coefficient, Components, components

_LEAST = 1e-3
"""The smallest ratio of mean squares whose logarithm is taken: a smaller one says no more."""


def signal_ends(
    scores: Floats,
    coefficient: Coefficient,
    level: float = 0.95,
    team: Ints | None = None,
) -> tuple[Floats, Floats]:
    """Return the ends of the interval of `components.signal`, not below 0, over samples of topics and of systems.

    scores : (system, topic, ...).  level : in (0, 1).  team : (system,), the number of each system's team, where only
    teams are independent of each other; by default every system is.
    The logarithm of 1 + n L, L the signal and n the topics, plus and minus t times its standard error; the squared
    error is the sum of the jackknife's over topics and over teams, and t has min(teams, topics) - 1 degrees of freedom.
    Of fewer than 3 teams nothing is known: the ends are 0 and infinity.

    >>> scores = np.arange(20)[:, None] / 10 + np.random.default_rng(0).normal(size=(20, 50))
    >>> [round(float(end), 2) for end in signal_ends(scores, "erho2")]
    [0.18, 0.51]
    """
    systems, topics = scores.shape[:2]
    found = components(scores)
    teams = systems if team is None else int(team.max()) + 1
    if teams < 3:
        return np.zeros(found.ms_s.shape), np.full(found.ms_s.shape, np.inf)
    centre = _scaled(found, coefficient, topics)
    over_topics = _jackknife(_scaled(_without_each_topic(scores), coefficient, topics))
    over_teams = _jackknife(
        _without_each_team(scores, coefficient, team if teams < systems else None)
    )
    error = np.sqrt(over_topics + over_teams)
    half = stdtrit(min(teams, topics) - 1, (1 + level) / 2) * error
    # back from log(1 + n L) to L
    low = np.maximum(np.expm1(centre - half) / topics, 0)
    high = np.maximum(np.expm1(centre + half) / topics, 0)
    # without noise the signal is infinite, or there is none
    noiseless = found.ms_e == 0
    certain = np.where(found.ms_s > 0, np.inf, 0.0)
    return np.where(noiseless, certain, low), np.where(noiseless, certain, high)


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
    # (sum of all scores that are left)^2 / their number: what every sum of squares about the mean is less by
    grand = of_topics**2 / (systems * left)
    # systems: each one's sum without each topic
    rows = centred.sum(axis=1, keepdims=True) - centred
    ss_s = (rows**2).sum(axis=0) / left - grand
    # topics: the squares of their sums, less that of the topic left out
    ss_q = ((of_topics**2).sum(axis=0) - of_topics**2) / systems - grand
    # interaction: what is left of the total
    squares = (centred**2).sum(axis=0)
    total = squares.sum(axis=0) - squares - grand
    ss_e = np.maximum(total - ss_s - ss_q, 0)
    return Components(
        systems,
        left,
        ss_s / (systems - 1),
        ss_q / (left - 1),
        ss_e / ((systems - 1) * (left - 1)),
    )


def _without_each_team(
    scores: Floats, coefficient: Coefficient, team: Ints | None
) -> Floats:
    """Return log(1 + n L) without each team, or each system where no teams are named: (team, ...)."""
    topics = scores.shape[1]
    if team is not None:
        left = [
            components(scores[team != number]) for number in range(int(team.max()) + 1)
        ]
        return np.stack([_scaled(found, coefficient, topics) for found in left])
    # systems in the place of topics
    turned = _without_each_topic(np.swapaxes(scores, 0, 1))
    found = Components(
        turned.topics, turned.systems, turned.ms_q, turned.ms_s, turned.ms_e
    )
    return _scaled(found, coefficient, topics)
