"""What a run loses because nobody judged its documents, learned from groups that are left out in turn.

A run's loss is modelled by its unjudged share u and its score S among the judgments that are left:
loss = b u + c S u + error. Unjudged documents are as good as any, or as good as the run's judged ones; a run without
unjudged documents loses nothing. The error's variance is v + w u², and how far errors reach is taken from those of the
left-out groups themselves, since they are skewed. Groups count alike, however many runs they have.
Sources: Webber and Park (SIGIR 2009); Zobel (SIGIR 1998); Lei et al. (JASA 2018) on intervals from residuals.
"""

from typing import NamedTuple

import numpy as np

from irmeta.errors import ScoresError
from irmeta.stats.arrays import Floats, Indices

LEAST = 5
"""Groups that it takes to learn from."""


class Penalty(NamedTuple):
    """The model of one metric.

    slopes : (b, c).  variances : (v, w).  errors : of groups predicted from the others, in standard deviations, without
    sign, in rising order; weights : of each, summing to 1.  groups : how many it was learned from.
    """

    slopes: Floats
    variances: Floats
    errors: Floats
    weights: Floats
    groups: int

    def reach(self, level: float) -> float:
        """Return how many standard deviations the errors of a new group reach at a level in (0, 1).

        The quantile at level (1 + 1 / groups): a new group's error has as good a chance as theirs to be the largest.
        Where that is beyond all of them, the largest is returned.
        """
        enough = (
            np.cumsum(self.weights) >= min(level * (1 + 1 / self.groups), 1.0) - 1e-12
        )
        return float(self.errors[np.argmax(enough) if enough.any() else -1])


class Band(NamedTuple):
    """Expected losses and the ends of their prediction intervals, each (run,)."""

    expected: Floats
    low: Floats
    high: Floats

    def within(self, least: Floats, most: Floats | float = np.inf) -> "Band":
        """Cut off what is known to be impossible: losses below `least` or above `most`, each (run,).

        >>> Band(np.array([0.1]), np.array([-0.2]), np.array([0.4])).within(np.zeros(1), 0.3).low.tolist()
        [0.0]
        """
        return Band(*(np.clip(part, least, most) for part in self))


def fit(loss: Floats, unjudged: Floats, score: Floats, group: Indices) -> Penalty:
    """Learn the penalty from runs whose groups were left out.

    loss : by how much the score was higher with all judgments, (run,).  unjudged : share of the run's first documents
    that nobody else had judged, in [0, 1].  score : without the group's judgments.  group : numbers from 0.
    Raises ScoresError for fewer than 5 groups. The variance is that of groups predicted from the other groups.

    >>> u, group = np.array([0.1, 0.2, 0.3, 0.4, 0.5]), np.arange(5)
    >>> fit(0.2 * u, u, np.array([0.3, 0.5, 0.2, 0.4, 0.3]), group).slopes.round(6).tolist()
    [0.2, 0.0]
    """
    found = np.unique(group)
    if found.size < LEAST:
        raise ScoresError(
            f"the penalty of a new run is learned from {LEAST} groups or more, and here are {found.size}"
        )
    x = np.stack([unjudged, score * unjudged], axis=-1)
    weight = 1 / np.bincount(group)[group]
    member = found[:, None] == group
    # normal equations of each group: X' W X and X' W y
    squares = np.einsum("gr,r,ra,rb->gab", member, weight, x, x)
    products = np.einsum("gr,r,ra,r->ga", member, weight, x, loss)
    without = _solved(
        squares.sum(axis=0) - squares, products.sum(axis=0) - products
    )  # by group, from all others
    errors = loss - np.einsum("ra,ra->r", x, without[np.searchsorted(found, group)])
    slopes = _solved(squares.sum(axis=0)[None], products.sum(axis=0)[None])[0]
    variances = _variances(errors**2, unjudged**2, weight)
    size = np.abs(errors) / np.maximum(
        _deviation(variances, unjudged), np.finfo(np.float64).tiny
    )
    order = np.argsort(size)
    return Penalty(
        slopes, variances, size[order], weight[order] / weight.sum(), found.size
    )


def band(penalty: Penalty, unjudged: Floats, score: Floats, level: float = 0.9) -> Band:
    """Predict the losses of runs of a new group, with intervals at a level in (0, 1).

    >>> known = Penalty(np.array([0.2, 0.0]), np.array([0.0, 0.01]), np.array([0.5, 2.0]), np.array([0.5, 0.5]), 12)
    >>> found = band(known, np.array([0.5]), np.array([0.3]))
    >>> found.expected.tolist(), found.high.round(3).tolist()  # 0.1 + 2 * 0.05
    ([0.1], [0.2])
    """
    expected = penalty.slopes[0] * unjudged + penalty.slopes[1] * score * unjudged
    half = penalty.reach(level) * _deviation(penalty.variances, unjudged)
    return Band(expected, expected - half, expected + half)


def leave_out(
    loss: Floats, unjudged: Floats, score: Floats, group: Indices, level: float = 0.9
) -> Band:
    """Predict the runs of each group from all other groups: what `band` would have said of them before; (run,).

    Needs one group more than `fit`. How many losses lie within is the coverage of the intervals.
    """
    found = np.empty((3, len(loss)))
    for left in np.unique(group):
        out = group == left
        others = np.unique(group[~out], return_inverse=True)[1]
        learned = fit(loss[~out], unjudged[~out], score[~out], others)
        found[:, out] = band(learned, unjudged[out], score[out], level)
    return Band(*found)


def coverage(loss: Floats, within: Band, group: Indices) -> float:
    """Return the share of losses within their intervals, groups counted alike: in [0, 1].

    >>> within = Band(np.zeros(3), -np.ones(3), np.ones(3))
    >>> coverage(np.array([0.0, 2.0, 0.5]), within, np.array([0, 0, 1]))
    0.75
    """
    inside = (loss >= within.low) & (loss <= within.high)
    counts = np.bincount(group)
    return float((np.bincount(group, inside)[counts > 0] / counts[counts > 0]).mean())


def _solved(squares: Floats, products: Floats) -> Floats:
    """Solve normal equations, (..., 2, 2) and (..., 2); the shortest solution where many fit."""
    return np.asarray(
        np.einsum(
            "...ab,...b->...a",
            np.linalg.pinv(squares, rcond=1e-10, hermitian=True),
            products,
        )
    )


def _deviation(variances: Floats, unjudged: Floats) -> Floats:
    """Return the standard deviation of errors: the root of v + w u²."""
    return np.asarray(np.sqrt(variances[0] + variances[1] * unjudged**2))


def _variances(squares: Floats, square_share: Floats, weight: Floats) -> Floats:
    """Fit squared errors by v + w u², neither below 0: weighted least squares, on one of the two if need be."""
    x = np.stack([np.ones_like(square_share), square_share], axis=-1)
    weighted = x * weight[:, None]
    sizes, products = weighted.T @ x, weighted.T @ squares  # X' W X and X' W y
    both = _solved(sizes, products)
    if both.min() >= 0:
        return both
    # with one of them 0, least squares gives the other as a ratio; the better fit of the two
    size = np.diag(sizes)
    alone = np.diag(np.divide(products, size, out=np.zeros(2), where=size > 0))
    misfit = (weight * (squares - alone @ x.T) ** 2).sum(axis=1)
    return np.asarray(alone[int(np.argmin(misfit))])
