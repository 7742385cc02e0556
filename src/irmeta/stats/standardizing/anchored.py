"""Systems on two collections, measured from anchors: systems that ran unchanged on both.

A standardized score says where a system stands among the systems of its collection. If those of another collection are
stronger, the same system stands lower there, and no test of standardized scores can see it. The gain over an anchor is
free of the field: what moves all systems of a collection alike drops out. What does not drop out is that systems that
did not change move differently, as some suit a collection better; how much they do, only several anchors show.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from irmeta.stats.arrays import Floats, Indices
from irmeta.stats.standardizing import across
from irmeta.stats.standardizing.across import Estimate, Placed, Spread


class Anchored(NamedTuple):
    """Figures measured from anchors, arrays of one shape: with intervals, and p of a figure of 0."""

    value: Floats
    low: Floats
    high: Floats
    p: Floats


def gains(placed: Placed, anchors: Indices) -> Placed:
    """Return systems of one collection as their gains over the mean of anchors among them.

    >>> gains(Placed(np.array([[0.7, 0.6], [0.5, 0.5]]), np.zeros((2, 2))), np.array([1])).scores.round(1).tolist()
    [[0.2, 0.1], [0.0, 0.0]]
    """
    return Placed(*(part - part[anchors].mean(axis=0) for part in placed))


def differences(
    placed: Sequence[Placed],
    spreads: Sequence[Spread],
    shared: Floats,
    anchors: Sequence[Indices],
    level: float = 0.95,
) -> Anchored:
    """Return the differences of gains over anchors between two collections: (system of the first, of the second).

    anchors : where the same anchors stand on each collection, in one order.
    Two things vary. The topics, and which systems standardize: the interval of Welch's test of gains. And how systems
    that did not change move from one collection to the other: a system to come lies around the mean of k anchors by
    S sqrt(1 + 1/k), S their standard deviation, with Student's t and k - 1 degrees of freedom. The interval is the
    wider of both, p the larger. One anchor shows no S: then topics alone count.

    >>> one = across.place(np.array([[1.0, 0.9], [0.0, 0.1]]))
    >>> found = differences([one, one], [Spread(np.zeros((2, 2)), 9)] * 2, np.eye(2), [np.array([1])] * 2)
    >>> found.value.round(3).tolist()
    [[0.0, 0.309], [-0.309, 0.0]]
    """
    own = [gains(one, at) for one, at in zip(placed, anchors, strict=True)]
    count = len(own[0].scores)
    every = across.differences(own, spreads, shared)
    by_topics = Estimate(*(part[:count, count:] for part in every))
    moved = moves(placed, anchors)
    return _wider(by_topics, moved, level)


def drift(
    placed: Sequence[Placed],
    spreads: Sequence[Spread],
    shared: Floats,
    anchors: Sequence[Indices],
    level: float = 0.95,
) -> Anchored:
    """Return how much lower anchors stand on the second of two collections than on the first, one figure.

    Its variance is that of the anchors' mean by topics and standardizing systems, and S² / k, by how differently k
    anchors move; the degrees of freedom are Satterthwaite's.

    >>> one, other = (across.place(np.array([[z, z + 0.1]])) for z in (1.0, 0.0))
    >>> drift([one, other], [Spread(np.zeros((2, 2)), 9)] * 2, np.eye(2), [np.array([0])] * 2).value.round(3).item()
    0.333
    """
    middle = [
        Placed(*(part[at].mean(axis=0, keepdims=True) for part in one))
        for one, at in zip(placed, anchors, strict=True)
    ]
    every = across.differences(middle, spreads, shared)
    by_topics = Estimate(*(part[:1, 1:].ravel() for part in every))
    moved = moves(placed, anchors)
    if moved.size > 1:
        sampling = by_topics.error**2
        moving = moved.var(ddof=1) / moved.size
        # Satterthwaite: V² / sum of (part² / its degrees of freedom)
        squares = sampling**2 / by_topics.df + moving**2 / (moved.size - 1)
        variance = sampling + moving
        df = np.divide(variance**2, squares, out=np.ones(1), where=squares > 0)
        by_topics = Estimate(by_topics.value, np.sqrt(variance), df)
    return Anchored(by_topics.value, *by_topics.interval(level), by_topics.p)


def moves(placed: Sequence[Placed], anchors: Sequence[Indices]) -> Floats:
    """Return how much lower each anchor stands on the second collection than on the first, (anchor,)."""
    first, second = (
        one.scores[at].mean(axis=1) for one, at in zip(placed, anchors, strict=True)
    )
    return np.asarray(first - second)


def _wider(by_topics: Estimate, moved: Floats, level: float) -> Anchored:
    """Take the wider of two intervals of the same figures: by topics, and as of one system more beside the anchors."""
    low, high = by_topics.interval(level)
    if moved.size < 2:
        return Anchored(by_topics.value, low, high, by_topics.p)
    shape = by_topics.value.shape
    error = np.sqrt((1 + 1 / moved.size) * moved.var(ddof=1))
    by_anchors = Estimate(
        by_topics.value, np.full(shape, error), np.full(shape, moved.size - 1.0)
    )
    least, most = by_anchors.interval(level)
    return Anchored(
        by_topics.value,
        np.minimum(low, least),
        np.maximum(high, most),
        np.maximum(by_topics.p, by_anchors.p),
    )
