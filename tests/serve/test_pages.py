"""What the pages of a board say of runs, topics and progress, and what lies beside them."""

import csv
import json
import re
import shutil
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import irmeta
from irmeta.serve.catalogue import boards, submissions, tables
from irmeta.serve.catalogue.snapshot import snapshot
from irmeta.serve.operating import importing
from irmeta.serve.pages import html, publishing
from irmeta.serve.results.answers import Interval
from irmeta.serve.results.standing import Line, Standing, _finding, compute_standing
from irmeta.serve.site import Site
from irmeta.words import decimal

from .conftest import a_run, work_off, write_qrels


def page(site: Site, name: str = "") -> str:
    """Return a page of the board `lab` as the public sees it."""
    return (site.public / f"b/lab/{name}index.html").read_text()


def test_a_frozen_copy_takes_no_runs(filled: Site, tmp_path: Path) -> None:
    """A living board says how to submit; its frozen copy says that it is one, and not how to submit."""
    publishing.publish(filled)
    publishing.freeze(filled, tmp_path / "one")
    frozen = tmp_path / "one/b/lab/about/index.html"
    assert "irmeta submit" in page(filled, "about/")
    assert "irmeta submit" not in frozen.read_text()
    for name in ("", "about/"):
        assert 'href="../../my/"' in page(filled, name).replace("../" * 3, "../../")
        assert "my/" not in (tmp_path / "one/b/lab" / name / "index.html").read_text()
    for one in (frozen, tmp_path / "one/index.html"):
        assert "A frozen copy, " in one.read_text()
    assert "frozen" not in page(filled)


def test_a_run_is_cited(filled: Site) -> None:
    """A run's BibTeX names its team, its board, the day and its address, whatever the team is called."""
    (filled.folder / "site.toml").write_text('address = "https://runs.example"\n')
    site = Site.open(filled.folder)
    engine = tables.open_catalogue(site.database)
    odd = {"team": "A & B}, url={x", "type": "manual"}
    content = importing.copy_run(site, next(site.folder.glob("runs/*/*")))
    given = (engine, "lab", "odd_1", content)
    key = submissions.submit(*given, received=86_400_000_000, about=odd).key
    work_off(site, engine)
    engine.dispose()
    publishing.publish(site)
    text = (site.public / f"b/lab/s/{key}/cite.bib").read_text()
    assert text.count("{") == text.count("}")
    fields = dict(re.findall(r"^  (\w+) = \{(.*)\},?$", text, flags=re.M))
    assert fields == {
        "author": r"{A \& B\textbraceright{}, url=\textbraceleft{}x}",
        "title": r"{Run odd\_1 on lab}",
        "year": "1970",
        "date": "1970-01-02",
        "url": f"https://runs.example/b/lab/s/{key}/",
        "note": f"SHA-256 {content.digest}",
    }


def test_bars_fill_the_axis_that_is_named(filled: Site) -> None:
    """The axis of a table's bars is what its means and intervals need, rounded outward to tenths, and is said."""
    publishing.publish(filled)
    text = page(filled)
    with (filled.public / "b/lab/data/table.csv").open() as file:
        rows = list(csv.DictReader(file))
    ends = [float(row[name]) for row in rows for name in ("mean", "low", "high")]
    low, high = np.floor(10 * min(ends)) / 10, np.ceil(10 * max(ends)) / 10
    assert f"bars on an axis from {decimal(low)} to {decimal(high)}" in text
    means = [float(row["mean"]) for row in rows]
    drawn = [float(at) for at in re.findall(r'class="mean" d="M([\d.]+) ', text)]
    wanted = [100 * (one - low) / (high - low) for one in means]
    assert drawn == pytest.approx(wanted, abs=0.06)


def test_topics_say_how_many_runs_share_the_best_score(filled: Site) -> None:
    """Beside the best run of a topic stands how many others have its score."""
    publishing.publish(filled)
    text = page(filled, "t/")
    engine = tables.open_catalogue(filled.database)
    found = compute_standing(snapshot(engine, "lab"), {})
    engine.dispose()
    assert found.cube is not None
    by_topic = found.cube.sel(metric=found.metric).values.T.tolist()
    ties = [one.count(max(one)) - 1 for one in by_topic]
    said = sorted(int(one) for one in re.findall(r">and (\d+) others?<", text))
    assert said == sorted(one for one in ties if one)


