"""Correlation between metrics, with every topic left out in turn, and what follows from it: groups and components."""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations_with_replacement
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse
import scipy.sparse.csgraph
from scipy.cluster import hierarchy
from scipy.spatial.distance import squareform
from scipy.special import stdtrit

from irmeta.choices import Coefficient, Level
from irmeta.parallel import in_order
from irmeta.stats.arrays import Bools, Floats, Ints, settled
from irmeta.stats.rankings.rank import (
    BLOCK,
    concordance_by_group,
    outer,
    over,
    pearson,
    spearman,
    tau_b,
)
from irmeta.stats.rankings.ranks import dense_ranks, tied_ranks
from irmeta.stats.rankings.topheavy import tau_ap_b

COEFFICIENTS: dict[Coefficient, tuple[str, Callable[..., Any]]] = {
    "pearson": ("Pearson r", pearson),
    "spearman": ("Spearman rho", spearman),
    "kendall": ("Kendall tau-b", tau_b),
    "tau-ap": ("tau_AP,b", tau_ap_b),
}
"""The name that outputs carry, and the function."""


def left_out(units: Sequence[Ints]) -> list[Ints]:
    """Return the numbers of what is left out in turn, from that of each topic: of a cluster's, side by side, one.

    >>> [numbers.tolist() for numbers in left_out([np.array([0, 0, 1]), np.array([1, 2])])]
    [[0, 1], [1, 2]]
    """
    return [part[np.flatnonzero(np.diff(part, prepend=-1))] for part in units]


def over_scores(
    parts: Sequence[Floats], method: Coefficient, units: Sequence[Ints] | None = None
) -> tuple[Floats, list[Floats]]:
    """Correlate metrics over all scores of parts (system, topic, metric): (metric, metric), and without each topic.

    units : for each part the number of each topic's cluster, side by side, which is left out whole; by default topics
    stand alone.
    The second value holds, for each part, an array (topic left out, metric, metric).
    """
    systems = [part.shape[0] for part in parts]
    alone = [np.arange(part.shape[1]) for part in parts]
    # whether a topic begins another unit than the topic before
    begins = [np.diff(part, prepend=-1) != 0 for part in units or alone]
    counts = [int(part.sum()) for part in begins]
    # of each part: (metric, topic x system), a topic's scores side by side
    by_topic = [part.transpose(2, 1, 0) for part in parts]
    rows = [part.reshape(len(part), -1) for part in by_topic]
    cells = np.concatenate(rows, axis=1)
    # the topic, or cluster, of each score, numbered through all parts
    scores_of_topic = np.repeat(systems, [len(part) for part in begins])
    unit = np.concatenate(begins).cumsum() - 1
    topic = np.repeat(unit, scores_of_topic)
    return _over_cells(cells, topic, counts, method)


FEWEST_TOPICS = 4
"""Topics of a part that it takes to leave out some of them."""


def over_means(parts: Sequence[Floats], method: Coefficient) -> Floats:
    """Correlate metrics over the system means of parts (system, topic, metric): (metric, metric)."""
    _, correlate = COEFFICIENTS[method]
    means = np.concatenate([settled(part.mean(axis=1)) for part in parts]).T
    return correlate(means, means)


