"""How many topics people are to judge beside a machine, which of them, and how wide intervals will be.

Source: Cochran (1977), Sampling Techniques, chapter 12.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from irmeta.stats.arrays import Floats, Ints


def best_share(rho: float, cost_human: float, cost_machine: float) -> float:
    """Return the share n / N of human topics that is cheapest for any precision: sqrt((1 - rho^2) / rho^2 x c_L / c_H).

    At most 1: then machine judgments do not pay. Source: Cochran (1977), section 12.3.

    >>> round(best_share(0.8, 20, 0.2), 3)
    0.075
    """
    if rho == 0:
        return 1.0
    unexplained = (1 - rho**2) / rho**2
    share = np.sqrt(unexplained * cost_machine / cost_human)
    return float(min(1.0, share))


@dataclass(frozen=True)
class Spread:
    """How human scores, or differences of them, vary over topics.

    variance : S^2, (system,) or (pair,).  explained : the share of it that the machine explains, each or of all.
    """

    variance: Floats
    explained: Floats | float = 0.0

    def error(self, n: int, total: float) -> Floats:
        """Return the standard error with n human topics of N: of S^2 ((1 - explained) / n + explained / N)."""
        share = (1 - self.explained) / n + self.explained / total
        return np.sqrt(self.variance * share)


def spread(variance: Floats, now: Floats, n: int, total: int, rho: float) -> Spread:
    """Return the spread by which the squared errors with n human topics of N are those of now.

    rho : what the machine explains where people judged all N topics, and errors do not tell.
    """
    if n == total:
        return Spread(variance, rho**2)
    # a machine explains all at most: no error is below S^2 / N
    variance = np.minimum(variance, total * now)
    # now = S^2 (1/n - explained (1/n - 1/N))
    explained = np.divide(
        variance / n - now,
        variance * (1 / n - 1 / total),
        out=np.zeros_like(variance),
        where=variance > 0,
    )
    return Spread(variance, explained)


def width(of: Spread, n: int, total: float) -> float:
    """Predict the mean width of 95% intervals with n human topics of N judged by machine."""
    # from end to end, averaged
    t = stdtrit(n - 1, 0.975)
    return float(2 * t * of.error(n, total).mean())


def width_ends(
    of: Spread, without: Sequence[Spread], n: int, total: float
) -> tuple[float, float]:
    """Return the 95% interval of `width`, as human topics tell it: Student's, of its logarithm.

    without : the spread by the human topics without each group of them, the jackknife's.  NaN where nothing varies.
    """
    known = width(of, n, total)
    moved = np.array([width(one, n, total) for one in without])
    if not (moved > 0).all():
        return np.nan, np.nan
    groups = len(moved)
    # (g - 1) / g sum of squares about the mean
    error = np.sqrt((groups - 1) * np.log(moved).var())
    factor = float(np.exp(stdtrit(groups - 1, 0.975) * error))
    return known / factor, known * factor


def topics_for(
    of: Spread, wanted: float, share: float | None, total: int
) -> int | None:
    """Return the fewest human topics whose intervals are at most so wide; None if no number up to 100 000 does.

    share : n / N where more topics can be judged by machine, or None where N is `total`.
    """
    low, high = 2, 100_000

    def wide(n: int) -> bool:
        by_machine = n / share if share else total
        return width(of, n, max(n, by_machine)) > wanted

    if wide(high):
        return None
    # bisection: the width falls with the number of topics
    while low < high:
        middle = (low + high) // 2
        if wide(middle):
            low = middle + 1
        else:
            high = middle
    return low


def draw(
    size: int, total: int, strata: Floats | None, groups: int, rng: np.random.Generator
) -> tuple[Ints, Floats]:
    """Draw topics at random: their positions in order, and the probability that each had of being drawn, (size,).

    strata : (N,), a score of each topic by which they are put into `groups` groups of about equal size, from each of
    which about as many are drawn; None draws from all alike.
    """
    if strata is None:
        parts = [np.arange(total)]
    else:
        parts = np.array_split(np.argsort(strata, kind="stable"), groups)
    # each group its share of the draws; the largest remainders get one more
    quota = np.array([len(part) for part in parts]) * size / total
    count = np.floor(quota).astype(int)
    by_remainder = np.argsort(count - quota, kind="stable")
    count[by_remainder[: size - count.sum()]] += 1
    drawn = []
    probabilities = []
    for part, k in zip(parts, count, strict=True):
        drawn.append(rng.permutation(part)[:k])
        probabilities.append(np.full(k, k / len(part)))
    topics = np.concatenate(drawn)
    place = np.argsort(topics)
    return topics[place], np.concatenate(probabilities)[place]


def draw_more(
    size: int, judged: Ints, total: int, rng: np.random.Generator
) -> tuple[Ints, Floats]:
    """Add topics to those drawn at random before, to have `size` of `total`: together they are such a draw; as `draw`.

    judged : (n,), the topics drawn before, which come first.

    >>> draw_more(3, np.array([4, 1]), 6, np.random.default_rng(0))
    (array([4, 1, 3]), array([0.5, 0.5, 0.5]))
    """
    others = np.setdiff1d(np.arange(total), judged)
    more = np.sort(rng.permutation(others)[: size - len(judged)])
    return np.concatenate([judged, more]), np.full(size, size / total)


def draw_whole(
    size: int,
    cluster: Ints,
    strata: Floats | None,
    groups: int,
    rng: np.random.Generator,
) -> tuple[Ints, Floats]:
    """Draw at random at least 2 clusters with all of their topics, on average about `size` topics; as `draw`.

    cluster : (N,), the number of each topic's cluster, from 0.  strata : as in `draw`; clusters go by their means.

    >>> twos = np.array([0, 0, 1, 1, 2, 2])
    >>> draw_whole(4, twos, None, 1, np.random.default_rng(0))[0].tolist()
    [0, 1, 4, 5]
    """
    sizes = np.bincount(cluster)
    level = None if strata is None else np.bincount(cluster, strata) / sizes
    count = max(2, groups, round(size * len(sizes) / len(cluster)))
    drawn, chance = draw(count, len(sizes), level, groups, rng)
    of_cluster = np.zeros(len(sizes))
    of_cluster[drawn] = chance
    of_topic = of_cluster[cluster]
    topics = np.flatnonzero(of_topic)
    return topics, of_topic[topics]


def clusters_among(size: int, cluster: Ints) -> float:
    """Return of how many clusters topics are on average that are drawn one by one.

    size : how many are drawn.  cluster : (N,), the number of each topic's cluster, from 0.

    >>> round(clusters_among(2, np.array([0, 0, 1, 1])), 3)
    1.667
    """
    total = len(cluster)
    sizes, many = np.unique(np.bincount(cluster), return_counts=True)
    # none of a cluster's n topics is drawn: the product over i < n of (N - size - i) / (N - i)
    spared = [
        np.prod((total - size - np.arange(n)).clip(0) / (total - np.arange(n)))
        for n in sizes
    ]
    return float(many @ (1 - np.array(spared)))
