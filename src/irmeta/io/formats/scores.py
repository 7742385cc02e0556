"""The score file: Parquet, a row for each score (collection, system, topic, metric), provenance in its metadata."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from os import PathLike
from pathlib import Path
from shlex import quote
from types import MappingProxyType
from typing import Any, TypedDict, TypeVar

import numpy as np
import polars as pl
import xarray as xr

from irmeta.errors import FileFormatError, ScoresError, require_fitting
from irmeta.io.files import read_bytes
from irmeta.io.formats import parquet, seals
from irmeta.io.formats.schemas import ScoreFile
from irmeta.io.outputs import locked_folder, require_folder, writing
from irmeta.io.places import require_reachable, require_readable
from irmeta.io.strictly import parse_json, require_schema
from irmeta.io.tables.spreadsheet import import_table
from irmeta.metrics.names import nearest
from irmeta.scores.attributes import OVER, about, chosen_from
from irmeta.scores.cube import DIMS, check, check_possible, cube
from irmeta.scores.cubes import by_name, distinctly_named
from irmeta.scores.groups.clusters import cluster_map, with_clusters
from irmeta.scores.names import labels, require_short
from irmeta.scores.selection import choose_names, matching, select, words
from irmeta.stats.arrays import Floats
from irmeta.words import listed, reason, shortened

COLUMNS = ("collection", *DIMS, "score")
_KEY = "irmeta"
CLUSTERS = "clusters_of_topics"
"""The attribute of a file that has the cluster of each topic by name."""

Chosen = TypeVar("Chosen")
Names = Mapping[str, Sequence[str]]
"""The names of systems, topics and metrics by dimension."""
Wanted = Mapping[str, Iterable[str] | None]
"""Those that are asked for, by dimension; None for all."""


Version = tuple[int, ...]
"""Inode and time of a file."""


class Description(TypedDict):
    """What a score file says of a collection: the cube's attributes, and its names, with scores or without."""

    attributes: Mapping[str, Any]
    names: Names


def to_frame(scores: xr.DataArray) -> pl.DataFrame:
    """Return the cube as a long table, one row for each score, by system, topic, metric; missing scores have no row.

    >>> to_frame(cube([[[0.5], [0.1]]], ["bm25"], ["301", "302"], ["AP"])).rows()[1]
    ('collection', 'bm25', '302', 'AP', 0.1)
    """
    scores = check(scores)
    (collection,) = labels([scores.attrs.get("collection", "collection")])
    cells = pl.DataFrame({"score": scores.values.ravel()})
    # of each cell, in the order of the values: its places along the dimensions
    places = np.indices(scores.shape, dtype=np.int32)
    for dim, at in zip(DIMS, places.reshape(3, -1), strict=True):
        names = pl.Series(dim, labels(scores[dim].values), dtype=pl.String)
        cells = cells.with_columns(names.gather(at))
    cells = cells.with_columns(collection=pl.lit(collection))
    known = cells.filter(pl.col("score").is_not_nan())
    return known.select("collection", *DIMS, "score")


