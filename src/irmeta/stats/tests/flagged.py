"""What leaving flagged topics out does to means: the change with its interval, beside that of as many random topics.

The change of a mean is the flagged topics' share times the difference between the mean of the others and theirs. The
interval is of that difference for other topics of both kinds: the wider of Welch's and the one of a variance that both
share. Of few flagged topics Welch's sees no spread where all happen to score alike, and a shared variance sees none of
theirs. What random topics would bring is not modelled: as many are drawn, again and again.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

from irmeta.stats.arrays import Bools, Floats, Ints
from irmeta.stats.halves.teams import sums

DRAWS = 2000
"""Random sets of topics that are left out instead."""
_EQUAL = 1e-12


class Topics(NamedTuple):
    """Topics: which are flagged, what each weighs in a mean, and the number of its cluster; all (topic,)."""

    flagged: Bools
    weight: Floats
    cluster: Ints


class ByChance(NamedTuple):
    """What leaving out as many random topics changes: the ends of the middle share, and p of the change seen."""

    low: Floats
    high: Floats
    p: Floats


def half_width(values: Floats, topics: Topics, level: float = 0.95) -> Floats:
    """Return half the interval of the change of means, (...,), of values (..., topic), some of which may be missing.

    NaN where all values of both kinds are the same, or there are fewer than 3 clusters. A cluster of which some topics
    are flagged counts on both sides, which makes the interval wider if its topics are alike.

    >>> some = Topics(np.arange(6) < 3, np.ones(6), np.arange(6))
    >>> half_width(np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6]), some).round(3).item()
    0.113
    """
    known = ~np.isnan(values)
    weight = np.where(known, topics.weight, 0.0)
    seen = np.where(known, values, 0.0)
    errors, totals, counts = [], [], []
    for kind in (topics.flagged, ~topics.flagged):
        own = weight * kind
        total = own.sum(axis=-1, keepdims=True)
        mean = (own * seen).sum(axis=-1, keepdims=True) / total
        errors.append(sums(own * (seen - mean), topics.cluster, axis=-1))
        totals.append(total[..., 0])
        counts.append(_clusters(own, topics.cluster))
    every = _clusters(weight, topics.cluster)
    share = totals[0] / (totals[0] + totals[1])
    with np.errstate(divide="ignore", invalid="ignore"):
        # V_i = sum of e² / total_i² n_i / (n_i - 1)
        squares = [(error**2).sum(axis=-1) for error in errors]
        each = [
            square / total**2 * count / (count - 1)
            for square, total, count in zip(squares, totals, counts, strict=True)
        ]
        within = sum((one**2 / (n - 1) for one, n in zip(each, counts, strict=True)))
        apart = stdtrit((each[0] + each[1]) ** 2 / within, (1 + level) / 2)
        welch = apart * np.sqrt(each[0] + each[1])
        # s² = sum of (e_flagged + e_others)² / total n / (n - 2)
        both = ((errors[0] + errors[1]) ** 2).sum(axis=-1)
        shared = both / (totals[0] + totals[1]) * every / (every - 2)
        shared = shared * (1 / totals[0] + 1 / totals[1])
        pooled = stdtrit(every - 2.0, (1 + level) / 2) * np.sqrt(shared)
    half = share * np.fmax(welch, pooled)
    return np.where((half > _EQUAL) & (every > 2), half, np.nan)


def _clusters(weight: Floats, cluster: Ints) -> Ints:
    """Count the clusters that weigh anything."""
    found: Ints = (sums(weight, cluster, axis=-1) > 0).sum(axis=-1)
    return found


def by_chance(
    values: Floats,
    topics: Topics,
    level: float = 0.95,
    rng: int | np.random.Generator = 0,
) -> ByChance:
    """Return what leaving out as many random topics, or clusters, brings to means of values (..., topic).

    p is the share of random sets that change a mean at least as much, either way, with the one seen among them.

    >>> some = Topics(np.arange(20) < 2, np.ones(20), np.arange(20))
    >>> found = by_chance(np.where(some.flagged, 1.0, 0.0), some)
    >>> found.p.item() < 0.02, found.high.round(3).item()
    (True, 0.011)
    """
    known = ~np.isnan(values)
    own = np.where(known, topics.weight, 0.0)
    weight = sums(own, topics.cluster, axis=-1)  # (..., cluster)
    total = sums(own * np.where(known, values, 0.0), topics.cluster, axis=-1)
    left = sums(topics.weight * ~topics.flagged, topics.cluster, axis=-1)
    left = left / sums(topics.weight, topics.cluster, axis=-1)
    draws = np.random.default_rng(rng).permuted(np.tile(left, (DRAWS, 1)), axis=1)
    kept = np.concatenate([left[None], draws])  # (1 + draw, cluster)
    mean = total.sum(axis=-1, keepdims=True) / weight.sum(axis=-1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        change = (total @ kept.T) / (weight @ kept.T) - mean
    size = np.abs(change)
    p = (size >= size[..., :1] - _EQUAL).mean(axis=-1)
    ends = [(1 - level) / 2, (1 + level) / 2]
    low, high = np.nanquantile(change[..., 1:], ends, axis=-1)
    return ByChance(low, high, p)
