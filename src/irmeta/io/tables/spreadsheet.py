"""Score tables in files, long or wide, as cubes: CSV in any dialect of a spreadsheet, Parquet, JSON; and back, wide."""

import codecs
import math
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from difflib import SequenceMatcher
from itertools import product
from os import PathLike
from pathlib import Path
from typing import Any, Unpack

import numpy as np
import polars as pl
import xarray as xr

from irmeta.errors import FileFormatError, ScoresError
from irmeta.io.files import Location, display, read_bytes, stem
from irmeta.io.formats import parquet
from irmeta.io.formats.seals import MALFORMED
from irmeta.io.groups import TYPE
from irmeta.io.sheets import FORMULA, parse_sheet, read_pairs, read_sheet, rows_by_key
from irmeta.io.strictly import number_or_nan, parse_json, parse_json_lines
from irmeta.io.tables.printed import (
    is_document,
    read_document,
    split_fragment,
    without_marks,
)
from irmeta.metrics.names import canonical, is_known
from irmeta.scores.attributes import PRINTED, recorded
from irmeta.scores.cube import DIMS, check, from_frame_all
from irmeta.scores.names import labels
from irmeta.scores.selection import of_metric, select
from irmeta.scores.tables.frames import Named
from irmeta.scores.tables.objects import Frame
from irmeta.scores.tables.roles import ALL, SCORE, SPELLINGS, columns_of
from irmeta.words import counted, reason, shortened

_SUFFIXES = (".csv", ".tsv", ".txt", ".json", ".jsonl", ".parquet")
_TASK = ("task", *SPELLINGS["topic"])
"""Columns of a file with the type of each task."""
_MODEL = ("model", "system", "run", *SPELLINGS["system"])
_COST = ("cost", "price", "usd")
"""Columns of a file with the cost of each model."""
_FACTS = ("link", "url", "kind", "size", "date", "licence")
"""Columns of facts that the page of a board knows; others keep the capitals of their headers."""
_LINES = re.compile(rb"\s*{.*}\s*\n\s*{")
"""How JSON lines begin."""
_NUMBER = r"^[+-]?[0-9.]*(e[+-]?[0-9]+)?$"
"""A number, or a dash for a missing one: no formula."""


def import_table(
    path: str | PathLike[str],
    *,
    collection: str | None = None,
    **columns: Unpack[Named],
) -> dict[str, xr.DataArray]:
    """Read a table of scores as cubes by collection name: CSV (comma, semicolon or tab), Parquet, JSON, or a document.

    path : a file or a URL. JSON is a list of rows, JSON lines, dicts of dicts, or a comparison saved by ranx. A
    document is a paper or a page in LaTeX, HTML or Markdown; "paper.tex#2", or "#" and a label, chooses one of its
    tables.
    collection : what to call the collection of a table that has one; by default what its column says, or as the file.
    columns : what columns are called, and which have no scores, as in `irmeta.from_frame`: system, topic, metric,
    score, repeat, cluster, rows, ignore.
    """
    place, words = split_fragment(path)
    table, notes = read_table(place, words)
    left_out: list[str] = []
    if isinstance(table, pl.DataFrame):
        table, left_out = without_marks(table, _unscored_columns(table, **columns))
        notes += left_out
    try:
        cubes = from_frame_all(table, **columns)
    except ScoresError as error:
        message = "; ".join([str(error), *left_out])
        raise FileFormatError(f"{display(place)}: {message}") from error
    notes += _misspelling_notes(table, cubes, columns)
    cubes, named_metric = _with_metric_of_name(place, table, cubes)
    notes += _constant_score_notes(cubes)
    if named_metric:
        notes.append(
            f"scores are read as {named_metric}, which the file is named after; --metric names another (metric=)"
        )
    attributes = recorded({PRINTED: notes}) if notes else {}
    cubes = {name: one.assign_attrs(attributes) for name, one in cubes.items()}
    if list(cubes) == ["collection"]:
        name = _without_suffix(stem(place))
        if canonical(name) == named_metric and isinstance(place, Path):
            name = place.absolute().parent.name
        name = collection or name
        return {name: cubes["collection"].assign_attrs(collection=name)}
    if collection is not None:
        if len(cubes) > 1:
            raise FileFormatError(
                f"{display(place)}: it names {counted(len(cubes), 'collection')} itself; leave out --collection"
            )
        [only] = cubes.values()
        return {collection: only.assign_attrs(collection=collection)}
    return cubes


