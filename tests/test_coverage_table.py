"""The table of measured coverage: every entry is measured, and a promise that is broken is said."""

import re

import numpy as np
import polars as pl
import pytest
from bench.coverage import table
from bench.coverage.__main__ import run
from bench.coverage.entries import ENTRIES
from bench.coverage.frame import AWAY, UNITS, Case, Entry, hardest, measure
from bench.coverage.printed import PRINTED
from bench.coverage.systems import true_ranks
from bench.coverage.worlds import named, worlds

import irmeta
from irmeta.scores.attributes import about
from irmeta.studies.differences.description.study import describe
from irmeta.studies.differences.versus.study import versus

INTERVAL = Entry("an interval", 0.95, 0.9, lambda _: [])
TEST = Entry("a test", 0.05, 0.06, lambda _: [])


def always(kept):
    return Case("a world", 10, lambda _: {"kept": kept})


@pytest.mark.parametrize(
    ("entry", "kept", "holds"),
    [(INTERVAL, 0, False), (INTERVAL, 1, True), (TEST, 1, False), (TEST, 0, True)],
)
def test_a_broken_promise_is_noticed(entry, kept, holds):
    """An interval that never holds and a test that always rejects break their bound; one that holds does not."""
    assert measure(entry, always(kept), 5).holds is holds


def test_figures_are_means_over_draws():
    """A row has the mean of each figure, and the standard error of the share kept."""
    drawn = iter(range(4))
    case = Case("a world", 10, lambda _: {"kept": next(drawn) % 2, "width": 2.0})
    row = measure(INTERVAL, case, 4)
    assert row.figures == {"kept": 0.5, "width": 2.0}
    assert np.isclose(row.error, np.std([0, 1, 0, 1], ddof=1) / 2)


def test_the_width_that_a_promise_needs_is_that_of_the_errors():
    """Of 20 errors .05 apart 95% are within .95; a width of twice that holds them, whatever an interval was like."""
    errors = iter(np.linspace(0.05, 1, 20))

    def trial(_):
        return {"kept": 1.0, "width": 5.0, AWAY: next(errors)}

    row = measure(INTERVAL, Case("a world", 10, trial), 20)
    assert row.figures["needed"] == pytest.approx(1.9)
    measured = table.listed([row])
    assert table.wide(measured) == "- an interval, 1 of 1 rows, 10 topics: 2.6 times"
    assert table.wide(measured.with_columns(beside=pl.lit("width 5"))) == ""


def test_what_few_units_tell_of_a_variance_is_not_called_too_wide():
    """Of 3 units Student's interval is 1.9 times as wide as one that knows the variance: 2 times is no fault then."""
    trial = {"kept": 1.0, "width": 2.0, AWAY: 0.5}
    rows = [
        measure(INTERVAL, Case("a world", 50, lambda _, one=one: one), 20)
        for one in (trial, trial | {UNITS: 3})
    ]
    assert [bool(table.wide(table.listed([row]))) for row in rows] == [True, False]


@pytest.mark.parametrize(("away", "draws"), [(0.1, 600), (np.ones(3), 150)])
def test_the_width_that_a_promise_needs_takes_more_draws(away, draws):
    """Where each draw has one error, 600 draws are made for the width; where it has several, 150 are enough."""
    case = Case("a world", 10, lambda _: {"kept": 1.0, AWAY: away})
    assert measure(INTERVAL, case, 1000).draws == draws


def test_the_hardest_case_has_the_fewest_topics():
    """Of each world the case with the fewest topics is kept."""
    cases = [
        Case(world, topics, lambda _: {})
        for world in ("a", "b")
        for topics in (25, 10, 50)
    ]
    assert [(case.world, case.topics) for case in hardest(cases)] == [
        ("a", 10),
        ("b", 10),
    ]


def test_true_ranks_of_tied_systems_are_ranges():
    """Systems of a group of 6 that tie share the ranks of the group."""
    best, worst = true_ranks(worlds(None)["heavy ties"].means[:, 0])
    assert set(worst - best) == {5}


def test_every_entry_has_been_measured():
    """The shipped file has rows of every entry, and of nothing else."""
    assert set(table.read()["of"]) == {entry.name for entry in ENTRIES}


