"""How far a choice of variables can be trusted: what would be chosen again from other data."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from irmeta.parallel import in_order, streams
from irmeta.stats.arrays import Bools, Floats
from irmeta.stats.subsets.matrices import dependent
from irmeta.stats.subsets.orders import Order
from irmeta.stats.subsets.selection import Choice, choose_again

Resample = Callable[[np.random.Generator], Floats | None]
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
    choice: Choice,
    chosen: Mapping[int, Order],
    resamples: int,
    rng: np.random.Generator,
) -> tuple[Bools, Bools]:
    """Choose again from resampled matrices: flags (resample, k, variable), and (resample, k) whether they are proven.

    resample : gives a matrix, or None where a variable is constant. Those, and matrices in which variables determine
    each other, are left out.
    """
    again: list[Bools] = []
    proven: list[Bools] = []
    work = partial(_block, resample, choice, tuple(chosen))
    for some in in_order(work, streams(rng, resamples, _BLOCK), "blocks of resamples"):
        for found in some:
            if found is not None:
                again.append(found[0])
                proven.append(found[1])
    return np.array(again, dtype=np.bool_), np.array(proven, dtype=np.bool_)


def _block(
    resample: Resample, choice: Choice, sizes: tuple[int, ...], block: tuple[np.random.Generator, int]
) -> list[tuple[Bools, Bools] | None]:
    rng, resamples = block
    return [_again(resample(rng), choice, sizes) for _ in range(resamples)]


def _again(sigma: Floats | None, choice: Choice, sizes: tuple[int, ...]) -> tuple[Bools, Bools] | None:
    """Choose again from one matrix: flags (k, variable), and (k,) whether they are proven; None where it cannot be."""
    if sigma is None:
        return None
    if dependent(sigma[np.ix_(choice.candidates, choice.candidates)]):
        return None
    again = choose_again(sigma, choice, sizes)
    subsets = {size: subset for size, (subset, _) in again.items()}
    proven = [proven for _, proven in again.values()]
    return flags(subsets, len(sigma)), np.array(proven)


def flags(subsets: Mapping[int, Order], variables: int) -> Bools:
    """Return subsets as flags of shape (k, variable).

    >>> flags({1: np.array([2]), 2: np.array([0, 2])}, 3).astype(int)
    array([[0, 0, 1],
           [1, 0, 1]])
    """
    every = np.arange(variables)
    return np.array([np.isin(every, subset) for subset in subsets.values()])


def stability(chosen: Bools, again: Bools, choice: Choice) -> Stability:
    """Compare subsets, flags (k, variable), with those chosen again, (resample, k, variable)."""
    resamples, _, variables = again.shape
    share = again.mean(axis=0)  # (k, variable)
    included = np.isin(np.arange(variables), choice.include)
    # included variables are chosen again by force: only the free ones count
    free = (chosen & ~included).sum(axis=1)  # (k,)
    hit = (again & chosen & ~included).sum(axis=2)  # (resample, k)
    kept = np.where(free > 0, hit / np.maximum(free, 1), 1.0)
    candidates = choice.candidates.size - choice.include.size
    return Stability(
        chosen=share,
        se=np.sqrt(share * (1 - share) / resamples),
        kept=kept.mean(axis=0),
        same=(kept == 1).mean(axis=0),
        chance=free / max(1, candidates),
    )
