"""Score tables in files, long or wide, as cubes: CSV in any dialect of a spreadsheet, Parquet, JSON; and back, wide."""

import codecs
import csv
import io
import math
import re
from collections.abc import Iterable, Sequence
from os import PathLike
from typing import Any

import polars as pl
import xarray as xr

from irmeta.choices import Rows
from irmeta.errors import FileFormatError, ScoresError
from irmeta.io import parquet
from irmeta.io.files import Location, location, read_bytes, shown, stem
from irmeta.io.seals import MALFORMED
from irmeta.io.strictly import number, parsed
from irmeta.io.tables.printed import is_document, part_of, printed
from irmeta.scores.attributes import PRINTED, recorded
from irmeta.scores.cube import DIMS, check, from_frame_all
from irmeta.scores.frames import ALL, columns_of
from irmeta.scores.names import labels
from irmeta.scores.selection import select
from irmeta.words import listed, reason, shortened

SEPARATORS = (",", ";", "\t")
_SUFFIXES = (".csv", ".tsv", ".txt", ".json", ".parquet")
_TASK = ("task", "topic")
_TYPE = ("type", "task_type")
"""Columns of a file with the type of each task."""
_MODEL = ("model", "system", "run")
_COST = ("cost", "price", "usd")
"""Columns of a file with the cost of each model."""
_FORMULA = r"^'*[=+\-@\t\r]"
"""How a text begins that a spreadsheet takes for a formula, with the apostrophes before it that keep it from that."""
_NUMBER = r"^[+-]?[0-9.]*(e[+-]?[0-9]+)?$"
"""A number, or a dash for a missing one: no formula."""


def import_table(
    path: str | PathLike[str],
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
) -> dict[str, xr.DataArray]:
    """Read a table of scores as cubes by collection name: CSV (comma, semicolon or tab), Parquet, JSON, or a document.

    path : a file or a URL. JSON is a list of rows, dicts of dicts, or a comparison saved by ranx. A document is a paper
    or a page in LaTeX, HTML or Markdown; "paper.tex#2", or "#" and a label, chooses one of its tables.
    system, topic, metric, score, repeat, cluster, rows, ignore : what columns are called, and which have no scores, as
    in `irmeta.from_frame`. A table without a column of collections is one, named by `collection` or the file.
    """
    where, words = part_of(path)
    table, told = table_in(where, words)
    columns: dict[str, Any] = {
        "system": system,
        "topic": topic,
        "metric": metric,
        "score": score,
        "repeat": repeat,
        "cluster": cluster,
        "rows": rows,
    }
    try:
        cubes = from_frame_all(table, ignore=ignore, **columns)
    except ScoresError as error:
        raise FileFormatError(f"{shown(where)}: {error}") from error
    said = recorded({PRINTED: told}) if told else {}
    cubes = {name: one.assign_attrs(said) for name, one in cubes.items()}
    if list(cubes) == ["collection"]:
        name = collection or _unsuffixed(stem(where))
        return {name: cubes["collection"].assign_attrs(collection=name)}
    if collection is not None:
        raise FileFormatError(
            f"{shown(where)}: it names {len(cubes)} collections itself; leave out --collection"
        )
    return cubes


def read_types(path: str | PathLike[str]) -> dict[str, str]:
    """Read the type of each task from a CSV whose header names a column of tasks and one of types, as in task,type."""
    return _pairs(path, _TASK, _TYPE)


def read_costs(path: str | PathLike[str]) -> dict[str, float]:
    """Read the cost of each model from a CSV whose header names a column of models and one of costs, as in model,cost.

    An empty cost is left out; what is not a number, or below 0, raises FileFormatError.
    """
    costs = {}
    for row, (model, text) in enumerate(_pairs(path, _MODEL, _COST).items(), 1):
        if not text:
            continue
        try:
            costs[model] = number(text)
        except ValueError:
            costs[model] = math.nan
        if not 0 <= costs[model] < math.inf:
            raise FileFormatError(
                f"{shown(location(path))}: row {row}: the cost of {shortened(model)!r} is {shortened(text)!r}; a cost "
                "is a number of 0 or more, as 0.25, without a unit; leave it empty where it is not known"
            )
    return costs


