"""Papers' published figures beside ours, as one self-contained page."""

import re
from collections import Counter
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
    cells, facts = tables(outcome)["cells"].to_dicts(), about(outcome)
    unexpected = outcome["unexpected"].values.tolist()
    items: dict[str, list[Cell]] = {}
    for cell, is_odd in zip(cells, unexpected, strict=True):
        items.setdefault(cell["item"], []).append({**cell, "unexpected": is_odd})
    options = dict(facts["options"])
    return {
        "name": options.pop("paper"),
        "title": title,
        "findings": findings(outcome),
        "notes": facts["notes"],
        "options": options,
        "total": len(cells),
        "counts": _counts(cells),
        "items": [_item_facts(name, of_item) for name, of_item in items.items()],
    }


def _item_facts(name: str, cells: Sequence[Cell]) -> dict[str, Any]:
    """Return what the page shows of an item: its cells, as the matrix that they are or, not to be patchy, as a list."""
    notes = list(dict.fromkeys(cell["note"] for cell in cells if cell["note"]))
    for cell in cells:
        cell["footnote"] = notes.index(cell["note"]) + 1 if cell["note"] else None
    rows, columns = (
        list(dict.fromkeys(cell[part] for cell in cells)) for part in ("row", "column")
    )
    places = {(cell["row"], cell["column"]): cell for cell in cells}
    matrix = None
    full = len(places) == len(cells) == len(rows) * len(columns)
    if full and 1 < len(columns) <= WIDEST:
        matrix = [(row, [places[row, column] for column in columns]) for row in rows]
    return {
        "name": name,
        "cells": cells,
        "columns": columns,
        "matrix": matrix,
        "notes": notes,
        "rules": list(dict.fromkeys(cell["rule"] for cell in cells if cell["rule"])),
        "counts": _counts(cells),
    }


def _counts(cells: Sequence[Cell]) -> dict[Status, int]:
    """Count cells by status, without those that no cell has."""
    counts = Counter(cell["status"] for cell in cells)
    return {status: counts[status] for status in get_args(Status) if counts[status]}
