"""Files of standardization factors: those that users save, and those that ship with irmeta."""

import json
from itertools import product
from os import PathLike
from pathlib import Path

import numpy as np
import polars as pl
import xarray as xr

from irmeta.datasets.reference import shipped_factors
from irmeta.errors import FileFormatError
from irmeta.io.formats import parquet, seals
from irmeta.io.formats.schemas import FactorsFile
from irmeta.io.outputs import writing
from irmeta.io.places import require_readable
from irmeta.io.strictly import parse_json, require_schema
from irmeta.metrics.names import nearest
from irmeta.scores.attributes import about, recorded
from irmeta.scores.standardization import dataset_of, frame_of
from irmeta.stats.standardizing import standardizers
from irmeta.words import reason

_KEY = "irmeta_factors"


def save(factors: xr.Dataset, path: str | PathLike[str]) -> None:
    """Write factors to a Parquet file, one row for each topic and metric; provenance and digest are in its metadata."""
    with writing(Path(path)) as part:
        metadata = {
            _KEY: json.dumps(about(factors), default=str),
            seals.KEY: seals.OPEN,
        }
        frame_of(factors).write_parquet(part, metadata=metadata)
        seals.close(part)


_LARGEST = 1e100
"""Beyond this a score of a factors file is damage: squares of larger ones overflow."""


def load(path: str | PathLike[str]) -> xr.Dataset:
    """Read factors from a file that `save` wrote, or those that ship under a name, as "trec8".

    Raises FileFormatError for a file that is not there or holds no factors, and for numbers that were changed since.

    >>> factors = load("trec8")
    >>> int(factors["n"].max()), factors.sizes["topic"]
    (129, 50)
    """
    path = _found(path)
    table, metadata = parquet.scan(path)
    try:
        frame = _checked(table.collect())
        attrs = parse_json(metadata[_KEY])
        require_schema(attrs, FactorsFile)
        written = attrs["digest"]
    except seals.MALFORMED as error:
        raise FileFormatError(
            f"{path}: not a factors file ({reason(error)}); `irmeta standardize fit` writes them"
        ) from error
    topics, metrics = (list(dict.fromkeys(frame[dim])) for dim in ("topic", "metric"))
    if frame.height != len(topics) * len(metrics):
        raise FileFormatError(
            f"{path}: not a factors file: it must have one row for each topic and metric"
        )
    # in the order of topics and metrics, in which another program may not have left them
    place = {pair: at for at, pair in enumerate(product(topics, metrics))}
    pairs = zip(frame["topic"], frame["metric"], strict=True)
    frame = frame[np.argsort([place[pair] for pair in pairs])]
    rows = frame["quantiles"].to_list()
    most = max(map(len, rows))
    scores = np.array([[*row, *[np.nan] * (most - len(row))] for row in rows])
    by_cell = scores.reshape(len(topics), len(metrics), most)
    arrays = standardizers.fit(np.moveaxis(by_cell, -1, 0))
    factors = dataset_of(arrays, topics, metrics)
    same = all(
        np.allclose(frame[name], factors[name].values.ravel(), rtol=1e-12)
        for name in ("mean", "sd", "n")
    )
    if factors.attrs["digest"] != written or not same:
        raise FileFormatError(
            f"{path}: its numbers changed after it was saved; copy the file again, or fit again"
        )
    return factors.assign_attrs(recorded(attrs))


def _checked(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a table of factors; raise ValueError unless its columns are what `save` writes."""
    for name in ("topic", "metric"):
        if frame[name].dtype != pl.String or frame[name].null_count():
            raise ValueError(f"its column {name} must hold names")
    quantiles = frame["quantiles"]
    if quantiles.dtype != pl.List(pl.Float64) or quantiles.null_count():
        raise ValueError("its column quantiles must hold lists of numbers")
    scores = pl.Series(
        [score for row in quantiles.to_list() for score in row or [None]],
        dtype=pl.Float64,
    )
    if (
        scores.null_count()
        or not scores.is_finite().all()
        or quantiles.list.len().min() in (None, 0, 1)
    ):
        raise ValueError(
            "its column quantiles has missing or infinite scores, or too few"
        )
    if (scores.abs() > _LARGEST).any():
        raise ValueError(
            f"its column quantiles has scores beyond {_LARGEST:g}, which no metric has"
        )
    if frame.select("topic", "metric").is_duplicated().any():
        raise ValueError("it has a topic and metric twice")
    for name in ("mean", "sd", "n"):
        if not frame[name].dtype.is_numeric() or frame[name].null_count():
            raise ValueError(f"its column {name} must hold numbers")
    return frame


def is_factors(path: str | PathLike[str]) -> bool:
    """Say whether this is a factors file, or a name under which some ship.

    >>> is_factors("trec8"), is_factors("nothing.parquet")
    (True, False)
    """
    if str(path) in shipped_factors():
        return True
    try:
        return _KEY in pl.read_parquet_metadata(require_readable(Path(path)))
    except (pl.exceptions.PolarsError, OSError):
        return False


def _found(path: str | PathLike[str]) -> Path:
    """Return the path of a factors file; a file comes before a name under which factors ship."""
    shipped = shipped_factors()
    if require_readable(Path(path)).is_file():
        return Path(path)
    if str(path) in shipped:
        return shipped[str(path)]
    raise FileFormatError(
        f"{path}: no such file (`irmeta standardize fit` writes factors), and no factors ship under "
        f"this name; {nearest(str(path), shipped)}"
    )
