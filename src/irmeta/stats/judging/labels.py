"""Agreement of labels: Cohen's kappas, Krippendorff's alpha, leniency, from tables of how often grades meet.

A table counts, for each topic, the documents that one set gives grade i and the other grade j. What is left without a
topic is the sum less the topic's table, so that the jackknife over topics costs next to nothing. Topics are left out,
and not documents: those of one topic are not independent.
"""

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
from scipy.special import stdtrit

from irmeta.stats.arrays import Floats, Ints
from irmeta.stats.rankings.rank import outer, over

Scale = Literal["nominal", "ordinal", "interval"]
Figure = Callable[[Floats], Floats]


class Estimate(NamedTuple):
    """A figure with its 95% interval over topics; NaN where it is not defined."""

    value: float
    low: float
    high: float


def cooccurrences(
    row: Ints, column: Ints, topic: Ints, shape: tuple[int, int, int]
) -> Floats:
    """Count how often grades meet: indices of both grades and of the topic of each pair to (topic, grade, grade).

    >>> cooccurrences(np.array([0, 1]), np.array([1, 1]), np.array([0, 0]), (1, 2, 2)).tolist()
    [[[0.0, 1.0], [0.0, 1.0]]]
    """
    topics, rows, columns = shape
    # the cell of (topic, row, column) in a flat table
    cell = (topic * rows + row) * columns + column
    counts = np.bincount(cell, minlength=topics * rows * columns)
    return counts.reshape(shape).astype(np.float64)


def coincidences(codes: Ints, topic: Ints, topics: int, grades: int) -> Floats:
    """Count how often grades meet among any number of sets: codes (set, pair), -1 for none, to (topic, grade, grade).

    A pair that u sets judged adds each of its u (u - 1) ordered pairs of grades, divided by u - 1. Source:
    Krippendorff (2018), Content Analysis, chapter 12.
    """
    # how many sets give each grade to each pair: (pair, grade)
    counts = [(codes == grade).sum(axis=0) for grade in range(grades)]
    votes = np.stack(counts, axis=1).astype(np.float64)
    judged = votes.sum(axis=1)
    # pairs that one set judged meet nothing
    several = judged > 1
    votes = votes[several]
    judged = judged[several]
    topic = topic[several]
    table = np.zeros((topics, grades, grades))
    for which in range(topics):
        here = topic == which
        others = judged[here, None] - 1  # u - 1
        # sum over pairs of votes x votes' / (u - 1)
        some = votes[here] / np.sqrt(others)
        table[which] = some.T @ some
        # a set does not meet itself: each of its u votes meets its own grade 1 / (u - 1) times too often
        own = votes[here] / others
        table[which] -= np.diag(own.sum(axis=0))
    return table


def kappa(table: Floats, weights: Floats) -> Floats:
    """Return Cohen's kappa of tables (..., grade, grade): 1 - observed over expected disagreement.

    weights : how much each pair of grades disagrees, (grade, grade). Sources: Cohen (1960, 1968).

    >>> float(kappa(np.array([[2.0, 0], [1, 1]]), 1 - np.eye(2)))
    0.5
    """
    total = table.sum(axis=(-1, -2))
    rows = table.sum(axis=-1)
    columns = table.sum(axis=-2)
    observed = (table * weights).sum(axis=(-1, -2))
    # expected where grades meet by chance: row total x column total / total
    chance = np.einsum("...i,ij,...j->...", rows, weights, columns)
    return np.asarray(1 - over(observed * total, chance))


def alpha(table: Floats, grades: Floats, scale: Scale) -> Floats:
    """Return Krippendorff's alpha of symmetric tables of coincidences (..., grade, grade): 1 - observed over expected.

    scale : how far grades are apart: "nominal", equal or not; "interval", by their square difference; "ordinal", by
    the square of how many labels lie between. Source: Krippendorff (2018), chapter 12.
    """
    counts = table.sum(axis=-1)  # n_c, (..., grade)
    total = counts.sum(axis=-1)  # n
    distance = _distance(counts, grades, scale)
    observed = (table * distance).sum(axis=(-1, -2))
    # where grades meet by chance: sum of n_c n_k d_ck
    products = outer(counts, counts)
    expected = (products * distance).sum(axis=(-1, -2))
    # alpha = 1 - (n - 1) sum o_ck d_ck / sum n_c n_k d_ck
    return np.asarray(1 - over((total - 1) * observed, expected))


def _distance(counts: Floats, grades: Floats, scale: Scale) -> Floats:
    """Return the squared distance of each two grades, which is what `alpha` says of the scale: (..., grade, grade)."""
    shape = (*counts.shape, grades.size)
    if scale == "nominal":
        return np.broadcast_to(1 - np.eye(grades.size), shape)
    if scale == "interval":
        return np.broadcast_to((grades[:, None] - grades) ** 2, shape)
    # the labels up to each grade, half of its own included; between two grades lies what these differ by
    middle = counts.cumsum(axis=-1) - counts / 2
    gap = middle[..., :, None] - middle[..., None, :]
    return np.asarray(gap**2)


def leniency(table: Floats, grades: Floats) -> Floats:
    """Return the judge's mean grade less the truth's, of tables (..., truth's grade, judge's grade)."""
    gap = grades[None, :] - grades[:, None]
    total = table.sum(axis=(-1, -2))
    gained = (table * gap).sum(axis=(-1, -2))
    return over(gained, total)


def over_topics(figure: Figure, table: Floats) -> Estimate:
    """Compute a figure of all topics' tables (topic, grade, grade) together, with its jackknife interval over topics.

    Student's t with topics - 1 degrees of freedom; topics without a pair do not count. Source: Efron and Tibshirani
    (1993), chapter 11.
    """
    table = table[table.sum(axis=(1, 2)) > 0]
    topics = len(table)
    total = table.sum(axis=0)
    value = float(figure(total)) if topics else float("nan")
    if topics < 4:
        return Estimate(value, float("nan"), float("nan"))
    without = figure(total - table)
    # (n - 1) / n times the sum of squares about the mean
    squares = ((without - without.mean()) ** 2).sum()
    error = np.sqrt((topics - 1) / topics * squares)
    half = float(stdtrit(topics - 1, 0.975) * error)
    return Estimate(value, value - half, value + half)
