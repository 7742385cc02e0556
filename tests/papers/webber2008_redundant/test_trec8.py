"""Webber et al. (SIGIR 2008), re-run on the public TREC-8 and TREC-7 scores, and on other collections."""

import numpy as np
import polars as pl
import pytest

from irmeta.papers.webber2008_redundant import power
from irmeta.papers.webber2008_redundant.elsewhere import RUNS, evaluated_cells
from irmeta.papers.webber2008_redundant.halving import halving_cells
from irmeta.papers.webber2008_redundant.trec8 import (
    TERABYTE,
    terabyte_cells,
    trec8_cells,
)
from irmeta.studies.checks.reproduction import reproduction, tables

pytestmark = pytest.mark.data
NO_SIGNS = power.Signs(*np.ones((3, 3)))


def frame(found):
    return tables(reproduction("webber2008-redundant", list(found), options={}))[
        "cells"
    ]


@pytest.fixture(scope="module")
def cells(data):
    scores = power.matrices(data, "trec8", "401-450")
    best, every = (power.measured(scores, 0, top=top) for top in (0.75, None))
    return frame(trec8_cells(best, every, power.signs(scores)))


def test_every_printed_cell_is_there(cells):
    """All 15 cells of Table 1 have a status; those that AP, P@10 and RR allow are reproduced."""
    table = cells.filter(item="Table 1 (TREC-8)")
    assert table.height == 15
    assert table.filter(status="reproduced").height == 6
    assert table.filter(status="not checkable").height == 9
    assert table["difference"].abs().max() < 0.008


def test_table_2_is_listed():
    """All 15 cells of Terabyte 2004 and what is said of it name the runs that are missing."""
    found = list(terabyte_cells())
    assert len(found) == len(TERABYTE) + 3 == 18
    assert {cell.status for cell in found} == {"not checkable"}


def test_the_headline_is_open_on_trec8(cells):
    """Whether AP predicts P@10 and RR as well as they predict themselves is open: every interval holds 0."""
    claims = cells.filter(item="Section 3 (TREC-8)", column="advantage")
    judged = claims.filter(pl.col("status") != "ours")
    assert judged["row"].to_list() == [
        "AP over P@10 itself",
        "AP over RR itself",
        "AP over P@10 itself, all systems",
    ]
    assert set(judged["status"]) == {"open"}
    assert judged["note"].str.contains("holds 0").all()
    assert "own Table 1" in claims.filter(row="AP over RR itself")["note"].item()


def test_no_sign_is_reproduced_whose_interval_holds_0(cells):
    """That simple metrics predict themselves worse, and that AP gains with topics, has intervals that hold 0."""
    signs = cells.filter(pl.col("rule") == "at least 0")
    assert signs.height == 6
    assert set(signs["status"]) == {"open"}
    assert signs["note"].str.contains("holds 0").all()


def test_table_1_tells_97_systems_and_tau_a_from_what_the_paper_did(data):
    """The tolerance is no formality: one system more, or tau-a, leaves cells of Table 1 contradicted."""
    scores = power.matrices(data, "trec8", "401-450")
    for options in ({"top": 97.5 / 129}, {"top": 0.75, "tau": "a"}):
        found = power.predictivity(
            scores, partitions=500, by="AP", sizes=power.SIZES, **options
        )
        cells = frame(trec8_cells(found, found, NO_SIGNS))
        assert cells.filter(item="Table 1 (TREC-8)", status="contradicted").height > 0


def test_halves_do_for_samples(data):
    """Phi of one set of 50 topics has a standard error of .04, which is judged; that the means agree is by design."""
    found = {cell.column: cell for cell in halving_cells(data, 0)}
    assert [cell.column for cell in found.values() if cell.rule] == [
        "sd of phi over sets of 50 topics"
    ]
    assert found["sd of phi over sets of 50 topics"].ours == pytest.approx(
        0.04, abs=0.005
    )
    assert found["phi by halves"].ours == pytest.approx(
        found["phi by samples drawn apart"].ours, abs=0.015
    )


@pytest.mark.slow
def test_the_headline_does_not_carry_over_to_trec_covid(data):
    """AP is a worse predictor of P@10 than P@10 is on TREC-COVID, clear of 0; P@10 predicts RR better."""
    found = frame(
        cell
        for item, (_, folder) in RUNS.items()
        for cell in evaluated_cells(item, data / folder, 0)
    )
    for part, expected in (("1", -0.083), ("3", -0.128)):
        here = found.filter(item=f"TREC-COVID round {part}, not in the paper")
        cell = here.filter(row="AP over P@10 itself").row(0, named=True)
        assert cell["ours"] == pytest.approx(expected, abs=0.01)
        assert cell["note"].endswith("below 0")
        assert here.filter(row="P@10 over RR itself")["ours"].item() > 0
    assert found.filter(row="Judged@100")["ours"].len() == 3
