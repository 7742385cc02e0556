"""Split-half prediction: rank systems over two disjoint sets of topics drawn at random, and correlate the rankings."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from irmeta.choices import Ties
from irmeta.parallel import in_order, single_threaded, streams
from irmeta.stats.rankings.rank import Array, settled, tau_a, tau_b

Drawn = npt.NDArray[np.bool_]


def shuffles(topics: int, partitions: int, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """Put the topics in so many random orders: (partition, topic)."""
    return rng.permuted(np.tile(np.arange(topics), (partitions, 1)), axis=1)


def halves(orders: npt.NDArray[np.int64], sizes: tuple[int, int]) -> Drawn:
    """Take the first and the last topics of each order as two disjoint sets: membership of shape (partition, 2, topic).

    >>> halves(np.array([[3, 0, 4, 1, 2]]), (2, 2)).astype(int)
    array([[[1, 0, 0, 1, 0],
            [0, 1, 1, 0, 0]]])
    """
    drawn = np.zeros((len(orders), 2, orders.shape[1]), dtype=np.bool_)
    np.put_along_axis(drawn[:, 0], orders[:, : sizes[0]], True, axis=1)
    np.put_along_axis(drawn[:, 1], orders[:, orders.shape[1] - sizes[1] :], True, axis=1)
    return drawn


def half_means(by_topic: Array, drawn: Drawn) -> Array:
    """Average scores (topic, metric, system) over each drawn set, settled: (partition, 2, metric, system)."""
    weights = (drawn / drawn.sum(axis=-1, keepdims=True)).reshape(-1, len(by_topic))
    with single_threaded():
        means = weights @ by_topic.reshape(len(by_topic), -1)
    return settled(means.reshape(*drawn.shape[:2], *by_topic.shape[1:]))


def half_tau(x: Array, y: Array, ties: Ties) -> Array:
    """Give tau between rankings on two halves; 0 where a metric ties all systems: such a half foretells nothing."""
    return np.nan_to_num((tau_b if ties == "b" else tau_a)(x, y), nan=0.0)


def advantage(tau: Array) -> tuple[Array, Array]:
    """Give phi(A, B), both ways round of each split averaged, and phi(A, B) - phi(B, B), from tau of (..., A, B)."""
    phi = (tau + np.swapaxes(tau, -1, -2)) / 2
    return phi, phi - np.diagonal(phi, axis1=-2, axis2=-1)[..., None, :]


@dataclass(frozen=True)
class Agreement:
    """Mean tau of split halves for each pair of metrics, with its Monte-Carlo standard error.

    phi, se : (metric, metric), symmetric.
    difference, difference_se : (metric A, metric B), phi(A, B) - phi(B, B).
    lead, lead_se : (metric A, metric B), the mean phi of A with all metrics, itself among them, less that of B.
    undefined : (metric,), the number of halves in which the metric ties all systems.
    """

    phi: Array
    se: Array
    difference: Array
    difference_se: Array
    lead: Array
    lead_se: Array
    undefined: npt.NDArray[np.int64]


def split_half(
    scores: Array,
    sizes: Sequence[tuple[int, int]],
    partitions: int,
    rng: np.random.Generator,
    *,
    ties: Ties = "b",
    best: tuple[int, Array] | None = None,
) -> list[Agreement]:
    """Correlate the ranking of systems by metric A on one part of the topics with that by metric B on another.

    scores : (system, topic, metric). sizes : how many topics the two parts have; there is a result for each, from the
    same random orders of the topics. best : (how many, scores of (system, topic)), rank only the systems best by these
    scores on one part, each part in turn. Source: Webber et al. (SIGIR 2008), section 2; both ways round of a partition
    are averaged, which lessens the Monte-Carlo error where A is not B.
    """
    systems, _, metrics = scores.shape
    kept, every = None, scores
    if best is not None:
        kept, every = best[0], np.concatenate([scores, best[1][..., None]], axis=-1)
    work = partial(_sums, np.ascontiguousarray(every.transpose(1, 2, 0)), sizes, ties, kept)
    moments, undefined = np.zeros((len(sizes), 2, 3, metrics, metrics)), np.zeros((len(sizes), metrics), dtype=np.int64)
    for sums, all_tied in in_order(work, streams(rng, partitions, _block(systems)), "blocks of partitions"):
        moments += sums
        undefined += all_tied
    return [_agreement(*part, partitions) for part in zip(moments, undefined, strict=True)]


def _block(systems: int) -> int:
    """Say how many partitions to compute together: some hundredths of a second of work, but several in 2000."""
    return int(np.clip((1 << 22) // systems**2, 1, 250))


def _sums(
    by_topic: Array,
    sizes: Sequence[tuple[int, int]],
    ties: Ties,
    kept: int | None,
    block: tuple[np.random.Generator, int],
) -> tuple[Array, npt.NDArray[np.int64]]:
    """Draw partitions; sum phi, advantages, leads, and their squares, and count the halves that tie all systems.

    kept : how many systems to rank, those best by the scores that stand in place of a last metric; None for all.
    """
    rng, partitions = block
    orders = shuffles(len(by_topic), partitions, rng)
    moments, undefined = [], []
    for size in sizes:
        means = half_means(by_topic, halves(orders, size))
        if kept is None:
            tau = half_tau(means[:, 0], means[:, 1], ties)
        else:
            means, order = means[:, :, :-1], means[:, :, -1]
            tau = _among_best(means, np.argsort(-order, axis=-1, kind="stable")[:, :, :kept], ties)
        phi, difference = advantage(tau)
        mean = phi.mean(axis=-1)
        figures = np.stack([phi, difference, mean[:, :, None] - mean[:, None, :]])
        moments.append([figures.sum(axis=1), (figures**2).sum(axis=1)])
        undefined.append((np.ptp(means, axis=-1) == 0).sum(axis=(0, 1)))
    return np.array(moments), np.array(undefined)


def _agreement(moments: Array, undefined: npt.NDArray[np.int64], partitions: int) -> Agreement:
    means, squares = moments / partitions
    errors = (np.maximum(squares - means**2, 0) / max(partitions - 1, 1)) ** 0.5
    (phi, difference, lead), (se, difference_se, lead_se) = means, errors
    return Agreement(phi, se, difference, difference_se, lead, lead_se, undefined)


def _among_best(means: Array, picks: npt.NDArray[np.intp], ties: Ties) -> Array:
    """Give tau among the systems picked (partition, half, system) by either half, averaged."""
    chosen = [np.take_along_axis(means, picks[:, half, None, None], axis=-1) for half in (0, 1)]
    return np.asarray(sum(half_tau(among[:, 0], among[:, 1], ties) for among in chosen)) / 2
