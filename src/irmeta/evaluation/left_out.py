"""Who brought which judged documents to the pool, and what runs score once one group's own are not judged.

Every run is ranked and looked up once. Leaving a group out then changes only the topics to which that group alone
brought judged documents: their grades become *unjudged* in a copy of the grade array, and the measures do the rest.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial

import numpy as np

from irmeta.errors import MetricError
from irmeta.evaluation import measures
from irmeta.evaluation.engine import Evaluation
from irmeta.evaluation.judged import FIRST, UNJUDGED, Facts, GradeArray, Judged
from irmeta.evaluation.judging import JudgedRun
from irmeta.evaluation.sources import QrelsLike, RunsLike, Source
from irmeta.evaluation.task import Task
from irmeta.io.rankings import Run
from irmeta.io.trec import Reading
from irmeta.names import Metric
from irmeta.parallel import in_order
from irmeta.signatures import CATALOGUE
from irmeta.stats.arrays import Bools, Floats, Indices, Ints

NOBODY, SEVERAL = -1, -2
"""The owner of a judged document that no run, or several groups, brought to the pool; groups count from 0."""
BLIND = frozenset(["AP", "DCG", "ERR", "IPrec", "P", "R", "RBP", "RR", "Rprec", "SP", "Success", "nDCG"])
"""Measures to which a document of grade 0 and an unjudged one are the same."""
RISING = frozenset(["DCG", "ERR", "P", "RBP", "RR", "SP", "Success"])
"""Measures that further judgments can only raise: they do not look at what a run lacks."""
CHUNK = 2**20
"""Cells (system, topic, rank) that are scored together; more only cost memory, fewer time."""


@dataclass(frozen=True)
class Looked:
    """Runs whose documents have been looked up among the judgments, and the metrics to score them by."""

    names: list[str]
    runs: Sequence[JudgedRun]
    task: Task
    metrics: Sequence[Metric]
    digests: Mapping[str, str]

    @property
    def topics(self) -> list[str]:
        """The judged topics."""
        return self.task.topics


def look_up(
    qrels: QrelsLike, runs: RunsLike, metrics: str | Iterable[str | Metric], *, reading: Reading | None = None
) -> Looked:
    """Read judgments and runs, and look every document up; see `evaluate` for what they may be.

    Raises MetricError for metrics whose value depends on other runs (`pool=`) or that ir_measures computes.
    """
    job = Evaluation.of(qrels, runs, metrics, reading=reading)
    for metric in job.task.metrics:
        if metric not in job.task.own or metric["pool"]:
            raise MetricError(f"{metric}: cannot be scored with judgments left out; choose other --metrics")
    with closing(in_order(partial(_looked_up, job.task), job.sources, "runs")) as arriving:
        judged = list(arriving)
    names = [run.name for run, _ in judged]
    digests = {run.name: digest for run, digest in judged}
    return Looked(names, [run for run, _ in judged], job.task, job.task.own, digests)


def _looked_up(task: Task, source: Source) -> tuple[JudgedRun, str]:
    run = task.read(source)
    if not isinstance(run, Run):  # only runs that were done before are not read
        raise TypeError(f"{source[0]} was not read")
    return task.judgments.judge(run, task.precision), run.digest


def owners(looked: Looked, group: Sequence[int], depth: int | None) -> tuple[Indices, Bools]:
    """Find which group brought each judged document to the pool, alone or with others.

    group : of each run, numbered from 0; NOBODY for runs that were not pooled.  depth : of the pool: how many documents
    of each list were judged; None where pools had no depth, and all judged documents that a run retrieves count.
    Returns owner, (judgment,): the number of the only group that brought it, NOBODY, or SEVERAL; and brought, (group,
    judgment).
    """
    judgments = len(looked.task.judgments.qrels.grades)
    brought = np.zeros((max(group, default=-1) + 1, judgments), dtype=np.bool_)
    for run, number in zip(looked.runs, group, strict=True):
        if number == NOBODY:
            continue
        deep_enough = slice(None) if depth is None else run.rank < depth
        brought[number, run.judgment[deep_enough]] = True
    by = brought.sum(axis=0)
    owner = np.full(judgments, SEVERAL)
    owner[by == 0] = NOBODY
    owner[by == 1] = brought.argmax(axis=0)[by == 1]
    return owner, brought


def without_each(looked: Looked, owner: Indices, groups: int) -> tuple[Floats, Floats]:
    """Score all runs with all judgments, then without those that each group in turn alone brought.

    owner : as `owners` returns it.  Returns means over topics, (system, metric) and (group, system, metric).
    """
    work = partial(_chunk_without, looked.task, looked.metrics, owner, groups)
    with closing(in_order(work, list(_chunks(looked.runs)), "leaving groups out")) as arriving:
        parts = list(arriving)
    return np.concatenate([full for full, _ in parts]), np.concatenate([left for _, left in parts], axis=1)


def scores(looked: Looked) -> Floats:
    """Score all runs with all judgments: (system, topic, metric)."""
    array = GradeArray(looked.task.judgments.qrels)
    parts = [_scores(array.of(chunk), looked.metrics) for chunk in _chunks(looked.runs)]
    return np.concatenate(parts)


def only_rises(metric: Metric) -> bool:
    """Say whether judging more documents can only raise a score.

    >>> from irmeta.names import parse
    >>> only_rises(parse("P@10")), only_rises(parse("AP")), only_rises(parse("nDCG@10"))
    (True, False, False)
    """
    return metric.base in RISING and not metric["judged_only"]


def most(looked: Looked) -> Floats:
    """Score all runs as if every unjudged document had the highest grade: (system, topic, metric).

    Metrics that `only_rises` names cannot get more, whatever is judged.
    """
    array = GradeArray(looked.task.judgments.qrels)
    parts = []
    for chunk in _chunks(looked.runs):
        whole = array.of(chunk)
        best = FIRST + len(whole.facts.grades) - 1  # codes of grades rise with them
        codes = np.where(whole.codes == UNJUDGED, best, whole.codes).astype(whole.codes.dtype)
        parts.append(_scores(Judged(codes, whole.retrieved, whole.facts), looked.metrics))
    return np.concatenate(parts)


def _chunk_without(
    task: Task, metrics: Sequence[Metric], owner: Indices, groups: int, runs: Sequence[JudgedRun]
) -> tuple[Floats, Floats]:
    """Score some runs as `without_each` does."""
    qrels = task.judgments.qrels
    whole = GradeArray(qrels).of(runs)
    full = _scores(whole, metrics)
    places = _places(runs, owner)
    left = np.broadcast_to(full.mean(axis=1), (groups, *full.shape[::2])).copy()
    grade = np.searchsorted(whole.facts.grades, qrels.grades)
    blind = np.array([_blind(metric) for metric in metrics])
    for group in range(groups):
        mine = owner == group
        gone = np.zeros_like(whole.facts.judged)
        np.add.at(gone, (qrels.topic[mine], grade[mine]), 1)
        changed = full.copy()
        # only relevant documents matter to blind measures: the other topics stay as they are
        for some, rows in ((blind, mine & (qrels.grades > 0)), (~blind, mine)):
            topics = np.unique(qrels.topic[rows])
            if topics.size and some.any():
                judged = _unjudged(whole, places.get(group), topics, gone)
                found = _scores(judged, [metric for metric, wanted in zip(metrics, some, strict=True) if wanted])
                changed[:, topics[:, None], np.flatnonzero(some)] = found
        left[group] = changed.mean(axis=1)
    return full.mean(axis=1), left


def _blind(metric: Metric) -> bool:
    """Tell whether a metric takes documents of grade 0 and unjudged ones for the same."""
    own = metric["rel"] if "rel" in CATALOGUE[metric.base].params else None
    return metric.base in BLIND and not metric["judged_only"] and (own is None or float(own) > 0)


def _places(runs: Sequence[JudgedRun], owner: Indices) -> dict[int, Indices]:
    """Return, by group, where these runs have the documents that it alone brought: (system, topic, rank) in columns."""
    found = []
    for system, run in enumerate(runs):
        here = owner[run.judgment]
        own = here >= 0
        found.append(np.stack([here[own], np.full(own.sum(), system), run.topic[own], run.rank[own]]))
    every = np.concatenate(found, axis=1)
    every = every[:, np.argsort(every[0], kind="stable")]
    starts = np.flatnonzero(np.diff(every[0], prepend=-1))
    parts = np.split(every, starts[1:], axis=1) if starts.size else []
    return {int(part[0, 0]): part[1:] for part in parts}


def _unjudged(whole: Judged, places: Indices | None, topics: Indices, gone: Ints) -> Judged:
    """Return the grades on some topics with the documents at these places unjudged, and fewer judged."""
    codes = whole.codes[:, topics]
    if places is not None:
        system, topic, rank = places[:, np.isin(places[1], topics)]
        codes[system, np.searchsorted(topics, topic), rank] = UNJUDGED
    judged = (whole.facts.judged - gone)[topics]
    facts = Facts(whole.facts.grades, judged, whole.facts.max_grade)
    return Judged(codes, whole.retrieved[:, topics], facts)


def _scores(judged: Judged, metrics: Sequence[Metric]) -> Floats:
    """Score by every metric: (system, topic, metric); metrics that look at the lists alike share what they compute."""
    found = np.empty((*judged.retrieved.shape, len(metrics)))
    views: dict[tuple[object, object], Judged] = {}
    for place, metric in enumerate(metrics):
        depth, only = metric["depth"], bool(metric["judged_only"])
        if (depth, only) not in views:
            seen = judged.at_depth(depth) if isinstance(depth, int) else judged
            views[depth, only] = seen.judged_only() if only else seen
        found[..., place] = measures.score(views[depth, only], metric)
    return found


def _chunks(runs: Sequence[JudgedRun]) -> Iterator[list[JudgedRun]]:
    """Cut runs into chunks whose grade arrays have about CHUNK cells."""
    deepest = max((int(run.retrieved.max(initial=1)) for run in runs), default=1)
    cells = deepest * max((run.retrieved.size for run in runs), default=1)
    size = max(1, CHUNK // cells)
    for start in range(0, len(runs), size):
        yield list(runs[start : start + size])
