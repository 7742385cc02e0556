"""Correlation of metrics between systems' true means: with the luck of the topics taken off."""

from collections.abc import Sequence

import numpy as np

from irmeta.parallel import steps
from irmeta.stats.arrays import Floats
from irmeta.stats.rankings.rank import outer

FEWEST = 4
"""Fewer topics than these do not say how much of a mean is luck."""


def true_correlation(parts: Sequence[Floats]) -> Floats:
    """Correlate metrics over the true means of systems, from scores (system, topic, metric) of parts: (metric, metric).

    Two metrics share the luck of the topics, which is part of the covariance of observed means. Only products of scores
    on different topics are free of it: for a part of n topics with d_t the scores on topic t less their mean over
    systems,

        covariance of true means = sum over topics t != u of d_t d_u' / (n (n - 1)),

    which is the mean over all random halves of the covariance between one half's means by A and the other's by B.
    Divided by the roots of the two metrics' own it is Pearson's r; it may exceed 1 by chance, and is NaN where a metric
    has no variance beyond luck. Source: Spearman (American Journal of Psychology 1904).

    >>> scores = np.arange(6.0)[:, None, None] + np.random.default_rng(0).normal(size=(6, 10, 2))
    >>> bool(true_correlation([scores])[0, 1] > 0.9)
    True
    """
    return _ratio(_covariance(parts))


def without_topics(parts: Sequence[Floats]) -> list[Floats]:
    """Return the same without each topic of each part in turn: for each part (topic left out, metric, metric)."""
    found = []
    for at, part in enumerate(parts):
        topics = range(part.shape[1])
        left = [
            _correlation_without(parts, at, topic)
            for topic in steps(topics, "topics left out")
        ]
        found.append(np.array(left))
    return found


def _correlation_without(parts: Sequence[Floats], at: int, topic: int) -> Floats:
    """Return `true_correlation` without one topic of the part at a position."""
    fewer = list(parts)
    fewer[at] = np.delete(parts[at], topic, axis=1)
    return true_correlation(fewer)


def _covariance(parts: Sequence[Floats]) -> Floats:
    """Sum the products of means over all systems, less what the luck of the topics adds in each part."""
    means = np.concatenate([part.mean(axis=1) for part in parts])  # (system, metric)
    centred = means - means.mean(axis=0)
    return np.asarray(
        centred.T @ centred - sum(_error_variance(part) for part in parts)
    )


def _error_variance(part: Floats) -> Floats:
    """Return what the luck of the topics adds to the sum of products of a part's means: (metric, metric).

    With d_t of one system, mean d and n topics it is sum over systems and topics of (d_t - d)(d_t - d)' / (n (n - 1)).
    """
    topics = part.shape[1]
    deviations = part - part.mean(axis=0)
    deviations -= deviations.mean(axis=1, keepdims=True)
    flat = deviations.reshape(-1, part.shape[2])
    return np.asarray(flat.T @ flat / (topics * (topics - 1)))


def _ratio(covariance: Floats) -> Floats:
    """Divide by the roots of the diagonal; NaN where it is not above 0."""
    own = np.diagonal(covariance)
    roots = np.sqrt(np.where(own > 0, own, np.nan))
    return np.asarray(covariance / outer(roots, roots))
