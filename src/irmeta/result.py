"""What every study returns: an xarray.Dataset whose attributes say what was computed, from what, and how."""

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any

import numpy as np
import polars as pl
import xarray as xr

from irmeta.attributes import about, recorded


def result(
    study: str,
    data: Mapping[str, Any],
    *,
    inputs: Mapping[str, xr.DataArray],
    options: Mapping[str, Any],
    notes: Sequence[str] = (),
) -> xr.Dataset:
    """Make a study's result: labelled arrays, and attributes `study`, `inputs`, `options` and `notes`.

    `irmeta.attributes.about` reads the attributes back.

    study : the module of `irmeta.studies` that knows how to turn the result into tables.
    inputs : the cubes as the study used them (after selection), by collection name.
    """
    described = {name: describe(scores) for name, scores in inputs.items()}
    attrs = {
        "study": study,
        "inputs": {"irmeta": version("irmeta"), "collections": described},
        "options": dict(options),
        "notes": list(notes),
    }
    return xr.Dataset(dict(data), attrs=recorded(attrs))


def long_frame(outcome: xr.Dataset, variables: Sequence[str]) -> pl.DataFrame:
    """Give variables that share their dimensions as a data frame: a column a dimension, then one a variable.

    One row a cell, the last dimension fastest; NaN becomes null.

    >>> long_frame(xr.Dataset({"tau": ("metric", [0.5, np.nan])}, {"metric": ["AP", "RR"]}), ["tau"]).rows()
    [('AP', 0.5), ('RR', None)]
    """
    dims = outcome[variables[0]].dims
    at = np.indices(outcome[variables[0]].shape).reshape(len(dims), -1)
    labels = {str(dim): outcome[dim].values[where].tolist() for dim, where in zip(dims, at, strict=True)}
    values = {name: outcome[name].transpose(*dims).values.ravel() for name in variables}
    return pl.DataFrame({**labels, **values}).with_columns(pl.selectors.float().fill_nan(None))


def describe(scores: xr.DataArray) -> dict[str, Any]:
    """Say what a cube holds: counts of systems, topics and metrics, missing cells, and its provenance."""
    size = {f"{dim}s": int(scores.sizes[dim]) for dim in ("system", "topic", "metric")}
    return {**size, "missing": int(np.isnan(scores.values).sum()), **about(scores)}


def frame(outcome: xr.Dataset, names: Sequence[str], columns: Sequence[str]) -> pl.DataFrame:
    """Give variables of a result as a table: a row for every combination of the coordinates `names`, the last fastest.

    >>> frame(xr.Dataset({"n": (("x", "y"), [[1, 2]])}, {"x": ["a"], "y": ["b", "c"]}), ["x", "y"], ["n"]).rows()
    [('a', 'b', 1), ('a', 'c', 2)]
    """
    parts = xr.broadcast(*(outcome[name] for name in (*names, *columns)))
    flat = {name: part.values.ravel() for name, part in zip((*names, *columns), parts, strict=True)}
    return pl.DataFrame(
        {name: values.astype(str) if values.dtype == object else values for name, values in flat.items()}
    )


def square(names: Sequence[str], cells: Sequence[Sequence[str]], corner: str = "metric") -> pl.DataFrame:
    """Lay out figures of pairs of metrics as a matrix to be read; many columns are numbered, as their rows are.

    >>> square(["AP", "RR"], [[".63", ".36"], ["", ".39"]]).rows()
    [('AP', '.63', '.36'), ('RR', '', '.39')]
    """
    many = len(names) > 8
    heads = [str(number) for number in range(1, len(names) + 1)] if many else list(names)
    rows = [f"{number:>2} {name}" for number, name in enumerate(names, 1)] if many else list(names)
    return pl.DataFrame({corner: rows, **{head: [row[i] for row in cells] for i, head in enumerate(heads)}})


def short(value: float, digits: int = 2, *, sign: bool = False) -> str:
    """Write a figure between -1 and 1 without its leading zero; missing as a dash.

    >>> short(0.626), short(-0.1), short(1.0), short(0.0149, 3, sign=True)
    ('.63', '-.10', '1.00', '+.015')
    """
    if np.isnan(value):
        return "-"
    text = f"{value:{'+' if sign else ''}.{digits}f}"
    return text.replace("0.", ".", 1) if abs(value) < 1 and "0." in text[:3] else text
