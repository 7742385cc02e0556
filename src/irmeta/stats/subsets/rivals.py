"""Which subsets may be as good as the best: all of one size compared at once, over topics that were left out."""

from collections.abc import Sequence
from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np

from irmeta.choices import Objective
from irmeta.stats.arrays import Bools, Floats, Ints
from irmeta.stats.subsets.orders import Order
from irmeta.stats.tests.multiplicity import range_quantile

MOST = 5000
"""More subsets of a size are not compared."""
_CHUNK = 1000
"""Subsets whose matrices are held at a time."""


class Rivals(NamedTuple):
    """Subsets that are not clearly worse than the best of their size, nearest first, itself among them.

    subsets : (subset, member), indices.  behind, low : (subset,), the loss less that of the best, and the lower end of
    its interval.  compared : the number of subsets of this size.
    """

    subsets: Ints
    behind: Floats
    low: Floats
    compared: int


def rivals(
    sigma: Floats,
    without: Sequence[Floats],
    candidates: Order,
    include: Order,
    size: int,
    objective: Objective,
) -> Rivals | None:
    """Compare all subsets of a size that hold `include`.

    sigma : covariances (variable, variable).  without : the same without each block of topics.
    The loss of a subset is what it leaves unexplained, or minus the logarithm of its determinant. Its difference from
    that of the best has the standard error of a jackknife over blocks, and all differences of two subsets hold at once
    with 95% by Tukey's studentised range, so that the best need not be known before. None for a single subset, for more
    than `MOST`, and for fewer than 3 blocks.
    """
    free = np.setdiff1d(candidates, include)
    wanted = size - len(include)
    count = comb(len(free), wanted)
    if not 1 < count <= MOST or len(without) < 3:
        return None
    # all subsets: the included members, and each choice of the others
    chosen = np.array(list(combinations(free.tolist(), wanted)), dtype=np.intp)
    fixed = np.broadcast_to(np.asarray(include, dtype=np.intp), (count, len(include)))
    subsets = np.sort(np.concatenate([fixed, chosen], axis=1), axis=1)

    loss = _losses(sigma, subsets, objective)
    best = int(loss.argmin())
    behind = loss - loss[best]
    left = np.array([_losses(part, subsets, objective) for part in without])
    moved = left - left[:, [best]]  # (block, subset)
    blocks = len(without)
    # the jackknife: (n - 1) / n times the sum of squares about the mean
    error = np.sqrt((blocks - 1) * moved.var(axis=0))
    low = behind - range_quantile(count, blocks - 1) * error
    kept: Bools = low <= 0
    order = np.argsort(behind[kept], kind="stable")
    return Rivals(subsets[kept][order], behind[kept][order], low[kept][order], count)


def _losses(sigma: Floats, subsets: Ints, objective: Objective) -> Floats:
    """Return the loss of each subset: (subset,)."""
    parts = np.array_split(subsets, -(-len(subsets) // _CHUNK))
    return np.concatenate([_loss(sigma, part, objective) for part in parts])


def _loss(sigma: Floats, subsets: Ints, objective: Objective) -> Floats:
    """Return 1 - tr(B' A^-1 B) / tr(sigma) or -log|A|, A the covariance of a subset and B that of it with all."""
    # A, (subset, member, member)
    own = sigma[subsets[:, :, None], subsets[:, None, :]]
    if objective == "determinant":
        return -np.linalg.slogdet(own)[1]
    # B, (subset, member, variable), and A^-1 B
    every = sigma[subsets]
    slopes = np.linalg.solve(own, every)
    explained = (every * slopes).sum(axis=(1, 2))
    return np.asarray(1 - explained / np.trace(sigma))
