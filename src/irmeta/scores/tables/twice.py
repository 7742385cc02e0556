"""Scores given twice: which columns that nobody named distinguish them, if any do."""

from collections.abc import Iterable
from shlex import quote
from typing import Any

import numpy as np
import polars as pl

from irmeta.errors import ScoresError
from irmeta.scores.tables.roles import ALL
from irmeta.stats.arrays import Indices
from irmeta.words import joined, shortened


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
    """Raise ScoresError if two rows are of the same cell, and columns that nobody named distinguish such rows.

    own : collection, system, topic and maybe metric of each row.  others : the columns that nobody named.
    system : the column of the systems.
    """
    again = own.is_duplicated()
    if not again.any():
        return
    free = list(others)
    cell = own.filter(again).row(0)
    said = _twice_message(cell)
    # one column that distinguishes all rows
    apart = [
        column
        for column in free
        if own.with_columns(column.alias("other")).is_unique().all()
    ]
    if apart:
        name = min(apart, key=pl.Series.n_unique).name
        as_topics = f"as topics (--topic {quote(name)}), " if ALL in cell else ""
        raise ScoresError(
            f"{said}, which the column {name!r} distinguishes: name it, {as_topics}as runs of one "
            f"system (--repeat {quote(name)}) or as part of the system (--system {quote(f'{system},{name}')})"
        )
    # several that differ between the rows of the cell
    held = zip(own.columns, cell, strict=True)
    of_cell = pl.all_horizontal(pl.col(dim).eq_missing(name) for dim, name in held)
    rows = own.select(of_cell).to_series()
    differ = [
        column
        for column in free
        if (column.dtype == pl.String or column.dtype.is_integer())
        and column.filter(rows).n_unique() > 1
    ]
    if differ and own.with_columns(differ).is_unique().all():
        names = [column.name for column in differ]
        whole = quote(",".join([system, *names]))
        raise ScoresError(
            f"{said}, which differ in {joined(names)}: name these as part of the system (--system {whole})"
        )


def _twice_message(cell: tuple[Any, ...]) -> str:
    """Say of which cell a row is that another is of, too: its collection, and the names of the rest."""
    collection, *names = cell
    where = "" if collection == "collection" else f" of {collection}"
    return f"more than one score{where} for {', '.join(shortened(str(name)) for name in names)}"
