"""Runs and judgments to a score cube: judge the runs, compute every measure on chunks of them."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from irmeta.errors import FileFormatError, require_choice
from irmeta.evaluation import measures, notes
from irmeta.evaluation.foreign import Foreign, foreign_metric
from irmeta.evaluation.judged import GradeArray, Judged
from irmeta.evaluation.judging import JudgedRun, Judgments, Precision
from irmeta.evaluation.sources import QrelsLike, RunsLike, Source, qrels_of, read_source, sources_of
from irmeta.io.fields import Bools, Floats
from irmeta.io.trec import Reading
from irmeta.names import GENERAL, Metric, parse_list
from irmeta.parallel import in_order

if TYPE_CHECKING:
    import xarray as xr

Topics = Literal["qrels", "common"]
OnError = Literal["stop", "skip"]

CHUNK = 2**18
"""Cells (system, topic, rank) whose measures are computed together; their arrays then fit the processor's cache."""


def evaluate(
    qrels: QrelsLike,
    runs: RunsLike,
    metrics: str | Metric | Iterable[str | Metric] = "seeds23",
    *,
    collection: str | None = None,
    score_precision: Precision = "float64",
    topics: Topics = "qrels",
    reading: Reading | None = None,
    on_error: OnError = "stop",
    progress: Callable[[str], None] | None = None,
) -> "xr.DataArray":
    """Score every run on every judged topic with every metric: a cube of (system, topic, metric).

    qrels : a file, {topic: {document: grade}}, or a data frame. runs : files, folders, globs, or by name a file, a
    {topic: {document: score}} or a data frame. collection : a name; by default that of the qrels file.
    score_precision : "float32" orders documents as trec_eval 9 and pytrec_eval do.
    topics : "qrels" keeps every judged topic, where a run that misses it scores 0; "common" keeps those of all runs.
    on_error : "skip" goes on without runs that cannot be read. progress : called with each system's name once judged.
    The cube's attributes hold the digests of qrels and runs, the options, and notes on topics and files.

    >>> run = {"bm25": {"1": {"a": 3.0, "b": 2.0}}}
    >>> evaluate({"1": {"b": 1}}, run, "RR").sel(system="bm25", topic="1").item()
    0.5
    """
    from irmeta.cube import cube  # xarray: loaded when the work is done

    require_choice("score_precision", score_precision, get_args(Precision))
    require_choice("topics", topics, get_args(Topics))
    require_choice("on_error", on_error, get_args(OnError))
    wanted, reading = parse_list(metrics, other=foreign_metric), reading or Reading()
    own = [metric for metric in wanted if metric.base in measures.MEASURES]
    judgments = Judgments(qrels_of(qrels, reading))
    foreign = Foreign(judgments.qrels, [metric for metric in wanted if metric not in own])
    seen: list[notes.Seen] = []
    judge = partial(_judge, judgments, reading, score_precision, foreign)
    with closing(in_order(judge, sources_of(runs))) as outcomes:
        scores = np.concatenate(list(_blocks(_readable(outcomes, on_error, seen, progress), own, judgments)))
    if foreign.metrics:
        scores = np.concatenate([scores, np.stack([run.foreign for run in seen if run.foreign is not None])], axis=-1)
    result = cube(
        scores,
        [run.name for run in seen if run.error is None],
        judgments.qrels.topics,
        [str(metric) for metric in [*own, *foreign.metrics]],
        collection=collection or judgments.qrels.name,
        provenance={
            "irmeta": version("irmeta"),
            "qrels": {"source": judgments.qrels.source, "sha256": judgments.qrels.digest},
            "runs": {run.name: run.digest for run in seen if run.error is None},
            "options": {"score_precision": score_precision, "topics": topics},
            "notes": notes.notes(judgments.qrels, seen, own, topics),
        },
    ).sel(metric=[str(metric) for metric in wanted])
    return result.sel(topic=notes.common_topics(judgments.qrels, seen)) if topics == "common" else result


