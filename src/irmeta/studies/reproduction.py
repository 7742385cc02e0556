"""Published figures beside ours, cell by cell, each with what can be said of it."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, get_args

import numpy as np
import polars as pl
import xarray as xr

from irmeta.attributes import about
from irmeta.choices import Status
from irmeta.result import result

COLUMNS = ("paper", "item", "row", "column", "published", "ours", "difference", "status", "note")


@dataclass(frozen=True)
class Cell:
    """One figure of a paper: where it stands, what was printed, what we get, and why they differ if they do."""

    item: str
    row: str
    column: str
    published: float | None
    ours: float | None
    status: Status
    note: str = ""
    unexpected: bool = False  # contradicted where we expect to reproduce: a fault of ours until shown otherwise


def compare(
    item: str, row: str, column: str, published: float, ours: float, *, within: float, close: float, known: str = ""
) -> Cell:
    """Make a cell: reproduced if ours is within `within` of print, close within `close`, contradicted beyond.

    known : why a contradiction is no surprise (an erratum of the paper); without it a contradiction is unexpected.

    >>> compare("Table 1", "AP", "AP", 0.63, 0.626, within=0.005, close=0.01).status
    'reproduced'
    """
    off = round(abs(ours - published), 12)
    status: Status = "reproduced" if off <= within else "close" if off <= close else "contradicted"
    return Cell(item, row, column, published, ours, status, known, status == "contradicted" and not known)


def reproduction(
    paper: str, cells: Sequence[Cell], *, options: dict[str, Any], notes: Sequence[str] = ()
) -> xr.Dataset:
    """Give the cells of a paper as a result with the dimension `cell`."""
    columns = {name: [asdict(cell)[name] for cell in cells] for name in Cell.__dataclass_fields__}
    numbers = {name: np.array(columns.pop(name), dtype=np.float64) for name in ("published", "ours")}
    data = {name: ("cell", values) for name, values in {**columns, **numbers}.items()}
    return result("reproduction", data, inputs={}, options={"paper": paper, **options}, notes=notes)


def tables(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Table `cells`: paper, item, row, column, published, ours, difference, status, note."""
    frame = pl.DataFrame({name: outcome[name].values.tolist() for name in outcome.data_vars}).with_columns(
        pl.col("published", "ours").fill_nan(None), paper=pl.lit(about(outcome)["options"]["paper"])
    )
    return {"cells": frame.with_columns(difference=pl.col("ours") - pl.col("published")).select(COLUMNS)}


def overview(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Give the figures we have, how many of each item the data do not give us, and each remark once."""
    cells = tables(outcome)["cells"]
    unchecked = (pl.col("status") == "not checkable") & pl.col("ours").is_null()
    printed = pl.col("published").map_elements(lambda value: f"{value:.6g}", return_dtype=pl.String)
    ours = cells.filter(~unchecked).select("item", "row", "column", printed, "ours", "difference", "status")
    grouped = [
        cells.filter(kept).group_by("item", "note", maintain_order=True).len("cells").select("item", "cells", "note")
        for kept in (unchecked, ~unchecked & (pl.col("note") != ""))
    ]
    views = {"cells": ours, "not checkable": grouped[0].rename({"note": "why"}), "remarks": grouped[1]}
    return {name: frame for name, frame in views.items() if frame.height}


def findings(outcome: xr.Dataset) -> list[str]:
    """Count the cells by status, and name every contradiction that has no known reason."""
    status = outcome["status"].values.astype(str)
    counts = [(int((status == name).sum()), name) for name in get_args(Status)]
    listed = ", ".join(f"{count} {name}" for count, name in counts if count)
    at = np.flatnonzero(outcome["unexpected"].values)
    places = zip(*(outcome[name].values[at].astype(str) for name in ("item", "row", "column")), strict=True)
    return [
        f"{about(outcome)['options']['paper']}: {outcome.sizes['cell']} cells: {listed}.",
        *(f"Contradicted without a known reason: {', '.join(place)}." for place in places),
    ]
