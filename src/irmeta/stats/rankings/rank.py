"""Rank correlation: every coefficient takes one pair of rankings, or all pairs of many rankings at once.

Rankings are given as scores, the larger the better, along the last axis. As with `numpy.matmul` the axis before it is
that of a matrix: x of shape (..., A, n) and y of shape (..., B, n) give (..., A, B), one-dimensional x and y a number.
A coefficient is NaN where a ranking ties all its items and the formula divides by zero. Rank means with `settled`.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial, reduce, wraps
from typing import Any, Concatenate, ParamSpec

import numpy as np
import numpy.typing as npt

from irmeta.choices import Ties
from irmeta.errors import ScoresError
from irmeta.parallel import cores, in_order, on_threads
from irmeta.stats import arrays
from irmeta.stats.arrays import Bools, Floats, Indices, Ints, Singles
from irmeta.stats.rankings.ranks import dense_ranks, tied_ranks

P = ParamSpec("P")
Kernel = Callable[Concatenate[Floats, Floats, P], Floats]

BLOCK = 1 << 21
"""Numbers held at once for the comparisons of pairs of items: 8 MiB in single precision, about a processor's cache."""


def pairwise(
    kernel: Kernel[P],
) -> Callable[Concatenate[npt.ArrayLike, npt.ArrayLike, P], Any]:
    """Let a kernel of arrays (batch, A, n) and (batch, B, n) take what this module's docstring promises."""

    @wraps(kernel)
    def coefficient(
        x: npt.ArrayLike, y: npt.ArrayLike, *args: P.args, **options: P.kwargs
    ) -> Any:
        left = np.asarray(x, dtype=np.float64)
        right = np.asarray(y, dtype=np.float64)
        _check(left, right)
        # (..., A, n), (..., B, n)
        rows = np.atleast_2d(left)
        columns = np.atleast_2d(right)
        lead = np.broadcast_shapes(rows.shape[:-2], columns.shape[:-2])
        values = kernel(_batched(rows, lead), _batched(columns, lead), *args, **options)
        values = values.reshape(*lead, rows.shape[-2], columns.shape[-2])
        # a single ranking has no axis in the result
        single = [axis for axis, side in ((-2, left), (-1, right)) if side.ndim == 1]
        return values.squeeze(axis=tuple(single))

    return coefficient  # type: ignore[return-value]  # rankings are given by position


def _batched(rankings: Floats, lead: tuple[int, ...]) -> Floats:
    """Repeat rankings (..., A, n) along the axes `lead`, and join these axes to one: (batch, A, n)."""
    shape = rankings.shape[-2:]
    return np.broadcast_to(rankings, (*lead, *shape)).reshape(-1, *shape)


def _check(x: Floats, y: Floats) -> None:
    """Refuse rankings of different items, of fewer than two, and scores that are missing."""
    if x.ndim < 1 or y.ndim < 1 or x.shape[-1] != y.shape[-1] or x.shape[-1] < 2:
        raise ScoresError(
            f"rankings must have the same items, at least two; their shapes are {x.shape} and {y.shape}"
        )
    if np.isnan(x).any() or np.isnan(y).any():
        raise ScoresError(
            "rankings must have a score for every item; drop the items that lack one"
        )


def tie_sizes(x: Floats) -> Ints:
    """Count, for every item along the last axis, how many items have its value, itself included.

    >>> tie_sizes(np.array([0.5, 0.1, 0.5, 0.9]))
    array([2, 1, 2, 1])
    """
    n = x.shape[-1]
    ranks = dense_ranks(x).reshape(-1, n)
    # a bin for each rank of each ranking
    bins = ranks + n * np.arange(len(ranks))[:, None]
    sizes = np.bincount(bins.ravel(), minlength=ranks.size)
    return sizes[bins].reshape(x.shape)