def test_the_page_shows_what_was_measured():
    """The pages are made from the rows that irmeta ships, and the template has no share of its own."""
    measured = table.read()
    assert table.page(measured) == table.PAGE.read_text(encoding="utf-8")
    assert table.rows_page(measured) == table.ROWS.read_text(encoding="utf-8")
    text = table.TEMPLATE.read_text(encoding="utf-8")
    assert set(re.findall(r"[\d.]+%", text)) <= {"5%", "75%", "90%"}


def known(of, world, topics, kept, when="2026-01-01T10:00"):
    """A row of what was measured, in each of its columns."""
    row = {"of": of, "world": world, "systems": 5, "topics": topics, "promised": 0.95}
    row |= {
        "draws": 9,
        "kept": kept,
        "error": 0.01,
        "beside": "",
        "seconds": 1.0,
        "when": when,
        "commit": "",
    }
    return pl.DataFrame([row], schema_overrides=table.SCHEMA)


FIRST, SECOND = ENTRIES[:2]


def test_a_case_that_is_measured_again_loses_its_old_row():
    """The row of another world stays where it is, and so do those of other entries, in the order of the entries."""
    old = pl.concat(
        [
            known(SECOND.name, "a", 10, 0.1),
            known(FIRST.name, "a", 10, 0.2),
            known(FIRST.name, "b", 10, 0.3),
        ]
    )
    new = known(FIRST.name, "a", 10, 0.5)
    assert table.merged(old, new)["kept"].to_list() == [0.5, 0.3, 0.1]


