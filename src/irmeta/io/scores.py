"""The score file: Parquet, one row a score (collection, system, topic, metric, score), provenance in its metadata."""

import json
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import xarray as xr

from irmeta.cube import DIMS, check, cube, labels
from irmeta.errors import FileFormatError, ScoresError
from irmeta.io.files import writing
from irmeta.names import nearest

COLUMNS = ("collection", *DIMS, "score")
_KEY = "irmeta"


def to_frame(scores: xr.DataArray) -> pl.DataFrame:
    """Give the cube as a long table, one row a score, in the order system, topic, metric; missing scores have no row.

    >>> to_frame(cube([[[0.5], [0.1]]], ["bm25"], ["301", "302"], ["AP"])).rows()[1]
    ('collection', 'bm25', '302', 'AP', 0.1)
    """
    check(scores)
    names = [pl.Series(dim, labels(scores[dim].values), dtype=pl.String) for dim in DIMS]
    index = np.indices(scores.shape, dtype=np.int32).reshape(3, -1)
    columns = {dim: series.gather(at) for dim, series, at in zip(DIMS, names, index, strict=True)}
    collection = pl.lit(str(scores.attrs.get("collection", "collection"))).alias("collection")
    frame = pl.DataFrame({**columns, "score": scores.values.ravel()}).select(collection, *DIMS, "score")
    return frame.filter(pl.col("score").is_not_nan())


def from_frame(
    frame: pl.DataFrame,
    *,
    provenance: Mapping[str, Mapping[str, Any]] | None = None,
    names: Mapping[str, Mapping[str, list[str]]] | None = None,
) -> dict[str, xr.DataArray]:
    """Make cubes, by collection name, from a long table with the columns of the score file.

    names : the systems, topics and metrics of each collection, also those without a score; by default those of the
    table, in the order of their first appearance. A cell given twice raises ScoresError.
    """
    lacking = [name for name in COLUMNS if name not in frame.columns]
    if lacking:
        raise ScoresError(f"a score table has the columns {', '.join(COLUMNS)}; missing: {', '.join(lacking)}")
    try:
        frame = frame.select(pl.col(COLUMNS[:-1]).cast(pl.String), pl.col("score").cast(pl.Float64))
    except pl.exceptions.PolarsError as error:
        raise ScoresError(f"the scores are not numbers: {error}") from error
    if unnamed := [name for name in COLUMNS[:-1] if frame[name].null_count()]:
        raise ScoresError(f"the column {unnamed[0]} of a score table has missing names")
    cubes = {}
    for name in [*(names or {}), *(other for other in frame["collection"].unique(maintain_order=True))]:
        if name in cubes:
            continue
        rows = frame.filter(pl.col("collection") == name)
        known = (names or {}).get(name) or {dim: rows[dim].unique(maintain_order=True).to_list() for dim in DIMS}
        labels = [pl.Series(known[dim], dtype=pl.String) for dim in DIMS]
        at = [
            rows[dim].replace_strict(values, np.arange(len(values)), return_dtype=pl.Int64).to_numpy()
            for dim, values in zip(DIMS, labels, strict=True)
        ]
        shape = tuple(len(values) for values in labels)
        flat = np.ravel_multi_index(at, shape)
        first, counts = np.unique(flat, return_index=True, return_counts=True)[1:]
        if (counts > 1).any():
            system, topic, metric, _ = rows.select(*DIMS, "score").row(int(first[counts > 1][0]))
            raise ScoresError(f"collection {name}: more than one score for {system}, topic {topic}, {metric}")
        scores = np.full(shape, np.nan)
        scores.flat[flat] = rows["score"].to_numpy()
        cubes[str(name)] = cube(
            scores,
            *(values.to_list() for values in labels),
            collection=str(name),
            provenance=(provenance or {}).get(str(name)),
        )
    return cubes


def save(scores: xr.DataArray | Mapping[str, xr.DataArray], path: str | PathLike[str], *, append: bool = False) -> None:
    """Write one cube, or several by collection name, to a score file; it appears whole or not at all.

    append : keep the other collections of an existing file; one with the same name is an error.
    """
    path = Path(path)
    cubes = dict(scores) if isinstance(scores, Mapping) else {str(scores.attrs.get("collection", "collection")): scores}
    if append and path.exists():
        refuse_clash(path, *cubes)
        cubes = load_all(path) | cubes
    if not cubes:
        raise ScoresError("there are no scores to save")
    named = [one.assign_attrs(collection=name) for name, one in cubes.items()]
    about = {
        one.attrs["collection"]: {
            "attributes": one.attrs,
            "names": {dim: labels(one[dim].values) for dim in DIMS},
        }
        for one in named
    }
    with writing(path) as part:
        pl.concat([to_frame(one) for one in named]).write_parquet(part, metadata={_KEY: json.dumps(about, default=str)})


def refuse_clash(path: Path | None, *names: str) -> None:
    """Raise ScoresError if a score file that exists holds a collection of one of these names."""
    held = set(load_all(path)) if path is not None and path.exists() else set[str]()
    if both := sorted(held.intersection(names)):
        raise ScoresError(f"{path} already holds the collection {both[0]!r}; give the new one another --collection")


def load_all(path: str | PathLike[str]) -> dict[str, xr.DataArray]:
    """Read every collection of a score file (Parquet, or CSV with the same columns) as cubes by name."""
    path = Path(path)
    if not path.is_file():
        raise FileFormatError(f"{path}: no such file; `irmeta evaluate` and `irmeta import` write score files")
    try:
        about = _about(path)
        if about is not None:
            frame = pl.read_parquet(path)
        else:
            text = dict.fromkeys(COLUMNS[:-1], pl.String)
            frame = pl.read_csv(path, schema_overrides={**text, "score": pl.Float64})
    except (pl.exceptions.PolarsError, OSError, ValueError) as error:
        raise FileFormatError(
            f"{path}: not a score file ({error}); `irmeta evaluate` and `irmeta import` write them"
        ) from error
    try:
        return from_frame(
            frame,
            provenance={name: one["attributes"] for name, one in (about or {}).items()},
            names={name: one["names"] for name, one in (about or {}).items()},
        )
    except ScoresError as error:
        raise FileFormatError(f"{path}: {error}") from error


def _about(path: Path) -> dict[str, dict[str, Any]] | None:
    """Give what a Parquet file says of its collections, nothing where others wrote it; None if it is not Parquet."""
    with path.open("rb") as file:
        if file.read(4) != b"PAR1":
            return None
    about: dict[str, dict[str, Any]] = json.loads(pl.read_parquet_metadata(path).get(_KEY, "{}"))
    return about


def choose(cubes: Mapping[str, xr.DataArray], collection: str | None, source: str = "the file") -> xr.DataArray:
    """Give the collection of this name; the name may be left out where there is only one."""
    if collection is None and len(cubes) == 1:
        return next(iter(cubes.values()))
    if collection is None:
        raise ScoresError(f"{source} holds {len(cubes)} collections; choose one with --collection: {', '.join(cubes)}")
    if collection not in cubes:
        raise ScoresError(f"{source} holds no collection {collection!r}; {nearest(collection, cubes)}")
    return cubes[collection]


def load(path: str | PathLike[str], collection: str | None = None) -> xr.DataArray:
    """Read one collection of a score file as a cube; `collection` may be left out where there is only one."""
    return choose(load_all(path), collection, str(path))
