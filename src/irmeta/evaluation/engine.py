"""Runs and judgments to scores."""

import json
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

import numpy as np

from irmeta.choices import OnError, Precision, TopicSet
from irmeta.errors import FileFormatError, Remark, require_choice
from irmeta.evaluation import notes
from irmeta.evaluation.grades.judging import Judgments
from irmeta.evaluation.other_measures import foreign_metric
from irmeta.evaluation.run_scores import Key, RunScores
from irmeta.evaluation.sources import (
    QrelsLike,
    RunsLike,
    Source,
    qrels_of,
    refuse_unreadable,
    require_usable,
    sources_with_problems,
)
from irmeta.evaluation.task import Task
from irmeta.io.runs.trec import Reading
from irmeta.metrics.names import Metric, parse_list
from irmeta.metrics.values import require_possible
from irmeta.parallel import in_order, steps
from irmeta.scores.names import labels
from irmeta.stats.arrays import Floats

if TYPE_CHECKING:
    import xarray as xr

_LEFT_OUT = "left out: "
BATCH, SHARES = 8, 16
"""At most BATCH runs are evaluated together; fewer if there would not be SHARES batches for the cores to share."""


def evaluate(
    qrels: QrelsLike,
    runs: RunsLike,
    metrics: str | Metric | Iterable[str | Metric] = "seeds23",
    *,
    collection: str | None = None,
    score_precision: Precision = "float64",
    topics: TopicSet = "qrels",
    reading: Reading | None = None,
    on_error: OnError = "stop",
    drop_copies: bool = False,
    drop_empty: bool = False,
) -> "xr.DataArray":
    """Score every run on every judged topic with every metric: a cube of (system, topic, metric).

    qrels : a file, {topic: {document: grade}}, or a data frame. runs : files, folders, globs, or by name a file, a
    {topic: {document: score}} or a data frame. Files may be URLs (s3://..., https://...) that fsspec opens.
    metrics : names, in a list or in one text ("AP nDCG@10"), or the name of a set.
    collection : a name; by default that of the qrels file.
    score_precision : "float32" orders documents as trec_eval 9 and pytrec_eval do.
    topics : "qrels" keeps every judged topic, where a run that misses it scores 0; "common" keeps those of all runs.
    reading : what to accept in files beyond their format, as in Reading(dedup="first").
    on_error : "stop" raises at the first run that cannot be read; "skip" goes on without such runs.
    drop_copies : leave out a run that ranks as an earlier one on every topic.
    drop_empty : leave out a run without documents.
    The cube's attributes hold the digests of qrels and runs and the options; `irmeta.about(cube)["notes"]` are the
    notes that the command line prints: topics that runs lack, ranks that contradict scores, runs that were left out.

    >>> run = {"bm25": {"1": {"a": 3.0, "b": 2.0}}}
    >>> evaluate({"1": {"b": 1}}, run, "RR").sel(system="bm25", topic="1").item()
    0.5
    """
    from irmeta.scores.cube import cube

    scored = Evaluation.of(
        qrels,
        runs,
        metrics,
        collection=collection,
        score_precision=score_precision,
        topics=topics,
        reading=reading,
        on_error=on_error,
        drop_copies=drop_copies,
        drop_empty=drop_empty,
    ).scored()
    return cube(
        scored.scores,
        scored.systems,
        scored.topics,
        scored.metrics,
        collection=scored.collection,
        provenance=_shown_left_out(scored.provenance) | scored.provenance,
    )


def _shown_left_out(provenance: Mapping[str, Any]) -> dict[str, str]:
    """Return the first attribute, which a notebook shows in one line: how many runs were left out, and why."""
    notes = provenance["notes"]
    why = [one.removeprefix(_LEFT_OUT) for one in notes if one.startswith(_LEFT_OUT)]
    return {"runs_left_out": f"{len(why)}: {'; '.join(why)}"} if why else {}


