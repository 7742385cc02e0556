"""What holds of every paper that is re-run."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import get_args

import polars as pl
import pytest

from irmeta.studies.checks.reproduction import Status

pytestmark = [pytest.mark.data, pytest.mark.slow]

DOCS = Path(__file__).parents[2] / "docs" / "papers.md"
MISSING = re.compile("needs |not released|not public|not in the data folder")


NAMES = [
    "webber2008-redundant",
    "gupta2019",
    "urbano2013",
    "urbano2016",
    "webber2008-standardization",
]


@pytest.fixture(scope="module", params=NAMES)
def paper(request: pytest.FixtureRequest) -> str:
    """The name of a paper."""
    return str(request.param)


@pytest.fixture(scope="module")
def cells(paper: str, cells_of: Callable[..., pl.DataFrame]) -> pl.DataFrame:
    """Its cells."""
    return cells_of(paper)


def test_no_figure_stands_twice(cells: pl.DataFrame) -> None:
    """Item, row and column name one cell."""
    assert not cells.select("item", "row", "column").is_duplicated().any()


def test_every_status_follows_from_its_rule(cells: pl.DataFrame) -> None:
    """A reader who applies the rule to the two figures finds the status; without a rule there is no verdict."""
    judged = cells.filter(pl.col("status").is_in(["reproduced", "contradicted"]))
    assert judged.height >= 7
    for cell in judged.iter_rows(named=True):
        assert (cell["status"] == "reproduced") is _keeps(cell), cell
    assert cells.filter(status="open")["note"].str.contains("holds 0").all()
    others = cells.filter(
        ~pl.col("status").is_in(["reproduced", "contradicted", "open"])
    )
    assert (others["rule"] == "").all()


def _keeps(cell: dict[str, float | str]) -> bool:
    if within := re.fullmatch(r"within (\S+)", cell["rule"]):
        return abs(cell["ours"] - cell["published"]) <= float(within[1]) + 1e-9
    ends = dict(part.rsplit(" ", 1) for part in cell["rule"].split(" and "))
    low, high = float(ends.get("at least", "-inf")), float(ends.get("at most", "inf"))
    # rules are written with four digits
    return (
        low - 1e-4 * abs(low) - 1e-9 <= cell["ours"] <= high + 1e-4 * abs(high) + 1e-9
    )


def test_what_is_not_checkable_names_what_is_missing(cells: pl.DataFrame) -> None:
    """The note of such a cell says which data it takes, and no verdict is passed on a stand-in."""
    for note in cells.filter(status="not checkable")["note"].unique():
        assert MISSING.search(note), note


def test_every_contradiction_has_its_reason(cells: pl.DataFrame) -> None:
    """The note of a contradiction holds what the paper says and why the data deny it."""
    assert (cells.filter(status="contradicted")["note"].str.len_chars() > 20).all()


def test_the_totals_stand_in_the_docs(paper: str, cells: pl.DataFrame) -> None:
    """The table of docs/papers.md counts the cells of each status."""
    counts = [
        cells.height,
        *((cells["status"] == status).sum() for status in get_args(Status)),
    ]
    assert f"| {paper} | {' | '.join(map(str, counts))} |" in DOCS.read_text(
        encoding="utf-8"
    )


def test_no_status_depends_on_the_seed(
    paper: str, cells: pl.DataFrame, cells_of: Callable[..., pl.DataFrame]
) -> None:
    """Another seed gives every cell the same status."""
    assert cells_of(paper, 1)["status"].to_list() == cells["status"].to_list()
