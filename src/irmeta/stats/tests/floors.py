"""The smallest p that a test can give, however large the differences are."""

import numpy as np

from irmeta.stats.arrays import Floats

SIGNED = ("permutation", "sign", "wilcoxon", "max-t", "dunnett")
"""Tests that compare differences with the same ones under other signs."""
RESAMPLED = ("permutation", "bootstrap", "tukey", "max-t", "dunnett")
"""Tests that count resamples."""


def of_topics(test: str, topics: int | Floats) -> Floats:
    """Return the smallest p that this number of topics with a difference allows; 0 where it is no limit.

    Of n topics there are 2^n ways to sign the differences, and the most extreme is one of two: p >= 2 / 2^n.

    >>> of_topics("sign", np.array([5.0, 0.0])).tolist(), of_topics("t", 5).item()
    ([0.0625, 1.0], 0.0)
    """
    limited = of_signs(topics)
    return limited if test in SIGNED else np.zeros_like(limited)


def of_signs(topics: int | Floats) -> Floats:
    """Return 2 / 2^n, at most 1: p by signs where one system is better on all n topics.

    >>> of_signs(5).item()
    0.0625
    """
    return np.asarray(np.minimum(2.0 ** (1 - np.asarray(topics)), 1.0))


def where_constant(p: Floats, t: Floats, topics: int) -> Floats:
    """Return p of studentised differences; by signs where t is infinite, as one is the same on all topics.

    >>> where_constant(np.array([0.01, 0.0]), np.array([9.0, np.inf]), 5).tolist()
    [0.01, 0.0625]
    """
    return np.where(np.isinf(t), of_signs(topics), p)


def of_resamples(test: str, resamples: int, topics: int) -> float:
    """Return the smallest p that this number of resamples allows; 0 where nothing is drawn.

    The data count as one of the resamples: p >= 1 / (resamples + 1), unless a permutation test goes through all ways.

    >>> of_resamples("bootstrap", 999, 50), of_resamples("permutation", 999, 5)
    (0.001, 0.0)
    """
    all_ways = test == "permutation" and 2**topics <= resamples
    if test not in RESAMPLED or all_ways:
        return 0.0
    return 1 / (resamples + 1)
