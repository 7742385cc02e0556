"""Every figure of Gupta et al. (2019) and Kutlu et al. (2018) on prediction that the released data allow."""

import numpy as np
import pytest

from irmeta.papers import gupta2019
from irmeta.studies.reproduction import tables

pytestmark = pytest.mark.data


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
    assert len(intercepts) == 21
    assert intercepts["Rprec <- R@100"] == pytest.approx(0.0194, abs=5e-5)
    assert intercepts["RR <- ERR@20, RBP(p=0.5), RBP(p=0.8)"] == pytest.approx(0.0834, abs=5e-5)


def test_published_predictors_are_found_where_all_candidates_were_released(cells):
    """22 of the 36 published sets are what the search finds among the released metrics."""
    chosen = of(cells, "selection")
    assert chosen.height == 36
    assert (chosen["status"] == "reproduced").sum() == 22
    assert set(chosen["status"]) == {"reproduced", "not checkable"}


def test_nothing_is_contradicted_without_a_known_reason(outcome):
    """No cell is marked unexpected."""
    assert outcome.sizes["cell"] > 400
    assert not outcome["unexpected"].any()
