"""Ranks of values along the last axis."""

import math
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from irmeta.stats.arrays import Bools, Floats, Indices, Ints

Ties = Literal["average", "min", "max"]


def dense_ranks(x: Floats) -> Ints:
    """Number the distinct values along the last axis from 0, the smallest first; equal values share a number.

    >>> dense_ranks(np.array([0.5, 0.1, 0.5, 0.9]))
    array([1, 0, 1, 2])
    """
    order, first = _in_order(x)
    numbers = np.cumsum(first, axis=-1, dtype=np.int64) - 1
    return _unsorted(numbers, order).reshape(x.shape)


def tied_ranks(x: Floats, ties: Ties = "average") -> Floats:
    """Rank values along the last axis from 1, the smallest first; equal values share a rank.

    ties : which of the ranks that they hold together: their mean, the first or the last of them.

    >>> x = np.array([0.5, 0.1, 0.5, 0.9])
    >>> tied_ranks(x).tolist(), tied_ranks(x, "min").tolist()
    ([2.5, 1.0, 2.5, 4.0], [2.0, 1.0, 2.0, 4.0])
    """
    order, first = _in_order(x)
    place = np.arange(1.0, x.shape[-1] + 1)
    of_firsts = np.where(first, place, 1.0)
    low = np.maximum.accumulate(of_firsts, axis=-1)
    # a value is the last of its group if the next one is the first of another
    last = np.ones_like(first)
    last[:, :-1] = first[:, 1:]
    of_lasts = np.where(last, place, np.inf)
    from_the_end = np.minimum.accumulate(of_lasts[:, ::-1], axis=-1)
    high = from_the_end[:, ::-1]
    ranks = {"min": low, "max": high}.get(ties, (low + high) / 2)
    return _unsorted(ranks, order).reshape(x.shape)


def _in_order(x: Floats) -> tuple[Indices, Bools]:
    """Return the positions that sort each row in the raveled array, and which sorted values are unlike those before."""
    n = x.shape[-1]
    # not -1, which an axis of length 0 leaves open
    rows = x.reshape(math.prod(x.shape[:-1]), n)
    order = np.argsort(rows, axis=-1)
    order += n * np.arange(len(rows))[:, None]
    ordered = rows.ravel()[order]
    first = np.ones(rows.shape, dtype=bool)
    np.greater(ordered[:, 1:], ordered[:, :-1], out=first[:, 1:])
    return order, first


def _unsorted(ordered: NDArray[Any], order: Indices) -> NDArray[Any]:
    """Return values of sorted rows in the places that they had before, from the positions of `_in_order`."""
    placed = np.empty_like(ordered)
    placed.ravel()[order] = ordered
    return placed
