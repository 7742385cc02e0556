"""Swaps: how often a difference between two systems is reversed on other topics, by the size of the difference."""

from typing import Any

import numpy as np
import numpy.typing as npt

from irmeta.stats.arrays import Bools, Floats, Ints
from irmeta.stats.halves.halving import half_means

EDGES = np.arange(21) / 100
"""Differences are counted in steps of .01, the last from .20 on."""


def swaps(scores: Floats, drawn: Bools) -> tuple[Ints, Floats]:
    """Count pairs of systems by their difference on one set of topics, and those that another set orders otherwise.

    scores : (system, topic, metric), in [0, 1].  drawn : (partition, 2, topic), two disjoint sets; each stands for the
    topics at hand once. Returns the number of comparisons, and of swaps, each (metric, step): see EDGES. A pair that
    the other set ties counts as half a swap; a pair that the first set ties is no difference and is left out.
    Sources: Voorhees and Buckley (SIGIR 2002); Sanderson and Zobel (SIGIR 2005).

    >>> scores = np.array([[0.1, 0.4], [0.2, 0.1]])[:, :, None]
    >>> compared, swapped = swaps(scores, np.array([[[True, False], [False, True]]]))
    >>> compared.sum().item(), swapped.sum().item()
    (2, 2.0)
    """
    left, right = np.triu_indices(len(scores), 1)
    compared = np.zeros((scores.shape[2], EDGES.size), dtype=np.int64)
    swapped = np.zeros((scores.shape[2], EDGES.size))
    by_topic = scores.transpose(1, 2, 0)
    for sets in drawn:
        means = half_means(by_topic, sets[None])[0]  # (set, metric, system)
        gap = means[..., left] - means[..., right]
        # each set is once the one that is believed, and once the one that checks it
        for here, there in (gap, gap[::-1]):
            for metric, (difference, other) in enumerate(zip(here, there, strict=True)):
                size = np.abs(difference)
                # the last edge not above the size; .1 + .2 - .2 must not fall below .1
                step = np.searchsorted(EDGES, size + 1e-12, side="right") - 1
                differs = size > 1e-10
                # 1 where the other set has the opposite sign, 1/2 where it ties the pair
                turned = np.where(np.abs(other) > 1e-10, difference * other < 0, 0.5)
                compared[metric] += np.bincount(step[differs], minlength=EDGES.size)
                swapped[metric] += np.bincount(
                    step[differs], turned[differs], minlength=EDGES.size
                )
    return compared, swapped


def least_difference(compared: Ints, swapped: Floats, error: float = 0.05) -> Floats:
    """Return the smallest step from which on differences are reversed in at most a share `error` of comparisons.

    compared, swapped : (..., step).  Returns (...,), NaN where even the largest differences are reversed more often.
    A step and all larger ones are taken together, so that few large differences do not decide by themselves. Of smaller
    differences than there are nothing is said: the step is one that some comparison has.

    >>> least_difference(np.array([100, 10, 5]), np.array([30.0, 0.0, 0.0])).item()
    0.01
    """
    # of all comparisons with a difference of this step or more
    total = _cumulate_from_last(compared)
    turned = _cumulate_from_last(swapped)
    # the share reversed; 1 where nothing was compared
    rate = np.divide(turned, total, out=np.ones(turned.shape), where=total > 0)
    # the first step with a rate that is small enough
    enough = (rate <= error) & (compared > 0)
    first = enough.argmax(axis=-1)
    found = enough.any(axis=-1)
    return np.asarray(np.where(found, EDGES[first], np.nan))


def _cumulate_from_last(counts: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Sum counts (..., step) from each step to the last."""
    falling = counts[..., ::-1]
    return np.cumsum(falling, axis=-1)[..., ::-1]
