"""Two-sided tests of paired differences with known null distributions: t, Wilcoxon, sign; all pairs in blocks."""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from scipy import stats
from scipy.special import bdtr, stdtr

from irmeta.parallel import in_order
from irmeta.stats.arrays import Floats

_BLOCK = 1 << 17
"""Numbers of one kind in a block of pairs: 1 MiB, so that a few such arrays stay near the processor."""

_FEW, _EXACT = 13, 50
"""Up to so many topics that differ Wilcoxon's test is exact, with ties and without; beyond, scipy approximates it."""


def of_pairs(quantity: Callable[[Floats], Floats], scores: Floats) -> Floats:
    """Give a quantity of the differences of all pairs of systems i < j, from scores (system, topic).

    quantity : takes differences (pair, topic) of some pairs, and gives (..., pair). Pairs are taken in blocks, so that
    they are never held all at once.

    >>> of_pairs(sign, np.array([[0.4, 0.5, 0.6], [0.1, 0.2, 0.3], [0.1, 0.2, 0.3]])).tolist()
    [0.25, 0.25, 1.0]
    """
    found = in_order(partial(_of_block, quantity, scores), blocks(len(scores), scores.shape[1]))
    return np.concatenate(list(found), axis=-1)


def _of_block(quantity: Callable[[Floats], Floats], scores: Floats, block: tuple[int, int]) -> Floats:
    return quantity(differences(scores, *block))


def blocks(systems: int, width: int) -> Iterator[tuple[int, int]]:
    """Cut the pairs i < j into runs of i, first and last + 1, that fit in a block with `width` numbers a pair."""
    start = 0
    while start < systems - 1:
        stop = start + max(1, min(systems - 1 - start, _BLOCK // (width * (systems - 1 - start))))
        yield start, stop
        start = stop


def differences(scores: Floats, start: int = 0, stop: int | None = None) -> Floats:
    """Give the differences (pair, topic) of pairs of systems i < j, from scores (system, topic).

    start, stop : only pairs with start <= i < stop.
    What only rounding can have made, up to 1e-12, is 0: systems that are the same must not differ significantly.

    >>> differences(np.array([[0.5, 0.1], [0.2, 0.1], [0.2, 0.3]])).round(12).tolist()
    [[0.3, 0.0], [0.3, -0.2], [0.0, -0.2]]
    """
    last = len(scores) - 1
    found = np.concatenate([scores[i] - scores[i + 1 :] for i in range(start, last if stop is None else stop)])
    found[np.abs(found) <= 1e-12] = 0.0
    return found


def t(found: Floats) -> Floats:
    """Give p of the paired t test, from differences (pair, topic); 1 for equal systems, 0 for a constant difference.

    >>> t(np.array([[0.1, 0.2, 0.3], [0.0, 0.0, 0.0]])).round(4).tolist()
    [0.0742, 1.0]
    """
    return np.asarray(2 * stdtr(found.shape[1] - 1, -np.abs(statistic(found))))


def statistic(found: Floats) -> Floats:
    """Student's t of differences (pair, topic): their mean over its standard error; 0 where all are 0."""
    return np.asarray(effect_size(found) * np.sqrt(found.shape[1]))


def effect_size(found: Floats) -> Floats:
    """Mean of the differences (pair, topic) in units of their standard deviation (divisor n - 1): Cohen's d for pairs.

    0 where all differences are 0, infinite where all are the same but not 0. Source: Cohen (1988), section 2.3.5.
    """
    mean, sd = found.mean(axis=1), found.std(axis=1, ddof=1)
    sd = np.where(sd <= 1e-12 * np.abs(mean), 0.0, sd)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(mean == 0, 0.0, mean / sd)


def wilcoxon(found: Floats) -> Floats:
    """Give p of Wilcoxon's signed-rank test, from differences (pair, topic); topics without a difference are left out.

    Exact where 13 topics or fewer differ, and up to 50 if no two of them do so by as much; else the normal
    approximation corrected for ties: as scipy.stats.wilcoxon decides for the topics that differ. Equal systems have
    p = 1.

    >>> wilcoxon(np.array([[0.1, 0.1, 0.2, 0.2, 0.2, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]])).tolist()
    [0.0625, 1.0]
    """
    p = np.ones(found.shape[0])
    found = found.round(10)  # ties that rounding broke are ties
    sizes = np.sort(np.abs(found), axis=1)
    differing = (sizes > 0).sum(axis=1)
    tied = ((np.diff(sizes, axis=1) == 0) & (sizes[:, 1:] > 0)).any(axis=1)
    few = (differing > 0) & tied & (differing <= _FEW)
    exact = (differing > 0) & ~tied & (differing <= _EXACT)
    if few.any():
        p[few] = _with_ties(found[few])
    for count in np.unique(differing[exact]):
        rows = exact & (differing == count)
        some = found[rows]
        p[rows] = stats.wilcoxon(some[some != 0].reshape(-1, count), axis=1, method="exact").pvalue
    if (rows := (differing > 0) & ~few & ~exact).any():
        p[rows] = stats.wilcoxon(found[rows], axis=1, method="asymptotic").pvalue  # type: ignore[call-overload]
    return p


def _with_ties(found: Floats) -> Floats:
    """Give p of differences of which few are not 0, from all ways to sign their ranks (doubled: whole numbers)."""
    order = np.argsort(-np.abs(found), axis=1, kind="stable")[:, :_FEW]
    some = np.take_along_axis(found, order, axis=1)
    sizes = np.abs(some)
    below, same = (compare(sizes[:, None, :], sizes[:, :, None]) for compare in (np.less, np.equal))
    counted = sizes[:, None, :] > 0
    ranks = np.where(sizes > 0, (2 * (below & counted) + (same & counted)).sum(axis=2) + 1, 0)
    ways, sums = np.zeros((len(found), _FEW * (_FEW + 1) + 1)), np.arange(_FEW * (_FEW + 1) + 1)
    ways[:, 0] = 1
    for rank in ranks.T[:, :, None]:
        ways += np.where(sums >= rank, np.take_along_axis(ways, np.maximum(sums - rank, 0), axis=1), 0)
    above = (ranks * (some > 0)).sum(axis=1)[:, None]
    tails = [np.where(compare(sums, above), ways, 0).sum(axis=1) for compare in (np.less_equal, np.greater_equal)]
    return np.asarray(np.minimum(1, 2 * np.min(tails, axis=0) / ways.sum(axis=1)))


def sign(found: Floats) -> Floats:
    """Give p of the sign test, exact, from differences (pair, topic); topics without a difference are left out.

    >>> sign(np.array([[0.1, 0.2, 0.3, 0.0], [0.0, 0.0, 0.0, 0.0]])).tolist()
    [0.25, 1.0]
    """
    above, below = (found > 0).sum(axis=1), (found < 0).sum(axis=1)
    return np.asarray(np.minimum(1.0, 2 * bdtr(np.minimum(above, below), above + below, 0.5)))