def from_rows(
    table: pl.DataFrame | pl.LazyFrame,
    *,
    provenance: Mapping[str, Mapping[str, Any]] | None = None,
    names: Mapping[str, Names] | None = None,
    collections: Sequence[str] | None = None,
    wanted: Wanted = MappingProxyType({}),
) -> dict[str, xr.DataArray]:
    """Make cubes, by collection name, from a long table with the columns of the score file.

    provenance : attributes of each cube, by collection.
    names : the systems, topics and metrics of each collection, also those without a score; by default those of the
    table, in the order of their first appearance. Two scores for one cell raise ScoresError.
    collections, wanted : make only these cubes, and only of these systems, topics or metrics, in the order given;
    nothing else of a lazy table is held in memory. Unknown names raise ScoresError.
    """
    try:
        rows = _score_columns(table.lazy())
        known = _names_by_collection(rows, names or {})
        cubes = {}
        for name in known if collections is None else collections:
            chosen = _chosen_names(known, name, wanted)
            own_rows = rows.filter(pl.col("collection") == name)
            values = _score_array(own_rows, known[name], chosen, name)
            attributes = dict((provenance or {}).get(name) or {})
            clusters = attributes.pop(CLUSTERS, None)
            full_sizes = {
                f"{dim}s": len(known[name][dim])
                for dim in DIMS[:2]
                if len(chosen[dim]) < len(known[name][dim])
            }
            attributes |= chosen_from(attributes, full_sizes)
            scores = cube(
                values, *chosen.values(), collection=name, provenance=attributes
            )
            if clusters:
                over = attributes.get(OVER, "topics")
                scores = with_clusters(scores, clusters, mean_over=over)
            cubes[name] = check_possible(scores)
    except pl.exceptions.PolarsError as error:
        raise ScoresError(
            f"some scores are not numbers, or their names are not in the file's lists: {reason(error)}"
        ) from error
    return cubes


def _chosen_names(
    known: Mapping[str, Names], collection: str, wanted: Wanted
) -> dict[str, list[str]]:
    """Return the wanted names of a collection; raise ScoresError with the collections that have all that is wanted."""
    names = known[collection]
    try:
        return {
            dim: choose_names(dim, wanted.get(dim), names[dim], collection)
            for dim in DIMS
        }
    except ScoresError as error:
        if fit := _collections_with(known, wanted):
            raise ScoresError(
                f"{str(error).partition(';')[0]}; choose one that has it with --collection: {listed(map(quote, fit))}"
            ) from error
        raise


def _require_columns(columns: Sequence[str]) -> None:
    """Raise OtherTableError unless a table has the columns of a score file."""
    lacking = [name for name in COLUMNS if name not in columns]
    if not lacking:
        return
    found = f"missing: {', '.join(lacking)}"
    if lacking == list(COLUMNS):
        found = (
            f"this file has {listed(columns)}. Score a run with irmeta evaluate (or place "
            "--qrels); import a table with irmeta import"
        )
    raise OtherTableError(
        f"a score table needs the columns {', '.join(COLUMNS)}, separated by commas; {found}"
    )


def _score_columns(table: pl.LazyFrame) -> pl.LazyFrame:
    """Return the columns of a score file, as text and numbers, whatever they were."""
    schema = table.collect_schema()
    _require_columns(schema.names())
    for name in COLUMNS:
        if schema[name].is_nested():
            expected = "scores" if name == "score" else "names"
            raise FileFormatError(
                f"the column {name!r} holds {schema[name]}, not {expected}"
            )
    return table.select(
        pl.col(COLUMNS[:-1]).cast(pl.String), pl.col("score").cast(pl.Float64)
    )


def _read_csv(path: Path) -> pl.LazyFrame:
    """Return the rows of a score file in CSV; a table without its columns is not read beyond the header."""
    data = read_bytes(path)
    _require_columns(pl.read_csv(data, n_rows=0, infer_schema=False).columns)
    types = {**dict.fromkeys(COLUMNS, pl.String), "score": pl.Float64}
    return pl.read_csv(data, columns=COLUMNS, schema_overrides=types).lazy()


def _names_by_collection(
    rows: pl.LazyFrame, names: Mapping[str, Names]
) -> dict[str, Names]:
    """Return the names of each collection: those that the file declares, else those in its rows, in order."""
    collections = rows.select(pl.col("collection").unique(maintain_order=True)).collect(
        engine="streaming"
    )["collection"]
    if collections.null_count():
        raise _empty_names_error("collection")
    known = dict(names)
    if undeclared := [name for name in collections if name not in names]:
        by_collection = rows.filter(pl.col("collection").is_in(undeclared)).group_by(
            "collection", maintain_order=True
        )
        for name, *lists in (
            by_collection.agg(pl.col(DIMS).unique(maintain_order=True)).collect().rows()
        ):
            known[name] = dict(zip(DIMS, lists, strict=True))
    require_short(known, "collection")
    for dim in DIMS:
        for names_of_one in known.values():
            if None in names_of_one[dim]:
                raise _empty_names_error(dim)
            require_short(names_of_one[dim], dim)
    return known


