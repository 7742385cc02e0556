"""Top-heavy rank correlation: tau_AP without and with ties, weighted tau, rank-biased overlap.

Rankings are given as in `irmeta.stats.rankings.rank`: one pair, or all pairs of many rankings at once.
"""

from collections.abc import Callable
from typing import Literal

import numpy as np
import scipy.stats

from irmeta.errors import ScoresError
from irmeta.stats.arrays import Floats
from irmeta.stats.rankings.rank import BLOCK, over, pairwise, tie_sizes


@pairwise
def weighted_tau(x: Floats, y: Floats) -> Floats:
    """Weighted tau with additive hyperbolic weights, the mean over both rankings' weights, in [-1, 1].

    Source: Vigna (WWW 2015), as computed by scipy.stats.weightedtau.
    """
    one = np.vectorize(lambda a, b: scipy.stats.weightedtau(a, b).statistic, signature="(n),(n)->()")
    return np.asarray(one(x[:, :, None], y[:, None, :]), dtype=np.float64)


@pairwise
def tau_ap(x: Floats, y: Floats) -> Floats:
    """AP correlation of ranking y with the true ranking x, neither with ties, in [-1, 1]; asymmetric, top-heavy.

    Source: Yilmaz, Aslam and Robertson (SIGIR 2008), equation 4. Ties raise ScoresError: see tau_ap_a and tau_ap_b.
    """
    if (tie_sizes(y) > 1).any():
        raise ScoresError("tau_AP is not defined for rankings with ties; use tau_AP,a (ties in y only) or tau_AP,b")
    return tau_ap_a(x, y)


@pairwise
def tau_ap_a(x: Floats, y: Floats) -> Floats:
    """AP correlation of y, which may tie, with the true ranking x, which may not: the mean over all ways to break ties.

    Source: Urbano and Marrero (ICTIR 2017). Ties in x raise ScoresError.

    >>> round(float(tau_ap_a([1, 2, 3, 4], [1, 2, 2, 4])), 4)
    0.8333
    """
    if (tie_sizes(x) > 1).any():
        raise ScoresError("tau_AP,a compares with a true ranking without ties; where both may tie use tau_AP,b")
    return 2 * _above(x, y, _random_weights) / (x.shape[-1] - 1) - 1


@pairwise
def tau_ap_b(x: Floats, y: Floats) -> Floats:
    """AP correlation of two rankings that may both tie, in [-1, 1]: over items below a first group, mean of both ways.

    Source: Urbano and Marrero (ICTIR 2017).
    """
    ways = []
    for true, seen in ((x, y), (y, x)):
        below = (seen < seen.max(axis=-1, keepdims=True)).sum(axis=-1).astype(np.float64)[:, None, :]
        share = _above(true, seen, _group_weights)
        ways.append(2 * over(share, np.broadcast_to(below, share.shape)) - 1)
    return (ways[0] + ways[1].transpose(0, 2, 1)) / 2


def _above(x: Floats, y: Floats, weights: Callable[[Floats], tuple[Floats, Floats]]) -> Floats:
    """Sum, over items i and j, [x ranks j above i] times the weight that y gives the pair: (batch, A, B).

    weights : what an item i gives to each j above it in y, and to each other j tied with it.
    """
    n, width = x.shape[2], x.shape[1] + y.shape[1]
    total = np.zeros((x.shape[0], x.shape[1], y.shape[1]))
    higher, equal = weights(y)
    chunk = max(1, BLOCK // (n * n * width))
    for first in range(0, x.shape[0], chunk):
        b = slice(first, first + chunk)
        step = max(1, BLOCK // (chunk * n * width))
        for start in range(0, n, step):
            i = (b, slice(None), slice(start, start + step), None)
            true = (x[b, :, None, :] > x[i]).astype(np.float64)
            seen = np.where(y[b, :, None, :] > y[i], higher[i], np.where(y[b, :, None, :] == y[i], equal[i], 0.0))
            total[b] += np.matmul(
                true.reshape(*true.shape[:2], -1), seen.reshape(*seen.shape[:2], -1).transpose(0, 2, 1)
            )
    return total


def _counts_above(y: Floats) -> Floats:
    return y.shape[-1] - scipy.stats.rankdata(y, method="max", axis=-1)


def _group_weights(y: Floats) -> tuple[Floats, Floats]:
    above = _counts_above(y)
    return np.divide(1.0, above, out=np.zeros(above.shape), where=above > 0), np.zeros(above.shape)


def _random_weights(y: Floats) -> tuple[Floats, Floats]:
    """Average 1/(rank - 1) over the places that a random order of ties gives an item, and a tied item's part in it."""
    harmonic = np.concatenate([[0.0], (1.0 / np.arange(1, y.shape[-1] + 1)).cumsum()])
    above, ties = _counts_above(y).astype(np.int64), tie_sizes(y)
    mean = (harmonic[above + ties - 1] - harmonic[np.maximum(above - 1, 0)]) / ties
    share = np.divide(1 - (above == 0) / ties - above * mean, ties - 1, out=np.zeros(y.shape), where=ties > 1)
    return mean, share


@pairwise
def rbo(x: Floats, y: Floats, p: float = 0.9, ties: Literal["w", "a", "b"] = "a") -> Floats:
    """Rank-biased overlap of two rankings of the same items, in [0, 1]; p in (0, 1) is the persistence down the ranks.

    ties : "w", a tied group is reached all at once; "a", the mean over all ways to break ties; "b", the same scaled so
    that a ranking agrees fully with itself. Beyond the last item the agreement is 1: both rankings hold every item.
    Source: Webber, Moffat and Zobel (TOIS 2010); ties: Corsi and Urbano (SIGIR 2024).

    >>> round(float(rbo([3, 2, 1], [2, 3, 1], p=0.5)), 4)
    0.5
    """
    if not 0 < p < 1:
        raise ScoresError(f"p={p}, but the persistence of RBO is between 0 and 1, as in 0.9")
    groups = [[scipy.stats.rankdata(-side, method=end, axis=-1) for end in ("min", "max")] for side in (x, y)]
    agreement = np.empty((x.shape[0], x.shape[1], y.shape[1], x.shape[2]))
    for depth in range(1, x.shape[2] + 1):
        a, b = (_within(first, last, depth, whole=ties == "w") for first, last in groups)
        agreement[..., depth - 1] = np.matmul(a, b.transpose(0, 2, 1)) / _size(a, b, depth, ties)
    weights = (1 - p) * p ** np.arange(x.shape[2])
    return np.asarray(agreement @ weights + p ** x.shape[2])


def _within(first: Floats, last: Floats, depth: int, *, whole: bool) -> Floats:
    """Give the share of each item that stands in the first `depth` ranks, for its tied group spread evenly or whole."""
    if whole:
        return (first <= depth).astype(np.float64)
    return np.clip((depth - first + 1) / (last - first + 1), 0, 1)


def _size(a: Floats, b: Floats, depth: int, ties: Literal["w", "a", "b"]) -> Floats:
    if ties == "a":
        return np.full((a.shape[0], 1, 1), float(depth))
    if ties == "w":
        return (a.sum(axis=-1)[:, :, None] + b.sum(axis=-1)[:, None, :]) / 2
    return np.asarray(np.linalg.norm(a, axis=-1)[:, :, None] * np.linalg.norm(b, axis=-1)[:, None, :])