def over_means_without_topics(
    parts: Sequence[Floats], method: Coefficient
) -> list[Floats]:
    """Correlate metrics over system means without each topic of each part (system, topic, metric).

    For each part an array (topic left out, metric, metric), empty if it has fewer than `FEWEST_TOPICS`.
    """
    means = [settled(part.mean(axis=1).T) for part in parts]  # (metric, system) each
    metrics, systems = len(means[0]), sum(len(part) for part in parts)
    block = max(1, BLOCK // (systems**2 * metrics))  # topics to leave out at a time
    without = []
    cuts = []  # (number of the part, topics of it to leave out)
    for at, part in enumerate(parts):
        topics = part.shape[1] if part.shape[1] >= FEWEST_TOPICS else 0
        without.append(np.empty((topics, metrics, metrics)))
        every = range(topics)
        cuts += [(at, every[start : start + block]) for start in every[::block]]
    found = in_order(
        partial(_means_without, parts, means, method), cuts, "topics left out"
    )
    for (at, left_out), r in zip(cuts, found, strict=True):
        without[at][left_out] = r
    return without


def _means_without(
    parts: Sequence[Floats],
    means: Sequence[Floats],
    method: Coefficient,
    cut: tuple[int, range],
) -> Floats:
    """Correlate the means with each of some topics of one part left out: (topic, metric, metric)."""
    at, topics = cut
    part = parts[at]  # (system, topic, metric)
    rest = part.sum(axis=1, keepdims=True) - part[:, topics]
    # (topic left out, metric, system)
    left = settled(rest.transpose(1, 2, 0) / (part.shape[1] - 1))
    # the means of the other parts stay as they are
    rankings = [np.broadcast_to(mean, (len(topics), *mean.shape)) for mean in means]
    rankings[at] = left
    return _correlated(rankings, method)


def interval_over_means(
    parts: Sequence[Floats],
    method: Coefficient,
    whole: Floats,
    topics: Sequence[Ints] | None = None,
) -> tuple[Floats, Floats]:
    """Return 95% intervals of a correlation over system means, from random halves of the topics.

    parts : (system, topic, metric).  whole : the correlation on all topics.  topics : as in `interval`; those that the
    same parts share are halved together. A ranking moves by whole steps, which one topic less makes or does not: the
    jackknife that leaves out single topics is inconsistent for it, the one that leaves out half of them is not. On
    Fisher's z, with k of n topics kept, the variance is k / (n - k) times that over halves; Student's t has as many
    degrees of freedom as in `interval`, at most systems - 1. NaN where a part has too few topics, where a half has
    no correlation, and where nothing moves it. Few systems give tau few values, 1 among them, where Fisher's z has no
    end: tau has the ends of `tau_ends`.
    Source: Shao and Wu (Annals of Statistics 1989).
    """
    counts = [part.shape[1] for part in parts]
    if min(counts) < FEWEST_TOPICS:
        unknown = np.full(whole.shape, np.nan)
        return unknown, unknown.copy()
    number = np.arange(sum(counts)) if topics is None else np.concatenate(topics)
    topic = np.unique(number, return_inverse=True)[1]
    kept = _halves(topic, counts)  # (half, topic)
    masks = np.split(kept[:, topic], np.cumsum(counts)[:-1], axis=1)
    metrics, systems = len(whole), sum(len(part) for part in parts)
    block = max(1, BLOCK // (systems**2 * metrics))
    cuts = [slice(start, start + block) for start in range(0, HALVES, block)]
    found = in_order(
        partial(_means_of_halves, parts, masks, method), cuts, "halves of the topics"
    )
    on_halves = np.concatenate(list(found))
    share = kept.mean()
    freedom = min(kept.shape[1] - _groups_of_parts(topic, counts), systems - 1)
    t = stdtrit(freedom, 0.975)
    if method == "kendall":
        variance = share / (1 - share) * on_halves.var(axis=0)
        moves = np.where(variance > _UNMOVED**2, variance, np.nan)
        return tau_ends(whole, moves, t, systems)
    z = _fisher(on_halves)
    half = t * np.sqrt(share / (1 - share) * z.var(axis=0))
    half = np.where(half > _UNMOVED, half, np.nan)
    return _around(whole, half)


def tau_ends(
    tau: Floats,
    variance: Floats,
    t: npt.ArrayLike,
    systems: int,
    spread: npt.ArrayLike = 1.0,
) -> tuple[Floats, Floats]:
    """Return the ends of score intervals of taus over this many systems, t errors wide to each side.

    The variance at another tau theta is V (1 - theta^2) / (1 - tau^2), so ends solve (tau - theta)^2 = t^2 times that
    (Wilson 1927). V is no less than if all pairs of systems were independent of each other, (1 - tau^2) / pairs: no
    ranking is known to be the same. NaN where the variance is.

    spread : variance of what one pair adds, as a share of 1 - tau^2; 1 where it adds 1 or -1, else less.

    >>> low, high = tau_ends(np.array(1.0), np.array(0.0), 1.96, 5)
    >>> round(float(low), 2), float(high)
    (0.44, 1.0)
    """
    pairs = systems * (systems - 1) / 2
    apart = 1 - tau**2
    # V / (1 - tau^2), of tau 1 as if half a pair were discordant
    share = variance / np.maximum(apart, 2 / pairs)
    k = np.square(t) * np.maximum(share, np.asarray(spread) / pairs)
    half = np.sqrt(k * (k + apart))
    low, high = (tau - half) / (1 + k), (tau + half) / (1 + k)
    return np.minimum(low, tau), np.maximum(high, tau)


HALVES = 100
"""Random halves: the standard error of an interval's width is then 7% of it."""


def _halves(topic: Ints, counts: Sequence[int]) -> Bools:
    """Draw halves of the topics, by a fixed seed: (half, topic); topics of the same parts are halved among themselves.

    topic : the number of each part's topics, one part after the other.  counts : how many topics each part has.
    """
    rng = np.random.default_rng(0)
    part = np.repeat(np.arange(len(counts)), counts)
    has = np.zeros((topic.max() + 1, len(counts)), dtype=np.bool_)
    has[topic, part] = True
    kinds = np.unique(has, axis=0, return_inverse=True)[1].ravel()
    kept = np.zeros((HALVES, len(has)), dtype=np.bool_)
    for kind in range(kinds.max() + 1):
        at = np.flatnonzero(kinds == kind)
        for half in kept:
            half[rng.permutation(at)[: len(at) // 2]] = True
    return kept


def _means_of_halves(
    parts: Sequence[Floats], masks: Sequence[Bools], method: Coefficient, halves: slice
) -> Floats:
    """Correlate the means over some halves of the topics: (half, metric, metric)."""
    rankings = []
    for part, mask in zip(parts, masks, strict=True):
        kept = mask[halves].astype(np.float64)
        sums = np.tensordot(kept, part, axes=(1, 1))  # (half, system, metric)
        means = sums / kept.sum(axis=1)[:, None, None]
        rankings.append(settled(means.transpose(0, 2, 1)))
    return _correlated(rankings, method)


_UNMOVED = 1e-9
"""Half of a narrower interval is rounding: nothing moved."""


class Pairs(NamedTuple):
    """Correlation r of every pair of metrics, its interval, and the number n of values; all (metric, metric)."""

    r: Floats
    low: Floats
    high: Floats
    n: Ints


def by_pairs(
    parts: Sequence[Floats],
    level: Level,
    method: Coefficient,
    topics: Sequence[Ints],
    fewest: int,
) -> Pairs:
    """Correlate every two metrics over the scores that both have, of parts (system, topic, metric) with missing ones.

    level : "topic", or "within-topic", less each topic's mean over the systems that both metrics have there; "system",
    the means of the systems that both metrics have on all topics.
    topics : as in `interval`.  fewest : fewer values have no interval. Metrics that miss the same scores go together.
    """
    absent = [np.isnan(part) for part in parts]
    # metrics that miss the same scores are of one kind, so that few kinds are compared, and not all metrics
    missing = np.concatenate([part.reshape(-1, part.shape[2]) for part in absent])
    kind = np.unique(missing, axis=1, return_inverse=True)[1].ravel()
    metrics = kind.size
    r, low, high = np.full((3, metrics, metrics), np.nan)
    pairs = Pairs(r, low, high, np.zeros((metrics, metrics), dtype=np.int64))
    for one, other in combinations_with_replacement(range(kind.max() + 1), 2):
        both = np.flatnonzero((kind == one) | (kind == other))
        # (system, topic): the scores that the metrics of both kinds have
        masks = [np.logical_not(here[..., both].any(axis=2)) for here in absent]
        values = _where_both(parts, masks, both, level, method, topics, fewest)
        # the block of the two kinds, and its mirror image
        for rows, columns in ((one, other), (other, one)):
            here = np.ix_(kind == rows, kind == columns)
            part = np.ix_(kind[both] == rows, kind[both] == columns)
            for matrix, value in zip(pairs, values, strict=True):
                matrix[here] = value[part] if np.ndim(value) else value
    return pairs


def _where_both(
    parts: Sequence[Floats],
    masks: Sequence[Bools],
    metrics: Ints,
    level: Level,
    method: Coefficient,
    topics: Sequence[Ints],
    fewest: int,
) -> Pairs:
    """Correlate metrics over the scores that masks (system, topic) of each part mark; n is one number."""
    if level == "system":
        used, numbers = [], []
        for part, mask, number in zip(parts, masks, topics, strict=True):
            whole = mask.all(axis=1)
            if whole.any():
                used.append(part[whole][..., metrics])
                numbers.append(number)
        n = sum(len(part) for part in used)
        unknown = _nothing(metrics.size)[0]
        r = over_means(used, method) if n > 1 else unknown
        ends = (unknown, unknown)
        if n >= max(fewest, 2):
            ends = interval_over_means(used, method, r, numbers)
        return Pairs(r, *ends, np.asarray(n))
    cells, topic, numbers = _cells(
        parts, masks, metrics, topics, centred=level == "within-topic"
    )
    n = len(topic)
    if n > 1:
        counts = [len(number) for number in numbers]
        r, without = _over_cells(cells, topic, counts, method)
    else:
        r, without = _nothing(metrics.size)
    if n < fewest:
        without = [np.empty((0, *r.shape))]
    return Pairs(r, *interval(r, without, numbers), np.asarray(n))


def _over_cells(
    cells: Floats, topic: Ints, counts: Sequence[int], method: Coefficient
) -> tuple[Floats, list[Floats]]:
    """Correlate metrics over scores (metric, score), and without each topic: arrays of as many topics as parts have."""
    whole, without = _LEAVE_OUT[method](cells, topic)
    return whole, np.split(without, np.cumsum(counts)[:-1])


def _nothing(metrics: int) -> tuple[Floats, list[Floats]]:
    """Return the correlation of metrics that no two scores have in common: none."""
    unknown = np.full((metrics, metrics), np.nan)
    return unknown, [np.empty((0, metrics, metrics))]


def _cells(
    parts: Sequence[Floats],
    masks: Sequence[Bools],
    metrics: Ints,
    topics: Sequence[Ints],
    *,
    centred: bool,
) -> tuple[Floats, Ints, list[Ints]]:
    """Return the marked scores (metric, score), the unit of each, numbered from 0, and units' own numbers by part."""
    rows, counts, numbers = [], [], []
    for part, mask, number in zip(parts, masks, topics, strict=True):
        used = np.flatnonzero(mask.any(axis=0))
        numbers.append(number[used])
        for topic in used:
            scores = part[mask[:, topic], topic][:, metrics]  # (system, metric)
            rows.append(settled(scores - scores.mean(axis=0)) if centred else scores)
            counts.append(len(scores))
    if rows:
        cells = np.concatenate(rows).T
    else:
        cells = np.empty((metrics.size, 0))
    used_in = [number for number in numbers if number.size]
    begins = [np.diff(number, prepend=-1) != 0 for number in used_in]
    unit = np.concatenate([np.empty(0, np.bool_), *begins]).cumsum() - 1
    return cells, np.repeat(unit, counts), left_out(used_in)


def interval(
    whole: Floats, without: Sequence[Floats], topics: Sequence[Ints] | None = None
) -> tuple[Floats, Floats]:
    """Return 95% intervals from a correlation and its values without each topic, topics drawn within each part.

    topics : for each part the number of the topic left out, one number for a topic that several parts share; by default
    they share none. What a shared topic moves in the parts adds up, as if it was left out of all of them at once.
    The jackknife on Fisher's z, with Student's t on as many degrees of freedom as topics less groups of parts that
    share topics; NaN where a part is empty, where without some topic there is no correlation, and where no topic moves
    it: that says nothing of other topics. Source: Efron and Tibshirani (1993), chapter 11.
    """
    if any(len(part) == 0 for part in without):
        unknown = np.full(whole.shape, np.nan)
        return unknown, unknown.copy()
    half = half_width([_fisher(part) for part in without], topics)
    return _around(whole, half)


def share_interval(
    whole: Floats, without: Sequence[Floats], topics: Sequence[Ints] | None = None
) -> tuple[Floats, Floats]:
    """Return 95% intervals of shares in [0, 1] from their values without each topic, as `interval` does.

    On the scale of log odds, which is twice Fisher's z of 2 p - 1.

    >>> low, high = share_interval(np.array(0.5), [np.array([0.48, 0.5, 0.5, 0.52])])
    >>> float(low.round(3)), float(high.round(3))
    (0.423, 0.577)
    """
    low, high = interval(2 * whole - 1, [2 * part - 1 for part in without], topics)
    return (1 + low) / 2, (1 + high) / 2


def half_width(
    without: Sequence[Floats], topics: Sequence[Ints] | None = None
) -> Floats:
    """Return half the width of the 95% jackknife intervals of figures, from their values without each topic.

    without : for each part (topic left out, ...).  topics : as in `interval`.  NaN where no topic moves the figure.
    """
    counts = [len(part) for part in without]
    if topics is None:
        number = np.arange(sum(counts))
    else:
        number = np.concatenate(topics)
    topic = np.unique(number, return_inverse=True)[1]
    moved = np.zeros((topic.max() + 1, *without[0].shape[1:]))  # by each topic
    topics_of = np.split(topic, np.cumsum(counts)[:-1])
    for part, here in zip(without, topics_of, strict=True):
        n = len(part)
        # the jackknife: (n - 1) / n times the sum of squares about the mean
        moved[here] += np.sqrt((n - 1) / n) * (part - part.mean(axis=0))
    variance = (moved**2).sum(axis=0)
    # each group of parts that share topics has one mean of its own
    freedom = len(moved) - _groups_of_parts(topic, counts)
    t = stdtrit(freedom, 0.975)
    half = t * np.sqrt(variance)
    return np.where(half > _UNMOVED, half, np.nan)


def _groups_of_parts(topic: Ints, counts: Sequence[int]) -> int:
    """Count the groups of parts, with this many topics each, that share topics directly or through others."""
    parts = len(counts)
    # a graph of parts and topics, linked where the part has the topic: its components are the groups
    size = parts + topic.max() + 1
    part = np.repeat(np.arange(parts), counts)
    links = (part, parts + topic)
    graph = scipy.sparse.coo_array((np.ones(topic.size), links), shape=(size, size))
    groups, _ = scipy.sparse.csgraph.connected_components(graph, directed=False)
    return int(groups)


def _correlated(rankings: Sequence[Floats], method: Coefficient) -> Floats:
    """Correlate metrics over the systems of all parts: arrays (..., metric, system) to (..., metric, metric)."""
    together = np.concatenate(rankings, axis=2)
    _, correlate = COEFFICIENTS[method]
    return np.asarray(correlate(together, together))


def _around(r: Floats, half: Floats) -> tuple[Floats, Floats]:
    """Return the ends of intervals of correlations, `half` wide to each side on Fisher's z."""
    centre = _fisher(r)
    return np.tanh(centre - half), np.tanh(centre + half)


def _fisher(r: Floats) -> Floats:
    """Return Fisher's z of a correlation, finite for -1 and 1 too, which rounding does not move."""
    return np.arctanh(np.clip(r, -1 + 1e-12, 1 - 1e-12))


def merges(r: Floats) -> Floats:
    """Join metrics to groups by complete linkage on 1 - r: scipy's linkage matrix, (metric - 1, 4)."""
    distance = np.clip(1 - (r + r.T) / 2, 0, 2)
    np.fill_diagonal(distance, 0)
    condensed = squareform(distance, checks=False)
    return np.asarray(hierarchy.linkage(condensed, "complete", optimal_ordering=True))


def groups(linkage: Floats, threshold: float) -> Ints:
    """Number the groups, from 1 by first member, in which every pair of metrics correlates at `threshold` or above."""
    found = hierarchy.fcluster(linkage, 1 - threshold + 1e-12, "distance").tolist()
    first = dict.fromkeys(found)  # each group once, in the order of its first member
    numbers = {old: new for new, old in enumerate(first, 1)}
    return np.array([numbers[old] for old in found])


def components(r: Floats) -> tuple[Floats, Floats]:
    """Return the principal components of a correlation matrix: loadings (metric, component), and variance shares.

    A loading is the correlation of a metric with the component; most of a component's loadings are positive.
    """
    values, vectors = np.linalg.eigh((r + r.T) / 2)
    # eigh gives the smallest first; rounding can leave it below 0
    values = np.maximum(values[::-1], 0)
    vectors = vectors[:, ::-1]
    # an eigenvector has no sign of its own: most of its loadings are made positive
    signs = np.where(vectors.sum(axis=0) < 0, -1, 1)
    loadings = vectors * signs * np.sqrt(values)
    return loadings, values / values.sum()


def cumulated(r: Floats) -> Floats:
    """Return the shares of variance of the first components together, from one to all.

    r : correlations (..., metric, metric).  Returns (..., component), in rising order; NaN where a correlation is not
    known.
    """
    known: Bools = np.asarray(np.isfinite(r).all(axis=(-2, -1)))
    # eigenvalues are the components' variances; those of a matrix not known are computed, and not returned
    matrices = np.where(known[..., None, None], r, 0.0)
    rising = np.linalg.eigvalsh(matrices)
    values = np.maximum(rising[..., ::-1], 0)
    totals = np.cumsum(values, axis=-1)
    whole = totals[..., -1:]
    whole = np.where(known[..., None], whole, np.nan)
    return np.asarray(totals / whole)


def _pearson_without(x: Floats, topic: Ints) -> tuple[Floats, Floats]:
    """Return Pearson's r of metrics over scores (metric, score), and without each topic: (topic, metric, metric).

    Of scores centred over all topics, with sums S_t and products P_t over topic t and m scores in the other topics,
    what the others have about their own mean is  sum P - P_t - S_t S_t' / m,  as all scores sum to 0.
    """
    n = len(topic)
    centred = x - x.mean(axis=1, keepdims=True)
    # the scores of a topic stand side by side: where each topic's begin
    starts = np.flatnonzero(np.diff(topic, prepend=-1))
    parts = np.split(centred, starts[1:], axis=1)
    # S of the other topics, minus S_t as all sum to 0: (topic, metric)
    sums = -np.stack([part.sum(axis=1) for part in parts])
    # P_t, (topic, metric, metric)
    products = np.stack([part @ part.T for part in parts])
    others = n - np.diff([*starts, n])  # m
    about_mean = outer(sums, sums) / others[:, None, None]
    moments = products.sum(axis=0) - products - about_mean
    # r = moment / root of the two metrics' own; rounding can leave one below 0
    own = np.diagonal(moments, axis1=1, axis2=2)
    spread = np.sqrt(np.maximum(own, 0))
    return pearson(x, x), over(moments, outer(spread, spread))


def _spearman_without(x: Floats, topic: Ints) -> tuple[Floats, Floats]:
    """Return Spearman's rho as `_pearson_without` returns r: all scores are ranked once."""
    ranks = tied_ranks(x)
    without_one = partial(_spearman_without_one, ranks, dense_ranks(x), topic)
    without = list(in_order(without_one, range(topic[-1] + 1), "topics left out"))
    return spearman(x, x), np.stack(without)


def _spearman_without_one(
    ranks: Floats, values: Ints, topic: Ints, left_out: int
) -> Floats:
    """Correlate the ranks, (metric, score), of distinct values, numbered from 0, with one topic left out.

    A rank loses one for each score of the topic below it, and a half for each that equals it.
    """
    out = np.flatnonzero(topic == left_out)
    kept = np.flatnonzero(topic != left_out)
    left = ranks.take(kept, axis=1)
    for rank, value in zip(left, values, strict=True):
        # of each distinct value: how many scores of the topic have it, and how much a rank there loses
        equal = np.bincount(value[out], minlength=value.max() + 1)
        lost = equal.cumsum() - equal / 2
        rank -= lost.take(value.take(kept))
    left -= (kept.size + 1) / 2  # the mean rank
    return _scaled(left @ left.T)


def _kendall_without(x: Floats, topic: Ints) -> tuple[Floats, Floats]:
    """Return Kendall's tau-b as `_pearson_without` returns r: the pairs of scores that a topic has a part in go.

    Pairs within the topic were counted twice, once from either end; a metric with itself counts the pairs not tied.
    """
    any_part, within = concordance_by_group(x, topic)
    total = any_part.sum(axis=0)
    return _scaled(total), _scaled(total - 2 * any_part + within)


def _scaled(products: Floats) -> Floats:
    """Divide products of metrics, or counts, by the roots of what each has with itself."""
    own = np.sqrt(np.diagonal(products, axis1=-2, axis2=-1))
    return over(products, outer(own, own))


_LEAVE_OUT = {
    "pearson": _pearson_without,
    "spearman": _spearman_without,
    "kendall": _kendall_without,
}
