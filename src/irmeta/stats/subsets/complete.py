"""The part of an array without missing cells that is left when whole slices are left out."""

from collections.abc import Sequence
from math import prod

import numpy as np

from irmeta.stats.arrays import Bools


def complete_part(absent: Bools, axes: Sequence[int]) -> list[Bools]:
    """Return for every axis which of its slices to keep, so that no cell is missing and many are kept.

    absent : marks the missing cells.  axes : those whose slices may be left out; of the others all slices stay.
    Greedy: the slice with the largest share of missing cells is left out, until no cell is missing; then slices are
    taken back that miss nothing. Where it keeps more to leave out slices of one axis only, that is done. The largest
    part is a maximum edge biclique, which is NP-hard (Peeters, Discrete Applied Mathematics 2003).

    >>> absent = np.array([[True, True, False], [False, False, False], [False, False, False]])
    >>> [keep.tolist() for keep in complete_part(absent, (0, 1))]
    [[False, True, True], [True, True, True]]
    """
    ways = [_greedy(absent, axes), *(_along(absent, axis) for axis in axes)]
    return max(ways, key=_kept)


def _kept(keep: Sequence[Bools]) -> int:
    """Count the cells that are kept."""
    return prod(int(of_axis.sum()) for of_axis in keep)


def _along(absent: Bools, axis: int) -> list[Bools]:
    """Leave out every slice of one axis that has a missing cell."""
    keep = [np.ones(size, dtype=np.bool_) for size in absent.shape]
    keep[axis] = np.logical_not(absent.any(axis=_others(absent.ndim, axis)))
    return keep


def _greedy(absent: Bools, axes: Sequence[int]) -> list[Bools]:
    """Leave out the slice with the largest share of missing cells, again and again."""
    keep = [np.ones(size, dtype=np.bool_) for size in absent.shape]
    fixed = tuple(axis for axis in range(absent.ndim) if axis not in axes)
    # a cell of the axes that can shrink
    flat: Bools = np.asarray(absent.any(axis=fixed, keepdims=True))
    left = flat.copy()
    counts = {axis: left.sum(axis=_others(left.ndim, axis)) for axis in axes}
    while any(count.any() for count in counts.values()):
        # share of missing cells = count / cells of a slice; these are all cells left / slices of its axis left
        shares = [counts[axis].max() * np.count_nonzero(keep[axis]) for axis in axes]
        axis = axes[int(np.argmax(shares))]
        worst = int(counts[axis].argmax())
        # the slice's missing cells count no more, on any other axis
        gone = np.take(left, [worst], axis=axis)
        for other in axes:
            if other != axis:
                counts[other] = counts[other] - gone.sum(axis=_others(left.ndim, other))
        counts[axis][worst] = 0
        np.moveaxis(left, axis, 0)[worst] = False
        keep[axis][worst] = False
    _take_back(flat, axes, keep)
    return keep


def _take_back(flat: Bools, axes: Sequence[int], keep: list[Bools]) -> None:
    """Keep slices after all that have no missing cell among what is kept."""
    for axis in axes:
        others = [
            np.flatnonzero(keep[other]) if other in axes else np.zeros(1, int)
            for other in range(flat.ndim)
        ]
        for at in np.flatnonzero(~keep[axis]):
            others[axis] = np.array([at])
            keep[axis][at] = not flat[np.ix_(*others)].any()


def _others(ndim: int, axis: int) -> tuple[int, ...]:
    """Return the axes of an array of this many dimensions but one."""
    return tuple(other for other in range(ndim) if other != axis)
