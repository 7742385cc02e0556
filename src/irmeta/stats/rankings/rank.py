"""Rank correlation: every coefficient takes one pair of rankings, or all pairs of many rankings at once.

Rankings are given as scores, the larger the better, along the last axis. As with `numpy.matmul` the axis before it is
that of a matrix: x of shape (..., A, n) and y of shape (..., B, n) give (..., A, B), one-dimensional x and y a number.
A coefficient is NaN where a ranking ties all its items and the formula divides by zero. Rank means with `settled`.
"""

from collections import deque
from collections.abc import Callable, Iterator
from functools import partial, wraps
from typing import Any, Concatenate, Literal, ParamSpec

import numpy as np
import numpy.typing as npt
import scipy.stats

from irmeta.errors import ScoresError
from irmeta.parallel import cores, in_order, on_threads, single_threaded

Array = npt.NDArray[np.float64]
Single = npt.NDArray[np.float32]
P = ParamSpec("P")
Kernel = Callable[Concatenate[Array, Array, P], Array]

DECIMALS = 10
"""Means are compared to so many decimals: sums of the same scores in another order differ in the sixteenth."""
BLOCK = 1 << 21
"""Numbers held at once for the comparisons of pairs of items: 8 MiB in single precision, about a processor's cache."""


def settled(means: Array) -> Array:
    """Round means so that those which are equal tie, whatever the order in which their scores were added.

    >>> (0.1 + 0.2 == 0.3), bool(np.equal(*settled(np.array([0.1 + 0.2, 0.3]))))
    (False, True)
    """
    return np.round(means, DECIMALS)


def pairwise(kernel: Kernel[P]) -> Callable[Concatenate[npt.ArrayLike, npt.ArrayLike, P], Any]:
    """Let a kernel of arrays (batch, A, n) and (batch, B, n) take what this module's docstring promises."""

    @wraps(kernel)
    def coefficient(x: npt.ArrayLike, y: npt.ArrayLike, *args: P.args, **options: P.kwargs) -> Any:
        given = [np.asarray(side, dtype=np.float64) for side in (x, y)]
        _check(*given)
        left, right = (np.atleast_2d(side) for side in given)
        lead = np.broadcast_shapes(left.shape[:-2], right.shape[:-2])
        flat = [np.broadcast_to(s, (*lead, *s.shape[-2:])).reshape(-1, *s.shape[-2:]) for s in (left, right)]
        values = kernel(flat[0], flat[1], *args, **options).reshape(*lead, left.shape[-2], right.shape[-2])
        return values[(..., *(0 if side.ndim == 1 else slice(None) for side in given))]

    return coefficient  # type: ignore[return-value]  # rankings are given by position


def _check(x: Array, y: Array) -> None:
    if min(x.ndim, y.ndim) < 1 or x.shape[-1] != y.shape[-1] or x.shape[-1] < 2:
        raise ScoresError(
            f"rankings to correlate have the same items, two or more; the shapes are {x.shape}, {y.shape}"
        )
    if np.isnan(x).any() or np.isnan(y).any():
        raise ScoresError("rankings to correlate have a score for every item; drop the items that lack one")


def dense_ranks(x: Array) -> npt.NDArray[np.int64]:
    """Number the distinct values along the last axis from 0, the smallest first; equal values share a number.

    >>> dense_ranks(np.array([0.5, 0.1, 0.5, 0.9]))
    array([1, 0, 1, 2])
    """
    flat = x.reshape(-1, x.shape[-1])
    order = np.argsort(flat, axis=-1)
    order += x.shape[-1] * np.arange(order.shape[0])[:, None]
    ordered = flat.ravel()[order]
    steps = np.zeros(flat.shape, dtype=np.int64)
    np.cumsum(ordered[:, 1:] > ordered[:, :-1], axis=-1, out=steps[:, 1:])
    ranks = np.empty_like(steps)
    ranks.ravel()[order] = steps
    return ranks.reshape(x.shape)