def read_about(path: str | PathLike[str]) -> dict[str, dict[str, str]]:
    """Read what models are from a CSV whose header names a column of models, as in model,link,kind,size,date,licence.

    An empty cell is left out. A link that is no address of the web, or a file of one column, raises FileFormatError.
    """
    frame, keys = _keyed(path, _MODEL, "models and what they are", "link")
    columns = {name: _texts(frame[name]) for name in frame.columns if name != keys.name}
    about: dict[str, dict[str, str]] = {}
    for row, model in enumerate(_texts(keys)):
        about[model] = {
            name.lower(): held[row] for name, held in columns.items() if held[row]
        }
        link = about[model].get("link", "https://")
        if not link.startswith(("https://", "http://")):
            raise FileFormatError(
                f"{shown(location(path))}: row {row + 1}: the link of {shortened(model)!r} is {shortened(link)!r}; "
                "a link begins with https://"
            )
    return about


def _pairs(
    path: str | PathLike[str], names: Sequence[str], values: Sequence[str]
) -> dict[str, str]:
    """Read a CSV of two columns, each called by one of some words; a name stands in it once."""
    what = f"{names[0]}s and {values[0]}s"
    frame, keys = _keyed(path, names, what, values[0])
    value = _column(frame, values)
    if value is None:
        raise _lacks(path, frame, what, (names[0], values[0]))
    return dict(zip(_texts(keys), _texts(frame[value]), strict=True))


def _keyed(
    path: str | PathLike[str], names: Sequence[str], what: str, other: str
) -> tuple[pl.DataFrame, pl.Series]:
    """Read a CSV and its column of names, of which each stands in it once.

    names : words that may stand above that column.  what : is in the file.  other : another column that it should have.
    """
    where = location(path)
    try:
        frame = csv_in(read_bytes(where).decode("utf-8-sig"), where)
    except ValueError as error:
        raise FileFormatError(
            f"{shown(where)}: not a table of {what} ({reason(error)})"
        ) from error
    name = _column(frame, names)
    if name is None or frame.width < 2:
        raise _lacks(path, frame, what, (names[0], other))
    keys = pl.Series(name, _texts(frame[name]))
    for row in (keys == "").arg_true():
        raise FileFormatError(
            f"{shown(where)}: row {row + 1} names no {names[0]}; name it, or remove the row"
        )
    for row in (~keys.is_first_distinct()).arg_true():
        raise FileFormatError(
            f"{shown(where)}: row {row + 1}: the {names[0]} {shortened(keys[row])!r} occurs twice; remove one"
        )
    return frame, keys


def _column(frame: pl.DataFrame, words: Sequence[str]) -> str | None:
    """Return the first column that is called by one of some words."""
    return next((one for one in frame.columns if one.lower() in words), None)


def _texts(column: pl.Series) -> list[str]:
    return column.cast(pl.String).str.strip_chars().fill_null("").to_list()


def _lacks(
    path: str | PathLike[str], frame: pl.DataFrame, what: str, columns: Sequence[str]
) -> FileFormatError:
    """Say which columns a file should have."""
    return FileFormatError(
        f"{shown(location(path))}: {what} need the columns {' and '.join(columns)}; this file has "
        f"{listed(shortened(one, 30) for one in frame.columns)}"
    )


def wide(scores: Any, metric: str | None = None) -> pl.DataFrame:
    """Lay out a cube for a spreadsheet: a row for each system, a column for each topic.

    scores : a cube.
    metric : which, where the cube has several; means have a column for each metric. Missing cells are null.

    >>> from irmeta.scores.cube import cube
    >>> wide(cube([[[0.5], [0.1]]], ["bm25"], ["301", "302"], ["AP"])).rows(named=True)
    [{'system': 'bm25', '301': 0.5, '302': 0.1}]
    """
    scores = check(scores)
    if metric is not None:
        scores = select(scores, metrics=[metric])
    means_only = scores.topic.values.tolist() == [ALL]
    if scores.sizes["metric"] > 1 and not means_only:
        known = ", ".join(map(str, scores.metric.values[:10]))
        raise ScoresError(
            f"a wide table has one metric; name it with --metric, one of {known}"
        )
    if means_only:
        table = scores.isel(topic=0)
    else:
        table = scores.isel(metric=0)
    columns = labels(table[table.dims[1]].values)
    values = pl.DataFrame(table.values, schema=columns).with_columns(
        pl.all().fill_nan(None)
    )
    if taken := [name for name in columns_of(columns) if name is not None]:
        raise ScoresError(
            f"a topic has a name that columns of tables have, {taken[0]!r}, and would not be read as one; rename it"
        )
    return values.insert_column(
        0, pl.Series("system", labels(scores[DIMS[0]].values), dtype=pl.String)
    )


