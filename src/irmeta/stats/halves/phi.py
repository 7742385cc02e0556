"""How well judgment sets predict the truth on other topics: tau of the truth on one half, each set on the other."""

import numpy as np
from scipy.special import stdtrit

from irmeta.parallel import streams
from irmeta.stats.arrays import Bools, Floats, Ints
from irmeta.stats.halves.halving import half_means, half_tau, halves, shuffles
from irmeta.stats.halves.jackknife import known, variances

BLOCK = 50
"""Halves drawn from one random stream."""
JACKKNIFED = 100
"""Partitions of the topics that intervals are computed on."""


def phi(scores: Floats, rng: np.random.Generator, partitions: int) -> Floats:
    """Predict the truth's ranking on half of the topics from each set's on the other: (set, system, topic) to (set,).

    Mean tau-b over random partitions, both ways round; the first is how well the truth predicts itself. Source: Webber
    et al. (SIGIR 2008), with judges for metrics.
    """
    by_topic = np.ascontiguousarray(scores.transpose(2, 0, 1))
    topics = len(by_topic)
    total = np.zeros(len(scores))
    for stream, count in streams(rng, partitions, BLOCK):
        drawn = _random_halves(topics, count, stream)
        means = half_means(by_topic, drawn)  # (partition, half, set, system)
        for a, b in ((0, 1), (1, 0)):
            # the truth on one half, every set on the other: (partition, 1, set)
            tau = half_tau(means[:, a, :1], means[:, b], "b")
            total += tau[:, 0].sum(axis=0)
    return total / (2 * partitions)


def _random_halves(topics: int, partitions: int, rng: np.random.Generator) -> Bools:
    """Put the topics into two halves at random: (partition, 2, topic)."""
    half = topics // 2
    return halves(shuffles(topics, partitions, rng), (half, topics - half))


def phi_interval(
    scores: Floats,
    rng: np.random.Generator,
    partitions: int,
    *,
    team: Ints | None = None,
) -> tuple[Floats, Floats, Floats]:
    """Return phi of each set, and the ends of 95% intervals of each judge's phi less the truth's own.

    (set, system, topic) to (set,), (judge,) and (judge,). Over samples of systems and of topics: the two-way jackknife
    of advantages between metrics, with judges for metrics; Student's t with the smaller number less 1. NaN where hardly
    a system ever changes its place.
    team : of each system, numbered from 0, where teams are independent of each other and not their systems.
    """
    _, systems, topics = scores.shape
    found = phi(scores, rng, partitions)
    drawn = _random_halves(topics, JACKKNIFED, rng)
    # of each judge: (system, topic, 2), the truth as metric 0 and the judge as metric 1
    pairs = [np.stack([scores[0], judge], axis=-1) for judge in scores[1:]]
    # how well metric 1 predicts metric 0, beyond how well that predicts itself
    advantages = [variances(pair, drawn, team=team).advantage for pair in pairs]
    variance = np.array([advantage[1, 0] for advantage in advantages])
    error = np.sqrt(known(variance))
    teams = systems if team is None else int(team.max()) + 1
    half = stdtrit(min(teams, topics) - 1, 0.975) * error
    gain = found[1:] - found[0]
    return found, gain - half, gain + half
