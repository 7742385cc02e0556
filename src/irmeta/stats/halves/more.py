"""What makes intervals of differences narrower: more topics, more clusters of them, or more runs of each system."""

from typing import NamedTuple

import numpy as np

from irmeta.stats.arrays import Floats, Ints
from irmeta.stats.halves import clusters
from irmeta.stats.halves.repeats import Spread, variance_over_topics


class Parts(NamedTuple):
    """What the variance of a system's mean beside others' is made of, on average over systems.

    between : clusters, however many topics each has; 0 where topics stand alone.  within : topics.
    once : what runs do on one topic alone.  level : what they do on all topics alike.
    """

    between: float
    within: float
    once: float
    level: float

    def times(self, kind: str, narrower: float) -> float:
        """Return how many times as many make intervals narrower by a share in (0, 1); infinite where none do.

        kind : "topics" (of each cluster, where there are clusters), "clusters" or "runs".

        >>> round(Parts(0.0, 3.0, 1.0, 4.0).times("runs", 0.25), 3)
        3.333
        """
        shrinking = {
            "topics": self.within + self.once,
            "clusters": self.between + self.within + self.once,
            "runs": self.once + self.level,
        }[kind]
        total = sum(self)
        # total (1 - narrower)² = what stays + what shrinks / times
        left = total * (1 - narrower) ** 2 - (total - shrinking)
        return shrinking / left if left > 0 else np.inf


def parts(
    means: Floats,
    cluster: Ints | None = None,
    runs: Floats | None = None,
    spread: Spread | None = None,
) -> Parts:
    """Return what the variance of means is made of, from the scores (system, topic) of at least 2 systems.

    cluster : (topic,), the number of each topic's.  runs : (system,), how many each is the mean of; `spread` says how
    they differ, on topics or on clusters of them.
    """
    units = means if cluster is None else clusters.pseudo_values(means, cluster)
    over_units = float(variance_over_topics(units[..., None]).mean())
    within, between = over_units, 0.0
    if cluster is not None:
        beside = means - means.mean(axis=0)
        alike = np.clip(clusters.alike(beside, cluster).icc, 0.0, 1.0)
        over_topics = float(variance_over_topics(means[..., None]).mean())
        within = min((1 - alike) * over_topics, over_units)
        between = over_units - within
    if runs is None or spread is None:
        return Parts(between, within, 0.0, 0.0)
    # what of a run's own variance a system's mean has; a single run counts as one that never varies
    share = np.where(runs > 1, 1 / runs, 0.0).mean()
    # runs were compared on clusters, or on topics
    on = units if spread.topics <= units.shape[1] else means
    once = min(spread.cell.item() / on.shape[1] * share, within)
    return Parts(between, within - once, once, spread.level.item() * share)
