"""Two-sided tests by resampling topics, all pairs of systems at once: permutation, bootstrap, Tukey HSD."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import NamedTuple, TypeVar

import numpy as np

from irmeta.parallel import in_order, streams
from irmeta.stats.arrays import Floats, Indices, Ints
from irmeta.stats.tests import floors
from irmeta.stats.tests.paired import (
    blocks,
    differences,
    over_pairs,
    statistic,
)

Block = TypeVar("Block")
Draws = tuple[np.random.Generator, int]
Counts = Indices  # how many resamples, for each pair
# numbers of one kind in a block of resamples, 8 MiB: some hundredths of a second of work
_BLOCK = 1 << 20
_LEAST = 500  # resamples in a block, so that matrix products pay; many pairs are then taken a run at a time


def _counted(work: Callable[[Block], Counts], blocks: Iterable[Block]) -> Floats:
    """Add up what blocks of resamples count for each pair."""
    return np.asarray(
        sum(in_order(work, blocks, "blocks of resamples")), dtype=np.float64
    )


def _gaps(values: Floats) -> Floats:
    """Return the absolute differences between the values of all pairs of systems i < j."""
    left, right = np.triu_indices(values.size, 1)
    return np.abs(values[left] - values[right])


def permutation(scores: Floats, resamples: int, rng: np.random.Generator) -> Floats:
    """Return p of the paired permutation test on the mean difference, from scores (system, topic): shape (pair,).

    In each resample the two systems swap their scores on a random half of the topics; all pairs share the swaps, so a
    pair's null differences are differences of two systems' sums. p counts the data themselves as one resample; where
    there are no more than `resamples` ways to swap, all are gone through and p is exact.
    Source: Smucker, Allan and Carterette (CIKM 2007).

    >>> permutation(np.array([[0.5, 0.6, 0.7], [0.1, 0.2, 0.3]]), 10, np.random.default_rng(0)).tolist()
    [0.25]
    """
    topics = scores.shape[1]
    ways = 2**topics
    observed = _gaps(scores.sum(axis=1))
    # sums of the same numbers differ by rounding; an equal difference counts as at least as large
    rounding = 1e-12 * max(topics, np.abs(scores).sum(axis=1).max())
    threshold = observed - rounding
    block = max(_LEAST, 4 * _BLOCK // max(observed.size, scores.size))
    if ways <= resamples:
        # (first way, how many) of each block
        rows = [(start, min(block, ways - start)) for start in range(0, ways, block)]
        counts = _counted(partial(_swapped, scores, threshold, _all_signs), rows)
        return np.asarray(counts / ways)
    draws = streams(rng, resamples, block)
    counts = _counted(partial(_swapped, scores, threshold, _random_signs), draws)
    return np.asarray((counts + 1) / (resamples + 1))


def _swapped(
    scores: Floats,
    threshold: Floats,
    signs: Callable[[int, Block], Floats],
    block: Block,
) -> Counts:
    """Count for each pair the resamples of a block with a difference of sums of at least its threshold.

    A swap on a topic changes the sign of the pair's difference there, so the difference of sums becomes
    sum over topics of sign * (a - b) = (signed sum of a) - (signed sum of b).
    """
    systems, topics = scores.shape
    sums = scores @ signs(topics, block).T  # (system, resample)
    counts = []
    for i, least in enumerate(np.split(threshold, _first_pairs(systems))):
        gaps = np.abs(sums[i + 1 :] - sums[i])  # (pair of i, resample)
        counts.append(np.count_nonzero(gaps >= least[:, None], axis=1))
    return np.concatenate(counts)


def _random_signs(topics: int, draws: Draws) -> Floats:
    """Draw signs: (resample, topic)."""
    rng, size = draws
    return np.asarray(rng.integers(0, 2, (size, topics)) * 2.0 - 1)


def _all_signs(topics: int, rows: tuple[int, int]) -> Floats:
    """Return some rows, first and how many, of the 2^topics ways to put signs before topics, shape (row, topic)."""
    start, size = rows
    numbers = np.arange(start, start + size)[:, None]
    bits = numbers >> np.arange(topics) & 1
    return np.asarray(bits * 2.0 - 1, dtype=np.float64)


def bootstrap(scores: Floats, resamples: int, rng: np.random.Generator) -> Floats:
    """Return p of the paired bootstrap test on the studentised mean, from scores (system, topic): shape (pair,).

    Topics are drawn with replacement from differences shifted to mean 0; all pairs share the draws. p counts the data
    themselves as one resample; where a difference is the same on every topic it is that of signs.
    Source: Sakai (SIGIR 2006), after Efron and Tibshirani (1993), chapter 16.

    >>> bootstrap(np.array([[0.5, 0.6], [0.5, 0.6]]), 10, np.random.default_rng(0)).tolist()
    [1.0]
    """
    topics = scores.shape[1]
    t = over_pairs(statistic, scores)
    observed = np.minimum(t**2, 1e300) / topics  # finite, for products with it
    block = max(_LEAST, _BLOCK // max(t.size, topics))
    counts = _counted(
        partial(_resampled, scores, observed), streams(rng, resamples, block)
    )
    p = (counts + 1) / (resamples + 1)
    p = floors.where_constant(p, t, topics)
    return np.maximum(p, 1 / (resamples + 1))


def _resampled(scores: Floats, observed: Floats, draws: Draws) -> Counts:
    """Count for each pair the resamples of a block whose t^2 / n is at least the observed one.

    With mean m and mean square q of a resample of n differences, the variance is (q - m^2) n / (n - 1), so

        t^2 / n = m^2 / ((q - m^2) n / (n - 1))  >=  observed    if    m^2  >=  observed n / (n - 1) (q - m^2)
    """
    rng, size = draws
    systems, topics = scores.shape
    # (resample, topic)
    times = rng.multinomial(topics, np.full(topics, 1 / topics), size)
    shares = times.astype(np.float64).T / topics  # (topic, resample)
    # equal but for rounding counts
    least = observed * (topics / (topics - 1)) * (1 - 1e-12)
    counts = np.empty(observed.size, dtype=np.intp)
    first = 0
    for start, stop in blocks(systems, max(size, topics)):
        found = differences(scores, start, stop)  # (pair, topic)
        shifted = found - found.mean(axis=1, keepdims=True)
        mean = shifted @ shares  # (pair, resample)
        square = shifted**2 @ shares
        last = first + len(found)
        beyond = mean**2 >= least[first:last, None] * (square - mean**2)
        counts[first:last] = np.count_nonzero(beyond, axis=1)
        first = last
    return counts


class Joint(NamedTuple):
    """All pairs at once: p (pair,), corrected for all, and half the widths of simultaneous intervals (pair,)."""

    p: Floats
    half: Floats


def tukey(
    scores: Floats, resamples: int, rng: np.random.Generator, level: float = 0.95
) -> Joint:
    """Do the randomised Tukey HSD test on scores (system, topic), which is corrected for all pairs.

    Each resample permutes every topic's scores among the systems; a pair's p is the share of resamples in which the
    best and the worst mean lie at least as far apart as the pair's, the data themselves counted as one resample. The
    test supposes that all systems have equal spread. level : of the intervals.  Source: Carterette (TOIS 2012).
    """
    draws = streams(rng, resamples, max(1, _BLOCK // scores.size))
    permuted = in_order(partial(_permuted_ranges, scores), draws, "blocks of resamples")
    ranges = np.sort(np.concatenate(list(permuted)))  # (resample,)
    observed = _gaps(scores.mean(axis=1))
    half = np.full(observed.size, np.quantile(ranges, level))
    return Joint(_share_beyond(ranges, observed - _rounding(scores)), half)


def _rounding(scores: Floats) -> float:
    """Return by how much the same difference of means can differ, summed in another order."""
    return 1e-12 * max(1.0, float(np.abs(scores).max()))


def _share_beyond(drawn: Floats, observed: Floats) -> Floats:
    """Return p: the share of sorted draws at or above what was observed, which counts as a draw itself."""
    beyond = drawn.size - np.searchsorted(drawn, observed)
    return np.asarray((beyond + 1) / (drawn.size + 1))


def _permuted_ranges(scores: Floats, draws: Draws) -> Floats:
    """Permute every topic's scores among the systems; return the best mean less the worst, of each resample."""
    rng, size = draws
    copies = np.broadcast_to(scores, (size, *scores.shape))
    permuted = rng.permuted(copies, axis=1)  # (resample, system, topic)
    means = permuted.mean(axis=2)
    return np.asarray(np.ptp(means, axis=1))


def _first_pairs(systems: int) -> Ints:
    """Return where the pairs i < j of the second, the third, ... system begin, among those of all."""
    return np.cumsum(np.arange(systems - 1, 1, -1))
