"""Depths of judging: runs scored as pools of each depth would let them be scored, and what the pools cost."""

from collections.abc import Iterable, Sequence
from typing import Any

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


def judged_to_depths(
    scores: xr.DataArray,
    qrels: QrelsLike,
    runs: RunsLike,
    llm: QrelsLike | None,
    depths: Sequence[int] | None,
    metrics: str | Iterable[str] | None,
    target: str,
) -> dict[str, Any]:
    """Return what a design is made from: scores by each metric at each depth, by people and by a machine, and pools.

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
    return {
        "scores": cube,
        "metrics": wanted,
        "machine": machine,
        "pools": size.sizes,
        "judged": size.judged,
        "known": size.known,
    }


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
