"""Outcomes of online experiments, as a CSV or a data frame has them: A/B tests, interleaving, by system or by query."""

from collections.abc import Mapping, Sequence
from math import inf, sqrt
from os import PathLike
from typing import Any, NamedTuple

import numpy as np

from irmeta.errors import FileFormatError, IrmetaError
from irmeta.io.files import display, location, read_bytes
from irmeta.io.sheets import parse_sheet, require_visible
from irmeta.io.strictly import number_or_nan, stripped
from irmeta.stats.arrays import Floats
from irmeta.words import listed, shortened

COLUMNS: Mapping[str, Sequence[str]] = {
    "system": ("system", "system_a", "a", "run", "model", "variant", "treatment"),
    "against": ("against", "system_b", "b", "opponent", "control", "baseline"),
    "query": ("topic", "query", "query_id", "qid", "turn", "question"),
    "value": ("value", "outcome", "mean", "effect", "lift", "delta", "score"),
    "se": ("se", "stderr", "std_error", "standard_error", "sem", "error"),
    "wins": ("wins", "win"),
    "losses": ("losses", "loss"),
    "ties": ("ties", "tie"),
}
"""What columns may be called; the first found is taken."""
FORMS = (
    "system,value,se, or system,wins,losses,ties, or system,query,value; a column against names the other system of a "
    "comparison"
)
LARGEST = 1e12
"""The largest number that an outcome may have: squares of it are summed."""
Key = tuple[str, str]


class Observed(NamedTuple):
    """Outcomes: of which system, against which other ("" for none), the value and its standard error.

    error : NaN where the file has none.  queries : those that outcomes are means over, if it names some.
    """

    systems: list[str]
    against: list[str]
    value: Floats
    error: Floats
    queries: frozenset[str] = frozenset()


class _Line(NamedTuple):
    """One line: of whom, on which query, its outcome."""

    where: str
    key: Key
    query: str
    value: float
    error: float


def read_outcomes(given: Any) -> Observed:
    """Read outcomes from a CSV with a header, or from a data frame with the same columns.

    Columns are system, or system and against; value and se, or wins, losses and ties; and query, where lines have one.
    Raises FileFormatError for anything else.
    """
    if isinstance(given, Observed):
        return given
    if isinstance(given, str | PathLike):
        where = location(given)
        return _outcomes(_read_lines(read_bytes(where), display(where)), display(where))
    if hasattr(given, "write_csv"):  # polars
        text = given.write_csv()
    elif hasattr(given, "to_csv"):  # pandas
        text = given.to_csv(index=False)
    else:
        raise IrmetaError(
            f"outcomes are a CSV file or a data frame, not {type(given).__name__}; its columns are {FORMS}"
        )
    return _outcomes(_read_lines(text.encode(), "outcomes"), "outcomes")


def _read_lines(data: bytes, where: str) -> list[_Line]:
    """Read the lines below the header."""
    table = parse_sheet(data, where)
    header = [cell.lower().replace(" ", "_").replace("-", "_") for cell in table.header]
    columns = _columns(header, where)
    return [
        _read_line(f"{where}:{at}", [stripped(cell) for cell in row], columns)
        for at, row in table.rows
    ]


def _columns(header: Sequence[str], where: str) -> dict[str, int]:
    """Find the place of each column; without those of a form raise FileFormatError."""
    columns = {}
    for name, spellings in COLUMNS.items():
        spelled = next((one for one in spellings if one in header), None)
        if spelled is not None:
            columns[name] = header.index(spelled)
    for name in set(header):
        if header.count(name) > 1 and name:
            raise FileFormatError(
                f"{where}:1: two columns are named {shortened(name)!r}; rename one"
            )
    counts = {"wins", "losses"} <= columns.keys()
    if "system" not in columns or not (counts or "value" in columns):
        raise FileFormatError(
            f"{where}:1: not a table of outcomes; the header names {listed(shortened(name, 30) for name in header)}, "
            f"but columns are {FORMS}"
        )
    return columns


def _read_line(where: str, row: Sequence[str], columns: Mapping[str, int]) -> _Line:
    """Read the cells of a line; one that no outcome can have raises FileFormatError."""
    cells = {name: row[place] for name, place in columns.items()}
    system, other = cells["system"], cells.get("against", "")
    require_visible(cells.values(), where)
    if not system or ("against" in cells and not other):
        raise FileFormatError(f"{where}: a line lacks a system; name it")
    if system == other:
        raise FileFormatError(
            f"{where}: {shortened(system)} cannot be compared with itself"
        )
    if "query" in cells and not cells["query"]:
        raise FileFormatError(
            f"{where}: a line lacks its query; name it, or leave the column out"
        )
    if "wins" in cells and "losses" in cells:
        value, error = _win_margin(where, cells)
    else:
        value = _read_number(where, "value", cells["value"], -inf)
        text = cells.get("se", "")
        error = _read_number(where, "se", text, 0) if text else np.nan
    return _Line(where, (system, other), cells.get("query", ""), value, error)


