"""Who brought which judged documents to the pool, and what runs score once one group's own are not judged.

Every run is ranked and looked up once. Leaving a group out then changes only the topics to which that group alone
brought judged documents: there the runs are scored again, by the judgments of the others.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial

import numpy as np

from irmeta.errors import MetricError
from irmeta.evaluation import notes
from irmeta.evaluation.engine import Evaluation
from irmeta.evaluation.grades import scoring
from irmeta.evaluation.grades.core import JudgedRun
from irmeta.evaluation.grades.judged import GradeArray, Judged
from irmeta.evaluation.run_scores import RunScores
from irmeta.evaluation.sources import QrelsLike, RunsLike, refuse_unreadable
from irmeta.evaluation.task import Task
from irmeta.io.runs.trec import Reading
from irmeta.metrics.names import Metric
from irmeta.parallel import in_order
from irmeta.stats.arrays import Bools, Floats, Indices

NOBODY = -1
SEVERAL = -2
"""The owner of a judged document that no run, or several groups, brought to the pool; groups count from 0."""
RISING = frozenset(["DCG", "ERR", "P", "RBP", "RR", "SP", "Success"])
"""Measures that further judgments can only raise: they do not look at what a run lacks."""
BLIND = RISING | {"AP", "IPrec", "R", "Rprec", "nDCG"}
"""Measures to which a document of grade 0 and an unjudged one are the same."""
CHUNK = 2**20
"""Cells (system, topic, rank) that are scored together; more only cost memory, fewer time."""
_ALL: scoring.Pools = {None: None}


@dataclass(frozen=True)
class LookedUp:
    """Runs whose documents have been looked up among the judgments, and what scores them.

    outcomes : of each run what there is to know of it beside.
    """

    runs: Sequence[JudgedRun]
    outcomes: Sequence[RunScores]
    task: Task

    @property
    def names(self) -> list[str]:
        """The names of the runs."""
        return [run.name for run in self.runs]

    @property
    def metrics(self) -> Sequence[Metric]:
        """The metrics to score the runs by."""
        return self.task.own

    @property
    def topics(self) -> list[str]:
        """The judged topics."""
        return self.task.topics


def look_up(
    qrels: QrelsLike,
    runs: RunsLike,
    metrics: str | Iterable[str | Metric],
    reading: Reading | None = None,
) -> LookedUp:
    """Read judgments and runs, and look every document up; see `evaluate` for what they may be.

    Raises MetricError for metrics whose value depends on other runs (`pool=`) or that ir_measures computes.
    """
    job = Evaluation.of(qrels, runs, metrics, reading=reading)
    for metric in job.task.metrics:
        if metric not in job.task.own or metric["pool"]:
            raise MetricError(
                f"{metric}: cannot be computed with judgments left out; choose other --metrics"
            )
    with closing(in_order(job.task.outcome, job.sources, "runs")) as arriving:
        every = list(arriving)
    refuse_unreadable((outcome.error for outcome, _ in every), len(every))
    runs = [run for _, run in every if run is not None]
    return LookedUp(runs, [outcome for outcome, _ in every], job.task)


def repetition_notes(looked: LookedUp) -> list[str]:
    """Say which runs had a document twice, of which one line was kept."""
    remarks = (one for outcome in looked.outcomes for one in outcome.remarks)
    return notes.repetition_notes(map(str, remarks))


def mismatch_notes(looked: LookedUp) -> list[str]:
    """Say which topics runs and judgments lack of each other, and which runs have no judged document at all."""
    return notes.mismatch_notes(looked.outcomes, len(looked.topics), "zero")


def owners(
    looked: LookedUp, group: Sequence[int], depth: int | None
) -> tuple[Indices, Bools]:
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
    # how many groups brought each judged document
    by = brought.sum(axis=0)
    owner = np.full(judgments, SEVERAL)
    owner[by == 0] = NOBODY
    owner[by == 1] = brought.argmax(axis=0)[by == 1]
    return owner, brought


def without_each(
    looked: LookedUp, owner: Indices, groups: int
) -> tuple[Floats, Floats]:
    """Score all runs with all judgments, then without those that each group in turn alone brought.

    owner : as `owners` returns it.  Returns means over topics, (system, metric) and (group, system, metric).
    """
    work = partial(_scores_without_each, looked.task, owner, groups)
    with closing(
        in_order(work, list(_chunks(looked.runs)), "leaving groups out")
    ) as arriving:
        parts = list(arriving)
    full = np.concatenate([whole for whole, _ in parts])
    left_out = np.concatenate([left for _, left in parts], axis=1)
    return full, left_out


def scores(
    looked: LookedUp, regarded: Callable[[Judged], Judged] | None = None
) -> Floats:
    """Score all runs with all judgments: (system, topic, metric). regarded : what to take the grades for."""
    array = GradeArray(looked.task.judgments.qrels)
    score = partial(
        scoring.scores,
        metrics=looked.metrics,
        pools=_ALL,
        cells=CHUNK,
        regarded=regarded,
    )
    return np.concatenate([score(array, chunk) for chunk in _chunks(looked.runs)])


def only_rises(metric: Metric) -> bool:
    """Say whether judging more documents can only raise a score.

    >>> from irmeta.metrics.names import parse
    >>> only_rises(parse("P@10")), only_rises(parse("AP")), only_rises(parse("nDCG@10"))
    (True, False, False)
    """
    return metric.base in RISING and not metric["judged_only"]


def highest_scores(looked: LookedUp) -> Floats:
    """Score all runs as if every unjudged document had the highest grade: (system, topic, metric).

    Metrics that `only_rises` names cannot get more, whatever is judged.
    """
    return scores(looked, Judged.all_judged_best)


def _scores_without_each(
    task: Task, owner: Indices, groups: int, runs: Sequence[JudgedRun]
) -> tuple[Floats, Floats]:
    """Score some runs as `without_each` does."""
    qrels, metrics = task.judgments.qrels, task.own
    array = GradeArray(qrels)
    full = scoring.scores(array, runs, metrics, _ALL, cells=CHUNK)
    # (group, system, metric)
    left = np.broadcast_to(full.mean(axis=1), (groups, *full.shape[::2])).copy()
    blind = np.array([_ignores_unjudged(metric) for metric in metrics])
    for group in range(groups):
        mine = owner == group  # the judgments that go
        changed = full.copy()
        # score again only topics that lose something; to blind measures only relevant documents are something
        for some, rows in ((blind, mine & (qrels.grades > 0)), (~blind, mine)):
            topics = np.unique(qrels.topic[rows])
            if topics.size and some.any():
                wanted = [
                    metric for metric, asked in zip(metrics, some, strict=True) if asked
                ]
                found = scoring.scores(
                    array, runs, wanted, {None: ~mine}, topics=topics, cells=CHUNK
                )
                changed[:, topics[:, None], np.flatnonzero(some)] = found
        left[group] = changed.mean(axis=1)
    return full.mean(axis=1), left


def _ignores_unjudged(metric: Metric) -> bool:
    """Tell whether a metric takes documents of grade 0 and unjudged ones for the same."""
    rel = metric.get("rel")
    blind = metric.base in BLIND and not metric["judged_only"]
    return blind and (rel is None or float(rel) > 0)


def _chunks(runs: Sequence[JudgedRun]) -> Iterator[list[JudgedRun]]:
    """Cut runs into chunks that have about CHUNK cells together."""
    longest = max((int(run.retrieved.sum()) for run in runs), default=1)
    size = max(1, CHUNK // longest)
    for start in range(0, len(runs), size):
        yield list(runs[start : start + size])
