"""Means that papers report, without runs: tables with a mean on each row, and perhaps the baseline of a claim."""

from collections.abc import Iterable, Mapping, Sequence
from math import isfinite, nan
from os import PathLike
from typing import Any, NamedTuple

import polars as pl

from irmeta.errors import FileFormatError
from irmeta.io.files import display
from irmeta.io.strictly import number_or_nan, stripped
from irmeta.io.tables.printed import split_fragment
from irmeta.io.tables.spreadsheet import read_table
from irmeta.metrics.names import canonical, highest
from irmeta.scores.names import require_names
from irmeta.scores.tables.columns import MISSING
from irmeta.words import counted, listed, shortened

COLUMNS: Mapping[str, Sequence[str]] = {
    "system": ("system", "claim", "run", "model", "method"),
    "metric": ("metric", "measure"),
    "mean": ("mean", "score", "value", "reported"),
    "baseline": ("baseline", "against"),
    "baseline_mean": ("baseline_mean", "baseline_score", "baseline_value"),
    "paper": ("paper", "source", "citation", "reference", "doi"),
    "year": ("year",),
    "collection": ("collection", "dataset", "test_collection"),
}
"""What columns may be called; the first found is taken."""
NEEDED = ("system", "metric", "mean")
PERCENT = 100.0


class Reported(NamedTuple):
    """A mean that a paper reports; with a baseline it is a claim.

    collection : "" where the table does not say.  year : NaN where it does not.
    baseline_mean : NaN where there is none.  within : half a unit of the last decimal of this paper by this metric.
    """

    system: str
    metric: str
    mean: float
    baseline: str
    baseline_mean: float
    paper: str
    year: float
    collection: str
    within: float


class Published(NamedTuple):
    """All means of a table, and what was decided on the way."""

    rows: list[Reported]
    notes: list[str]


class _Row(NamedTuple):
    """A row as it is read: where it stands, and its cells by column."""

    where: str
    cells: Mapping[str, str]

    @property
    def paper(self) -> tuple[str, str, str]:
        """Which rows report together: by one paper, on one collection, by one metric."""
        cells = self.cells
        return cells["paper"], cells["collection"], canonical(cells["metric"])


def read_published(table: Any) -> Published:
    """Read reported means from a CSV or Parquet table, or a data frame, with the columns system, metric and mean.

    The columns baseline (a system of the same paper, or its mean), baseline_mean, paper, year and collection may stand
    beside them. Raises FileFormatError for what is not such a table.
    """
    if isinstance(table, Published):
        return table
    notes = list[str]()
    if isinstance(table, str | PathLike):
        where, words = split_fragment(table)
        name = display(where)
        table, table_notes = read_table(where, words)
        notes += table_notes
    else:
        name = "the table of published means"
    all_rows = _read_rows(table, name)
    rows_with_mean = [one for one in all_rows if one.cells["mean"]]
    if len(rows_with_mean) < len(all_rows):
        holes = counted(len(all_rows) - len(rows_with_mean), "row")
        notes.append(f"{name}: {holes} without a mean left out")
    if not rows_with_mean:
        raise FileFormatError(f"{name}: no row has a mean; fill in the column mean")
    papers: dict[tuple[str, str, str], list[_Row]] = {}
    for row in rows_with_mean:
        papers.setdefault(row.paper, []).append(row)
    means = []
    for rows in papers.values():
        reported, lines = _means_of_paper(rows)
        means += reported
        notes += [f"{name}: {line}" for line in lines]
    return Published(means, notes)


def _read_rows(table: Any, name: str) -> list[_Row]:
    """Return the rows of a table with their cells as text, "" where they are empty."""
    frame = table if isinstance(table, pl.DataFrame) else _as_polars(table, name)
    columns = _columns(frame, name)
    rows = []
    for at, row in enumerate(frame.iter_rows(named=True), 1):
        cells = {
            column: "" if own is None else _cell_text(row[own])
            for column, own in columns.items()
        }
        where = f"{name}: row {at}"
        for column in ("system", "metric"):
            if not cells[column]:
                raise FileFormatError(
                    f"{where} names no {column}; name it, or remove the row"
                )
        rows.append(_Row(where, cells))
    for column in ("system", "metric", "paper", "baseline", "collection"):
        texts = {row.cells[column] for row in rows} - {""}
        require_names(texts, f"in the column {column} of {name}")
    return rows


def _columns(frame: pl.DataFrame, name: str) -> dict[str, str | None]:
    """Return what a frame calls each column of published means, None where it has none; it needs some of them."""
    own = {stripped(one.lower()).replace(" ", "_"): one for one in frame.columns}
    columns = {
        column: next((own[one] for one in names if one in own), None)
        for column, names in COLUMNS.items()
    }
    lacking = [column for column in NEEDED if columns[column] is None]
    if lacking:
        present = listed(shortened(one, 30) for one in frame.columns)
        raise FileFormatError(
            f"{name}: no column {listed(lacking)}; the table has {present}; "
            "published means have the columns system, metric and mean, and for claims paper and baseline"
        )
    return columns


def _as_polars(table: Any, name: str) -> pl.DataFrame:
    """Return another data frame, or what becomes one, as one of polars."""
    columns = getattr(table, "to_dict", None)  # pandas
    try:
        return pl.DataFrame(
            columns("list") if columns is not None else table, strict=False
        )
    except (TypeError, ValueError, pl.exceptions.PolarsError) as error:
        raise FileFormatError(
            f"{name}: not a table ({shortened(str(error))}); published means are a CSV or Parquet file, or a data frame"
        ) from error


