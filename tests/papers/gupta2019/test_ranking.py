"""Section 6 of Gupta et al. (2019): every cell is accounted for."""

from pathlib import Path

import numpy as np
import pytest
import xarray as xr

from irmeta.metrics.signatures import SETS
from irmeta.papers.gupta2019.correlations import heat_map_cells
from irmeta.papers.gupta2019.ranking import (
    TABLE_3,
    claim_cells,
    complexity_cells,
    figure_3_cells,
    proof_cells,
    sheffield_cells,
    stand_in_cells,
    table_3_cells,
)
from irmeta.papers.gupta2019.released import Released
from irmeta.papers.gupta2019.topicwise import topicwise_cells
from irmeta.studies.checks.reproduction import Cell, reproduction, tables


@pytest.fixture(scope="module")
def cells(data: Path) -> list[Cell]:
    tables = Released(data).tables
    return [*stand_in_cells(tables), *claim_cells(tables["train"])]


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
def test_released_means_come_not_near_table_3(cells: list[Cell]) -> None:
    """46 ranks by means of systems stand beside print without a verdict, and no matrix of them comes near."""
    ranks = [cell for cell in cells if cell.column.startswith("rank of")]
    assert len(ranks) == 46
    assert {cell.status for cell in ranks} == {"ours"}
    taus = [cell.ours for cell in cells if cell.column.startswith("tau")]
    assert len(taus) == 8
    assert all(abs(tau or 1) < 0.2 for tau in taus)


@pytest.fixture
def made_up(tmp_path: Path) -> xr.DataArray:
    """A table of the shape of the one released for ranking: 300 rows of scores by metrics as trec_eval names them."""
    names = (
        "P_1000 P_100 P_10 P_20 Rprec bpref err map_cut_1000 map_cut_100 map_cut_10 map_cut_20 ndcg_cut_1000 "
        "ndcg_cut_100 ndcg_cut_10 ndcg_cut_20 rdp_5 rdp_8 rdp_95 recall_1000 recall_100 recall_10 recall_20 recip_rank "
        "map ndcg"
    )
    columns = [f"{name}all" for name in names.split()]
    rng = np.random.default_rng(0)
    level = rng.uniform(0.1, 0.8, (300, 1))
    values = np.clip(level + 0.1 * rng.normal(size=(300, len(columns))), 0, 1)
    folder = tmp_path / "systemwise"
    folder.mkdir()
    np.savetxt(
        folder / "ranking.csv",
        values,
        "%.4f",
        delimiter=",",
        header=",".join(columns),
        comments="",
    )
    return Released(tmp_path).ranking


def test_rows_released_for_ranking_judge_table_3_and_figure_3(
    made_up: xr.DataArray,
) -> None:
    """Where the file is there, each rank and each end of the figure is compared, and no contradiction is unexpected."""
    cells = [*table_3_cells(made_up), *figure_3_cells(made_up)]
    assert len(cells) == 51
    assert {cell.status for cell in cells} <= {"reproduced", "contradicted"}
    assert not any(cell.unexpected for cell in cells)
    variance = made_up.sel(metric="AP@1000").values.var(ddof=1)
    first = next(cell for cell in cells if cell.item == "Figure 3a")
    assert first.ours == pytest.approx(np.log10(variance))


def test_rows_released_for_ranking_judge_the_heat_map(made_up: xr.DataArray) -> None:
    """Each of the 12 statements has a verdict; a figure of r is that of NumPy over all rows."""
    cells = list(heat_map_cells(made_up))
    assert len(cells) == 12
    assert {cell.status for cell in cells} <= {"reproduced", "contradicted"}
    assert not any(cell.unexpected for cell in cells)
    a, b = (made_up.sel(metric=name).values.ravel() for name in ("P@10", "RBP(p=0.8)"))
    assert cells[0].ours == pytest.approx(np.corrcoef(a, b)[0, 1])


def test_rows_released_for_ranking_stand_in_by_topic(made_up: xr.DataArray) -> None:
    """Half of the rows predict the other half; nothing is judged, as the paper's split is not given."""
    cells = list(topicwise_cells(made_up))
    assert {cell.status for cell in cells} == {"not checkable"}
    assert sum(cell.ours is not None for cell in cells) >= 40
    without = list(topicwise_cells(made_up.sel(metric=["P@10", "RR"])))
    assert len(without) == len(cells)
    assert all(cell.ours is None for cell in without)


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
    assert len(denied) == 3
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


def test_complexity_is_counted_and_not_timed() -> None:
    """Operations grow by 2^5, 2^3 and 2^3 as variables double, and are the same on every machine."""
    found = [cell for cell in complexity_cells() if cell.column.startswith("million")]
    of = {(cell.row, cell.column.split("=")[1]): cell.ours for cell in found}
    for method, power in (("sheffield", 5), ("ib", 3), ("gf", 3)):
        ratio = of[method, "100"] / of[method, "50"]
        assert np.log2(ratio) == pytest.approx(power, abs=0.1)


@pytest.mark.data
def test_cells_make_a_reproduction(cells: list[Cell]) -> None:
    """The cells fit the table of `irmeta reproduce`, and none is unexpected."""
    outcome = reproduction("gupta2019", cells, options={})
    assert tables(outcome)["cells"].height == len(cells)
    assert not outcome["unexpected"].values.any()
