"""How alike the same systems score on two collections: dRMSE and false positives, and what chance gives of them."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from itertools import islice
from typing import TypeVar

import numpy as np
from scipy.special import stdtr, stdtrit

from irmeta.parallel import in_order, steps, streams
from irmeta.stats.arrays import Bools, Floats

Key = TypeVar("Key", bound=Hashable)
_BLOCK = 1 << 16
"""Numbers of one kind in a block of random splits: some milliseconds of work."""


def drmse(a: Floats, b: Floats) -> Floats:
    """Root mean square difference of systems' means, in units of their standard deviation (divisor n - 1).

    sqrt(mean((a - b)^2)) / ((sd(a) + sd(b)) / 2).

    a, b : means of shape (..., system).  Returns (...,), from 0; NaN where systems differ on neither.
    Source: Webber et al. (SIGIR 2008), equations 3 and 4.

    >>> float(drmse(np.array([0.1, 0.2, 0.3]), np.array([0.2, 0.3, 0.4])).round(12))
    1.0
    """
    spread = (a.std(axis=-1, ddof=1) + b.std(axis=-1, ddof=1)) / 2
    return _in_units_of(spread, a, b)


def rmse(a: Floats, b: Floats) -> Floats:
    """Return the root mean square difference of systems' means.

    a, b : means of shape (..., system).  Returns (...,), from 0, in the unit of the scores.
    Source: Webber et al. (SIGIR 2008), equation 3.

    >>> float(rmse(np.array([0.1, 0.2]), np.array([0.2, 0.3])).round(12))
    0.1
    """
    return np.asarray(np.sqrt(((a - b) ** 2).mean(axis=-1)))


def geometric_drmse(a: Floats, b: Floats) -> Floats:
    """Return the root mean square difference in units of the geometric mean of both standard deviations.

    a, b : means of shape (..., system).  Returns (...,), at least dRMSE; NaN where systems differ on neither.
    Source: Webber et al. (SIGIR 2008), section 5, the remark on equation 4.

    >>> float(geometric_drmse(np.array([0.1, 0.2, 0.3]), np.array([0.2, 0.3, 0.4])).round(12))
    1.0
    """
    return _in_units_of(np.sqrt(a.std(axis=-1, ddof=1) * b.std(axis=-1, ddof=1)), a, b)


def _in_units_of(spread: Floats, a: Floats, b: Floats) -> Floats:
    """Divide the RMSE of means (..., system) by a spread (...,); NaN where it is 0 to 10 decimals."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(spread > 5e-11, rmse(a, b) / spread, np.nan))


def drmse_interval(a: Floats, b: Floats, level: float = 0.95) -> tuple[float, float]:
    """Return the interval of the dRMSE that other samples of as many topics of the two collections would give.

    a, b : scores of shape (system, topic), of the same systems.  NaN with fewer than 4 topics on a side. The jackknife
    of the logarithm: each topic is left out of its collection in turn, and the variances of both collections add up,

        sum over both of (n - 1) / n sum_t (log d_t - mean)^2,

    with Student's t on n + m - 2 degrees of freedom. Source: Efron and Tibshirani (1993), chapter 11.

    >>> rng = np.random.default_rng(0)
    >>> low, high = drmse_interval(rng.random((9, 20)), rng.random((9, 20)) + np.linspace(0, 1, 9)[:, None])
    >>> low < high
    True
    """
    n = a.shape[1]
    m = b.shape[1]
    mean_a = a.mean(axis=1)
    mean_b = b.mean(axis=1)
    whole = drmse(mean_a, mean_b)
    if min(n, m) < 4 or not whole > 0:
        return np.nan, np.nan
    # log d_t, without each topic of the one collection and of the other
    without_a = np.log(drmse(_means_without(a), mean_b))
    without_b = np.log(drmse(mean_a, _means_without(b)))
    # (n - 1) / n times the sum of squares is n - 1 times their mean
    variance = sum((len(logs) - 1) * logs.var() for logs in (without_a, without_b))
    half = stdtrit(n + m - 2, (1 + level) / 2) * np.sqrt(variance)
    return float(whole * np.exp(-half)), float(whole * np.exp(half))


def _means_without(scores: Floats) -> Floats:
    """Return the means of systems without each topic in turn: (topic, system)."""
    rest = scores.sum(axis=1)[:, None] - scores
    return np.asarray(rest.T / (scores.shape[1] - 1))


def own_difference(
    a: Floats, b: Floats, alpha: float = 0.05
) -> tuple[Floats, Floats, Floats]:
    """Return each system's mean on the first topics less that on the second, half its interval's width, and its p.

    a, b : scores of shape (system, topic), topics of their own.  alpha : the interval has the level 1 - alpha.
    Returns three times (system,), of the two-sided two-sample t test with equal variances; p is 1 where a system scores
    the same everywhere. Source: Webber et al. (SIGIR 2008), section 5.

    >>> difference, half, p = own_difference(np.array([[0.1, 0.2, 0.1]]), np.array([[0.8, 0.9, 0.9, 0.8]]))
    >>> float(difference[0].round(3)), bool(p[0] < 0.001)
    (-0.717, True)
    """
    n = a.shape[1]
    m = b.shape[1]
    freedom = n + m - 2
    difference = a.mean(axis=1) - b.mean(axis=1)
    # squares about each mean, summed
    squares = a.var(axis=1) * n + b.var(axis=1) * m
    # the standard error of the difference, from the pooled variance
    error = np.sqrt(squares / freedom * (1 / n + 1 / m))
    size = np.abs(difference)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(size > 1e-12, size / error, 0.0)
    half = stdtrit(freedom, 1 - alpha / 2) * error
    # both tails
    p = 2 * stdtr(freedom, -t)
    return difference, half, np.asarray(p)


