"""How far split-half figures would move with other topics and other systems: a two-way jackknife."""

from functools import partial

import numpy as np
import numpy.typing as npt

from irmeta.choices import Ties
from irmeta.parallel import in_order
from irmeta.stats.halves.halving import Drawn, advantage, half_means, half_tau
from irmeta.stats.rankings.rank import BLOCK, Array, concordance, settled, tau_without_each, untied

SAMPLE = 100
"""Where there are more systems, the noise of single scores is estimated from so many, evenly spaced."""


def advantage_variance(scores: Array, drawn: Drawn, *, ties: Ties = "b") -> Array:
    """Estimate the variance of phi(A, B) - phi(B, B) over samples of topics and of systems: (metric, metric).

    Each topic, each system, and each single score (a system's on a topic) is left out of the same partitions, and the
    squares of how far the figure moves are summed: T, S and C. C, the noise of single scores, is in T and in S, so the
    variance is S + T - C, or S where C exceeds T. Systems, and topics, are taken as independent of each other.
    Source of the idea: Cameron, Gelbach and Miller (2011) on standard errors clustered two ways.

    scores : (system, topic, metric); drawn : (partition, 2, topic), halves that use every topic. About 100 partitions
    do: the noise that they add is estimated and taken off.
    """
    systems, topics, metrics = scores.shape
    by_system, by_topic, by_score = _Moves(systems, metrics), _Moves(topics, metrics), np.zeros((metrics, metrics))
    chunk = max(1, BLOCK // (systems * metrics * max(topics, metrics)))
    parts = [drawn[start : start + chunk] for start in range(0, len(drawn), chunk)]
    for part, moves in zip(
        parts, in_order(partial(_left_out, scores, ties), parts, "intervals: partitions"), strict=True
    ):
        for moved, sums in zip((by_system, by_topic), moves, strict=True):
            moved.add(sums, len(part))
    single = _SingleScores(scores, drawn, ties)
    sample = np.unique(np.linspace(0, systems - 1, min(systems, SAMPLE)).astype(int))
    for squares in in_order(single.squares, sample.tolist(), "intervals: systems"):
        by_score += squares * (systems / len(sample))
    return by_system.squares() + np.maximum(by_topic.squares() - by_score, 0)


class _Moves:
    """Sums over partitions of how far a figure moves when each of n items is left out."""

    def __init__(self, n: int, metrics: int) -> None:
        self.sums = np.zeros((2, n, metrics, metrics))
        self.partitions = 0

    def add(self, sums: Array, partitions: int) -> None:
        """Take in the moves of some partitions, as `_summed` gives them."""
        self.sums += sums
        self.partitions += partitions

    def squares(self) -> Array:
        """Sum the squared mean moves over items, less what the drawing of partitions adds to them."""
        mean, square = self.sums / self.partitions
        return np.asarray((mean**2 - (square - mean**2) / max(self.partitions - 1, 1)).sum(axis=0))


def _summed(moves: Array) -> Array:
    """Sum moves (partition, item, metric, metric), and their squares, over partitions."""
    return np.stack([moves.sum(axis=0), (moves**2).sum(axis=0)])


def _left_out(scores: Array, ties: Ties, drawn: Drawn) -> tuple[Array, Array]:
    """Sum how far phi(A, B) - phi(B, B) moves without each system, and without each topic."""
    means = half_means(scores.transpose(1, 2, 0), drawn)
    now = advantage(half_tau(means[:, 0], means[:, 1], ties))[1][:, None]
    without = np.nan_to_num(tau_without_each(means[:, 0], means[:, 1], ties=ties))
    by_system = _summed(advantage(without)[1] - now)
    return by_system, _summed(advantage(_without_topics(scores, drawn, means, ties))[1] - now)


def _members(drawn: Drawn, half: int) -> npt.NDArray[np.int64]:
    return np.nonzero(drawn[:, half])[1].reshape(len(drawn), -1)


def _without_topics(scores: Array, drawn: Drawn, means: Array, ties: Ties) -> Array:
    """Correlate the halves with each topic left out of the one it is in: (partition, topic, metric, metric)."""
    metrics = scores.shape[2]
    taus = np.empty((*drawn[:, 0].shape, metrics, metrics))
    for half in (0, 1):
        members = _members(drawn, half)
        left = _without(means[:, half, None], scores.transpose(1, 2, 0)[members], members.shape[1])
        tau = half_tau(left.reshape(len(drawn), -1, left.shape[-1]), means[:, 1 - half], ties)
        taus[np.arange(len(drawn))[:, None], members] = tau.reshape(*members.shape, metrics, metrics)
    return taus


def _without(mean: Array, score: Array, size: int) -> Array:
    """Take one score out of a mean of `size`."""
    return settled(mean + (mean - score) / (size - 1))


class _SingleScores:
    """What leaving out one system's score on one topic does: only that system's mean on one half changes."""

    def __init__(self, scores: Array, drawn: Drawn, ties: Ties) -> None:
        means = half_means(scores.transpose(1, 2, 0), drawn)
        self.scores, self.drawn, self.means, self.ties = scores, drawn, means, ties
        self.counts = concordance(means[:, 0], means[:, 1])
        systems = means.shape[-1]
        self.pairs = untied(means) if ties == "b" else np.full(means.shape[:-1], systems * (systems - 1) / 2)

    def squares(self, system: int) -> Array:
        """Sum the squared moves over the topics of one system: (metric, metric)."""
        _, topics, metrics = self.scores.shape
        moves = _Moves(topics, metrics)
        chunk = max(1, BLOCK // (topics * metrics * self.means.shape[-1]))
        for start in range(0, len(self.drawn), chunk):
            part = slice(start, start + chunk)
            taus = np.zeros((*self.drawn[part, 0].shape, metrics, metrics))
            for half in (0, 1):
                members = _members(self.drawn[part], half)
                taus[np.arange(len(members))[:, None], members] = self._moved(part, half, members, system)
            moves.add(_summed(advantage(taus)[1]), len(taus))
        return moves.squares()

    def _moved(self, part: slice, half: int, members: npt.NDArray[np.int64], system: int) -> Array:
        """Tell how far tau moves without each member of a half: (partition, member, metric, metric)."""
        here, there = self.means[part, half], self.means[part, 1 - half]
        own = here[:, :, system, None]
        left = _without(here[:, None, :, system], self.scores[system][members], members.shape[1])
        new = _signs(left[..., None], here[:, None])
        new[..., system] = 0
        old, other = _signs(own, here), _signs(there[:, :, system, None], there).transpose(0, 2, 1)
        moved = (new.reshape(len(new), -1, new.shape[-1]) @ other).reshape(*left.shape, -1) - (old @ other)[:, None]
        counts = self.counts[part] if half == 0 else self.counts[part].transpose(0, 2, 1)
        pairs, beside = self.pairs[part, half][:, None], self.pairs[part, 1 - half][:, None, None, :]
        untied_moved = _count(new) - _count(old)[:, None] if self.ties == "b" else np.zeros(left.shape)
        return _ratio(counts[:, None] + moved, (pairs + untied_moved)[..., None] * beside) - _ratio(
            counts[:, None], pairs[..., None] * beside
        )


def _signs(a: Array, b: Array) -> npt.NDArray[np.float32]:
    signs = np.greater(a, b).view(np.int8)
    signs -= np.less(a, b).view(np.int8)
    return signs.astype(np.float32)


def _count(signs: npt.NDArray[np.float32]) -> Array:
    return np.einsum("...j,...j->...", signs, signs).astype(np.float64)


def _ratio(counts: Array, squared: Array) -> Array:
    """Divide by the root, giving 0 where that is 0."""
    shape = np.broadcast_shapes(counts.shape, squared.shape)
    return np.divide(counts, np.sqrt(squared), out=np.zeros(shape), where=squared > 0)
