"""Evaluation to a score file: written in parts as scores come, and continued where it was interrupted."""

import dataclasses
import json
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypedDict, Unpack

import numpy as np
import polars as pl
import xarray as xr

from irmeta.choices import OnError, Precision, TopicSet
from irmeta.errors import FileFormatError
from irmeta.evaluation.archive.adding import Collection, collection_of, metrics_of
from irmeta.evaluation.engine import Evaluation
from irmeta.evaluation.run_scores import Key, RunScores
from irmeta.evaluation.sources import QrelsLike, RunsLike, qrels_of
from irmeta.io.formats import parquet, seals
from irmeta.io.formats.scores import (
    Description,
    file_version,
    require_score_file,
    require_version,
    to_frame,
    write,
)
from irmeta.io.outputs import writing
from irmeta.io.runs.trec import Reading
from irmeta.io.strictly import parse_json, require_schema
from irmeta.metrics.names import Metric
from irmeta.scores.cube import check_possible, cube
from irmeta.scores.names import labels

try:
    import fcntl
except ImportError:  # on Windows
    fcntl = None  # type: ignore[assignment]

EVERY = 5.0
"""Seconds of work that an interruption may cost."""
MOST = 1 << 19
"""Scores held before they are written; as rows of a table about 50 MiB."""
_PARTS = "part-*.parquet"
_KEY = "irmeta_part"

Done = dict[Key, RunScores]


class Options(TypedDict, total=False):
    """The options of `evaluate`."""

    collection: str | None
    score_precision: Precision
    topics: TopicSet
    reading: Reading | None
    on_error: OnError
    drop_copies: bool
    drop_empty: bool


@dataclass(frozen=True)
class Written:
    """What was written: what the file says of the collection, and how many runs an earlier evaluation had done.

    added : whether the file held the collection before
    notes : those that the file did not have before, and of what is still left out
    """

    about: Description = field(repr=False)
    kept: int
    added: bool
    notes: Sequence[str]


def evaluate_to(
    path: str | Path,
    qrels: QrelsLike,
    runs: RunsLike,
    metrics: str | Metric | Iterable[str | Metric] | None = None,
    *,
    append: bool = False,
    replace: bool = False,
    **options: Unpack[Options],
) -> Written:
    """Score runs as `evaluate` does, into a score file, which may be larger than memory.

    Finished runs are kept beside it, in the hidden folder .NAME.parts, until the file is complete. If the same
    evaluation runs again, it takes runs whose content has not changed from there.
    path : the score file.  append : keep what a file that exists holds; by default it is replaced. If it holds this
    collection, by default the one with these judgments, the runs are added to it, and ScoresError is raised unless
    judgments, metrics and options are the same.
    replace : runs that are added take the place of runs of the same name; otherwise ScoresError is raised, unless the
    content of both is the same, which changes nothing.
    metrics : as in `irmeta.evaluate`; by default, with `append`, those that the file has.
    qrels, runs and options : as in `irmeta.evaluate`.
    """
    path = Path(path)
    require_score_file(path)
    if append and options.get("collection") is None:
        qrels = qrels_of(qrels, options.get("reading") or Reading())
        options["collection"] = collection_of(path, qrels)
    if metrics is None:
        metrics = metrics_of(path, options.get("collection")) if append else "seeds23"
    job = Evaluation.of(qrels, runs, metrics, **options)
    since = file_version(path)  # to notice who else writes the file meanwhile
    with _locked_parts(path):
        # what the file holds already of this collection
        whole = Collection(str(path))
        if append:
            whole = Collection.of(path, job, replace=replace)
        # runs that an earlier, broken evaluation finished are not evaluated again
        parts = Parts(path, job)
        outcomes = []
        kept = 0
        with closing(job.outcomes(parts.done)) as arriving, parts.kept():
            for outcome in arriving:
                if outcome.error is None and whole.keeps(outcome):
                    kept += 1
                else:
                    parts.add(outcome)
                    outcomes.append(dataclasses.replace(outcome, scores=None))
        about = _collection_facts(job, outcomes)
        added = about["names"]["system"]
        scored = about["names"]["topic"]
        # parts have every judged topic; with topics="common" some are not scored
        rows = pl.col("system").is_in(added) & pl.col("topic").is_in(scored)
        tables = [table.filter(rows) for table in parts.tables(outcomes)]
        read = [one.source for one in outcomes if one.error is None]
        about = whole.joined(about, read)
        # what is appended is joined to what other processes wrote; a new file takes the place of none of theirs
        check = (lambda: None) if append else partial(require_version, path, since)
        write(
            tables,
            {job.collection: about},
            path,
            append=append,
            replaced=whole.replaced(added),
            check=check,
        )
        parts.remove()
        before = sum(one.key in parts.done for one in outcomes)
        held = whole.about["attributes"].get("notes", []) if whole.about else []
        notes = [
            note
            for note in about["attributes"]["notes"]
            if note not in held or note.startswith("left out")
        ]
        return Written(about, kept + before, whole.about is not None, notes)


def _collection_facts(job: Evaluation, outcomes: Sequence[RunScores]) -> Description:
    """Return what a score file says of a collection of these runs."""
    systems = [one.name for one in outcomes if one.error is None]
    topics = job.scored_topics(outcomes)
    return Description(
        attributes={"collection": job.collection, **job.provenance(outcomes)},
        names={
            "system": labels(systems),
            "topic": labels(topics),
            "metric": job.metrics,
        },
    )


