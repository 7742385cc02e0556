"""The page as it is written: whole, self-contained, the studies' own figures, and files beside it."""

import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import polars as pl
import pytest
import xarray as xr

from irmeta.cube import ALL, cube
from irmeta.errors import FileFormatError
from irmeta.report.page.metrics import PARTITIONS
from irmeta.report.page.panel import numbers
from irmeta.report.page.writing import write_report
from irmeta.studies import correlation, description, predictivity, significance

SECTIONS = ["data", "systems", "agreement", "power", "reporting", "prediction", "significance"]


def content(page: Path) -> dict[str, Any]:
    """Give what the page's scripts draw from."""
    found = re.search(r'<script type="application/json" id="content">(.*?)</script>', page.read_text("utf-8"), re.S)
    assert found
    return json.loads(found.group(1))


def headings(page: Path) -> list[tuple[str, str]]:
    return re.findall(r"<h([1-6])[^>]*>(.*?)</h", page.read_text("utf-8"))


def test_every_section_is_there_in_order(page: Path, page_of_three: Path) -> None:
    """A page has each study's section once, and one more where there are several collections."""
    assert re.findall(r'<section id="(\w+)"', page.read_text("utf-8")) == [*SECTIONS, "calculator"]
    of_three = [*SECTIONS[:-1], "collections", "significance", "calculator"]
    assert re.findall(r'<section id="(\w+)"', page_of_three.read_text("utf-8")) == of_three
    assert [level for level, _ in headings(page)] == ["1", *["2"] * 8]


def test_the_page_needs_nothing_else(page: Path) -> None:
    """The page loads no style, script, font or image from anywhere."""
    text = page.read_text("utf-8")
    loaded = re.findall(r"<(?:script|img|iframe|link|source)[^>]*(?:src|href)=\"([^\"]*)\"", text)
    assert loaded == ["data:,"]
    assert "@import" not in text
    assert "url(" not in text
    assert len(text) < 1_000_000


def test_names_of_users_are_text_not_markup(page: Path) -> None:
    """A system called <b>bold& stands on the page as its name."""
    text = page.read_text("utf-8")
    assert "<b>bold" not in text
    assert "<b>bold&" in content(page)["sections"]["systems"][0]["charts"][0]["data"]["systems"]


def test_figures_drawn_are_the_studies(page: Path, scores: xr.DataArray) -> None:
    """Correlations, phi and means on the page are those of the studies, to five decimals."""
    sections = content(page)["sections"]
    r = correlation.correlation(scores, level="system")["r"].values
    assert np.allclose(sections["agreement"][2]["charts"][0]["data"]["values"], r, atol=6e-6)
    sizes = [1, 2, 4, 5, 6]
    phi = predictivity.predictivity(scores, partitions=PARTITIONS, sizes=sizes, rng=5)["phi"].values
    assert np.allclose(sections["power"][0]["charts"][2]["data"]["values"], phi, atol=6e-6)
    mean = description.describe(scores)["mean"].sel(metric="RR").values
    assert np.allclose(sections["systems"][0]["charts"][0]["data"]["metrics"]["RR"]["mean"], mean, atol=6e-6)


def test_each_panel_opens_with_its_finding_and_says_how_it_was_computed(page: Path) -> None:
    """Every panel has a first sentence, and every study its options, seed and source."""
    text = page.read_text("utf-8")
    panels = re.findall(r'<div class="panel"[^>]*>(.*?)(?=<div class="panel"|</section>)', text, re.S)
    assert len(panels) == 11
    for panel in panels:
        assert re.search(r'<p class="finding">[^<]{20,}', panel)
        assert "How this was computed" in panel
        assert "Source: " in panel
    assert f"--partitions {PARTITIONS}" in text
    assert "--seed 5" in text


def test_the_notes_of_the_data_stand_in_its_section(page: Path) -> None:
    """What was remarked when the scores were made is said again."""
    section = page.read_text("utf-8").split('<section id="systems"')[0].split('<section id="data"')[1]
    assert "2 runs are short" in section
    assert "no score is missing" in section


def test_csv_files_are_the_studies_tables(page: Path, scores: xr.DataArray) -> None:
    """A CSV beside the page is the table of the JSON contract, in full precision."""
    frame = pl.read_csv(page.parent / "tables" / "agreement-topic-level-correlation.csv")
    assert frame.equals(correlation.tables(correlation.correlation(scores))["correlation"])


def test_latex_of_systems_has_booktabs_and_letters(page: Path, scores: xr.DataArray) -> None:
    """The table for print lists systems best first, those that do not differ with a letter in common."""
    lines = (page.parent / "tables" / "significance-systems.tex").read_text("utf-8").splitlines()
    assert lines[:4] == [
        "\\begin{tabular}{lrrrl}",
        "\\toprule",
        "system & mean & low & high & letters \\\\",
        "\\midrule",
    ]
    tested = significance.tables(significance.significance(scores, metric="AP@1000"))["systems"]
    rows = [line.removesuffix(" \\\\").split(" & ") for line in lines[4:-2]]
    assert [row[-1] for row in rows] == tested["letters"].to_list()
    assert [float(row[1]) for row in rows] == pytest.approx(tested["mean"].to_list(), abs=5e-4)
    assert any("bold\\&" in row[0] for row in rows)


