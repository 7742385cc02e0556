"""Topics that come in clusters: values by cluster that behave as independent topics do, and how alike a cluster is."""

from typing import NamedTuple

import numpy as np

from irmeta.stats.arrays import Floats, Ints
from irmeta.stats.halves.teams import sums


def pseudo_values(scores: Floats, cluster: Ints) -> Floats:
    """Return a value for each cluster (last axis), with the mean of the topics and the scatter of clusters.

    scores : of any shape, topics last, none missing.  cluster : (topic,), the number of each topic's cluster, from 0.

    The jackknife's values, moved so that their mean is the mean over topics. Of clusters of one size they are the
    clusters' means. Their standard error is the jackknife's of the mean, which is the cluster-robust one (CR3) that
    holds best with few clusters of unequal sizes. They are linear in the scores, so that a difference of two systems'
    values is the value of their difference. Sources: Quenouille (1956); MacKinnon, Nielsen and Webb (2023).

    >>> pseudo_values(np.array([0.1, 0.3, 0.6, 0.8]), np.array([0, 0, 1, 1])).round(3).tolist()
    [0.2, 0.7]
    """
    sizes = np.bincount(cluster)
    total, topics = scores.sum(axis=-1, keepdims=True), len(cluster)
    clusters = len(sizes)
    # mean without cluster c = (sum of all - sum of c) / (topics - size of c)
    without = (total - sums(scores, cluster, axis=-1)) / (topics - sizes)
    # value of c = G mean - (G - 1) mean without c, less what keeps their mean from the mean over topics
    moved = without - without.mean(axis=-1, keepdims=True)
    values: Floats = total / topics - (clusters - 1) * moved
    return values


def totals(values: Floats, sizes: Ints) -> Floats:
    """Return the sum of each cluster's topics (last axis) from its pseudo-value: `pseudo_values` undone.

    values : of any shape, clusters last.  sizes : (cluster,), how many topics each has.

    >>> values = pseudo_values(np.array([0.1, 0.3, 0.9]), np.array([0, 0, 1]))
    >>> totals(values, np.array([2, 1])).round(3).tolist()
    [0.4, 0.9]
    """
    clusters, topics = len(sizes), sizes.sum()
    others = topics - sizes
    mean = values.mean(axis=-1, keepdims=True)
    # how far the mean without a cluster lies below the mean of such means
    below = (values - mean) / (clusters - 1)
    # that mean of means is the one with which the sums add up to topics * mean
    moved = (others * below).sum(axis=-1, keepdims=True) / (topics * (clusters - 1))
    by_cluster: Floats = topics * mean - others * (mean + moved - below)
    return by_cluster


def cluster_means(values: Floats, sizes: Ints) -> Floats:
    """Return the mean of each cluster's topics (last axis) from its pseudo-value.

    A small cluster's pseudo-value is mostly the mean over all topics, so that what looks at a cluster for itself, as a
    win, a vote or a rank does, needs the cluster's own mean.

    >>> values = pseudo_values(np.array([0.1, 0.3, 0.9]), np.array([0, 0, 1]))
    >>> cluster_means(values, np.array([2, 1])).round(3).tolist()
    [0.2, 0.9]
    """
    if np.ptp(sizes) == 0:
        return values
    means: Floats = totals(values, sizes) / sizes
    # what is 0 but for rounding is a tie
    means[np.abs(means) <= 1e-12 * max(1.0, float(np.abs(values).max()))] = 0.0
    return means


def effective(cluster: Ints) -> float:
    """Return how many clusters of one size scatter as little as these: (sum of sizes)^2 / sum of their squares.

    >>> effective(np.array([0, 0, 1, 1])), effective(np.array([0, 0, 0, 1]))
    (2.0, 1.6)
    """
    sizes = np.bincount(cluster)
    return float(sizes.sum() ** 2 / (sizes**2).sum())


class Alike(NamedTuple):
    """How alike the topics of a cluster are, with a 95% interval over clusters: the intraclass correlation."""

    icc: float
    low: float
    high: float


