"""Promises about tau between the rankings on two collections, each with topics of its own."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

import numpy as np

from bench.coverage.frame import AWAY, Entry
from bench.coverage.judges import Kind, in_kinds
from irmeta.stats.judging.rankings import taus_on_own_topics
from irmeta.stats.rankings.rank import tau_b

SIZES = ((10, 25), (10, 50), (24, 25), (24, 50), (60, 25), (60, 50))
"""Numbers of systems, and of topics of each collection."""
WORLDS = 3000
"""Worlds that the tau to be expected is the mean of."""


def two(kind: Kind, rng: np.random.Generator) -> np.ndarray:
    """Draw scores (collection, system, topic): of one task, and of one that suits other systems."""
    first, suits_others = replace(kind, topics=3 * kind.topics).draw(rng)[0][[0, 2]]
    ends = kind.topics, 2 * kind.topics
    return np.stack([*np.split(first, ends, axis=1)[:2], suits_others[:, ends[1] :]])


@cache
def expected(kind: Kind) -> np.ndarray:
    """Compute the mean tau of the first collection with both others."""
    rng = np.random.default_rng(0)
    means = (two(kind, rng).mean(axis=-1) for _ in range(WORLDS))
    return np.mean([tau_b(one[0], one[1:]) for one in means], axis=0)


def _tau(kind: Kind, rng: np.random.Generator) -> Mapping[str, float]:
    """Hold tau of two collections of one task and, beside it, of two tasks."""
    first, *others = two(kind, rng)
    truth = expected(kind)
    found = [
        taus_on_own_topics(first, other, rng, team=kind.teams).interval()
        for other in others
    ]
    low, high = (
        np.concatenate([getattr(one, end) for one in found]) for end in ("low", "high")
    )
    inside = (low <= truth) & (truth <= high)
    return {
        "kept": inside[0],
        "width": high[0] - low[0],
        AWAY: found[0].value[0] - truth[0],
        "another task": inside[1],
    }


KINDS = [
    *(Kind(*size, factors) for size in SIZES for factors in (False, True)),
    Kind(24, 25, True, team=4),
]

ENTRIES = [Entry("tau of two collections", 0.95, 0.90, in_kinds(_tau, KINDS), 400, 20)]
