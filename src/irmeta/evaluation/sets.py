"""Several judgment sets of the same runs: each run is read, ranked and looked up once, whatever the number of sets."""

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from irmeta.errors import FileFormatError, MetricError, ScoresError
from irmeta.evaluation import notes
from irmeta.evaluation.engine import batches
from irmeta.evaluation.grades.core import JudgedRun
from irmeta.evaluation.grades.judging import Judgments
from irmeta.evaluation.run_scores import RunScores
from irmeta.evaluation.sources import (
    QrelsLike,
    RunsLike,
    Source,
    qrels_of,
    refuse_unreadable,
    sources_of,
)
from irmeta.evaluation.task import Task
from irmeta.io.runs.fields import PADDING, Strings
from irmeta.io.runs.rankings import Qrels, index_strings
from irmeta.io.runs.trec import Reading
from irmeta.metrics.names import Metric, nearest, parse_list, relevant_from
from irmeta.parallel import in_order, steps
from irmeta.stats.arrays import Floats, Indices, Ints

if TYPE_CHECKING:
    import xarray as xr


@dataclass(frozen=True)
class JudgmentSets:
    """Judgment sets by name, and the pairs of topic and document that any of them judged.

    sets : the judgments of each set, by name.
    pairs : those pairs as judgments without a meaning of their own (grade 0).
    topic : for each set, where its topics stand among those of the pairs. row : for each set, where its judgments do.
    """

    sets: Mapping[str, Qrels]
    pairs: Qrels
    topic: Mapping[str, Indices]
    row: Mapping[str, Indices]

    @classmethod
    def of(
        cls, sets: Mapping[str, QrelsLike], reading: Reading | None = None
    ) -> "JudgmentSets":
        """Read judgment sets, given by name as paths, mappings or frames; one that cannot be read raises, named."""
        if not sets:
            raise ScoresError("there are no judgment sets; give one or more")
        qrels = {
            str(name): _qrels_of_set(str(name), given, reading or Reading())
            for name, given in sets.items()
        }
        # topics of all sets, numbered as they come
        topics: dict[str, int] = {}
        topic = {}
        for name, one in qrels.items():
            places = [topics.setdefault(text, len(topics)) for text in one.topics]
            topic[name] = np.array(places)
        # all judgments of all sets, one set after the other: document and topic of each
        documents = _joined_strings([one.documents for one in qrels.values()])
        place = np.concatenate([topic[name][one.topic] for name, one in qrels.items()])
        names, document = index_strings(documents)
        # a number for each pair of topic and document; each pair once, and where each judgment's pair is
        pair = place * len(names) + document
        _, first, row = np.unique(pair, return_index=True, return_inverse=True)
        pairs = Qrels(
            list(topics), place[first], documents.take(first), np.zeros(first.size)
        )
        ends = np.cumsum([one.grades.size for one in qrels.values()])[:-1]
        return cls(
            qrels, pairs, topic, dict(zip(qrels, np.split(row, ends), strict=True))
        )

    def grades(self) -> Floats:
        """Return the grade of every pair by every set, NaN where a set did not judge it: (set, pair).

        A grade below zero is no judgment either, as trec_eval has it.
        """
        grades = np.full((len(self.sets), self.pairs.grades.size), np.nan)
        for which, (name, one) in enumerate(self.sets.items()):
            grades[which, self.row[name]] = np.where(one.grades < 0, np.nan, one.grades)
        return grades


def _qrels_of_set(name: str, given: QrelsLike, reading: Reading) -> Qrels:
    try:
        return qrels_of(given, reading)
    except FileFormatError as error:
        raise FileFormatError(f"judgment set {name}: {error}", error.remarks) from error


def _joined_strings(parts: Sequence[Strings]) -> Strings:
    """Put strings of several buffers into one."""
    buffers = [part.buffer for part in parts]
    offsets = np.cumsum([0, *map(len, buffers)])
    starts = [
        part.start.astype(np.int64) + offset
        for part, offset in zip(parts, offsets[:-1], strict=True)
    ]
    lengths = [part.length.astype(np.int64) for part in parts]
    return Strings(
        b"".join(buffers) + PADDING, np.concatenate(starts), np.concatenate(lengths)
    )


def evaluate_under(
    sets: Mapping[str, QrelsLike] | JudgmentSets,
    runs: RunsLike,
    metrics: str | Metric | Sequence[str | Metric] = "nDCG@10",
    *,
    rel: Mapping[str, float] | None = None,
    reading: Reading | None = None,
) -> "dict[str, xr.DataArray]":
    """Score the same runs under several judgment sets: a cube for each set, as `evaluate` gives it for that set alone.

    sets : by name what `evaluate` takes as qrels. runs, metrics : as there; the metrics are irmeta's own.
    rel : by set the lowest relevant grade, where it is not that of the metric: a binary set has no grade 2 for
    AP(rel=2). The score keeps the metric's name, and `computed` in the cube's attributes says what it is.
    reading : what to accept in files beyond their format, as in `evaluate`.
    A set without a topic of the runs raises FileFormatError.

    >>> run = {"bm25": {"1": {"a": 3.0, "b": 2.0}}}
    >>> cubes = evaluate_under({"people": {"1": {"a": 1}}, "model": {"1": {"b": 1}}}, run, "RR")
    >>> [cube.item() for cube in cubes.values()]
    [1.0, 0.5]
    """
    given = sets if isinstance(sets, JudgmentSets) else JudgmentSets.of(sets, reading)
    sources = sources_of(runs)
    lowest = dict(rel or {})
    if unknown := [name for name in lowest if name not in given.sets]:
        raise ScoresError(
            f"no judgment set {unknown[0]!r}; {nearest(unknown[0], given.sets)}"
        )
    task = _UnderSets.of(
        given, parse_list(metrics), lowest, reading or Reading(), sources
    )
    with closing(in_order(task, batches(sources))) as arriving:
        done = list(steps(chain.from_iterable(arriving), "runs", total=len(sources)))
    refuse_unreadable((one.outcome.error for one in done), len(sources))
    return {
        name: _cube(name, one, which, done, task)
        for which, (name, one) in enumerate(given.sets.items())
    }


