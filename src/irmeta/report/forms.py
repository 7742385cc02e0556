"""How a data frame is written: CSV, LaTeX, Markdown, and text for a terminal."""

import io
import math
import re
from collections.abc import Collection, Mapping, Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any

import rich.box
from rich.cells import cell_len, chop_cells
from rich.console import Console
from rich.table import Table

from irmeta import words
from irmeta.errors import in_words_of_reader

if TYPE_CHECKING:  # to print a few means must not load polars
    import polars as pl

WIDTH = 80
"""Columns of a text that goes to no terminal."""
FOLDS = (40, 30, 22, 16)
"""Columns of a text that a table shows on one line: the first that lets all columns of the table stand side by side."""
BETWEEN = 3
"""Characters between columns."""
INDENT = "  "
"""What the further lines of a name begin with that is too long for its column."""
_PART = re.compile(r".+?(?:[-/_]+|$)")
"""A part of a name after which a line may end."""

_WRITTEN = re.compile(r"(?:[-+\d.,/%*()<≤> ]|to)*")
"""What a cell holds that is of figures only: numbers, intervals, counts, bounds, or none."""
_OF_P = re.compile(r"([a-z]+_)*p(_corrected|_equivalent)?")
"""Names of columns of p values."""
_PIECE = FOLDS[-1] - len(INDENT)
"""Columns of a piece of a name in wide characters, as of Chinese, between any two of which a line may end."""


def flat(frame: "pl.DataFrame") -> "pl.DataFrame":
    """Join lists with commas: CSV has none.

    >>> import polars as pl
    >>> flat(pl.DataFrame({"metrics": [["AP", "RR"]]})).item()
    'AP, RR'
    """
    import polars as pl

    return frame.with_columns(pl.col(pl.List(pl.String)).list.join(", "))


def csv(frame: "pl.DataFrame") -> str:
    """Return a data frame as CSV; a text that a spreadsheet would take for a formula begins with an apostrophe.

    >>> import polars as pl
    >>> csv(pl.DataFrame({"system": ["=1+1"], "AP": [0.5]})).splitlines()
    ['system,AP', "'=1+1,0.5"]
    """
    from irmeta.io.tables.spreadsheet import safe_csv

    return safe_csv(flat(frame))


def text(
    frame: "pl.DataFrame", title: str | None = None, *, width: int | None = None
) -> str:
    """Return a data frame as text for reading; see `draw_columns`."""
    columns = frame.to_dict(as_series=False)
    return draw_columns(columns, _numeric_columns(frame), title, width=width)


