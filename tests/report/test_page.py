"""The page as it is written: whole, self-contained, the studies' own figures, and files beside it."""

import json
import re
from base64 import b64decode
from collections.abc import Mapping, Set
from html import unescape
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import polars as pl
import pytest
import xarray as xr
from tests.conftest import empty_figure
from tests.report.conftest import made

from irmeta.choices import Missing
from irmeta.errors import FileFormatError, ScoresError
from irmeta.report.page import templates, writing
from irmeta.report.page.collections import design as design_page
from irmeta.report.page.content import Content
from irmeta.report.page.panel import Panel, Picture, Section, numbers
from irmeta.report.page.sections import SECTIONS as NAMES
from irmeta.report.page.sections import make_sections, module_of
from irmeta.report.page.systems.description import description_of
from irmeta.report.page.systems.significance import panel as of_significance
from irmeta.report.page.systems.significance import range_of_power
from irmeta.report.page.systems.standings import _packed_scores
from irmeta.report.page.writing import _files_of, write_report
from irmeta.report.plots import figure_of
from irmeta.report.words import headlines
from irmeta.scores.attributes import recorded
from irmeta.scores.cube import cube
from irmeta.scores.figures import short
from irmeta.scores.groups.clusters import with_clusters
from irmeta.scores.tables.roles import ALL
from irmeta.studies.agreement.correlation import summary as correlation
from irmeta.studies.agreement.correlation.study import correlate
from irmeta.studies.agreement.predictivity.study import predictivity
from irmeta.studies.design.study import design
from irmeta.studies.differences.description import summary as description
from irmeta.studies.differences.description.study import describe
from irmeta.studies.differences.significance import summary as significance_summary
from irmeta.studies.differences.significance.study import significance
from irmeta.studies.result.labels import relabelled
from irmeta.words import counted

TEXTS = {name: module_of(name).TEXT for name in NAMES}
OF_SEVERAL = {"judges", "comparison"}
ONLY_WITH_MORE = {"place", "reuse", "estimate"}
"""Sections that need factors of the collection, or judgments and runs."""


def keys(without: Set[str]) -> list[str]:
    """List the keys of all sections but these, in the order of the registry, and of the calculator."""
    return [
        *(TEXTS[name].key for name in NAMES if name not in without),
        "calculator",
    ]


def content(page: Path) -> dict[str, Any]:
    """Give what the page's scripts draw from."""
    found = re.search(
        r'<script type="application/json" id="content">(.*?)</script>',
        page.read_text("utf-8"),
        re.S,
    )
    assert found
    return json.loads(found.group(1))


def headings(page: Path) -> list[tuple[str, str]]:
    return re.findall(r"<h([1-6])[^>]*>(.*?)</h", page.read_text("utf-8"))


def test_only_its_own_scripts_may_run(page: Path) -> None:
    """The policy names the digests of the page's two scripts and allows no other, no network and no frame."""
    text = page.read_text("utf-8")
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', text)[1].replace(
        "&#39;", "'"
    )
    scripts = re.findall(r"<script>(.*?)</script>", text, flags=re.DOTALL)
    assert len(scripts) == 2
    assert f"script-src {templates.script_hashes(*scripts)};" in policy
    assert policy.startswith("default-src 'none'")


def test_every_section_is_there_in_order(page: Path, page_of_three: Path) -> None:
    """A page has each study's section once, and one more where there are several collections."""
    of_one = keys(OF_SEVERAL | ONLY_WITH_MORE)
    for written, expected in ((page, of_one), (page_of_three, keys(ONLY_WITH_MORE))):
        found = re.findall(r'<section id="(\w+)"', written.read_text("utf-8"))
        assert found == expected
    assert [level for level, _ in headings(page)] == ["1", *["2"] * len(of_one)]


def test_questions_on_systems_come_first_and_those_on_metrics_are_folded(
    page: Path,
) -> None:
    """Sections on metrics and the calculator stand last, each with its first sentence, to be opened."""
    text = page.read_text("utf-8")
    order = re.findall(r'<section id="(\w+)"', text)
    folded = re.findall(r'<details class="section">.*?<h2 id="(\w+)-title"', text, re.S)
    assert folded == ["agreement", "power", "reporting", "prediction", "calculator"]
    assert order[-len(folded) :] == folded
    assert order[:3] == ["standings", "systems", "significance"]
    assert len(re.findall(r'<span class="gist">[^<]{20,}', text)) == len(folded)


