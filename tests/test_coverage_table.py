"""The table of measured coverage: every entry is measured, and a promise that is broken is said."""

import numpy as np
import polars as pl
import pytest
from bench.coverage import table
from bench.coverage.__main__ import run
from bench.coverage.entries import ENTRIES
from bench.coverage.frame import Case, Entry, hardest, measure
from bench.coverage.printed import PRINTED
from bench.coverage.systems import true_ranks
from bench.coverage.worlds import named, worlds

from irmeta.attributes import about
from irmeta.studies.significance import significance
from irmeta.studies.versus import versus

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
    """measured.csv has rows of every entry, and of nothing else."""
    assert set(table.read()["of"]) == {entry.name for entry in ENTRIES}


def test_the_page_shows_what_was_measured():
    """The tables of docs/coverage.md are made from measured.csv."""
    assert table.markdown(table.read()) in table.PAGE.read_text(encoding="utf-8")


def test_what_is_measured_again_replaces_what_was_known():
    """An entry that is measured again loses its old rows; others keep theirs, in the order of the entries."""
    names = [entry.name for entry in ENTRIES[:2]]
    known = pl.DataFrame({"of": names * 2, "kept": [0.1, 0.2, 0.3, 0.4]})
    new = pl.DataFrame({"of": names[:1], "kept": [0.5]})
    assert table.merged(known, new)["kept"].to_list() == [0.5, 0.2, 0.4]


def test_the_command_measures_what_is_asked_for(capsys):
    """--only names entries by a part of their names; --draws sets how many draws."""
    assert run(["--short", "--only", "sign test", "--draws", "2"]) == 0
    assert capsys.readouterr().out.startswith("sign test | all tie | 10 topics | ")


def test_what_is_not_kept_is_said():
    """Where intervals hold far less often than promised, the result says how often they do."""
    scores = named(np.random.default_rng(0).random((4, 12, 1)), "AP")
    notes = [
        *about(significance(scores, test="max-t", resamples=200))["notes"],
        *about(versus(scores, "0", "all", correct="dunnett", resamples=200))["notes"],
    ]
    assert all(
        sum(entry.warns in note for note in notes) == 2
        for entry in ENTRIES
        if entry.warns
    )
    printed = {name for names in PRINTED.values() for name in names}
    unkept = [entry for entry in ENTRIES if entry.promised > 0.5 and entry.bound < 0.84]
    assert all(entry.warns for entry in unkept if entry.name in printed)