def draw_columns(
    columns: Mapping[str, Sequence[Any]],
    numeric: Collection[str],
    title: str | None = None,
    *,
    width: int | None = None,
) -> str:
    """Return columns as text for reading, in blocks of as many columns as the width holds.

    numeric : the columns of numbers, which stand to the right and are not folded.
    """
    cells = _cells(columns)
    widths = _widths(cells, numeric, width or WIDTH)
    buffer = io.StringIO()
    if title:
        buffer.write(f"{fill(in_words_of_reader(title), width or WIDTH)}\n")
    console = Console(
        file=buffer,
        width=width or WIDTH,
        highlight=False,
        markup=False,
        emoji=False,
        # a notebook would show what is written, in bold, and the buffer stay empty
        force_jupyter=False,
        color_system=None,
    )
    blocks = _blocks(widths, console.width, _naming_columns(cells, numeric))
    for at, block in enumerate(blocks):
        if at:
            buffer.write("\n")
        table = Table(box=rich.box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
        for name in block:
            table.add_column(
                _folded(words.printable(name), widths[name] - BETWEEN),
                justify="right" if name in numeric else "left",
                overflow="fold",
                max_width=widths[name] - BETWEEN,
            )
        folded = (
            [_folded(cell, widths[name] - BETWEEN) for cell in cells[name]]
            for name in block
        )
        for row in zip(*folded, strict=True):
            table.add_row(*row)
        console.print(table)
    return "\n".join(line.rstrip() for line in buffer.getvalue().splitlines()) + "\n"


def side_by_side(frame: "pl.DataFrame", width: int | None = None) -> "pl.DataFrame":
    """Return the columns of a data frame that stand in the first block of its text."""
    cells, numeric = _cells(frame.to_dict(as_series=False)), _numeric_columns(frame)
    widths = _widths(cells, numeric, width or WIDTH)
    blocks = _blocks(widths, width or WIDTH, _naming_columns(cells, numeric))
    return frame.select(blocks[0])


def _numeric_columns(frame: "pl.DataFrame") -> set[str]:
    """Return the names of the columns of numbers."""
    return {name for name, kind in frame.schema.items() if kind.is_numeric()}


def _cells(columns: Mapping[str, Sequence[Any]]) -> dict[str, list[str]]:
    """Return the texts of each column."""
    return {
        name: _p_texts(values) if _OF_P.fullmatch(name) else column_texts(values)
        for name, values in columns.items()
    }


def _p_texts(values: Sequence[Any]) -> list[str]:
    """Return the texts of a column of p values, written as in sentences.

    >>> _p_texts([0.0412, 0.00002, None, "≤ .0010"])
    ['.0412', '< .0001', '-', '≤ .0010']
    """
    from irmeta.scores.figures import p_value

    return [
        p_value(value) if isinstance(value, float) and value >= 0 else cell(value)
        for value in values
    ]


def column_texts(values: Sequence[Any], digits: int = 3) -> list[str]:
    """Return the texts of a column as people read it: of whole numbers, as counts are, without decimals.

    >>> column_texts([0.25, 1.0]), column_texts([12.0, 3.0])
    (['.250', '1.000'], ['12', '3'])
    """
    kept = 0 if _are_counts(values) else digits
    return [cell(value, kept) for value in values]


def _are_counts(values: Sequence[Any]) -> bool:
    """Say whether a column has whole numbers only, and not only 0 and 1, as scores may be.

    >>> _are_counts([1000.0, 12.0]), _are_counts([1.0, 0.0]), _are_counts([2.0, 0.5])
    (True, False, False)
    """
    figures = [value for value in values if isinstance(value, float)]
    known = [value for value in figures if not math.isnan(value)]
    whole = all(value.is_integer() for value in known)
    return whole and any(abs(value) > 1 for value in known)


def _rows(frame: "pl.DataFrame") -> list[tuple[str, ...]]:
    """Return the rows of a data frame as people read them."""
    return list(zip(*_cells(frame.to_dict(as_series=False)).values(), strict=True))


def _widths(
    cells: dict[str, list[str]], numeric: Collection[str], width: int
) -> dict[str, int]:
    """Return how wide each column is, with the characters between columns.

    If all columns then stand side by side, texts fold between words, if need be heads, too, and then names between
    their parts.
    """
    heads = {name: words.printable(name) for name in cells}
    longest = {name: max(map(cell_len, ("", *texts))) for name, texts in cells.items()}
    whole = {name: max(size, cell_len(heads[name])) for name, size in longest.items()}
    folded = {
        name: max([size, *map(cell_len, heads[name].split())])
        for name, size in longest.items()
    }
    least = {
        split: {
            name: max(map(cell_len, split(" ".join([heads[name], *texts]))), default=0)
            for name, texts in cells.items()
        }
        for split in (str.split, _parts)
    }
    ways = [
        (whole, least[str.split]),
        (folded, least[str.split]),
        (folded, least[_parts]),
    ]
    options = [
        {
            name: BETWEEN
            + (size if name in numeric else min(size, max(fold, narrow[name])))
            for name, size in longest.items()
        }
        for longest, narrow in ways
        for fold in FOLDS
    ]
    fitting = (sizes for sizes in options if sum(sizes.values()) - BETWEEN <= width)
    return next(fitting, options[0])


def _parts(text: str) -> list[str]:
    """Return the parts of names, with the indent of a further line.

    >>> _parts("BAAI/bge-small-en")
    ['  BAAI/', '  bge-', '  small-', '  en']
    """
    return [INDENT + part for word in text.split() for part in _split_name(word)]


def _split_name(name: str) -> list[str]:
    """Split a name where a line may end: after its parts, and where a long one of wide characters is full.

    >>> _split_name("清华大学-通用文本向量"), _split_name("東京大学情報基盤センター")
    (['清华大学-', '通用文本向量'], ['東京大学情報基', '盤センター'])
    """
    return [
        piece
        for part in _PART.findall(name)
        for piece in (
            [part] if cell_len(part) <= len(part) else chop_cells(part, _PIECE)
        )
    ]


def _folded(text: str, width: int) -> str:
    r"""Break words that are too long for a column between their parts.

    >>> _folded("BAAI/bge-small-en", 11), _folded("BAAI/bge", 11)
    ('BAAI/bge-\n  small-en', 'BAAI/bge')
    """
    if max(map(cell_len, text.split()), default=0) <= width:
        return text
    lines = [""]
    for part in _split_name(text):
        if cell_len(lines[-1]) + cell_len(part) > width and lines[-1].strip():
            lines.append(INDENT)
        lines[-1] += part
    return "\n".join(lines)


def _naming_columns(cells: dict[str, list[str]], numeric: Collection[str]) -> list[str]:
    """Return the columns that name the rows: the first, and if rows share it those texts after it that they differ in.

    >>> rows = {"judge": ["a", "a"], "metric": ["AP", "AP"], "team": ["x", "y"], "p": [".1", ".2"]}
    >>> _naming_columns(rows, ["p"]), _naming_columns({"team": ["x", "y"], "best": ["x", "z"]}, [])
    (['judge', 'team'], ['team'])
    """
    first, *others = cells
    named = [first]
    for name in others:
        rows = list(zip(*map(cells.__getitem__, named), strict=True))
        if name in numeric or len(set(rows)) == len(rows):
            break
        if len(set(cells[name])) > 1:
            named.append(name)
    return named


def _blocks(
    widths: dict[str, int], width: int, named: Sequence[str]
) -> list[list[str]]:
    """Share columns out over tables that fit the width; each further one begins with the columns that name the rows."""
    blocks: list[list[str]] = [[]]
    for name in widths:
        used = sum(map(widths.__getitem__, blocks[-1]))
        if used + widths[name] - BETWEEN > width and not set(blocks[-1]) <= set(named):
            blocks.append(list(named))
        if name not in blocks[-1]:
            blocks[-1].append(name)
    return blocks


def latex(frame: "pl.DataFrame", title: str = "") -> str:
    r"""Return a data frame as a LaTeX tabular in booktabs style, figures to the right and with a minus.

    title : what its first line says across all columns, if anything

    >>> import polars as pl
    >>> print(latex(pl.DataFrame({"system": ["a-2"], "diff.": ["-.118"]})), end="")
    \begin{tabular}{lr}
    \toprule
    system & diff. \\
    \midrule
    a-2 & $-$.118 \\
    \bottomrule
    \end{tabular}
    """
    right = hold_figures(frame)
    rows = [
        [
            (words.latex_figure if figures else words.latex)(value)
            for value, figures in zip(row, right, strict=True)
        ]
        for row in _rows(frame)
    ]
    across = f"\\multicolumn{{{len(right)}}}{{l}}{{{words.latex(title)}}} \\\\"
    lines = [
        f"\\begin{{tabular}}{{{''.join('lr'[figures] for figures in right)}}}",
        "\\toprule",
        *([across, "\\midrule"] if title else []),
        " & ".join(words.latex(name) for name in frame.columns) + " \\\\",
        "\\midrule",
        *(" & ".join(row) + " \\\\" for row in rows),
        "\\bottomrule",
        "\\end{tabular}",
    ]
    return "\n".join(lines) + "\n"


def hold_figures(frame: "pl.DataFrame") -> list[bool]:
    """Say of each column whether it holds figures only, as numbers or written; a text in the first names its row."""
    numeric = _numeric_columns(frame)
    cells = _cells(frame.to_dict(as_series=False))
    first = frame.columns[:1]
    return [
        name in numeric
        or (name not in first and all(map(_WRITTEN.fullmatch, cells[name])))
        for name in frame.columns
    ]


def markdown(frame: "pl.DataFrame", title: str = "") -> str:
    r"""Return a data frame as a Markdown table.

    title : what stands above it, if anything

    >>> import polars as pl
    >>> print(markdown(pl.DataFrame({"system": ["a|b"], "AP": [0.25]})), end="")
    | system | AP |
    | --- | ---: |
    | a\|b | .250 |
    """
    # numbers to the right
    rules = ["---:" if right else "---" for right in hold_figures(frame)]
    head = [words.markdown(name) for name in frame.columns]
    lines = [[words.markdown(value) for value in row] for row in _rows(frame)]
    above = f"{words.markdown(title)}\n\n" if title else ""
    return above + "".join(
        f"| {' | '.join(line)} |\n" for line in [head, rules, *lines]
    )


def cell(value: object, digits: int = 3) -> str:
    """Write one value as people read it: missing, and what does not hold, as a dash, lists with commas."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "-"
    if isinstance(value, float):
        return figure(value, digits)
    if isinstance(value, list):
        return ", ".join(cell(item) for item in value)
    return words.printable(str(value))


def figure(value: float, digits: int = 3) -> str:
    """Write a figure of a table to `digits` decimals, or as many, up to 6, as show that it is not 0; no zero first.

    >>> figure(0.25), figure(-0.00042), figure(12.0), figure(-1e-9)
    ('.250', '-.0004', '12.000', '.000')
    """
    if 1e-6 <= abs(value) < 0.5 * 10**-digits:
        digits = min(6, math.ceil(-math.log10(abs(value))))
    return words.decimal(value, digits)
