"""Every figure of Gupta et al. (2019) and Kutlu et al. (2018) on prediction that the released data allow."""

import numpy as np
import polars as pl
import pytest

from irmeta.papers.gupta2019 import collections, selection
from irmeta.papers.gupta2019.collections import collection_cells
from irmeta.papers.gupta2019.correlations import Matrix, _verdict_on
from irmeta.papers.gupta2019.prediction import fit_cells, prediction_cells
from irmeta.papers.gupta2019.released import Released
from irmeta.papers.gupta2019.selection import selection_cells
from irmeta.papers.gupta2019.sentences import sentence_cells
from irmeta.scores.cube import cube
from irmeta.studies.checks.reproduction import COMMENTED, reproduction, tables

pytestmark = pytest.mark.data

INTERCEPTS = {
    "Rprec <- R@100": 0.0194,
    "RR <- RBP(p=0.5)": 0.0958,
    "ERR@20 <- RR": 0.0070,
    "P@10 <- RBP(p=0.8)": 0.0030,
    "R@100 <- Rprec": 0.0195,
    "RBP(p=0.5) <- RR": -0.0711,
    "RBP(p=0.8) <- P@10": 0.0001,
    "RBP(p=0.95) <- Rprec": 0.0462,
    "Rprec <- R@100, RBP(p=0.95)": -0.0213,
    "RR <- RBP(p=0.5), RBP(p=0.8)": 0.1028,
    "ERR@20 <- RR, RBP(p=0.8)": 0.0096,
    "P@10 <- RBP(p=0.5), RBP(p=0.8)": 0.0002,
    "RBP(p=0.5) <- RR, RBP(p=0.8)": -0.0454,
    "RBP(p=0.8) <- P@10, RBP(p=0.5)": 0.0007,
    "RBP(p=0.95) <- Bpref, P@10": 0.0114,
    "RR <- ERR@20, RBP(p=0.5), RBP(p=0.8)": 0.0834,
    "ERR@20 <- RR, R@100, RBP(p=0.8)": 0.0102,
    "P@10 <- RR, RBP(p=0.5), RBP(p=0.8)": -0.0035,
    "R@100 <- Rprec, RR, ERR@20": 0.0438,
    "RBP(p=0.8) <- P@10, RBP(p=0.5), RBP(p=0.95)": -0.0017,
    "RBP(p=0.95) <- Bpref, P@10, RBP(p=0.8)": 0.0118,
}
"""What the papers print as x.xxx, computed apart from this code."""


COEFFICIENTS, RMSE = (f"{name} {COMMENTED}" for name in ("coefficients", "RMSE"))


@pytest.fixture(scope="module")
def released(data):
    return Released(data)


def frame(found):
    return tables(reproduction("gupta2019", list(found), options={}))["cells"]


@pytest.fixture(scope="module")
def cells(released):
    """The cells of prediction: those that take no scores by topic."""
    found = (
        prediction_cells(released.tables),
        fit_cells(released.tables),
        selection_cells(released.tables),
    )
    return frame(cell for part in found for cell in part)


def of(cells, *items):
    return cells.filter(cells["item"].is_in(items))


def test_all_126_figures_that_the_data_allow_are_reproduced(cells):
    """Tau and R2 of 21 rows on three collections equal the printed ones to all three decimals."""
    figures = of(cells, "Table 1", "Kutlu et al. 2018, prediction")
    checked = figures.filter(figures["status"] != "not checkable")
    assert checked.height == 126
    assert checked["row"].n_unique() == 21
    assert set(checked["status"]) == {"reproduced"}
    assert np.abs(checked["difference"]).max() <= 0.0005


def test_every_row_of_the_tables_is_there(cells):
    """36 rows of six figures; those that need scores nobody released are marked and say why."""
    figures = of(cells, "Table 1", "Kutlu et al. 2018, prediction")
    assert figures.height == 36 * 6
    open_cells = figures.filter(figures["status"] == "not checkable")
    assert all("not released" in note for note in open_cells["note"])
    for row in open_cells["row"].unique():
        assert {"AP", "nDCG", "GMAP"} & set(row.replace(" <- ", ", ").split(", "))


def test_coefficients_and_errors_are_reproduced(cells):
    """40 coefficients and 42 RMSE of the tables commented out are as printed; 21 intercepts are ours."""
    fits = of(cells, COEFFICIENTS, RMSE).filter(
        of(cells, COEFFICIENTS, RMSE)["status"] == "reproduced"
    )
    assert fits.group_by("item").len().sort("item")["len"].to_list() == [42, 40]
    ours = of(cells, COEFFICIENTS).filter(of(cells, COEFFICIENTS)["status"] == "ours")
    intercepts = dict(zip(ours["row"], ours["ours"], strict=True))
    assert intercepts == pytest.approx(INTERCEPTS, abs=5e-5)


