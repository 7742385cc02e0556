"""Means with their intervals, the ranks that intervals leave open, and the reliability of topics."""

import numpy as np
from scipy.special import ndtri, stdtr, stdtrit

from irmeta.stats.arrays import Bools, Floats, Ints, settled
from irmeta.stats.rankings.ranks import tied_ranks
from irmeta.stats.tests.multiplicity import holm


def t_interval(scores: Floats, level: float = 0.95) -> tuple[Floats, Floats]:
    """Return the ends of the t interval of the mean over the last axis, n - 1 degrees of freedom.

    mean -/+ t((1 + level) / 2, n - 1) * standard deviation / sqrt(n).

    >>> low, high = t_interval(np.array([0.1, 0.2, 0.3]))
    >>> float(low.round(4)), float(high.round(4))
    (-0.0484, 0.4484)
    """
    n = scores.shape[-1]
    mean = scores.mean(axis=-1)
    error = scores.std(axis=-1, ddof=1) / np.sqrt(n)
    half = stdtrit(n - 1, (1 + level) / 2) * error
    return mean - half, mean + half


def unbounded_interval(scores: Floats, level: float = 0.95) -> tuple[Floats, Floats]:
    """Return the ends of the t interval of each system's mean, of scores (..., topic), by its `shared` variance.

    >>> low, high = unbounded_interval(np.array([[0.1, 0.2, 0.3], [0.1, 0.2, 0.3]]))
    >>> low.round(4).tolist(), high.round(4).tolist()
    ([-0.0484, -0.0484], [0.4484, 0.4484])
    """
    n = scores.shape[-1]
    mean = scores.mean(axis=-1)
    variance, freedom = shared(scores)
    half = stdtrit(freedom, (1 + level) / 2) * np.sqrt(variance / n)
    return mean - half, mean + half


def bounded_interval(
    scores: Floats, level: float = 0.95, *, binary: bool = False
) -> tuple[Floats, Floats]:
    """Return the ends of the score interval of each system's mean, of scores (..., topic) within 0 and 1.

    The variance of a mean x is x (1 - x) / n times the system's `shared` variance; see `score_ends`.

    binary : scores are 0 or 1, which have the variance x (1 - x) / n, and the interval is Wilson's (1927).

    >>> low, high = bounded_interval(np.array([0.1, 0.2, 0.3]))
    >>> float(low.round(4)), float(high.round(4))
    (0.0566, 0.5104)
    """
    n = scores.shape[-1]
    mean = scores.mean(axis=-1)
    if binary:
        return score_ends(mean, np.full(mean.shape, ndtri((1 + level) / 2) ** 2 / n))
    variance, freedom = shared(scores, bounded=True)
    quantile = stdtrit(freedom, (1 + level) / 2)
    return score_ends(mean, quantile**2 * variance / n)


