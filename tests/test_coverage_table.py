"""The table of measured coverage: every entry is measured, and a promise that is broken is said."""

import runpy
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

TABLE = runpy.run_path(str(Path(__file__).parents[1] / "bench" / "coverage.py"))


@pytest.fixture(scope="module")
def world():
    """A world of a made cube, tied in 5 groups."""
    return TABLE["worlds"](None)["heavy ties"]


@pytest.mark.parametrize("entry", TABLE["ENTRIES"], ids=lambda entry: entry.name)
def test_every_entry_can_be_measured(entry, world):
    """Each promise is a share of cases, and its row of the table names it with what was promised."""
    row = TABLE["measure"](entry, "heavy ties", world, 10, 3)
    assert 0 <= row.figures["kept"] <= 1
    assert TABLE["markdown"](row).startswith(f"| {entry.name} | heavy ties | 10 | {entry.promised:g} | ")


def test_a_broken_promise_is_noticed(world):
    """An interval that never holds and a test that always rejects break their bound; one that holds does not."""
    interval, test = TABLE["ENTRIES"][0], next(entry for entry in TABLE["ENTRIES"] if entry.promised < 0.5)
    for entry, kept, holds in ((interval, 0.0, False), (interval, 1.0, True), (test, 1.0, False), (test, 0.0, True)):
        constant = replace(entry, kept=lambda *_, kept=kept: {"kept": kept})
        assert TABLE["measure"](constant, "heavy ties", world, 10, 5).holds is holds


def test_figures_are_means_over_draws(world):
    """A row has the mean of each figure, and the standard error of the share kept."""
    drawn = iter(range(4))
    entry = replace(TABLE["ENTRIES"][0], kept=lambda *_: {"kept": next(drawn) % 2, "width": 2.0})
    row = TABLE["measure"](entry, "heavy ties", world, 10, 4)
    assert row.figures == {"kept": 0.5, "width": 2.0}
    assert np.isclose(row.error, np.std([0, 1, 0, 1], ddof=1) / 2)


def test_true_ranks_of_tied_systems_are_ranges(world):
    """Systems of a group of 6 that tie share the ranks of the group."""
    best, worst = TABLE["_true_ranks"](world)
    assert set(worst - best) == {5}