def evaluate_run(
    qrels: QrelsLike,
    run: Any,
    metrics: str | Metric | Iterable[str | Metric] = "seeds23",
    *,
    score_precision: Precision = "float64",
    reading: Reading | None = None,
) -> "xr.DataArray":
    """Score one run, and return nothing but its scores: what a server may keep where nobody may see the judgments.

    qrels, metrics, score_precision, reading : as in `evaluate`. run : a file, {topic: {document: score}} or a frame.
    Returns an array of (topic, metric), without attributes: no digest, no path, no histogram of grades.
    Raises FileFormatError for several runs, and as `evaluate` does.

    >>> evaluate_run({"1": {"b": 1}}, {"1": {"a": 3.0, "b": 2.0}}, "RR").values.tolist()
    [[0.5]]
    """
    cube = evaluate(
        qrels, run, metrics, score_precision=score_precision, reading=reading
    )
    if cube.sizes["system"] != 1:
        raise FileFormatError(
            f"evaluate_run takes one run, not {cube.sizes['system']}; use evaluate for several"
        )
    cube.attrs = {}
    return cube.isel(system=0, drop=True)


class Scored(NamedTuple):
    """What an evaluation gave: scores of shape (system, topic, metric), the names along each axis, and provenance."""

    scores: Floats
    systems: list[str]
    topics: list[str]
    metrics: list[str]
    collection: str
    provenance: dict[str, Any]


