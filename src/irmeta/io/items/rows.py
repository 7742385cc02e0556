"""Scores by item, a row for each, as cubes: the one place where items become topics, and repeats runs of a system.

A reader of a program's files makes rows; what happens when two of them are of one cell is decided here.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, NamedTuple, get_args

import numpy as np
import polars as pl
import xarray as xr

from irmeta.choices import NamedBy
from irmeta.errors import FileFormatError, ScoresError, require_choice
from irmeta.io.files import Location, display
from irmeta.io.formats.scores import CLUSTERS, from_rows
from irmeta.scores.attributes import MACHINES, REPEATS
from irmeta.scores.cube import DIMS
from irmeta.scores.groups.runs import run_facts
from irmeta.scores.names import labels, require_names
from irmeta.scores.tables.frames import with_spelled_metrics
from irmeta.words import counted, joined, listed, shortened

_MOST = 5
"""Notes on files that are kept; there may be a file for each of thousands of models."""
_CELL = ("collection", *DIMS)


class Row(NamedTuple):
    """The score of a system on an item; NaN where it was not scored.

    repeat : which of several answers to an item, as an epoch.  cluster : what the item belongs to, if it is said.
    content : a digest of what the item asks, if there is one; a note says where it differs between systems.
    place : where it stands, as file.jsonl:3, if that is more than its file.
    """

    collection: str
    system: str
    topic: str
    metric: str
    score: float
    repeat: str = ""
    cluster: str | None = None
    content: str | None = None
    place: str = ""


@dataclass
class Part:
    """What one file says.

    origin : what its systems are called where they go by files.  judges : the machines that gave scores, by metric.
    """

    path: Location
    origin: str
    rows: list[Row]
    notes: list[str] = field(default_factory=list)
    judges: dict[str, set[str]] = field(default_factory=dict)

    def add_note(self, said: str) -> None:
        """Keep what is odd about the file."""
        self.notes.append(f"{display(self.path)}: {said}")

    def add_judge(self, metric: str, machine: object) -> None:
        """Keep the name of the machine that judges by a metric, if there is one."""
        if machine and isinstance(machine, str):
            self.judges.setdefault(_spelling(metric), set()).add(machine)


BY_FILE = "call systems by their files with --names file"
BY_JUDGE = (
    "give each judge's file a --collection of its own, from the second on with --append"
)


def cubes_of_parts(
    parts: Sequence[Part],
    *,
    names: NamedBy = "model",
    collection: str | None = None,
    apart: str = BY_FILE,
) -> dict[str, xr.DataArray]:
    """Make a cube of each collection; a score is the mean over the repeats of an item, which a note counts.

    Repeats are runs of a system: the cube says how these differ, so that intervals allow for other runs.

    names : "file" calls systems by their files.  collection : what to call the only collection.
    Two scores of one cell in one repeat raise FileFormatError, which says how to keep the files apart.
    """
    require_choice("names", names, get_args(NamedBy))
    frame = _frame(parts, names)
    if not frame.height:
        raise FileFormatError(f"{display(parts[0].path)}: no scores of items in it")
    _require_one_score(frame, parts, apart)
    frame = _with_collection(frame, collection)
    means, repeat_notes = _means(frame)
    clusters = _clusters(frame, parts)
    notes = repeat_notes, _content_notes(frame), _file_notes(frame, parts)
    provenance: dict[str, dict[str, Any]] = {}
    for name in means["collection"].unique():
        said = list(chain.from_iterable(kind.get(name, []) for kind in notes))
        provenance[name] = {"notes": said} if said else {}
        if name in clusters:
            provenance[name][CLUSTERS] = clusters[name]
        rows_of_collection = frame.filter(collection=name)
        if machines := _machines(rows_of_collection, parts):
            provenance[name][MACHINES] = machines
        if repeat_facts := _repeat_facts(rows_of_collection, clusters.get(name)):
            provenance[name][REPEATS] = repeat_facts
    return from_rows(means, provenance=provenance)


def _frame(parts: Sequence[Part], names: NamedBy) -> pl.DataFrame:
    """Put the rows of all files under each other, with their numbers, and that of each one's file."""
    rows = []
    for at, part in enumerate(parts):
        for row in _named_rows(part, names):
            needed = labels([row.collection, row.system, row.topic])
            given = (row.repeat, row.cluster, row.content)
            optional = [text and labels([text])[0] for text in given]
            rows.append((*needed, _spelling(row.metric), row.score, *optional, at))
    columns = [*Row._fields[:-1], "file"]
    types = [*[pl.String] * 4, pl.Float64, *[pl.String] * 3, pl.Int64]
    schema = dict(zip(columns, types, strict=True))
    frame = with_spelled_metrics(pl.DataFrame(rows, schema=schema, orient="row"))
    frame = frame.with_row_index("row")
    for column in _CELL:
        _require_names(frame.unique(column, keep="first"), column, parts)
    return frame


