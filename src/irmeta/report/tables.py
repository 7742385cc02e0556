"""Results as tables: the JSON contract, and one result in any form."""

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import xarray as xr

from irmeta.choices import Format
from irmeta.errors import IrmetaError
from irmeta.io.formats.scores import to_frame
from irmeta.metrics.names import nearest
from irmeta.report.forms import csv, latex, markdown, text
from irmeta.scores.attributes import about
from irmeta.scores.figures import WHOLE
from irmeta.scores.groups.clusters import unit_of
from irmeta.studies import study_of

_COMMANDS = re.compile(r" \([^()]*--[^()]*\)")
"""What a title says of options that show more."""


def tables(result: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Return a study's result as data frames by name, with the columns of the JSON contract.

    Results that xr.concat put together along a new dimension are tables of all, with that dimension as first column.
    result : what a study returned.
    """
    study = study_of(result)
    added = _added_dimension(result)
    if added is None:
        view: dict[str, pl.DataFrame] = study.tables(result)
        return view
    # by table: those of each single result, one under the other
    parts: dict[str, list[pl.DataFrame]] = {}
    for at, label in enumerate(result[added].values.tolist()):
        for name, frame in tables(result.isel({added: at})).items():
            labelled = frame.select(pl.lit(label).alias(added), pl.all())
            parts.setdefault(name, []).append(labelled)
    return {name: pl.concat(frames) for name, frames in parts.items()}


class Tables(dict[str, pl.DataFrame]):
    """A result's tables by name; one under another name, as a title, is found as `--table` finds it."""

    def __init__(self, result: xr.Dataset) -> None:
        super().__init__(tables(result))
        self.result = result

    def __missing__(self, name: str) -> pl.DataFrame:
        return table_named(self.result, name)


def _added_dimension(result: xr.Dataset) -> str | None:
    """Return the dimension that xr.concat added to a result: the first one of every variable, and not the study's."""
    own = about(result).get("dims")
    first = {next(iter(variable.dims), None) for variable in result.data_vars.values()}
    if own is None or len(first) != 1:
        return None
    (dim,) = first
    return None if dim is None or dim in own else str(dim)


def to_pandas(scores: xr.DataArray) -> pd.DataFrame:
    """Return a cube's scores as a pandas data frame: collection, system, topic, metric, score; pyarrow is not needed.

    scores : a cube. A result has `to_pandas` of its own.

    >>> from irmeta.scores.cube import cube
    >>> to_pandas(cube([[[0.5], [0.1]]], ["bm25"], ["301", "302"], ["AP"])).shape
    (2, 5)
    """
    return frame_to_pandas(to_frame(scores))


def frame_to_pandas(frame: pl.DataFrame) -> pd.DataFrame:
    """Return a data frame of polars as one of pandas, column by column, without pyarrow."""
    return pd.DataFrame({name: frame[name].to_list() for name in frame.columns})


def table_named(result: xr.Dataset, table: str | None) -> pl.DataFrame:
    """Return the table of a result that is named, also by a title that a reader sees, else the first.

    Raises IrmetaError for an unknown name.
    """
    views = tables(result)
    if table is None:
        return next(iter(views.values()))
    if table in views:
        return views[table]
    shown: dict[str, pl.DataFrame] = {}
    for title, frame in whole_tables(result).items():
        if table == title:
            return frame
        shown.setdefault(_short_title(title), frame)
    if _short_title(table) in shown:
        return shown[_short_title(table)]
    begun = [frame for title, frame in shown.items() if title.startswith(f"{table} (")]
    if len(begun) == 1:
        return begun[0]
    raise IrmetaError(
        f"no table {table!r} in this result; {_meant(table, result, [*views], [*shown])}"
    )


def _meant(
    table: str, result: xr.Dataset, names: Sequence[str], titles: Sequence[str]
) -> str:
    """Say which table is meant by a wrong name: the one whose rows are called so, or the nearest name of one word."""
    if table == f"{unit_of(result)}s" and "topics" in names:
        return "did you mean topics?"
    words = [title for title in titles if " " not in title]
    return nearest(table, dict.fromkeys([*names, *words]))


def _short_title(title: str) -> str:
    """Return the title of a table without what it says of the rows."""
    return title.partition(":")[0]


def whole_tables(result: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Return the tables for reading, with all of their rows."""
    token = WHOLE.set(True)
    try:
        return overview(result)
    finally:
        WHOLE.reset(token)


def overview(result: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Return a study's result as data frames for reading: its `overview` if it has one, else its tables."""
    study = study_of(result)
    views: dict[str, pl.DataFrame] = getattr(study, "overview", study.tables)(result)
    return views


def json_document(result: xr.Dataset) -> dict[str, Any]:
    """Return a study's result as the JSON document, with its findings; missing numbers are null."""
    views = {name: frame.to_dicts() for name, frame in tables(result).items()}
    facts = about(result)
    parts = {
        "study": facts["study"],
        "findings": study_of(result).findings(result),
        **{key: facts[key] for key in ("inputs", "options", "notes")},
        "tables": views,
    }
    return {name: _jsonable(part) for name, part in parts.items()}


def render(
    result: xr.Dataset,
    form: Format = "table",
    table: str | None = None,
    *,
    width: int | None = None,
    whole: bool = False,
) -> str:
    """Return a study's result as text in one form; csv has one table, the first unless named.

    Forms "table", "latex" and "markdown" are for people and show the study's overview, unless a table is named; the two
    latter its first table, and those with the same columns, as of further metrics, each below its title.
    width : columns of the terminal, for form "table".
    whole : whether a long table has all of its rows, as it always does in LaTeX and Markdown.
    """
    token = WHOLE.set(whole or form in ("latex", "markdown"))
    try:
        return _in_form(result, form, table, width)
    finally:
        WHOLE.reset(token)


def _in_form(
    result: xr.Dataset, form: Format, table: str | None, width: int | None
) -> str:
    """Return a result in a form, see `render`, with as many rows as `WHOLE` says."""
    if form == "json":
        if table is not None:
            raise IrmetaError(
                "JSON has all tables of a result; --table goes with csv, latex and table"
            )
        return json.dumps(json_document(result), indent=1, allow_nan=False) + "\n"
    if form == "csv":
        if table is None and hasattr(study_of(result), "in_csv"):
            table = study_of(result).in_csv(result)
        return csv(table_named(result, table))
    if table is None:
        chosen = overview(result)
    else:
        chosen = {table: table_named(result, table)}
    if not chosen:  # what was looked for is not there
        return ""
    if form == "table":
        texts = (text(frame, name, width=width) for name, frame in chosen.items())
        return "\n".join(texts)
    if table is None and about(result)["study"] == "paper_table":
        from irmeta.report import paper

        return {"latex": paper.latex, "markdown": paper.markdown}[form](result)
    write = {"latex": latex, "markdown": markdown}[form]
    headed = _headed(chosen, result).items()
    return "\n".join(write(frame, head) for head, frame in headed)


def _headed(
    chosen: Mapping[str, pl.DataFrame], result: xr.Dataset
) -> dict[str, pl.DataFrame]:
    """Return the first table and those that have its columns, as of further metrics, by what to write above each.

    A table by itself needs nothing above it, unless its title names the metric that its columns do not.
    """
    first = next(iter(chosen.values()))
    alike = {
        _COMMANDS.sub("", title): frame
        for title, frame in chosen.items()
        if frame.columns == first.columns
    }
    title = next(iter(alike))
    if len(alike) > 1 or any(map(title.__contains__, metrics_of(result))):
        return alike
    return {"": first}


def metrics_of(result: xr.Dataset) -> set[str]:
    """Return the names of a result's metrics."""
    if "metric" not in result.coords:
        return set()
    return {str(name) for name in result.metric.values.ravel()}


def _jsonable(value: Any) -> Any:
    """Return a value as JSON has it: NumPy's as Python's, numbers that are not finite as null, the rest as text."""
    if isinstance(value, np.ndarray | np.generic):
        return _jsonable(value.tolist())
    if isinstance(value, Mapping):
        return {str(name): _jsonable(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return list(map(_jsonable, value))
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, bool | int):
        return value
    return str(value)
