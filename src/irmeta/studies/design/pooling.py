"""How many documents there are to judge: the distinct ones among the first of all runs, topic by topic."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from irmeta.choices import Precision
from irmeta.evaluation.grades.judging import Judgments
from irmeta.evaluation.sources import QrelsLike, RunsLike, Source, qrels_of, sources_of
from irmeta.evaluation.task import Task
from irmeta.io.runs.trec import Reading
from irmeta.metrics.names import parse
from irmeta.parallel import in_order

BATCH = 8
"""Runs that are read together."""

Ranks = dict[tuple[int, str], int]
"""Documents of topics, a topic by its number, each with the highest rank, from 0, that a run gives it."""


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
    *,
    reading: Reading | None = None,
    score_precision: Precision = "float64",
) -> Pools:
    """Measure the pools of some depths, over the topics that are judged.

    >>> runs = {"a": {"1": {"x": 2.0, "y": 1.0}}, "b": {"1": {"x": 2.0, "z": 1.0}}}
    >>> pools({"1": {"x": 1}}, runs, [1, 2]).sizes
    {1: 1.0, 2: 3.0}
    """
    reading = reading or Reading()
    judgments = Judgments(qrels_of(qrels, reading))
    task = Task(judgments, [parse("P@1")], reading, score_precision)
    sources = sources_of(runs)
    batches = [
        sources[start : start + BATCH] for start in range(0, len(sources), BATCH)
    ]
    best: Ranks = {}
    for some in in_order(partial(_ranked, task, max(depths)), batches, "runs pooled"):
        _merge(best, some)
    known = set(
        zip(judgments.qrels.topic.tolist(), judgments.qrels.documents, strict=True)
    )
    topics = len(judgments.qrels.topics)
    inside = {
        depth: [pair for pair, rank in best.items() if rank < depth] for depth in depths
    }
    sizes = {depth: len(pairs) / topics for depth, pairs in inside.items()}
    shares = {
        depth: float(np.mean([pair in known for pair in pairs]))
        for depth, pairs in inside.items()
    }
    return Pools(sizes, shares, judgments.qrels.grades.size / topics)


def _ranked(task: Task, depth: int, sources: Sequence[Source]) -> Ranks:
    """Return what some runs rank above a depth."""
    best: Ranks = {}
    for source in sources:
        _merge(best, _above(task, depth, source))
    return best


def _above(task: Task, depth: int, source: Source) -> Ranks:
    """Return what a run ranks above a depth."""
    topic, rank, documents = task.top(source, depth)
    pairs = zip(topic.tolist(), documents, strict=True)
    return dict(zip(pairs, rank.tolist(), strict=True))


def _merge(best: Ranks, more: Ranks) -> None:
    """Take in documents and their ranks, each at the highest one."""
    for pair, rank in more.items():
        best[pair] = min(rank, best.get(pair, rank))


def pooled(metric: str, depth: int) -> str:
    """Name a metric as a pool of this depth lets it be computed.

    >>> pooled("AP", 10), pooled("nDCG(gains='exp')@20", 10)
    ('AP(pool=10)', "nDCG(gains='exp', pool=10)@20")
    """
    name = str(parse(metric))
    if "(" in name:
        return str(parse(name.replace(")", f", pool={depth})", 1)))
    base, at, cutoff = name.partition("@")
    return str(parse(f"{base}(pool={depth}){at}{cutoff}"))