def _cell_text(value: Any) -> str:
    """Return a cell as text, "" for one that is missing; a whole number, as a year, without decimals."""
    whole = isinstance(value, float) and value.is_integer() and abs(value) > 1
    text = stripped(str(int(value) if whole else value))
    return "" if text.lower() in MISSING else text


class _Claim(NamedTuple):
    """A mean of a row as it is printed, its baseline, and the mean of that; "" where there is none."""

    row: _Row
    mean: str
    baseline: str
    baseline_mean: str


def _means_of_paper(rows: Sequence[_Row]) -> tuple[list[Reported], list[str]]:
    """Return what one paper reports on a collection by a metric: each mean once, as a share of the largest."""
    paper, collection, metric = rows[0].paper
    claims = _claims(rows, metric)
    notes = []
    if len(claims) < len(rows):
        notes.append(f"{counted(len(rows) - len(claims), 'repeated row')} left out")
    lacking = {
        claim.baseline for claim in claims if claim.baseline and not claim.baseline_mean
    }
    if lacking:
        notes.append(
            f"no mean by {metric} of the {'baseline' if len(lacking) == 1 else 'baselines'} {listed(sorted(lacking))}; "
            "what is compared with it counts as a mean, not as a claim"
        )
    numbers = [
        (_mean(row, mean), _mean(row, baseline_mean) if baseline_mean else nan)
        for row, mean, _, baseline_mean in claims
    ]
    scale = _scale_of([claim.row for claim in claims], numbers, metric)
    if scale == PERCENT:
        of = f" of {paper}" if paper else ""
        notes.append(f"means{of} by {metric} are taken as percent")
    texts = [text for claim in claims for text in (claim.mean, claim.baseline_mean)]
    within = 0.5 * 10.0 ** -max(map(_count_decimals, texts)) / scale
    reported = [
        Reported(
            system=claim.row.cells["system"],
            metric=metric,
            mean=mean / scale,
            baseline=claim.baseline,
            baseline_mean=baseline_mean / scale,
            paper=paper,
            year=_year(claim.row),
            collection=collection,
            within=within,
        )
        for claim, (mean, baseline_mean) in zip(claims, numbers, strict=True)
    ]
    return reported, notes


def _claims(rows: Sequence[_Row], metric: str) -> list[_Claim]:
    """Return each mean of a paper once, with its baseline; two means of one system raise FileFormatError."""
    means = {row.cells["system"]: row.cells["mean"] for row in rows}
    claims: dict[tuple[str, str], _Claim] = {}
    for row in rows:
        system, baseline = row.cells["system"], row.cells["baseline"]
        if system == baseline:
            raise FileFormatError(
                f"{row.where}: {shortened(system)} is its own baseline; name another system, or leave the cell empty"
            )
        baseline_mean = row.cells["baseline_mean"] or means.get(baseline, "")
        if not baseline_mean and isfinite(number_or_nan(baseline)):
            baseline, baseline_mean = "the baseline", baseline
        new = _Claim(row, row.cells["mean"], baseline, baseline_mean)
        old = claims.setdefault((system, baseline), new)
        if old[1:] != new[1:] or old.mean != means[system]:
            raise FileFormatError(
                f"{row.where}: {shortened(system)} has two means by {metric} in one paper, {old.mean} and "
                f"{means[system]}; keep one, or name the papers (column paper)"
            )
    return list(claims.values())


def _mean(row: _Row, text: str) -> float:
    """Read a mean, which is a number of 0 or more."""
    value = number_or_nan(text)
    if not 0 <= value < 1e15:
        raise FileFormatError(
            f"{row.where}: {shortened(text, 30)!r} is not a mean; expected a number of 0 or more, as .2411, or nothing"
        )
    return value


def _scale_of(
    rows: Sequence[_Row], numbers: Iterable[tuple[float, float]], metric: str
) -> float:
    """Return what the means of a paper by a metric are divided by: 100 where all are above the largest it can take."""
    highest_score = highest(metric)
    values = [
        (row, value)
        for row, pair in zip(rows, numbers, strict=True)
        for value in pair
        if value > 0
    ]
    large = [(row, value) for row, value in values if value > highest_score]
    if not large:
        return 1.0
    small = [value for _, value in values if value <= highest_score]
    row, value = large[0]
    if small:
        raise FileFormatError(
            f"{row.where}: {value:g} by {metric} beside {small[0]:g} in one paper: some are percent; write all as "
            f"shares of {highest_score:g}"
        )
    for row, value in large:
        if value > PERCENT * highest_score:
            raise FileFormatError(
                f"{row.where}: {value:g} is more than {metric} can be, also in percent"
            )
    return PERCENT


def _count_decimals(text: str) -> int:
    """Count the decimals that a number is written with.

    >>> _count_decimals(".2411"), _count_decimals("25"), _count_decimals("2.5e-1")
    (4, 0, 2)
    """
    digits, _, power = text.lower().partition("e")
    return max(0, len(digits.partition(".")[2]) - int(power or 0))


def _year(row: _Row) -> float:
    """Return the year of a row, NaN where it is empty; anything else raises FileFormatError."""
    text = row.cells["year"]
    if text and not text.isdecimal():
        raise FileFormatError(
            f"{row.where}: {shortened(text, 30)!r} is not a year; write it as 2019, or leave the cell empty"
        )
    return float(text) if text else nan
