"""Figures as people read them: intervals and ranks in one cell, the first rows of a long table, a word for a flag."""

from collections.abc import Iterable, Sequence
from contextvars import ContextVar
from typing import SupportsFloat

import numpy as np
import polars as pl
import xarray as xr

from irmeta.metrics.names import leading
from irmeta.scores.attributes import METRIC_LABELS, about
from irmeta.stats.arrays import Floats
from irmeta.words import (
    decimal,
    decimal_interval,
    decimal_with_interval,
    digits_beside_zero,
)

ROWS = 20
"""Rows that a table for people shows of a longer one."""
ENDS = "worst and best"
"""What the title of a table says that shows both ends of a longer one, the outermost rows of each first."""
WHOLE: ContextVar[bool] = ContextVar("WHOLE", default=False)
"""Whether tables for people have all of their rows: in a file nobody would see that some are left out."""
WIDE = 9
"""Metrics whose matrix fits a terminal; of more metrics a table with a row each is shown instead."""


def interval(low: float, high: float, digits: int = 3, *, sign: bool = False) -> str:
    """Write an interval in one cell; of differences with as many digits, up to 6, as show where 0 is.

    >>> interval(0.5861, 0.8492), interval(-0.02, np.nan), interval(0.0004, 0.0213, sign=True)
    ('.586 to .849', '-', '+.0004 to +.0213')
    """
    if np.isnan(low) or np.isnan(high):
        return "-"
    return decimal_interval(low, high, digits, "+" if sign else "")


def with_interval(
    value: SupportsFloat | None,
    low: SupportsFloat | None,
    high: SupportsFloat | None,
    *,
    digits: int = 3,
    sign: bool = False,
) -> str:
    """Write a figure with its interval in one cell; without it where there is none.

    >>> with_interval(0.63, 0.5861, 0.8492, digits=2), with_interval(0.63, None, None)
    ('.63 (.59 to .85)', '.630')
    """
    numbers = (np.nan if one is None else float(one) for one in (value, low, high))
    figure, least, most = numbers
    if np.isnan([figure, least, most]).any():
        return short(figure, digits, sign=sign)
    return decimal_with_interval(figure, least, most, digits, "+" if sign else "")


def signed(values: Iterable[SupportsFloat]) -> list[str]:
    """Write differences, each with its sign; zeros alone are no difference.

    >>> signed([0.0149, -0.2, -0.0002, 0])
    ['+.015', '-.200', '-.0002', '+.000']
    """
    return [short(float(value), 3, sign=True) for value in values]


def intervals(
    low: Floats, high: Floats, digits: int = 3, *, differences: bool = False
) -> pl.Series:
    """Write intervals, one per row; of differences with as many digits as show where 0 is.

    >>> intervals(np.array([0.0001]), np.array([0.061]), differences=True).to_list()
    ['.0001 to .0610']
    """
    cells = []
    for ends in zip(low, high, strict=True):
        shown = digits_beside_zero(digits, *ends) if differences else digits
        cells.append(interval(*ends, shown))
    return pl.Series(cells, dtype=pl.String)


def p_value(p: float, bound: bool = False) -> str:
    """Write a p value in one cell; bound : the smallest that the resamples allow; p may be smaller.

    >>> p_value(0.0412), p_value(0.00002), p_value(1 / 1001, bound=True)
    ('.0412', '< .0001', '≤ .0010')
    """
    if p < 0.0001:
        return "< .0001"
    return f"{'≤ ' if bound else ''}{short(p, 4)}"


def p_in_sentence(p: float, bound: bool = False) -> str:
    """Write a p value in a sentence.

    >>> p_in_sentence(0.0412), p_in_sentence(0.00002), p_in_sentence(1 / 1001, bound=True)
    ('p = .0412', 'p < .0001', 'p ≤ .0010')
    """
    written = p_value(p, bound)
    return f"p {written}" if written.startswith(("<", "≤")) else f"p = {written}"


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


def row_limit(rows: int = ROWS) -> int | None:
    """Return how many rows a table for people has at most; None for all of them."""
    return None if WHOLE.get() else rows


def first_rows(
    name: str, frame: pl.DataFrame, rows: int = ROWS
) -> dict[str, pl.DataFrame]:
    """Return the first rows of a table, under a title that says how many there are and which option shows all.

    >>> list(first_rows("means", pl.DataFrame({"system": range(143)})))
    ['means: the first 20 of 143 rows (all: --table means)']
    """
    if WHOLE.get() or frame.height <= rows:
        return {name: frame}
    title = f"{name}: the first {rows} of {frame.height} rows (all: --table {name})"
    return {title: frame.head(rows)}


def own_metric_names(outcome: xr.Dataset | xr.DataArray) -> list[str]:
    """Return the names of a result's metrics, whatever labels call them: what a metric is, its name says.

    >>> own_metric_names(xr.Dataset(coords={"metric": ["MAP"]}, attrs={"metric_labels": '{"AP@1000": "MAP"}'}))
    ['AP@1000']
    """
    labels = about(outcome).get(METRIC_LABELS, {})
    names = {label: name for name, label in labels.items()}
    called = map(str, outcome["metric"].values.ravel())
    return [names.get(label, label) for label in called]


def leading_metrics(outcome: xr.Dataset | xr.DataArray, few: int) -> list[str]:
    """Return the metrics that sentences are about: all of a few; of many the first (`leading`).

    >>> made = xr.Dataset(coords={"metric": ["RR", "AP"]})
    >>> leading_metrics(made, 4), leading_metrics(made, 1)
    (['RR', 'AP'], ['RR'])
    """
    called = outcome["metric"].values.astype(str).tolist()
    if len(called) <= few:
        return called
    names = own_metric_names(outcome)
    return [called[names.index(leading(names))]]


def matrix_table(
    names: Sequence[str], cells: Sequence[Sequence[str]], corner: str = "metric"
) -> pl.DataFrame:
    """Lay out figures of pairs of metrics as a matrix to be read; many columns are numbered, as their rows are.

    >>> matrix_table(["AP", "RR"], [[".63", ".36"], ["", ".39"]]).rows()
    [('AP', '.63', '.36'), ('RR', '', '.39')]
    """
    many = len(names) > 8
    if many:
        heads = [str(number) for number in range(1, len(names) + 1)]
        rows = [f"{number:>2} {name}" for number, name in enumerate(names, 1)]
    else:
        heads = rows = list(names)
    columns = {head: [row[at] for row in cells] for at, head in enumerate(heads)}
    return pl.DataFrame({corner: rows, **columns})


def near_one(value: float, most: int = 6) -> str:
    """Write a correlation with 2 decimals; beyond .99 with the first of them that says how far from 1 it is.

    >>> near_one(0.626), near_one(0.9987), near_one(-0.99996), near_one(1.0)
    ('.63', '.999', '-.99996', '1.00')
    """
    apart = 1 - abs(value)
    if not 1e-9 < apart < 0.01:
        return short(value)
    return short(value, min(most, int(np.ceil(-np.log10(apart)))))


def short(value: float | None, digits: int = 2, *, sign: bool = False) -> str:
    """Write a figure between -1 and 1 without its leading zero; missing as a dash.

    >>> short(0.626), short(-0.1), short(-0.0003), short(1.0), short(0.0149, 3, sign=True)
    ('.63', '-.10', '.00', '1.00', '+.015')
    """
    if value is None or np.isnan(value):
        return "-"
    return decimal(value, digits, "+" if sign else "")
