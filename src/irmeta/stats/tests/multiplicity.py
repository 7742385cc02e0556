"""Many tests at once: corrections of p, and groups of systems that do not differ significantly."""

import math
from collections.abc import Callable, Mapping
from functools import cache

import numpy as np
from scipy.special import chdtri, ndtr

from irmeta.stats.arrays import Bools, Floats


def holm(p: Floats) -> Floats:
    """Correct p values so that one false rejection among all has at most the probability alpha.

    The i-th smallest of m, times m - i + 1, and never less than the one before. Source: Holm (Scandinavian Journal of
    Statistics 1979).

    >>> holm(np.array([0.01, 0.04, 0.03])).tolist()
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p)
    factors = np.arange(p.size, 0, -1)
    stepped = np.maximum.accumulate(p[order] * factors)
    corrected = np.empty_like(p)
    corrected[order] = np.minimum(stepped, 1.0)
    return corrected


def bonferroni(p: Floats) -> Floats:
    """Correct p values as `holm` does, by multiplying each with their number; it rejects less.

    >>> bonferroni(np.array([0.01, 0.5])).tolist()
    [0.02, 1.0]
    """
    return np.minimum(p * p.size, 1.0)


@cache
def range_quantile(count: int, freedom: int) -> float:
    """Return the factor of standard errors by which all differences of two of `count` figures hold at once with 95%.

    It is the quantile of Tukey's studentised range over root 2, at least 2 figures, integrated by the trapezoidal rule.
    freedom : of the standard errors.

    >>> round(range_quantile(2, 10), 3), round(range_quantile(10, 24), 3)
    (2.228, 3.476)
    """
    count = max(count, 2)
    error, weight = _relative_errors(freedom)
    normal = np.linspace(-9, 9, 121)
    below = ndtr(normal)
    density = np.exp(-(normal**2) / 2)
    density /= density.sum()

    def held(quantile: float) -> float:
        # all others lie within this range below the largest
        within = below - ndtr(normal - quantile * error[:, None])
        return float(weight @ within ** (count - 1) @ density) * count

    low, high = 0.0, 1.0
    while held(high) < 0.95:
        low, high = high, 2 * high
    # bisection, until no number lies between
    while low < (middle := (low + high) / 2) < high:
        if held(middle) < 0.95:
            low = middle
        else:
            high = middle
    return high / math.sqrt(2)


def _relative_errors(freedom: int) -> tuple[Floats, Floats]:
    """Return standard errors over their true value, evenly spaced in logarithms, and the probability of each."""
    low, high = np.log(chdtri(freedom, [1 - 1e-14, 1e-14]) / freedom) / 2
    logarithm = np.linspace(low, high, 201)
    error = np.exp(logarithm)
    density = freedom * (logarithm - error**2 / 2)
    weight = np.exp(density - density.max())
    return error, weight / weight.sum()


def bh(p: Floats) -> Floats:
    """Correct p values so that the expected share of false rejections among the rejections is at most alpha.

    Source: Benjamini and Hochberg (Journal of the Royal Statistical Society B 1995).

    >>> bh(np.array([0.01, 0.04, 0.03])).tolist()
    [0.03, 0.04, 0.04]
    """
    falling = np.argsort(-p, axis=None)
    times = p.size / np.arange(p.size, 0, -1)
    corrected = np.empty(p.size)
    corrected[falling] = np.minimum.accumulate(np.minimum(p[falling] * times, 1.0))
    return corrected


CORRECTIONS: Mapping[str, Callable[[Floats], Floats]] = {
    "holm": holm,
    "bh": bh,
    "bonferroni": bonferroni,
    "none": lambda p: p,
}
"""The corrections by name."""


def corrected(p: Floats, correct: str) -> Floats:
    """Correct p values by a correction's name; that of a test that corrects by itself leaves them as they are."""
    return CORRECTIONS.get(correct, CORRECTIONS["none"])(p)


def letters(differ: Bools) -> list[list[int]]:
    """Return the groups of each system, so that two systems share a group exactly if they do not differ significantly.

    differ : symmetric, (system, system). Groups are numbered from 0 in the order of their first system: number the
    systems by mean and print the groups as letters. Source: Piepho (Journal of Computational and Graphical Statistics
    2004), insert and absorb.

    >>> letters(np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], dtype=bool))
    [[0], [0, 1], [1]]
    """
    systems = range(len(differ))
    groups = [frozenset(systems)]
    for a, b in zip(*np.nonzero(np.triu(differ)), strict=True):
        groups = _separated(groups, int(a), int(b))
    groups.sort(key=sorted)
    return [_holding(groups, system) for system in systems]


def _separated(groups: list[frozenset[int]], a: int, b: int) -> list[frozenset[int]]:
    """Split every group that holds both systems in two, and absorb the parts that another group contains."""
    whole = [group for group in groups if not {a, b} <= group]
    parts = set()
    for group in groups:
        if {a, b} <= group:
            parts |= {group - {a}, group - {b}}
    parts -= set(whole)
    others = [*whole, *parts]
    return whole + [part for part in parts if not any(part < other for other in others)]


def _holding(groups: list[frozenset[int]], system: int) -> list[int]:
    """Number the groups that hold a system."""
    return [number for number, group in enumerate(groups) if system in group]
