"""How far a choice of variables can be trusted: what two halves of the data choose."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from irmeta.parallel import in_order, streams
from irmeta.stats.arrays import Bools, Floats
from irmeta.stats.subsets.matrices import dependent
from irmeta.stats.subsets.orders import Order
from irmeta.stats.subsets.selection import Choice, choose_again

Halves = Callable[[np.random.Generator], Sequence[Floats] | None]
_BLOCK = 4
"""Partitions in a block; each takes some milliseconds or more."""


@dataclass(frozen=True)
class Stability:
    """How far two halves of the data choose the same, of subsets by size.

    chosen, se : (k, variable), the share of halves that choose it, and its Monte-Carlo standard error.
    kept : (k,), the mean share of one half's subset, less the variables included from the start, that the other half
    chooses, too. same : (k,), the share of partitions in which it is all of it. chance : (k,), `kept` by chance.
    """

    chosen: Floats
    se: Floats
    kept: Floats
    same: Floats
    chance: Floats


def choices(
    halves: Halves,
    choice: Choice,
    chosen: Mapping[int, Order],
    partitions: int,
    rng: np.random.Generator,
) -> tuple[Bools, Bools]:
    """Choose from matrices of halves: flags (partition, 2, k, variable), and (partition, 2, k) whether they are proven.

    halves : gives two matrices, or None where a variable is constant. Those, and matrices in which variables determine
    each other, are left out.
    """
    again, proven = [], []
    work = partial(_block, halves, choice, tuple(chosen), 2 * partitions)
    blocks = streams(rng, partitions, _BLOCK)
    for block in in_order(work, blocks, "blocks of partitions", threads=False):
        for flags_of_both, proven_of_both in block:
            again.append(flags_of_both)
            proven.append(proven_of_both)
    return np.array(again, dtype=np.bool_), np.array(proven, dtype=np.bool_)


def _block(
    halves: Halves,
    choice: Choice,
    sizes: tuple[int, ...],
    times: int,
    block: tuple[np.random.Generator, int],
) -> list[tuple[Bools, Bools]]:
    """Choose from the halves of some partitions, but those from which nothing can be chosen."""
    rng, partitions = block
    pairs = (halves(rng) for _ in range(partitions))
    chosen = [_choose_again(matrices, choice, sizes, times) for matrices in pairs]
    return [both for both in chosen if both is not None]


def _choose_again(
    matrices: Sequence[Floats] | None,
    choice: Choice,
    sizes: tuple[int, ...],
    times: int,
) -> tuple[Bools, Bools] | None:
    """Choose from both matrices: flags (2, k, variable), and (2, k) whether proven; None where it cannot be."""
    if matrices is None:
        return None
    among = np.ix_(choice.candidates, choice.candidates)
    if any(dependent(sigma[among]) for sigma in matrices):
        return None
    chosen, proven = [], []
    for sigma in matrices:
        again = choose_again(sigma, choice, sizes, times)
        subsets = {size: subset for size, (subset, _) in again.items()}
        chosen.append(flags(subsets, len(sigma)))
        proven.append([is_proven for _, is_proven in again.values()])
    return np.array(chosen), np.array(proven)


def flags(subsets: Mapping[int, Order], variables: int) -> Bools:
    """Return subsets as flags of shape (k, variable).

    >>> flags({1: np.array([2]), 2: np.array([0, 2])}, 3).astype(int)
    array([[0, 0, 1],
           [1, 0, 1]])
    """
    every = np.arange(variables)
    return np.array([np.isin(every, subset) for subset in subsets.values()])


def stability(again: Bools, choice: Choice, sizes: Sequence[int]) -> Stability:
    """Compare the subsets of these sizes that both halves choose: flags (partition, 2, k, variable)."""
    partitions, _, _, variables = again.shape
    share = again.mean(axis=(0, 1))  # (k, variable)
    # included variables are chosen again by force: only the free ones count
    included = np.isin(np.arange(variables), choice.include)
    free = np.array(sizes) - choice.include.size  # (k,)
    both = again.all(axis=1)
    hit = (both & ~included).sum(axis=2)  # (partition, k)
    kept = np.where(free > 0, hit / np.maximum(free, 1), 1.0)
    candidates = choice.candidates.size - choice.include.size
    return Stability(
        chosen=share,
        se=np.sqrt(share * (1 - share) / partitions),
        kept=kept.mean(axis=0),
        same=(kept == 1).mean(axis=0),
        chance=free / max(1, candidates),
    )


def alternatives(again: Bools, at: int, most: int) -> tuple[Bools, Floats]:
    """Return the subsets of one size that halves choose most often: flags (subset, variable), and the share of halves.

    again : (partition, 2, k, variable).  at : the place of the size along k.  most : no more than these.
    """
    chosen = again[:, :, at].reshape(-1, again.shape[-1])
    subsets, counts = np.unique(chosen, axis=0, return_counts=True)
    order = np.argsort(-counts, kind="stable")[:most]
    return subsets[order], counts[order] / len(chosen)
