"""Judged runs to scores: tile by tile, every metric on the grade array that its general parameters ask for."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from irmeta.evaluation.grades import measures
from irmeta.evaluation.grades.core import JudgedRun
from irmeta.evaluation.grades.judged import GradeArray, Judged
from irmeta.metrics.names import Metric
from irmeta.metrics.signatures import GENERAL
from irmeta.stats import arrays
from irmeta.stats.arrays import Bools, Floats, Indices

CELLS = 2**20 if arrays.core else 2**18
"""Places (system, topic, rank) whose measures are computed together; NumPy's arrays then fit the processor's cache."""

Pools = Mapping[Any, Bools | None]
"""By the `pool=` of a metric (None: it has none), which judgments count; None: all do."""


def scores(
    array: GradeArray,
    runs: Sequence[JudgedRun],
    metrics: Sequence[Metric],
    pools: Pools,
    *,
    topics: Indices | None = None,
    cells: int | None = None,
    regarded: Callable[[Judged], Judged] | None = None,
) -> Floats:
    """Compute metrics of runs on some topics, or on all: (system, topic, metric).

    cells : how many places (system, topic, rank) are looked at together, by default CELLS. Metrics that look at the
    lists alike share a grade array.  regarded : what to take the grades for, by default what they are.
    """
    asked = array.topics if topics is None else topics
    found = np.empty((len(runs), asked.size, len(metrics)))
    # what each metric looks at
    views = [tuple(metric[name] for name in GENERAL) for metric in metrics]
    # a tile is some runs on some topics, whose grade array is small enough for the cache
    for some, places in array.tiles(runs, asked, cells or CELLS):
        # grade arrays by what metrics look at: the same depth, pool and judged_only
        seen: dict[tuple[Any, ...], Judged] = {}
        for place, (metric, view) in enumerate(zip(metrics, views, strict=True)):
            if view not in seen:
                whole = array.of(runs[some], asked[places], pools[metric["pool"]])
                seen[view] = _seen_by(regarded(whole) if regarded else whole, metric)
            found[some, places, place] = measures.score(seen[view], metric)
    return found


def _seen_by(judged: Judged, metric: Metric) -> Judged:
    """Return what a metric looks at: the lists to its depth, then without unjudged documents if it wants that."""
    depth = metric["depth"]
    if isinstance(depth, int):
        judged = judged.at_depth(depth)
    if metric["judged_only"]:
        return judged.judged_only()
    return judged
