"""How far split-half figures would move with other topics and other systems: a two-way jackknife."""

from functools import partial
from typing import NamedTuple

import numpy as np

from irmeta.choices import Ties
from irmeta.parallel import in_order
from irmeta.stats import arrays
from irmeta.stats.arrays import Bools, Floats, Indices, Ints, Singles, settled
from irmeta.stats.halves.halving import both_ways, half_tau, own, set_means
from irmeta.stats.rankings.rank import BLOCK, concordance, tau_without_each, untied

SAMPLE = 100
"""Of more teams, only this number, evenly spaced, estimates the noise of single scores."""


_NONE = 1e-12
"""Variances up to this are what rounding leaves of 0."""


def known(variance: Floats) -> Floats:
    """Return variances; NaN where none is found, as what is left out hardly ever moves the figure.

    So few changes say nothing of other samples: a variance of 0 would make an interval without width.

    >>> known(np.array([0.01, 0.0, -0.001])).tolist()
    [0.01, nan, nan]
    """
    return np.where(variance > _NONE, variance, np.nan)


class Variances(NamedTuple):
    """Variances over samples of topics and of systems: (metric, metric), and of mean phi (metric,).

    advantage : of phi(A, B) - phi(B, B).  lead : of the mean phi of A with all metrics less that of B.
    phi : of phi(A, B).  mean_phi : of the mean phi of A with all metrics, itself among them.
    """

    advantage: Floats
    lead: Floats
    phi: Floats
    mean_phi: Floats


_FIGURES = 4
"""Advantage, lead, phi and mean phi."""
_LEVELS = slice(2, None)
"""Of these phi and mean phi, which fewer topics make lower: what all items have in common is no scatter."""


def variances(
    scores: Floats, drawn: Bools, *, ties: Ties = "b", team: Ints | None = None
) -> Variances:
    """Estimate the variances of phi, of advantages and of leads over samples of topics and of systems.

    Each topic, each system, and each single score (a system's on a topic) is left out of the same partitions, and the
    squares of how far the figure moves are summed: T, S and C. C, the noise of single scores, is in T and in S, so the
    variance is S + T - C, or S where C exceeds T. Teams, and topics, are taken as independent of each other: S leaves
    out whole teams, and in C the moves of the systems of a team are added up before they are squared.
    Source of the idea: Cameron, Gelbach and Miller (2011) on standard errors clustered two ways.

    scores : (system, topic, metric); drawn : (partition, 2, topic), halves that use every topic. About 100 partitions
    do: the noise that they add is estimated and taken off.  team : the team of each system, numbered from 0; by default
    each system is a team.
    """
    if team is None:
        team = np.arange(len(scores))
    by_system, by_topic = _item_moves(scores, drawn, ties, team)  # S, T
    by_score = _score_moves(scores, drawn, ties, team)  # C
    total = by_system + np.maximum(by_topic - by_score, 0)
    advantage_of, lead, phi, mean_phi = total
    return Variances(advantage_of, lead, phi, mean_phi[:, 0])


