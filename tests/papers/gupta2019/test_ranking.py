"""Section 6 of Gupta et al. (2019): every cell is accounted for."""

from pathlib import Path

import numpy as np
import pytest
import xarray as xr

from irmeta.metrics.signatures import SETS
from irmeta.papers.gupta2019.ranking import (
    TABLE_3,
    proof_cells,
    ranking_cells,
    sheffield_cells,
)
from irmeta.papers.gupta2019.released import Released
from irmeta.studies.checks.reproduction import Cell, reproduction, tables


@pytest.fixture(scope="module")
def cells(data: Path) -> list[Cell]:
    return list(ranking_cells(Released.load(data), 0))


def test_table_3_ranks_the_23_metrics() -> None:
    """Both published orders have each of the 23 metrics once, and share the first six."""
    for order in TABLE_3.values():
        assert sorted(order) == sorted(SETS["seeds23"])
    assert TABLE_3["ib"][:6] == TABLE_3["gf"][:6]


def test_the_published_order_of_sheffields_bands_is_reproduced() -> None:
    """Backward elimination gives the order in the released code's comment; two other methods give the same."""
    cells = list(sheffield_cells())
    found = [cell for cell in cells if cell.published is not None]
    assert [(cell.row, cell.status) for cell in found] == [("ib", "reproduced")] * 7
    for method in ("sheffield", "pivot"):
        bands = [
            cell.ours
            for cell in cells
            if cell.row == method and cell.column.startswith("band")
        ]
        assert bands == [cell.published for cell in found]


@pytest.mark.data
def test_table_3_is_not_checkable_and_not_near(cells: list[Cell]) -> None:
    """All 46 ranks stand beside ours without a verdict; no matrix of released scores comes near the published order."""
    ranks = [
        cell
        for cell in cells
        if cell.item == "Table 3" and cell.column.startswith("rank")
    ]
    assert len(ranks) == 46
    assert all(
        cell.status == "not checkable" and cell.ours is not None for cell in ranks
    )
    taus = [
        cell.ours
        for cell in cells
        if cell.item == "Table 3" and cell.column.startswith("tau")
    ]
    assert len(taus) == 8
    assert all(abs(tau or 1) < 0.2 for tau in taus)


@pytest.mark.data
def test_the_claims_do_not_hold(cells: list[Cell]) -> None:
    """Backward elimination is not always optimal, and the bound printed for greedy forward is broken, as is known."""
    claims = {
        (cell.row, cell.column): cell
        for cell in cells
        if cell.item in ("Section 6, claims", "Section 6.3")
    }
    lowest = claims["ib", "smallest ratio to the optimum"]
    other = claims["ib", "smallest ratio to the optimum, correlation"]
    np.testing.assert_allclose([lowest.ours, other.ours], [0.982, 0.807], atol=0.0015)
    denied = [cell for cell in claims.values() if cell.status == "contradicted"]
    assert len(denied) == 4
    assert not any(cell.unexpected for cell in denied)


def test_the_proof_is_tested_on_what_could_make_it_hold() -> None:
    """Both steps fail on the covariance of close metrics; submodularity holds where metrics have nothing in common."""
    rng = np.random.default_rng(4)
    common = rng.normal(size=(200, 1, 1)) + 0.1 * rng.normal(size=(200, 1, 8))
    apart = rng.normal(size=(20_000, 1, 8)) * 0.3
    for scores, holds in ((common, False), (apart, False), (apart * 10, True)):
        cells = {
            cell.row: cell
            for cell in proof_cells(xr.DataArray(scores), np.random.default_rng(0))
        }
        assert cells["identity"].ours == 0
        assert (cells["submodularity"].ours > 0.5) is False if not holds else True


@pytest.mark.data
def test_the_ends_of_figure_3_are_listed(cells: list[Cell]) -> None:
    """What can be read off both plots stands without a verdict."""
    ends = [
        (cell.item, cell.published, cell.status)
        for cell in cells
        if cell.column.endswith("est, log10")
    ]
    assert [end[:2] for end in ends] == [
        ("Figure 3a", -53),
        ("Figure 3a", 0),
        ("Figure 3b", -2.8),
        ("Figure 3b", 0.15),
    ]
    assert {end[2] for end in ends} == {"not checkable"}


@pytest.mark.data
def test_cells_make_a_reproduction(cells: list[Cell]) -> None:
    """The cells fit the table of `irmeta reproduce`, and none is unexpected."""
    outcome = reproduction("gupta2019", cells, options={})
    assert tables(outcome)["cells"].height == len(cells)
    assert not outcome["unexpected"].values.any()
