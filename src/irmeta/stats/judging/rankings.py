"""Tau between the truth's ranking of systems and each judge's, with intervals over systems and topics.

Scores are of shape (set, system, topic), the truth first; a judge is any other set. What an interval is to hold is the
tau to be expected with as many systems and topics, drawn from where these come from. Its variance has two parts:

- systems: tau is a mean over pairs of systems, and so is what each system contributes to it (a U statistic). The noise
  of single scores is in this part, since every system brings its own. Where systems come in teams, it is the teams that
  are drawn: what the systems of a team contribute is added up.
- topics: what the topics do to all systems alike. Tau varies over random halves of the topics, the same for all
  systems; from its variance that over halves drawn for each team by itself is taken, which the first part has.
"""

from dataclasses import dataclass

import numpy as np
import scipy.stats

from irmeta.parallel import streams
from irmeta.stats.arrays import Floats, Ints
from irmeta.stats.halves.halving import half_means, half_tau, halves, shuffles
from irmeta.stats.rankings.rank import over, settled, tau_b
from irmeta.stats.teams import sums

HALVES = 200
"""Random halves of the topics that the part of topics is estimated from."""
BLOCK = 50
"""Halves drawn from one random stream."""
FEWEST = 4
"""With fewer systems, or topics, there is no interval."""
OVERSHOOT = 0.25
"""The share of the jackknife's upward bias that is taken off the variance of tau; docs/studies/judges.md says why."""


@dataclass(frozen=True)
class Interval:
    """Figures with the ends of their 95% intervals, and p of the hypothesis that they are 0; all of one shape."""

    value: Floats
    low: Floats
    high: Floats
    p: Floats


@dataclass(frozen=True)
class Taus:
    """Tau-b of each judge with the truth, and what intervals need.

    tau : (judge,).  kernel : (judge, system, system), what each pair of systems adds to it, less tau; its mean is 0.
    together, apart : (half, judge), tau on halves of the topics that all systems share, or that each team has for
    itself.  team : (system,), numbered from 0.
    """

    tau: Floats
    kernel: Floats
    together: Floats
    apart: Floats
    topics: int
    team: Ints

    def interval(self) -> Interval:
        """Return tau with its interval on Fisher's scale; no p: that tau is 0 nobody asks."""
        systems = self.kernel.shape[-1]
        pairs = systems * (systems - 1) / 2
        variance, freedom = self._variance(self.kernel, self.together, self.apart, OVERSHOOT)
        # as if at least one pair were in doubt, and half a pair discordant: no ranking is known to be the same
        inside = np.clip(self.tau, -1 + 1 / pairs, 1 - 1 / pairs)
        variance = np.maximum(variance, 4 / pairs**2)
        # the derivative of Fisher's z = artanh(tau) is 1 / (1 - tau^2)
        half = scipy.stats.t.ppf(0.975, freedom) * np.sqrt(variance) / (1 - inside**2)
        low, high = np.tanh(np.arctanh(inside) - half), np.tanh(np.arctanh(inside) + half)
        return Interval(self.tau, np.minimum(low, self.tau), np.maximum(high, self.tau), np.full_like(low, np.nan))

    def differences(self) -> Interval:
        """Return tau of one judge less that of another, both with the truth: (judge, judge)."""
        kernel = self.kernel[:, None] - self.kernel
        together, apart = (taus[:, :, None] - taus[:, None] for taus in (self.together, self.apart))
        variance, freedom = self._variance(kernel, together, apart, 0.0)
        difference, error = self.tau[:, None] - self.tau, np.sqrt(variance)
        half = scipy.stats.t.ppf(0.975, freedom) * error
        p = 2 * scipy.stats.t.sf(over(np.abs(difference), error), freedom)
        same = (difference == 0) & (error == 0)
        return Interval(difference, difference - half, difference + half, np.where(same, 1.0, p))

    def _variance(self, kernel: Floats, together: Floats, apart: Floats, overshoot: float) -> tuple[Floats, Floats]:
        """Return the variance of tau, or of a difference, and its degrees of freedom (Welch and Satterthwaite)."""
        teams = int(self.team.max()) + 1
        if teams < FEWEST or self.topics < FEWEST:
            return np.full(kernel.shape[:-2], np.nan), np.full(kernel.shape[:-2], np.nan)
        one = by_systems(kernel, overshoot, self.team)
        two = by_topics(together, self.topics) - by_topics(apart, self.topics)
        two = np.maximum(two, 0)
        # (a + b)^2 / (a^2 / (m - 1) + b^2 / (n - 1))
        parts = one**2 / (teams - 1) + two**2 / (self.topics - 1)
        return one + two, np.where(parts > 0, over((one + two) ** 2, parts), teams - 1)


def taus(scores: Floats, rng: np.random.Generator, draws: int = HALVES, team: Ints | None = None) -> Taus:
    """Correlate the truth's means with each judge's over the same topics: scores of (set, system, topic).

    team : of each system, numbered from 0; by default each system is a team.
    """
    team = _teams(scores.shape[1]) if team is None else team
    scores = scores - scores.mean(axis=1, keepdims=True)  # what a topic does to all systems alike leaves tau as it is
    drawn = [_means_on_halves(scores, team, stream, count) for stream, count in streams(rng, draws, BLOCK)]
    together, apart = (np.concatenate(parts) for parts in zip(*drawn, strict=True))
    return _taus(settled(scores.mean(axis=-1)), together, apart, scores.shape[-1], team)


