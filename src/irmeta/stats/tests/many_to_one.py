"""Two-sided tests of given differences, paired by topic: one system against others, and all comparisons at once."""

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from scipy import stats

from irmeta.parallel import in_order, streams
from irmeta.stats.arrays import Floats
from irmeta.stats.tests import floors, paired

CLOSED: Mapping[str, Callable[[Floats], Floats]] = MappingProxyType(
    {"t": paired.t, "wilcoxon": paired.wilcoxon, "sign": paired.sign}
)
"""Tests whose p has a formula."""

Draws = tuple[np.random.Generator, int]
_BLOCK = 1 << 20
"""Numbers of one kind in a block of resamples, 8 MiB."""


class Joint(NamedTuple):
    """All comparisons at once: p (comparison,), corrected, and the quantile of the largest |t| of them."""

    p: Floats
    quantile: float


def permutation(found: Floats, resamples: int, rng: np.random.Generator) -> Floats:
    """Return p of the paired permutation test on mean differences (comparison, topic): shape (comparison,).

    Each resample changes the sign of the differences on a random half of the topics, the same for all comparisons. The
    data themselves count as one resample; where there are no more than `resamples` ways to choose signs, all are gone
    through and p is exact. Source: Smucker, Allan and Carterette (CIKM 2007).

    >>> permutation(np.array([[0.4, 0.4, 0.4], [0.1, 0.0, 0.0]]), 10, np.random.default_rng(0)).tolist()
    [0.25, 1.0]
    """
    topics = found.shape[1]
    rounding = 1e-12 * np.maximum(topics, np.abs(found).sum(axis=1))
    # an equal sum counts as at least as large
    least = np.abs(found.sum(axis=1)) - rounding
    if 2**topics <= resamples:
        signs = _every_sign(topics)
        return np.asarray(_reached(found, least, signs) / len(signs))
    work = partial(_reached_by_chance, found, least)
    counts = sum(
        in_order(work, streams(rng, resamples, _block(found)), "blocks of resamples")
    )
    return np.asarray((counts + 1) / (resamples + 1))


def bootstrap(found: Floats, resamples: int, rng: np.random.Generator) -> Floats:
    """Return p of the studentised bootstrap of mean differences (comparison, topic): shape (comparison,).

    Topics are drawn with replacement, the same for all comparisons, from differences shifted to mean 0.
    Where a difference is the same on every topic p is that of signs.
    Source: Sakai (SIGIR 2006), after Efron and Tibshirani (1993), chapter 16.
    """
    t = paired.statistic(found)
    shifted = found - found.mean(axis=1, keepdims=True)
    work = partial(_beyond, shifted, np.minimum(t**2, 1e300))
    counts = sum(
        in_order(work, streams(rng, resamples, _block(found)), "blocks of resamples")
    )
    p = np.asarray((counts + 1) / (resamples + 1))
    p = floors.where_constant(p, t, found.shape[1])
    return np.maximum(p, 1 / (resamples + 1))


def p_values(
    found: Floats, test: str, resamples: int, rng: np.random.Generator
) -> Floats:
    """Return p of a test by name, of differences (comparison, topic): shape (comparison,)."""
    if test in CLOSED:
        return CLOSED[test](found)
    return (permutation if test == "permutation" else bootstrap)(found, resamples, rng)


def joint(
    found: Floats, level: float, resamples: int, rng: np.random.Generator
) -> Joint:
    """Correct for all comparisons at once, as Dunnett's test does, by the largest |t| among them under random signs.

    found : (comparison, topic).  level : of simultaneous intervals, mean +- quantile * standard error.
    Signs change by topic, the same for all comparisons, so that their dependence is kept. Single-step max-T; source:
    Westfall and Young (1993), chapter 2; Dunnett (JASA 1955) for the normal, independent case.

    With mean m and mean square q of n differences, which signs leave as it is, t^2 = (n - 1) r / (1 - r), r = m^2 / q.
    """
    topics = found.shape[1]
    mean = found.mean(axis=1)
    square = (found**2).mean(axis=1)
    drawn = in_order(
        partial(_largest, found),
        streams(rng, resamples, _block(found)),
        "blocks of resamples",
    )
    # (resample,), the largest r of each
    ratios = np.sort(np.concatenate(list(drawn)))
    # p compares r, which rises with |t|; equal but for rounding counts
    observed = np.divide(mean**2, square, out=np.zeros_like(mean), where=square > 0)
    below = np.searchsorted(ratios, observed * (1 - 1e-9))
    p = (len(ratios) - below + 1) / (len(ratios) + 1)
    largest = np.sqrt((topics - 1) * ratios / np.maximum(1 - ratios, 1e-12))
    return Joint(np.where(observed == 0, 1.0, p), float(np.quantile(largest, level)))


def half_widths(found: Floats, level: float, comparisons: int = 1) -> Floats:
    """Return half the width of Student's t interval of each mean difference (comparison, topic): (comparison,).

    NaN where a difference is the same on every topic: it has no standard error, and so no interval.
    comparisons : the number of intervals that hold together at the level (Bonferroni).
    """
    topics = found.shape[1]
    quantile = stats.t.ppf(1 - (1 - level) / 2 / comparisons, topics - 1)
    return paired.half_width(quantile, paired.standard_error(found))


def _block(found: Floats) -> int:
    return int(np.clip(_BLOCK // len(found), 100, 10_000))


def _signs(draws: Draws, topics: int) -> Floats:
    rng, size = draws
    return np.asarray(rng.integers(0, 2, (size, topics)) * 2.0 - 1)


def _every_sign(topics: int) -> Floats:
    """Return all 2^topics ways to put signs before topics: (way, topic)."""
    bits = np.arange(2**topics)[:, None] >> np.arange(topics) & 1
    return np.asarray(bits * 2.0 - 1)


def _reached(found: Floats, least: Floats, signs: Floats) -> Floats:
    """Count, for each comparison, the signs whose sum of differences is at least as large: (comparison,)."""
    sums = np.abs(signs @ found.T)  # (resample, comparison)
    return np.asarray((sums >= least).sum(axis=0), dtype=np.float64)


def _reached_by_chance(found: Floats, least: Floats, draws: Draws) -> Floats:
    return _reached(found, least, _signs(draws, found.shape[1]))


def _largest(found: Floats, draws: Draws) -> Floats:
    """Return the largest m^2 / q over the comparisons under each resample's signs: (resample,)."""
    topics = found.shape[1]
    square = (found**2).mean(axis=1)
    differs = square > 0
    means = _signs(draws, topics) @ found[differs].T / topics  # (resample, comparison)
    ratios = means**2 / square[differs]
    return np.asarray(ratios.max(axis=1, initial=0.0))


def _beyond(shifted: Floats, observed: Floats, draws: Draws) -> Floats:
    """Count, for each comparison, the draws of topics whose t^2 is at least the observed one: (comparison,)."""
    rng, size = draws
    topics = shifted.shape[1]
    # (resample, topic)
    shares = rng.multinomial(topics, np.full(topics, 1 / topics), size) / topics
    means = shares @ shifted.T
    squares = shares @ (shifted**2).T
    spread = squares - means**2
    # t^2 >= observed  <=>  (n - 1) m^2 >= observed (q - m^2)
    reached = (topics - 1) * means**2 >= observed * spread * (1 - 1e-12)
    return np.asarray(reached.sum(axis=0), dtype=np.float64)
