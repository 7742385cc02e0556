"""Top-heavy rank correlation: tau_AP without and with ties, weighted tau, rank-biased overlap.

Rankings are given as in `irmeta.stats.rankings.rank`: one pair, or all pairs of many rankings at once.
"""

from collections.abc import Callable

import numpy as np

from irmeta.choices import OverlapTies
from irmeta.errors import ScoresError, require_share
from irmeta.stats.arrays import Floats
from irmeta.stats.rankings.rank import BLOCK, outer, over, pairwise, tie_sizes
from irmeta.stats.rankings.ranks import tied_ranks


@pairwise
def weighted_tau(x: Floats, y: Floats) -> Floats:
    """Weighted tau with additive hyperbolic weights, the mean over both rankings' weights, in [-1, 1].

    Source: Vigna (WWW 2015), as computed by scipy.stats.weightedtau.
    """
    from scipy.stats import weightedtau

    def of_two(a: Floats, b: Floats) -> float:
        return float(weightedtau(a, b).statistic)

    of_all = np.vectorize(of_two, signature="(n),(n)->()")
    return np.asarray(of_all(x[:, :, None], y[:, None, :]), dtype=np.float64)


@pairwise
def tau_ap(x: Floats, y: Floats) -> Floats:
    """AP correlation of ranking y with the true ranking x, neither with ties, in [-1, 1]; asymmetric, top-heavy.

    Source: Yilmaz, Aslam and Robertson (SIGIR 2008), equation 4. Ties raise ScoresError: see tau_ap_a and tau_ap_b.
    """
    if (tie_sizes(y) > 1).any():
        raise ScoresError(
            "tau_AP is not defined for rankings with ties; use tau_AP,a (ties in y only) or tau_AP,b"
        )
    return tau_ap_a(x, y)


@pairwise
def tau_ap_a(x: Floats, y: Floats) -> Floats:
    """AP correlation of y, which may tie, with the true ranking x, which may not: the mean over all ways to break ties.

    2 / (n - 1) * sum over i of the expected share of the items above i in y that x too ranks above i, less 1.
    Source: Urbano and Marrero (ICTIR 2017). Ties in x raise ScoresError.

    >>> round(float(tau_ap_a([1, 2, 3, 4], [1, 2, 2, 4])), 4)
    0.8333
    """
    if (tie_sizes(x) > 1).any():
        raise ScoresError(
            "tau_AP,a compares with a true ranking without ties; where both may tie use tau_AP,b"
        )
    n = x.shape[-1]
    return 2 * _above(x, y, _random_weights) / (n - 1) - 1


@pairwise
def tau_ap_b(x: Floats, y: Floats) -> Floats:
    """AP correlation of two rankings that may both tie, in [-1, 1]: over items below a first group, mean of both ways.

    Source: Urbano and Marrero (ICTIR 2017).
    """
    forth = _tau_ap_one_way(x, y)
    back = _tau_ap_one_way(y, x).transpose(0, 2, 1)
    return (forth + back) / 2


def _tau_ap_one_way(true: Floats, seen: Floats) -> Floats:
    """Return the AP correlation of rankings `seen` with the true ones, over the items below the first group."""
    best = seen.max(axis=-1, keepdims=True)
    # (batch, B): items with any above them
    below = (seen < best).sum(axis=-1).astype(np.float64)
    share = _above(true, seen, _group_weights)  # (batch, A, B)
    items = np.broadcast_to(below[:, None, :], share.shape)
    return 2 * over(share, items) - 1