@dataclass(frozen=True)
class _Scored:
    """A run's outcome without scores, the topics it has, and its scores (topic, metric) under each set."""

    outcome: RunScores
    topics: frozenset[str] = frozenset()
    scores: Sequence[Floats] = ()


@dataclass(frozen=True)
class _UnderSets:
    """Judges and scores runs under several sets; one serves all runs, as `Task` does.

    whole : looks documents up among the pairs of all sets. tasks : for each set what scores its judged runs.
    """

    given: JudgmentSets
    whole: Task
    tasks: Sequence[Task]

    @classmethod
    def of(
        cls,
        given: JudgmentSets,
        metrics: Sequence[Metric],
        rel: Mapping[str, float],
        reading: Reading,
        sources: Sequence[Source],
    ) -> "_UnderSets":
        """Make what is needed ready, once for all runs."""
        whole = Task(Judgments(given.pairs), metrics, reading)
        if strange := [str(metric) for metric in metrics if metric not in whole.own]:
            raise MetricError(
                f"with several judgment sets irmeta computes only its own metrics, not {strange[0]}"
            )
        tasks = []
        for name, qrels in given.sets.items():
            own = metrics
            if name in rel:
                own = [relevant_from(metric, rel[name]) for metric in metrics]
            task = Task(Judgments(qrels), own, reading)
            tasks.append(task.with_pools(batches(sources)))
        return cls(given, whole, tasks)

    def __call__(self, sources: Sequence[Source]) -> list[_Scored]:
        """Evaluate runs under every set."""
        judged = [self.whole.outcome(source) for source in sources]
        runs = [run for _, run in judged if run is not None]
        by_set = [self._scores(which, runs) for which in range(len(self.tasks))]
        # the scores of each run that could be read, in the order of the runs
        scores = zip(*by_set, strict=True)
        found = []
        for outcome, run in judged:
            if run is None:
                found.append(_Scored(outcome))
            else:
                found.append(_Scored(outcome, run.topics, next(scores)))
        return found

    def _scores(self, which: int, runs: Sequence[JudgedRun]) -> Floats:
        """Score judged runs under the `which`-th set: (run, topic, metric)."""
        under = self._under[which]
        return self.tasks[which].scores_of([under(run) for run in runs])

    @cached_property
    def _under(self) -> list["_Under"]:
        return [_Under.of(self.given, name) for name in self.given.sets]


@dataclass(frozen=True)
class _Under:
    """Turns a run judged by the pairs of all sets into the run as one set judges it.

    topic, own_topic : the set's topics among those of the pairs, and back (-1: it has none). own_row : for each pair
    the set's judgment, -1 where it has none.
    """

    topic: Indices
    own_topic: Indices
    own_row: Ints

    @classmethod
    def of(cls, given: JudgmentSets, name: str) -> "_Under":
        """Invert where a set's topics and judgments stand."""
        return cls(
            given.topic[name],
            _inverse(given.topic[name], len(given.pairs.topics)),
            _inverse(given.row[name], given.pairs.grades.size),
        )

    def __call__(self, run: JudgedRun) -> JudgedRun:
        """Keep what this set judged, and name it as the set does."""
        row = self.own_row[run.judgment]
        kept = row >= 0
        return replace(
            run,
            topic=self.own_topic[run.topic[kept]],
            rank=run.rank[kept],
            judgment=row[kept],
            retrieved=run.retrieved[self.topic],
        )


def _inverse(places: Indices, size: int) -> Ints:
    """Return for each of `size` places which of the given ones it is, -1 for none."""
    inverse = np.full(size, -1)
    inverse[places] = np.arange(places.size)
    return inverse


def _cube(
    name: str, qrels: Qrels, which: int, done: Sequence[_Scored], task: _UnderSets
) -> "xr.DataArray":
    """Make the cube of one set, the `which`-th, of the runs that were scored under all sets."""
    from irmeta.scores.cube import check_possible, cube

    outcomes = [_outcome_under(one, qrels) for one in done]
    if all(len(outcome.lacking) == len(qrels.topics) for outcome in outcomes):
        raise FileFormatError(
            f"judgment set {name}: none of its topics is in the runs; do they belong to the "
            "same collection?"
        )
    computed = task.tasks[which].own
    provenance: dict[str, Any] = {
        "qrels": {"source": qrels.source, "sha256": qrels.digest},
        "runs": {outcome.name: outcome.digest for outcome in outcomes},
        "scored": len(qrels.topics),
        "lacking": {outcome.name: len(outcome.lacking) for outcome in outcomes},
        "notes": notes.notes(qrels, outcomes, computed, "qrels"),
    }
    asked = zip(task.whole.own, computed, strict=True)
    if replaced := {str(one): str(own) for one, own in asked if own != one}:
        provenance["computed"] = replaced
    scores = np.stack([one.scores[which] for one in done])
    systems = [one.outcome.name for one in done]
    names = systems, qrels.topics, list(map(str, task.whole.own))
    return check_possible(cube(scores, *names, collection=name, provenance=provenance))


def _outcome_under(run: _Scored, qrels: Qrels) -> RunScores:
    """Return a run's outcome with the topics of one set that it lacks, and as one that has judged documents."""
    lacking = tuple(topic for topic in qrels.topics if topic not in run.topics)
    return replace(run.outcome, lacking=lacking, found=1)