def _win_margin(where: str, cells: Mapping[str, str]) -> tuple[float, float]:
    """Return the share of wins less that of losses, and its error with half a win and half a loss more."""
    wins, losses = (
        _read_number(where, name, cells[name], 0) for name in ("wins", "losses")
    )
    ties = _read_number(where, "ties", cells.get("ties", "") or "0", 0)
    total = wins + losses + ties
    if total == 0:
        raise FileFormatError(f"{where}: nobody compared these; leave the line out")
    smoothed = total + 1
    lead = (wins - losses) / smoothed
    # the variance of one outcome of 1, 0 or -1: share that is no tie - lead^2
    error = sqrt(((wins + losses + 1) / smoothed - lead**2) / smoothed)
    return (wins - losses) / total, error


def _read_number(where: str, name: str, text: str, least: float) -> float:
    """Read a finite number of at least `least`, 0 or minus infinity; anything else raises FileFormatError."""
    value = number_or_nan(text)
    if not least <= value < inf or value == -inf:
        wanted = "a number" if least else "a number of 0 or more"
        raise FileFormatError(
            f"{where}: {name} is {shortened(text, 30)!r}; expected {wanted}"
        )
    if abs(value) > LARGEST:
        raise FileFormatError(
            f"{where}: {name} is {shortened(text, 30)!r}; write it in another unit, so that it is at most {LARGEST:g}"
        )
    return value


def _outcomes(lines: Sequence[_Line], where: str) -> Observed:
    """Put lines together: each is an experiment, or those of one system are its queries."""
    if any(line.query for line in lines):
        return _average_over_queries(lines, where)
    error = np.array([line.error for line in lines])
    keys = [line.key for line in lines]
    if np.isnan(error).any():
        _require_errors(lines)
    values = np.array([line.value for line in lines])
    return Observed([key[0] for key in keys], [key[1] for key in keys], values, error)


def _require_errors(lines: Sequence[_Line]) -> None:
    """Raise FileFormatError where a standard error is needed: unless no line has one, and each is of another system."""
    lacking = next(line for line in lines if np.isnan(line.error))
    seen = set()
    for line in lines:
        if line.key in seen or line.key[1] or not np.isnan(line.error):
            raise FileFormatError(
                f"{lacking.where}: no standard error (column se); every line needs one, as do comparisons and several "
                "experiments with a system"
            )
        seen.add(line.key)


def _average_over_queries(lines: Sequence[_Line], where: str) -> Observed:
    """Average over queries; what a query adds to all systems alike is no noise, where all have the same queries."""
    values_by_key = _values_by_key(lines, where)
    queries = frozenset(line.query for line in lines)
    count = len(values_by_key)
    shared = count > 1 and all(
        len(one) == len(queries) for one in values_by_key.values()
    )
    values = [
        np.array([by_query[query] for query in sorted(by_query)])
        for by_query in values_by_key.values()
    ]
    common = np.mean(values, axis=0) if shared else 0.0
    # the mean over systems that is taken off has 1 / count of each one's noise
    factor = sqrt(count / (count - 1)) if shared else 1.0
    errors = [
        factor * float((one - common).std(ddof=1)) / sqrt(len(one)) for one in values
    ]
    return Observed(
        [system for system, _ in values_by_key],
        [against for _, against in values_by_key],
        np.array([one.mean() for one in values]),
        np.array(errors),
        queries,
    )


def _values_by_key(lines: Sequence[_Line], where: str) -> dict[Key, dict[str, float]]:
    """Return the outcomes by query of each system or comparison, two or more of each; else raise FileFormatError."""
    values_by_key: dict[Key, dict[str, float]] = {}
    for line in lines:
        by_query = values_by_key.setdefault(line.key, {})
        if line.query in by_query:
            raise FileFormatError(
                f"{line.where}: {shortened(line.key[0])} has two outcomes for the query {shortened(line.query)!r}; "
                "keep one, or leave the column of queries out"
            )
        by_query[line.query] = line.value
    for (system, _), by_query in values_by_key.items():
        if len(by_query) < 2:
            raise FileFormatError(
                f"{where}: {shortened(system)} has an outcome for one query only, which says nothing of its noise; "
                "give a column se"
            )
    return values_by_key
