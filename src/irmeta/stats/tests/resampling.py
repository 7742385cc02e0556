"""Two-sided tests by resampling topics, all comparisons at once: permutation, bootstrap, Tukey HSD, Dunnett."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TypeVar

import numpy as np

from irmeta.parallel import in_order, streams
from irmeta.stats.arrays import Floats, Indices
from irmeta.stats.tests import floors
from irmeta.stats.tests.compared import BLOCK, Compared, Pairs
from irmeta.stats.tests.paired import mean_difference, statistic

Block = TypeVar("Block")
Draws = tuple[np.random.Generator, int]
Counts = Indices  # how many resamples, for each comparison


def permutation(compared: Compared, resamples: int, rng: np.random.Generator) -> Floats:
    """Return p of the paired permutation test on mean differences: (comparison,).

    Each resample changes the sign of the differences on a random half of the topics, the same for all comparisons, as
    if two systems swapped their scores there. p counts the data themselves as one resample; where there are no more
    than `resamples` ways to choose signs, all are gone through and p is exact.
    Source: Smucker, Allan and Carterette (CIKM 2007).

    >>> from irmeta.stats.tests.compared import Given
    >>> rng = np.random.default_rng(0)
    >>> permutation(Pairs(np.array([[0.5, 0.6, 0.7], [0.1, 0.2, 0.3]])), 10, rng).tolist()
    [0.25]
    >>> permutation(Given(np.array([[0.4, 0.4, 0.4], [0.1, 0.0, 0.0]])), 10, rng).tolist()
    [0.25, 1.0]
    """
    topics = compared.topics
    ways = 2**topics
    # an equal difference counts as at least as large
    least = np.abs(compared.over(mean_difference)) - compared.rounding
    block = compared.at_once("permutation")
    if ways <= resamples:
        # (first way, how many) of each block
        rows = [(start, min(block, ways - start)) for start in range(0, ways, block)]
        return _counted(partial(_reached, compared, least, _all_signs), rows) / ways
    draws = streams(rng, resamples, block)
    counts = _counted(partial(_reached, compared, least, _random_signs), draws)
    return (counts + 1) / (resamples + 1)


def bootstrap(compared: Compared, resamples: int, rng: np.random.Generator) -> Floats:
    """Return p of the paired bootstrap test on the studentised mean difference: (comparison,).

    Topics are drawn with replacement from differences shifted to mean 0; all comparisons share the draws. p counts the
    data themselves as one resample; where a difference is the same on every topic it is that of signs.
    Source: Sakai (SIGIR 2006), after Efron and Tibshirani (1993), chapter 16.

    >>> bootstrap(Pairs(np.array([[0.5, 0.6], [0.5, 0.6]])), 10, np.random.default_rng(0)).tolist()
    [1.0]
    """
    topics = compared.topics
    t = compared.over(statistic)
    observed = np.minimum(t**2, 1e300) / topics  # finite, for products with it
    draws = streams(rng, resamples, compared.at_once("bootstrap"))
    counts = _counted(partial(_resampled, compared, observed), draws)
    p = floors.where_constant((counts + 1) / (resamples + 1), t, topics)
    return np.maximum(p, 1 / (resamples + 1))


def dunnett(compared: Compared, resamples: int, rng: np.random.Generator) -> Floats:
    """Test all comparisons by t, corrected by the largest |t| of each resample, as Dunnett's test of one system does.

    Each resample changes the signs of all differences on a random half of the topics, so that their dependence is kept.
    p is the share of resamples whose largest |t| is at least the comparison's; it is 1 for equal systems. With mean m
    and mean square q of n differences, which signs leave as it is, t^2 = (n - 1) r / (1 - r), r = m^2 / q.
    Single-step max-T: Westfall and Young (1993), chapter 2; Dunnett (JASA 1955) for the normal, independent case.
    """
    mean, square = compared.over(_moments)
    # equal systems never have the largest t
    differs = np.where(square > 0, square, np.inf)
    drawn = in_order(
        partial(_largest_ratios, compared, differs),
        streams(rng, resamples, compared.at_once("dunnett")),
        "blocks of resamples",
    )
    ratios = np.sort(np.concatenate(list(drawn)))
    # p compares r, which rises with |t|; equal but for rounding counts
    least = np.maximum(np.abs(mean) - compared.rounding, 0)
    observed = least**2 / differs
    return np.where(square > 0, _share_beyond(ratios, observed * (1 - 1e-9)), 1.0)


def tukey(compared: Pairs, resamples: int, rng: np.random.Generator) -> Floats:
    """Do the randomised Tukey HSD test, which is corrected for all pairs.

    Each resample permutes every topic's scores among the systems; a pair's p is the share of resamples in which the
    best and the worst mean lie at least as far apart as the pair's, the data themselves counted as one resample. The
    test supposes that all systems have equal spread.  Source: Carterette (TOIS 2012).
    """
    scores = compared.scores
    draws = streams(rng, resamples, max(1, BLOCK // scores.size))
    permuted = in_order(partial(_permuted_ranges, scores), draws, "blocks of resamples")
    ranges = np.sort(np.concatenate(list(permuted)))  # (resample,)
    mean = scores.mean(axis=1)
    left, right = np.triu_indices(mean.size, 1)
    observed = np.abs(mean[left] - mean[right])
    return _share_beyond(ranges, observed - compared.rounding)


def _counted(work: Callable[[Block], Counts], blocks: Iterable[Block]) -> Floats:
    """Add up what blocks of resamples count for each comparison."""
    return np.asarray(
        sum(in_order(work, blocks, "blocks of resamples")), dtype=np.float64
    )


def _reached(
    compared: Compared,
    least: Floats,
    signs: Callable[[int, Block], Floats],
    block: Block,
) -> Counts:
    """Count for each comparison the resamples of a block with a mean difference of at least this size."""
    counts = []
    parts = compared.means(signs(compared.topics, block))
    for means, size in _beside(parts, least):
        counts.append(np.count_nonzero(np.abs(means) >= size, axis=1))
    return np.concatenate(counts)


def _beside(parts: Iterable[Floats], values: Floats) -> Iterator[tuple[Floats, Floats]]:
    """Yield some comparisons at a time, (comparison, ...), with what is theirs of values (comparison,)."""
    first = 0
    for part in parts:
        last = first + len(part)
        yield part, values[first:last, None]
        first = last


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


def _resampled(compared: Compared, observed: Floats, draws: Draws) -> Counts:
    """Count for each comparison the resamples of a block whose t^2 / n is at least the observed one.

    With mean m and mean square q of a resample of n differences, the variance is (q - m^2) n / (n - 1), so

        t^2 / n = m^2 / ((q - m^2) n / (n - 1))  >=  observed    if    m^2  >=  observed n / (n - 1) (q - m^2)
    """
    rng, size = draws
    topics = compared.topics
    # (resample, topic)
    times = rng.multinomial(topics, np.full(topics, 1 / topics), size)
    shares = times.astype(np.float64).T / topics  # (topic, resample)
    # equal but for rounding counts
    least = observed * (topics / (topics - 1)) * (1 - 1e-12)
    counts = []
    parts = compared.parts(max(size, topics))
    for differences, bound in _beside(parts, least):  # (comparison, topic)
        shifted = differences - differences.mean(axis=1, keepdims=True)
        mean = shifted @ shares  # (comparison, resample)
        square = shifted**2 @ shares
        beyond = mean**2 >= bound * (square - mean**2)
        counts.append(np.count_nonzero(beyond, axis=1))
    return np.concatenate(counts)


def _moments(differences: Floats) -> Floats:
    """Return the mean and the mean square of differences (comparison, topic): (2, comparison)."""
    return np.stack([differences.mean(axis=1), (differences**2).mean(axis=1)])


def _largest_ratios(compared: Compared, square: Floats, draws: Draws) -> Floats:
    """Return the largest m^2 / q over all comparisons, under each resample's signs: (resample,)."""
    signs = _random_signs(compared.topics, draws)
    largest = np.zeros(len(signs))
    for means, q in _beside(compared.means(signs), square):
        np.maximum(largest, (means**2 / q).max(axis=0), out=largest)
    return largest


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