@dataclass(frozen=True)
class Evaluation:
    """An evaluation as asked for: the work, the runs, and what to do with topics and with runs that are not wanted."""

    task: Task
    sources: Sequence[Source]
    beside: Sequence[Remark]
    collection: str
    topics: TopicSet
    on_error: OnError
    drop_copies: bool
    drop_empty: bool

    @classmethod
    def of(
        cls,
        qrels: QrelsLike,
        runs: RunsLike,
        metrics: str | Metric | Iterable[str | Metric] = "seeds23",
        *,
        collection: str | None = None,
        score_precision: Precision = "float64",
        topics: TopicSet = "qrels",
        reading: Reading | None = None,
        on_error: OnError = "stop",
        drop_copies: bool = False,
        drop_empty: bool = False,
    ) -> "Evaluation":
        """Read the judgments, list the runs, and check the options; see `evaluate`."""
        require_choice("score_precision", score_precision, get_args(Precision))
        require_choice("topics", topics, get_args(TopicSet))
        require_choice("on_error", on_error, get_args(OnError))
        wanted = parse_list(metrics, other=foreign_metric)
        reading = reading or Reading()
        if drop_empty:
            reading = replace(reading, allow_empty=True)
        judgments = Judgments(qrels_of(qrels, reading))
        sources, beside = sources_with_problems(runs)
        if on_error == "stop":
            require_usable(sources)
        task = Task(judgments, wanted, reading, score_precision).with_pools(
            batches(sources)
        )
        return cls(
            task,
            sources,
            beside,
            labels([collection or judgments.qrels.name])[0],
            topics,
            on_error,
            drop_copies,
            drop_empty,
        )

    @property
    def metrics(self) -> list[str]:
        """The metrics, in the order asked for."""
        return [str(metric) for metric in self.task.metrics]

    @property
    def key(self) -> str:
        """A digest of all that a run's scores depend on, beside the run."""
        pools = {
            depth: sha256(pool.tobytes()).hexdigest()
            for depth, pool in self.task.pools.items()
        }
        all_ours = len(self.task.own) == len(self.metrics)
        programs = [_version(), "" if all_ours else version("ir-measures")]
        scored_by = [self.task.judgments.qrels.digest, self.metrics, self.collection]
        options = [self.task.precision, asdict(self.task.reading), pools]
        digested = json.dumps([*programs, *scored_by, *options])
        return sha256(digested.encode()).hexdigest()

    def scored(self) -> Scored:
        """Evaluate the runs; raise ScoresError if a score is none that its metric can take."""
        topics = self.task.judgments.qrels.topics
        scores = np.empty((len(self.sources), len(topics), len(self.metrics)))
        outcomes: list[RunScores] = []
        systems: list[str] = []
        with closing(self.outcomes()) as arriving:
            for outcome in arriving:
                if outcome.scores is not None:
                    scores[len(systems)] = outcome.scores
                    systems.append(outcome.name)
                outcomes.append(replace(outcome, scores=None))
        scores = scores[: len(systems)]
        require_possible(
            scores.reshape(-1, len(self.metrics)),
            self.metrics,
            lambda row: (
                f"{systems[row // len(topics)]}, topic {topics[row % len(topics)]}"
            ),
        )
        wanted = self.scored_topics(outcomes)
        if len(wanted) < len(topics):
            places = {topic: place for place, topic in enumerate(topics)}
            scores = scores[:, [places[topic] for topic in wanted]]
        names = labels(systems), labels(wanted)
        facts = self.provenance(outcomes)
        return Scored(scores, *names, self.metrics, self.collection, facts)

    def outcomes(
        self, done: Mapping[Key, RunScores] = MappingProxyType({})
    ) -> Generator[RunScores, None, None]:
        """Evaluate the runs, in order; those that cannot be read are passed on or raise, as `on_error` says.

        What is left out has an error that says why, and no scores.
        done : outcomes of runs that were evaluated before; they stand for what would come now.
        """
        task = replace(self.task, done=frozenset(done))
        failed: list[FileFormatError] = []
        names: dict[str, str] = {}  # by the digest of a ranking
        empty = 0
        with closing(in_order(task, batches(self.sources))) as arriving:
            for outcome in steps(
                chain.from_iterable(arriving), "runs", total=len(self.sources)
            ):
                if outcome.error is not None:
                    failed.append(outcome.error)
                    self._refuse(failed)
                found = done.get(outcome.key, outcome)
                if found.error is None and not found.order and self.drop_empty:
                    empty += 1
                    found = _skipped(found, "it retrieves nothing")
                elif found.order and self.drop_copies:
                    first = names.setdefault(found.order, found.name)
                    if first != found.name:
                        found = _skipped(found, f"it ranks as {first} on every topic")
                yield found
        if empty and empty + len(failed) == len(self.sources):
            raise FileFormatError(
                "no run retrieves anything; to score them 0, leave out --drop-empty and use --allow-empty"
            )

    def _refuse(self, failed: Sequence[FileFormatError]) -> None:
        """Raise if runs that cannot be read are to stop the evaluation, or if there are no others."""
        if self.on_error == "stop":
            skip = "; --on-error skip leaves out such runs"
            refuse_unreadable(failed, len(self.sources), skip)
        if len(failed) == len(self.sources):
            raise FileFormatError(
                "no run could be read:\n" + "\n".join(map(str, failed))
            )

    def scored_topics(self, outcomes: Sequence[RunScores]) -> list[str]:
        """List the topics to keep scores of."""
        qrels = self.task.judgments.qrels
        if self.topics == "common":
            return notes.common_topics(qrels, outcomes)
        return qrels.topics

    def provenance(self, outcomes: Sequence[RunScores]) -> dict[str, Any]:
        """Say what the scores were made of and how, and what there is to know of them."""
        qrels = self.task.judgments.qrels
        readable = [one for one in outcomes if one.error is None]
        scored = set(self.scored_topics(outcomes))
        metadata = {one.name: one.metadata for one in readable if one.metadata}
        dropped = {"drop_copies": self.drop_copies, "drop_empty": self.drop_empty}
        options = {"score_precision": self.task.precision, "topics": self.topics}
        return {
            "irmeta": _version(),
            "qrels": {"source": qrels.source, "sha256": qrels.digest},
            "runs": {one.name: one.digest for one in readable},
            "judged": {one.name: round(one.judged, 3) for one in readable},
            "deepest": {one.name: one.deepest for one in readable},
            "scored": len(scored),
            "lacking": {one.name: len(set(one.lacking) & scored) for one in readable},
            **({"ir_metadata": metadata} if metadata else {}),
            "options": options | {name: True for name in dropped if dropped[name]},
            "notes": [
                *(f"{_LEFT_OUT}{one}" for one in self.beside),
                *notes.notes(qrels, outcomes, self.task.own, self.topics),
            ],
        }


def _skipped(run: RunScores, why: str) -> RunScores:
    """Return a run as one that is left out, without scores and with the reason as its error."""
    return replace(run, scores=None, error=FileFormatError(f"{run.name}: {why}"))


@cache
def _version() -> str:
    return version("irmeta")


def batches(sources: Sequence[Source]) -> list[Sequence[Source]]:
    """Cut the runs into the parts that are evaluated together."""
    size = max(1, min(BATCH, len(sources) // SHARES))
    return [sources[start : start + size] for start in range(0, len(sources), size)]