def shared(
    scores: Floats, *, bounded: bool = False, fewest: int | None = None
) -> tuple[Floats, float]:
    """Return each system's variance over topics, moved towards that of all systems, and its degrees of freedom.

    scores : (..., topic). Few topics seldom show the tail of skewed scores, but of several systems some do. v is a
    system's variance; where scores lie within 0 and 1 (`bounded`) it is divided by mean (1 - mean), and where all are
    0, or all 1, nothing is seen of it, and the largest possible is taken. It is moved by w of its distance to the
    common one, the sum of variances over that of divisors: w is the share of how v varies over systems that is error of
    estimating v, which leaving out each topic finds. So alike systems share one, and with many topics each has its own.
    Degrees of freedom are 2 v^2 over the squared error of what was moved, found in the same way, over all systems;
    those of one system alone, n - 1 or `fewest`, are the fewest, and those of all together the most.
    Source of the idea: James and Stein (1961); Smyth (Stat. Appl. Genet. Mol. Biol. 2004) for variances.

    >>> few = np.array([[0.0, 0.0, 0.1, 0.1], [0.0, 0.1, 0.2, 0.2], [0.1, 0.3, 0.1, 0.6]])
    >>> few.var(axis=1, ddof=1).round(3).tolist(), shared(few)[0].round(3).tolist()
    ([0.003, 0.009, 0.056], [0.019, 0.02, 0.029])
    """
    n = scores.shape[-1]
    fewest = n - 1 if fewest is None else fewest
    mean = scores.mean(axis=-1)
    variance = scores.var(axis=-1, ddof=1)
    divisor = _divisor(mean, bounded)
    own = _relative_variance(variance, divisor, n / fewest)
    known = (divisor > _NO_SPREAD) & ~np.isnan(mean)
    systems = known.sum()
    if fewest < 2 or systems < 2:
        return own, fewest
    largest = (n - 1) / (fewest - 1)  # with a topic less
    means, variances = _moments_without_each_topic(scores[known], mean[known, None])
    divisors = _divisor(means, bounded)
    left = _relative_variance(variances, divisors, largest)
    weight = _error_share(_jackknife_squared_error(left), own[known].var(ddof=1))
    common = variance[known].sum() / divisor[known].sum()
    moved = own + weight * (common - own)
    # moved in the same way without each topic
    commons = _relative_variance(variances.sum(axis=0), divisors.sum(axis=0), largest)
    error = _jackknife_squared_error(left + weight * (commons - left))
    freedom = 0.0
    if error:
        freedom = 2 * (moved[known] ** 2).mean() / error
    return moved, float(np.clip(freedom, fewest, fewest * systems))


def _divisor(mean: Floats, bounded: bool) -> Floats:
    """Return what variances are divided by: 1, or mean (1 - mean) of scores within 0 and 1 (`bounded`)."""
    if bounded:
        return mean * (1 - mean)
    return np.ones(mean.shape)


def _moments_without_each_topic(scores: Floats, mean: Floats) -> tuple[Floats, Floats]:
    """Return means and variances (system, topic) without each topic.  mean : of all topics, (system, 1)."""
    n = scores.shape[-1]
    away = scores - mean
    squares = (away**2).sum(axis=-1, keepdims=True) - away**2 * n / (n - 1)
    return mean - away / (n - 1), squares / (n - 2)


def _error_share(error: float, between: float) -> float:
    """Return the share of how variances vary over systems that is error of estimating them; 1 where they are equal."""
    if not between:
        return 1.0
    return error / max(between, error)


def _jackknife_squared_error(left: Floats) -> float:
    """Return the mean over systems of the jackknife's squared error, (n - 1)/n times the sum of squares over topics."""
    return float((left.shape[-1] - 1) * left.var(axis=-1).mean())


_NO_SPREAD = 1e-12
"""Up to this mean (1 - mean) of scores within 0 and 1 is what rounding leaves of 0."""


def _relative_variance(variance: Floats, divisor: Floats, largest: float) -> Floats:
    """Return the variance by its divisor; where that is 0 the largest there is, n / (n - 1) of n scores."""
    seen = divisor > _NO_SPREAD
    return np.where(seen, variance / np.where(seen, divisor, 1), largest)


def score_ends(mean: Floats, k: Floats) -> tuple[Floats, Floats]:
    """Return the ends of all x within 0 and 1 for which (mean - x)^2 <= k x (1 - x).

    mean : a value beyond 0 and 1 is taken as the nearer of both.  Source: Wilson (1927).
    """
    # x^2 (1 + k) - x (2 mean + k) + mean^2 <= 0
    mean = np.clip(mean, 0, 1)
    middle = (mean + k / 2) / (1 + k)
    half = np.sqrt(k * mean * (1 - mean) + k**2 / 4) / (1 + k)
    return middle - half, middle + half


