"""Systems on different collections by standardized scores: their differences, with the factors' own uncertainty.

A standardized score is Phi(z), z the standard deviations above the mean of the topic's standardizing systems. Two
things vary: the topics, and which systems happened to standardize. Other standardizing systems would move the scores of
all topics together, since a system that is good on one topic tends to be good on others. To the first order,
standardizing system s, one of m, moves the score of a system at z_t by -phi(z_t) (z_st + z_t (z_st² - 1) / 2) / m. So a
system's mean depends on two numbers of its own, its `loadings`, and on the standardizing systems by the covariance,
between different topics, of the means of z_st and of (z_st² - 1) / 2: their `spread`.
Source of the scores: Webber, Moffat and Zobel (SIGIR 2008), equation 2; the rest is irmeta's.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, stdtr, stdtrit

from irmeta.stats.arrays import Floats, Indices, Ints
from irmeta.stats.halves.teams import sums


class Spread(NamedTuple):
    """How far other standardizing systems would move all topics together.

    covariance : (2, 2), of the means over standardizing systems of z and of (z² - 1) / 2.
    units : how many were drawn independently: systems, or the teams that submitted them.
    """

    covariance: Floats
    units: int


class Placed(NamedTuple):
    """Systems on one collection: their standardized scores (system, topic), and loadings (system, 2)."""

    scores: Floats
    loadings: Floats


class Estimate(NamedTuple):
    """Figures with their standard errors and Student's degrees of freedom, arrays of one shape."""

    value: Floats
    error: Floats
    df: Floats

    def interval(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """Return both ends of the interval that covers the true figure at a level in (0, 1).

        >>> [end.round(3).item() for end in Estimate(np.array(0.5), np.array(0.1), np.array(1e9)).interval()]
        [0.304, 0.696]
        """
        half = stdtrit(self.df, (1 + level) / 2) * self.error
        return self.value - half, self.value + half

    @property
    def p(self) -> Floats:
        """Two-sided p of a figure of 0; 1 where figure and error are both 0, NaN where the error is not known."""
        size = np.abs(self.value)
        t = np.divide(
            size, self.error, out=np.where(size > 0, np.inf, 0.0), where=self.error > 0
        )
        return np.where(np.isnan(self.error), np.nan, 2 * stdtr(self.df, -t))


def place(z: Floats) -> Placed:
    """Return standardized scores and loadings of systems with z of shape (system, topic).

    Topics on which all standardizing systems score alike have z = 0 for every system.

    >>> place(np.array([[0.0, 0.0]])).loadings.round(4).tolist()
    [[-0.3989, -0.0]]
    """
    slopes = np.exp(-0.5 * z**2) / np.sqrt(2 * np.pi)  # phi(z)
    # mean over topics of -phi(z_t), and of -phi(z_t) z_t
    loadings = -np.stack([slopes.mean(axis=1), (slopes * z).mean(axis=1)], axis=-1)
    return Placed(np.asarray(ndtr(z)), loadings)


def spread(z: Floats, team: Ints | None = None) -> Spread:
    """Return how far other standardizing systems would move all topics together.

    z : of the standardizing systems themselves, (system, topic), 2 topics or more.
    team : of each system, numbered from 0; by default each system is one. Systems of a team resemble each other: taken
    one by one they look more certain than they are.
    Only what two different topics share is counted; the rest is in the variance over topics.

    >>> spread(np.array([[1.0, 1.0], [-1.0, -1.0]])).covariance.tolist()
    [[1.0, 0.0], [0.0, 0.0]]
    """
    systems, topics = z.shape
    if team is None:
        team = np.arange(systems)
    count = int(team.max()) + 1
    if count < 2:
        return Spread(np.full((2, 2), np.nan), count)
    both = np.stack([z, (z**2 - 1) / 2])  # (2, system, topic)
    both -= both.mean(axis=1, keepdims=True)
    # (2, team, topic): x(t), summed over the systems of a team
    by_team = sums(both, team, axis=1)
    total = by_team.sum(axis=2)
    # sum over topics t != u of x_a(t) x_b(u) = (sum over t of x_a)(sum over u of x_b) - sum over t of x_a(t) x_b(t)
    pairs = total @ total.T - np.einsum("aut,but->ab", by_team, by_team)
    between = pairs / (topics * (topics - 1))
    # variance of a mean of `systems` from `count` independent sums of mean 0: count / (count - 1) sum² / systems²
    return Spread(_positive(between * count / (count - 1) / systems**2), count)


def joint(spreads: Sequence[Spread], shared: Floats) -> Floats:
    """Return the covariance (2 C, 2 C) of what moves C collections, some of whose standardizing systems are the same.

    shared : (C, C), the number of standardizing systems that two collections share over the root of the product of
    their numbers: 1 on the diagonal, 0 where they share none.

    >>> one = Spread(np.eye(2), 10)
    >>> joint([one, one], np.eye(2)).tolist() == np.eye(4).tolist()
    True
    """
    covariances = np.array([one.covariance for one in spreads])
    middle = (covariances[:, None] + covariances) / 2  # (C, C, 2, 2)
    blocks = shared[:, :, None, None] * middle
    return _positive(blocks.transpose(0, 2, 1, 3).reshape(2 * len(spreads), -1))


def means(placed: Sequence[Placed], spreads: Sequence[Spread]) -> Estimate:
    """Return the mean standardized score of every system, those of one collection after those of another: (system,)."""
    parts = [_means_on_one(*each) for each in zip(placed, spreads, strict=True)]
    return Estimate(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def differences(
    placed: Sequence[Placed], spreads: Sequence[Spread], shared: Floats
) -> Estimate:
    """Return the differences of means of all systems of all collections: row less column, (system, system).

    Systems of one collection are compared on its topics in pairs, those of two collections on topics of their own
    (Welch's test); both with what the factors add (the loadings' difference: what moves both alike drops out). The
    degrees of freedom are Satterthwaite's.

    >>> placed = Placed(np.array([[0.0, 1.0, 2.0]]), np.zeros((1, 2)))
    >>> found = differences([placed, placed], [Spread(np.zeros((2, 2)), 9)] * 2, np.eye(2))
    >>> found.error[0, 1].round(4), found.df[0, 1].round(4)  # the root of 1/3 + 1/3
    (np.float64(0.8165), np.float64(4.0))
    """
    collection, loadings = _stacked(placed)
    mean = np.concatenate([one.scores.mean(axis=1) for one in placed])
    moved = joint(spreads, shared)
    # what the factors add to a difference: g' V g of the difference g of two loadings
    gap = loadings[:, None] - loadings  # (system, system, 2 C)
    factors = np.maximum(np.einsum("ija,ab,ijb->ij", gap, moved, gap), 0.0)
    topics, squares = _topic_variances(placed, collection)
    freedom = np.array([one.units - 1.0 for one in spreads])[collection]
    variance = topics + factors
    # Satterthwaite: V² / sum of (part² / its degrees of freedom)
    squares = squares + factors**2 / np.minimum(freedom[:, None], freedom)
    difference = mean[:, None] - mean
    return Estimate(difference, np.sqrt(variance), _freedom(variance, squares))


def beside_known_means(
    own: Estimate, mean: Floats, variance: Floats, topics: int
) -> Estimate:
    """Return differences from systems of which only mean and variance over the same topics are known: (system, other).

    own : of some systems, without what the factors add (both have them).  mean, variance : of the others, (other,).
    Their covariance is not known and taken as 0: standardized scores of two systems hardly vary together, since what
    makes a topic hard for all is gone. Welch's test.

    >>> own = Estimate(np.array([0.5]), np.array([0.03]), np.array([9.0]))
    >>> beside_known_means(own, np.array([0.4]), np.array([0.016]), 10).error.round(6).tolist()
    [[0.05]]
    """
    ours = own.error[:, None] ** 2
    theirs = variance / topics
    total = ours + theirs
    # Welch and Satterthwaite: V² / sum of (part² / its degrees of freedom)
    squares = own.error[:, None] ** 4 / own.df[:, None]
    squares = squares + theirs**2 / (topics - 1)
    difference = own.value[:, None] - mean
    return Estimate(difference, np.sqrt(total), _freedom(total, squares))


def drawn(
    placed: Sequence[Placed],
    spreads: Sequence[Spread],
    shared: Floats,
    draws: int,
    rng: np.random.Generator,
) -> Floats:
    """Draw how far the means of all systems may lie from what they are: (draw, system), around 0.

    Topics are drawn by random signs of scores about the mean of all, as in `rank_sets`: two systems of one collection
    are compared by signs of their differences. The factors' part is from a normal distribution.
    """
    _, loadings = _stacked(placed)
    # normal draws with the covariance V = U diag(v) U': z diag(sqrt v) U'
    values, vectors = np.linalg.eigh(joint(spreads, shared))
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    moved = rng.normal(size=(draws, len(values))) @ root.T
    middle = np.concatenate([one.scores.mean(axis=1) for one in placed]).mean()
    parts = []
    for one in placed:
        topics = one.scores.shape[1]
        signs = rng.choice(np.array([-1.0, 1.0]), size=(draws, topics))
        parts.append(signs @ (one.scores - middle).T / topics)
    return np.asarray(np.hstack(parts) + moved @ loadings.T)


def _means_on_one(placed: Placed, spread: Spread) -> Estimate:
    """Return the means of the systems of one collection: topics vary, and so does what the factors move."""
    mean = placed.scores.mean(axis=1)
    topics = placed.scores.shape[1]
    sampling = placed.scores.var(axis=1, ddof=1) / topics
    # l' V l of each system's loadings l
    loadings = placed.loadings
    factors = np.einsum("sa,ab,sb->s", loadings, spread.covariance, loadings)
    factors = np.maximum(factors, 0.0)
    variance = sampling + factors
    # Satterthwaite: V² / sum of (part² / its degrees of freedom)
    squares = sampling**2 / (topics - 1) + factors**2 / (spread.units - 1)
    return Estimate(mean, np.sqrt(variance), _freedom(variance, squares))


def _freedom(variance: Floats, squares: Floats) -> Floats:
    """Return Satterthwaite's degrees of freedom, V² / squares; 1 where nothing varies."""
    none = np.ones_like(variance)
    return np.divide(variance**2, squares, out=none, where=squares > 0)


def _stacked(placed: Sequence[Placed]) -> tuple[Indices, Floats]:
    """Return the collection of each system, and its loadings at that collection's place: (system, 2 C), 0 elsewhere."""
    collection = np.repeat(np.arange(len(placed)), [len(one.scores) for one in placed])
    loadings = np.zeros((len(collection), 2 * len(placed)))
    for at, one in enumerate(placed):
        loadings[collection == at, 2 * at : 2 * at + 2] = one.loadings
    return collection, loadings


def _topic_variances(
    placed: Sequence[Placed], collection: Indices
) -> tuple[Floats, Floats]:
    """Return what the topics add to each difference's variance, and the sum of (part² / degrees of freedom)."""
    counts = np.array([one.scores.shape[1] for one in placed], dtype=np.float64)
    topics = counts[collection]
    # the variance of each mean, and that of the difference of means on other topics
    spread = np.concatenate([one.scores.var(axis=1, ddof=1) for one in placed])
    own = spread / topics
    variance = own[:, None] + own
    parts = own**2 / (topics - 1)
    squares = parts[:, None] + parts
    for at, one in enumerate(placed):
        here = np.ix_(collection == at, collection == at)
        count = one.scores.shape[1]
        covariance = np.atleast_2d(np.cov(one.scores)) / count
        # on the same topics the variance of a difference is a's + b's - 2 cov(a, b)
        paired = np.maximum(variance[here] - 2 * covariance, 0.0)
        variance[here] = paired
        squares[here] = paired**2 / (count - 1)
    return variance, squares


def _positive(matrix: Floats) -> Floats:
    """Return the nearest matrix without negative eigenvalues: an estimate may have some."""
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    if values.min() >= 0:
        return matrix
    return np.asarray((vectors * np.maximum(values, 0.0)) @ vectors.T)
