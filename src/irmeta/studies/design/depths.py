"""Depths of judging: runs scored as pools of each depth would let them be scored, and what the pools cost."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import xarray as xr

from irmeta.errors import IrmetaError
from irmeta.evaluation.engine import evaluate
from irmeta.evaluation.grades.judging import Judgments
from irmeta.evaluation.lists import top_documents
from irmeta.evaluation.sources import QrelsLike, RunsLike, qrels_of, sources_of
from irmeta.io.runs.trec import Reading
from irmeta.metrics.names import metric_names, parse
from irmeta.scores.attributes import OVER
from irmeta.scores.groups.clusters import cluster_map, with_clusters
from irmeta.scores.selection import select

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
    reading: Reading | None = None,
) -> AtDepths:
    """Score runs as pools of each depth would let them be scored, by people and by a machine.

    scores : say which systems and topics.  llm : a machine's judgments.  metrics : by default the target
    """
    depths = depths or DEPTHS
    wanted = metric_names(metrics or target)
    columns = [pooled_name(metric, depth) for metric in wanted for depth in depths]
    kept = {
        "systems": scores.system.values.tolist(),
        "topics": scores.topic.values.tolist(),
    }
    full = evaluate(qrels, runs, [*wanted, target, *columns], reading=reading)
    pooled = pools(qrels, runs, depths, reading)
    machine = None
    if llm is not None:
        by_llm = evaluate(llm, runs, [*wanted, *columns], reading=reading)
        machine = select(by_llm, **kept)
    cube = select(full, **kept)
    cube.attrs["collection"] = scores.attrs.get("collection", "collection")
    clusters = cluster_map(scores)
    if clusters:
        cube = with_clusters(cube, clusters, mean_over=scores.attrs.get(OVER, "topics"))
    return AtDepths(cube, wanted, pooled.sizes, pooled.judged, pooled.known, machine)


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


@dataclass(frozen=True)
class Pools:
    """What judging costs: mean numbers of documents a topic.

    sizes : by depth, the distinct documents among the first `depth` of any run.  known : the share of these that are
    judged, in [0, 1].  judged : the judgments there are.
    """

    sizes: Mapping[int, float]
    known: Mapping[int, float]
    judged: float


def pools(
    qrels: QrelsLike,
    runs: RunsLike,
    depths: Sequence[int],
    reading: Reading | None = None,
) -> Pools:
    """Measure the pools of some depths, over the topics that are judged.

    >>> runs = {"a": {"1": {"x": 2.0, "y": 1.0}}, "b": {"1": {"x": 2.0, "z": 1.0}}}
    >>> pools({"1": {"x": 1}}, runs, [1, 2]).sizes
    {1: 1.0, 2: 3.0}
    """
    reading = reading or Reading()
    read = qrels_of(qrels, reading)
    # documents of topics, each with the highest rank that a run gives it
    best: dict[tuple[int, str], int] = {}
    pooled = sources_of(runs)
    lists = top_documents(Judgments(read), pooled, max(depths), reading, "runs pooled")
    for topics, ranks, documents in lists:
        pairs = zip(topics.tolist(), documents, strict=True)
        for pair, rank in zip(pairs, ranks.tolist(), strict=True):
            best[pair] = min(rank, best.get(pair, rank))
    known = set(zip(read.topic.tolist(), read.documents, strict=True))
    count = len(read.topics)
    sizes: dict[int, float] = {}
    shares: dict[int, float] = {}
    for depth in depths:
        pool = [pair for pair, rank in best.items() if rank < depth]
        sizes[depth] = len(pool) / count
        judged = [pair in known for pair in pool]
        shares[depth] = float(np.mean(judged))
    return Pools(sizes, shares, read.grades.size / count)


def pooled_name(metric: str, depth: int) -> str:
    """Name a metric as a pool of this depth lets it be computed.

    >>> pooled_name("AP", 10), pooled_name("nDCG(gains='exp')@20", 10)
    ('AP(pool=10)', "nDCG(gains='exp', pool=10)@20")
    """
    name = str(parse(metric))
    if "(" in name:
        return str(parse(name.replace(")", f", pool={depth})", 1)))
    base, at, cutoff = name.partition("@")
    return str(parse(f"{base}(pool={depth}){at}{cutoff}"))
