"""A board as data: scores, the table, the record of each run, and all that is public."""

import csv
import hashlib
import re
from collections.abc import Iterator
from io import BytesIO
from typing import Any

import numpy as np
import polars as pl
import xarray as xr

import irmeta
from irmeta.serve.catalogue.rules import clock
from irmeta.serve.catalogue.snapshot import (
    EVENTS,
    JUDGMENTS,
    SAID,
    SETTINGS,
    Snapshot,
    only,
)
from irmeta.serve.pages.forms import as_csv, as_json, cell
from irmeta.serve.policy import is_open
from irmeta.serve.results import answers
from irmeta.serve.results.answers import STANDING, Difference, Interval
from irmeta.serve.results.standing import Line, Standing

BLOCK = 500
"""Runs whose scores are written together."""
VERSION = irmeta.__version__
RANKS = ("rank", "rank_low", "rank_high")
TEXTS = {
    *("key", "run", "team", "type", "received", "state", "marks", "metric"),
    *("system", "topic", "cluster"),
}
"""Columns of tables that are texts; others are numbers."""


def data_files(shot: Snapshot, standing: Standing) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a board's data, name and bytes, the largest last: then what the others needed is free."""
    if standing.unranked is not None:
        yield "unranked.parquet", answers.as_parquet(standing.unranked)
        yield "unranked.csv", _scores_csv(standing.unranked)
    if standing.cube is not None:
        yield "scores.parquet", answers.as_parquet(standing.cube)
    rows = [_table_row(standing, line) for line in standing.lines.values()]
    columns = rows[0] if rows else {}
    yield "table.csv", as_csv(columns, [tuple(row.values()) for row in rows])
    yield "topics.csv", topics_csv(shot, standing)
    if standing.factors is not None:
        yield "factors.parquet", answers.as_parquet(standing.factors)
    yield "board.json", as_json(_public_board(shot, standing))
    if standing.cube is not None:
        yield "scores.csv", _scores_csv(standing.cube)


def topics_csv(shot: Snapshot, standing: Standing) -> bytes:
    """Return a CSV of the topics that runs have scores on, in the order of the scores, each with its cluster."""
    clusters = zip(standing.topics, standing.clusters, strict=True)
    alone = ((topic, "") for topic in standing.topics)
    return as_csv(("topic", "cluster"), clusters if shot.board.clusters else alone)


def _scores_csv(cube: xr.DataArray) -> bytes:
    """Return a CSV with a row for each score of a cube."""
    text = BytesIO()
    for start in range(0, cube.sizes["system"], BLOCK):
        rows = _score_rows(cube.isel(system=slice(start, start + BLOCK)))
        rows.write_csv(text, include_header=start == 0)
    return text.getvalue()


def _score_rows(cube: xr.DataArray) -> pl.DataFrame:
    """Return a row for each score of a cube: its labels, and the score."""
    index = np.indices(cube.shape).reshape(cube.ndim, -1)
    columns = {
        str(dim): pl.Series([cell(str(name)) for name in cube[dim].values])[at]
        for dim, at in zip(cube.dims, index, strict=True)
    }
    columns["score"] = pl.Series(cube.values.ravel()).fill_nan(None)
    return pl.DataFrame(columns)


def _table_row(standing: Standing, line: Line) -> dict[str, Any]:
    """Return the row of a run in table.csv, by the names of the columns."""
    about = line.about
    none = Interval(float("nan"))
    first = line.scores.get(standing.metric, none)
    row: dict[str, Any] = {
        "key": line.key,
        "run": line.label,
        "team": about["team"],
        "type": about["type"],
        "received": clock(about["received"]),
        "state": about["state"],
        "marks": ", ".join(about["marks"]),
    }
    row |= {name: getattr(line, name) for name in RANKS}
    row |= {"metric": standing.metric, **_named_interval("mean", first)}
    row |= {name: line.standing.get(name) for name in STANDING}
    return row | {
        name: line.scores.get(name, none).value for name in standing.metrics[1:]
    }


def _named_interval(name: str, interval: Interval | Difference) -> dict[str, float]:
    """Return an interval by names, its value under the name given."""
    return {name: interval.value, "low": interval.low, "high": interval.high}


def run_record(shot: Snapshot, standing: Standing, line: Line) -> bytes:
    """Return all that is known of a run, as JSON (record.json)."""
    behind: dict[str, Any] = {}
    if line.behind is not None:
        behind = {
            "best": standing.ranked[0].key,
            **_named_interval("difference", line.behind),
        }
    content = {
        "format": "irmeta run 1",
        "irmeta": VERSION,
        "board": shot.board.key,
        "version": shot.board.version,
        **_run_alone(standing, line),
        "of": len(standing.ranked),
        **{name: getattr(line, name) for name in RANKS},
        "standing": line.standing,
        "behind": behind or None,
    }
    return as_json(content)


