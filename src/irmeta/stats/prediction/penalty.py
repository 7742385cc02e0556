"""What a run loses because nobody judged its documents, learned from groups that are left out in turn.

A run's loss is modelled by its unjudged share u and its score S among the judgments that are left:
loss = b u + c S u + error. Unjudged documents are as good as any, or as good as the run's judged ones; a run without
unjudged documents loses nothing. The error's variance is v + w u². How far errors reach is taken from the left-out
groups themselves, since they are skewed: each is predicted, and its error scaled, by what all others teach, as a new
group is (the jackknife+). Groups count alike, however many runs they have.
Sources: Webber and Park (SIGIR 2009); Zobel (SIGIR 1998); Barber, Candes, Ramdas and Tibshirani (Annals of Statistics
2021), the jackknife+; Dunn, Wasserman and Ramdas (JASA 2023) for groups.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

from irmeta.errors import ScoresError
from irmeta.stats.arrays import Floats, Indices

LEAST = 5
"""Groups that it takes to learn from."""


class Penalty(NamedTuple):
    """The model of one metric, learned from all groups, and from all but each.

    slopes : (b, c) from all groups.  without : (group, 2), from all groups but one.  variances : (group, 2), v and w of
    errors, from all groups but one.  errors : (run,), of each run by what the other groups teach, in standard
    deviations, without sign.  group : (run,), numbers from 0.
    """

    slopes: Floats
    without: Floats
    variances: Floats
    errors: Floats
    group: Indices


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
    Raises ScoresError for fewer than 5 groups.

    >>> u, group = np.array([0.1, 0.2, 0.3, 0.4, 0.5]), np.arange(5)
    >>> fit(0.2 * u, u, np.array([0.3, 0.5, 0.2, 0.4, 0.3]), group).slopes.round(6).tolist()
    [0.2, 0.0]
    """
    groups, group = np.unique(group, return_inverse=True)
    if groups.size < LEAST:
        raise ScoresError(
            f"learning the loss of a new run needs at least {LEAST} groups; there are {groups.size}"
        )
    x = _terms(unjudged, score)
    weight = _weights(group)
    # (group, run): 0 for its own
    others = weight * (np.arange(groups.size)[:, None] != group)
    slopes = _least_squares(x, loss, weight)
    without = _least_squares(x, loss, others)
    errors = np.abs(loss - (x * without[group]).sum(axis=1))
    variances = _variances(errors**2, unjudged, others)
    deviation = _deviation(variances[group], unjudged)
    size = errors / np.maximum(deviation, np.finfo(np.float64).tiny)
    return Penalty(slopes, without, variances, size, group)


def band(penalty: Penalty, unjudged: Floats, score: Floats, level: float = 0.9) -> Band:
    """Predict the losses of runs of a new group, with intervals at a level in (0, 1).

    Each left-out run predicts the new one by what taught to predict itself, and by its own error. The ends are the
    quantiles of these at level (1 + 1 / groups): a new group's error has as good a chance as theirs to be the largest.
    Of groups so few that the quantile is the largest error, one error would say all: there the ends are those of
    Student's t, by the mean of the variances that all groups but each teach.

    >>> slopes, variances = np.tile([0.2, 0.0], (7, 1)), np.tile([0.0, 0.01], (7, 1))
    >>> known = Penalty(slopes[0], slopes, variances, np.full(7, 2.0), np.arange(7))
    >>> found = band(known, np.array([0.5]), np.array([0.3]))
    >>> found.expected.tolist(), found.high.round(3).tolist()  # 0.1 + 2.015 * 0.05
    ([0.1], [0.201])
    """
    x = _terms(unjudged, score)
    expected = x @ penalty.slopes
    groups = len(penalty.without)
    enough = level * (1 + 1 / groups)
    if enough > 1 - 1 / groups:
        variance = penalty.variances.mean(axis=0)
        freedom = groups - x.shape[1]
        half = stdtrit(freedom, (1 + level) / 2) * _deviation(variance, unjudged)
        return Band(expected, expected - half, expected + half)
    # (new run, group): what all groups but one predict, and how far errors reach by them
    centre = x @ penalty.without.T
    deviation = _deviation(penalty.variances, unjudged[:, None])
    # (new run, left-out run)
    reach = deviation[:, penalty.group] * penalty.errors
    middle = centre[:, penalty.group]
    weight = _weights(penalty.group)
    low = -_quantile(reach - middle, weight, enough)
    high = _quantile(middle + reach, weight, enough)
    return Band(expected, np.minimum(low, expected), np.maximum(high, expected))