def ranks(means: Floats) -> Ints:
    """Rank systems (last axis) by mean, best first, from 1; equal means, to 10 decimals, share the better rank.

    >>> ranks(np.array([0.2, 0.4, 0.2])).tolist()
    [2, 1, 2]
    """
    return tied_ranks(-settled(means), "min").astype(np.int64)


def rank_intervals(means: Floats, low: Floats, high: Floats) -> tuple[Ints, Ints]:
    """Return the best and the worst rank among the systems whose intervals overlap the system's own; shape (system,).

    Source: the reading of Figure 2 in Webber et al. (SIGIR 2008), section 3.

    >>> rank_intervals(np.array([0.5, 0.4, 0.1]), np.array([0.4, 0.3, 0.0]), np.array([0.6, 0.5, 0.2]))
    (array([1, 1, 3]), array([2, 2, 3]))
    """
    rank = ranks(means)
    begins_before = low[:, None] <= high[None, :]
    overlap = begins_before & begins_before.T
    best = np.where(overlap, rank, rank.max()).min(axis=1)
    # the worst of the ranks that equal means share
    last = means.size + 1 - ranks(-means)
    worst = np.where(overlap, last, 1).max(axis=1)
    return best, worst


def item_total(scores: Floats) -> Floats:
    """Return the reliability of each topic: Pearson's correlation over systems with the sum of the other topics.

    scores : (system, topic).  Returns (topic,) in [-1, 1]; NaN where all systems score alike. The total is corrected:
    it leaves the topic out. Source: Bodoff and Li (SIGIR 2007).

    >>> item_total(np.array([[0.1, 0.2], [0.2, 0.4], [0.3, 0.3]])).round(12).tolist()
    [0.5, 0.5]
    """
    # the sum of the other topics
    rest = scores.sum(axis=1, keepdims=True) - scores
    item = scores - scores.mean(axis=0)
    rest = rest - rest.mean(axis=0)
    # Pearson's r: sum(xy) / sqrt(sum(x^2) sum(y^2))
    products = (item * rest).sum(axis=0)
    squares = (item**2).sum(axis=0) * (rest**2).sum(axis=0)
    spread = np.sqrt(squares)
    with np.errstate(divide="ignore", invalid="ignore"):
        r = np.where(spread > 1e-12, products / spread, np.nan)
    return np.asarray(r)


def surely_reversed(scores: Floats, alpha: float = 0.05) -> Bools:
    """Return the topics on which better systems score worse beyond chance: the reliability is significantly below 0.

    scores : (system, topic).  alpha : the probability to name any topic whose true correlation is not below 0, by
    Holm's correction over topics.  Returns (topic,). One-sided t test of Pearson's r over m systems,

        t = r sqrt((m - 2) / (1 - r^2)),  m - 2 degrees of freedom,

    which takes systems as independent of each other. With fewer than 4 systems no topic is named.

    >>> scores = np.arange(20.0)[:, None] * [1, 1, -1] + np.sin(np.arange(60)).reshape(20, 3)
    >>> surely_reversed(scores).tolist()
    [False, False, True]
    """
    systems = len(scores)
    if systems < 4:
        return np.zeros(scores.shape[1], dtype=np.bool_)
    r = np.nan_to_num(item_total(scores))
    left = np.maximum(1 - r**2, 1e-12)  # r may be -1
    t = r * np.sqrt((systems - 2) / left)
    p = stdtr(systems - 2, t)  # the lower tail
    return np.asarray(holm(p) < alpha)


def at_percentiles(values: Floats, percentiles: Floats) -> Ints:
    """Return which of the values, from the highest down, stand at the percentiles: the one at position ceil(p/100 n).

    >>> at_percentiles(np.array([0.3, 0.9, 0.1, 0.5]), np.array([1, 50, 75])).tolist()
    [1, 3, 0]
    """
    n = values.size
    falling = np.argsort(-values, kind="stable")
    position = np.ceil(np.asarray(percentiles) / 100 * n - 1e-9).astype(int)
    return np.asarray(falling[position.clip(1, n) - 1])