def written(frame: pl.DataFrame) -> str:
    """Return a data frame as CSV; a text that a spreadsheet would take for a formula gets an apostrophe before it.

    `import_table` removes it again.

    >>> written(pl.DataFrame({"system": ["=cmd|' !A0'", "-1", "bm25"], "AP": [-0.5, 0.25, 0.5]})).splitlines()
    ['system,AP', "'=cmd|' !A0',-0.5", '-1,0.25', 'bm25,0.5']
    """
    texts = pl.col(pl.String)
    formula = texts.str.contains(_FORMULA) & ~texts.str.contains(_NUMBER)
    safe = frame.with_columns(
        pl.when(formula).then("'" + texts).otherwise(texts).name.keep()
    )
    named = {name: f"'{name}" for name in safe.columns if re.search(_FORMULA, name)}
    return safe.rename(named).write_csv()


def _plain(cell: str) -> str:
    """Return a cell of a CSV file without the apostrophe that kept a spreadsheet from computing it."""
    if cell.startswith("'") and re.match(_FORMULA, cell):
        return cell[1:]
    return cell


def table_in(where: Location, words: Sequence[str] = ()) -> tuple[Any, list[str]]:
    """Return the table that a file holds, a data frame or dicts of dicts, and what to say of it.

    words : which table of a document, and which collection in it.

    Raises FileFormatError for a file that holds none.
    """
    data = read_bytes(where).removeprefix(codecs.BOM_UTF8)
    try:
        if data[:4] != b"PAR1" and is_document(data):
            return printed(data.decode(), where, words)
        if words:
            raise FileFormatError(
                f"{shown(where)}: only a document in LaTeX, HTML or Markdown has tables to choose from by #"
            )
        if data[:4] == b"PAR1":
            return parquet.read(data), []
        if data[:1] in (b"{", b"["):
            held = parsed(data)
            if isinstance(held, list):
                return pl.DataFrame(held, infer_schema_length=None), []
            return held, []
        return csv_in(data.decode("utf-8-sig"), where), []
    except MALFORMED as error:
        raise FileFormatError(
            f"{shown(where)}: not a table of scores ({reason(error)}); a table is CSV with a header, Parquet, JSON, or "
            "stands in a document in LaTeX, HTML or Markdown"
        ) from error


def csv_in(text: str, where: Location) -> pl.DataFrame:
    """Read CSV whose separator is the one that its header has most of; every cell is kept as text."""
    header = text.partition("\n")[0]
    separator = max(SEPARATORS, key=header.count)
    lines = [
        (at, [_plain(cell) for cell in row])
        for at, row in _lines(text, separator)
        if any(cell.strip() for cell in row)
    ]
    if len(lines) < 2:
        raise FileFormatError(
            f"{shown(where)}: not a table; expected a header and a row below it"
        )
    names = [cell.strip() for cell in lines[0][1]]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise FileFormatError(
            f"{shown(where)}:1: more than one column is named {shortened(twice[0])!r}; rename one"
        )
    for at, row in lines[1:]:
        if len(row) != len(names):
            raise FileFormatError(
                f"{shown(where)}:{at}: {len(row)} cells, but the header has {len(names)}"
                + (
                    "; are these decimal commas? Write decimal points"
                    if separator == "," and len(row) > len(names)
                    else ""
                )
            )
    return pl.DataFrame(
        [row for _, row in lines[1:]],
        schema=dict.fromkeys(names, pl.String),
        orient="row",
    )


def _lines(text: str, separator: str) -> Iterable[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    try:
        for row in reader:
            yield reader.line_num, row
    except csv.Error as error:
        raise ValueError(str(error)) from error


def _unsuffixed(name: str) -> str:
    return next(
        (name.removesuffix(suffix) for suffix in _SUFFIXES if name.endswith(suffix)),
        name,
    )
