"""One item of the work of an evaluation: a few runs, to their scores."""

from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import chain
from pathlib import Path

import numpy as np

from irmeta.choices import Precision
from irmeta.errors import FileFormatError
from irmeta.evaluation.grades import core, measures, scoring
from irmeta.evaluation.grades.core import Found, JudgedRun
from irmeta.evaluation.grades.judged import GradeArray
from irmeta.evaluation.grades.judging import Judgments
from irmeta.evaluation.other_measures import IrMeasures
from irmeta.evaluation.run_scores import Key, RunScores
from irmeta.evaluation.sources import (
    Source,
    open_source,
    place_of,
    require_judged_topics,
)
from irmeta.io.files import Content
from irmeta.io.runs.fields import Strings
from irmeta.io.runs.rankings import Run
from irmeta.io.runs.trec import Reading, parse_run
from irmeta.metrics.names import Metric
from irmeta.parallel import in_order
from irmeta.stats.arrays import Bools, Floats, Ints

JUDGED = 10
"""How many ranks the share of judged documents is of that a collection says of its runs."""

Pools = Mapping[int, Bools]
"""By depth, which judgments are of documents that some run ranks so high."""


@dataclass(frozen=True)
class Task:
    """Judges and scores runs; one serves all runs, and travels to whichever process has some of them.

    pools : for every depth that a metric's `pool=` names. done : keys of runs not to be evaluated again.
    digested : whether outcomes are to have the digests of their files, which take a tenth of the time of a run.
    folder : where relative paths begin.
    """

    judgments: Judgments
    metrics: Sequence[Metric]
    reading: Reading
    precision: Precision = "float64"
    pools: Pools = field(default_factory=dict)
    done: frozenset[Key] = frozenset()
    digested: bool = True
    folder: Path = field(default_factory=Path.cwd)

    def __call__(self, sources: Sequence[Source]) -> list[RunScores]:
        """Evaluate runs: an outcome for each; those that cannot be read or are done have no scores."""
        # judge one run after the other, then score all that could be judged together
        outcomes = [self.outcome(source) for source in sources]
        scores = iter(self.scores_of([run for _, run in outcomes if run is not None]))
        return [
            one if run is None else self._with_scores(one, next(scores))
            for one, run in outcomes
        ]

    def with_pools(self, batches: Sequence[Sequence[Source]]) -> "Task":
        """Read all runs first if a metric has `pool=`: its scores depend on what all of them rank."""
        asked = {metric["pool"] for metric in self.own}
        depths = sorted(depth for depth in asked if isinstance(depth, int))
        if not depths:
            return self
        _refuse_pipes(batches)
        judgments = len(self.judgments.qrels.documents)
        pools = {depth: np.zeros(judgments, dtype=np.bool_) for depth in depths}
        with closing(in_order(partial(_run_pools, self, depths), batches)) as parts:
            for part in parts:
                for depth, pool in pools.items():
                    pool |= part[depth]
        return replace(self, pools=pools)

    def judged(self, source: Source) -> tuple[JudgedRun, Run] | str:
        """Judge a run: return it, and what there is to know of it beside; of a run that is done, its digest.

        Raises FileFormatError if it cannot be read, or if no topic of it is judged.
        """
        given = self._opened(source)
        if isinstance(given, str):
            return given
        found = self.found(given, source[0])
        if found is not None:
            return found.judged, found.run
        run = self._run(given, source)
        return self.judgments.judge(run, self.precision), run

    def top(self, source: Source, depth: int) -> tuple[Ints, Ints, Strings]:
        """Return the documents that a run ranks above a depth: the topic of each, its rank from 0, and its id."""
        given = open_source(source, self.folder)
        found = self.found(given, source[0], depth)
        if found is not None:
            return found.top_topic, found.top_rank, found.top
        run = self._run(given, source)
        ranking = self.judgments.rank(run, self.precision)
        rank = ranking.rank
        kept = rank < depth
        return ranking.topic[kept], rank[kept], run.documents.take(ranking.row[kept])

    def found(self, given: Run | Content, name: str, top: int = 0) -> Found | None:
        """Return what the core finds in a run; None where only the plain reader can read it.

        top : of how many documents of each list the ids are wanted; then the run has no digest.
        """
        table = self.judgments.table
        if table is None or isinstance(given, Run) or self._foreign.metrics:
            return None
        qrels, digested = self.judgments.qrels, self.digested and not top
        return core.read(
            given, name, qrels, table, self.precision, top, digested=digested
        )

    def _opened(self, source: Source) -> Run | Content | str:
        """Return a system's run, or the content of its file; of a run that is done, its digest."""
        given = open_source(source, self.folder)
        place = source[0], place_of(source)
        maybe = any(key[:2] == place for key in self.done)
        if maybe and (*place, given.digest) in self.done:
            return given.digest
        return given

    def _run(self, given: Run | Content, source: Source) -> Run:
        """Return a run with its documents."""
        if isinstance(given, Run):
            run = given
        else:
            run = parse_run(given, source[0], self.reading)
        if not run.topics and not self.reading.allow_empty:
            hint = "did it retrieve nothing? (Reading(allow_empty=True))"
            raise FileFormatError(
                f"{place_of(source)}: the run has no documents; {hint}"
            )
        require_judged_topics(run, self.judgments.qrels, place_of(source))
        return run

    def outcome(self, source: Source) -> tuple[RunScores, JudgedRun | None]:
        """Judge a run; its outcome so far has the scores of ir_measures only."""
        outcome = RunScores(source[0], place_of(source))
        try:
            read = self.judged(source)
        except FileFormatError as error:
            return replace(outcome, error=error), None
        except MemoryError as error:
            reason = f"{place_of(source)}: not enough memory to read it ({error})"
            return replace(outcome, error=FileFormatError(reason)), None
        if isinstance(read, str):
            return replace(outcome, digest=read), None
        judged, run = read
        lacking = [topic for topic in self.topics if topic not in judged.topics]
        outcome = replace(
            outcome,
            digest=run.digest,
            scores=self._foreign.scores(run) if self._foreign.metrics else None,
            lacking=tuple(lacking),
            other_topics=judged.other_topics,
            disagreeing=judged.disagreeing,
            constant=judged.constant,
            found=judged.rank.size,
            judged=judged.judged(JUDGED),
            deepest=int(judged.retrieved.max(initial=0)),
            order=judged.order if judged.retrieved.any() else "",
            tied=judged.tied / max(1, int(judged.retrieved.sum())),
            rounded=judged.rounded,
            remarks=run.remarks,
            metadata=run.metadata,
        )
        return outcome, judged

    @property
    def topics(self) -> list[str]:
        """The judged topics."""
        return self.judgments.qrels.topics

    @cached_property
    def own(self) -> list[Metric]:
        """The metrics that are ours, not those of ir_measures."""
        return [metric for metric in self.metrics if metric.base in measures.MEASURES]

    @cached_property
    def _foreign(self) -> IrMeasures:
        return IrMeasures(
            self.judgments.qrels,
            [metric for metric in self.metrics if metric not in self.own],
        )

    @cached_property
    def _array(self) -> GradeArray:
        return GradeArray(self.judgments.qrels)

    def _with_scores(self, outcome: RunScores, own: Floats) -> RunScores:
        """Put our scores (topic, metric) beside those of ir_measures, in the order of the metrics."""
        if outcome.scores is None:
            return replace(outcome, scores=own)
        metrics = [*self.own, *self._foreign.metrics]
        scores = np.concatenate([own, outcome.scores], axis=1)
        order = [metrics.index(metric) for metric in self.metrics]
        return replace(outcome, scores=scores[:, order])

    def scores_of(self, runs: Sequence[JudgedRun]) -> Floats:
        """Compute our metrics of some runs: (run, topic, metric)."""
        return scoring.scores(
            self._array, runs, self.own, {None: None} | dict(self.pools)
        )


def _refuse_pipes(batches: Sequence[Sequence[Source]]) -> None:
    """Raise FileFormatError for a run that can be read only once: pools take two readings."""
    for source in chain.from_iterable(batches):
        given = source[1]
        if isinstance(given, Path) and given.exists() and not given.is_file():
            raise FileFormatError(
                f"{given}: a pipe can be read only once, but pool= reads runs twice; save it to "
                "a file"
            )


def _run_pools(task: Task, depths: Sequence[int], sources: Sequence[Source]) -> Pools:
    """Mark for each depth the judgments of documents that one of these runs ranks so high."""
    judgments = len(task.judgments.qrels.documents)
    pools = {depth: np.zeros(judgments, dtype=np.bool_) for depth in depths}
    task = replace(task, digested=False)
    for source in sources:
        with suppress(FileFormatError):  # the evaluation that follows says so
            read = task.judged(source)
            if not isinstance(read, str):
                for depth, pool in pools.items():
                    pool[read[0].judgment[read[0].rank < depth]] = True
    return pools
