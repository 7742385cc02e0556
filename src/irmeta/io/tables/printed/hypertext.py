"""Tables of HTML, also as LaTeXML and ar5iv write papers."""

import html
import re
from html.parser import HTMLParser
from typing import Any

from irmeta.io.tables.printed import latex
from irmeta.io.tables.printed.grid import Cell, Grid, spread

_MARKS = {"sup": "^", "sub": "_"}
_UNSEEN = ("script", "style", "math")


def grids(text: str) -> list[Grid]:
    """Return the tables of a document, in order; those within a cell of another are its text."""
    reader = _Reader()
    reader.feed(text)
    reader.close()
    return reader.made


def plain(text: str) -> str:
    """Return the text of a piece of HTML.

    >>> plain("<b>0.43</b><sup>&dagger;</sup>")
    ' 0.43 ^{†}'
    """
    marked = re.sub(r"<(su[bp])\b[^>]*>", lambda tag: _MARKS[tag[1]] + "{", text)
    marked = re.sub(r"</su[bp]\s*>", "}", marked)
    return html.unescape(re.sub(r"<[A-Za-z/!][^>]*>", " ", marked))


class _Reader(HTMLParser):
    """Collects rows of cells; all that is in a table of a table belongs to the cell around."""

    def __init__(self) -> None:
        super().__init__()
        self.made: list[Grid] = []
        self._figure = ""
        self._unseen = ""
        self._depth = 0
        self._open = False
        self._begin_table("")

    def _begin_table(self, label: str) -> None:
        self._label = label
        self._rows: list[list[Cell]] = []
        self._lines: list[int] = []
        self._heads: list[bool] = []
        self._in_head = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        held: dict[str, Any] = dict(attrs)
        if tag == "figure":
            self._figure = held.get("id") or ""
        if tag == "table":
            self._depth += 1
        if self._unseen or not self._depth:
            return
        if tag in _UNSEEN:
            self._unseen = tag
            self._add_text(latex.plain(held.get("alttext") or ""))
        elif self._depth > 1:
            self._add_text(" ")
        elif tag == "table":
            self._begin_table(held.get("id") or self._figure)
        elif tag == "thead":
            self._in_head = True
        elif tag == "tr":
            self._begin_row()
        elif tag in ("td", "th"):
            if not self._rows:
                self._begin_row()
            spans = [_span(held.get(name)) for name in ("colspan", "rowspan")]
            self._rows[-1].append(Cell("", *spans))
            self._heads[-1] &= self._in_head or tag == "th"
            self._open = True
        elif tag in _MARKS:
            self._add_text(_MARKS[tag] + "{")
        elif tag == "br":
            self._add_text(" ")

    def handle_endtag(self, tag: str) -> None:
        if tag == self._unseen:
            self._unseen = ""
        elif tag in _MARKS:
            self._add_text("}")
        elif tag in ("td", "th", "tr") and self._depth == 1:
            self._open = False
        elif tag == "thead":
            self._in_head = False
        elif tag == "table" and self._depth:
            self._depth -= 1
            if not self._depth:
                self._finish_table()

    def handle_data(self, data: str) -> None:
        if not self._unseen:
            self._add_text(data)

    def close(self) -> None:
        super().close()
        if self._depth:  # a document that ends within a table
            self._finish_table()

    def _begin_row(self) -> None:
        self._open = False
        self._rows.append([])
        self._lines.append(self.getpos()[0])
        self._heads.append(True)

    def _add_text(self, text: str) -> None:
        if self._open and self._depth:
            last = self._rows[-1].pop()
            self._rows[-1].append(last._replace(text=last.text + text))

    def _finish_table(self) -> None:
        """Keep the table at hand, without rows that have no cells."""
        self._open = False
        kept = [at for at, row in enumerate(self._rows) if row]
        rows = [
            [cell._replace(text=" ".join(cell.text.split())) for cell in self._rows[at]]
            for at in kept
        ]
        body = next((n for n, at in enumerate(kept) if not self._heads[at]), len(kept))
        lines = [self._lines[at] for at in kept]
        self.made.append(Grid(spread(rows, shifted=True), lines, body, self._label))


def _span(given: str | None) -> int:
    """Read how many columns or rows a cell spans; 1 where it is no such number."""
    text = (given or "").strip()
    return max(1, int(text)) if text.isdecimal() and len(text) < 6 else 1
