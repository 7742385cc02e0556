"""Rank-biased overlap: how much of the tops of two rankings is the same, depth by depth."""

from typing import Literal

import numpy as np
import numpy.typing as npt
import scipy.stats

from irmeta.errors import ScoresError
from irmeta.stats.rank import Array, pairwise

Ties = Literal["w", "a", "b"]


@pairwise
def rbo(x: Array, y: Array, p: float = 0.9, ties: Ties = "a") -> Array:
    """Rank-biased overlap of two rankings of the same items, in [0, 1]; p in (0, 1) is the persistence down the ranks.

    ties : "w", a tied group is reached all at once; "a", the mean over all ways to break ties; "b", the same scaled so
    that a ranking agrees fully with itself. Beyond the last item the agreement is 1: both rankings hold every item.
    Source: Webber, Moffat and Zobel (TOIS 2010); ties: Corsi and Urbano (SIGIR 2024).

    >>> round(float(rbo([3, 2, 1], [2, 3, 1], p=0.5)), 4)
    0.5
    """
    if not 0 < p < 1:
        raise ScoresError(f"p={p}, but the persistence of RBO is between 0 and 1, as in 0.9")
    agreement = np.empty((x.shape[0], x.shape[1], y.shape[1], x.shape[2]))
    for depth in range(1, x.shape[2] + 1):
        a, b = (_within(side, depth, whole=ties == "w") for side in (x, y))
        agreement[..., depth - 1] = np.matmul(a, b.transpose(0, 2, 1)) / _size(a, b, depth, ties)
    weights = (1 - p) * p ** np.arange(x.shape[2])
    return np.asarray(agreement @ weights + p ** x.shape[2])


def _within(x: Array, depth: int, *, whole: bool) -> Array:
    """Give the share of each item that stands in the first `depth` ranks, for its tied group spread evenly or whole."""
    first = scipy.stats.rankdata(-x, method="min", axis=-1)
    if whole:
        return (first <= depth).astype(np.float64)
    last = scipy.stats.rankdata(-x, method="max", axis=-1)
    return np.clip((depth - first + 1) / (last - first + 1), 0, 1)


def _size(a: Array, b: Array, depth: int, ties: Ties) -> npt.NDArray[np.float64]:
    if ties == "a":
        return np.full((a.shape[0], 1, 1), float(depth))
    if ties == "w":
        return (a.sum(axis=-1)[:, :, None] + b.sum(axis=-1)[:, None, :]) / 2
    return np.asarray(np.linalg.norm(a, axis=-1)[:, :, None] * np.linalg.norm(b, axis=-1)[:, None, :])
