"""Results as tables: the JSON contract, CSV, LaTeX, and text for a terminal."""

import io
import json
import math
from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import rich.box
import xarray as xr
from rich.console import Console
from rich.table import Table

from irmeta import words
from irmeta.attributes import about
from irmeta.choices import Format
from irmeta.errors import IrmetaError
from irmeta.io.scores import to_frame
from irmeta.io.tables import written
from irmeta.names import nearest
from irmeta.studies import study_of

FOLDS = (40, 30, 22, 16)
"""Characters of a text that a table shows on one line: the first that lets all columns stand side by side."""


def tables(result: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Return a study's result as data frames by name, with the columns of the JSON contract.

    Results that xr.concat put together along a new dimension are tables of all, with that dimension as first column.
    result : what a study returned.
    """
    study = study_of(result)
    added = _added(result)
    if added is None:
        view: dict[str, pl.DataFrame] = study.tables(result)
        return view
    # by table: those of each single result, one under the other
    found: dict[str, list[pl.DataFrame]] = {}
    for at, label in enumerate(result[added].values.tolist()):
        for name, frame in tables(result.isel({added: at})).items():
            labelled = frame.select(pl.lit(label).alias(added), pl.all())
            found.setdefault(name, []).append(labelled)
    return {name: pl.concat(parts) for name, parts in found.items()}


def _added(result: xr.Dataset) -> str | None:
    """Return the dimension that xr.concat added to a result: the first one of every variable, and not the study's."""
    own = about(result).get("dims")
    first = {next(iter(variable.dims), None) for variable in result.data_vars.values()}
    if own is None or len(first) != 1:
        return None
    (dim,) = first
    if dim is None or dim in own:
        return None
    return str(dim)


def to_pandas(given: Any, table: str | None = None) -> pd.DataFrame:
    """Return a cube's scores, or a table of a study's result, as a pandas data frame; pyarrow is not needed.

    given : a cube (its long table: system, topic, metric, score), or what a study returns.
    table : which table of a result, the first by default; `tables` lists them.

    >>> from irmeta.cube import cube
    >>> to_pandas(cube([[[0.5], [0.1]]], ["bm25"], ["301", "302"], ["AP"])).shape
    (2, 5)
    """
    if isinstance(given, xr.Dataset):
        views = tables(given)
        if table is not None and table not in views:
            raise IrmetaError(
                f"no table {table!r} in this result; {nearest(table, views)}"
            )
        frame = views[table or next(iter(views))]
    else:
        frame = to_frame(given)
    return pd.DataFrame({name: frame[name].to_list() for name in frame.columns})


def overview(result: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Return a study's result as data frames for reading: its `overview` if it has one, else its tables."""
    study = study_of(result)
    views: dict[str, pl.DataFrame] = getattr(study, "overview", study.tables)(result)
    return views


def document(result: xr.Dataset) -> dict[str, Any]:
    """Return a study's result as the JSON document: study, inputs, options, notes, tables; missing numbers are null."""
    views = {name: frame.to_dicts() for name, frame in tables(result).items()}
    facts = about(result)
    parts = {key: facts[key] for key in ("study", "inputs", "options", "notes")} | {
        "tables": views
    }
    return {name: _jsonable(part) for name, part in parts.items()}


def render(
    result: xr.Dataset,
    form: Format = "table",
    table: str | None = None,
    *,
    width: int | None = None,
) -> str:
    """Return a study's result as text in one form; csv and latex have one table, the first unless named.

    Forms "table", "latex" and "markdown" are for people and show the study's overview, unless a table is named.
    width : columns of the terminal, for form "table".
    """
    if form == "json" and table is None:
        return json.dumps(document(result), indent=1, allow_nan=False) + "\n"
    views = tables(result)
    if table is not None and table not in views:
        raise IrmetaError(f"no table {table!r} in this result; {nearest(table, views)}")
    if form == "json":
        raise IrmetaError(
            "JSON has all tables of a result; --table goes with csv, latex and table"
        )
    if table is not None:
        chosen = {table: views[table]}
    elif form == "csv":
        chosen = views
    else:
        chosen = overview(result)
    if form == "table":
        return "\n".join(
            text(frame, name, width=width) for name, frame in chosen.items()
        )
    if (
        form in ("latex", "markdown")
        and table is None
        and about(result)["study"] == "paper_table"
    ):
        from irmeta.report import paper

        if form == "latex":
            return paper.latex(result)
        return paper.markdown(result)
    frame = next(iter(chosen.values()))
    if form == "latex":
        return latex(frame)
    if form == "markdown":
        return markdown(frame)
    return csv(frame)


def flat(frame: pl.DataFrame) -> pl.DataFrame:
    """Join lists with commas: CSV has none.

    >>> flat(pl.DataFrame({"metrics": [["AP", "RR"]]})).item()
    'AP, RR'
    """
    return frame.with_columns(pl.col(pl.List(pl.String)).list.join(", "))


def csv(frame: pl.DataFrame) -> str:
    """Return a data frame as CSV; a text that a spreadsheet would take for a formula begins with an apostrophe.

    >>> csv(pl.DataFrame({"system": ["=1+1"], "AP": [0.5]})).splitlines()
    ['system,AP', "'=1+1,0.5"]
    """
    return written(flat(frame))


def text(
    frame: pl.DataFrame,
    title: str | None = None,
    *,
    width: int | None = None,
    digits: int = 4,
) -> str:
    """Draw a data frame for reading: numbers to `digits` decimals, in blocks of as many columns as the width holds."""
    cells = {
        name: [cell(value, digits) for value in frame[name].to_list()]
        for name in frame.columns
    }
    longest = {
        name: max(map(len, (words.printable(name), *values)))
        for name, values in cells.items()
    }
    longest_words = {
        name: _longest_word([name, *values]) for name, values in cells.items()
    }
    texts = {name for name, kind in frame.schema.items() if not kind.is_numeric()}
    buffer = io.StringIO()
    buffer.write(f"{fill(title, width or 80)}\n" if title else "")
    console = Console(
        file=buffer, width=width or 80, highlight=False, markup=False, emoji=False
    )
    options = [  # three characters stand between columns
        {
            name: (min(size, max(fold, longest_words[name])) if name in texts else size)
            + 3
            for name, size in longest.items()
        }
        for fold in FOLDS
    ]
    widths = next(
        (one for one in options if sum(one.values()) <= console.width), options[0]
    )
    for block in _blocks(widths, console.width):
        drawn = Table(box=rich.box.SIMPLE_HEAD, pad_edge=False)
        for name in block:
            drawn.add_column(
                words.printable(name),
                justify="left" if name in texts else "right",
                overflow="fold",
                max_width=widths[name] - 3,
            )
        for row in zip(*(cells[name] for name in block), strict=True):
            drawn.add_row(*row)
        console.print(drawn)
    return "\n".join(line.rstrip() for line in buffer.getvalue().splitlines()) + "\n"


def _longest_word(texts: Sequence[str]) -> int:
    """Return the length of the longest word: a column is no narrower, so that no name is cut."""
    return max((len(word) for text in texts for word in text.split()), default=0)


def _blocks(widths: dict[str, int], width: int) -> list[list[str]]:
    """Share columns out over tables that fit the width; each begins with the first column, which names the rows."""
    first, *others = widths
    blocks = [[first]]
    used = widths[first]
    for name in others:
        if used + widths[name] > width and len(blocks[-1]) > 1:
            blocks.append([first])
            used = widths[first]
        blocks[-1].append(name)
        used += widths[name]
    return blocks


def latex(frame: pl.DataFrame, *, digits: int = 4) -> str:
    """Return a data frame as a LaTeX tabular in booktabs style."""
    columns = "".join(
        "r" if kind.is_numeric() else "l" for kind in frame.schema.values()
    )
    lines = [
        f"\\begin{{tabular}}{{{columns}}}",
        "\\toprule",
        " & ".join(words.latex(name) for name in frame.columns) + " \\\\",
        "\\midrule",
        *(
            " & ".join(words.latex(cell(value, digits)) for value in row) + " \\\\"
            for row in frame.iter_rows()
        ),
        "\\bottomrule",
        "\\end{tabular}",
    ]
    return "\n".join(lines) + "\n"


def markdown(frame: pl.DataFrame, *, digits: int = 4) -> str:
    r"""Return a data frame as a Markdown table.

    >>> print(markdown(pl.DataFrame({"system": ["a|b"], "AP": [0.25]})), end="")
    | system | AP |
    | --- | ---: |
    | a\|b | 0.2500 |
    """
    # numbers to the right
    rules = ["---:" if kind.is_numeric() else "---" for kind in frame.schema.values()]
    head = [words.markdown(name) for name in frame.columns]
    lines = [
        [words.markdown(cell(value, digits)) for value in row]
        for row in frame.iter_rows()
    ]
    return "".join(f"| {' | '.join(line)} |\n" for line in [head, rules, *lines])


def cell(value: object, digits: int = 4) -> str:
    """Write one value as people read it: missing as a dash, lists with commas."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "-"
    if isinstance(value, float):
        return f"{value:z.{digits}f}"
    if isinstance(value, list):
        return ", ".join(cell(item, digits) for item in value)
    return words.printable(str(value))


def _jsonable(value: Any) -> Any:
    """Return a value as JSON has it: NumPy's as Python's, numbers that are not finite as null, the rest as text."""
    if isinstance(value, np.ndarray | np.generic):
        return _jsonable(value.tolist())
    if isinstance(value, Mapping):
        return {str(name): _jsonable(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_jsonable(one) for one in value]
    if isinstance(value, float):
        if math.isfinite(value):
            return value
        return None
    if value is None or isinstance(value, bool | int):
        return value
    return str(value)