def test_the_page_needs_nothing_else(page: Path) -> None:
    """The page loads no style, script, font or image from anywhere."""
    text = page.read_text("utf-8")
    loaded = re.findall(
        r"<(?:script|img|iframe|link|source)[^>]*(?:src|href)=\"([^\"]*)\"", text
    )
    assert loaded == ["data:,"]
    assert "@import" not in text
    assert not re.search(r"url\((?!#)", text)  # only places within a figure
    assert len(text) < 1_000_000


def test_options_without_a_value_are_not_listed(page: Path) -> None:
    """Nothing on the page is said to be none that nobody set."""
    text = page.read_text(encoding="utf-8")
    assert "<dt>metrics</dt>" not in text
    assert "<dt>top</dt>" not in text


def test_names_of_users_are_text_not_markup(page: Path) -> None:
    """A system called <b>bold& stands on the page as its name."""
    text = page.read_text("utf-8")
    assert "<b>bold" not in text
    assert "<b>bold&" in content(page)["marks"]["systems-means"][0]["names"]
    assert text.count("&lt;b&gt;bold&amp;") > 3


def words(page: Path, figure: str) -> dict[str, str]:
    """Give what the marks of a figure say, by their names."""
    found: dict[str, str] = {}
    for group in content(page)["marks"][figure]:
        names = group.get("names") or [
            f"{row}, {column}" for row in group["rows"] for column in group["columns"]
        ]
        found |= dict(zip(names, group["words"], strict=True))
    return found


def test_marks_say_the_figures_of_the_studies(page: Path, scores: xr.DataArray) -> None:
    """What the marks of means, correlations and phi say are the studies' figures, to three decimals."""
    outcome = describe(scores, by="AP@1000", rng=5).sel(metric="AP@1000")
    for system, said in words(page, "systems-means").items():
        assert said.startswith(f"mean {short(outcome['mean'].sel(system=system), 3)},")
    r = correlate(scores, unit="system")["r"].values
    phi = predictivity(scores, sizes=[1, 2, 4, 5, 6], rng=5)["phi"].values
    metrics = scores.metric.values
    for figure, values in (("agreement-system-level-heatmap", r), ("power-phi", phi)):
        said = words(page, figure)
        for (i, j), value in np.ndenumerate(values):
            assert said[f"{metrics[i]}, {metrics[j]}"] == short(value, 3)


def test_each_panel_says_how_it_was_computed_and_its_finding_once(page: Path) -> None:
    """Every finding stands at the top, linked to its panel, or in its panel; every study has options, seed, source."""
    text = page.read_text("utf-8")
    panels = re.findall(
        r'<div class="panel"[^>]*>(.*?)(?=<div class="panel"|</section>)', text, re.S
    )
    assert len(panels) == 14
    top = text.partition('class="short"')[2].partition("</ul>")[0]
    assert len(re.findall(r'<li><a href="#\w+">[^<]+</a> [^<]{20,}', top)) == 6
    for panel in panels:
        for said in re.findall(r'<p class="finding">([^<]{20,})', panel):
            assert said not in top
        assert "how it was computed" in panel
        assert "Source: " in panel
    assert len(re.findall("For a paper: We used irmeta [^<]{99,}", text)) == 12
    assert f"--partitions {design_page.PARTITIONS}" in text
    assert "--seed 5" in text


def test_the_section_on_design_draws_the_studys_figures(
    page: Path, scores: xr.DataArray
) -> None:
    """The marks of a metric's line are worth by cost, each under the name of its metric."""
    outcome = design(scores, partitions=design_page.PARTITIONS, rng=5)
    worth = dict(zip(outcome["label"].values, outcome["tau"].values, strict=True))
    for line in content(page)["marks"]["design-design"]:
        said = [one.split()[1] for one in line["words"]]
        assert said == [short(tau, 3) for tau in worth[line["names"][0]]]


def test_the_notes_of_the_data_stand_in_its_section(page: Path) -> None:
    """What was remarked when the scores were made is said again."""
    section = (
        page.read_text("utf-8")
        .split('<section id="agreement"')[0]
        .split('<section id="data"')[1]
    )
    assert "2 runs are short" in section


