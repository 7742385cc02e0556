"""Split-half prediction: rank systems over two disjoint sets of topics drawn at random, and correlate the rankings."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from irmeta.choices import Ties
from irmeta.parallel import in_order, streams
from irmeta.stats.arrays import Bools, Floats, Indices, Ints, settled
from irmeta.stats.rankings.rank import tau_a, tau_b


def shuffles(topics: int, partitions: int, rng: np.random.Generator) -> Ints:
    """Put the topics in a random order for each partition: (partition, topic)."""
    orders = np.tile(np.arange(topics), (partitions, 1))
    return rng.permuted(orders, axis=1)


def halves(orders: Ints, sizes: tuple[int, int]) -> Bools:
    """Take the first and the last topics of each order as two disjoint sets: membership of shape (partition, 2, topic).

    >>> halves(np.array([[3, 0, 4, 1, 2]]), (2, 2)).astype(int)
    array([[[1, 0, 0, 1, 0],
            [0, 1, 1, 0, 0]]])
    """
    partitions, topics = orders.shape
    first = orders[:, : sizes[0]]
    last = orders[:, topics - sizes[1] :]
    drawn = np.zeros((partitions, 2, topics), dtype=np.bool_)
    np.put_along_axis(drawn[:, 0], first, True, axis=1)
    np.put_along_axis(drawn[:, 1], last, True, axis=1)
    return drawn


def half_means(by_topic: Floats, drawn: Bools) -> Floats:
    """Average scores (topic, metric, system) over each drawn set, settled: (partition, 2, metric, system)."""
    return settled(set_means(by_topic, drawn))


def set_means(by_topic: Floats, drawn: Bools) -> Floats:
    """Average scores as `half_means` does, not settled: what is computed from them still has to be."""
    topics = len(by_topic)
    # 1 / size of the set for its topics, else 0
    weights = drawn / drawn.sum(axis=-1, keepdims=True)
    means = weights.reshape(-1, topics) @ by_topic.reshape(topics, -1)
    return np.asarray(means.reshape(*drawn.shape[:2], *by_topic.shape[1:]))


def half_tau(x: Floats, y: Floats, ties: Ties) -> Floats:
    """Return tau between rankings on two halves; 0 where a metric ties all systems: such a half predicts nothing."""
    tau = tau_b if ties == "b" else tau_a
    return np.nan_to_num(tau(x, y), nan=0.0)


def both_ways(tau: Floats) -> Floats:
    """Return phi(A, B), both ways round of each split averaged, from tau of (..., A, B)."""
    phi = tau + np.swapaxes(tau, -1, -2)
    phi /= 2
    return phi


def own(phi: Floats) -> Floats:
    """Return phi(B, B) for each phi(A, B): (..., metric A, metric B) gives (..., 1, metric B)."""
    return np.diagonal(phi, axis1=-2, axis2=-1)[..., None, :]


@dataclass(frozen=True)
class Agreement:
    """Mean tau of split halves for each pair of metrics, with its Monte-Carlo standard error.

    phi, se : (metric, metric), symmetric.
    difference, difference_se : (metric A, metric B), phi(A, B) - phi(B, B).
    lead, lead_se : (metric A, metric B), the mean phi of A with all metrics, itself among them, less that of B.
    undefined : (metric,), the number of halves in which the metric ties all systems.
    """

    phi: Floats
    se: Floats
    difference: Floats
    difference_se: Floats
    lead: Floats
    lead_se: Floats
    undefined: Ints


def split_half(
    scores: Floats,
    sizes: Sequence[tuple[int, int]],
    partitions: int,
    rng: np.random.Generator,
    *,
    ties: Ties = "b",
    best: tuple[int, Floats] | None = None,
) -> list[Agreement]:
    """Correlate the ranking of systems by metric A on one part of the topics with that by metric B on another.

    scores : (system, topic, metric). sizes : how many topics the two parts have; there is a result for each, from the
    same random orders of the topics. best : (how many, scores of (system, topic)), rank only the systems best by these
    scores on one part, each part in turn. Source: Webber et al. (SIGIR 2008), section 2; both ways round of a partition
    are averaged, which lessens the Monte-Carlo error where A is not B.
    """
    systems, _, metrics = scores.shape
    kept = None
    if best is not None:
        kept, by = best
        scores = np.concatenate([scores, by[..., None]], axis=-1)
    # (topic, metric, system)
    by_topic = np.ascontiguousarray(scores.transpose(1, 2, 0))
    moments = np.zeros((len(sizes), 2, 3, metrics, metrics))
    undefined = np.zeros((len(sizes), metrics), dtype=np.int64)
    work = partial(_sums, by_topic, sizes, ties, kept)
    blocks = streams(rng, partitions, _block(systems))
    for sums, all_tied in in_order(work, blocks, "blocks of partitions"):
        moments += sums
        undefined += all_tied
    return [
        _agreement(sums, all_tied, partitions)
        for sums, all_tied in zip(moments, undefined, strict=True)
    ]


def _block(systems: int) -> int:
    """Return how many partitions to compute together: some hundredths of a second of work, but several in 2000."""
    return int(np.clip((1 << 22) // systems**2, 1, 250))


def _sums(
    by_topic: Floats,
    sizes: Sequence[tuple[int, int]],
    ties: Ties,
    kept: int | None,
    block: tuple[np.random.Generator, int],
) -> tuple[Floats, Ints]:
    """Draw partitions; sum phi, advantages, leads, and their squares, and count the halves that tie all systems.

    kept : how many systems to rank, those best by the scores that stand in place of a last metric; None for all.
    Returns the sums (size, 2, 3, metric, metric) and the counts (size, metric).
    """
    rng, partitions = block
    orders = shuffles(len(by_topic), partitions, rng)
    moments, undefined = [], []
    for size in sizes:
        # (partition, 2, metric, system)
        means = half_means(by_topic, halves(orders, size))
        if kept is None:
            tau = half_tau(means[:, 0], means[:, 1], ties)
        else:
            means, by = means[:, :, :-1], means[:, :, -1]
            best = np.argsort(-by, axis=-1, kind="stable")[:, :, :kept]
            tau = _tau_among_best(means, best, ties)
        figures = _figures(tau)
        all_tied = np.ptp(means, axis=-1) == 0
        moments.append([figures.sum(axis=1), (figures**2).sum(axis=1)])
        undefined.append(all_tied.sum(axis=(0, 1)))
    return np.array(moments), np.array(undefined)


def _figures(tau: Floats) -> Floats:
    """Return phi, advantages and leads of each partition: (3, partition, metric, metric)."""
    phi = both_ways(tau)
    mean = phi.mean(axis=-1)
    lead = mean[:, :, None] - mean[:, None, :]  # mean phi of A less that of B
    return np.stack([phi, phi - own(phi), lead])


def _agreement(moments: Floats, undefined: Ints, partitions: int) -> Agreement:
    """Turn sums over partitions into means and Monte-Carlo errors, sqrt(variance / (partitions - 1))."""
    means, squares = moments / partitions
    variance = np.maximum(squares - means**2, 0)
    errors = (variance / max(partitions - 1, 1)) ** 0.5
    (phi, difference, lead), (se, difference_se, lead_se) = means, errors
    return Agreement(phi, se, difference, difference_se, lead, lead_se, undefined)


def _tau_among_best(means: Floats, picks: Indices, ties: Ties) -> Floats:
    """Return tau among the systems picked (partition, half, system) by either half, averaged."""
    taus = []
    for half in (0, 1):
        among = np.take_along_axis(means, picks[:, half, None, None], axis=-1)
        taus.append(half_tau(among[:, 0], among[:, 1], ties))
    return (taus[0] + taus[1]) / 2