def tie_sizes(x: Array) -> npt.NDArray[np.int64]:
    """Count, for every item along the last axis, how many items have its value, itself included.

    >>> tie_sizes(np.array([0.5, 0.1, 0.5, 0.9]))
    array([2, 1, 2, 1])
    """
    n = x.shape[-1]
    ranks = dense_ranks(x).reshape(-1, n)
    where = ranks + n * np.arange(ranks.shape[0])[:, None]
    return np.bincount(where.ravel(), minlength=ranks.size)[where].reshape(x.shape)


def _blocks(n: int, width: int) -> Iterator[tuple[int, int]]:
    """Cut the items into runs whose comparisons with all later items, `width` numbers each, fit in a block."""
    start = 0
    while start < n - 1:
        stop = start + max(1, min(n - 1 - start, BLOCK // (width * (n - 1 - start))))
        yield start, stop
        start = stop


def _signs(ranks: Single, start: int, stop: int, room: Single) -> Single:
    """Compare items start to stop of (n, batch, A) with all later ones: -1, 0 or 1, shape (pairs, batch, A)."""
    n = ranks.shape[0]
    pairs = sum(n - 1 - i for i in range(start, stop))
    signs = room[: pairs * ranks[0].size].reshape(pairs, *ranks.shape[1:])
    at = 0
    for i in range(start, stop):
        np.subtract(ranks[i + 1 :], ranks[i], out=signs[at : at + n - 1 - i])
        at += n - 1 - i
    return np.clip(signs, -1, 1, out=signs)


@pairwise
def concordance(x: Array, y: Array) -> Array:
    """Give concordant minus discordant pairs of items, exactly; a pair tied in either ranking counts 0.

    The signs of all pairwise differences of a ranking are a vector, and the counts of all rankings one matrix product.

    >>> float(concordance([1, 2, 3, 3], [1, 3, 2, 4]))
    3.0
    """
    counts = np.zeros((x.shape[0], x.shape[1], y.shape[1]))
    n, width = x.shape[2], x.shape[1] + y.shape[1]
    chunk = max(1, 2 * BLOCK // (n * n * width))
    parts = [slice(first, first + chunk) for first in range(0, x.shape[0], chunk)]

    def count(parts: list[slice]) -> None:
        most = min(n * (n - 1) // 2, max(BLOCK // (chunk * width), n - 1)) * min(chunk, x.shape[0])
        room = [np.empty(most * side.shape[1], dtype=np.float32) for side in (x, y)]
        for part in parts:
            ranks = [np.ascontiguousarray(dense_ranks(s[part]).transpose(2, 0, 1), dtype=np.float32) for s in (x, y)]
            for start, stop in _blocks(n, width * ranks[0].shape[1]):
                a, b = (_signs(side, start, stop, space) for side, space in zip(ranks, room, strict=True))
                counts[part] += np.matmul(a.transpose(1, 2, 0), b.transpose(1, 0, 2))

    shares = [parts[start :: cores()] for start in range(min(cores(), len(parts)))]
    with single_threaded():
        deque(on_threads(count, shares), maxlen=0)
    return counts


def untied(x: Array) -> Array:
    """Count the pairs of items that a ranking does not tie: (..., n) gives (...).

    >>> float(untied(np.array([1.0, 2, 3, 3])))
    5.0
    """
    n = x.shape[-1]
    pairs = np.full(x.shape[:-1], n * (n - 1) / 2)
    ordered = np.sort(x, axis=-1)
    for lag in range(1, n):  # equal items stand side by side: as many lags as the largest group has items, less one
        same = ordered[..., lag:] == ordered[..., :-lag]
        if not same.any():
            break
        pairs -= same.sum(axis=-1)
    return pairs


def over(numerator: Array, denominator: Array) -> Array:
    """Divide, giving NaN where the denominator is 0."""
    return np.divide(numerator, denominator, out=np.full(numerator.shape, np.nan), where=denominator > 0)


@pairwise
def tau_a(x: Array, y: Array) -> Array:
    """Kendall's tau-a: concordant minus discordant pairs over all pairs, in [-1, 1]. Source: Kendall (1938)."""
    n = x.shape[-1]
    return concordance(x, y) / (n * (n - 1) / 2)


@pairwise
def tau_b(x: Array, y: Array) -> Array:
    """Kendall's tau-b: tau over the pairs that neither ranking ties, in [-1, 1]. Source: Kendall (1945).

    >>> round(float(tau_b([1, 2, 3, 3], [1, 3, 2, 4])), 4)
    0.5477
    """
    return over(concordance(x, y), np.sqrt(untied(x)[:, :, None] * untied(y)[:, None, :]))


def tau_without_each(x: Array, y: Array, *, ties: Literal["a", "b"] = "b") -> Array:
    """Kendall's tau-a or tau-b with each item left out in turn: (batch, A, n) and (batch, B, n) to (batch, n, A, B)."""
    n = x.shape[-1]
    a, b = (np.ascontiguousarray(dense_ranks(side).transpose(2, 0, 1), dtype=np.float32) for side in (x, y))
    with single_threaded():
        item = [
            np.clip(a[i] - a, -1, 1).transpose(1, 2, 0) @ np.clip(b[i] - b, -1, 1).transpose(1, 0, 2) for i in range(n)
        ]
    counts = concordance(x, y)[:, None] - np.stack(item, axis=1)
    if ties == "a":
        return over(counts, np.full(counts.shape, (n - 1) * (n - 2) / 2))
    left, right = ((untied(side)[..., None] - (n - tie_sizes(side))).transpose(0, 2, 1) for side in (x, y))
    return over(counts, np.sqrt(left[..., :, None] * right[..., None, :]))


def concordance_by_group(x: Array, group: npt.NDArray[np.int64]) -> tuple[Array, Array]:
    """Sum the concordance of all rankings (A, n) over ordered pairs of items: two arrays (group, A, A).

    group : the group of each item, numbered from 0. The first sum is over pairs whose first item is in the group, the
    second over pairs with both in it. Over all groups the first adds up to twice `concordance`.
    """
    ranks = np.ascontiguousarray(dense_ranks(x).T, dtype=np.float32)
    groups = range(int(group.max()) + 1)
    sums = list(in_order(partial(_over_group, ranks, group), groups, "topics left out"))
    any_part, within = np.stack(sums, axis=1)
    return any_part, within


def _over_group(ranks: Single, group: npt.NDArray[np.int64], one: int) -> Array:
    """Sum the concordance over the pairs of a group's items with all items, and with each other: (2, A, A)."""
    members = ranks[group == one]
    sums = np.zeros((2, ranks.shape[1], ranks.shape[1]))
    for rank in members:
        for side, others in enumerate((ranks, members)):
            signs = np.clip(rank - others, -1, 1)
            sums[side] += signs.T @ signs
    return sums


@pairwise
def pearson(x: Array, y: Array) -> Array:
    """Pearson's product-moment correlation of the scores themselves, in [-1, 1]."""
    a, b = (side - side.mean(axis=-1, keepdims=True) for side in (x, y))
    norms = np.linalg.norm(a, axis=-1)[:, :, None] * np.linalg.norm(b, axis=-1)[:, None, :]
    flat = (np.ptp(x, axis=-1) == 0)[:, :, None] | (np.ptp(y, axis=-1) == 0)[:, None, :]
    with single_threaded():
        products = np.matmul(a, b.transpose(0, 2, 1))
    return np.clip(over(products, np.where(flat, 0.0, norms)), -1, 1)


@pairwise
def spearman(x: Array, y: Array) -> Array:
    """Spearman's rho: Pearson's correlation of the ranks, tied items sharing their mean rank, in [-1, 1]."""
    return pearson(scipy.stats.rankdata(x, axis=-1), scipy.stats.rankdata(y, axis=-1))
