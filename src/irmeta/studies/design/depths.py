"""Depths of judging: runs scored as pools of each depth would let them be scored, and what the pools cost."""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import xarray as xr

from irmeta.errors import IrmetaError
from irmeta.evaluation.engine import evaluate
from irmeta.evaluation.sources import QrelsLike, RunsLike
from irmeta.metrics.names import metric_names
from irmeta.scores.attributes import OVER
from irmeta.scores.groups.clusters import cluster_map, with_clusters
from irmeta.scores.selection import select
from irmeta.studies.design.pooling import pooled, pools

DEPTHS = (5, 10, 20, 50, 100)


class AtDepths(NamedTuple):
    """What a design is made from: scores by each metric at each depth of judging, and what judging takes.

    scores : a cube; a metric named with `pool=D`, as in AP(pool=10), is one judged to depth D
    metrics : to choose from, at every depth; all by default
    pools : by depth, the documents to judge a topic
    judged : those of the full judgments. Without them judgments cost nothing, and a note says so
    known : by depth, the share of these documents that are judged
    machine : the same systems and topics, judged by a machine
    """

    scores: xr.DataArray
    metrics: str | Iterable[str] | None
    pools: Mapping[int, float] | None = None
    judged: float | None = None
    known: Mapping[int, float] = MappingProxyType({})
    machine: xr.DataArray | None = None


def judged_to_depths(
    scores: xr.DataArray,
    qrels: QrelsLike,
    runs: RunsLike,
    llm: QrelsLike | None,
    depths: Sequence[int] | None,
    metrics: str | Iterable[str] | None,
    target: str,
) -> AtDepths:
    """Score runs as pools of each depth would let them be scored, by people and by a machine.

    scores : say which systems and topics
    """
    depths = depths or DEPTHS
    wanted = metric_names(metrics or target)
    columns = [pooled(metric, depth) for metric in wanted for depth in depths]
    kept = {
        "systems": scores.system.values.tolist(),
        "topics": scores.topic.values.tolist(),
    }
    full = evaluate(qrels, runs, [*wanted, target, *columns])
    size = pools(qrels, runs, depths)
    machine = None
    if llm is not None:
        machine = select(evaluate(llm, runs, [*wanted, *columns]), **kept)
    cube = select(full, **kept)
    cube.attrs["collection"] = scores.attrs.get("collection", "collection")
    if clusters := cluster_map(scores):
        cube = with_clusters(cube, clusters, mean_over=scores.attrs.get(OVER, "topics"))
    return AtDepths(cube, wanted, size.sizes, size.judged, size.known, machine)


def require_both(
    runs: RunsLike | None,
    qrels: QrelsLike | None,
    llm: QrelsLike | None,
    depths: Sequence[int] | None,
) -> None:
    """Raise IrmetaError where only a part of what belongs together is given."""
    if (runs is None) != (qrels is None):
        raise IrmetaError(
            "--runs and --qrels belong together: depths of judging need both"
        )
    if llm is not None and runs is None:
        raise IrmetaError(
            "--llm needs --runs and --qrels: the same runs are scored by the machine's judgments"
        )
    if depths is not None and runs is None:
        raise IrmetaError("--depths needs --runs and --qrels")