def test_a_badge_has_the_figures_of_the_table(filled: Site) -> None:
    """A run's badge is an image with its mean and its ranks, as the table has them."""
    publishing.publish(filled)
    with (filled.public / "b/lab/data/table.csv").open() as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        badge = ElementTree.parse(filled.public / f"b/lab/s/{row['key']}/badge.svg")
        title, about, _, text = badge.getroot()
        may = f"95%: {row['rank_low']} to {row['rank_high']}"
        ranks = f"rank {row['rank']}, {may} of {len(rows)}"
        assert title.text == f"{row['run']} on lab"
        assert "does not say that it is better than the next run" in about.text
        assert text.text == f"nDCG@10 {decimal(float(row['mean']))} · {ranks}"


def test_repeats_are_runs_that_name_their_system(filled: Site) -> None:
    """Repeats of a system are ranked each for itself; page, record and data say of which system, and which time."""
    engine = tables.open_catalogue(filled.database)
    keys = []
    for run, name in zip(sorted(filled.folder.glob("runs/*/*")), "ab", strict=False):
        about = {"system": "sampler", "repeat": name}
        given = (engine, "lab", f"sampler-{name}", importing.copy_run(filled, run))
        keys.append(submissions.submit(*given, received=1, about=about).key)
    work_off(filled, engine)
    found = compute_standing(snapshot(engine, "lab"), {})
    engine.dispose()
    publishing.publish(filled)
    runs = json.loads((filled.public / "b/lab/data/board.json").read_text())["runs"]
    repeats = {one["key"]: (one["system"], one["repeat"]) for one in runs}
    for key, name in zip(keys, "ab", strict=True):
        assert found.lines[key].rank is not None
        assert repeats[key] == ("sampler", name)
        assert f"system sampler · repeat {name}" in page(filled, f"s/{key}/")


def test_claims_are_added_up(filled: Site) -> None:
    """The page of progress counts shown gains and weak baselines, and sums the gains, as the records have them."""
    engine = tables.open_catalogue(filled.database)
    for run in snapshot(engine, "lab").runs:
        about = {"team": run.team, "baseline": "r1" if run.name == "r0" else "r0"}
        content = submissions.Bytes(run.run, run.bytes)
        submissions.submit(engine, "lab", run.name, content, received=1, about=about)
    engine.dispose()
    publishing.publish(filled)
    board = filled.public / "b/lab"
    records = [json.loads(one.read_text()) for one in board.glob("s/*/record.json")]
    means = {one["name"]: one["scores"]["nDCG@10"]["mean"] for one in records}
    claims = [one["claim"] for one in records if one["claim"]]
    shown = sum(one["shown"] and one["difference"] > 0 for one in claims)
    middle = np.median(list(means.values()))
    bases = {one["name"] for one in claims}
    weak = sum(means[name] < middle for name in bases)
    gains = sum(one["difference"] for one in claims)
    apart = [one for one in claims if one["low"] * one["high"] > 0]
    assert shown < len(apart)  # eight topics in three clusters show no gain
    assert page(filled, "progress/").count(" not shown</td>") == len(apart) - shown
    assert (
        f"{shown} of {len(claims)} claims show a gain, each by itself (95%). Baselines below the median "
        f"run: {weak} of {len(bases)}. The differences sum to {gains:+.3f}."
    ) in page(filled, "progress/")


def test_a_cut_list_says_so(filled: Site, monkeypatch) -> None:
    """The page of a topic names its first runs, and of how many they are where these are not all."""
    publishing.publish(filled)
    assert "The first" not in page(filled, "t/1/")
    monkeypatch.setattr(html, "MOVED", 3)
    shutil.rmtree(filled.public)
    publishing.publish(Site.open(filled.folder))
    assert "The first 3 of 5 runs" in page(filled, "t/1/")