def _empty_names_error(column: str) -> ScoresError:
    return ScoresError(f"the column {column} has empty names; fill them in")


def _score_array(
    rows: pl.LazyFrame, known: Names, chosen: Names, collection: str
) -> Floats:
    """Fill an array (system, topic, metric) of the chosen names from rows of one collection."""
    for dim, names in chosen.items():
        if len(names) < len(known[dim]):
            rows = rows.filter(pl.col(dim).is_in(names))
    # an Enum's numbers are the places of its names: where in the array a score belongs
    places = [pl.col(dim).cast(pl.Enum(chosen[dim])).to_physical() for dim in DIMS]
    table = rows.select(*places, "score").collect(engine="streaming")
    for dim in DIMS:
        if table[dim].null_count():
            raise _empty_names_error(dim)
    shape = tuple(len(names) for names in chosen.values())
    cell = np.ravel_multi_index([table[dim].to_numpy() for dim in DIMS], shape)
    counts = np.bincount(cell)
    if counts.max(initial=0) > 1:
        index = np.unravel_index(int(counts.argmax()), shape)
        system, topic, metric = (
            names[int(i)] for names, i in zip(chosen.values(), index, strict=True)
        )
        raise ScoresError(
            f"collection {collection}: more than one score for {system}, topic {topic}, {metric}"
        )
    scores = np.full(shape, np.nan)
    scores.flat[cell] = table["score"].to_numpy()
    return scores


def save(
    scores: xr.DataArray | Mapping[str, xr.DataArray],
    path: str | PathLike[str],
    *,
    append: bool = False,
    new: bool = False,
) -> None:
    """Write one cube, or several by collection name, to a score file; it appears whole or not at all.

    scores : a cube, or cubes by name.  path : of the file.
    append : keep the other collections of an existing file; one with the same name is an error, as is a score that its
    metric cannot take.
    new : a file that exists is an error, also one that another process has just made; by default it is replaced.
    """
    cubes = by_name(scores)
    named_cubes = [
        check_possible(scores_of_one).assign_attrs(collection=labels([name])[0])
        for name, scores_of_one in cubes.items()
    ]
    descriptions_of_cubes = descriptions_of(named_cubes)
    path = Path(path)

    def require_writable() -> None:
        if append:
            require_new_collections(path, *descriptions_of_cubes)
        if new and path.exists():
            raise ScoresError(f"{path} exists; choose another name, or remove it")

    tables = [to_frame(scores_of_one) for scores_of_one in named_cubes]
    write(tables, descriptions_of_cubes, path, append=append, check=require_writable)


def require_score_file(path: Path) -> None:
    """Raise an error unless a score file can be written under this path, and is named as one."""
    require_folder(path)
    if path.suffix != ".parquet":
        raise ScoresError(
            f"{path}: a score file is named .parquet; `irmeta export` makes CSV of one, "
            "in Python irmeta.wide(cube).write_csv(path)"
        )


def descriptions_of(cubes: Iterable[xr.DataArray]) -> dict[str, Description]:
    """Return what a score file says of cubes, by the collections that they name."""
    return {
        scores.attrs["collection"]: Description(
            attributes=_attributes(scores),
            names={dim: labels(scores[dim].values) for dim in DIMS},
        )
        for scores in cubes
    }


def _attributes(scores: xr.DataArray) -> dict[str, Any]:
    """Return what a file keeps of a cube beside its scores: its attributes, and the clusters of its topics."""
    clusters = cluster_map(scores)
    return about(scores) | ({CLUSTERS: clusters} if clusters else {})


