"""Which rows of a table are read first, and how their intervals are written."""

from functools import partial
from typing import Any

import polars as pl

from irmeta.scores.figures import row_limit, short
from irmeta.scores.result import ends

FEW = 4
"""Systems, and pairs of them, that are each spoken of."""
SHOWN = 20
"""Systems, and pairs of them, that the overview shows."""


def most_of(view: pl.DataFrame, name: str, *, by: str) -> tuple[pl.DataFrame, str]:
    """Keep the rows that people read first where there are many, and say how many there are."""
    rows = row_limit(SHOWN)
    if rows is None or view.height <= rows:
        return view, name
    first = "the best" if by == "rank" else "the clearest"
    kept = view.sort(by, nulls_last=True, maintain_order=True).head(rows)
    return kept, f"{name}: {first} {rows} of {view.height}"


def first(view: pl.DataFrame | None, metric: str, *, by: str) -> list[dict[str, Any]]:
    """Return the first rows of a table, by a column, that are of one metric."""
    if view is None:
        return []
    own = view.filter(metric=metric)
    return own.sort(by, nulls_last=True, maintain_order=True).head(FEW).to_dicts()


def interval_of(low: str, high: str) -> pl.Expr:
    """Write the interval of two columns."""
    return pl.format("{} to {}", figure(low), figure(high))


def percentile_text(column: str) -> pl.Expr:
    """Write the percentiles of a column, each with its interval where it has one."""
    middle, low, high = (pl.col(name).round(0).cast(pl.Int64) for name in ends(column))
    between = pl.format("{} ({} to {})", middle, low, high)
    return pl.coalesce(between, middle.cast(pl.String)).alias(column)


def figure(column: str) -> pl.Expr:
    """Write the figures of a column as people read them; null stays."""
    return pl.col(column).map_elements(partial(short, digits=3), pl.String)