def test_csv_files_are_the_studies_tables(page: Path, scores: xr.DataArray) -> None:
    """A CSV beside the page is the table of the JSON contract, in full precision."""
    frame = pl.read_csv(
        page.parent / "tables" / "agreement-topic-level-correlation.csv"
    )
    assert frame.equals(correlation.tables(correlate(scores))["correlation"])


def test_letters_of_the_best_are_said_to_be_theirs(
    scores: xr.DataArray, page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where more systems are shown than have letters the visible sentence says so, else it does not."""
    assert "letters compare two at a time" in page.read_text("utf-8")
    monkeypatch.setattr(writing, "_write_figure", empty_figure)
    monkeypatch.setattr("irmeta.report.page.systems.significance.LETTERED", 5)
    few = write_report({"made": scores}, tmp_path / "few", rng=5)
    assert "letters, of the best 5, compare two at a time" in few.read_text("utf-8")


def test_latex_of_systems_has_booktabs_and_letters(
    page: Path, scores: xr.DataArray
) -> None:
    """The table for print lists systems best first, those that do not differ with a letter in common."""
    lines = (
        (page.parent / "tables" / "significance-systems.tex")
        .read_text("utf-8")
        .splitlines()
    )
    assert lines[:4] == [
        "\\begin{tabular}{lrrrl}",
        "\\toprule",
        "system & mean & low & high & letters \\\\",
        "\\midrule",
    ]
    tested = significance_summary.tables(significance(scores, metrics="AP@1000"))[
        "systems"
    ]
    rows = [line.removesuffix(" \\\\").split(" & ") for line in lines[4:-2]]
    assert [row[-1] for row in rows] == tested["letters"].to_list()
    assert [float(row[1]) for row in rows] == pytest.approx(
        tested["mean"].to_list(), abs=5e-4
    )
    assert any("bold\\&" in row[0] for row in rows)


def test_the_card_on_differences_is_about_the_metric_of_the_page() -> None:
    """With more metrics than a terminal speaks of, and another than the first, pairs that differ come first."""
    rng = np.random.default_rng(0)
    metrics = ["AP", "P@5", "Bpref", "RR", "nDCG@10", "nDCG@20"]
    made = cube(
        rng.random((4, 20, 6)), list("abcd"), list(map(str, range(20))), metrics
    )
    content = Content.prepared(
        {"made": made}, by="nDCG@10", missing="error", source="s.parquet"
    )
    said = of_significance(content, "made").findings[0]
    assert said.startswith("nDCG@10: ")
    assert "of 6 pairs differ significantly" in said


def test_figures_are_drawn_once_for_page_and_files(page: Path) -> None:
    """Every figure of the page is a file, too, the same SVG; PDFs are there only if somebody asked for them."""
    figures = page.parent / "figures"
    text = page.read_text("utf-8")
    names = {path.stem for path in figures.iterdir()}
    assert {
        "systems-means",
        "systems-ranks",
        "agreement-topic-level-heatmap",
        "power-advantage",
        "significance-power",
    } <= names
    for path in figures.iterdir():
        assert path.suffix == ".svg"
        assert ElementTree.parse(path).getroot().tag.endswith("svg")
        assert path.read_text("utf-8") in text


def test_a_report_for_print_has_pdfs(
    scores: xr.DataArray, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On request every figure is there as PDF, too, with embedded TrueType fonts."""
    outcome = describe(scores)
    picture = Picture("Means", lambda: figure_of(outcome))
    panel = Panel("made", ["Said."], pictures={"means": picture})
    made = [Section("systems", "Systems", "Who?", "", "", [panel])]
    monkeypatch.setattr(
        "irmeta.report.page.writing.make_sections", lambda *_, **__: made
    )
    page = write_report({"made": scores}, tmp_path / "r", pdf=True)
    assert b"/FontFile2" in (page.parent / "figures/systems-means.pdf").read_bytes()
    assert (page.parent / "figures/systems-means.svg").is_file()


def run(
    cubes: Mapping[str, xr.DataArray], missing: Missing = "error", seed: int = 0
) -> dict[str, list[Panel]]:
    """Run the studies of the page, without writing it."""
    made = make_sections(cubes, missing=missing, rng=seed)
    return {section.key: list(section.panels) for section in made}


def test_a_seed_gives_the_same_page(scores: xr.DataArray) -> None:
    """The same scores and seed give the same tables, another seed others."""

    def tables(seed: int) -> list[dict[str, list[Any]]]:
        found = run({"made": scores}, seed=seed)
        return [
            {name: frame.rows() for name, frame in panel.tables.items()}
            for key in ("power", "reporting")
            for panel in found[key]
        ]

    first = tables(5)
    assert first == tables(5)
    assert first != tables(6)


def test_several_collections_have_a_tab_each_and_are_compared(
    page_of_three: Path,
) -> None:
    """Studies of one collection have a panel for each, the comparison has raw and standardized scores."""
    text = page_of_three.read_text("utf-8")
    assert text.count('id="systems-tab-') == 3
    assert (
        "irmeta describe scores.parquet --collection second"
        in page_of_three.read_text("utf-8")
    )
    assert text.count('id="agreement-tab-') == 3  # a level each, of all collections


def test_what_a_study_cannot_do_it_says() -> None:
    """A table of means has no topics: sections that need them say why, and the others are there."""
    rng = np.random.default_rng(2)
    alike = 0.2 + 0.5 * rng.random((10, 1, 1)) + 0.1 * rng.random((10, 1, 3))
    means = cube(alike, [f"s{i}" for i in range(10)], [ALL], ["AP@1000", "P@10", "RR"])
    found = run({"means": means})
    for section in ("systems", "power"):
        told = found[section][0].findings[0]
        assert told.startswith("Not computed: these scores are means")
    assert [len(panel.pictures) for panel in found["agreement"]] == [1]  # of means
    assert len(found["prediction"][0].pictures) == 2


def test_missing_scores_are_counted_and_follow_the_policy(scores: xr.DataArray) -> None:
    """Missing scores are counted on the page; without a policy studies say so, with one they drop topics."""
    holes = scores.copy()
    holes[2, 4, 1] = np.nan
    strict, dropped = run({"made": holes}), run({"made": holes}, missing="topics")
    for found in (strict, dropped):
        assert "1 of 540 scores are missing" in found["data"][0].findings[0]
    assert {
        key
        for key, panels in strict.items()
        if not panels[0].findings[0].startswith("Not computed")
    } == {"data"}
    assert (
        "Not computed: 1 of 540 scores are missing" in strict["systems"][0].findings[0]
    )
    assert not any(
        panel.findings[0].startswith("Not computed")
        for panels in dropped.values()
        for panel in panels
    )
    assert "over 11 topics" in dropped["systems"][0].pictures["means"].title


def test_the_page_says_ahead_of_who_leads_what_is_left_out(
    scores: xr.DataArray,
) -> None:
    """A best system that lacks scores is named, with what keeps it, and commands leave out what the page leaves out."""
    holes = scores.isel(metric=[0]).copy()
    holes[4] = holes.max("system") + 0.01
    holes[4, :2] = np.nan
    [best] = run({"made": holes}, "common")["standings"]
    name, leader = str(holes.system.values[4]), best.board["rows"][0]["system"]
    assert best.findings[0].startswith(
        "Who is best cannot be said, as what lacks scores is left out: 1 of 9 systems "
        f"({name} among them). Of the others, {leader} leads by "
    )
    assert best.warnings == [
        f"made: {name}, left out, is ahead of {leader} on the 10 topics that both have; "
        "irmeta leaderboard scores.parquet --holes predict leaves out none."
    ]
    assert re.search(r"; (no|\d+) other systems? of the 8 compared ", best.findings[0])
    assert best.command.startswith("irmeta table scores.parquet --missing common")
    [whole] = run({"made": scores}, "common")["standings"]
    assert not whole.warnings
    assert "Without" not in whole.findings[0]


def test_one_section_counts_those_beside_the_best(scores: xr.DataArray) -> None:
    """Who may be the best is counted once, without the best itself; tests count the pairs."""
    close = scores / 10
    close.values += np.random.default_rng(1).random(close.shape) / 2
    [first] = run({"made": close}, "common")["standings"]
    content = Content.prepared({"made": close}, missing="common")
    by = first.options["by"]
    may = description_of(content, "made").sel(metric=by)["rank_low"]
    others = counted(int((may == 1).sum()) - 1, "other system")
    assert others[0] != "0"
    assert first.findings[0].endswith(
        f"; {others} may be the best on topics like these."
    )
    [tests] = run({"made": close}, "common")["significance"]
    assert tests.findings[0].startswith(f"{by}: ")
    assert tests.findings[0].endswith("alpha 0.05).")


def test_a_metric_that_is_constant_is_left_out(scores: xr.DataArray) -> None:
    """A metric with the same mean for every system is said to be left out, and the studies go on."""
    flat = scores.copy()
    flat[..., 3] = 0.5
    found = run({"made": flat})
    assert (
        "RR has the same mean for every system; left out"
        in found["data"][0].findings[1]
    )
    assert not any(
        panel.findings[0].startswith("Not computed")
        for panels in found.values()
        for panel in panels
    )
    predictors = found["power"][0].tables["phi"]["metric_a"].unique(maintain_order=True)
    assert predictors.to_list() == ["AP@1000", "P@10", "nDCG@10", "RBP(p=0.8)"]


def test_reliability_speaks_of_the_metric_that_systems_are_ordered_by(
    scores: xr.DataArray,
) -> None:
    """Its headline is about the metric of the leaderboard, wherever that metric stands in the scores."""
    last = str(scores.metric.values[-1])
    [section] = [
        one
        for one in make_sections({"made": scores}, rng=0, by=last)
        if one.key == "reliability"
    ]
    assert section.panels[0].findings[0].startswith(f"made, {last}: ")


def test_clusters_are_not_called_topics(scores: xr.DataArray) -> None:
    """Of topics in clusters titles and heads of tables count clusters, as sentences do."""
    topics = [str(name) for name in scores.topic.values]
    clusters = {name: str(at // 2) for at, name in enumerate(topics)}
    two = with_clusters(scores[:2], clusters)
    units = f"{len(set(clusters.values()))} clusters"
    sections = {one.key: one for one in make_sections({"made": two}, rng=0)}
    (systems,), (size,) = (sections[key].panels for key in ("systems", "reliability"))
    assert systems.pictures["means"].title.endswith(f"over {units}")
    assert list(size.pictures) == ["differences"]
    assert size.pictures["differences"].title.endswith("by the number of clusters")
    assert {systems.unit, size.unit} == {"cluster"}


def test_the_range_of_power_is_a_description() -> None:
    """Metrics are named with the ends of the share of pairs, without a verdict; none where all shares are equal."""
    power = pl.DataFrame({"metric": ["RR", "AP"], "share_significant": [0.1, 0.0]})
    [said] = range_of_power(power)
    assert "goes from 0.0% (AP) to 10.0% (RR)" in said
    assert "no interval" in said
    assert range_of_power(power.with_columns(share_significant=0.1)) == []
    assert range_of_power(power[:1]) == []


def test_one_system_is_no_report(scores: xr.DataArray) -> None:
    """Scores that distinguish no systems, as those of one system, are an error that says so."""
    with pytest.raises(ScoresError, match="made: no metric distinguishes its 1 system"):
        run({"made": scores[:1]})


def test_metrics_of_the_user_s_own_are_welcome(scores: xr.DataArray) -> None:
    """Metrics that irmeta does not know are compared like others; only prediction does without them."""
    own = scores.assign_coords(metric=["clicks", "dwell", "nDCG@10", "RR", "P@10"])
    found = run({"made": own})
    assert found["systems"][0].pictures["means"].title.startswith("Means by clicks")
    assert "clicks" not in found["prediction"][0].tables["accuracy"]["metric"].to_list()


def test_a_folder_of_something_else_is_left_alone(
    scores: xr.DataArray, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A report goes to a new or empty folder, or where a report was before."""
    monkeypatch.setattr("irmeta.report.page.writing.make_sections", lambda *_, **__: [])
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(FileFormatError, match="holds something that is not a report"):
        write_report({"made": scores}, tmp_path)
    with pytest.raises(FileFormatError, match="is a file; name a folder"):
        write_report({"made": scores}, tmp_path / "thesis.txt")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["thesis.txt"]
    for _ in range(2):
        assert write_report({"made": scores}, tmp_path / "report").is_file()


def test_each_panel_has_files_of_its_own_and_old_ones_go(
    scores: xr.DataArray, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Names in any script tell files apart, and names that would not are numbered; files of an earlier page go."""

    def section(*labels: str) -> list[Section]:
        panels = [
            Panel(
                label,
                ["Said."],
                tables={"means": pl.DataFrame({"label": [label]})},
                options={"seed": 0},
            )
            for label in labels
        ]
        return [Section("systems", "Systems", "Who?", "", "", panels)]

    made = section("東京", "大阪", "A b", "a-b")
    titled = Panel(
        "targets",
        ["Said."],
        latex={"predictors: how many (of 3), each": pl.DataFrame()},
    )
    assert _files_of("power", titled, []) == ["tables/power-predictors.tex"]
    monkeypatch.setattr(
        "irmeta.report.page.writing.make_sections", lambda *_, **__: made
    )
    write_report({"made": scores}, tmp_path)
    (tmp_path / "tables" / "mine.csv").write_text("years of work")
    names = {"systems-東京-means.csv": "東京", "systems-大阪-means.csv": "大阪"}
    names |= {"systems-a-b-means.csv": "A b", "systems-a-b-2-means.csv": "a-b"}
    assert {path.name for path in (tmp_path / "tables").iterdir()} == {
        "mine.csv",
        *names,
    }
    for name, label in names.items():
        assert pl.read_csv(tmp_path / "tables" / name)["label"].item() == label
    made = section("京都")
    write_report({"made": scores}, tmp_path)
    assert {path.name for path in (tmp_path / "tables").iterdir()} == {
        "mine.csv",
        "systems-means.csv",
    }


def test_numbers_are_rounded_and_never_nan() -> None:
    """Figures for JSON are rounded, missing ones are null, other types stay."""
    assert numbers(np.array([np.nan, np.inf, 1 / 3])) == [None, None, 0.3333333]
    assert numbers(np.array([True, False])) == [True, False]
    assert numbers(np.array([2, 3])) == [2, 3]


def _panel(*labels: str) -> list[Section]:
    panels = [
        Panel(label, ["Said."], tables={"means": pl.DataFrame({"label": [label]})})
        for label in labels
    ]
    return [Section("systems", "Systems", "Who?", "", "", panels)]


@pytest.mark.parametrize(
    "listed", ["tables/../../victim/thesis.tex", "../victim/thesis.tex", "thesis.tex"]
)
def test_a_page_from_elsewhere_removes_nothing(
    scores: xr.DataArray, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, listed: str
) -> None:
    """Neither links of a page nor names in its list lead a report to files that it did not write."""
    monkeypatch.setattr(
        "irmeta.report.page.writing.make_sections", lambda *_, **__: _panel("a")
    )
    folder, victim = tmp_path / "report", tmp_path / "victim"
    folder.mkdir()
    victim.mkdir()
    (victim / "thesis.tex").write_text("years of work")
    (folder / "thesis.tex").write_text("years of work")
    page = f'<meta name="generator" content="irmeta report"><a href="{listed}">'
    (folder / "index.html").write_text(page)
    with pytest.raises(FileFormatError, match=r"without a list of its files"):
        write_report({"made": scores}, folder)
    (folder / ".irmeta-report.json").write_text(
        json.dumps({"files": {listed: None, "index.html": None}})
    )
    write_report({"made": scores}, folder)
    assert (
        (victim / "thesis.tex").read_text()
        == (folder / "thesis.tex").read_text()
        == "years of work"
    )


def test_a_report_does_not_write_through_links_nor_over_changed_files(
    scores: xr.DataArray, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A table that somebody changed is neither replaced nor removed, and a folder that is a link is refused."""
    monkeypatch.setattr(
        "irmeta.report.page.writing.make_sections", lambda *_, **__: _panel("a")
    )
    folder, other = tmp_path / "report", tmp_path / "other"
    write_report({"made": scores}, folder)
    table = folder / "tables" / "systems-means.csv"
    table.write_text("my own numbers")
    with pytest.raises(FileFormatError, match="was changed after the report wrote it"):
        write_report({"made": scores}, folder)
    assert table.read_text() == "my own numbers"
    assert (folder / "index.html").is_file()
    (folder / "tables").rename(other)
    (folder / "tables").symlink_to(other)
    with pytest.raises(FileFormatError, match="is a link to another folder"):
        write_report({"made": scores}, folder)
    assert table.read_text() == "my own numbers"


def test_an_interrupted_report_is_run_again(
    scores: xr.DataArray, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A report that stops while it writes can be run again, and leaves the same files as one that did not stop."""
    monkeypatch.setattr(
        "irmeta.report.page.writing.make_sections", lambda *_, **__: _panel("a", "b")
    )
    write = writing._write_files
    half = tmp_path / "one" / "tables" / ".systems-b-means.csv.12345678.part"

    def stop_at_b(written: Any, stem: str, panel: Panel, **forms: Any) -> Any:
        figures = write(written, stem, panel, **forms)
        half.write_text("half")
        if panel.label == "b":
            raise KeyboardInterrupt
        return figures

    monkeypatch.setattr(writing, "_write_files", stop_at_b)
    with pytest.raises(KeyboardInterrupt):
        write_report({"made": scores}, tmp_path / "one")
    monkeypatch.setattr(writing, "_write_files", write)
    for name in ("one", "two"):
        write_report({"made": scores}, tmp_path / name)
    one, two = (
        {
            path.relative_to(tmp_path / name): path.read_bytes()
            for path in (tmp_path / name).rglob("*.*")
        }
        for name in ("one", "two")
    )
    assert one == two
    assert len(one) == 4


def test_numbers_of_a_page_that_are_not_finite_are_null() -> None:
    """The JSON of a page has null for infinite and missing numbers, wherever they stand."""
    assert (
        templates.json_script({"a": [float("nan"), {"b": float("inf")}, 1.5]})
        == '{"a":[null,{"b":null},1.5]}'
    )


def test_the_top_of_a_page_has_the_answers_of_all_collections(
    page_of_three: Path,
) -> None:
    """Each answer at the top says of which collection it is, on the page and on the terminal, which has a screen."""
    text = page_of_three.read_text("utf-8")
    top = text.partition('class="short"')[2].partition("</ul>")[0]
    said = re.findall(r"(first|second|third): .{1,99} leads? by AP@1000", top)
    assert said == ["first", "second", "third"]
    power = re.search(r'"power-title".*?"gist">(.*?)</span>', text, re.DOTALL)[1]
    assert all(f"On {name}, " in power for name in ("first", "second", "third"))
    cubes = {name: made(seed, name) for seed, name in enumerate(("first", "second"))}
    lines = headlines(make_sections(cubes, rng=5))
    assert lines.count("\n") <= 22
    told = " ".join(lines.split())
    assert "Leaderboard, first: " in told
    assert "Leaderboard, second: " in told
    assert re.search("Also on the page: .*Size of the collection", told)


@pytest.mark.usefixtures("empty_figures")
def test_runs_that_lack_topics_are_in_the_answer(
    scores: xr.DataArray, tmp_path: Path
) -> None:
    """That no score is missing is said with the runs that score 0 for topics that they lack."""
    lacking = {"system 1": 2, "system 2": 0, "left out": 1}
    facts = recorded({"lacking": lacking, "scored": scores.sizes["topic"]})
    [data] = run({"made": scores.assign_attrs(facts)})["data"]
    assert data.findings[0].endswith(
        "no score is missing, but 1 run lacks topics, where the score is 0: system 1 on 2."
    )
    called, _ = relabelled({"made": scores.assign_attrs(facts)}, {"system 1": "Ours"})
    [data] = run(called)["data"]
    assert data.findings[0].endswith("where the score is 0: Ours on 2.")


@pytest.mark.usefixtures("empty_figures")
def test_a_report_with_a_few_missing_scores_is_nearly_whole(
    scores: xr.DataArray, tmp_path: Path
) -> None:
    """Missing scores cost the fewest systems and topics; the page says which way was chosen, and computes the rest."""
    holey = scores.copy()
    holey[2, 3] = np.nan
    holey[5, 7:9] = np.nan
    _, made = writing.write_sections({"made": holey}, tmp_path / "r")
    assert not [
        panel
        for section in made
        for panel in section.panels
        if panel.findings[0].startswith("Not computed")
    ]
    [data] = [section for section in made if section.key == "data"]
    assert (
        "dropped 1 of 9 systems (system 5) and 1 of 12 topics (t3)"
        in data.panels[0].warnings[0]
    )
    assert "missing=" in headlines(made)


def test_a_metric_without_scores_does_not_empty_a_report(scores: xr.DataArray) -> None:
    """A metric that lacks most of its scores is left out, and the section on the data says so."""
    holey = scores.copy()
    holey[:, 1:, 2] = np.nan
    [panel] = run({"made": holey}, "common")["data"]
    assert panel.warnings == [
        "made: nDCG@10: left out of all sections, as most scores are missing."
    ]


def test_the_leaderboard_has_the_studies_means_and_scores(
    page: Path, scores: xr.DataArray
) -> None:
    """The first section holds every system's means and possible ranks, and all scores of topics."""
    means = description.tables(describe(scores, by="AP@1000", rng=5))["means"]
    text = page.read_text("utf-8")
    board = text[text.index('<div class="board') : text.index('class="versus"')]
    rows = re.findall(r"<tr[^>]*>(<td>.*?)</tr>", board, re.S)
    assert len(rows) == 9
    for row in rows:
        cells = [unescape(text) for text in re.findall(r">([^<>]+)<", row)]
        [own] = means.filter(system=cells[1], metric="AP@1000").to_dicts()
        low, high = own["rank_low"], own["rank_high"]
        assert cells[0] == str(own["rank"])
        assert cells[3] == (str(low) if low == high else f"{low} to {high}")
        assert cells[2] == short(own["mean"], 3)
    packed = content(page)["boards"]["standings-0"]["scores"]["RR"]
    codes = np.frombuffer(b64decode(packed["codes"]), dtype="<u4").reshape(
        scores.shape[:2]
    )
    np.testing.assert_allclose(
        packed["low"] + codes * packed["step"],
        scores.sel(metric="RR").values,
        atol=1e-9,
    )


def test_scores_are_packed_as_they_are() -> None:
    """Tenths, as of P@10, and what hardly differs come back, so that the page counts and rounds as commands do."""
    values = np.array([[0.2, 0.3, 0.7, 0.9, 0.21624, 0.21616]])
    packed = _packed_scores(values)
    codes = np.frombuffer(b64decode(packed["codes"]), dtype="<u4")
    unpacked = packed["low"] + codes * packed["step"]
    np.testing.assert_allclose(unpacked[:4], values[0, :4], atol=1e-12)
    np.testing.assert_allclose(unpacked, values[0], atol=1e-9)


@pytest.mark.usefixtures("empty_figures")
def test_a_page_has_a_title_and_marks_systems(
    scores: xr.DataArray, tmp_path: Path
) -> None:
    """The title stands in heading and window; marked systems stand in the leaderboard; an unknown one is an error."""
    page = write_report(
        {"made": scores}, tmp_path / "r", title="Round 5", highlight="system*"
    )
    assert ("1", "Round 5") in headings(page)
    assert "<title>Round 5" in page.read_text("utf-8")
    size = f"{scores.sizes['system']} systems on {scores.sizes['topic']} topics"
    untitled = write_report({"made": scores}, tmp_path / "untitled")
    assert f"<h1>made: {size}</h1>" in untitled.read_text("utf-8")
    of_means = scores.mean("topic").expand_dims(topic=["all"], axis=1)
    assert writing._title_of({"m": of_means}) == f"m: {scores.sizes['system']} systems"
    assert len(content(page)["boards"]["standings-0"]["marked"]) == 8
    assert page.read_text("utf-8").count('<tr class="marked">') == 8
    with pytest.raises(ScoresError, match="no system 'nobody'"):
        write_report({"made": scores}, tmp_path / "s", highlight="nobody")


@pytest.mark.usefixtures("empty_figures")
def test_a_warning_stands_beside_its_headline(
    scores: xr.DataArray, tmp_path: Path
) -> None:
    """What a reader must not miss stands in the box at the top of the page, said to be a warning, and only there."""
    holey = scores.copy()
    holey[2, 3] = np.nan
    text = write_report({"made": holey}, tmp_path / "r").read_text("utf-8")
    boxes = text[text.index('<ul class="short"') : text.index("</ul>")]
    said = "Warning: made: 5 of 540 scores are missing"
    assert f'<strong class="warning">{said}' in boxes
    assert f'<p class="warning">{said}' not in text


def test_one_metric_has_no_sections_on_metrics(scores: xr.DataArray) -> None:
    """Of a single metric nothing is said about agreement, choice and prediction; the other sections are there."""
    found = run({"made": scores.sel(metric=["RR"])})
    assert not {"agreement", "reporting", "prediction"} & set(found)
    assert {"standings", "systems", "power"} <= set(found)
