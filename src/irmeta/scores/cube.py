"""The one data object: an xarray.DataArray `score` of (system, topic, metric); NaN means not scored."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt
import xarray as xr

from irmeta.choices import Rows
from irmeta.errors import ScoresError
from irmeta.metrics.names import canonical, nearest
from irmeta.metrics.values import require_possible
from irmeta.scores.attributes import CLUSTER, DOUBTS, OVER, REPEATS, UNUSED, recorded
from irmeta.scores.groups.runs import mean_over_runs, numbered_systems, run_facts
from irmeta.scores.names import labels, require_names, require_short
from irmeta.scores.tables import frames
from irmeta.scores.tables.objects import is_table
from irmeta.stats.arrays import Bools, Floats
from irmeta.words import listed

DIMS = ("system", "topic", "metric")
_MAKES = (
    "make one with irmeta.from_frame(table) from a data frame or dicts of dicts, or with "
    "irmeta.load(path) from a score file"
)


def cube(
    scores: npt.ArrayLike,
    systems: Sequence[str],
    topics: Sequence[str],
    metrics: Sequence[str],
    *,
    collection: str = "collection",
    provenance: Mapping[str, Any] | None = None,
) -> xr.DataArray:
    """Make a cube from scores of shape (system, topic, metric).

    systems, topics, metrics : the names along each axis; bytes that are not UTF-8 are escaped (`labels`).
    collection : the name of the test collection.
    provenance : where the scores come from; it becomes attributes of the cube, which `irmeta.about` reads.

    >>> cube([[[0.5], [0.1]]], ["bm25"], ["301", "302"], ["AP"]).sel(topic="302").item()
    0.1
    """
    spelled = [canonical(str(metric)) for metric in metrics]
    names = {"system": systems, "topic": topics, "metric": spelled}
    facts = {"collection": collection, **(provenance or {})}
    array = xr.DataArray(
        np.asarray(scores, dtype=np.float64),
        dims=DIMS,
        coords={dim: np.asarray(labels(names[dim]), dtype=object) for dim in DIMS},
        name="score",
        attrs=recorded(facts),
    )
    return check(array)


def from_frame(
    table: Any,
    *,
    system: str | None = None,
    topic: str | None = None,
    metric: str | None = None,
    score: str | None = None,
    repeat: str | None = None,
    cluster: str | None = None,
    rows: Rows | None = None,
    ignore: str | Iterable[str] = (),
    collection: str | None = None,
) -> xr.DataArray:
    """Make a cube from a table of scores: a pandas or polars data frame, long or wide, or dicts of dicts.

    Long: a row for each score, with columns for system (or model, run, name), topic (query, qid, task, dataset),
    metric (measure) and score (value, main_score). Wide: a row for each system and a column for each topic; the other
    way round; or a row for each system and topic and a column for each metric. A long table of systems that ran several
    times has a column repeat (seed, trial, epoch, experiment); its systems are means of runs (`with_repeats`). One of
    topics that come together, as turns do, has a column cluster (conversation; `with_clusters`); turns of one name in
    several are named CLUSTER_TOPIC. Columns named otherwise are named by `system`, `topic`, `metric`, `score`, `repeat`
    and `cluster`; `metric` may also be the name of the metric that all scores are of, by default the column that
    `score` names.

    table : the data frame, its rows as dicts, or {system: {topic: score}}.
    rows : what the rows of a wide table are where no column's name says it; systems by default.
    ignore : columns that hold something else, as a mean or a number of parameters.
    collection : the name of the collection, or which of those of a table that holds several (see `from_frame_all`).
    A name given twice, a text in place of a score, an infinite score, and one that its metric cannot take (1.7 of AP)
    raise ScoresError; a missing score is NaN.

    >>> made = from_frame({"bm25": {"fiqa": 0.24, "nq": 0.33}, "e5": {"fiqa": 0.40}}, metric="nDCG@10")
    >>> made.sel(metric="nDCG@10").values.tolist()
    [[0.24, 0.33], [0.4, nan]]
    """
    made = from_frame_all(
        table,
        system=system,
        topic=topic,
        metric=metric,
        score=score,
        repeat=repeat,
        cluster=cluster,
        rows=rows,
        ignore=ignore,
    )
    if not made:
        raise ScoresError("the table holds no scores")
    if len(made) == 1:
        only = next(iter(made.values()))
        if collection is None:
            return only
        require_names([collection], "of a collection")
        return only.assign_attrs(collection=collection)
    if collection is None:
        raise ScoresError(
            f"the table holds {len(made)} collections ({', '.join(list(made)[:5])}); choose one with"
            " from_frame(table, collection=...), or take all with from_frame_all(table)"
        )
    if collection not in made:
        raise ScoresError(
            f"no collection {collection!r} in the table; {nearest(collection, made)}"
        )
    return made[collection]


def from_frame_all(
    table: Any, **columns: Unpack[frames.Named]
) -> dict[str, xr.DataArray]:
    """Make cubes by collection name from a table of scores; in one with columns for tasks and items, tasks are these.

    table : the table, as `from_frame` takes it.
    columns : what `from_frame` takes, but for `collection`.

    >>> rows = {"model": ["a", "b"], "task": ["fiqa", "fiqa"], "query": ["1", "1"], "score": [0.1, 0.2]}
    >>> import polars
    >>> {name: cube.shape for name, cube in from_frame_all(polars.DataFrame(rows)).items()}
    {'fiqa': (2, 1, 1)}
    """
    read = frames.rows_of(table, **columns)
    told: dict[str, Any] = {"notes": read.notes, DOUBTS: read.doubts}
    told = {name: notes for name, notes in told.items() if notes}
    parts = read.rows.partition_by("collection", as_dict=True, maintain_order=True)
    every = {str(name): frames.cells(part) for (name,), part in parts.items()}
    made = {}
    for name, cells in every.items():
        cluster_of = read.clusters.get(name, {})
        units = [cluster_of.get(topic, topic) for topic in cells.topics]
        systems, values, facts = _mean_over_runs(cells, read.runs, units)
        names = systems, cells.topics, cells.metrics
        if read.unused:
            facts[UNUSED] = {
                column: count[name] for column, count in read.unused.items()
            }
        scores = cube(values, *names, collection=name, provenance={**told, **facts})
        if len(set(units)) < len(units):
            together = ("topic", np.array(units, dtype=object))
            scores = scores.assign_coords({CLUSTER: together})
            scores = scores.assign_attrs({OVER: "topics"})
        made[name] = check_possible(scores)
    return made


def _mean_over_runs(
    cells: frames.Cells, runs: Mapping[str, str], units: Sequence[str]
) -> tuple[list[str], Floats, dict[str, Any]]:
    """Return the systems of a table, their scores, means over their runs where they have several, and facts on these.

    runs : the system of each run by name.  units : of each topic its cluster, or itself.
    """
    of_runs = [runs.get(name, name) for name in cells.systems]
    if len(set(of_runs)) == len(of_runs):
        return of_runs, cells.values, {}
    systems, system_of = numbered_systems(of_runs)
    cluster = None
    if len(set(units)) < len(units):
        cluster = np.unique(units, return_inverse=True)[1]
    facts = run_facts(cells.values, system_of, systems, cells.metrics, cluster)
    return systems, mean_over_runs(cells.values, system_of), {REPEATS: facts}


def only_numbered(names: Iterable[str]) -> bool:
    """Say whether names are the numbers from 1 in order, which any collection may have.

    >>> only_numbered(["1", "2", "3"]), only_numbered(["401", "402"])
    (True, False)
    """
    return all(name == str(number) for number, name in enumerate(names, 1))


def check(scores: object) -> xr.DataArray:
    """Return the cube with its dimensions in order (system, topic, metric).

    Raises ScoresError if a dimension is missing, if a name is missing, repeated or not text, and if a score is infinite
    or not a number.
    """
    scores = in_order(scores)
    indexes = scores.indexes
    for dim in DIMS:
        names = indexes[dim]
        if names.has_duplicates:
            twice = sorted({str(name) for name in names[names.duplicated()]})
            raise ScoresError(
                f"{dim} names must be unique; given more than once: {listed(twice)}"
            )
    infinite = np.isinf(scores.values)
    if infinite.any():
        raise ScoresError(
            f"infinite score ({first_of(scores, infinite)}); write a missing score as NaN"
        )
    return scores


def check_possible(scores: xr.DataArray) -> xr.DataArray:
    """Return the cube; raise ScoresError if it has a score that its metric cannot take.

    Whatever reads, evaluates or saves scores calls it. What users compute themselves, as centred scores, or draw from a
    model may be studied all the same; standardized scores are of a metric of their own, AP (std.).
    """
    topics = scores.sizes["topic"]

    def named(row: int) -> str:
        return f"{scores.system.values[row // topics]}, topic {scores.topic.values[row % topics]}"

    require_possible(
        scores.values.reshape(-1, scores.sizes["metric"]), scores.metric.values, named
    )
    return scores


def first_of(scores: xr.DataArray, where: Bools) -> str:
    """Name the first of the marked cells."""
    system, topic, metric = np.argwhere(where)[0]
    return f"{scores.system.values[system]}, topic {scores.topic.values[topic]}, {scores.metric.values[metric]}"


def in_order(scores: object) -> xr.DataArray:
    """Put the dimensions of a cube, or of a table's scores, in order; raise ScoresError if it lacks one, or names."""
    cubes = isinstance(scores, Mapping) and any(
        isinstance(value, xr.DataArray) for value in scores.values()
    )
    if is_table(scores) or (isinstance(scores, dict | list | tuple) and not cubes):
        return from_frame(scores)
    if not isinstance(scores, xr.DataArray):
        mend = "choose one of those in it, as in scores[NAME]" if cubes else _MAKES
        raise ScoresError(
            f"a score cube is an xarray.DataArray of {', '.join(DIMS)}; this is a {type(scores).__name__}; {mend}"
        )
    if set(scores.dims) != set(DIMS):
        dims = ", ".join(map(str, scores.dims))
        raise ScoresError(
            f"a score cube has the dimensions {', '.join(DIMS)}; this array has ({dims});"
            " rename them, or select with a list, as in sel(metric=['AP']), which keeps the dimension;"
            " irmeta.from_frame(array.to_series()) takes an array of two"
        )
    indexes = scores.indexes
    for dim in DIMS:
        if not scores.sizes[dim]:
            raise ScoresError(f"the score cube has no {dim}s: nothing was selected")
        names = scores[dim].values
        if dim not in indexes or not all(
            isinstance(name, str) and name for name in names
        ):
            raise ScoresError(
                f"the {dim}s of a score cube must have names that are text: assign_coords({dim}=[...])"
            )
        require_short(names, dim)
    _require_clusters(scores)
    if scores.dtype.kind not in "fiu":
        raise ScoresError(
            f"scores must be numbers, not {scores.dtype}; convert them with astype(float)"
        )
    if scores.dims == DIMS and scores.dtype == np.float64:
        return scores
    ordered = scores.transpose(*DIMS)
    return ordered.copy(data=np.ascontiguousarray(ordered.values, dtype=np.float64))


def _require_clusters(scores: xr.DataArray) -> None:
    """Raise ScoresError if a coordinate that says it is of clusters does not name one for each topic."""
    if CLUSTER not in scores.coords:
        return
    clusters = scores[CLUSTER]
    if clusters.dims != ("topic",) or not all(
        isinstance(name, str | int | np.integer) for name in clusters.values
    ):
        raise ScoresError(
            f"the coordinate {CLUSTER!r} of a score cube names the cluster of each topic, by text or a whole number; "
            "irmeta.with_clusters sets it"
        )