def test_figures_are_vector_with_fonts_inside(page: Path) -> None:
    """Every figure is there as SVG, which parses, and as PDF with embedded TrueType fonts."""
    figures = page.parent / "figures"
    names = sorted(path.stem for path in figures.glob("*.svg"))
    assert names == sorted(path.stem for path in figures.glob("*.pdf"))
    assert {"systems-means", "agreement-topic-level-heatmap", "power-advantage", "significance-p-values"} <= set(names)
    for path in figures.glob("*.svg"):
        assert ElementTree.parse(path).getroot().tag.endswith("svg")
    for path in figures.glob("*.pdf"):
        assert b"/FontFile2" in path.read_bytes()


def test_a_seed_gives_the_same_page(page: Path, scores: xr.DataArray, tmp_path: Path) -> None:
    """The same scores and seed give the same page, another seed another."""
    again, other = (write_report({"made": scores}, tmp_path / str(seed), rng=seed) for seed in (5, 6))
    assert content(again) == content(page)
    assert content(other) != content(page)


def test_several_collections_have_a_tab_each_and_are_compared(page_of_three: Path) -> None:
    """Studies of one collection have a panel a collection, the comparison has raw and standardized scores."""
    sections = content(page_of_three)["sections"]
    assert len(sections["systems"]) == 3
    assert len(sections["agreement"]) == 3  # a level each, all collections together
    assert sections["collections"][0]["charts"][0]["data"]["kinds"] == ["raw", "normal"]
    assert np.shape(sections["collections"][0]["charts"][0]["data"]["values"]) == (2, 5)


def test_what_a_study_cannot_do_it_says(tmp_path: Path) -> None:
    """A table of means has no topics: sections that need them say why, and the others are there."""
    rng = np.random.default_rng(2)
    means = cube(rng.random((10, 1, 3)), [f"s{i}" for i in range(10)], [ALL], ["AP@1000", "P@10", "RR"])
    page = write_report({"means": means}, tmp_path / "report")
    text = page.read_text("utf-8")
    assert "Not computed: describe needs at least 2 systems and 2 topics" in text
    assert "Not computed: predictive power needs" in text
    agreement = content(page)["sections"]["agreement"]
    assert [len(panel["charts"]) for panel in agreement] == [0, 0, 1]


def test_missing_scores_are_counted_and_follow_the_policy(scores: xr.DataArray, tmp_path: Path) -> None:
    """Missing scores are counted on the page; without a policy studies say so, with one they drop topics."""
    holes = scores.copy()
    holes[2, 4, 1] = np.nan
    strict, dropped = (write_report({"made": holes}, tmp_path / name, missing=name) for name in ("error", "topics"))
    for page in (strict, dropped):
        assert "1 of 540 scores are missing" in page.read_text("utf-8")
    assert "Not computed: 1 of 540 scores are missing" in strict.read_text("utf-8")
    assert "Not computed" not in dropped.read_text("utf-8")
    assert "over 11 topics" in content(dropped)["sections"]["systems"][0]["charts"][0]["title"]


def test_a_metric_that_is_constant_is_left_out(scores: xr.DataArray, tmp_path: Path) -> None:
    """A metric with the same mean for every system is said to be left out, and the studies go on."""
    flat = scores.copy()
    flat[..., 3] = 0.5
    page = write_report({"made": flat}, tmp_path / "report")
    assert "RR does not tell the systems apart and is left out" in page.read_text("utf-8")
    assert "Not computed" not in page.read_text("utf-8")
    assert content(page)["sections"]["power"][0]["charts"][2]["data"]["rows"] == [
        "AP@1000",
        "P@10",
        "nDCG@10",
        "RBP(p=0.8)",
    ]


def test_a_folder_of_something_else_is_left_alone(scores: xr.DataArray, page: Path, tmp_path: Path) -> None:
    """A report goes to a new or empty folder, or where a report was before."""
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(FileFormatError, match="holds something that is not a report"):
        write_report({"made": scores}, tmp_path)
    with pytest.raises(FileFormatError, match="is a file; name a folder"):
        write_report({"made": scores}, tmp_path / "thesis.txt")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["thesis.txt"]
    assert write_report({"made": scores[:, :, :2]}, page.parent.parent / "again").is_file()
    assert write_report({"made": scores[:, :, :2]}, page.parent.parent / "again").is_file()


def test_numbers_are_rounded_and_never_nan() -> None:
    """Figures for JSON are rounded, missing ones are null, other types stay."""
    assert numbers(np.array([np.nan, np.inf, 1 / 3])) == [None, None, 0.33333]
    assert numbers(np.array([True, False])) == [True, False]
    assert numbers(np.array([2, 3])) == [2, 3]
