"""Scores in the cells of a data frame as papers print them: in bold, with marks, in percent."""

import re
from collections.abc import Container, Iterable

import polars as pl

from irmeta.io.strictly import number, stripped
from irmeta.io.tables.printed import latex, numbers, pipes
from irmeta.scores.tables.columns import MISSING
from irmeta.words import counted, listed

_COMMAND = re.compile(r"\\[A-Za-z]")


def without_marks(
    table: pl.DataFrame, names: Container[str | None]
) -> tuple[pl.DataFrame, list[str]]:
    r"""Return a table whose scores are plain numbers, and what to say of it.

    names : columns that hold none. A column is left as it is unless each cell is one score, and all have a percent sign
    or none has.

    >>> given = {"run": ["a*", "b"], "AP": [r"\textbf{.31}$^\dagger$", ".2"], "RR": ["45.2%", "3%"]}
    >>> table, told = without_marks(pl.DataFrame(given), ["run"])
    >>> table.rows()
    [('a*', '0.31', '0.452'), ('b', '.2', '0.03')]
    >>> print("\n".join(told))
    marks of 1 cell were left out: \textbf{.31}$^\dagger$ is 0.31
    read as percent, as their cells say: RR (45.2% is 0.452)
    """
    count, marked, percent = 0, list[str](), dict[str, tuple[float, str]]()
    for name in table.columns:
        column = table[name]
        if column.dtype != pl.String or name in names:
            continue
        texts = column.str.strip_chars()
        plain = texts.cast(pl.Float64, strict=False).is_not_null()
        present = texts.is_not_null() & ~texts.str.to_lowercase().is_in(MISSING)
        odd = column.filter(present & ~plain)
        score_texts = _parse_scores(
            odd.unique(maintain_order=True), alone=not (present & plain).any()
        )
        if not score_texts:
            continue
        table = table.with_columns(column.replace(score_texts))
        examples_of = {
            cell: f"{cell} is {text or 'missing'}" for cell, text in score_texts.items()
        }
        marks = [cell for cell in score_texts if _is_marked(cell)]
        count += int(odd.is_in(marks).sum())
        marked += [examples_of[cell] for cell in marks]
        signed = [
            (float(text), examples_of[cell])
            for cell, text in score_texts.items()
            if "%" in cell
        ]
        if signed:
            percent[name] = max(signed)
    notes = []
    if marked:
        examples = listed(marked, 2)
        notes.append(f"marks of {counted(count, 'cell')} were left out: {examples}")
    if percent:
        _, example = max(percent.values())
        notes.append(
            f"read as percent, as their cells say: {listed(percent)} ({example})"
        )
    return table, notes


def _parse_scores(cells: Iterable[str], *, alone: bool) -> dict[str, str]:
    """Return cells as numbers; none where one is not a score, or where only some have a percent sign.

    alone : no other cell of their column has a number.
    """
    score_texts, signs = dict[str, str](), set() if alone else {False}
    for cell in cells:
        if cell.strip() != stripped(cell):  # blanks that are no blanks elsewhere
            return {}
        marked = latex if _COMMAND.search(cell) else pipes
        try:
            value, percent = numbers.parse_score(marked.plain(cell))
        except ValueError:
            return {}
        if percent != ("%" in cell):  # the sign is of something else
            return {}
        score_texts[cell] = numbers.format_score(value, percent=percent)
        if score_texts[cell]:
            signs.add(percent)
    return score_texts if len(signs) == 1 else {}


def _is_marked(cell: str) -> bool:
    """Say whether a cell has more than a number and a percent sign."""
    try:
        number(cell.strip().removesuffix("%").strip())
    except ValueError:
        return True
    return False