def _require_names(rows: pl.DataFrame, column: str, parts: Sequence[Part]) -> None:
    """Raise FileFormatError for the first row whose text in a column no name can be."""
    for name, row in rows.select(column, "row").sort("row").iter_rows():
        try:
            require_names([name], f"in a {column}")
        except ScoresError as error:
            raise FileFormatError(f"{_place(parts, row)}: {error}") from error


def _place(parts: Sequence[Part], row: int) -> str:
    """Return where a row stands, by its number over all files."""
    places = [one.place or display(part.path) for part in parts for one in part.rows]
    return places[row]


def _file_notes(frame: pl.DataFrame, parts: Sequence[Part]) -> dict[str, list[str]]:
    """Return what files say of themselves, by the collections that they are of."""
    notes: dict[str, list[str]] = {}
    for name, file in (
        frame.select("collection", "file").unique(maintain_order=True).rows()
    ):
        notes.setdefault(name, []).extend(parts[file].notes)
    for lines in notes.values():
        if len(lines) > _MOST:
            lines[_MOST:] = [f"{len(lines) - _MOST} more notes on files"]
    return notes


def _machines(frame: pl.DataFrame, parts: Sequence[Part]) -> dict[str, list[str]]:
    """Return the machines that judged a collection's scores, by metric."""
    machines_by_metric: dict[str, set[str]] = {}
    for metric, file in frame.select("metric", "file").unique().sort("metric").rows():
        if machines := parts[file].judges.get(metric):
            machines_by_metric.setdefault(metric, set()).update(machines)
    return {metric: sorted(machines) for metric, machines in machines_by_metric.items()}


def _spelling(metric: str) -> str:
    """Write a metric without blanks and commas, which part names on the command line."""
    return re.sub(r"[\s,]+", "_", labels([metric])[0].strip())


def _named_rows(part: Part, names: NamedBy) -> Iterator[Row]:
    """Yield the rows of a file, with systems called as it calls its models, or by the file."""
    if names == "model":
        yield from part.rows
        return
    several = len({row.system for row in part.rows}) > 1
    for row in part.rows:
        name = f"{part.origin}/{row.system}" if several else part.origin
        yield row._replace(system=name)


def _require_one_score(frame: pl.DataFrame, parts: Sequence[Part], apart: str) -> None:
    """Raise FileFormatError for a system that has two scores of one cell in one repeat."""
    duplicated = frame.filter(pl.struct(*_CELL, "repeat").is_duplicated())
    if not duplicated.height:
        return
    example = duplicated.row(0, named=True)
    same_cell = duplicated.filter(
        pl.struct(*_CELL, "repeat")
        == pl.struct(pl.lit(example[name]).alias(name) for name in (*_CELL, "repeat"))
    )
    first_place, other_place = (_place(parts, row) for row in same_cell["row"][:2])
    system, topic, metric, collection = (
        example[name] for name in (*DIMS, "collection")
    )
    message = f"{system} has two scores by {metric} on {topic} of {collection}"
    if first_place != other_place:
        message = f"{message}, the other in {first_place}"
    if same_cell["file"][0] == same_cell["file"][1]:
        raise FileFormatError(f"{other_place}: {message}; remove one")
    raise FileFormatError(
        f"{other_place}: {message}; import one of the files, or {apart}"
    )


def _with_collection(frame: pl.DataFrame, collection: str | None) -> pl.DataFrame:
    """Return the rows with another name of their only collection, if one is given; several raise ScoresError."""
    if collection is None:
        return frame
    known = frame["collection"].unique(maintain_order=True).to_list()
    if len(known) > 1:
        raise ScoresError(
            f"the files have {counted(len(known), 'task')} ({listed(known)}), each a collection of its own; leave out "
            "--collection, or import the files of one task"
        )
    return frame.with_columns(collection=pl.lit(collection))