def leave_out(
    loss: Floats, unjudged: Floats, score: Floats, group: Indices, level: float = 0.9
) -> Band:
    """Predict the runs of each group from all other groups: what `band` would have said of them before; (run,).

    Needs one group more than `fit`. How many losses lie within is the coverage of the intervals.
    """
    losses = np.empty((3, len(loss)))  # expected, low and high
    for left in np.unique(group):
        out = group == left
        others = np.unique(group[~out], return_inverse=True)[1]
        learned = fit(loss[~out], unjudged[~out], score[~out], others)
        losses[:, out] = band(learned, unjudged[out], score[out], level)
    return Band(*losses)


def coverage(loss: Floats, within: Band, group: Indices) -> float:
    """Return the share of losses within their intervals, groups counted alike: in [0, 1].

    >>> within = Band(np.zeros(3), -np.ones(3), np.ones(3))
    >>> coverage(np.array([0.0, 2.0, 0.5]), within, np.array([0, 0, 1]))
    0.75
    """
    inside = (loss >= within.low) & (loss <= within.high)
    counts = np.bincount(group)
    there = counts > 0
    share = np.bincount(group, inside)[there] / counts[there]  # of each group's runs
    return float(share.mean())


def _terms(unjudged: Floats, score: Floats) -> Floats:
    """Return what a loss is linear in: u and S u, (run, 2)."""
    return np.stack([unjudged, score * unjudged], axis=-1)


def _weights(group: Indices) -> Floats:
    """Return the weight of each run: one over the runs of its group."""
    return np.asarray(1 / np.bincount(group)[group])


def _quantile(values: Floats, weight: Floats, level: float) -> Floats:
    """Return the weighted quantile of each row: values (row, run), weights (run,) to (row,); the largest beyond 1."""
    order = np.argsort(values, axis=1)
    rising = np.take_along_axis(values, order, axis=1)
    share = np.cumsum(weight[order], axis=1) / weight.sum()
    # shares are sums of fractions: equal but for rounding
    wanted = min(level, 1.0) - 1e-12
    below = (share < wanted).sum(axis=1)
    place = np.minimum(below, values.shape[1] - 1)
    rows = np.arange(len(values))
    return np.asarray(rising[rows, place])


def _least_squares(x: Floats, y: Floats, weight: Floats) -> Floats:
    """Return the coefficients of y on x (run, 2) by weights (..., run): the shortest where many fit, (..., 2)."""
    squares = np.einsum("...r,ra,rb->...ab", weight, x, x)  # X' W X
    products = np.einsum("...r,ra,r->...a", weight, x, y)  # X' W y
    inverse = np.linalg.pinv(squares, rcond=1e-10, hermitian=True)
    return np.asarray(np.einsum("...ab,...b->...a", inverse, products))


def _deviation(variances: Floats, unjudged: Floats) -> Floats:
    """Return the standard deviation of errors, the root of v + w u²; variances (..., 2), v and w."""
    return np.asarray(np.sqrt(variances[..., 0] + variances[..., 1] * unjudged**2))


def _variances(squares: Floats, unjudged: Floats, weight: Floats) -> Floats:
    """Fit squared errors by v + w u², neither below 0, by weights (group, run): (group, 2).

    Where least squares has one of the two below 0, the other alone is fitted: whichever fits better.
    """
    x = np.stack([np.ones_like(unjudged), unjudged**2], axis=-1)  # 1 and u²
    both = _least_squares(x, squares, weight)
    # one of the two alone: sum of w x y over sum of w x², (group, 2)
    products = weight @ (x * squares[:, None])
    size = weight @ x**2
    alone = np.divide(products, size, out=np.zeros_like(size), where=size > 0)
    # what each of the two leaves: (group, run, 2), then summed over runs
    gap = squares[:, None] - alone[:, None] * x
    misfit = np.einsum("gr,gra->ga", weight, gap**2)
    better = np.arange(2) == misfit.argmin(axis=1)[:, None]
    usable = both.min(axis=1, keepdims=True) >= 0
    return np.where(usable, both, alone * better)
