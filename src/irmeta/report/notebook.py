"""What a notebook shows of a result: the answer first, its plot, its tables, what else there is to know."""

from collections.abc import Iterable
from contextlib import suppress
from html import escape

import polars as pl

from irmeta.errors import IrmetaError, in_words_of_reader
from irmeta.report.forms import cell, hold_figures
from irmeta.report.tables import whole_tables
from irmeta.scores.figures import ROWS
from irmeta.studies.result import Result


def html(result: Result) -> str:
    """Return a result as HTML: findings and warnings, figure, tables of up to ROWS rows, notes."""
    parts = [*_paragraphs(result.findings)]
    parts += _paragraphs(f"Warning: {warning}" for warning in result.warnings)
    with suppress(IrmetaError):  # it has no figure, or nothing here draws
        drawn = result.plot()
        from irmeta.report.plots.figure import inline_svg

        parts.append(inline_svg(drawn))
    parts += [
        _table(title, frame) for title, frame in whole_tables(result.data).items()
    ]
    parts += _paragraphs(f"Note: {note}" for note in result.notes)
    return "\n".join(parts)


def _paragraphs(sentences: Iterable[str]) -> list[str]:
    return [f"<p>{escape(in_words_of_reader(text))}</p>" for text in sentences]


def _table(title: str, frame: pl.DataFrame) -> str:
    """Return the first rows of a table, with how many there are; texts stand to the left, where notebooks put none."""
    shown = frame.head(ROWS)
    of_all = f", first {ROWS} of {frame.height}" if frame.height > ROWS else ""
    sides = [
        "" if figures else ' style="text-align: left"'
        for figures in hold_figures(shown)
    ]

    def cells(of: str, texts: Iterable[str]) -> str:
        return "".join(
            f"<{of}{side}>{escape(text)}</{of}>"
            for side, text in zip(sides, texts, strict=True)
        )

    head = cells("th", shown.columns)
    rows = (cells("td", map(cell, row)) for row in shown.rows())
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return f"<table><caption>{escape(in_words_of_reader(title))}{of_all}</caption><tr>{head}</tr>{body}</table>"
