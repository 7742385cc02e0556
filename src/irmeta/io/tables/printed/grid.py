"""A printed table as rows of text, cells that span several columns or rows repeated."""

from collections.abc import Sequence
from typing import NamedTuple

MOST = 200
"""Columns or rows that one cell spans at most; more are damage."""


class Cell(NamedTuple):
    """A cell as it stands in a document; superscripts are written ^{}, subscripts _{}."""

    text: str
    across: int = 1
    down: int = 1


class Grid(NamedTuple):
    """A table of a document: rows of the same length, and the line that each is in.

    head : how many rows the document marks as header; 0 where it does not say.
    label : what the document calls the table, or nothing.
    """

    rows: list[list[str]]
    lines: list[int]
    head: int
    label: str


def spread(rows: Sequence[Sequence[Cell]], *, shifted: bool) -> list[list[str]]:
    """Return rows of the same length, in which each cell stands wherever it spans.

    shifted : cells move to the right of one that reaches down from above, as in HTML; LaTeX has empty ones under it.

    >>> spread([[Cell("a", down=2), Cell("b", across=2)], [Cell("c"), Cell("d")]], shifted=True)
    [['a', 'b', 'b'], ['a', 'c', 'd']]
    """
    texts: dict[tuple[int, int], str] = {}
    for r, row in enumerate(rows):
        c = 0
        for cell in row:
            while shifted and (r, c) in texts:
                c += 1
            across = min(cell.across, MOST)
            for i in range(min(cell.down, len(rows) - r, MOST)):
                for j in range(across):
                    if cell.text or (r + i, c + j) not in texts:
                        texts[r + i, c + j] = cell.text
            c += across
    width = 1 + max((c for _, c in texts), default=-1)
    return [[texts.get((r, c), "") for c in range(width)] for r in range(len(rows))]