def _means(frame: pl.DataFrame) -> tuple[pl.DataFrame, dict[str, list[str]]]:
    """Average over repeats, and note how many there are, by collection."""
    scored = pl.col("score").is_not_nan()
    means = frame.group_by(_CELL, maintain_order=True).agg(
        pl.col("score").filter(scored).mean().fill_null(float("nan")),
        scored.sum().alias("repeats"),
    )
    notes: dict[str, list[str]] = {}
    for (name,), part in means.group_by("collection"):
        repeats = part["repeats"].filter(part["repeats"] > 0)
        most, least = repeats.max(), repeats.min()
        if isinstance(most, int) and most > 1:
            fewer = ""
            if least != most:
                fewer = f", in {counted(int((repeats < most).sum()), 'cell')} of fewer"
            notes[str(name)] = [
                f"repeats (epochs) are averaged: a score is the mean of {most}{fewer}"
            ]
    return means.drop("repeats"), notes


def _repeat_facts(
    frame: pl.DataFrame, cluster: Mapping[str, str] | None
) -> dict[str, Any]:
    """Say how runs of one system differ, a run being all that has one repeat; nothing where each system has one."""
    of_runs = frame.select("system", "repeat").unique(maintain_order=True)
    systems = of_runs["system"].unique(maintain_order=True).to_list()
    if len(systems) == of_runs.height:
        return {}
    topics, metrics = (
        frame[name].unique(maintain_order=True).to_list() for name in DIMS[1:]
    )
    shape = (of_runs.height, len(topics), len(metrics))
    scores = np.full(shape, np.nan)
    run_at, topic_at, metric_at = (
        {one: at for at, one in enumerate(every)}
        for every in (of_runs.rows(), topics, metrics)
    )
    cells = frame.select(*DIMS, "repeat", "score").iter_rows()
    for system, topic, metric, repeat, score in cells:
        scores[run_at[system, repeat], topic_at[topic], metric_at[metric]] = score
    number = [systems.index(system) for system in of_runs["system"]]
    groups = None
    if cluster is not None:
        groups = np.unique([cluster[topic] for topic in topics], return_inverse=True)[1]
    return run_facts(scores, np.array(number), systems, metrics, groups)


def _clusters(frame: pl.DataFrame, parts: Sequence[Part]) -> dict[str, dict[str, str]]:
    """Return the cluster of each topic by collection, where some say theirs; others are clusters of their own."""
    clusters: dict[str, dict[str, str]] = {}
    for (name,), part in frame.group_by("collection"):
        stated = part.filter(pl.col("cluster").is_not_null()).unique(
            ["topic", "cluster"], keep="first", maintain_order=True
        )
        if not stated.height:
            continue
        _refuse_two_clusters(stated.filter(stated["topic"].is_duplicated()), parts)
        own_clusters = {topic: topic for topic in part["topic"].unique()}
        clusters[str(name)] = own_clusters | dict(
            stated.select("topic", "cluster").rows()
        )
    return clusters


def _refuse_two_clusters(several: pl.DataFrame, parts: Sequence[Part]) -> None:
    """Raise FileFormatError for the first of items that have two clusters."""
    if not several.height:
        return
    topic = several["topic"][0]
    first, other = several.filter(topic=topic).head(2).iter_rows(named=True)
    clusters = joined([shortened(other["cluster"]), shortened(first["cluster"])])
    raise FileFormatError(
        f"{_place(parts, other['row'])}: the item {shortened(topic)} is in two clusters, {clusters} "
        f"({_place(parts, first['row'])}); name a field that all systems and repeats have alike"
    )


def _content_notes(frame: pl.DataFrame) -> dict[str, list[str]]:
    """Note items whose content differs between systems or repeats, by collection."""
    notes: dict[str, list[str]] = {}
    for (name,), part in frame.group_by("collection"):
        contents = part.group_by("topic", maintain_order=True).agg(
            pl.col("content").drop_nulls().n_unique()
        )
        differ = contents.filter(pl.col("content") > 1)["topic"].to_list()
        if differ:
            notes[str(name)] = [
                f"{counted(len(differ), 'item')} of {contents.height} ask other things of other systems "
                f"({listed(differ)}): are these the same questions?"
            ]
    return notes