def write(
    tables: Iterable[pl.DataFrame | pl.LazyFrame],
    described: Mapping[str, Description],
    path: Path,
    *,
    append: bool = False,
    replaced: Sequence[str] = (),
    check: Callable[[], None] = lambda: None,
) -> None:
    """Write tables, one after the other, and what there is to say of their collections to a score file; see `save`.

    Lazy tables are written as they are read; they may be larger than memory.
    append : keep the rows of a file that exists.  replaced : but not those of these systems in these collections;
        a collection without systems is left out.
    check : called first, when no other process can write the file any more; what it raises leaves the file as it is.
    """
    require_score_file(path)
    rows = [table.lazy() for table in tables]
    with locked_folder(path.parent):
        check()
        try:
            if append and path.exists():
                older_rows, earlier = _scan(path)
                replaced_rows = pl.col("collection").is_in(list(described)) & pl.col(
                    "system"
                ).is_in(replaced)
                rows = [
                    older_rows.filter(~replaced_rows) if replaced else older_rows,
                    *rows,
                ]
                described = {**earlier, **described}
            described = {
                name: description
                for name, description in described.items()
                if description["names"]["system"]
            }
            metadata = {_KEY: json.dumps(described, default=str), seals.KEY: seals.OPEN}
            with writing(path) as part:
                pl.concat(rows).sink_parquet(part, metadata=metadata)
                seals.close(part)
        except pl.exceptions.PolarsError as error:
            raise FileFormatError(f"{path}: cannot be written ({error})") from error


def file_version(path: Path) -> Version:
    """Return what tells a file from one that takes its place later; nothing where there is none."""
    if not path.exists():
        return ()
    status = path.stat()
    return status.st_ino, status.st_mtime_ns


def require_version(path: Path, version: Version) -> None:
    """Raise FileFormatError if another process has made or changed a file since it was this version."""
    if file_version(path) != version:
        raise FileFormatError(
            f"{path}: another process wrote it in the meantime; remove it, or choose another name"
        )


def read_descriptions(path: Path) -> dict[str, Description]:
    """Return what a score file says of each collection that it holds; of those of other programs, only the names."""
    _, known, described = _open_scores(path)
    return {
        name: described.get(name, Description(attributes={}, names=names))
        for name, names in known.items()
    }


def count_scores(path: Path) -> dict[str, int]:
    """Count the scores of each collection of a score file that are there."""
    finite = pl.col("score").is_finite().fill_null(False).sum()
    counts = _scan(path)[0].group_by("collection").agg(finite).collect()
    return dict(counts.iter_rows())


def system_means(path: Path) -> dict[tuple[str, str, str], float]:
    """Return the mean of each system of a score file, by collection, system and metric; without its missing scores."""
    mean = pl.col("score").fill_nan(None).mean()
    by = ("collection", "system", "metric")
    means = _scan(path)[0].group_by(*by).agg(mean).drop_nulls().collect()
    return {(name, system, metric): mean for name, system, metric, mean in means.rows()}


def require_new_collections(path: Path | None, *names: str) -> None:
    """Raise ScoresError if a score file that exists holds a collection of one of these names."""
    if path is None or not path.exists():
        return
    clashes = sorted(set(_open_scores(path)[1]).intersection(names))
    if clashes:
        raise ScoresError(
            f"{path} already holds a collection {clashes[0]!r}; name the new one with --collection"
        )


def load_all(
    path: str | PathLike[str],
    *,
    collection: str | None = None,
    systems: Iterable[str] | None = None,
    topics: Iterable[str] | None = None,
    metrics: Iterable[str] | None = None,
) -> dict[str, xr.DataArray]:
    """Read every collection of a score file, or of a table as `irmeta.import_table` takes it, as cubes by name.

    path : of the file, Parquet or CSV.
    collection : one of several, or some, separated by commas; web* matches names.
    collection, systems, topics, metrics : read only these; the rest of the file is not held in memory.
    """
    wanted = {"system": systems, "topic": topics, "metric": metrics}
    return _load(Path(path), collection, wanted)


