"""Every figure of Gupta et al. (2019) and Kutlu et al. (2018) on prediction that the released data allow."""

import numpy as np
import pytest

from irmeta.io.importers import import_systemwise
from irmeta.papers import gupta2019
from irmeta.studies.reproduction import tables

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


@pytest.fixture(scope="module")
def outcome(data):
    """Every cell but those of the ranking of metrics, which have tests of their own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gupta2019, "ranking_cells", lambda data: [])
        return gupta2019.reproduce(data)


@pytest.fixture(scope="module")
def cells(outcome):
    return tables(outcome)["cells"]


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
    fits = of(cells, "coefficients", "RMSE").filter(of(cells, "coefficients", "RMSE")["status"] == "reproduced")
    assert fits.group_by("item").len().sort("item")["len"].to_list() == [42, 40]
    ours = of(cells, "coefficients").filter(of(cells, "coefficients")["status"] == "ours")
    intercepts = dict(zip(ours["row"], ours["ours"], strict=True))
    assert intercepts == pytest.approx(INTERCEPTS, abs=5e-5)


def test_published_predictors_are_found_where_their_scores_were_released(cells):
    """No released set is better than the 21 published ones whose scores were released, nor with stand-ins than 6."""
    chosen = of(cells, "selection")
    assert chosen.height == 36
    assert set(chosen["status"]) == {"reproduced", "not checkable"}
    found = chosen.filter(status="reproduced")["row"]
    lost = found.str.split(" <- ").list.join(", ").str.split(", ").list.set_intersection(["AP", "nDCG", "GMAP"])
    assert (lost.list.len() == 0).sum() == 21
    assert found.len() == 27
    assert "AP <- Rprec, nDCG" in found  # as good as Rprec with RR, which the search tries first


def test_a_search_that_goes_astray_is_contradicted(data, monkeypatch):
    """Where the search keeps worse sets than the published ones, the cells say so and are not expected."""
    tables_ = import_systemwise([data / "systemwise" / f"{name}.csv" for name in ("train", *gupta2019.TESTS)])
    search = gupta2019.predictors
    monkeypatch.setattr(
        gupta2019, "predictors", lambda train, test, *, dev, metrics: search(dev, test, dev=train, metrics=metrics)
    )
    astray = [cell for cell in gupta2019.selection_cells(tables_) if cell.status == "contradicted"]
    assert len(astray) > 10
    assert all(cell.unexpected and cell.note for cell in astray)


def test_figures_over_scores_by_topic_are_listed(cells):
    """What needs scores by topic is there as printed, not checkable, and says so."""
    lost = of(cells, "Figure 1", "topic by topic", "topic by topic, R2")
    assert dict(lost.group_by("item").len().iter_rows()) == {
        "Figure 1": 10,
        "topic by topic": 48,
        "topic by topic, R2": 28,
    }
    assert set(lost["status"]) == {"not checkable"}
    assert lost["note"].str.starts_with("scores by topic were not released").all()
    assert lost.filter(item="Figure 1", row="P@20, RBP(p=0.95)")["published"].to_list() == [0.98]


def test_nothing_is_contradicted_without_a_known_reason(outcome):
    """No cell is marked unexpected."""
    assert outcome.sizes["cell"] > 400
    assert not outcome["unexpected"].any()
