"""The page of papers shows every cell, its status by colour and by word, and why figures differ."""

import re
from html.parser import HTMLParser
from typing import Any

import pytest
import xarray as xr

from irmeta.report.reproduction import page
from irmeta.studies.checks.reproduction import Cell, compare, reproduction

TABLE = [
    compare("Table 1", row, column, 0.5, ours, within=0.005, known="rounding")
    for row in ("AP", "RR")
    for column, ours in (("tau", 0.501), ("R2", 0.515))
]
OTHERS = [
    Cell("Figure 2", "AP", "share", 0.5, 0.7, "contradicted", "an <erratum>"),
    Cell("Figure 2", "RR", "quartile", None, 0.25, "ours", "lost"),
    Cell("Figure 2", "RR", "share", 0.4, None, "not checkable", "lost"),
]


def outcome(cells: list[Cell]) -> xr.Dataset:
    return reproduction("made2020", cells, options={"seed": 3}, notes=["a note"])


class Tables(HTMLParser):
    """Gathers the text of each table row, and the tags that were opened and not closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, Any]]) -> None:
        if tag not in ("meta", "input", "link", "br"):
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if {"td", "th"} & set(self.open):
            self.rows[-1][-1] += data


def test_a_full_table_is_laid_out_as_in_the_paper() -> None:
    """Rows and columns of the paper stay rows and columns, each cell with published, ours and the status in words."""
    read = Tables(page([("Made", outcome(TABLE))]))
    assert read.open == []
    assert read.rows == [
        ["", "tau", "R2"],
        ["AP", "0.5 0.501reproduced", "0.5 0.515contradicted1"],
        ["RR", "0.5 0.501reproduced", "0.5 0.515contradicted1"],
    ]


def test_a_patchy_item_is_a_list_with_footnotes() -> None:
    """An item that is no full table has a line for each figure; a missing number is a dash, a reason one footnote."""
    text = page([("Made", outcome(OTHERS))])
    assert Tables(text).rows[1:] == [
        ["AP", "share", "0.5", "0.7", "0.2", "", "contradicted1"],
        ["RR", "quartile", "–", "0.25", "–", "", "ours2"],
        ["RR", "share", "0.4", "–", "–", "", "not checkable2"],
    ]
    assert re.findall(r"<ol>.*</ol>", text) == [
        "<ol><li>an &lt;erratum&gt;</li><li>lost</li></ol>"
    ]


def test_statuses_are_counted_and_contradictions_stand_open() -> None:
    """Counts by status head each paper, each status has a class that colours it; contradicted items are open."""
    text = page([("Made", outcome(TABLE + OTHERS))])
    assert re.findall(r"<b>(\d+)</b> ([a-z ]+)", text)[:4] == [
        ("2", "reproduced"),
        ("3", "contradicted"),
        ("1", "not checkable"),
        ("1", "ours"),
    ]
    assert [" open" in tag for tag in re.findall(r"<details[^>]*>", text)] == [
        True,
        True,
    ]
    for status in re.findall(r'class="status ([a-z-]+)"', text):
        assert f".{status} {{ --status:" in text


def test_a_contradiction_without_a_reason_is_called_unexpected() -> None:
    """A figure that should reproduce and does not is named above the tables and marked in its cell."""
    text = page(
        [("Made", outcome([compare("Table 1", "AP", "tau", 0.5, 0.9, within=0.01)]))]
    )
    assert (
        "<strong>Figures contradicted without a known reason: Table 1, AP, tau.</strong>"
        in text
    )
    assert "contradicted <strong>unexpectedly</strong>" in text


@pytest.mark.parametrize("mark", ["http://", "https://", "src=", "@import"])
def test_the_page_needs_nothing_else(mark: str) -> None:
    """The page is one file: it loads nothing."""
    assert mark not in page([("Made", outcome(TABLE + OTHERS))])
