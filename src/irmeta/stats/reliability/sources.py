"""What scores vary by: systems and their runs or judges, clusters, topics of a cluster, and how these act together.

Analysis of variance by Henderson's first method (Biometrics 1953): mean squares are set equal to what is expected of
them. Every system has every topic, so that clusters of different sizes are all that is unbalanced. With nothing
unbalanced it is REML where no estimate is below 0 (Searle, Casella and McCulloch, *Variance Components*, 1992).
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from irmeta.stats.arrays import Floats, Ints
from irmeta.stats.halves.teams import means_of


class Strata(NamedTuple):
    """Variances of rows, by metric: of their levels, by cluster (0 where topics stand alone), and by topic.

    They come as estimated, so that they may be below 0.
    """

    level: Floats
    cluster: Floats
    topic: Floats

    def less(self, other: "Strata", times: float) -> "Strata":
        """Take a multiple of other variances away, which are in these."""
        pairs = zip(self, other, strict=True)
        return Strata(*(mine - times * theirs for mine, theirs in pairs))


def strata(rows: Floats, freedom: int, cluster: Ints | None = None) -> Strata:
    """Split the squares of rows (row, topic, metric), which are what is left beside their groups' means.

    freedom : how many rows are free.  cluster : (topic,), the number of each topic's, if they have any.

    >>> found = strata(np.array([[[0.3], [0.5], [0.4]], [[-0.3], [-0.5], [-0.4]]]), 1)
    >>> [round(part.item(), 3) for part in found]
    [0.313, 0.0, 0.02]
    """
    topics = rows.shape[1]
    level = rows.mean(axis=1, keepdims=True)
    beside = rows - level
    of_level = topics * (level**2).sum(axis=(0, 1)) / freedom
    if cluster is None:
        topic = (beside**2).sum(axis=(0, 1)) / (freedom * (topics - 1))
        return Strata((of_level - topic) / topics, np.zeros_like(topic), topic)
    sizes = np.bincount(cluster)
    clusters = len(sizes)
    of_cluster = means_of(np.moveaxis(beside, 1, 0), cluster)[cluster]
    by_cluster = np.moveaxis(of_cluster, 0, 1)
    rest = beside - by_cluster
    topic = (rest**2).sum(axis=(0, 1)) / (freedom * (topics - clusters))
    # expected: topic + n0 cluster, n0 as Searle, Casella and McCulloch weigh sizes
    weighted = (sizes**2).sum() / topics
    size = (topics - weighted) / (clusters - 1)
    square = (by_cluster**2).sum(axis=(0, 1)) / (freedom * (clusters - 1))
    of_clusters = (square - topic) / size
    # expected: topic + (sum of squared sizes / topics) cluster + topics level
    level_alone = of_level - topic - weighted * of_clusters
    return Strata(level_alone / topics, of_clusters, topic)


def of_runs(scores: Floats, system: Ints, cluster: Ints | None = None) -> Strata:
    """Return what runs of one system vary by, from scores (run, topic, metric), pooled over systems.

    system : (run,), the number of each run's system.  cluster : as in `strata`.
    """
    counts = np.bincount(system)
    freedom = int((counts[counts > 0] - 1).sum())
    return strata(scores - means_of(scores, system)[system], freedom, cluster)


def of_judges(
    scores: Floats, judge: Ints, system: Ints, cluster: Ints | None = None
) -> tuple[Strata, Strata]:
    """Return what judges of the same systems vary by, and what systems before judges do: (row, topic, metric).

    judge, system : (row,), their numbers; each judge has each system once.  cluster : as in `strata`.
    """
    means = means_of(scores, judge)
    by_judge = means - scores.mean(axis=0)
    beside = scores - means[judge]
    met = beside - means_of(beside, system)[system]
    judges = int(judge.max()) + 1
    systems = int(system.max()) + 1
    of_both = strata(met, (judges - 1) * (systems - 1), cluster)
    of_judges = strata(by_judge, judges - 1, cluster).less(of_both, 1 / systems)
    return of_judges, of_both


class Design(NamedTuple):
    """How a mean is made: by which sum of squared weights the variances of clusters and of topics are in it.

    runs : the mean over systems of one over their number of runs, or of judges; 0 for systems of one run.
    """

    clusters: float
    topics: float
    runs: float


def design(topics: int, cluster: Ints | None, runs: Floats, each: bool) -> Design:
    """Return how means over topics are made, or over clusters (`each`), of systems with numbers of runs."""
    of_runs = np.where(runs > 1, 1 / runs, 0.0)
    once = float(of_runs.mean())
    if cluster is None:
        return Design(0.0, 1 / topics, once)
    sizes = np.bincount(cluster)
    if each:
        weights = np.full(len(sizes), 1 / len(sizes))
    else:
        weights = sizes / topics
    # clusters: sum w_c^2; topics, each with the weight w_c / n_c: sum n_c (w_c / n_c)^2
    of_clusters = weights**2
    of_topics = of_clusters / sizes
    return Design(float(of_clusters.sum()), float(of_topics.sum()), once)


def sources(
    means: Floats, cluster: Ints | None, made: Design, replicates: Mapping[str, Strata]
) -> tuple[dict[str, Floats], dict[str, Floats]]:
    """Return variances by source as they are estimated, and what each adds to the variance of a mean beside others.

    means : (system, topic, metric), over runs or judges, at least 2 systems.
    replicates : what "run" varies by, or "judge" and "system x judge"; nothing where nobody answered twice.
    In the second what topics, clusters and judges do to all systems alike has no part.
    """
    within = replicates.get("run") or replicates.get("system x judge")
    overall = means.mean(axis=0, keepdims=True)
    of_systems = strata(means - overall, len(means) - 1, cluster)
    alike = strata(overall - overall.mean(axis=1, keepdims=True), 1, cluster)
    alike = alike.less(of_systems, 1 / len(means))
    if within:
        of_systems = of_systems.less(within, made.runs)
    if "judge" in replicates:
        alike = alike.less(replicates["judge"], made.runs)
    of_all = {"system": of_systems, "": alike, **replicates}
    times = {"system": 1.0, "run": made.runs, "system x judge": made.runs}
    weights = {"level": 1.0, "cluster": made.clusters, "topic": made.topics}
    estimated, added = {}, {}
    for who, stratum in of_all.items():
        for what, weight in weights.items():
            if (what == "cluster" and cluster is None) or (not who and what == "level"):
                continue
            name = _called(who, what)
            estimated[name] = getattr(stratum, what)
            in_error = name != "system" and who in times
            share = weight * times[who] if in_error else 0.0
            added[name] = share * np.maximum(estimated[name], 0.0)
    order = sorted(estimated, key=lambda name: name.count(" x "))
    return {name: estimated[name] for name in order}, {
        name: added[name] for name in order
    }


def _called(who: str, what: str) -> str:
    """Name a source, as in "system x topic"."""
    return " x ".join(part for part in (who, what) if part and part != "level")