def test_what_came_together_is_no_progress(tmp_path: Path) -> None:
    """Of runs that were imported together only the best is a step of progress, and a better one that came later."""
    site = Site.make(tmp_path / "site")
    engine = tables.open_catalogue(site.database)
    importing.open_board(site, engine, "lab", qrels=write_qrels(tmp_path / "qrels.txt"))
    for folder, skills in (
        ("first", {"a": 0.2, "b": 0.6, "c": 0.4}),
        ("then", {"d": 3.0}),
    ):
        (tmp_path / folder).mkdir()
        for seed, (name, skill) in enumerate(skills.items()):
            (tmp_path / folder / name).write_bytes(a_run(seed, skill))
        importing.import_runs(site, engine, "lab", [tmp_path / folder])
        work_off(site, engine)
        publishing.publish(site)
        steps = page(site, "progress/").count("<tr><td>")
        assert steps == (1 if folder == "first" else 2)
    engine.dispose()


def test_a_board_without_scores_is_whole(tmp_path: Path) -> None:
    """A board whose only run was withdrawn before it had a score is shown, frozen, and made a living one again."""
    site = Site.make(tmp_path / "site")
    (site.folder / "site.toml").write_text('title = "Lab"\n')
    site = Site.open(site.folder)
    engine = tables.open_catalogue(site.database)
    importing.open_board(site, engine, "lab", qrels=write_qrels(tmp_path / "qrels.txt"))
    (tmp_path / "gone").write_bytes(a_run(1))
    importing.import_runs(site, engine, "lab", [tmp_path / "gone"])
    work_off(site, engine)
    [run] = snapshot(engine, "lab").runs
    with engine.begin() as db:
        db.execute(tables.score.delete())
    submissions.withdraw(engine, run.key)
    importing.open_board(site, engine, "bare", topics=tmp_path / "qrels.txt")
    engine.dispose()
    publishing.publish(site)
    for name in ("", "t/", "progress/"):
        assert "No run has a score yet." in page(site, name)
    assert "Withdrawn" in page(site, f"s/{run.key}/")
    publishing.freeze(site, tmp_path / "frozen")
    other = Site.make(tmp_path / "other")
    engine = tables.open_catalogue(other.database)
    assert importing.import_frozen(engine, tmp_path / "frozen") == ["bare", "lab"]
    assert snapshot(engine, "lab").counts == {"withdrawn": 1}
    engine.dispose()


def test_a_board_is_standardized_by_named_factors(filled: Site, tmp_path: Path) -> None:
    """With factors from a file the standardized scores are of these, and the page names them."""
    publishing.publish(filled)
    assert "Fewer than 3 runs or teams: none is standardized" in page(filled)
    cube = irmeta.load(filled.public / "b/lab/data/scores.parquet")
    factors = irmeta.standardize.fit(cube.sel(metric=["nDCG@10"]))
    path = tmp_path / "factors.parquet"
    irmeta.standardize.save(factors, path)
    engine = tables.open_catalogue(filled.database)
    boards.set_board(engine, "lab", {"factors": str(path), "licence": "CC0"})
    found = compute_standing(snapshot(engine, "lab"), {})
    engine.dispose()
    expected = irmeta.standing(cube, on=factors, metrics="nDCG@10")
    for line in found.ranked:
        wanted = expected["standardized"].sel(system=line.label).item()
        assert line.standing["standardized"] == pytest.approx(wanted, abs=1e-12)
    publishing.publish(filled)
    assert f"Standardized by the factors {path}" in page(filled)
    assert "changed factors, licence" in page(filled, "changes/")


def test_the_finding_counts_who_may_be_the_best() -> None:
    """The first sentence names the best run where no other may have rank 1, and else says how many may."""
    found = Standing(1, {}, [], [], ["AP"])
    for ranks, says in (
        ([1, 2, 2], "By AP, a is better than all 2 other runs (95%)."),
        ([1, 1, 2], "By AP, a is first of 3 runs, and any of 2 may be the best (95%)."),
        ([1, 1, 1], "By AP, a is first of 3 runs, and any of 3 may be the best (95%)."),
    ):
        found.ranked = [
            Line(name, name, {}, {"AP": Interval(value)}, rank_low=rank)
            for name, value, rank in zip("abc", (0.6, 0.5, 0.4), ranks, strict=True)
        ]
        assert _finding(found).startswith(says)
        assert _finding(found).endswith("The median is .500.")
    found.ranked[1].scores["AP"] = Interval(0.6)
    assert _finding(found).startswith(
        "By AP, a and 1 equal run are first of 3 runs, and any of 3 may be the best (95%)."
    )
