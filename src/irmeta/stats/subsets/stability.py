"""How far a choice of variables can be trusted: what would be chosen again from other data."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from irmeta.parallel import in_order, streams
from irmeta.stats.subsets.matrices import Floats, dependent
from irmeta.stats.subsets.orders import Order
from irmeta.stats.subsets.selection import Task, choose_again

Resample = Callable[[np.random.Generator], Floats | None]
Flags = npt.NDArray[np.bool_]
_BLOCK = 4
"""Choices in a block; each takes some milliseconds or more."""


@dataclass(frozen=True)
class Stability:
    """What is chosen again, of subsets by size.

    chosen, se : (k, variable), the share of resamples that choose it, and its Monte-Carlo standard error.
    kept : (k,), the mean share of the subset, less the variables included from the start, that is chosen again.
    same : (k,), the share of resamples in which all of it is. chance : (k,), what `kept` would be by chance.
    """

    chosen: Floats
    se: Floats
    kept: Floats
    same: Floats
    chance: Floats


def choices(
    resample: Resample,
    task: Task,
    chosen: Mapping[int, Order],
    resamples: int,
    rng: np.random.Generator,
) -> tuple[Flags, Flags]:
    """Choose again from resampled matrices: flags (resample, k, variable), and (resample, k) whether they are proven.

    resample : gives a matrix, or None where a variable is constant. Those, and matrices in which variables determine
    each other, are left out.
    """
    again: list[Flags] = []
    proven: list[Flags] = []
    for some in in_order(
        partial(_block, resample, task, tuple(chosen)), streams(rng, resamples, _BLOCK), "blocks of resamples"
    ):
        for choice in some:
            if choice is not None:
                again.append(choice[0])
                proven.append(choice[1])
    return np.array(again, dtype=np.bool_), np.array(proven, dtype=np.bool_)


def _block(
    resample: Resample, task: Task, sizes: tuple[int, ...], block: tuple[np.random.Generator, int]
) -> list[tuple[Flags, Flags] | None]:
    rng, resamples = block
    return [_choice(resample(rng), task, sizes) for _ in range(resamples)]


def _choice(sigma: Floats | None, task: Task, sizes: tuple[int, ...]) -> tuple[Flags, Flags] | None:
    if sigma is None or dependent(sigma[np.ix_(task.candidates, task.candidates)]):
        return None
    again = choose_again(sigma, task, sizes)
    subsets = {size: subset for size, (subset, _) in again.items()}
    return flags(subsets, len(sigma)), np.array([proven for _, proven in again.values()])


def flags(subsets: Mapping[int, Order], variables: int) -> Flags:
    """Give subsets as flags of shape (k, variable).

    >>> flags({1: np.array([2]), 2: np.array([0, 2])}, 3).astype(int)
    array([[0, 0, 1],
           [1, 0, 1]])
    """
    return np.array([np.isin(np.arange(variables), subset) for subset in subsets.values()])


def stability(chosen: Flags, again: Flags, task: Task) -> Stability:
    """Compare subsets, flags (k, variable), with those chosen again, (resample, k, variable)."""
    share = again.mean(axis=0)
    included = np.isin(np.arange(chosen.shape[1]), task.include)
    free = (chosen & ~included).sum(axis=1)
    hits = np.where(free > 0, (again & chosen & ~included).sum(axis=2) / np.maximum(free, 1), 1.0)
    return Stability(
        share,
        np.sqrt(share * (1 - share) / len(again)),
        hits.mean(axis=0),
        (hits == 1).mean(axis=0),
        free / max(1, task.candidates.size - task.include.size),
    )