def _item_moves(
    scores: Floats, drawn: Bools, ties: Ties, team: Ints
) -> tuple[Floats, Floats]:
    """Sum the squared moves of leaving out the systems of each team, and each topic: S and T."""
    systems, topics, metrics = scores.shape
    by_system = _Moves(int(team.max()) + 1, metrics)
    by_topic = _Moves(topics, metrics)
    chunk = max(1, BLOCK // (systems * metrics * max(topics, metrics)))
    parts = [drawn[start : start + chunk] for start in range(0, len(drawn), chunk)]
    moves = in_order(
        partial(_leave_items_out, scores, ties, team), parts, "intervals: partitions"
    )
    for part, (of_systems, of_topics) in zip(parts, moves, strict=True):
        by_system.add(of_systems, len(part))
        by_topic.add(of_topics, len(part))
    return by_system.squares(), by_topic.squares()


def _score_moves(scores: Floats, drawn: Bools, ties: Ties, team: Ints) -> Floats:
    """Sum the squared moves of leaving out a team's scores on each topic: C, of many teams estimated from some."""
    metrics = scores.shape[2]
    teams = int(team.max()) + 1
    single = _SingleScores(scores, drawn, ties)
    sample = np.unique(np.linspace(0, teams - 1, min(teams, SAMPLE)).astype(int))
    members = [np.flatnonzero(team == number) for number in sample]
    total = np.zeros((_FIGURES, metrics, metrics))
    for squares in in_order(single.squares, members, "intervals: systems"):
        total += squares * (teams / len(sample))
    return total


class _Moves:
    """Sums over partitions of how far each figure moves when each of n items is left out."""

    def __init__(self, n: int, metrics: int) -> None:
        self.sums = np.zeros((2, _FIGURES, n, metrics, metrics))
        self.partitions = 0

    def add(self, moved: Floats, partitions: int) -> None:
        """Take in the moves of some partitions, as `_sum_moves` gives them."""
        self.sums += moved
        self.partitions += partitions

    def squares(self) -> Floats:
        """Sum the squared mean moves over items, less what the drawing of partitions adds to them.

        Of each item mean^2 - var / (partitions - 1): the mean's own Monte-Carlo variance is taken off its square.
        Returns (figure, metric, metric).
        """
        mean, square = self.sums / self.partitions
        noise = (square - mean**2) / max(self.partitions - 1, 1)
        mean[_LEVELS] -= mean[_LEVELS].mean(axis=1, keepdims=True)
        return np.asarray((mean**2 - noise).sum(axis=1))


def _sum_moves(taus: Floats) -> Floats:
    """Sum over partitions the moves of each figure, and their squares, as tau (partition, item, metric, metric) moves.

    The lead of A over B is the mean phi of A less that of B, over all targets. So are their moves.
    """
    phi = both_ways(taus)
    mean = phi.mean(axis=-1)  # (partition, item, metric)
    # the sum of moves is the move of the sum
    total = phi.sum(axis=0)
    total_mean = _repeat_for_metrics(total.mean(axis=-1), total)
    totals = (
        total - own(total),
        total_mean - np.swapaxes(total_mean, -1, -2),
        total,
        total_mean,
    )
    # sum (a - b)^2 = sum a^2 + sum b^2 - 2 sum a b
    squares = np.einsum("p...,p...->...", phi, phi)
    with_own = np.einsum("piab,pibb->iab", phi, phi)
    advantages = squares + own(squares) - 2 * with_own
    products = mean.transpose(1, 2, 0) @ mean.transpose(1, 0, 2)
    of_mean = _repeat_for_metrics(np.diagonal(products, axis1=-2, axis2=-1), total)
    leads = of_mean + np.swapaxes(of_mean, -1, -2) - 2 * products
    return np.array([totals, (advantages, leads, squares, of_mean)])


def _repeat_for_metrics(of_metric: Floats, like: Floats) -> Floats:
    """Repeat what belongs to metric A for all metrics: (..., metric) gives (..., metric, metric)."""
    return np.broadcast_to(of_metric[..., None], like.shape)


def _leave_items_out(
    scores: Floats, ties: Ties, team: Ints, drawn: Bools
) -> tuple[Floats, Floats]:
    """Sum how far each figure moves without the systems of each team, and without each topic."""
    means = set_means(scores.transpose(1, 2, 0), drawn)
    # (partition, metric, system)
    first = settled(means[:, 0])
    second = settled(means[:, 1])
    now = half_tau(first, second, ties)[:, None]  # (partition, 1, metric, metric)
    # where fewer than 2 systems are left, tau is 0
    without_team = np.nan_to_num(tau_without_each(first, second, team, ties=ties))
    without_topic = _topic_taus(scores, drawn, means, ties)
    return _sum_moves(without_team - now), _sum_moves(without_topic - now)


def _members(drawn: Bools, half: int) -> Ints:
    """List the topics of a half of each partition: (partition, member)."""
    _, topics = np.nonzero(drawn[:, half])
    return topics.reshape(len(drawn), -1)


def _topic_taus(scores: Floats, drawn: Bools, means: Floats, ties: Ties) -> Floats:
    """Correlate the halves with each topic left out of the one it is in: (partition, topic, metric, metric)."""
    _, topics, metrics = scores.shape
    by_topic = scores.transpose(1, 2, 0)  # (topic, metric, system)
    partition = np.arange(len(drawn))[:, None]
    taus = np.empty((len(drawn), topics, metrics, metrics))
    for half in (0, 1):
        members = _members(drawn, half)
        size = members.shape[1]
        # (partition, member, metric, system)
        left = _mean_without(means[:, half, None], by_topic[members], size)
        rankings = left.reshape(len(drawn), size * metrics, -1)
        tau = half_tau(rankings, settled(means[:, 1 - half]), ties)
        taus[partition, members] = tau.reshape(len(drawn), size, metrics, metrics)
    return taus


def _mean_without(mean: Floats, score: Floats, size: int) -> Floats:
    """Return the settled mean of the others, from a mean of `size` scores that is not: m + (m - score) / (size - 1)."""
    return settled(mean + (mean - score) / (size - 1))


class _Half(NamedTuple):
    """One half of each partition, and what tau between it and the other half is made of."""

    members: Ints
    """The topics of the half: (partition, member)."""
    exact: Floats
    """Means that are not settled: (partition, metric, system)."""
    here: Floats
    """The same, settled."""
    order: Ints
    """The systems from the lowest mean to the highest: (partition, metric, system)."""
    there: Floats
    """Means on the other half, settled: (partition, metric, system)."""
    counts: Floats
    """Concordant minus discordant pairs: (partition, metric here, metric there)."""
    pairs: Floats
    """Pairs of systems that tau divides by: (partition, metric here)."""
    beside: Floats
    """One over the root of the pairs on the other half: (partition, metric there)."""

    def part(self, partitions: slice) -> "_Half":
        """Return the same of some of the partitions."""
        return _Half._make(array[partitions] for array in self)


class _SingleScores:
    """What leaving out one system's score on one topic does: only that system's mean on one half changes."""

    def __init__(self, scores: Floats, drawn: Bools, ties: Ties) -> None:
        self.scores = scores  # (system, topic, metric)
        self.partitions = len(drawn)
        self.ties = ties
        exact = set_means(scores.transpose(1, 2, 0), drawn)
        means = settled(exact)  # (partition, 2, metric, system)
        counts = concordance(means[:, 0], means[:, 1])
        pairs = self._pairs(means)  # (partition, 2, metric)
        self.halves = []
        for half, of_half in enumerate((counts, counts.transpose(0, 2, 1))):
            here = means[:, half]
            made = _Half(
                members=_members(drawn, half),
                exact=exact[:, half],
                here=here,
                order=np.argsort(here, axis=-1, kind="stable"),
                there=means[:, 1 - half],
                counts=of_half,
                pairs=pairs[:, half],
                beside=_inverse_root(pairs[:, 1 - half]),
            )
            self.halves.append(_Half._make(map(np.ascontiguousarray, made)))

    def _pairs(self, means: Floats) -> Floats:
        """Count the pairs of systems that tau divides by: those not tied for tau-b, all for tau-a."""
        if self.ties == "b":
            return untied(means)
        systems = means.shape[-1]
        return np.full(means.shape[:-1], systems * (systems - 1) / 2)

    def squares(self, members: Indices) -> Floats:
        """Sum the squared moves over the topics of one team, of which these systems are: (figure, metric, metric)."""
        systems, topics, metrics = self.scores.shape
        moves = _Moves(topics, metrics)
        chunk = max(1, BLOCK // (topics * metrics * systems))
        for start in range(0, self.partitions, chunk):
            part = slice(start, start + chunk)
            parts = [half.part(part) for half in self.halves]
            taus = np.zeros((len(parts[0].here), topics, metrics, metrics))
            for system in members.tolist():
                for half in parts:
                    self._add_moves(half, system, taus)
            moves.add(_sum_moves(taus), len(taus))
        return moves.squares()

    def _add_moves(self, half: _Half, system: int, taus: Floats) -> None:
        """Add how far tau moves without the system's score on each topic of a half: (partition, topic, metric, metric).

        tau = counts / sqrt(pairs here * pairs there). When the system's mean m becomes m', only its own pairs change,
        by sign(m' - m_j) - sign(m - m_j) for every other system j; so

            counts move by  sum over j of (new sign - old sign) * sign in the other half
            pairs move by   number of new signs that are not 0 - number of old ones

        Only the systems between m and m' count, which the core adds up in their order.
        """
        exact = half.exact[:, None, :, system]
        score = self.scores[system][half.members]
        after = _mean_without(
            exact, score, half.members.shape[1]
        )  # (partition, member, metric)
        if arrays.core:
            arrays.core.moves(
                *(half.here, half.order, half.there),
                *(half.counts, half.pairs, half.beside),
                *(np.ascontiguousarray(after), half.members, after.shape[-1], system),
                self.ties == "b",
                taus,
            )
        else:
            partition = np.arange(len(taus))[:, None]
            taus[partition, half.members] += self._score_taus(half, system, after)

    def _score_taus(self, half: _Half, system: int, after: Floats) -> Floats:
        """Do as the compiled core, by products of signs: (partition, member, metric, metric)."""
        before = half.here[:, :, system]
        # (partition, member, metric, system)
        new = _signs(after[..., None], half.here[:, None])
        new[..., system] = 0  # a system makes no pair with itself
        old = _signs(before[..., None], half.here)  # (partition, metric, system)
        # (partition, system, metric)
        other = _signs(half.there[:, :, system, None], half.there).transpose(0, 2, 1)

        counts = half.counts[:, None]  # (partition, 1, metric here, metric there)
        products = new.reshape(len(new), -1, new.shape[-1]) @ other
        # (partition, member, metric here, metric there)
        tau = products.reshape(*after.shape, -1).astype(np.float64)
        tau += counts - (old @ other)[:, None]

        pairs = half.pairs[:, None]  # (partition, 1, metric here)
        beside = half.beside[:, None, None]  # (partition, 1, 1, metric there)
        pairs_after = pairs
        if self.ties == "b":
            # (partition, member, metric here)
            pairs_after = pairs + (_count(new) - _count(old)[:, None])

        tau *= _inverse_root(pairs_after)[..., None]
        tau *= beside
        tau -= counts * _inverse_root(pairs)[..., None] * beside
        return tau


def _signs(a: Floats, b: Floats) -> Singles:
    """Compare: 1 where a > b, -1 where a < b, else 0."""
    signs = np.greater(a, b).view(np.int8)
    signs -= np.less(a, b).view(np.int8)
    return signs.astype(np.float32)


def _count(signs: Singles) -> Floats:
    """Count the signs along the last axis that are not 0."""
    return np.einsum("...j,...j->...", signs, signs).astype(np.float64)


def _inverse_root(pairs: Floats) -> Floats:
    """Divide 1 by the root; 0 where there is none."""
    return np.divide(1, np.sqrt(pairs), out=np.zeros(pairs.shape), where=pairs > 0)
