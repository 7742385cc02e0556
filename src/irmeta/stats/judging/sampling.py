"""Means of systems when all N topics have machine scores and n of them, drawn at random, have human ones.

theta = lambda mean_N(L) + mean_n(H - lambda L), the difference estimator of double sampling: the machine's scores L
carry what all topics say, the human scores H take the machine's error off. lambda = 0 is the human scores alone.
The variance pays for the estimated lambda: it is that of the whole estimator with each human topic left out in turn, or
each cluster of topics with the scores of people and machine. Of means within 0 and 1 systems share what few topics
leave open of it.
Sources: Cochran (1977), Sampling Techniques, chapters 9 and 12; Angelopoulos et al. (PPI++, 2023); Oosterhuis et al.
(KDD 2024); Duncan and Hill (1989) on the jackknife; Wilson (1927) on intervals within 0 and 1.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import stdtr, stdtrit

from irmeta.stats.arrays import Bools, Floats, Ints
from irmeta.stats.descriptive import score_ends, shared
from irmeta.stats.rankings.rank import over


@dataclass(frozen=True)
class Sample:
    """Human and machine scores of one metric.

    human : (system, n).  machine : (system, N).  drawn : (n,), which of the N topics are the human ones.
    weight : (n,), n / (N x the topic's probability of being drawn): 1 where all have the same.
    errors : where human scores are estimates from a part of each topic's pairs, what judging other pairs adds to the
        covariance of their means: (system, system).
    cluster : where topics come in clusters, the number of each topic's, from 0: (N,).
    """

    human: Floats
    machine: Floats
    drawn: Ints
    weight: Floats
    errors: Floats | None = None
    cluster: Ints | None = None

    @property
    def sizes(self) -> tuple[int, int]:
        """Return n and N."""
        return self.human.shape[1], self.machine.shape[1]

    def clustered(self, new_topics: bool) -> Ints | None:
        """Return the clusters if they, not topics, are what was drawn independently.

        Of topics that were drawn one by one, to know the mean over these N, it does not matter which are alike.
        """
        if self.cluster is None or new_topics or self.whole:
            return self.cluster
        return None

    @property
    def whole(self) -> bool:
        """Whether people judged whole clusters: of each that they saw all topics, one of several topics at least."""
        if self.cluster is None:
            return False
        every = np.bincount(self.cluster)
        judged = np.bincount(self.cluster[self.drawn], minlength=len(every))
        seen = judged > 0
        return bool((judged == every)[seen].all() and judged.max() > 1)

    def freedom(self, new_topics: bool) -> int:
        """Return the degrees of freedom of intervals: those of the topics, or clusters, that people judged."""
        cluster = self.clustered(new_topics)
        if cluster is None:
            return len(self.drawn) - 1
        return len(np.unique(cluster[self.drawn])) - 1


class Spread(NamedTuple):
    """The variance of each system's estimated mean, divided by m (1 - m): (system,), and its degrees of freedom."""

    ratio: Floats
    freedom: float


@dataclass(frozen=True)
class Estimates:
    """Estimates with their variance, of systems (system,) or of pairs (system, system).

    spread : of means of scores within 0 and 1; None for scores beyond, and for differences.
    least : for differences of scores within 0 and 1, what half of an interval is at least, see `_unseen_differences`.
    """

    value: Floats
    variance: Floats
    slope: float
    spread: Spread | None = None
    least: Floats | float = 0.0

    def interval(self, freedom: int) -> tuple[Floats, Floats]:
        """Return the ends of the 95% interval: Student's, or where scores are within 0 and 1 the score interval.

        The score interval has all x for which (value - x)^2 <= t^2 ratio x (1 - x), t of the spread's own degrees of
        freedom: a mean near 0 has a small variance, seen from few topics, and may be far above.
        """
        if self.spread is None:
            t = stdtrit(freedom, 0.975)
            half = np.maximum(t * np.sqrt(self.variance), self.least)
            return self.value - half, self.value + half
        t = stdtrit(self.spread.freedom, 0.975)
        return score_ends(self.value, t**2 * self.spread.ratio)

    def p(self, freedom: int) -> Floats:
        """Return p of the hypothesis that the value is 0, two-sided; 1 where nothing varies and the value is 0."""
        size = np.abs(self.value)
        t = over(size, np.sqrt(self.variance))
        p = 2 * stdtr(freedom, -np.nan_to_num(t))
        # without variance t is NaN: a difference is certain, or there is none
        certain = np.where(size < 1e-12, 1.0, 0.0)
        return np.where(np.isnan(t), certain, p)


def slope(sample: Sample, *, pairs: bool = False) -> float:
    """Return lambda = cov(H, L) / var(L), pooled over systems, or over all pairs of systems; 0 where L does not vary.

    Pooled over pairs it is that of scores less each topic's mean over systems.
    """
    h, m = _centred(sample, pairs)
    # cov(H, L) / var(L), both without their common divisor
    variance = (sample.weight * m * m).sum()
    if variance <= 1e-15:
        return 0.0
    covariance = (sample.weight * h * m).sum()
    return float(covariance / variance)


def _centred(sample: Sample, pairs: bool) -> tuple[Floats, Floats]:
    """Return what people and the machine gave the human topics, less each system's mean: (system, topic) both.

    pairs : whether each topic's mean over systems is taken off first.
    """
    human = sample.human
    machine = sample.machine[:, sample.drawn]
    if pairs:
        human = human - human.mean(axis=0)
        machine = machine - machine.mean(axis=0)
    of_human = human - _mean(human, sample.weight)[:, None]
    of_machine = machine - _mean(machine, sample.weight)[:, None]
    return of_human, of_machine


def estimate_means(
    sample: Sample, by: float | None = None, *, new_topics: bool = True
) -> Estimates:
    """Estimate each system's mean human score: (system,).

    by : lambda; pooled over systems by default, 0 for the human scores alone. new_topics : the mean over topics like
    these; else over these N. Variance: (1 - n/N) J, J the jackknife's over human topics, and S^2 / N for new topics.
    """
    if sample.clustered(new_topics) is not None:
        return _over_clusters(sample, by, new_topics, pairs=False)
    lam, value, without = _jackknifed_means(sample, by, pairs=False)
    n, total = sample.sizes
    # J = (n - 1) / n sum of squares
    variance = (1 - n / total) * (n - 1) / n * _sums_of_squares(without)
    if new_topics:
        # the machine shows what few topics do not: S^2(H) + lambda^2 (S^2 of L on all topics - on those drawn)
        of_human, few = (
            variances(scores, sample.weight)
            for scores in (sample.human, sample.machine[:, sample.drawn])
        )
        more = lam**2 * (sample.machine.var(axis=1, ddof=1) - few)
        variance = variance + np.maximum(of_human + more, 0) / total
    elif sample.errors is not None:
        # J has 1 - n/N of it
        variance = variance + n / total * np.diag(sample.errors)
    spread = None
    certain = n == total and not new_topics and sample.errors is None
    if _is_bounded(sample) and not certain:
        added = _stretched(_topic_parts(sample, lam, without), variance)
        about = _mean_behind_variance(sample, value)[:, None] + added
        ratio, freedom = shared(about, bounded=True, fewest=n - 1)
        spread = Spread(ratio / total, freedom)
    return Estimates(value, variance, lam, spread)


def contributions(sample: Sample) -> Floats:
    """Return what each human topic adds to each system's estimated mean over new topics: (system, n).

    Their mean is the estimate. The other topics are shared out to the human ones in turn, so that values are as many as
    the estimate has degrees of freedom, and one more: Student's 95% interval of their mean is that of the estimate by
    its own variance, and signs of values are as free as they are of people's scores. Values may lie beyond the scores.
    """
    variance = estimate_means(sample).variance
    lam, value, without = _jackknifed_means(sample, None, pairs=False)
    n, total = sample.sizes
    human_topic = np.empty(total, dtype=np.int64)
    human_topic[sample.drawn] = np.arange(n)
    others = np.setdiff1d(np.arange(total), sample.drawn)
    human_topic[others] = np.arange(others.size) % n
    shares = human_topic[:, None] == np.arange(n)
    added = _topic_parts(sample, lam, without) @ shares * (n / total)
    return np.asarray(value[:, None] + _stretched(added, variance))


def _topic_parts(sample: Sample, lam: float, without: Floats) -> Floats:
    """Return what each of the N topics adds to each system's estimated mean, about 0: (system, N).

    lambda L, and on the human topics what leaving one out changes, N (n - 1) / n times (Tukey 1958 on pseudo-values).
    """
    n, total = sample.sizes
    added = lam * sample.machine
    added[:, sample.drawn] += (
        total * (n - 1) / n * (without.mean(axis=1, keepdims=True) - without)
    )
    return np.asarray(added - added.mean(axis=1, keepdims=True))


def _stretched(added: Floats, variance: Floats) -> Floats:
    """Stretch what topics add to means, about 0, so that their mean has a variance: (system, topic) and (system,)."""
    topics = added.shape[1]
    wanted = np.sqrt(variance * topics * (topics - 1))
    stretch = np.nan_to_num(over(wanted, np.sqrt(_sums_of_squares(added))))
    return np.asarray(stretch[:, None] * added)


def estimate_differences(
    sample: Sample, by: float | None = None, *, new_topics: bool = True
) -> Estimates:
    """Estimate the difference of each two systems' mean human scores, the row's less the column's: (system, system)."""
    if sample.clustered(new_topics) is not None:
        return _over_clusters(sample, by, new_topics, pairs=True)
    lam, value, without = _jackknifed_means(sample, by, pairs=True)
    n, total = sample.sizes
    # as for means; a covariance has the divisor n - 1
    variance = (1 - n / total) * (n - 1) ** 2 / n * _difference_variances(without)
    if new_topics:
        of_human, few = (
            _difference_variances(scores, sample.weight)
            for scores in (sample.human, sample.machine[:, sample.drawn])
        )
        more = lam**2 * (_difference_variances(sample.machine) - few)
        variance = variance + np.maximum(of_human + more, 0) / total
    elif sample.errors is not None:
        variance = variance + n / total * _variances_of_differences(sample.errors)
    least = _unseen_differences(sample, new_topics)
    return Estimates(value[:, None] - value, variance, lam, least=least)


def _over_clusters(
    sample: Sample, by: float | None, new_topics: bool, *, pairs: bool
) -> Estimates:
    """Estimate means or differences whose variance is over clusters, each left out with all of its topics."""
    lam, value = _slope_and_means(sample, by, pairs=pairs)
    covariance = _covariance_over_clusters(sample, by, new_topics, pairs=pairs)
    if pairs:
        least = _unseen_differences(sample, new_topics)
        variance = _variances_of_differences(covariance)
        return Estimates(value[:, None] - value, variance, lam, least=least)
    variance = np.asarray(np.diag(covariance))
    spread = None
    if _is_bounded(sample):
        mean, freedom = _mean_behind_variance(sample, value), sample.freedom(new_topics)
        divisor = mean * (1 - mean)
        # all human scores 0, or all 1: the largest variance that scores have
        largest = np.full(mean.shape, 1 / freedom)
        ratio = np.divide(variance, divisor, out=largest, where=divisor > 1e-12)
        spread = Spread(ratio, freedom)
    return Estimates(value, variance, lam, spread)


def _covariance_over_clusters(
    sample: Sample, by: float | None, new_topics: bool, *, pairs: bool
) -> Floats:
    """Return the covariance of estimated means over clusters: (system, system).

    The jackknife in two strata, clusters of which people judged topics and others. With G clusters, g of which people
    judged whole, a mean over these topics has 1 - g/G of the variance over the g, the machine's scores staying.
    """
    cluster = sample.clustered(new_topics)
    assert cluster is not None
    seen = np.unique(cluster[sample.drawn])
    others = np.setdiff1d(cluster, seen)
    covariance = np.zeros((len(sample.human), len(sample.human)))
    for stratum in (seen, others) if new_topics else (seen,):
        if len(stratum) < 2:
            continue
        left = (sample_without(sample, cluster == out, new_topics) for out in stratum)
        without = np.stack(
            [_slope_and_means(rest, by, pairs=pairs)[1] for rest in left]
        )
        # (n - 1) / n sum of squares about the mean
        covariance += (len(stratum) - 1) * np.cov(without.T, bias=True)
    if not new_topics:
        covariance *= 1 - len(seen) / (len(seen) + len(others))
        if sample.errors is not None:
            n, total = sample.sizes
            covariance += n / total * sample.errors
    return covariance


def sample_without(sample: Sample, left_out: Bools, of_machine: bool) -> Sample:
    """Return a sample without some of the N topics: without their human scores, and the machine's if `of_machine`."""
    kept = ~left_out[sample.drawn]
    every = ~left_out if of_machine else np.ones_like(left_out)
    place = np.cumsum(every) - 1
    return Sample(
        sample.human[:, kept],
        sample.machine[:, every],
        place[sample.drawn[kept]],
        sample.weight[kept],
    )


def _slope_and_means(
    sample: Sample, by: float | None, *, pairs: bool
) -> tuple[float, Floats]:
    """Return lambda, `by` or the slope of the sample, and the estimates (system,)."""
    lam = slope(sample, pairs=pairs) if by is None else by
    return lam, _corrected_means(sample, lam, sample.machine.mean(axis=1))


def _jackknifed_means(
    sample: Sample, by: float | None, *, pairs: bool
) -> tuple[float, Floats, Floats]:
    """Return lambda, the estimates (system,), and those with each human topic left out, lambda too: (system, n)."""
    lam = slope(sample, pairs=pairs) if by is None else by
    machine = sample.machine.mean(axis=1)
    without = []
    for at in range(sample.sizes[0]):
        left = np.arange(sample.sizes[0]) != at
        rest = Sample(
            sample.human[:, left],
            sample.machine,
            sample.drawn[left],
            sample.weight[left],
        )
        own = slope(rest, pairs=pairs) if by is None else by
        without.append(_corrected_means(rest, own, machine))
    return lam, _corrected_means(sample, lam, machine), np.stack(without, axis=1)


def _corrected_means(sample: Sample, lam: float, machine: Floats) -> Floats:
    """Return lambda mean_N(L) + mean_n(H - lambda L), the machine's means over all topics given."""
    # what the machine does not say, on the topics drawn
    rest = sample.human - lam * sample.machine[:, sample.drawn]
    return lam * machine + _mean(rest, sample.weight)


def _mean_behind_variance(sample: Sample, value: Floats) -> Floats:
    """Return the mean m at which the variance was seen: the value or that of the human scores, by larger m (1 - m)."""
    alone = _mean(sample.human, sample.weight)
    return np.where(alone * (1 - alone) > value * (1 - value), alone, value)


def _is_bounded(sample: Sample) -> bool:
    """Say whether scores lie within 0 and 1; those that are estimates may be beyond, their means are not."""
    scores = [sample.machine]
    if sample.errors is None:
        scores.append(sample.human)
    return all(each.min() >= 0 and each.max() <= 1 for each in scores)


def _unseen_differences(sample: Sample, new_topics: bool) -> Floats | float:
    """Return by how much two systems may differ that score alike on all n human topics: (system, system), else 0.

    Systems that differ on a share above 1 - .05^(1/n) of topics do so on none of n with a chance below .05, and on a
    topic scores differ by 1 at most.
    """
    if not _is_bounded(sample):
        return 0.0
    alike = (sample.human[:, None] == sample.human).all(axis=2)
    share = 1 - 0.05 ** (1 / (sample.freedom(new_topics) + 1))
    if not new_topics:
        n, total = sample.sizes
        share *= 1 - n / total
    return np.where(alike, share, 0.0)


def correlation(sample: Sample, *, pairs: bool = False) -> float:
    """Correlate human and machine scores over topics, pooled over systems or over pairs: rho in [-1, 1]."""
    h, m = _centred(sample, pairs)
    # rho = sum(h m) / sqrt(sum(h^2) sum(m^2)), each topic with its weight
    of_human = (sample.weight * h * h).sum()
    of_machine = (sample.weight * m * m).sum()
    root = np.sqrt(of_human * of_machine)
    if root <= 1e-15:
        return 0.0
    rho = (sample.weight * h * m).sum() / root
    return float(np.clip(rho, -1, 1))  # rounding may exceed 1


def _mean(values: Floats, weight: Floats | float) -> Floats:
    """Return the weighted mean over topics: values (system, topic), weights (topic,) of mean 1."""
    return np.asarray((values * weight).mean(axis=1))


def variances(values: Floats, weight: Floats) -> Floats:
    """Return the weighted variance over topics, divisor n - 1: values (system, topic) to (system,)."""
    centred = values - _mean(values, weight)[:, None]
    return np.asarray((weight * centred**2).sum(axis=1) / (values.shape[1] - 1))


def _sums_of_squares(values: Floats) -> Floats:
    """Return the sum of squares of each row about its mean."""
    centred = values - values.mean(axis=1, keepdims=True)
    return np.asarray((centred**2).sum(axis=1))


def _difference_variances(values: Floats, weight: Floats | float = 1.0) -> Floats:
    """Return the weighted variance over topics, divisor n - 1, of the difference of each two rows."""
    centred = np.sqrt(weight) * (values - _mean(values, weight)[:, None])
    return _variances_of_differences(centred @ centred.T / (values.shape[1] - 1))


def _variances_of_differences(covariance: Floats) -> Floats:
    """Return var a + var b - 2 cov(a, b) of each two systems, not below 0, from a covariance matrix."""
    own = np.diag(covariance)
    return np.asarray(np.maximum(own[:, None] + own - 2 * covariance, 0))
