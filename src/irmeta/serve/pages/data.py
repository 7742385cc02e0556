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


def files(shot: Snapshot, found: Standing) -> Iterator[tuple[str, bytes]]:
    """Write a board's data, the largest file last: then what the others needed is free."""
    if found.unranked is not None:
        yield "unranked.parquet", answers.as_parquet(found.unranked)
        yield "unranked.csv", _scores(found.unranked)
    if found.cube is not None:
        yield "scores.parquet", answers.as_parquet(found.cube)
    rows = [_row(found, line) for line in found.lines.values()]
    columns = rows[0] if rows else {}
    yield "table.csv", as_csv(columns, [tuple(row.values()) for row in rows])
    yield "topics.csv", topics(shot, found)
    if found.factors is not None:
        yield "factors.parquet", answers.as_parquet(found.factors)
    yield "board.json", as_json(_board(shot, found))
    if found.cube is not None:
        yield "scores.csv", _scores(found.cube)


def topics(shot: Snapshot, found: Standing) -> bytes:
    """Write the topics that runs have scores on, in the order of the scores, each with its cluster."""
    clusters = zip(found.topics, found.clusters, strict=True)
    named = clusters if shot.board.clusters else ((one, "") for one in found.topics)
    return as_csv(("topic", "cluster"), named)


def _scores(cube: xr.DataArray) -> bytes:
    """Write a row for each score."""
    text = BytesIO()
    for start in range(0, cube.sizes["system"], BLOCK):
        rows = _rows(cube.isel(system=slice(start, start + BLOCK)))
        rows.write_csv(text, include_header=start == 0)
    return text.getvalue()


def _rows(cube: xr.DataArray) -> pl.DataFrame:
    index = np.indices(cube.shape).reshape(cube.ndim, -1)
    columns = {
        str(dim): pl.Series([cell(str(one)) for one in cube[dim].values])[at]
        for dim, at in zip(cube.dims, index, strict=True)
    }
    columns["score"] = pl.Series(cube.values.ravel()).fill_nan(None)
    return pl.DataFrame(columns)


def _row(found: Standing, line: Line) -> dict[str, Any]:
    """Return a row of the table."""
    about = line.about
    none = Interval(float("nan"))
    first = line.scores.get(found.metric, none)
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
    row |= {"metric": found.metric, **_named("mean", first)}
    row |= {name: line.standing.get(name) for name in STANDING}
    return row | {name: line.scores.get(name, none).value for name in found.metrics[1:]}


def _named(name: str, one: Interval | Difference) -> dict[str, float]:
    """Return an interval as programs know it."""
    return {name: one.value, "low": one.low, "high": one.high}


def record(shot: Snapshot, found: Standing, line: Line) -> bytes:
    """Write what is known of a run, for programs."""
    behind: dict[str, Any] = {}
    if line.behind is not None:
        behind = {"best": found.ranked[0].key, **_named("difference", line.behind)}
    content = {
        "format": "irmeta run 1",
        "irmeta": VERSION,
        "board": shot.board.key,
        "version": shot.board.version,
        **_alone(found, line),
        "of": len(found.ranked),
        **{name: getattr(line, name) for name in RANKS},
        "standing": line.standing,
        "behind": behind or None,
    }
    return as_json(content)


def alone(found: Standing, line: Line) -> bytes:
    """Return a digest of what is known of a run by itself: it stays while other runs come."""
    # the ends of its intervals follow from all runs
    means = {name: one.value for name, one in line.scores.items()}
    return hashlib.sha256(as_json(_alone(found, line) | {"scores": means})).digest()


def _alone(found: Standing, line: Line) -> dict[str, Any]:
    """Return what is known of a run by itself, and against its baseline."""
    base = line.baseline
    claim: dict[str, Any] = {}
    if base is not None and line.claim is not None:
        claim = {"baseline": base.key, "name": base.label}
        claim |= _named("difference", line.claim) | {"shown": line.claim.shown}
    return {
        "judgments": found.version,
        **_said(line),
        "metric": found.metric,
        "scores": {name: _named("mean", one) for name, one in line.scores.items()},
        "claim": claim or None,
    }


def _said(line: Line) -> dict[str, Any]:
    """Return what people and checks say of a run."""
    return {**only(SAID, line.about), "bytes": line.about["bytes"], "label": line.label}


def for_others(settings: Any, shot: Snapshot, found: Standing, line: Line) -> bytes:
    """Write a run's scores as a record of Every Eval Ever, with where its certificate is."""
    of = shot.board
    page = f"/b/{of.key}/s/{line.key}/"
    rows = [
        {"metric": name, "mean": one.value, "low": one.low, "high": one.high}
        | (only(RANKS, vars(line)) if name == found.metric and line.rank_low else {})
        for name, one in line.scores.items()
    ]
    vectors = {name: found.vectors[line.key][name] for name in line.scores}
    content = answers.eee(
        f"{line.about['team']}/{line.label}" if line.about["team"] else line.label,
        of.collection,
        rows,
        vectors,
        over="clusters of items" if of.clusters else "items",
        at=of.changed / 1e6,
        source=settings.title,
        details={
            "certificate": f"{settings.address}{page}",
            "board_version": str(of.version),
            "judgments_version": str(found.version),
            "run_sha256": line.about["run"],
            "marks": ", ".join(line.about["marks"]),
        },
    )
    return as_json(content)


def resource(name: str, content: bytes, digest: str) -> dict[str, Any]:
    """Describe a file of the data, and the columns of a table, as a resource of a Data Package (Frictionless)."""
    short = re.sub(r"[^a-z0-9._-]+", "-", name.lower())
    about: dict[str, Any] = {"name": short, "path": name, "bytes": len(content)}
    about["hash"] = f"sha256:{digest}"
    if not name.endswith(".csv"):
        return about
    [columns] = csv.reader([content.split(b"\n", 1)[0].decode()])
    fields = [
        {"name": one, "type": "string" if one in TEXTS else "number"} for one in columns
    ]
    table = {"profile": "tabular-data-resource", "format": "csv", "encoding": "utf-8"}
    return about | table | {"schema": {"fields": fields}}


def package(shot: Snapshot, resources: list[dict[str, Any]]) -> bytes:
    """Describe the data as a Data Package (Frictionless)."""
    of = shot.board
    content = {"profile": "data-package", "name": of.key, "title": of.title}
    content |= {"version": str(of.version), "resources": resources}
    if of.licence:
        content["licenses"] = [{"name": "other", "title": of.licence}]
    return as_json(content)


def _promised(shot: Snapshot, judged: Any) -> dict[str, Any]:
    """Return what is known of judgments: of hidden ones no digest at which somebody could guess."""
    hidden = not is_open(shot.board)
    digest = judged.commitment if hidden else judged.digest
    salt = {"salt": judged.salt} if shot.tells_judgments else {}
    return only(JUDGMENTS, judged._mapping) | {"digest": digest} | salt


def _board(shot: Snapshot, found: Standing) -> dict[str, Any]:
    """Return all that is public of a board: another site can be made of it."""
    lines = found.lines
    return {
        "format": "irmeta board 1",
        "irmeta": VERSION,
        "finding": found.finding,
        "board": only(SETTINGS, shot.board._mapping),
        "judgments": [_promised(shot, one) for one in shot.versions],
        "scored_under": found.version,
        "runs": [_said(lines[run.key]) for run in shot.runs if run.key in lines],
        "events": [only(EVENTS, one._mapping) for one in shot.events],
        "counts": shot.counts,
    }
