"""Standardization by random parts of the standardizing systems, many parts at once."""

from collections.abc import Generator, Sequence
from contextlib import closing
from functools import partial
from itertools import islice

import numpy as np

from irmeta.choices import Kind
from irmeta.parallel import in_order, streams
from irmeta.stats.arrays import Floats, Ints
from irmeta.stats.standardizing import normal, standardizers
from irmeta.stats.standardizing.standardizers import Factors, Standardizer

# scores standardized at once: 2 MiB stay in the processor's cache, and their memory is used again
_BLOCK = 1 << 18


def partial_means(
    old: Floats,
    new: Floats,
    sizes: Sequence[int],
    draws: int,
    kind: Kind,
    rng: np.random.Generator,
    team: Ints | None = None,
) -> Generator[Floats, None, None]:
    """Standardize new systems by some of the old ones, `draws` times for each size, drawn without replacement.

    old : (old system, topic);  new : (system, topic).  team : of each old system, numbered from 0: teams are drawn, and
    their systems with them, until there are enough; by default each system is a team.
    Yields one size after the other mean standardized scores (draw, system); those of kind "normal" within
    `normal.ERROR`. A topic on which the drawn systems score alike gives every new system the same score, so that the
    others decide their order. Source: Webber et al. (SIGIR 2008), section 4, Figure 4.

    >>> scores = np.array([[0.1], [0.5], [0.3]])
    >>> [means.round(3).tolist() for means in partial_means(scores, scores, [3], 1, "normal", np.random.default_rng(0))]
    [[[0.159, 0.841, 0.5]]]
    """
    if team is None:
        team = np.arange(len(old))
    # blocks of draws, one size after the other; each block has a random stream of its own
    block = max(1, _BLOCK // new.size)
    blocks = [
        (size, *stream) for size in sizes for stream in streams(rng, draws, block)
    ]
    of_each = len(blocks) // len(sizes)
    work = partial(_means, old, np.asfortranarray(new), kind, team)
    with closing(in_order(work, blocks, "blocks of draws")) as means:
        for _ in sizes:
            yield np.concatenate(list(islice(means, of_each)))


def _means(
    old: Floats,
    new: Floats,
    kind: Kind,
    team: Ints,
    block: tuple[int, np.random.Generator, int],
) -> Floats:
    """Return mean standardized scores (draw, system) for a block of draws of one size."""
    size, rng, draws = block
    standardizer = _standardizer(kind)
    # the places of the smallest random numbers are a draw without replacement; a team has one number
    numbers = rng.random((draws, int(team.max()) + 1))
    drawn = numbers[:, team].argsort(axis=1)[:, :size]
    factors = _fit(old[drawn.T], standardizer)
    standardized = standardizer(new[:, None, :], factors)  # (system, draw, topic)
    return standardized.transpose(1, 2, 0).mean(axis=1)


def _normal(scores: Floats, factors: Factors) -> Floats:
    """Normal distribution function of z, within `normal.ERROR`; systems lie side by side, as they do in the scores."""
    z = standardizers.z(scores, factors)
    return normal.cdf(z.transpose(1, 2, 0)).transpose(2, 0, 1)


_QUICKER = {"normal": _normal}
"""Formulas for many scores at once, by the name of the standardizer whose formula they replace here."""


def _standardizer(kind: Kind) -> Standardizer:
    """Return the standardizer of this name, with the quicker formula where there is one."""
    known = standardizers.KINDS[kind]
    return known._replace(formula=_QUICKER.get(kind, known.formula))


def _fit(scores: Floats, standardizer: Standardizer) -> Factors:
    """Return the factors (draw, topic) of scores (system, draw, topic), with the quantiles that the standardizer needs.

    To sort takes longer than all the rest, and serves factors that are published: the last bit of a mean depends on the
    order in which its systems are drawn.
    """
    if standardizer.needs == "all":
        return standardizers.fit(scores)
    ends = np.stack([scores.min(axis=0), scores.max(axis=0)], axis=-1)
    return Factors(scores.mean(axis=0), scores.std(axis=0, ddof=1), ends)
