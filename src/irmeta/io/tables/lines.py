"""Score tables with a score on each line, as ir_measures, TREC Auto-Judge and others write them, as cubes."""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import product
from typing import Any

import polars as pl
import xarray as xr

from irmeta.errors import FileFormatError
from irmeta.io.files import Location, read_bytes, stem
from irmeta.io.sheets import read_sheet
from irmeta.io.strictly import fields, lines, parse_json, stripped
from irmeta.io.tables.matrices import Paths, cube_of_tables, read_score, score_table
from irmeta.scores.tables.roles import ALL

RUN = ("run_id", "run", "system", "runid", "name")
TOPIC = ("topic_id", "query_id", "topic", "query", "qid")
MEASURE = ("measure", "metric")
VALUE = ("value", "score")
"""The keys under which JSON lines may hold these; the first found is taken."""
_SUFFIXES = (".txt", ".tsv", ".csv", ".jsonl", ".json", ".eval")
_HEADS = [set(names) for names in product(TOPIC, MEASURE, VALUE)]
"""Headers of a table of one system; pandas writes an index without a name before them."""

_Row = tuple[str, str, str, float]
Order = Callable[[Sequence[str], str], Sequence[str]]
"""Puts the fields of a line into the order run, topic, measure, value; it is told the name of the system, too."""


def import_ir_measures(paths: Paths, *, collection: str = "collection") -> xr.DataArray:
    """Read what ir_measures prints by topic: topic, measure and value, a file for each system; or run before these.

    A system is named by its file where lines have three fields, and where a CSV of what `iter_calc` yields has the
    header query_id,measure,value. Means under `all` are left out where there are topics.

    paths : files, folders, globs or URLs of them.  collection : what to call the collection.
    """
    return cube_of_tables(paths, _read_ir_measures, collection)


def import_tot(paths: Paths, *, collection: str = "collection") -> xr.DataArray:
    """Read the `tot` tables of TREC Auto-Judge: run, measure, topic and value on each line.

    paths : files, folders or globs. collection : the name of the collection.
    """
    return cube_of_tables(paths, partial(_read_fields, order=_order_tot), collection)


def import_jsonl(paths: Paths, *, collection: str = "collection") -> xr.DataArray:
    """Read JSON lines with run_id, topic_id, measure and value, as TREC Auto-Judge and ir_measures write them.

    Without a run, systems are named by their files; without a topic, a line is a mean.

    paths : files, folders, globs or URLs of them.  collection : what to call the collection.
    """
    return cube_of_tables(paths, _read_json_lines, collection)


def _read_ir_measures(path: Location) -> pl.DataFrame:
    """Read lines of fields, or a table whose header names topic, measure and value."""
    _, head = next(_numbered_lines(path), (0, ""))
    names = {stripped(name).lower() for name in re.split("[,;\t]", head)}
    if names - {""} not in _HEADS:
        return _read_fields(path, order=_order_ir_measures)
    table = read_sheet(path, TOPIC, MEASURE, VALUE)
    columns = [table.index_of(names) or 0 for names in (TOPIC, MEASURE, VALUE)]
    rows: list[_Row] = []
    for line, cells in table.rows:
        topic, measure, value = (stripped(cells[at]) for at in columns)
        score = read_score(value, f"{path}:{line}")
        rows.append((_system_name(path), topic, measure, score))
    return _require_rows(rows, path)


def _order_ir_measures(fields: Sequence[str], name: str) -> Sequence[str]:
    """Return run, topic, measure and value of a line of 3 or 4 fields; name : the run where there are 3."""
    if len(fields) == 3:
        topic, measure, value = fields
        return name, topic, measure, value
    if len(fields) == 4:
        return fields
    raise ValueError(
        f"{len(fields)} fields, expected 3 (topic measure value) or 4 (run topic measure value)"
    )


def _order_tot(fields: Sequence[str], name: str) -> Sequence[str]:
    del name  # each line says its run
    if len(fields) != 4:
        raise ValueError(f"{len(fields)} fields, expected 4 (run measure topic value)")
    run, measure, topic, value = fields
    return run, topic, measure, value


def _read_fields(path: Location, order: Order) -> pl.DataFrame:
    """Read lines of fields."""
    rows: list[_Row] = []
    system = _system_name(path)
    for number, line in _numbered_lines(path):
        parts = line.split("\t") if "\t" in line else fields(line)
        try:
            run, topic, measure, value = map(stripped, order(parts, system))
        except ValueError as error:
            raise FileFormatError(f"{path}:{number}: {error}: {line[:60]!r}") from None
        rows.append((run, topic, measure, read_score(value, f"{path}:{number}")))
    return _require_rows(rows, path)


def _read_json_lines(path: Location) -> pl.DataFrame:
    """Return the scores in a file of JSON lines."""
    rows: list[_Row] = []
    system = _system_name(path)
    for number, line in _numbered_lines(path):
        try:
            record = parse_json(line)
        except ValueError as error:
            raise FileFormatError(
                f"{path}:{number}: not a line of JSON ({error})"
            ) from None
        if not isinstance(record, dict):
            raise FileFormatError(
                f"{path}:{number}: expected a JSON object with {', '.join(MEASURE)} and {VALUE[0]}"
            )
        run = _first_value(record, RUN, system)
        topic = _first_value(record, TOPIC, ALL)
        measure = _first_value(record, MEASURE)
        value = _first_value(record, VALUE)
        if measure is None or value is None:
            lacking = MEASURE[0] if measure is None else VALUE[0]
            raise FileFormatError(
                f"{path}:{number}: it lacks {lacking!r}; it has {', '.join(map(str, record))}"
            )
        score = read_score(str(value), f"{path}:{number}")
        rows.append((str(run), str(topic), str(measure), score))
    return _require_rows(rows, path)


def _first_value(
    record: dict[str, Any], keys: Sequence[str], otherwise: str | None = None
) -> Any:
    """Return what stands under the first of these keys that there is."""
    return next((record[key] for key in keys if key in record), otherwise)


def _numbered_lines(path: Location) -> Iterator[tuple[int, str]]:
    """Yield the lines that are not blank, with their numbers."""
    yield from (
        (number, line)
        for number, line in enumerate(lines(read_bytes(path)), 1)
        if stripped(line)
    )


def _require_rows(rows: Sequence[_Row], path: Location) -> pl.DataFrame:
    if not rows:
        raise FileFormatError(f"{path}: the file is empty; expected scores")
    return score_table(rows, path)


def _system_name(path: Location) -> str:
    name = stem(path)
    for suffix in _SUFFIXES:
        name = name.removesuffix(suffix)
    return name
