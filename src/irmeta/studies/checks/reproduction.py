"""Published figures beside ours, cell by cell, each with what can be said of it and the rule that says so."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, get_args

import numpy as np
import polars as pl
import xarray as xr

from irmeta import words
from irmeta.choices import Status
from irmeta.scores.attributes import about
from irmeta.scores.figures import first_rows
from irmeta.scores.result import result

COLUMNS = (
    "paper",
    "item",
    "row",
    "column",
    "published",
    "ours",
    "difference",
    "rule",
    "status",
    "note",
)
COMMENTED = "(commented out)"
"""Ends the item of a table that stands in the source of a paper and not in print."""
PORT = "(a port)"
"""Ends the item of figures that the authors' code gives, which no paper prints."""
_DOUBTFUL: tuple[Status, ...] = ("contradicted", "open")
_ORDER = {
    name: at
    for at, name in enumerate((*_DOUBTFUL, "reproduced", "ours", "not checkable"))
}
_WHOLE = "-o FILE.csv or --format json"


@dataclass(frozen=True)
class Cell:
    """One figure of a paper: where it stands, what was printed, what we get, and by which rule they agree.

    unexpected : contradicted where we expect to reproduce: a fault of ours until shown otherwise
    """

    item: str
    row: str
    column: str
    published: float | None
    ours: float | None
    status: Status
    note: str = ""
    rule: str = ""
    unexpected: bool = False


def compare(
    item: str,
    row: str,
    column: str,
    published: float,
    ours: float,
    *,
    within: float,
    known: str = "",
    note: str = "",
) -> Cell:
    """Make a cell of a printed figure: reproduced if ours is within `within` of print, else contradicted.

    known : why a contradiction is no surprise (an erratum of the paper); without it a contradiction is unexpected

    >>> compare("Table 1", "AP", "AP", 0.63, 0.626, within=0.005).status
    'reproduced'
    """
    holds = round(abs(ours - published), 12) <= within
    rule = f"within {within:.3g}"
    return _judged_cell(
        item, row, column, published, ours, rule, note, known, holds=holds
    )


def claim(
    item: str,
    row: str,
    column: str,
    ours: float,
    *,
    said: str,
    least: float = -np.inf,
    most: float = np.inf,
    interval: tuple[float, float] | None = None,
    exact: str = "",
    known: str = "",
) -> Cell:
    """Make a cell of a sentence: reproduced if ours lies from `least` to `most`, which is what the sentence says.

    A sentence says a sign where 0 is its only bound. Raises ValueError for a sign with neither of the two:
    interval : the 95% interval of ours; the cell is open if the interval holds 0
    exact : why no other topics or systems could change the sign: it is of a count, or of printed figures

    >>> claim("Section 5", "T7 with R03", "quantile", 0.98, said="beyond the 99th percentile", least=0.99).status
    'contradicted'
    """
    bounds = {"at least": least, "at most": most}
    bounds = {word: end for word, end in bounds.items() if np.isfinite(end)}
    rule = " and ".join(f"{word} {end:.4g}" for word, end in bounds.items())
    note = f"text: {said}"
    if list(bounds.values()) == [0] and interval is None and not exact:
        raise ValueError(f"{item}, {row}, {column}: a sign needs its interval")
    if exact:
        note = f"{note} ({exact})"
    if interval is not None and interval[0] <= 0 <= interval[1]:
        reasons = "; ".join(reason for reason in (note, known) if reason)
        return Cell(item, row, column, None, float(ours), "open", reasons, rule)
    holds = least - 1e-9 <= ours <= most + 1e-9
    return _judged_cell(item, row, column, None, ours, rule, note, known, holds=holds)


def ours_only(item: str, row: str, column: str, ours: float, note: str = "") -> Cell:
    """Make a cell of a figure that has no print to be held to."""
    return Cell(item, row, column, None, float(ours), "ours", note)


def lacking(
    item: str,
    row: str,
    column: str,
    why: str,
    *,
    published: float | None = None,
    ours: float | None = None,
) -> Cell:
    """Make a cell that is not checkable. why : the data that are missing.  ours : what a stand-in gives."""
    return Cell(item, row, column, published, ours, "not checkable", why)


def _judged_cell(
    item: str,
    row: str,
    column: str,
    published: float | None,
    ours: float,
    rule: str,
    note: str,
    known: str,
    *,
    holds: bool,
) -> Cell:
    """Make the cell of a figure that holds or not; one that does not, for no reason that is known, is a failure."""
    status: Status = "reproduced" if holds else "contradicted"
    reasons = [note] if holds else [note, known]
    said = "; ".join(filter(None, reasons))
    fails = not holds and not known
    return Cell(item, row, column, published, float(ours), status, said, rule, fails)