def _load(
    path: Path, collection: str | None, wanted: Wanted, *, sole: bool = False
) -> dict[str, xr.DataArray]:
    """Read collections of a file; sole : only the one that has what is wanted, where no collection is named."""
    try:
        table, known, described = _open_scores(path)
    except OtherTableError as error:
        return _load_other_table(path, collection, wanted, error)
    if collection is None and sole:
        collection = _only_collection_with(known, wanted, str(path))
    chosen = None
    if collection is not None:
        chosen = [collection] if sole else _collections_named(collection, known)
        for name in chosen:
            choose_collection(known, name, str(path))
    try:
        return from_rows(
            table,
            provenance={name: one["attributes"] for name, one in described.items()},
            names=known,
            collections=chosen,
            wanted=wanted,
        )
    except ScoresError as error:
        raise FileFormatError(f"{path}: {error}") from error
    except MemoryError as error:
        raise FileFormatError(
            f"{path}: not enough memory for all of it; choose --metrics, --systems or --topics"
        ) from error
    except (pl.exceptions.PanicException, pl.exceptions.PolarsError) as error:
        raise FileFormatError(
            f"{path}: the file is damaged ({reason(error)}); copy or make it again"
        ) from error


class OtherTableError(FileFormatError):
    """A table without the columns of a score file."""


def _load_other_table(
    path: Path, collection: str | None, wanted: Wanted, error: OtherTableError
) -> dict[str, xr.DataArray]:
    """Read a table as people write them; raise the error if it is not one either."""
    try:
        cubes = import_table(path)
    except FileFormatError:
        if path.suffix in (".csv", ".tsv", ".json", ".jsonl"):
            raise
        cubes = {}
    if not cubes:
        raise error
    if collection is not None:
        cubes = {
            name: choose_collection(cubes, name, str(path))
            for name in _collections_named(collection, cubes)
        }
    named = {f"{dim}s": names for dim, names in wanted.items()}
    return {name: select(cube, **named) for name, cube in cubes.items()}


def _parse_metadata(text: str) -> dict[str, Description]:
    """Return what a file says of its collections; raise ValueError unless it is as `write` leaves it."""
    descriptions: dict[str, Description] = parse_json(text)
    require_schema(descriptions, ScoreFile)
    for name, description in descriptions.items():
        if description["attributes"].get("collection", name) != name:
            raise ValueError(
                f"its metadata of {shortened(name)} have another collection"
            )
        for dim in DIMS:
            if len(set(description["names"][dim])) < len(description["names"][dim]):
                raise ValueError(
                    f"the {dim}s in its metadata of {shortened(name)} are not distinct names"
                )
    return descriptions


def _open_scores(
    path: Path,
) -> tuple[pl.LazyFrame, dict[str, Names], dict[str, Description]]:
    """Open a score file: its rows, the names of its collections, and what it says of them."""
    table, descriptions = _scan(path)
    try:
        names = {name: one["names"] for name, one in descriptions.items()}
        known = _names_by_collection(table, names)
    except (
        ScoresError,
        pl.exceptions.PolarsError,
        pl.exceptions.PanicException,
    ) as error:
        raise FileFormatError(f"{path}: {error}") from error
    if not known:
        raise FileFormatError(f"{path}: the file has no scores")
    return table, known, descriptions