def alike(scores: Floats, cluster: Ints) -> Alike:
    """Estimate the intraclass correlation of scores (system, topic), pooled over systems, each about its mean.

    The estimate by analysis of variance, with sizes that differ; the interval by the jackknife over clusters. Give
    differences from the topics' means to ask of differences between systems. NaN where no cluster has two topics.
    Source: Donner (International Statistical Review 1986).

    >>> alike(np.array([[0.1, 0.1, 0.5, 0.5, 0.9, 0.9]]), np.array([0, 0, 1, 1, 2, 2])).icc
    1.0
    """
    from scipy.special import stdtrit

    sizes = np.bincount(cluster).astype(np.float64)
    clusters = len(sizes)
    totals = sums(scores, cluster, axis=-1)  # (system, cluster)
    between = totals**2 / sizes
    within = np.maximum(sums(scores**2, cluster, axis=-1) - between, 0.0)
    parts = _Sums(sizes, sizes**2, between.sum(axis=0), within.sum(axis=0), totals)
    whole = _Sums(*(part.sum(axis=-1, keepdims=True) for part in parts))
    icc = _icc(whole, clusters).item()
    if clusters < 3:
        return Alike(icc, np.nan, np.nan)
    left = _Sums(*(every - part for every, part in zip(whole, parts, strict=True)))
    without = _icc(left, clusters - 1)
    # the jackknife's variance: (G - 1) / G times the sum of squares about the mean
    error = np.sqrt((clusters - 1) * np.var(without))
    half = stdtrit(clusters - 1, 0.975) * error
    return Alike(icc, max(icc - half, -1.0), min(icc + half, 1.0))


class _Sums(NamedTuple):
    """Sums over clusters, or the terms of each: sizes, their squares, sums of squares, and each system's scores.

    between, within : sums of squares of clusters' means about 0, and of scores about them.  totals : (system, ...).
    """

    topics: Floats
    squares: Floats
    between: Floats
    within: Floats
    totals: Floats


def _icc(total: _Sums, clusters: int) -> Floats:
    """Return (MSB - MSW) / (MSB + (n0 - 1) MSW), MSB and MSW pooled over systems, n0 as Donner weighs sizes."""
    about_mean = total.between - (total.totals**2).sum(axis=0) / total.topics
    msb = about_mean / (clusters - 1)
    n0 = (total.topics - total.squares / total.topics) / (clusters - 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        msw = total.within / (total.topics - clusters)
        icc: Floats = (msb - msw) / (msb + (n0 - 1) * msw)
    return icc


def wider(scores: Floats, cluster: Ints) -> float:
    """Return how many times as wide as independent topics' intervals those over clusters are, on average over systems.

    scores : (system, topic).  The root of the ratio of mean variances of the means.

    >>> round(wider(np.array([[0.1, 0.1, 0.5, 0.5, 0.9, 0.9]]), np.array([0, 0, 1, 1, 2, 2])), 3)
    1.581
    """
    values = pseudo_values(scores, cluster)
    by_cluster = values.var(axis=-1, ddof=1).mean() / values.shape[-1]
    by_topic = scores.var(axis=-1, ddof=1).mean() / scores.shape[-1]
    return float(np.sqrt(by_cluster / by_topic))


def added_to_r(scores: Floats) -> Floats:
    """Return what each topic adds to Pearson's r over scores, of each pair of metrics: (pair, topic).

    scores : (system, topic, metric), where each metric varies.

    The influence function of r: the mean over systems of z_a z_b - r (z_a² + z_b²) / 2, z of mean 0 and variance 1.
    Source: Devlin, Gnanadesikan and Kettenring (Biometrika 1975).

    >>> scores = np.array([[[0.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, 0.0]]])
    >>> added_to_r(scores).round(3).tolist()
    [[1.0, -1.0, 1.0, -1.0]]
    """
    z = scores - scores.mean(axis=(0, 1))
    z = z / z.std(axis=(0, 1))
    products = np.einsum("sta,stb->abt", z, z) / len(z)
    squares = (z**2).mean(axis=0).T
    # influence = z_a z_b - r (z_a² + z_b²) / 2, by topic
    r = products.mean(axis=-1, keepdims=True)
    added = products - r * (squares[:, None] + squares) / 2
    found: Floats = added[np.triu_indices(len(squares), 1)]
    return found