def test_one_rule_says_which_published_sets_the_search_finds(cells):
    """Of 21 rows whose scores were released the search finds 18; in three a set with a stand-in wins, so none fails."""
    chosen = of(cells, "selection")
    assert chosen.height == 36
    found = chosen.filter(status="reproduced")["row"]
    assert found.len() == 18
    assert set(chosen["status"]) == {"reproduced", "not checkable"}
    stand_ins = chosen.filter(chosen["note"].str.contains("a stand-in wins"))[
        "row"
    ].to_list()
    assert stand_ins == [
        "ERR@20 <- RR, RBP(p=0.8), R@100",
        "RR <- RBP(p=0.5), RBP(p=0.8), ERR@20",
        "R@100 <- Rprec, RR, ERR@20",
    ]


def test_a_row_with_a_stand_in_is_never_reproduced(cells):
    """No row that needs AP, nDCG or GMAP has a verdict, though the search finds some of their sets with stand-ins."""
    others = of(cells, "selection").filter(pl.col("row").str.contains("nDCG|GMAP|AP "))
    assert others.height == 15
    assert set(others["status"]) == {"not checkable"}
    assert others["ours"].sum() == 4


def test_a_search_that_goes_astray_is_contradicted(released, monkeypatch):
    """Where the search keeps worse sets than the published ones, the cells say so and are not expected."""
    search = selection.predictors
    monkeypatch.setattr(
        selection,
        "predictors",
        lambda train, test, *, dev, metrics: search(
            dev, test, dev=train, metrics=metrics
        ),
    )
    astray = [
        cell
        for cell in selection_cells(released.tables)
        if cell.status == "contradicted"
    ]
    assert len(astray) == 5
    assert all(cell.unexpected and cell.note for cell in astray)


def test_sentences_fail_on_other_scores(released):
    """On scores that are mixed up between systems most of what the text says of its table is contradicted."""
    rng = np.random.default_rng(1)
    mixed = {
        name: table.copy(data=rng.permuted(table.values, axis=0))
        for name, table in released.tables.items()
    }
    kept, broken = (
        [cell for cell in sentence_cells(t) if cell.unexpected]
        for t in (released.tables, mixed)
    )
    assert not kept
    assert len(broken) > 8


def test_the_release_is_held_to_the_table_of_collections(released):
    """Three groups of training rows have the systems printed, but for one row; graded RBP and cleaning are denied."""
    cells = frame(collection_cells(released.tables))
    systems = cells.filter(column="systems")
    assert dict(zip(systems["row"], systems["ours"], strict=True)) == {
        "WT2000, WT2001 and WT2011": 263,
        "WT2010": 55,
        "RT2004": 110,
        "wt2012": 48,
        "wt2013": 57,
        "wt2014": 28,
    }
    fewer = systems.filter(status="not checkable")["row"].to_list()
    assert fewer == ["WT2000, WT2001 and WT2011", "wt2013", "wt2014"]
    denied = cells.filter(status="contradicted")["column"].to_list()
    assert denied == [
        "topics",
        "topics",
        "mean RBP(p=0.8) over mean P@10",
        "zero scores",
    ]


def test_the_number_of_topics_is_read_off_the_rows():
    """Means of P@10, P@20 and P@100 over 49 topics are not taken for means over 50."""
    relevant = np.random.default_rng(0).integers(0, 490, size=(20, 1, 1))
    scores = (relevant / 490).round(4) * np.ones((1, 1, 3))
    part = cube(
        scores, [f"s{i}" for i in range(20)], ["all"], ["P@10", "P@20", "P@100"]
    )
    assert collections._topics(part, 50) == 49


def test_a_sentence_on_correlation_says_whether_it_holds():
    """The largest, the lowest, the least and a falling line are read off the matrix, and what breaks them is named."""
    r = np.array(
        [
            [1.0, 0.9, 0.8, 0.1],
            [0.9, 1.0, 0.7, 0.2],
            [0.8, 0.7, 1.0, 0.3],
            [0.1, 0.2, 0.3, 1.0],
        ]
    )
    matrix = Matrix(["a", "b", "c", "d"], r)
    for sentence, metrics, figure, said in (
        ("largest of a's", "a b", 0.9, "holds"),
        ("largest of a's", "a c", 0.8, "does not hold: b has 0.900"),
        (
            "every two above .9",
            "a b c",
            0.7,
            "does not hold: the lowest is b with c",
        ),
        ("falls with p", "a b c d", -0.8, "holds: 0.900 0.800 0.100"),
        ("rises with k", "a b c", -0.1, "does not hold: 0.900 0.800"),
    ):
        found = _verdict_on(matrix, sentence, metrics.split())
        assert found.figure == pytest.approx(figure)
        assert found.said == said
    least = _verdict_on(matrix, "least correlated with the others", ["d"])
    assert least.said == "holds"