def _judge(
    judgments: Judgments, reading: Reading, precision: Precision, foreign: Foreign, source: Source
) -> tuple[notes.Seen, JudgedRun] | FileFormatError:
    """Read and judge one run."""
    run = read_source(source, reading, judgments.qrels)
    if isinstance(run, FileFormatError):
        return run
    judged = judgments.judge(run, precision)
    return notes.Seen.of(run, judged, foreign.scores(run) if foreign.metrics else None), judged


def _readable(
    outcomes: Iterator[tuple[notes.Seen, JudgedRun] | FileFormatError],
    on_error: str,
    seen: list[notes.Seen],
    progress: Callable[[str], None] | None,
) -> Iterator[JudgedRun]:
    """Pass the judged runs on; `seen` gathers what there is to say of each, also of those that cannot be read."""
    for outcome in outcomes:
        if isinstance(outcome, FileFormatError):
            if on_error == "stop":
                raise FileFormatError(f"{outcome}\n(--on-error skip goes on without such runs)", outcome.remarks)
            seen.append(notes.Seen("", error=str(outcome)))
            continue
        what, judged = outcome
        seen.append(what)
        yield judged
        if progress:
            progress(what.name)
    if all(run.error is not None for run in seen):
        raise FileFormatError("no run could be read:\n" + "\n".join(run.error or "" for run in seen))


def _blocks(judged: Iterator[JudgedRun], metrics: Sequence[Metric], judgments: Judgments) -> Iterator[Floats]:
    """Compute the scores of chunks of runs, each of shape (system, topic, metric)."""
    runs: Iterable[JudgedRun] = judged
    depths = {depth for metric in metrics if isinstance(depth := metric["pool"], int)}
    if depths:  # what counts as judged depends on all runs
        runs = list(judged)
    pools = {depth: _pool(runs, depth, judgments) for depth in depths}
    array = GradeArray(judgments.qrels)
    return in_order(partial(_scores, metrics, array, pools), _chunks(runs))


def _chunks(runs: Iterable[JudgedRun]) -> Iterator[list[JudgedRun]]:
    chunk: list[JudgedRun] = []
    deepest = 0
    for run in runs:
        depth = int(run.retrieved.max(initial=1))
        if chunk and (len(chunk) + 1) * run.retrieved.size * max(deepest, depth) > CHUNK:
            yield chunk
            chunk, deepest = [], 0
        chunk.append(run)
        deepest = max(deepest, depth)
    if chunk:
        yield chunk


def _pool(runs: Iterable[JudgedRun], depth: int, judgments: Judgments) -> Bools:
    """Mark the judgments of documents that some run ranks among its first `depth`."""
    pooled = np.zeros(len(judgments.qrels.documents), dtype=np.bool_)
    for run in runs:
        pooled[run.judgment[run.rank < depth]] = True
    return pooled


def _scores(
    metrics: Sequence[Metric], array: GradeArray, pools: Mapping[int, Bools], runs: Sequence[JudgedRun]
) -> Floats:
    """Compute every metric for a chunk of runs; metrics that look at the lists in the same way share a grade array."""
    views: dict[tuple[Any, ...], Judged] = {}
    scores = np.empty((len(runs), array.topics, len(metrics)))
    for place, metric in enumerate(metrics):
        view = tuple(metric[name] for name in GENERAL)
        if view not in views:
            views[view] = _view(runs, metric, array, pools)
        scores[..., place] = measures.score(views[view], metric)
    return scores


def _view(runs: Sequence[JudgedRun], metric: Metric, array: GradeArray, pools: Mapping[int, Bools]) -> Judged:
    """Give the grade array as the general parameters want it: first the pool, then the depth, then the judged ones."""
    pool, depth = metric["pool"], metric["depth"]
    judged = array.of(runs, pools[pool] if isinstance(pool, int) else None)
    judged = judged.at_depth(depth) if isinstance(depth, int) else judged
    return judged.judged_only() if metric["judged_only"] else judged
