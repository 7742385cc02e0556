"""Intervals of E rho^2 and Phi over samples of topics and of systems, by leaving out each of them.

The intervals of `components.signal_interval` take scores as normal and systems as independent on a topic; scores are
neither, and with 10 topics like those of TREC such an interval of E rho^2 holds the truth in 3 cases of 4.
Source of the scale: Feldt (Psychometrika 1965), whose pivot is the ratio of mean squares, 1 + n times the signal.
"""

import numpy as np
from scipy.special import fdtri, ndtri, polygamma, stdtrit

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
    Feldt's: 1 + n L, L the signal and n the topics, is the ratio of two mean squares, over F. Its degrees of freedom
    are not those of normal scores, but give the logarithms of both mean squares, trigamma(nu / 2), the variances found
    by leaving out, no less than those of normal scores: of the upper that of teams, of the lower that of topics but for
    what single scores move, which is in both. As they are estimated the ends are t / z times as far off on the scale
    log(1 + n L); t has min(teams, topics) - 1 degrees of freedom.
    Of fewer than 3 teams nothing is known: the ends are 0 and infinity.

    >>> scores = np.arange(20)[:, None] / 10 + np.random.default_rng(0).normal(size=(20, 50))
    >>> [round(float(end), 2) for end in signal_ends(scores, "erho2")]
    [0.16, 0.72]
    """
    systems, topics = scores.shape[:2]
    found = components(scores)
    teams = systems if team is None else int(team.max()) + 1
    if teams < 3:
        return np.zeros(found.ms_s.shape), np.full(found.ms_s.shape, np.inf)
    centre = _scaled(found, coefficient, topics)
    degrees = _degrees(scores, coefficient, team if teams < systems else None)
    share = (1 + level) / 2
    stretch = stdtrit(min(teams, topics) - 1, share) / ndtri(share)
    tails = (share, 1 - share)
    ends = [centre - stretch * np.log(fdtri(*degrees, below)) for below in tails]
    # back from log(1 + n L) to L
    with np.errstate(over="ignore"):
        low, high = (np.maximum(np.expm1(end) / topics, 0) for end in ends)
    # without noise the signal is infinite, or there is none
    noiseless = found.ms_e == 0
    certain = np.where(found.ms_s > 0, np.inf, 0.0)
    return np.where(noiseless, certain, low), np.where(noiseless, certain, high)


def _degrees(
    scores: Floats, coefficient: Coefficient, team: Ints | None
) -> tuple[Floats, Floats]:
    """Return the degrees of freedom of F, by leaving out teams, or systems where none are named, and topics."""
    systems, topics = scores.shape[:2]
    of_topics = _jackknife(_scaled(_without_each_topic(scores), coefficient, topics))
    of_teams = _jackknife(_without_each_team(scores, coefficient, team))
    single = _scaled(_without_each_score(scores), coefficient, topics)
    if team is not None:
        systems = int(team.max()) + 1
        # what the scores of a team on a topic move together
        centre = _scaled(components(scores), coefficient, topics)
        single = np.tensordot(np.eye(systems)[:, team], single - centre, 1)
    of_scores = _jackknife(single.reshape(-1, *scores.shape[2:]))
    upper = polygamma(1, (systems - 1) / 2)
    lower = polygamma(1, (systems - 1) * (topics - 1) / 2)
    return (
        _freedom(np.maximum(np.maximum(of_teams, of_scores), upper)),
        _freedom(np.maximum(of_topics - of_scores, lower)),
    )


def _freedom(variance: Floats) -> Floats:
    """Return the degrees of freedom of the chi-squared value whose logarithm has this variance, trigamma(nu / 2).

    Newton's method on 1 / trigamma, which is nearly a line.  Source: Smyth (Stat. Appl. Genet. Mol. Biol. 2004).

    >>> _freedom(polygamma(1, np.array([0.5, 2.0, 300.0]))).round(6).tolist()
    [1.0, 4.0, 600.0]
    """
    half = 0.5 + 1 / variance
    for _ in range(8):
        found = polygamma(1, half)
        half = half + found * (1 - found / variance) / polygamma(2, half)
    return 2 * half


def _scaled(parts: Components, coefficient: Coefficient, topics: int) -> Floats:
    """Return log(1 + n L) of the signal L; n stays that of all topics where one is left out."""
    s, q, e = parts.raw
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
        return np.stack([_scaled(parts, coefficient, topics) for parts in left])
    # systems in the place of topics
    turned = _without_each_topic(np.swapaxes(scores, 0, 1))
    found = Components(
        turned.topics, turned.systems, turned.ms_q, turned.ms_s, turned.ms_e
    )
    return _scaled(found, coefficient, topics)


def _without_each_score(scores: Floats) -> Components:
    """Return the mean squares without each score, (system, topic, ...): in its place what the others fit, s_i + q_j."""
    systems, topics = scores.shape[:2]
    centred = scores - scores.mean(axis=(0, 1))
    of_systems = centred.mean(axis=1, keepdims=True)
    of_topics = centred.mean(axis=0, keepdims=True)
    rest = centred - of_systems - of_topics
    degrees = (systems - 1) * (topics - 1)
    # how far the score moves to where nothing is left of it; systems' and topics' means follow
    move = -rest * systems * topics / degrees
    grand = move**2 / (systems * topics)
    ss_s = topics * (of_systems**2).sum(axis=0) + 2 * of_systems * move
    ss_q = systems * (of_topics**2).sum(axis=1) + 2 * of_topics * move
    ss_e = (rest**2).sum(axis=(0, 1)) + rest * move
    return Components(
        systems,
        topics,
        (ss_s + move**2 / topics - grand) / (systems - 1),
        (ss_q + move**2 / systems - grand) / (topics - 1),
        np.maximum(ss_e, 0) / (degrees - 1),
    )