def digest_of_run_alone(standing: Standing, line: Line) -> bytes:
    """Return a digest of what is known of a run by itself: it stays while other runs come."""
    # the ends of its intervals follow from all runs
    means = {name: mean.value for name, mean in line.scores.items()}
    return hashlib.sha256(
        as_json(_run_alone(standing, line) | {"scores": means})
    ).digest()


def _run_alone(standing: Standing, line: Line) -> dict[str, Any]:
    """Return what is known of a run by itself, and against its baseline."""
    base = line.baseline
    claim: dict[str, Any] = {}
    if base is not None and line.claim is not None:
        claim = {"baseline": base.key, "name": base.label}
        claim |= _named_interval("difference", line.claim) | {"shown": line.claim.shown}
    return {
        "judgments": standing.version,
        **_said_of_run(line),
        "metric": standing.metric,
        "scores": {
            name: _named_interval("mean", mean) for name, mean in line.scores.items()
        },
        "claim": claim or None,
    }


def _said_of_run(line: Line) -> dict[str, Any]:
    """Return what people and checks say of a run."""
    return {**only(SAID, line.about), "bytes": line.about["bytes"], "label": line.label}


def eee_json(settings: Any, shot: Snapshot, standing: Standing, line: Line) -> bytes:
    """Return a run's scores as a record of Every Eval Ever in JSON, with where its certificate is."""
    board = shot.board
    page = f"/b/{board.key}/s/{line.key}/"
    rows = [
        {"metric": name, **_named_interval("mean", mean)}
        for name, mean in line.scores.items()
    ]
    if line.rank_low:  # the first metric ranks
        rows[0] |= only(RANKS, vars(line))
    vectors = {name: standing.vectors[line.key][name] for name in line.scores}
    content = answers.eee_record(
        f"{line.about['team']}/{line.label}" if line.about["team"] else line.label,
        board.collection,
        rows,
        vectors,
        over="clusters of items" if board.clusters else "items",
        evaluated=board.changed / 1e6,
        source=settings.title,
        details={
            "certificate": f"{settings.address}{page}",
            "board_version": str(board.version),
            "judgments_version": str(standing.version),
            "run_sha256": line.about["run"],
            "marks": ", ".join(line.about["marks"]),
        },
    )
    return as_json(content)


def describe_file(name: str, content: bytes, digest: str) -> dict[str, Any]:
    """Describe a file of the data, and the columns of a table, as a resource of a Data Package (Frictionless)."""
    short = re.sub(r"[^a-z0-9._-]+", "-", name.lower())
    about: dict[str, Any] = {"name": short, "path": name, "bytes": len(content)}
    about["hash"] = f"sha256:{digest}"
    if not name.endswith(".csv"):
        return about
    [columns] = csv.reader([content.split(b"\n", 1)[0].decode()])
    fields = [
        {"name": name, "type": "string" if name in TEXTS else "number"}
        for name in columns
    ]
    table = {"profile": "tabular-data-resource", "format": "csv", "encoding": "utf-8"}
    return about | table | {"schema": {"fields": fields}}


def describe_package(shot: Snapshot, resources: list[dict[str, Any]]) -> bytes:
    """Return the description of the data as a Data Package (Frictionless), in JSON."""
    board = shot.board
    content = {"profile": "data-package", "name": board.key, "title": board.title}
    content |= {"version": str(board.version), "resources": resources}
    if board.licence:
        content["licenses"] = [{"name": "other", "title": board.licence}]
    return as_json(content)


def _judgment_facts(shot: Snapshot, judged: Any) -> dict[str, Any]:
    """Return what is known of judgments: of hidden ones no digest at which somebody could guess."""
    hidden = not is_open(shot.board)
    digest = judged.commitment if hidden else judged.digest
    salt = {"salt": judged.salt} if shot.tells_judgments else {}
    return only(JUDGMENTS, judged._mapping) | {"digest": digest} | salt


def _public_board(shot: Snapshot, standing: Standing) -> dict[str, Any]:
    """Return all that is public of a board: another site can be made of it."""
    lines = standing.lines
    return {
        "format": "irmeta board 1",
        "irmeta": VERSION,
        "finding": standing.finding,
        "board": only(SETTINGS, shot.board._mapping),
        "judgments": [_judgment_facts(shot, judged) for judged in shot.versions],
        "scored_under": standing.version,
        "runs": [_said_of_run(lines[run.key]) for run in shot.runs if run.key in lines],
        "events": [only(EVENTS, event._mapping) for event in shot.events],
        "counts": shot.counts,
    }