def _unscored_columns(table: pl.DataFrame, **given: Unpack[Named]) -> set[str | None]:
    """Return which columns hold no scores: those with a role, those left out, and the first where none has names."""
    ignore = given.get("ignore", ())
    ignored = {ignore} if isinstance(ignore, str) else {*ignore}
    kept = [name for name in table.columns if name not in ignored]
    found = columns_of(kept)._replace(score=None)
    columns: dict[str, Any] = {**given}
    named = {role: columns.get(role) for role in SPELLINGS if role != "score"}
    named_parts = ",".join(filter(None, named.values())).split(",")
    identifying = (found.system, found.topic, named["system"], named["topic"])
    row_names = [] if any(identifying) else kept[:1]
    return {*found, *named_parts, *ignored, *row_names}


def _with_metric_of_name(
    where: Location, table: Any, cubes: dict[str, xr.DataArray]
) -> tuple[dict[str, xr.DataArray], str]:
    """Return scores of no metric as those of the one that their file, or the corner of the table, is named after."""
    corner = table.columns[:1] if isinstance(table, pl.DataFrame) else []
    known = filter(is_known, [_without_suffix(stem(where)), *corner])
    by = next(map(canonical, known), "")
    if not by or any(one.metric.values.tolist() != [SCORE] for one in cubes.values()):
        return cubes, ""
    with suppress(ScoresError):  # they are no scores that it can take
        return {name: of_metric(one, by) for name, one in cubes.items()}, by
    return cubes, ""


def _misspelling_notes(
    table: Any, cubes: Mapping[str, xr.DataArray], given: Mapping[str, Any]
) -> list[str]:
    """Say which columns are read as metrics or topics though they are called almost as one of another role is.

    given : the roles whose columns are named. No such column names systems: it holds numbers.
    """
    if not isinstance(table, pl.DataFrame) or not cubes:
        return []
    found = columns_of(table.columns)._asdict()
    open_roles = {
        role: known
        for role, known in SPELLINGS.items()
        if role != "system" and found[role] is None and not given.get(role)
    }
    scores = next(iter(cubes.values()))
    return [
        f"column {name!r} is read as a {dim}; if it is the {role}, say --{role} {name!r}"
        for name, dim in product(table.columns, ("metric", "topic"))
        if name in scores.indexes[dim]
        for role, known in open_roles.items()
        if any(_one_letter_off(name.lower(), one) for one in known)
    ]


def _constant_score_notes(cubes: Mapping[str, xr.DataArray]) -> list[str]:
    """Say by which metrics all scores of several systems are the same."""
    notes = []
    for name, scores in cubes.items():
        suffix = f" of {name}" if len(cubes) > 1 else ""
        for at, metric in enumerate(scores.metric.values):
            values = scores.values[..., at]
            scored = values[~np.isnan(values).all(axis=1)]
            if len(scored) > 1 and (lowest := np.nanmin(scored)) == np.nanmax(scored):
                notes.append(
                    f"all scores by {metric}{suffix} are {lowest:g}; nothing can be compared by them"
                )
    return notes


def _one_letter_off(name: str, known: str) -> bool:
    """Say whether a letter is left out, added or another; numbered columns, task1 and task2, are no mistake.

    >>> [_one_letter_off(name, "score") for name in ("scor", "scores", "scone", "score", "f_score", "score1")]
    [True, True, True, False, False, False]
    """
    if name == known or name[-1:].isdigit() or abs(len(name) - len(known)) > 1:
        return False
    same = SequenceMatcher(None, name, known).get_matching_blocks()
    return sum(block.size for block in same) >= max(len(name), len(known)) - 1


def read_types(path: str | PathLike[str]) -> dict[str, str]:
    """Read the type of each task from a CSV whose header names a column of tasks and one of types, as in task,type."""
    return read_pairs(path, _TASK, TYPE)


def read_costs(path: str | PathLike[str]) -> dict[str, float]:
    """Read the cost of each model from a CSV whose header names a column of models and one of costs, as in model,cost.

    An empty cost is left out; what is not a number, or below 0, raises FileFormatError.
    """
    table = read_sheet(path, _MODEL, _COST)
    costs = {}
    for model, (line, [text]) in rows_by_key(table, _MODEL, _COST, holes=True).items():
        if not text:
            continue
        costs[model] = number_or_nan(text)
        if not 0 <= costs[model] < math.inf:
            raise FileFormatError(
                f"{table.where}:{line}: the cost of {shortened(model)!r} is {shortened(text)!r}; a cost "
                "is a number of 0 or more, as 0.25, without a unit; leave it empty where it is not known"
            )
    return costs


