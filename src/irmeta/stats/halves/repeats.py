"""Systems that run several times: how much another run would differ, beside what other topics do."""

from typing import NamedTuple

import numpy as np

from irmeta.stats.arrays import Floats, Ints
from irmeta.stats.halves.teams import means_of


class Spread(NamedTuple):
    """How runs of one system differ, by metric, pooled over the systems that have several.

    run : the mean square between runs, whose expectation is cell + topics times the variance of a run's own level.
    cell : the mean square of what a run does on one topic beside its level.
    freedom : of `run`; that of `cell` is this times topics - 1.
    topics : on which runs were compared.
    """

    run: Floats
    cell: Floats
    freedom: int
    topics: int

    @property
    def level(self) -> Floats:
        """The variance of a run's level, which moves the scores of all topics alike; at least 0."""
        return np.maximum(self.run - self.cell, 0.0) / self.topics


class Widened(NamedTuple):
    """What intervals over topics need so that they hold for other runs, too.

    factor : (system, metric), how far a topic's score is moved from the system's mean; at least 1.
    added : (system, metric), what that adds to the variance of the system's mean.
    share : (metric,), the share of a difference's variance that runs cause, on all topics or on one.
    more_runs, more_topics : (metric,), how many times as wide the interval of a difference is with twice as many.
    """

    factor: Floats
    added: Floats
    share: Floats
    more_runs: Floats
    more_topics: Floats


@np.errstate(over="ignore", invalid="ignore")  # of scores that no study takes
def spread(scores: Floats, system: Ints, judge: Ints | None = None) -> Spread:
    """Split the scores (run, topic, metric) of several runs of each system into levels of runs and the rest.

    system : (run,), the number of each run's system.
    judge : (run,), the number of each run's judge, where runs are a system's answers as several judges see them. Each
    judged every system; what a judge does to all alike is left aside, as differences do not have it.
    The analysis of variance of runs by topics within each system, sums of squares added over systems.
    Source: Searle, Casella and McCulloch, *Variance Components* (1992).

    >>> found = spread(np.array([[[0.1], [0.5]], [[0.3], [0.9]]]), np.array([0, 0]))
    >>> found.run.round(3).tolist(), found.cell.round(3).tolist(), found.freedom, found.level.round(3).tolist()
    ([0.09], [0.01], 1, [0.04])
    """
    topics = scores.shape[1]
    if judge is not None:
        scores = scores - means_of(scores, judge)[judge] + scores.mean(axis=0)
    level = scores.mean(axis=1)
    of_system = means_of(level, system)[system]
    by_topic = means_of(scores, system)[system]
    between = topics * ((level - of_system) ** 2).sum(axis=0)
    rest = scores - level[:, None] - by_topic + of_system[:, None]
    counts = np.bincount(system)
    freedom = int((counts[counts > 0] - 1).sum())
    if judge is not None:
        freedom -= int(judge.max())
    within = (rest**2).sum(axis=(0, 1))
    return Spread(between / freedom, within / (freedom * (topics - 1)), freedom, topics)


def widened(means: Floats, runs: Floats, spread: Spread) -> Widened:
    """Return how far topics' scores are moved from each system's mean, so that their scatter holds runs' levels, too.

    means : (system, topic, metric), at least 2 topics, of means of runs; NaN where a system has no score.
    runs : (system,), how many runs each has.  spread : how these differ.

    A run's level is in every topic's score, so that scores by topic do not show it. A system's mean over r runs varies
    by the variance v of levels over r beside its variance over topics, t. Student's quantile q of each pays for its own
    estimate: half an interval is the root of q² t of topics plus q² v / r of runs, and topics' scores, less the topics'
    means over systems, are moved until theirs is so. A system of one run counts as one that never varies.
    Source of the sum: Howe (J. Am. Stat. Assoc. 1974).
    """
    from scipy.special import stdtrit

    topics = np.isfinite(means).sum(axis=1).astype(np.float64)
    runs = runs[:, None]
    several = runs > 1
    over_topics = variance_over_topics(means)
    over_runs = np.where(several, spread.level / runs, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        paid = stdtrit(spread.freedom, 0.975) / stdtrit(topics - 1, 0.975)
        squared = 1 + paid**2 * over_runs / over_topics
    moved = (over_runs > 0) & (over_topics > 0) & np.isfinite(squared)
    factor = np.sqrt(np.where(moved, squared, 1.0))
    cell = np.where(several, spread.cell / (np.maximum(topics, 1) * runs), 0.0)
    once = np.minimum(cell, over_topics)
    return Widened(
        factor,
        np.where(moved, (factor**2 - 1) * over_topics, 0.0),
        *_gains_of_doubling(over_topics, over_runs, once),
    )


def variance_over_topics(scores: Floats) -> Floats:
    """Return the variance over topics of each system's mean beside other systems, from (system, topic, metric)."""
    systems = len(scores)
    beside = scores - mean_along(scores, 1)
    if systems > 1:
        beside = beside - mean_along(beside, 0)
    held = np.isfinite(scores).sum(axis=1)
    square = mean_along((beside - mean_along(beside, 1)) ** 2, 1)[:, 0]
    variance: Floats = square / np.maximum(held - 1, 1)
    # taking the mean of S systems away leaves 1 - 1/S of the variance
    return variance if systems == 1 else variance / (1 - 1 / systems)


def mean_along(scores: Floats, axis: int) -> Floats:
    """Return means along an axis, which stays, of the scores that there are."""
    held = np.isfinite(scores)
    total = np.where(held, scores, 0.0).sum(axis=axis, keepdims=True)
    mean: Floats = total / np.maximum(held.sum(axis=axis, keepdims=True), 1)
    return mean


def _gains_of_doubling(
    over_topics: Floats, over_runs: Floats, once: Floats
) -> tuple[Floats, Floats, Floats]:
    """Return, by metric, the share that runs cause, and how wide intervals are with twice as many runs, or topics.

    once : what runs do on one topic alone, which is in the variance over topics.
    """
    now = (over_topics + over_runs).mean(axis=0)
    of_runs = (over_runs + once).mean(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = of_runs / now
        runs_doubled = np.sqrt((now - of_runs / 2) / now)
        topics_doubled = np.sqrt((over_topics / 2 + over_runs).mean(axis=0) / now)
    return share, runs_doubled, topics_doubled