def reproduction(
    paper: str,
    cells: Sequence[Cell],
    *,
    options: dict[str, Any],
    notes: Sequence[str] = (),
) -> xr.Dataset:
    """Return the cells of a paper as a result with the dimension `cell`."""
    columns = {
        field.name: [getattr(cell, field.name) for cell in cells]
        for field in fields(Cell)
    }
    numbers = {
        name: np.array(columns.pop(name), dtype=np.float64)
        for name in ("published", "ours")
    }
    data = {name: ("cell", values) for name, values in {**columns, **numbers}.items()}
    return result(
        "reproduction",
        data,
        inputs={},
        options={"paper": paper, **options},
        notes=notes,
    )


def tables(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Table `cells`: paper, item, row, column, published, ours, difference, rule, status, note."""
    frame = pl.DataFrame(
        {name: outcome[name].values.tolist() for name in outcome.data_vars}
    ).with_columns(
        pl.col("published", "ours").fill_nan(None),
        paper=pl.lit(about(outcome)["options"]["paper"]),
    )
    difference = pl.col("ours") - pl.col("published")
    return {"cells": frame.with_columns(difference=difference).select(COLUMNS)}


def overview(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Show how each item comes out, the first figures, contradicted and open ones before others, and reasons."""
    cells = tables(outcome)["cells"].with_columns(
        figure=pl.concat_str("item", "row", "column", separator=", ")
    )
    unchecked = (pl.col("status") == "not checkable") & pl.col("ours").is_null()
    doubtful = cells.filter(pl.col("status").is_in(_DOUBTFUL))
    grouped = (
        cells.filter(unchecked)
        .group_by("item", "note", maintain_order=True)
        .len("cells")
    )
    views = {
        "items": _status_counts(cells),
        **first_rows("figures", _open_first(cells.filter(~unchecked))),
        "contradicted or open": doubtful.select("figure", "note"),
        **first_rows("not checkable", grouped.select("item", "cells", why="note")),
    }
    return {
        re.sub(r"--table [\w ]+", _WHOLE, name): frame
        for name, frame in views.items()
        if frame.height
    }


def _status_counts(cells: pl.DataFrame) -> pl.DataFrame:
    """Count the cells of each item by status."""
    there = [status for status in get_args(Status) if status in cells["status"]]
    counts = [(pl.col("status") == status).sum().alias(status) for status in there]
    return cells.group_by("item", maintain_order=True).agg(
        pl.len().alias("cells"), *counts
    )


def _open_first(cells: pl.DataFrame) -> pl.DataFrame:
    """Put figures that are contradicted or open first, then those that are reproduced; the others follow."""
    order = pl.col("status").replace_strict(_ORDER, return_dtype=pl.Int8)
    printed = pl.col("published").map_elements("{:.6g}".format, return_dtype=pl.String)
    return cells.sort(order, maintain_order=True).select(
        "figure", printed, "ours", "status"
    )


def findings(outcome: xr.Dataset) -> list[str]:
    """Count the cells by status, and name every contradiction that has no known reason."""
    status = outcome["status"].values.astype(str)
    counts = [(int((status == name).sum()), name) for name in get_args(Status)]
    listed = ", ".join(f"{count} {name}" for count, name in counts if count)
    at = np.flatnonzero(outcome["unexpected"].values)
    places = zip(
        *(outcome[name].values[at].astype(str) for name in ("item", "row", "column")),
        strict=True,
    )
    return [
        f"{about(outcome)['options']['paper']}: {outcome.sizes['cell']} cells: {listed}.",
        *_kind_sentences(outcome),
        *(
            f"Figures contradicted without a known reason: {', '.join(place)}."
            for place in places
        ),
    ]


def counts_by_kind(outcome: xr.Dataset) -> dict[str, tuple[int, int]]:
    """Count by kind, printed or sentences or one of `_MARKED`, the cells and those of them that are reproduced."""
    found: dict[str, tuple[int, int]] = {}
    for cell in tables(outcome)["cells"].iter_rows(named=True):
        printed = cell["published"] is not None
        if not printed and not (cell["note"] or "").startswith("text: "):
            continue
        # what ends in a mark is of its kind, whether printed or not
        kind = "printed" if printed else "sentences"
        for name, mark in _MARKED.items():
            if cell["item"].endswith(mark):
                kind = name
        count, held = found.get(kind, (0, 0))
        found[kind] = (count + 1, held + (cell["status"] == "reproduced"))
    names = ("printed", "sentences", *_MARKED)
    return {name: found[name] for name in names if name in found}


_MARKED = {"commented out": COMMENTED, "of the authors' code": PORT}
"""Kinds of figures whose items end in a mark."""


def _kind_sentences(outcome: xr.Dataset) -> list[str]:
    """Say how many numbers are printed, and how many sentences there are, apart."""
    names = {
        "printed": "printed numbers",
        "sentences": "sentences",
        "commented out": "numbers of tables that the source comments out",
        "of the authors' code": "numbers of a port of the authors' code, which no paper prints",
    }
    found = counts_by_kind(outcome)
    if not found:
        return []
    said = [f"{held} of {count} {names[kind]}" for kind, (count, held) in found.items()]
    return [f"Reproduced: {words.listed(said)}."]
