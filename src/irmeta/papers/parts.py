"""Parts of a paper's reproduction, each with the data sets that it needs; a part whose data are missing says which."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import polars as pl

from irmeta.datasets.catalog import catalog, found, missing
from irmeta.errors import FileFormatError
from irmeta.studies.checks.reproduction import Cell, lacking
from irmeta.words import listed

KNOWN = Path(__file__).with_name("cells.csv")
"""The cells of every part, as `python scripts/cells.py DATA` finds them where all data are at hand."""


class Part(NamedTuple):
    """Some cells of a paper.

    name : of the part, within its paper.  needs : data sets, as `irmeta datasets list` names them.
    cells : computes the cells; it is called where all of these are there.
    """

    name: str
    needs: Sequence[str]
    cells: Callable[[], Iterable[Cell]]


def gathered(paper: str, parts: Sequence[Part], data: Path) -> Iterator[Cell]:
    """Compute the parts whose data are in a folder, or ship; the cells of others are not checkable, with the reason.

    Data that cannot be read are a reason, too.
    """
    for part in parts:
        away = [name for name in part.needs if missing(catalog()[name], data)]
        if away:
            why = f"needs {listed(away)}, not in the data folder; irmeta datasets list --explain says where to get it"
            yield from _without(paper, part.name, why)
            continue
        try:
            cells = list(part.cells())
        except FileFormatError as error:
            why = f"needs {listed(part.needs)} as published: {error}"
            cells = list(_without(paper, part.name, why))
        yield from cells


def _without(paper: str, part: str, why: str) -> Iterator[Cell]:
    """Yield the cells of a part that cannot be computed."""
    for row in known().filter(paper=paper, part=part).iter_rows(named=True):
        yield lacking(
            row["item"], row["row"], row["column"], why, published=row["published"]
        )


def file_of(name: str, data: Path) -> Path:
    """Return where a file is, which is there: in the data folder, or in what ships."""
    return found(name, data) or data / name


@cache
def known() -> pl.DataFrame:
    """Return the cells of every part: paper, part, item, row, column, published."""
    return pl.read_csv(KNOWN, schema_overrides={"published": pl.Float64})
