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
from scipy.special import stdtr, stdtrit

from irmeta.parallel import streams
from irmeta.stats.arrays import Floats, Ints, settled
from irmeta.stats.halves.teams import sums
from irmeta.stats.rankings.agreement import tau_ends
from irmeta.stats.rankings.rank import over, tau_b

HALVES = 200
"""Random halves of the topics that the part of topics is estimated from."""
BLOCK = 50
"""Halves drawn from one random stream."""
FEWEST = 4
"""With fewer systems, or topics, there is no interval."""


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
    spread : (judge,), the variance of what single pairs add, as a share of 1 - tau^2; 1 where each adds 1 or -1.
    together, separate : (half, judge), tau on halves of the topics that all systems share, or that each team has for
    itself.  team : (system,), numbered from 0.
    """

    tau: Floats
    kernel: Floats
    spread: Floats
    together: Floats
    separate: Floats
    topics: int
    team: Ints

    def interval(self) -> Interval:
        """Return tau with its score interval; no p: that tau is 0 nobody asks."""
        systems = self.kernel.shape[-1]
        # no less than if pairs were independent, as in `tau_ends`
        pairs = systems * (systems - 1) / 2
        least = self.spread * (1 - self.tau**2) / pairs
        variance, freedom = self._variance(
            self.kernel, self.together, self.separate, least
        )
        t = stdtrit(freedom, 0.975)
        ends = tau_ends(self.tau, variance, t, systems, self.spread)
        return Interval(self.tau, *ends, np.full_like(self.tau, np.nan))

    def differences(self) -> Interval:
        """Return tau of one judge less that of another, both with the truth: (judge, judge)."""
        kernel = self.kernel[:, None] - self.kernel
        together, separate = (
            taus[:, :, None] - taus[:, None] for taus in (self.together, self.separate)
        )
        systems = self.kernel.shape[-1]
        # as if one pair of systems were in doubt: ranked the other way it moves tau by 2 / pairs
        doubt = np.asarray((2 / (systems * (systems - 1) / 2)) ** 2)
        variance, freedom = self._variance(kernel, together, separate, doubt)
        difference = self.tau[:, None] - self.tau
        error = np.sqrt(variance)
        half = stdtrit(freedom, 0.975) * error
        p = 2 * stdtr(freedom, -over(np.abs(difference), error))
        same = (difference == 0) & (error == 0)
        return Interval(
            difference, difference - half, difference + half, np.where(same, 1.0, p)
        )

    def _variance(
        self, kernel: Floats, together: Floats, separate: Floats, least: Floats
    ) -> tuple[Floats, Floats]:
        """Return the variance of tau, or of a difference, and its degrees of freedom.

        V = A - B + C: the jackknife over the m teams, its bias, and topics; at least what is given. Of a mean over
        pairs the jackknife is at most twice too large (Efron and Stein 1981), and B half of A at most. A has m - 1
        degrees of freedom, C n - 1, and B next to no error, so that V has V^2 / (A^2 / (m - 1) + C^2 / (n - 1)) of them
        (Satterthwaite), 2 at least. Where nothing varies, as between a judge and itself, V is 0.
        """
        teams = int(self.team.max()) + 1
        if teams < FEWEST or self.topics < FEWEST:
            unknown = np.full(kernel.shape[:-2], np.nan)
            return unknown, unknown
        # A - B, and A alone
        unbiased, jackknife = by_systems(kernel, self.team)
        # C: what the topics that all share add to what topics of each team's own do
        shared = by_topics(together, self.topics)
        own = by_topics(separate, self.topics)
        of_topics = np.maximum(shared - own, 0)
        # A^2 / (m - 1) + C^2 / (n - 1)
        parts = jackknife**2 / (teams - 1) + of_topics**2 / (self.topics - 1)
        varies = parts > 0
        total = np.maximum(unbiased, jackknife / 2) + of_topics
        variance = np.where(varies, np.maximum(total, least), 0)
        freedom = np.maximum(over(variance**2, parts), 2)
        return variance, np.where(varies, freedom, teams - 1)


def taus(
    scores: Floats,
    rng: np.random.Generator,
    draws: int = HALVES,
    team: Ints | None = None,
) -> Taus:
    """Correlate the truth's means with each judge's over the same topics: scores of (set, system, topic).

    team : of each system, numbered from 0; by default each system is a team.
    """
    team = np.arange(scores.shape[1]) if team is None else team
    # what a topic does to all systems alike leaves tau as it is
    scores = scores - scores.mean(axis=1, keepdims=True)
    drawn = [
        means_on_halves(scores, team, stream, count)
        for stream, count in streams(rng, draws, BLOCK)
    ]
    together, separate = (np.concatenate(parts) for parts in zip(*drawn, strict=True))
    return _taus(
        settled(scores.mean(axis=-1)), together, separate, scores.shape[-1], team
    )


def taus_on_own_topics(
    truth: Floats,
    judge: Floats,
    rng: np.random.Generator,
    draws: int = HALVES,
    team: Ints | None = None,
) -> Taus:
    """Correlate the truth's means with one judge's where each has topics of its own: both of (system, topic).

    team : as in `taus`.
    """
    team = np.arange(len(truth)) if team is None else team
    # what a topic gives all systems alike moves no ranking
    sides = [one - one.mean(axis=0) for one in (truth, judge)]
    drawn = []
    for stream, count in streams(rng, draws, BLOCK):
        both = [means_on_halves(side[None], team, stream, count) for side in sides]
        # truth and judge beside each other: (half, 2, system), together and apart
        pair = [np.concatenate(means, axis=1) for means in zip(*both, strict=True)]
        drawn.append(pair)
    together, separate = (np.concatenate(parts) for parts in zip(*drawn, strict=True))
    means = settled(np.stack([side.mean(axis=-1) for side in sides]))
    return _taus(means, together, separate, min(truth.shape[1], judge.shape[1]), team)


def _taus(
    means: Floats, together: Floats, separate: Floats, topics: int, team: Ints
) -> Taus:
    """Correlate the truth's means with each judge's: means (set, system), and on halves (half, set, system)."""
    tau, kernel = pair_kernel(means)
    shared, own = (
        tau_b(half[:, :1], half[:, 1:])[:, 0] for half in (together, separate)
    )
    return Taus(tau, kernel, np.ones_like(tau), shared, own, topics, team)


def pair_kernel(means: Floats) -> tuple[Floats, Floats]:
    """Return tau-b of the truth with each judge, and what each pair of systems adds to it: (judge,), (judge, i, j).

    means : (set, system). Tau-b is P / sqrt(A B), P the mean product of signs and A, B the shares of untied pairs; to
    first order a pair adds s / sqrt(A B) - tau (a / A + b / B) / 2, whose mean over pairs is 0.
    """
    systems = means.shape[-1]
    # of each ordered pair: 1, 0 or -1
    signs = np.sign(means[:, :, None] - means[:, None])
    pairs = systems * (systems - 1)
    product = signs[1:] * signs[0]
    untied = signs**2
    # the shares A (truth) and B (judge), each of all ordered pairs
    share = untied.sum(axis=(1, 2)) / pairs
    root = np.sqrt(share[0] * share[1:])
    concordance = product.sum(axis=(1, 2)) / pairs  # P
    tau = over(concordance, root)
    with np.errstate(divide="ignore", invalid="ignore"):
        # a / A + b / B
        ties = untied[0] / share[0] + untied[1:] / share[1:, None, None]
        kernel = product / root[:, None, None] - tau[:, None, None] / 2 * ties
    # a system is no pair with itself
    diagonal = np.arange(systems)
    kernel[:, diagonal, diagonal] = 0.0
    return tau, kernel


def by_systems(kernel: Floats, team: Ints | None = None) -> tuple[Floats, Floats]:
    """Estimate the variance of a mean over pairs of systems, drawn at random: without bias, and by the jackknife.

    kernel : (..., system, system), what each pair adds, symmetric, 0 on the diagonal and on average. Both (...). With
    r_i the sum over the pairs of system i, the infinitesimal jackknife is

        4 sum_i r_i^2 / (m^2 (m - 1)^2),

    too large on average. The square of the mean less the mean product of two pairs without a system in common is

        (4 sum_i r_i^2 - 2 sum_ij h_ij^2) / (m (m - 1) (m - 2) (m - 3)),

    which is right on average, and can be negative. Source: Lee (1990), U statistics, chapter 5.
    team : of each system, numbered from 0, where whole teams are drawn; by default each system is a team.
    """
    systems = kernel.shape[-1]
    team = np.arange(systems) if team is None else team
    by_team = _pairs_of_teams(kernel, team)
    m = by_team.shape[-1]
    of_each = (by_team.sum(axis=-1) ** 2).sum(axis=-1)  # sum_i r_i^2
    of_pairs = (by_team**2).sum(axis=(-1, -2))  # sum_ij h_ij^2
    # sums over pairs of teams are m (m - 1) means, which stand for the mean over pairs of systems
    pairs = m * (m - 1)
    scale = (pairs / (systems * (systems - 1))) ** 2
    without_common = pairs * (m - 2) * (m - 3)
    unbiased = (4 * of_each - 2 * of_pairs) / without_common * scale
    jackknife = 4 * of_each / pairs**2 * scale
    return np.asarray(unbiased), np.asarray(jackknife)


def _pairs_of_teams(kernel: Floats, team: Ints) -> Floats:
    """Add up a kernel by pairs of teams: (..., system, system) to (..., team, team), 0 on the diagonal.

    What a team's own systems add stays in the sum: half of it goes to each side of the team's m - 1 pairs.
    """
    by_row = sums(kernel, team, axis=-1)
    by_team = sums(by_row, team, axis=-2)
    each = np.arange(by_team.shape[-1])
    # a team's own sum, spread over its m - 1 pairs, half to each side
    own = by_team[..., each, each] / (2 * (each.size - 1))
    by_team = by_team + own[..., :, None] + own[..., None, :]
    by_team[..., each, each] = 0.0
    return by_team


def by_topics(on_halves: Floats, topics: int) -> Floats:
    """Estimate the variance over samples of topics from a figure on halves drawn without replacement: (half, ...).

    A mean over h of n topics varies by S^2 (1/h - 1/n), one over n topics by S^2 / n: h / (n - h) times as much.
    """
    half = topics // 2
    return np.asarray(on_halves.var(axis=0, ddof=1) * half / (topics - half))


def means_on_halves(
    scores: Floats, team: Ints, rng: np.random.Generator, count: int
) -> tuple[Floats, Floats]:
    """Average scores (set, system, topic) over halves that all systems share, and over halves for each team by itself.

    Both of (half, set, system).
    """
    topics = scores.shape[-1]
    half = topics // 2
    # the topics that come first in a random order are drawn
    shared = rng.random((count, topics)).argsort(axis=-1) < half
    orders = rng.random((count, int(team.max()) + 1, topics)).argsort(axis=-1)
    own = orders[:, team] < half
    together = np.einsum("ht,ist->his", shared / half, scores, optimize=True)
    separate = np.einsum("hst,ist->his", own / half, scores, optimize=True)
    return settled(together), settled(separate)
