"""Which table of a document is meant, and which collection in it: the one that has scores, or the one chosen."""

import re
from collections.abc import Sequence
from os import PathLike, fspath
from pathlib import Path

import polars as pl

from irmeta.errors import FileFormatError
from irmeta.io.files import Location, display, location
from irmeta.io.tables.printed import columns, hypertext, latex, pipes
from irmeta.io.tables.printed.layout import Layout, layout
from irmeta.words import counted, listed, shortened

_TABLES = re.compile(
    rb"\\begin\s*\{(tabular|longtable|array|tblr|NiceTabular)|<table\b"
    rb"|^[ \t]*+(?:\|[ \t]*+)?:?-++:?[ \t]*+\|[ \t|:-]*+\r?$",
    re.IGNORECASE | re.MULTILINE,
)
_LISTED = 8
"""Tables that a message describes."""


def is_document(data: bytes) -> bool:
    """Say whether a text has a table of LaTeX, HTML or Markdown."""
    return _TABLES.search(data) is not None


def split_fragment(path: str | PathLike[str]) -> tuple[Location, list[str]]:
    """Return where a file is, and the words behind # that choose a table or a collection in it.

    >>> split_fragment("paper.tex#tab:main#DL 19")[1]
    ['tab:main', 'DL 19']
    """
    text = fspath(path)
    if "#" not in text or ("://" not in text and Path(text).exists()):
        return location(path), []
    name, *words = text.split("#")
    return location(name), [word.strip() for word in words]


def read_document(
    text: str, where: Location, words: Sequence[str] = ()
) -> tuple[pl.DataFrame, list[str]]:
    """Return the scores of the one table of a document that has some, or of the chosen one, and what to say of them.

    words : a table's number or label, and what stands above the columns of a collection.

    Where heads of columns name metrics, the frame is long: collection if there are several, system, metric, score.
    Otherwise it is as the table: systems in the first column.
    """
    every = _find_tables(text)
    chosen = [one for one in every if {str(one.number), one.label} & set(words)]
    named = {name for one in chosen for name in (str(one.number), one.label)}
    groups = [word for word in words if word not in named]
    chosen = chosen or [one for one in every if one.columns] or every
    chosen = [one for one in chosen if set(groups) <= set(one.groups)]
    if len(chosen) != 1:
        raise FileFormatError(
            f"{display(where)}: {_choice_message(every, chosen, where, words)}"
        )
    [table] = chosen
    if table.columns:
        return columns.long_table(table, where, groups)
    return columns.text_table(table, where), []


def _find_tables(text: str) -> list[Layout]:
    """Return the tables that have rows below a header, numbered among all tables in the order of the document."""
    every = [*latex.grids(text), *hypertext.grids(text), *pipes.grids(text)]
    every.sort(key=lambda grid: grid.lines[:1])
    found = [layout(number, grid) for number, grid in enumerate(every, 1) if grid.rows]
    return [one for one in found if one.body]


def _choice_message(
    tables: Sequence[Layout],
    chosen: Sequence[Layout],
    where: Location,
    words: Sequence[str],
) -> str:
    """List the tables that there are, and say how to choose one."""
    if not tables:
        return "no table in it has a header and a row below it"
    if chosen:
        lead = f"it has {counted(len(chosen), 'table')} that may be meant"
    else:
        lead = f"it has no table or collection {'#'.join(words)!r}"
    described = chosen or tables
    listing = "; ".join(map(_describe, described[:_LISTED]))
    if len(described) > _LISTED:
        listing += f"; and {counted(len(described) - _LISTED, 'other table')}"
    return f"{lead}: {listing}; choose one by # and its number or label, as in '{display(where)}#{described[0].number}'"


def _describe(table: Layout) -> str:
    """Describe a table for a choice: its number, label, metrics or heads, and collections."""
    label = f" ({shortened(table.label, 30)})" if table.label else ""
    groups = [group for group in table.groups if group]
    above = f", collections {listed(groups)}" if groups else ""
    metrics = dict.fromkeys(column.metric for column in table.columns)
    heads = [shortened(head, 30) for head in table.heads if head]
    return f"#{table.number}{label} of {listed(metrics or heads, 6)}{above}"