def taus_apart(
    truth: Floats, judge: Floats, rng: np.random.Generator, draws: int = HALVES, team: Ints | None = None
) -> Taus:
    """Correlate the truth's means with one judge's where each has topics of its own: both of (system, topic).

    team : as in `taus`.
    """
    team = _teams(len(truth)) if team is None else team
    sides = [one - one.mean(axis=0) for one in (truth, judge)]
    drawn = []
    for stream, count in streams(rng, draws, BLOCK):
        both = [_means_on_halves(side[None], team, stream, count) for side in sides]
        drawn.append([np.concatenate(means, axis=1) for means in zip(*both, strict=True)])
    together, apart = (np.concatenate(parts) for parts in zip(*drawn, strict=True))
    means = settled(np.stack([side.mean(axis=-1) for side in sides]))
    return _taus(means, together, apart, min(truth.shape[1], judge.shape[1]), team)


def _teams(systems: int) -> Ints:
    return np.arange(systems)


def _taus(means: Floats, together: Floats, apart: Floats, topics: int, team: Ints) -> Taus:
    tau, kernel = pair_kernel(means)
    shared, own = (tau_b(half[:, :1], half[:, 1:])[:, 0] for half in (together, apart))
    return Taus(tau, kernel, shared, own, topics, team)


def pair_kernel(means: Floats) -> tuple[Floats, Floats]:
    """Return tau-b of the truth with each judge, and what each pair of systems adds to it: (judge,), (judge, i, j).

    means : (set, system). Tau-b is P / sqrt(A B), P the mean product of signs and A, B the shares of untied pairs; to
    first order a pair adds s / sqrt(A B) - tau (a / A + b / B) / 2, whose mean over pairs is 0.
    """
    systems = means.shape[-1]
    signs = np.sign(means[:, :, None] - means[:, None])
    pairs = systems * (systems - 1)
    product, untied = signs[1:] * signs[0], signs**2
    # the shares A (truth) and B (judge), each of all ordered pairs
    share = untied.sum(axis=(1, 2)) / pairs
    root = np.sqrt(share[0] * share[1:])
    tau = over(product.sum(axis=(1, 2)) / pairs, root)
    with np.errstate(divide="ignore", invalid="ignore"):
        ties = untied[0] / share[0] + untied[1:] / share[1:, None, None]
        kernel = product / root[:, None, None] - tau[:, None, None] / 2 * ties
    kernel[:, np.arange(systems), np.arange(systems)] = 0.0
    return tau, kernel


def by_systems(kernel: Floats, overshoot: float = 0.0, team: Ints | None = None) -> Floats:
    """Estimate the variance of a mean over pairs of systems, drawn at random by team: (..., system, system) to (...).

    The infinitesimal jackknife, 4 / m^2 times the sum of squared mean contributions of teams; it is too large by
    2 / (m (m - 1)) times the variance of single pairs, of which `overshoot` is taken off. Source: Lee (1990), U
    statistics, chapter 5; Efron and Stein (1981) on the bias.
    """
    systems = kernel.shape[-1]
    pairs = systems * (systems - 1)
    team = _teams(systems) if team is None else team
    by_team = sums(sums(kernel, team, axis=-1), team, axis=-2)
    contribution = by_team.sum(axis=-1) / (systems - 1)
    jackknife = 4 * (contribution**2).sum(axis=-1) / systems**2
    # variance of single pairs of teams, xi_2
    each = np.arange(by_team.shape[-1])
    by_team[..., each, each] = 0.0
    single = (by_team**2).sum(axis=(-1, -2)) / pairs
    return np.asarray(np.maximum(jackknife - overshoot * 2 * single / pairs, 0))


def by_topics(on_halves: Floats, topics: int) -> Floats:
    """Estimate the variance over samples of topics from a figure on halves drawn without replacement: (half, ...).

    A mean over h of n topics varies by S^2 (1/h - 1/n), one over n topics by S^2 / n: h / (n - h) times as much.
    """
    half = topics // 2
    return np.asarray(on_halves.var(axis=0, ddof=1) * half / (topics - half))


def _means_on_halves(scores: Floats, team: Ints, rng: np.random.Generator, count: int) -> tuple[Floats, Floats]:
    """Average scores (set, system, topic) over halves that all systems share, and over halves for each team by itself.

    Both of (half, set, system).
    """
    topics = scores.shape[-1]
    half = topics // 2
    shared = rng.random((count, topics)).argsort(axis=-1) < half
    own = rng.random((count, int(team.max()) + 1, topics)).argsort(axis=-1)[:, team] < half
    together = np.einsum("ht,ist->his", shared / half, scores, optimize=True)
    apart = np.einsum("hst,ist->his", own / half, scores, optimize=True)
    return settled(together), settled(apart)


def phi(scores: Floats, rng: np.random.Generator, partitions: int) -> Floats:
    """Predict the truth's ranking on half of the topics from each set's on the other: (set, system, topic) to (set,).

    Mean tau-b over random partitions, both ways round; the first is how well the truth predicts itself. Source: Webber
    et al. (SIGIR 2008), with judges for metrics.
    """
    by_topic = np.ascontiguousarray(scores.transpose(2, 0, 1))
    topics = len(by_topic)
    total = np.zeros(len(scores))
    for stream, count in streams(rng, partitions, BLOCK):
        drawn = halves(shuffles(topics, count, stream), (topics // 2, topics - topics // 2))
        means = half_means(by_topic, drawn)
        for a, b in ((0, 1), (1, 0)):
            total += half_tau(means[:, a, :1], means[:, b], "b")[:, 0].sum(axis=0)
    return total / (2 * partitions)