def _above(
    x: Floats, y: Floats, weights: Callable[[Floats], tuple[Floats, Floats]]
) -> Floats:
    """Sum, over items i and j, [x ranks j above i] times the weight that y gives the pair: (batch, A, B).

    weights : what an item i gives to each j above it in y, and to each other j tied with it.
    """
    batch = x.shape[0]
    n = x.shape[2]
    width = x.shape[1] + y.shape[1]
    total = np.zeros((batch, x.shape[1], y.shape[1]))
    higher, equal = weights(y)  # (batch, B, n) each
    chunk = max(1, BLOCK // (n * n * width))
    step = max(1, BLOCK // (chunk * n * width))  # items i at a time
    for first in range(0, batch, chunk):
        part = slice(first, first + chunk)
        every_x = x[part, :, None, :]  # (chunk, A, 1, j)
        every_y = y[part, :, None, :]
        for start in range(0, n, step):
            # (chunk, A, step, 1)
            i = (part, slice(None), slice(start, start + step), None)
            true = (every_x > x[i]).astype(np.float64)
            tied = np.where(every_y == y[i], equal[i], 0.0)
            seen = np.where(every_y > y[i], higher[i], tied)
            total[part] += np.matmul(_joined(true), _joined(seen).transpose(0, 2, 1))
    return total


def _joined(pairs: Floats) -> Floats:
    """Join the two axes of items: (batch, A, i, j) gives (batch, A, pair)."""
    return pairs.reshape(*pairs.shape[:2], -1)


def _counts_above(y: Floats) -> Floats:
    """Count the items strictly above each item."""
    not_above = tied_ranks(y, "max")
    return y.shape[-1] - not_above


def _group_weights(y: Floats) -> tuple[Floats, Floats]:
    """Return each item above i the weight 1 / (number of items above i), and items tied with i none."""
    above = _counts_above(y)
    none = np.zeros(above.shape)
    return np.divide(1.0, above, out=none.copy(), where=above > 0), none


def _random_weights(y: Floats) -> tuple[Floats, Floats]:
    """Average 1/(rank - 1) over the places that a random order of ties gives an item, and a tied item's part in it.

    An item with a items above it, in a group of t, has the rank a + 1, ..., a + t with probability 1/t each. So

        mean = 1/t * sum of 1/r for r = a, ..., a + t - 1        (r = 0, the first rank, counts 0)

    The weights 1/r of all r items above sum to 1 at each rank but the first; what the a items leave of that falls to
    the t - 1 tied ones alike:

        share = (1 - [a = 0] / t - a * mean) / (t - 1)
    """
    n = y.shape[-1]
    # H_0, ..., H_n
    harmonic = np.concatenate([[0.0], (1.0 / np.arange(1, n + 1)).cumsum()])
    above = _counts_above(y).astype(np.int64)  # a
    ties = tie_sizes(y)  # t
    # sum of 1/r from a to a + t - 1 = H_(a + t - 1) - H_(a - 1)
    last = harmonic[above + ties - 1]
    before = harmonic[np.maximum(above - 1, 0)]
    mean = (last - before) / ties
    left = 1 - (above == 0) / ties - above * mean
    share = np.divide(left, ties - 1, out=np.zeros(y.shape), where=ties > 1)
    return mean, share


@pairwise
def rbo(x: Floats, y: Floats, p: float = 0.9, ties: OverlapTies = "a") -> Floats:
    """Rank-biased overlap of two rankings of the same items, in [0, 1]; p in (0, 1) is the persistence down the ranks.

    (1 - p) * sum over depths d = 1, ..., n of p^(d - 1) * agreement at d, and p^n for the depths beyond n.

    ties : "w", a tied group is reached all at once; "a", the mean over all ways to break ties; "b", the same scaled so
    that a ranking agrees fully with itself. Beyond the last item the agreement is 1: both rankings hold every item.
    Source: Webber, Moffat and Zobel (TOIS 2010); ties: Corsi and Urbano (SIGIR 2024).

    >>> round(float(rbo([3, 2, 1], [2, 3, 1], p=0.5)), 4)
    0.5
    """
    require_share("the persistence p of RBO", p, 0.9)
    n = x.shape[2]
    first_x, last_x = _rank_range(x)
    first_y, last_y = _rank_range(y)
    agreement = np.empty((x.shape[0], x.shape[1], y.shape[1], n))
    for depth in range(1, n + 1):
        a = _within(first_x, last_x, depth, whole=ties == "w")  # (batch, A, n)
        b = _within(first_y, last_y, depth, whole=ties == "w")  # (batch, B, n)
        overlap = np.matmul(a, b.transpose(0, 2, 1))
        agreement[..., depth - 1] = overlap / _size(a, b, depth, ties)
    weights = (1 - p) * p ** np.arange(n)
    return np.asarray(agreement @ weights + p**n)


def _rank_range(x: Floats) -> tuple[Floats, Floats]:
    """Return the first and the last rank of each item's tied group, from 1."""
    first = tied_ranks(-x, "min")
    last = tied_ranks(-x, "max")
    return first, last


def _within(first: Floats, last: Floats, depth: int, *, whole: bool) -> Floats:
    """Return the share of each item that stands in the first `depth` ranks, its tied group spread evenly or whole."""
    if whole:
        return (first <= depth).astype(np.float64)
    ranks = last - first + 1
    return np.clip((depth - first + 1) / ranks, 0, 1)


def _size(a: Floats, b: Floats, depth: int, ties: OverlapTies) -> Floats:
    """Return what the overlap of two rankings at a depth is divided by: broadcasts to (batch, A, B)."""
    if ties == "a":
        return np.full((a.shape[0], 1, 1), float(depth))
    if ties == "w":
        return (a.sum(axis=-1)[:, :, None] + b.sum(axis=-1)[:, None, :]) / 2
    return outer(np.linalg.norm(a, axis=-1), np.linalg.norm(b, axis=-1))
