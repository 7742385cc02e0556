"""Papers' published figures beside ours, as one self-contained page."""

import re
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from typing import Any, get_args

import xarray as xr

from irmeta.choices import MEANINGS, Status
from irmeta.report.page.templates import asset, script_hashes, template
from irmeta.scores.attributes import about
from irmeta.studies.checks.reproduction import findings, tables

_PAGE = "reproduction.html.j2"
GENERATOR = "irmeta reproduce"
"""Marks a page of ours."""
WIDEST = 13
"""The most columns that are laid out as the paper's table was; wider or patchy ones become a list."""

Cell = dict[str, Any]


def page(papers: Iterable[tuple[str, xr.Dataset]]) -> str:
    """Return the page of papers, each a title and the outcome of its reproduction."""
    return template(_PAGE).render(
        papers=[_paper_facts(title, outcome) for title, outcome in papers],
        meaning=MEANINGS[Status],
        version=version("irmeta"),
        generator=GENERATOR,
        hashes=script_hashes(*re.findall("(?s)<script>(.*?)</script>", asset(_PAGE))),
    )


def _paper_facts(title: str, outcome: xr.Dataset) -> dict[str, Any]:
    """Return what the page shows of a paper: findings, options, and its cells item by item."""
    cells = tables(outcome)["cells"].to_dicts()
    items: dict[str, list[Cell]] = {}
    for cell, unexpected in zip(
        cells, outcome["unexpected"].values.tolist(), strict=True
    ):
        items.setdefault(cell["item"], []).append({**cell, "unexpected": unexpected})
    return {
        "name": about(outcome)["options"]["paper"],
        "title": title,
        "findings": findings(outcome),
        "notes": about(outcome)["notes"],
        "options": {
            name: value
            for name, value in about(outcome)["options"].items()
            if name != "paper"
        },
        "total": len(cells),
        "counts": _counts(cells),
        "items": [_item_facts(name, of_item) for name, of_item in items.items()],
    }


def _item_facts(name: str, cells: Sequence[Cell]) -> dict[str, Any]:
    """Lay an item's cells out as the matrix they are, or as a list where that would be mostly empty."""
    notes = list(dict.fromkeys(cell["note"] for cell in cells if cell["note"]))
    for cell in cells:
        cell["footnote"] = notes.index(cell["note"]) + 1 if cell["note"] else None
    rows, columns = (
        list(dict.fromkeys(cell[part] for cell in cells)) for part in ("row", "column")
    )
    places = {(cell["row"], cell["column"]): cell for cell in cells}
    matrix = (
        len(places) == len(cells) == len(rows) * len(columns)
        and 1 < len(columns) <= WIDEST
    )
    if matrix:
        laid_out = [(row, [places[row, column] for column in columns]) for row in rows]
    else:
        laid_out = None
    return {
        "name": name,
        "cells": cells,
        "columns": columns,
        "matrix": laid_out,
        "notes": notes,
        "rules": list(dict.fromkeys(cell["rule"] for cell in cells if cell["rule"])),
        "counts": _counts(cells),
    }


def _counts(cells: Sequence[Cell]) -> dict[Status, int]:
    """Count cells by status, without those that no cell has."""
    counts = {
        status: sum(cell["status"] == status for cell in cells)
        for status in get_args(Status)
    }
    return {status: count for status, count in counts.items() if count}
