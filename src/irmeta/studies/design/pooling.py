"""How many documents there are to judge: the distinct ones among the first of all runs, topic by topic."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from irmeta.evaluation.grades.judging import Judgments
from irmeta.evaluation.lists import tops
from irmeta.evaluation.sources import QrelsLike, RunsLike, qrels_of, sources_of
from irmeta.io.runs.trec import Reading
from irmeta.metrics.names import parse


@dataclass(frozen=True)
class Pools:
    """What judging costs: mean numbers of documents a topic.

    sizes : by depth, the distinct documents among the first `depth` of any run.  known : the share of these that are
    judged, in [0, 1].  judged : the judgments there are.
    """

    sizes: Mapping[int, float]
    known: Mapping[int, float]
    judged: float


def pools(qrels: QrelsLike, runs: RunsLike, depths: Sequence[int]) -> Pools:
    """Measure the pools of some depths, over the topics that are judged.

    >>> runs = {"a": {"1": {"x": 2.0, "y": 1.0}}, "b": {"1": {"x": 2.0, "z": 1.0}}}
    >>> pools({"1": {"x": 1}}, runs, [1, 2]).sizes
    {1: 1.0, 2: 3.0}
    """
    read = qrels_of(qrels, Reading())
    # documents of topics, each with the highest rank that a run gives it
    best: dict[tuple[int, str], int] = {}
    lists = tops(Judgments(read), sources_of(runs), max(depths), "runs pooled")
    for topic, rank, documents in lists:
        pairs = zip(topic.tolist(), documents, strict=True)
        for pair, at in zip(pairs, rank.tolist(), strict=True):
            best[pair] = min(at, best.get(pair, at))
    known = set(zip(read.topic.tolist(), read.documents, strict=True))
    topics = len(read.topics)
    inside = {
        depth: [pair for pair, rank in best.items() if rank < depth] for depth in depths
    }
    sizes = {depth: len(pairs) / topics for depth, pairs in inside.items()}
    shares = {
        depth: float(np.mean([pair in known for pair in pairs]))
        for depth, pairs in inside.items()
    }
    return Pools(sizes, shares, read.grades.size / topics)


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
