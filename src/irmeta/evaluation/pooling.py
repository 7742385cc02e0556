"""How many documents there are to judge: the distinct ones among the first of all runs, topic by topic."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from irmeta.choices import Precision
from irmeta.evaluation.judging import Judgments
from irmeta.evaluation.sources import QrelsLike, RunsLike, Source, qrels_of, sources_of
from irmeta.evaluation.task import Task
from irmeta.io.rankings import Run, pair_keys
from irmeta.io.trec import Reading
from irmeta.names import parse
from irmeta.parallel import in_order
from irmeta.stats.arrays import Ints

BATCH = 8
"""Runs that are read together."""


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
    best: tuple[np.ndarray, Ints] = (
        np.empty(0, dtype=np.uint64),
        np.empty(0, dtype=np.int64),
    )
    for keys, ranks in in_order(
        partial(_ranked, task, max(depths)), batches, "runs pooled"
    ):
        best = _highest(
            np.concatenate([best[0], keys]), np.concatenate([best[1], ranks])
        )
    topics = len(judgments.qrels.topics)
    known = np.isin(
        best[0], pair_keys(judgments.qrels.topic, judgments.qrels.documents.hash)
    )
    within = {depth: best[1] < depth for depth in depths}
    sizes = {depth: int(inside.sum()) / topics for depth, inside in within.items()}
    shares = {depth: float(known[inside].mean()) for depth, inside in within.items()}
    return Pools(sizes, shares, judgments.qrels.grades.size / topics)


def _ranked(
    task: Task, depth: int, sources: Sequence[Source]
) -> tuple[np.ndarray, Ints]:
    """Return the documents that some runs rank above a depth, as numbers, each with its highest rank from 0."""
    read = [task.read(source, partial(_above, task, depth)) for source in sources]
    parts = [part for done in read if not isinstance(done, str) for part in done[0]]
    return _highest(
        np.concatenate([keys for keys, _ in parts]),
        np.concatenate([ranks for _, ranks in parts]),
    )


def _above(task: Task, depth: int, run: Run) -> tuple[np.ndarray, Ints]:
    """Return the documents that a run ranks above a depth, as numbers, and their ranks from 0."""
    ranking = task.judgments.rank(run, task.precision)
    place = np.arange(ranking.topic.size)
    rank = place - np.maximum.accumulate(np.where(ranking.new, place, 0))
    kept = rank < depth
    return pair_keys(
        ranking.topic[kept], run.documents.hash.take(ranking.row[kept])
    ), rank[kept]


def _highest(keys: np.ndarray, ranks: Ints) -> tuple[np.ndarray, Ints]:
    """Keep each document once, with its highest rank."""
    order = np.lexsort((ranks, keys))
    found, first = np.unique(keys[order], return_index=True)
    return found, ranks[order][first]


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
