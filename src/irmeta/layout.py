"""Figures as people read them: intervals and ranks in one cell, the first rows of a long table, a word for a flag."""

from collections.abc import Iterable

import numpy as np
import polars as pl

from irmeta.result import short
from irmeta.stats.arrays import Floats

ROWS = 20
"""Rows that a table for people shows of a longer one."""
WIDE = 9
"""Metrics whose matrix fits a terminal; of more metrics a table with a row each is shown instead."""


def interval(low: float, high: float, digits: int = 3) -> str:
    """Write an interval in one cell.

    >>> interval(0.5861, 0.8492), interval(-0.02, np.nan)
    ('.586 to .849', '-')
    """
    if np.isnan(low) or np.isnan(high):
        return "-"
    return f"{short(low, digits)} to {short(high, digits)}"


def intervals(low: Floats, high: Floats, digits: int = 3) -> pl.Series:
    """Write intervals, one per row."""
    return pl.Series(
        [interval(*ends, digits) for ends in zip(low, high, strict=True)],
        dtype=pl.String,
    )


def spans(low: Iterable[float], high: Iterable[float]) -> pl.Series:
    """Write ranges of ranks, one per row; a range of one rank is that rank.

    >>> spans([1, 3], [7, 3]).to_list()
    ['1 to 7', '3']
    """
    ends = [(round(first), round(last)) for first, last in zip(low, high, strict=True)]
    return pl.Series(
        [str(first) if first == last else f"{first} to {last}" for first, last in ends],
        dtype=pl.String,
    )


def first_rows(
    name: str, frame: pl.DataFrame, rows: int = ROWS
) -> dict[str, pl.DataFrame]:
    """Return the first rows of a table, under a title that says how many there are and which option shows all.

    >>> list(first_rows("means", pl.DataFrame({"system": range(143)})))
    ['means: the first 20 of 143 rows (all: --table means)']
    """
    if frame.height <= rows:
        return {name: frame}
    return {
        f"{name}: the first {rows} of {frame.height} rows (all: --table {name})": frame.head(
            rows
        )
    }