def differs_from_itself(a: Floats, b: Floats, alpha: float = 0.05) -> Bools:
    """Return which systems a two-sided two-sample t test (equal variances) finds different on two sets of topics.

    a, b : scores of shape (system, topic), topics of their own.  Returns (system,). Every True is a false positive.
    Source: Webber et al. (SIGIR 2008), section 5.

    >>> differs_from_itself(np.array([[0.1, 0.2, 0.1]]), np.array([[0.8, 0.9, 0.9, 0.8]])).tolist()
    [True]
    """
    n = a.shape[1]
    m = b.shape[1]
    difference = a.mean(axis=1) - b.mean(axis=1)
    squares = a.var(axis=1) * n + b.var(axis=1) * m
    return _beyond(difference, squares, n, m, alpha)


def repartition(
    a: Floats, b: Floats, draws: int, rng: np.random.Generator, alpha: float = 0.05
) -> tuple[Floats, Floats]:
    """Split the topics of both collections at random into two sets of the same sizes: the dRMSE and false positives.

    a, b : scores of shape (system, topic).  Returns the dRMSE and the share of false positives, each (draws,).
    Source: Webber et al. (SIGIR 2008), section 5; topics are drawn without replacement.
    """
    n = a.shape[1]
    m = b.shape[1]
    pooled = np.hstack([a, b])
    means = pooled.mean(axis=1)
    # sums of centred scores keep their digits
    centered = pooled - means[:, None]
    total = centered.sum(axis=1)
    squares = (centered**2).sum(axis=1)

    order = rng.random((draws, n + m)).argsort(axis=1)
    chosen = np.zeros(order.shape)  # (draw, topic): 1 in the first set
    np.put_along_axis(chosen, order[:, :n], 1.0, axis=1)
    first = chosen @ centered.T  # (draw, system): sums over the first set

    mean_a = first / n
    mean_b = (total - first) / m
    # sum of squares within both sets = of all - n mean_a^2 - m mean_b^2
    within = squares - n * mean_a**2 - m * mean_b**2
    positives = _beyond(mean_a - mean_b, within, n, m, alpha)
    return drmse(mean_a + means, mean_b + means), positives.mean(axis=1)


def repartitions(
    scores: Mapping[Key, Floats],
    pairs: Sequence[tuple[Key, Key]],
    draws: int,
    rng: np.random.Generator,
    alpha: float = 0.05,
) -> Iterator[tuple[Floats, Floats]]:
    """Do as `repartition` for every pair of collections, named by the keys of their scores, in the order given."""
    sizes = [_block_size(scores[a], scores[b]) for a, b in pairs]
    blocks = _blocks(pairs, sizes, draws, rng)
    counts = [-(-draws // size) for size in sizes]  # rounded up
    with closing(
        in_order(partial(_repartition_block, scores, alpha), blocks)
    ) as arriving:
        redrawn = steps(arriving, "blocks of re-partitions", total=sum(counts))
        for count in counts:
            errors, rates = zip(*islice(redrawn, count), strict=True)
            yield np.concatenate(errors), np.concatenate(rates)


def _blocks(
    pairs: Sequence[tuple[Key, Key]],
    sizes: Sequence[int],
    draws: int,
    rng: np.random.Generator,
) -> Iterator[tuple[tuple[Key, Key], np.random.Generator, int]]:
    """Cut the draws of every pair into blocks of its size; each pair, and each of its blocks, has its own stream."""
    for pair, (own, _), size in zip(
        pairs, streams(rng, len(pairs), 1), sizes, strict=True
    ):
        for stream, number in streams(own, draws, size):
            yield pair, stream, number


def _block_size(a: Floats, b: Floats) -> int:
    """Return how many draws to compute together, of two collections' scores (system, topic)."""
    topics = a.shape[1] + b.shape[1]
    return max(1, _BLOCK // max(len(a), topics))


def _repartition_block(
    scores: Mapping[Key, Floats],
    alpha: float,
    block: tuple[tuple[Key, Key], np.random.Generator, int],
) -> tuple[Floats, Floats]:
    """Do as `repartition` for one block: a pair of collections, its random stream, and how many draws."""
    (a, b), rng, draws = block
    return repartition(scores[a], scores[b], draws, rng, alpha)


def quantile(observed: Floats, null: Floats) -> Floats:
    """Return where a value stands among chance ones: the share of them below it, those equal to it counted half.

    observed : (...);  null : (draw, ...).  Returns (...); NaN where observed is.

    >>> float(quantile(np.array(3.0), np.array([1.0, 2.0, 3.0, 4.0])))
    0.625
    """
    equal = np.abs(null - observed) <= 1e-12
    share = np.where(equal, 0.5, null < observed).mean(axis=0)
    return np.asarray(np.where(np.isnan(observed), np.nan, share))


def _beyond(difference: Floats, squares: Floats, n: int, m: int, alpha: float) -> Bools:
    """Test mean differences with the pooled sum of squares within both samples: |t| beyond its critical value.

    t^2 = difference^2 / (squares / (n + m - 2) * (1/n + 1/m)).
    """
    freedom = n + m - 2
    critical = stdtrit(freedom, 1 - alpha / 2)
    error = squares / freedom * (1 / n + 1 / m)
    return np.asarray(difference**2 > critical**2 * np.maximum(error, 0) + 1e-24)