def _blocks(n: int, width: int) -> Iterator[tuple[int, int]]:
    """Cut the items into runs whose comparisons with all later items, `width` numbers each, fit in a block."""
    start = 0
    while start < n - 1:
        later = n - 1 - start  # items that the first of a run is compared with
        items = max(1, BLOCK // (width * later))
        stop = start + min(later, items)
        yield start, stop
        start = stop


def _signs(ranks: Singles, start: int, stop: int, room: Singles) -> Singles:
    """Compare items start to stop of (n, batch, A) with all later ones: -1, 0 or 1, shape (pairs, batch, A).

    room : where the comparisons are written, so that blocks share their memory.
    """
    n = len(ranks)
    pairs = sum(n - 1 - i for i in range(start, stop))
    size = pairs * ranks[0].size
    signs = room[:size].reshape(pairs, *ranks.shape[1:])
    first = 0
    for i in range(start, stop):
        last = first + n - 1 - i
        np.subtract(ranks[i + 1 :], ranks[i], out=signs[first:last])
        first = last
    return np.clip(signs, -1, 1, out=signs)


@pairwise
def concordance(x: Floats, y: Floats) -> Floats:
    """Return concordant minus discordant pairs of items, exactly; a pair tied in either ranking counts 0.

    The sum over pairs i < j of sign(x_j - x_i) sign(y_j - y_i).

    >>> float(concordance([1, 2, 3, 3], [1, 3, 2, 4]))
    3.0
    """
    batch = x.shape[0]
    n = x.shape[2]
    width = x.shape[1] + y.shape[1]
    counts = np.zeros((batch, x.shape[1], y.shape[1]))
    chunk = max(1, 2 * BLOCK // (n * n * width))
    parts = [slice(first, first + chunk) for first in range(0, batch, chunk)]
    way = _by_core if arrays.core else _by_products
    count = partial(way, np.ascontiguousarray(x), np.ascontiguousarray(y), counts)
    workers = min(cores(), len(parts))
    shares = [parts[start :: cores()] for start in range(workers)]
    deque(on_threads(count, shares), maxlen=0)
    return counts


def _by_core(x: Floats, y: Floats, counts: Floats, parts: Sequence[slice]) -> None:
    """Fill parts of the counts from comparisons as bits."""
    for part in parts:
        of_part = counts[part]
        arrays.core.concordance(x[part], y[part], len(of_part), x.shape[2], of_part)


def _by_products(x: Floats, y: Floats, counts: Floats, parts: Sequence[slice]) -> None:
    """Do as the compiled core: the signs of a ranking are a vector, and the counts of all one matrix product.

    Single precision is exact: a block has fewer than 2^24 pairs. The first part is the longest.
    """
    n = x.shape[2]
    chunk = min(parts[0].stop, len(x)) - parts[0].start
    width = x.shape[1] + y.shape[1]
    # comparisons that a block holds at most: all pairs of the items, or those of one item
    pairs = min(n * (n - 1) // 2, max(BLOCK // (chunk * width), n - 1))
    most = pairs * chunk
    room_x = np.empty(most * x.shape[1], dtype=np.float32)
    room_y = np.empty(most * y.shape[1], dtype=np.float32)
    for part in parts:
        ranks_x = _single_ranks(x[part])  # (n, chunk, A)
        ranks_y = _single_ranks(y[part])  # (n, chunk, B)
        for start, stop in _blocks(n, width * ranks_x.shape[1]):
            signs_x = _signs(ranks_x, start, stop, room_x)  # (pairs, chunk, A)
            signs_y = _signs(ranks_y, start, stop, room_y)  # (pairs, chunk, B)
            counts[part] += np.matmul(
                signs_x.transpose(1, 2, 0), signs_y.transpose(1, 0, 2)
            )


def _single_ranks(x: Floats) -> Singles:
    """Rank the items of (batch, A, n) in single precision, in which ranks are exact: (n, batch, A)."""
    return np.ascontiguousarray(dense_ranks(x).transpose(2, 0, 1), dtype=np.float32)


def untied(x: Floats) -> Floats:
    """Count the pairs of items that a ranking does not tie: (..., n) gives (...).

    >>> float(untied(np.array([1.0, 2, 3, 3])))
    5.0
    """
    n = x.shape[-1]
    ordered = np.sort(x, axis=-1).reshape(-1, n)
    pairs = np.full(len(ordered), n * (n - 1) / 2)
    rows = np.arange(len(ordered))
    # Equal items stand side by side. A group of g items has g - lag pairs at a distance of `lag`.
    for lag in range(1, n):
        tied = np.count_nonzero(ordered[:, lag:] == ordered[:, :-lag], axis=-1)
        pairs[rows] -= tied
        rows, ordered = rows[tied > 0], ordered[tied > 0]
        if not rows.size:
            break
    return pairs.reshape(x.shape[:-1])


def over(numerator: Floats, denominator: Floats) -> Floats:
    """Divide; NaN where the denominator is 0."""
    undefined = np.full(numerator.shape, np.nan)
    return np.divide(numerator, denominator, out=undefined, where=denominator > 0)


def outer(x: Floats, y: Floats) -> Floats:
    """Multiply every value of (..., A) by every one of (..., B): (..., A, B)."""
    return x[..., :, None] * y[..., None, :]


@pairwise
def tau_a(x: Floats, y: Floats) -> Floats:
    """Kendall's tau-a: concordant minus discordant pairs over all pairs, in [-1, 1]. Source: Kendall (1938)."""
    n = x.shape[-1]
    pairs = n * (n - 1) / 2
    return concordance(x, y) / pairs


@pairwise
def tau_b(x: Floats, y: Floats) -> Floats:
    """Kendall's tau-b: concordance / sqrt(pairs untied in x * pairs untied in y), in [-1, 1]. Source: Kendall (1945).

    >>> round(float(tau_b([1, 2, 3, 3], [1, 3, 2, 4])), 4)
    0.5477
    """
    pairs = np.sqrt(outer(untied(x), untied(y)))
    return over(concordance(x, y), pairs)


def tau_without_each(
    x: Floats, y: Floats, group: Ints | None = None, *, ties: Ties = "b"
) -> Floats:
    """Return Kendall's tau-a or tau-b with the items of each group left out in turn.

    x, y : (batch, A, n) and (batch, B, n).  group : the group of each item, numbered from 0; by default each item is
    one.  Returns (batch, group, A, B).
    """
    n = x.shape[-1]
    if group is None:
        group = np.arange(n)
    rest = n - np.bincount(group)
    # what pairs without a group have = what all have - what pairs that the group is in have
    lost = _of_pairs_with(x, y, group)
    counts = concordance(x, y)[:, None] - lost[0]
    if ties == "a":
        pairs = np.broadcast_to((rest * (rest - 1) / 2)[:, None, None], counts.shape)
    else:
        left_x = untied(x)[:, None] - lost[1]
        left_y = untied(y)[:, None] - lost[2]
        pairs = np.sqrt(outer(left_x, left_y))
    return over(counts, pairs)


def _of_pairs_with(x: Floats, y: Floats, group: Ints) -> list[Singles]:
    """Sum over the pairs that each group is in: concordance (batch, group, A, B), pairs untied in x, and in y."""
    # (n, batch, A), (n, batch, B)
    a, b = _single_ranks(x), _single_ranks(y)
    by_group = []
    for number in range(group.max() + 1):
        members = np.flatnonzero(group == number)
        by_item = [_of_item(a, b, item, members) for item in members.tolist()]
        figures = zip(*by_item, strict=True)
        by_group.append([reduce(np.add, figure) for figure in figures])
    return [np.stack(figure, axis=1) for figure in zip(*by_group, strict=True)]


def _of_item(
    a: Singles, b: Singles, item: int, members: Indices
) -> tuple[Singles, Singles, Singles]:
    """Return the sums of `_of_pairs_with` over one item's pairs, less those that members before it count already."""
    signs_a = np.clip(a[item] - a, -1, 1)
    signs_b = np.clip(b[item] - b, -1, 1)
    counted = members[members < item]
    signs_a[counted] = 0
    signs_b[counted] = 0
    counts = signs_a.transpose(1, 2, 0) @ signs_b.transpose(1, 0, 2)
    untied_a = np.einsum("n...,n...->...", signs_a, signs_a)
    untied_b = np.einsum("n...,n...->...", signs_b, signs_b)
    return counts, untied_a, untied_b


def concordance_by_group(x: Floats, group: Ints) -> tuple[Floats, Floats]:
    """Sum the concordance of all rankings (A, n) over ordered pairs of items: two arrays (group, A, A).

    group : the group of each item, numbered from 0. The first sum is over pairs whose first item is in the group, the
    second over pairs with both in it. Over all groups the first adds up to twice `concordance`.
    """
    ranks = np.ascontiguousarray(dense_ranks(x).T, dtype=np.float32)
    groups = range(int(group.max()) + 1)
    sums = list(in_order(partial(_over_group, ranks, group), groups, "topics left out"))
    any_part, within = np.stack(sums, axis=1)
    return any_part, within


def _over_group(ranks: Singles, group: Ints, number: int) -> Floats:
    """Sum the concordance over the pairs of a group's items with all items, and with each other: (2, A, A)."""
    members = ranks[group == number]
    sums = np.zeros((2, ranks.shape[1], ranks.shape[1]))
    for rank in members:
        for side, others in enumerate((ranks, members)):
            signs = np.clip(rank - others, -1, 1)  # (other item, A)
            sums[side] += signs.T @ signs
    return sums


@pairwise
def pearson(x: Floats, y: Floats) -> Floats:
    """Pearson's product-moment correlation of the scores themselves, in [-1, 1]."""
    # of centred scores: sum(a b) / (|a| |b|)
    a = x - x.mean(axis=-1, keepdims=True)
    b = y - y.mean(axis=-1, keepdims=True)
    products = np.matmul(a, b.transpose(0, 2, 1))
    norm_a = np.linalg.norm(a, axis=-1)
    norm_b = np.linalg.norm(b, axis=-1)
    norms = outer(norm_a, norm_b)
    # rounding can leave a norm above 0 where all scores are equal
    flat = _flat(x)[:, :, None] | _flat(y)[:, None, :]
    norms = np.where(flat, 0.0, norms)
    return np.clip(over(products, norms), -1, 1)


def _flat(x: Floats) -> Bools:
    """Find the rankings that tie all items: (..., n) gives (...)."""
    return np.asarray(np.ptp(x, axis=-1) == 0)


@pairwise
def spearman(x: Floats, y: Floats) -> Floats:
    """Spearman's rho: Pearson's correlation of the ranks, tied items sharing their mean rank, in [-1, 1]."""
    ranks_x = tied_ranks(x)
    ranks_y = tied_ranks(y)
    return pearson(ranks_x, ranks_y)
