"""Standardization by random parts of the standardizing systems, many parts at once."""

from collections.abc import Generator, Sequence
from contextlib import closing
from functools import partial
from itertools import islice

import numpy as np
import numpy.typing as npt

from irmeta.choices import Kind
from irmeta.parallel import in_order, streams
from irmeta.stats.standardizing import normal, standardizers
from irmeta.stats.standardizing.standardizers import Factors

Floats = npt.NDArray[np.float64]
_BLOCK = 1 << 18  # scores standardized at once: 2 MiB stay in the processor's cache, and their memory is used again


def partial_means(
    old: Floats, new: Floats, sizes: Sequence[int], draws: int, kind: Kind, rng: np.random.Generator
) -> Generator[Floats, None, None]:
    """Standardize new systems by some of the old ones, `draws` times for each size, drawn without replacement.

    old : (old system, topic);  new : (system, topic).  Gives one size after the other mean standardized scores (draw,
    system); those of kind "normal" within `normal.ERROR`. A topic on which the drawn systems score alike gives every
    new system the same score, so that the others decide their order. Source: Webber et al. (SIGIR 2008), section 4,
    Figure 4.

    >>> scores = np.array([[0.1], [0.5], [0.3]])
    >>> [means.round(3).tolist() for means in partial_means(scores, scores, [3], 1, "normal", np.random.default_rng(0))]
    [[[0.159, 0.841, 0.5]]]
    """
    block = max(1, _BLOCK // new.size)
    blocks = [(size, *stream) for size in sizes for stream in streams(rng, draws, block)]
    with closing(in_order(partial(_means, old, np.asfortranarray(new), kind), blocks, "blocks of draws")) as means:
        for _ in sizes:
            yield np.concatenate(list(islice(means, len(blocks) // len(sizes))))


def _means(old: Floats, new: Floats, kind: Kind, block: tuple[int, np.random.Generator, int]) -> Floats:
    size, rng, draws = block
    drawn = rng.random((draws, len(old))).argsort(axis=1)[:, :size]
    return _standardized(new, _fit(old[drawn.T], kind), kind).mean(axis=1)


def _fit(scores: Floats, kind: Kind) -> Factors:
    """Give the factors (draw, topic) of scores (system, draw, topic); the quantiles are the two ends where those do.

    Only "empirical" needs the others. To sort takes longer than all the rest, and serves factors that are published:
    the last bit of a mean depends on the order in which its systems are drawn.
    """
    if kind == "empirical":
        return standardizers.fit(scores)
    ends = np.stack([scores.min(axis=0), scores.max(axis=0)], axis=-1)
    return Factors(scores.mean(axis=0), scores.std(axis=0, ddof=1), ends)


def _standardized(new: Floats, factors: Factors, kind: Kind) -> Floats:
    """Standardize by factors (draw, topic): (draw, topic, system), with systems side by side as in new.

    The middle of z, which topics without spread give, becomes 0.5, the middle of "normal".
    """
    if kind == "normal":
        return normal.cdf(_standardized(new, factors, "z"))
    return standardizers.standardize(new[:, None, :], factors, kind).transpose(1, 2, 0)
