"""Two-sided tests by resampling topics, all pairs of systems at once: permutation, bootstrap, randomised Tukey HSD."""

import numpy as np
import numpy.typing as npt

from irmeta.parallel import single_threaded
from irmeta.stats.paired import differences, statistic

Floats = npt.NDArray[np.float64]
_CHUNK = 500  # resamples at once
_BLOCK = 1 << 22  # numbers held at once for all pairs or systems, 32 MiB


def permutation(scores: Floats, resamples: int, rng: np.random.Generator) -> Floats:
    """Give p of the paired permutation test on the mean difference, from scores (system, topic); returns (pair,).

    In each resample the two systems swap their scores on a random half of the topics; all pairs share the swaps, so a
    pair's null differences are differences of two systems' sums. p counts the data themselves as one resample; where
    there are no more than `resamples` ways to swap, all are gone through and p is exact.
    Source: Smucker, Allan and Carterette (CIKM 2007).

    >>> permutation(np.array([[0.5, 0.6, 0.7], [0.1, 0.2, 0.3]]), 10, np.random.default_rng(0)).tolist()
    [0.25]
    """
    systems, topics = scores.shape
    exact = 2**topics <= resamples
    observed = np.abs(differences(scores).sum(axis=1))
    threshold = observed - 1e-12 * np.abs(scores).sum(axis=1).max()  # sums of the same numbers differ by rounding
    first = np.concatenate([[0], np.cumsum(np.arange(systems - 1, 0, -1))])
    counts = np.zeros(observed.size, dtype=np.int64)
    total = 2**topics if exact else resamples
    for start in range(0, total, _CHUNK):
        size = min(_CHUNK, total - start)
        signs = _all_signs(start, size, topics) if exact else rng.integers(0, 2, (size, topics)) * 2.0 - 1
        with single_threaded():
            sums = scores @ signs.T  # (system, resample)
        for i in range(systems - 1):
            row = slice(first[i], first[i + 1])
            null = np.abs(sums[i + 1 :] - sums[i])
            counts[row] += np.count_nonzero(null >= threshold[row, None], axis=1)
    return np.asarray(counts / total if exact else (counts + 1) / (total + 1))


def bootstrap(scores: Floats, resamples: int, rng: np.random.Generator) -> Floats:
    """Give p of the paired bootstrap test on the studentised mean, from scores (system, topic); returns (pair,).

    Topics are drawn with replacement from differences shifted to mean 0; all pairs share the draws. p counts the data
    themselves as one resample. Source: Sakai (SIGIR 2006), after Efron and Tibshirani (1993), chapter 16.

    >>> bootstrap(np.array([[0.5, 0.6], [0.5, 0.6]]), 10, np.random.default_rng(0)).tolist()
    [1.0]
    """
    found = differences(scores)
    topics = found.shape[1]
    shifted = found - found.mean(axis=1, keepdims=True)
    squares = shifted**2
    observed = np.minimum(statistic(found) ** 2, 1e300) / topics  # t^2 / n; a constant difference is beyond all others
    counts = np.zeros(found.shape[0], dtype=np.int64)
    chunk = max(1, min(_CHUNK, _BLOCK // len(found)))
    for start in range(0, resamples, chunk):
        size = min(chunk, resamples - start)
        drawn = rng.multinomial(topics, np.full(topics, 1 / topics), size).astype(np.float64)
        with single_threaded():
            mean, square = shifted @ drawn.T / topics, squares @ drawn.T / topics  # (pair, resample)
        variance = (square - mean**2) * (topics / (topics - 1))
        counts += np.count_nonzero(mean**2 >= observed[:, None] * variance * (1 - 1e-12), axis=1)
    constant = (shifted == 0).all(axis=1) | np.isinf(statistic(found))
    counts = np.where(constant, np.where(found.any(axis=1), 0, resamples), counts)
    return np.asarray((counts + 1) / (resamples + 1))


def tukey(scores: Floats, resamples: int, rng: np.random.Generator) -> Floats:
    """Give p of the randomised Tukey HSD test, from scores (system, topic); returns (pair,), corrected for all pairs.

    In each resample every topic's scores are dealt anew to the systems; a pair's p is the share of resamples in which
    the best and the worst mean lie at least as far apart as the pair's, the data themselves counted as one resample.
    Source: Carterette (TOIS 2012).
    """
    ranges = np.empty(resamples)
    chunk = max(1, min(_CHUNK, _BLOCK // scores.size))
    for start in range(0, resamples, chunk):
        part = ranges[start : start + chunk]
        dealt = rng.permuted(np.broadcast_to(scores, (part.size, *scores.shape)), axis=1)
        means = dealt.mean(axis=2)
        part[:] = np.ptp(means, axis=1)
    observed = np.abs(differences(scores).mean(axis=1))
    below = np.searchsorted(np.sort(ranges), observed - 1e-12)
    return np.asarray((resamples - below + 1) / (resamples + 1))


def _all_signs(start: int, size: int, topics: int) -> Floats:
    """Give rows start.. of the 2^topics ways to put signs before topics, shape (size, topic)."""
    numbers = np.arange(start, start + size)[:, None]
    return np.asarray((numbers >> np.arange(topics) & 1) * 2.0 - 1, dtype=np.float64)