def _scan(path: Path) -> tuple[pl.LazyFrame, dict[str, Description]]:
    """Open a score file: its rows, and what it says of its collections (nothing where other programs wrote it)."""
    if require_reachable(path).is_dir():
        raise OtherTableError(
            f"{path}: this is a folder, not a score file; runs need judgments (`irmeta evaluate`, or --qrels where a "
            "command takes it)"
        )
    if require_readable(path).exists() and not path.is_file():
        raise FileFormatError(
            f"{path}: a score file is read more than once, so it cannot be a pipe; write it to a file first"
        )
    if not path.exists():
        raise FileFormatError(
            f"{path}: no such file; `irmeta evaluate` and `irmeta import` write score files"
        )
    is_parquet = False
    try:
        with path.open("rb") as file:
            is_parquet = file.read(4) == parquet.MAGIC
        if is_parquet:
            rows, metadata = parquet.scan(path)
            return _score_columns(rows), _parse_metadata(metadata.get(_KEY, "{}"))
        return _read_csv(path), {}
    except OtherTableError as error:
        raise OtherTableError(f"{path}: {error}") from error
    except ScoresError as error:
        raise FileFormatError(f"{path}: {error}") from error
    except seals.MALFORMED as error:
        kind = FileFormatError if is_parquet else OtherTableError
        raise kind(
            f"{path}: not a score file ({reason(error)}); `irmeta evaluate` and `irmeta import` write them"
        ) from error


def _collections_named(text: str, known: Iterable[str]) -> list[str]:
    """List the collections that a text names, or that its patterns match, each once."""
    names = list(known)
    found = [name for part in words(text, names) for name in matching(part, names)]
    return list(dict.fromkeys(found))


def choose_collection(
    cubes: Mapping[str, Chosen], collection: str | None, source: str = "the file"
) -> Chosen:
    """Return the collection of this name; None is enough where there is only one."""
    if collection is None and len(cubes) == 1:
        return next(iter(cubes.values()))
    if collection is None:
        raise ScoresError(
            f"{source} holds {len(cubes)} collections; choose one with --collection: {', '.join(map(quote, cubes))}"
        )
    if collection not in cubes:
        raise ScoresError(
            f"{source} holds no collection {collection!r}; {nearest(collection, cubes)}"
        )
    return cubes[collection]


def _only_collection_with(
    known: Mapping[str, Names], wanted: Wanted, source: str
) -> str | None:
    """Return the only collection that has what is wanted, None for the only one; ScoresError where none has it."""
    if len(known) == 1:
        return None
    fit = _collections_with(known, wanted)
    if not fit:
        for dim in DIMS:
            each = chain.from_iterable(names[dim] for names in known.values())
            all_names = list(dict.fromkeys(each))
            where = f"the {len(known)} collections of {source}"
            choose_names(dim, wanted.get(dim), all_names, where)
        fit = list(known)
    return choose_collection({name: name for name in fit}, None, source)


def _collections_with(known: Mapping[str, Names], wanted: Wanted) -> list[str]:
    """List the collections that have what is wanted."""
    fit = []
    for name, names in known.items():
        with suppress(ScoresError):
            for dim in DIMS:
                choose_names(dim, wanted.get(dim), names[dim], name)
            fit.append(name)
    return fit


def load(
    path: str | PathLike[str],
    collection: str | None = None,
    *,
    systems: Iterable[str] | None = None,
    topics: Iterable[str] | None = None,
    metrics: Iterable[str] | None = None,
) -> xr.DataArray:
    """Read one collection of a score file as a cube.

    path : of the file.
    collection : its name; by default the only one, or the only one that has the systems, topics and metrics named.
    systems, topics, metrics : read only these, in this order, given as a list or in one text ("AP nDCG@10"); a file
    larger than memory is studied a few metrics at a time.
    """
    wanted = {"system": systems, "topic": topics, "metric": metrics}
    chosen = _load(Path(path), collection, wanted, sole=True)
    return choose_collection(chosen, collection, str(path))


def load_files(
    paths: str | PathLike[str] | Sequence[str | PathLike[str]],
) -> dict[str, xr.DataArray]:
    """Read every collection of score files, by names that are distinct."""
    each = [paths] if isinstance(paths, str | PathLike) else paths
    require_fitting("score files", each, [Sequence[str | PathLike[str]]])
    if not each:
        raise ScoresError("there are no score files; name one or more")
    [cubes] = distinctly_named([[(Path(path), load_all(path)) for path in each]])
    return cubes
