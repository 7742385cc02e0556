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
    """

    run: Floats
    cell: Floats
    freedom: int

    def of_level(self, topics: int) -> Floats:
        """Return the variance of a run's level, which moves the scores of all topics alike; at least 0."""
        return np.maximum(self.run - self.cell, 0.0) / topics


class Widened(NamedTuple):
    """What intervals over topics need so that they hold for other runs, too.

    factor : (system, metric), how far a topic's score is moved from the system's mean; at least 1.
    more_runs, more_topics : (metric,), how many times as wide the interval of a difference is with twice as many.
    """

    factor: Floats
    more_runs: Floats
    more_topics: Floats


def spread(scores: Floats, system: Ints, judge: Ints | None = None) -> Spread:
    """Split the scores (run, topic, metric) of several runs of each system into levels of runs and the rest.

    system : (run,), the number of each run's system.
    judge : (run,), the number of each run's judge, where runs are a system's answers as several judges see them. Each
    judged every system; what a judge does to all alike is left aside, as differences do not have it.
    The analysis of variance of runs by topics within each system, sums of squares added over systems.
    Source: Searle, Casella and McCulloch, *Variance Components* (1992).

    >>> found = spread(np.array([[[0.1], [0.5]], [[0.3], [0.9]]]), np.array([0, 0]))
    >>> found.run.round(3).tolist(), found.cell.round(3).tolist(), found.freedom
    ([0.09], [0.01], 1)
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
    return Spread(between / freedom, within / (freedom * (topics - 1)), freedom)


def widened(scores: Floats, system: Ints, judge: Ints | None = None) -> Widened:
    """Return how far topics' scores are moved from each system's mean, so that their scatter holds runs' levels, too.

    scores : (run, topic, metric), at least 2 topics; some system has several runs.
    system, judge : (run,), as in `spread`.

    A run's level is in every topic's score, so that scores by topic do not show it. A system's mean over r runs varies
    by the variance v of levels over r beside its variance over topics, t: its topics' scores, less the topics' means
    over systems, are moved by the root of 1 + v / (r t). Estimates of v are paid for by Student's t with the degrees of
    freedom of Satterthwaite (1946). A system of one run counts as one that never varies.
    """
    from scipy.special import stdtrit

    topics, systems = scores.shape[1], int(system.max()) + 1
    found = spread(scores, system, judge)
    runs = np.bincount(system, minlength=systems)[:, None].astype(np.float64)
    several = runs > 1
    over_topics = _over_topics(means_of(scores, system))
    over_runs = np.where(several, found.of_level(topics) / runs, 0.0)
    both = over_topics + over_runs
    error = found.run**2 / found.freedom + found.cell**2 / (
        found.freedom * (topics - 1)
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        freedom = both**2 / (
            over_topics**2 / (topics - 1) + error / (topics * runs) ** 2
        )
        freedom = np.clip(freedom, min(found.freedom, topics - 1), None)
        paid = (stdtrit(freedom, 0.975) / stdtrit(topics - 1, 0.975)) ** 2
        factor = np.sqrt(both / over_topics * np.maximum(paid, 1.0))
    moved = (over_runs > 0) & (over_topics > 0)
    return Widened(
        np.where(moved, factor, 1.0),
        *_by_doubling(found, topics, runs, over_topics, over_runs),
    )


def _over_topics(scores: Floats) -> Floats:
    """Return the variance over topics of each system's mean beside other systems, from (system, topic, metric)."""
    systems, topics = scores.shape[:2]
    own = scores - scores.mean(axis=1, keepdims=True)
    if systems == 1:
        return own.var(axis=1, ddof=1) / topics
    beside = own - own.mean(axis=0)
    # taking the mean of S systems away leaves 1 - 1/S of the variance
    variance: Floats = beside.var(axis=1, ddof=1) / topics / (1 - 1 / systems)
    return variance


def _by_doubling(
    found: Spread, topics: int, runs: Floats, over_topics: Floats, over_runs: Floats
) -> tuple[Floats, Floats]:
    """Return, by metric, how many times as wide an interval is with twice as many runs, and twice as many topics."""
    cell = np.where(runs > 1, found.cell / (topics * runs), 0.0)
    now = (over_topics + over_runs).mean(axis=0)
    less = (over_runs + np.minimum(cell, over_topics)).mean(axis=0) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        runs_doubled = np.sqrt((now - less) / now)
        topics_doubled = np.sqrt((over_topics / 2 + over_runs).mean(axis=0) / now)
    return runs_doubled, topics_doubled