def read_about(path: str | PathLike[str] | Frame) -> dict[str, dict[str, str]]:
    """Read what models are from a CSV whose header names a column of models, as in model,link,kind,size,date,licence.

    An empty cell is left out, and .0 behind a whole number; a column url has links where none is called link. A link
    that is no address of the web, or a file of one column, raises FileFormatError.
    """
    table = read_sheet(path, _MODEL, ("link",))
    # without a column of models its name belongs in place of the first
    place = table.index_of(_MODEL) or 0
    columns = [*table.header[:place], *table.header[place + 1 :]] or ["link"]
    names = [name.lower() if name.lower() in _FACTS else name for name in columns]
    if "link" not in names:
        names = ["link" if name == "url" else name for name in names]
    about: dict[str, dict[str, str]] = {}
    rows = rows_by_key(table, _MODEL, *([name] for name in columns), holes=True)
    for model, (line, cells) in rows.items():
        texts = [re.sub(r"^(\d+)\.0$", r"\1", cell) for cell in cells]
        facts = zip(names, texts, strict=True)
        about[model] = {name: text for name, text in facts if text}
        require_link(f"{table.where}:{line}", model, about[model])
    return about


def require_link(where: str, model: str, facts: Mapping[str, str]) -> None:
    """Raise FileFormatError if the link of a model is no address of the web."""
    link = facts.get("link", "https://")
    if not link.startswith(("https://", "http://")):
        raise FileFormatError(
            f"{where}: the link of {shortened(model)!r} is {shortened(link)!r}; "
            "a link begins with https://"
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
        metric_names = ", ".join(map(str, scores.metric.values[:10]))
        raise ScoresError(
            f"a wide table has one metric; name it with --metric, one of {metric_names}"
        )
    table = scores.isel(topic=0) if means_only else scores.isel(metric=0)
    columns = labels(table[table.dims[1]].values)
    values = pl.DataFrame(table.values, schema=columns).with_columns(
        pl.all().fill_nan(None)
    )
    if reserved := [name for name in columns_of(columns) if name is not None]:
        raise ScoresError(
            f"a topic has a name that columns of tables have, {reserved[0]!r}, and would not be read as one; rename it"
        )
    return values.insert_column(
        0, pl.Series("system", labels(scores[DIMS[0]].values), dtype=pl.String)
    )


def safe_csv(frame: pl.DataFrame) -> str:
    """Return a data frame as CSV; a text that a spreadsheet would take for a formula gets an apostrophe before it.

    `import_table` removes it again.

    >>> safe_csv(pl.DataFrame({"system": ["=cmd|' !A0'", "-1", "bm25"], "AP": [-0.5, 0.25, 0.5]})).splitlines()
    ['system,AP', "'=cmd|' !A0',-0.5", '-1,0.25', 'bm25,0.5']
    """
    texts = pl.col(pl.String)
    formula = texts.str.contains(FORMULA) & ~texts.str.contains(_NUMBER)
    safe = frame.with_columns(
        pl.when(formula).then("'" + texts).otherwise(texts).name.keep()
    )
    named = {name: f"'{name}" for name in safe.columns if re.search(FORMULA, name)}
    return safe.rename(named).write_csv()


def read_table(where: Location, words: Sequence[str] = ()) -> tuple[Any, list[str]]:
    """Return the table that a file holds, a data frame or dicts of dicts, and what to say of it.

    words : which table of a document, and which collection in it.

    Raises FileFormatError for a file that holds none.
    """
    data = read_bytes(where).removeprefix(codecs.BOM_UTF8)
    is_parquet = data.startswith(parquet.MAGIC)
    try:
        if not is_parquet and is_document(data):
            return read_document(data.decode(), where, words)
        if words:
            raise FileFormatError(
                f"{display(where)}: only a document in LaTeX, HTML or Markdown has tables to choose from by #"
            )
        if is_parquet:
            return parquet.read(data), []
        if data.lstrip()[:1] in (b"{", b"["):
            in_lines = stem(where).endswith(".jsonl") or _LINES.match(data)
            document = parse_json_lines(data) if in_lines else parse_json(data)
            if isinstance(document, list):
                return pl.DataFrame(document, infer_schema_length=None), []
            return document, []
        return parse_csv(data, where), []
    except MALFORMED as error:
        raise FileFormatError(
            f"{display(where)}: not a table of scores ({reason(error)}); a table is CSV with a header, Parquet, JSON, "
            "or stands in a document in LaTeX, HTML or Markdown"
        ) from error


def parse_csv(data: bytes, where: Location) -> pl.DataFrame:
    """Read CSV in any dialect; every cell is kept as text. Bytes that are not UTF-8 raise ValueError."""
    data.decode()
    table = parse_sheet(data, display(where))
    return pl.DataFrame(
        [row for _, row in table.rows],
        schema=dict.fromkeys(table.header, pl.String),
        orient="row",
    )


def _without_suffix(name: str) -> str:
    return next(
        (name.removesuffix(suffix) for suffix in _SUFFIXES if name.endswith(suffix)),
        name,
    )
