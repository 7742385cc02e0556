"""Scores given twice: which column that nobody named distinguishes them, if one does."""

from collections.abc import Iterable
from shlex import quote
from typing import Any

import numpy as np
import polars as pl

from irmeta.errors import ScoresError
from irmeta.scores.tables.roles import ALL
from irmeta.stats.arrays import Indices
from irmeta.words import shortened


def refuse_twice(rows: pl.DataFrame, flat: Indices) -> None:
    """Raise ScoresError if two rows are of the same cell.

    rows : with the columns collection, system, topic and metric first.  flat : the cell of each.
    """
    order = np.argsort(flat, kind="stable")
    again = np.flatnonzero(np.diff(flat[order]) == 0)
    if again.size:
        raise ScoresError(
            f"{_twice_message(rows.row(int(order[again[0] + 1]))[:4])}; keep one of them, or name the columns that "
            "distinguish them: more of the system (--system team,run), or runs of one (--repeat seed)"
        )


def refuse_unnamed(own: pl.DataFrame, others: Iterable[pl.Series], system: str) -> None:
    """Raise ScoresError if two rows are of the same cell, and a column that nobody named distinguishes all such rows.

    own : collection, system, topic and maybe metric of each row.  others : the columns that nobody named.
    system : the column of the systems.
    """
    again = own.is_duplicated()
    if not again.any():
        return
    apart = [
        column
        for column in others
        if own.with_columns(column.alias("other")).is_unique().all()
    ]
    if apart:
        name = min(apart, key=pl.Series.n_unique).name
        cell = own.filter(again).row(0)
        as_topics = f"as topics (--topic {quote(name)}), " if ALL in cell else ""
        raise ScoresError(
            f"{_twice_message(cell)}, which the column {name!r} distinguishes: name it, {as_topics}as runs of one "
            f"system (--repeat {quote(name)}) or as part of the system (--system {quote(f'{system},{name}')})"
        )


def _twice_message(cell: tuple[Any, ...]) -> str:
    """Say of which cell a row is that another is of, too: its collection, and the names of the rest."""
    collection, *names = cell
    where = "" if collection == "collection" else f" of {collection}"
    return f"more than one score{where} for {', '.join(shortened(str(name)) for name in names)}"