def test_rows_stand_in_the_order_of_cases_and_those_of_no_case_go():
    """A world that an entry no longer has loses its row when the entry is finished; other entries keep theirs."""
    rows = [known(FIRST.name, world, 10, 0.5) for world in ("gone", "b", "a")]
    rows.append(known(SECOND.name, "gone", 10, 0.5))
    cases = [Case(world, 10, lambda _: {}) for world in ("a", "b", "c")]
    kept = table.in_order(pl.concat(rows), FIRST, cases)
    assert [(of, world) for of, world, _ in table.keys(kept)] == [
        (FIRST.name, "a"),
        (FIRST.name, "b"),
        (SECOND.name, "gone"),
    ]


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A table and a page of its own, with a row from long ago."""
    page, measured = tmp_path / "coverage.md", tmp_path / "coverage.csv"
    template = tmp_path / "coverage.md.j2"
    template.write_text("")
    known(SECOND.name, "a world", 10, 0.5, "2026-01-01T10:00").write_csv(measured)
    monkeypatch.setattr(table, "PAGE", page)
    monkeypatch.setattr(table, "ROWS", tmp_path / "coverage-rows.md")
    monkeypatch.setattr(table, "MEASURED", measured)
    monkeypatch.setattr(table, "TEMPLATE", template)
    drawn = []
    cases = [
        Case(world, 10, lambda _, world=world: drawn.append(world) or {"kept": 1.0})
        for world in ("a world", "another")
    ]
    entry = Entry(SECOND.name, 0.95, 0.9, lambda _: cases, 2)
    monkeypatch.setattr("bench.coverage.__main__.ENTRIES", [entry])
    return drawn


@pytest.mark.parametrize(
    ("since", "measured"),
    [
        ("2026-01-01", ["another"] * 2),
        ("2026-01-02", ["a world"] * 2 + ["another"] * 2),
    ],
)
def test_a_run_goes_on_after_a_stop(files, tmp_path, since, measured):
    """With --since only what was not measured since then is drawn, and every row is on the page at the end."""
    run(["--write", "--data", str(tmp_path), "--since", since])
    assert files == measured
    assert set(table.read()["world"]) == {"a world", "another"}
    assert table.ROWS.read_text().count(SECOND.name) == 2


def test_what_seems_to_miss_is_measured_again(files, monkeypatch, tmp_path):
    """A case that misses its promise in its first draws has the figures of later ones alone, five times as many."""
    drawn = []
    trial = lambda _: drawn.append(1) or {"kept": float(len(drawn) > 2)}  # noqa: E731
    entry = Entry(SECOND.name, 0.95, 0.9, lambda _: [Case("a world", 10, trial)], 2)
    monkeypatch.setattr("bench.coverage.__main__.ENTRIES", [entry])
    run(["--write", "--data", str(tmp_path)])
    assert len(drawn) == 2 + 10
    assert table.read().select("draws", "kept").rows() == [(10, 1.0)]


def test_wide_intervals_are_listed_by_promise():
    """Rows of a promise whose intervals are too wide are counted, with the least and the largest times."""
    wide = [
        known("Phi", world, topics, 0.9).with_columns(
            beside=pl.lit(f"width {width}, needed 1")
        )
        for world, topics, width in (
            ("a", 10, 2),
            ("b", 25, 5),
            ("c", 50, 1.1),
            ("d", 50, "nan"),
        )
    ]
    said = table.wide(pl.concat(wide))
    assert said.startswith("- Phi, 2 of 4 rows, 10 to 25 topics: 2.0 to 5.0 times ([")
    assert "decision 110" in said


def test_intervals_that_hold_too_seldom_are_listed_by_promise():
    """Rows that miss by more than draws explain are counted, the worst promise first; tests are not among them."""
    rows = [
        known(of, world, 10, kept)
        for of, world, kept in (
            ("x", "a", 0.8),
            ("y", "a", 0.5),
            ("x", "b", 0.91),
            ("x", "c", 0.7),
        )
    ]
    rejecting = known("z", "a", 10, 0.5).with_columns(promised=pl.lit(0.05))
    assert table.short(pl.concat([*rows, rejecting])).splitlines() == [
        "- y, 1 of 1 rows, 10 topics: 0.50",
        "- x, 2 of 3 rows, 10 topics: 0.70 to 0.80",
    ]


def test_what_is_short_or_wide_has_a_decision():
    """Each promise with a row that holds too seldom, or is wider than it need be, has a decision about it."""
    measured = table.read()
    said = [*table.short(measured).splitlines(), *table.wide(measured).splitlines()]
    assert [line for line in said if "[decision " not in line] == []


def test_the_hardest_world_of_each_promise_is_listed():
    """Of an interval the world with the least share, of a test the largest; rows kept too seldom are counted."""
    rows = [
        known("x", world, 10, kept).with_columns(beside=pl.lit(beside))
        for world, kept, beside in (
            ("a", 0.94, "width 3, needed 2"),
            ("b", 0.91, "width 1, needed 1"),
        )
    ]
    line = table.hardest(pl.concat(rows)).splitlines()[-1]
    assert line.startswith("| x | 0.95 | 2 | 1 (0) | 0.910 ± ")
    assert line.endswith("| b, 10 topics | 1 | 1.5 times |")
    rejecting = pl.concat(rows).with_columns(
        promised=pl.lit(0.05), kept=pl.Series([0.04, 0.09])
    )
    assert "| 0.05 | 2 | 1 (0) | 0.090 ± " in table.hardest(rejecting)


def test_only_figures_of_real_collections_are_kept(monkeypatch):
    """--write without the collections, or with --short, is refused: its worlds are not those of the page."""
    monkeypatch.delenv("IRMETA_DATA", raising=False)
    for short in ([], ["--short", "--data", "somewhere"]):
        with pytest.raises(SystemExit):
            run(["--write", *short])


def test_the_command_measures_what_is_asked_for(capsys):
    """--only names entries by a part of their names; --draws sets how many draws."""
    assert run(["--short", "--only", "sign test", "--draws", "2"]) == 0
    assert capsys.readouterr().out.startswith("sign test | all tie | 10 topics | ")


def test_what_is_not_kept_is_said():
    """Where intervals hold far less often than promised, the result says how often they do."""
    scores = named(np.random.default_rng(0).random((4, 12, 1)), "AP")
    few = [str(one) for one in range(5)]
    flagged = [describe(scores, without=few), versus(scores, "0", without=few)]
    warned = {entry.name: entry.warns for entry in ENTRIES if entry.warns}
    two = " ".join(about(describe(scores[:2]))["notes"])
    assert warned.pop("interval of a mean, few systems") in two
    for kind in ("contaminated", "trivial"):
        words = warned.pop(f"change without {kind} topics")
        assert all(words in " ".join(about(one)["notes"]) for one in flagged)
    machine = named(np.random.default_rng(0).random((4, 20, 1)), "AP")
    plan = irmeta.judges.plan(machine[:, :5], machine)
    for who in ("and a machine", "alone"):
        assert warned.pop(f"planned width, few human topics {who}") in " ".join(
            plan.notes
        )
    assert not warned
    printed = {name for names in PRINTED.values() for name in names}
    unkept = [entry for entry in ENTRIES if entry.promised > 0.5 and entry.bound < 0.84]
    assert all(entry.warns for entry in unkept if entry.name in printed)