@contextmanager
def _locked_parts(output: Path) -> Iterator[None]:
    """Lock the folder of parts; raise FileFormatError if another evaluation on this machine has it."""
    folder = parts_of(output)
    try:
        folder.mkdir(exist_ok=True)
        handle = os.open(folder, os.O_RDONLY) if fcntl else None
    except OSError as error:
        raise FileFormatError(
            f"{folder}: cannot be written ({error.strerror or error})"
        ) from error
    try:
        if handle is not None:
            _lock(handle, output)
        try:
            yield
        finally:
            with suppress(OSError):  # a folder that has parts still, or files of others
                folder.rmdir()
    finally:
        if handle is not None:
            os.close(handle)


def _lock(handle: int, output: Path) -> None:
    """Lock an open folder until it is closed, also by a process that is killed."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise FileFormatError(
            f"{output}: another evaluation is writing it; wait until it ends, or choose another "
            "file"
        ) from error
    except OSError:  # a file system without locks
        return


def parts_of(output: Path) -> Path:
    """Return the folder that keeps the finished parts of a score file until it is complete."""
    return output.with_name(f".{output.name}.parts")


def finished_parts(output: Path) -> list[Path]:
    """List the finished parts of a score file that is not whole yet."""
    return sorted(parts_of(output).glob(_PARTS))


class Parts:
    """Scores of finished runs beside a score file that is not whole yet: a folder of small score files.

    done : runs that an earlier evaluation, of the same judgments with the same options, finished.
    """

    def __init__(self, output: Path, job: Evaluation) -> None:
        self._folder = parts_of(output)
        self._job, self._key = job, job.key
        self._held: list[RunScores] = []
        self._since = time.monotonic()
        self._part: dict[Key, Path] = {}
        self.done: Done = {}
        for part in finished_parts(output):
            for outcome in self._read(part):
                self.done[outcome.key] = outcome
                self._part[outcome.key] = part

    def add(self, outcome: RunScores) -> None:
        """Take an outcome in; now and then what came since the last time is written."""
        if outcome.scores is not None:
            self._held.append(outcome)
            if (
                time.monotonic() - self._since > EVERY
                or len(self._held) * outcome.scores.size > MOST
            ):
                self._write()

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Write what is finished also when the work ends before its time, if parts are written at all."""
        try:
            yield
        except BaseException:
            if self._held and self._part:
                self._write()
            raise

    def tables(self, outcomes: Sequence[RunScores]) -> list[pl.LazyFrame]:
        """Return the scores of these runs as tables, to be read one after the other."""
        wanted: dict[Path, list[str]] = {}
        for outcome in outcomes:
            if part := self._part.get(outcome.key):
                wanted.setdefault(part, []).append(outcome.name)
        kept = [
            pl.scan_parquet(part, glob=False).filter(
                pl.col("system").is_in(labels(systems))
            )
            for part, systems in wanted.items()
        ]
        return [*kept, to_frame(self._cube()).lazy()] if self._held else kept

    def remove(self) -> None:
        """Remove the parts of this collection, whichever options they were made with: the score file is whole."""
        own = self._job.collection
        for part in self._folder.glob(_PARTS):
            # a damaged part says nothing of itself, and goes too
            if self._about(part).get("collection", own) == own:
                part.unlink(missing_ok=True)
        for half in self._folder.glob(".part-*.part"):  # of a process that was killed
            half.unlink(missing_ok=True)

    def _read(self, part: Path) -> Iterator[RunScores]:
        """Yield the runs of a part, if it is one of this evaluation."""
        about = self._about(part)
        if about.get("key") == self._key:
            yield from map(RunScores.from_facts, about["runs"])

    @staticmethod
    def _about(part: Path) -> dict[str, Any]:
        """Return what a part says of itself; nothing if it is damaged, so that its runs are evaluated again."""
        try:
            _, metadata = parquet.scan(part)
            return require_schema(parse_json(metadata.get(_KEY, "{}")), dict[str, Any])
        except (FileFormatError, pl.exceptions.PolarsError, OSError, ValueError):
            return {}

    def _write(self) -> None:
        """Write the runs in hand as a part; then none are in hand."""
        part = self._folder / _PARTS.replace("*", str(time.time_ns()))
        try:
            self._folder.mkdir(exist_ok=True)
        except OSError as error:
            raise FileFormatError(
                f"{self._folder}: cannot be written ({error.strerror or error})"
            ) from error
        runs = [outcome.facts() for outcome in self._held]
        about = {"key": self._key, "collection": self._job.collection, "runs": runs}
        try:
            with writing(part) as file:
                metadata = {_KEY: json.dumps(about), seals.KEY: seals.OPEN}
                to_frame(self._cube()).write_parquet(file, metadata=metadata)
                seals.close(file)
        except pl.exceptions.PolarsError as error:
            raise FileFormatError(f"{part}: cannot be written ({error})") from error
        self._part |= {outcome.key: part for outcome in self._held}
        self._held, self._since = [], time.monotonic()

    def _cube(self) -> xr.DataArray:
        """Make a cube of the runs in hand."""
        task = self._job.task
        scores = [
            outcome.scores for outcome in self._held if outcome.scores is not None
        ]
        shape = (len(scores), len(task.topics), len(self._job.metrics))
        values = np.reshape(scores, shape)
        systems = [outcome.name for outcome in self._held]
        names = systems, task.topics, self._job.metrics
        return check_possible(cube(values, *names, collection=self._job.collection))
