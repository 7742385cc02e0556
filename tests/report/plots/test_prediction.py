"""What is drawn are the numbers of the result."""

import numpy as np
import pytest
import xarray as xr
from matplotlib.figure import Figure
from numpy.testing import assert_allclose

from irmeta.report.plots.metrics.coverage import coverage
from irmeta.report.plots.metrics.lowcost import lowcost
from irmeta.report.plots.metrics.prediction import MOST, prediction
from irmeta.report.plots.metrics.predictors import predictors
from irmeta.studies.prediction.predict.typed import GIVEN


@pytest.fixture
def axes():
    return Figure().add_subplot()


def drawn(axes):
    return [np.column_stack(line.get_data()).tolist() for line in axes.lines]


def test_predictions_are_points_between_the_ends_of_their_intervals(axes):
    """Each predicted score is a row with its interval; reported ones, NaN, are not drawn."""
    grid = {
        "value": [[0.2, np.nan], [0.3, 0.5]],
        "low": [[0.1, np.nan], [0.2, 0.4]],
        "high": [[0.3, np.nan], [0.4, 0.6]],
        "outside": [[0, np.nan], [0, 1]],
    }
    data = {name: (("system", "target"), values) for name, values in grid.items()}
    outcome = xr.Dataset(
        data,
        {"system": ["a", "b"], "target": ["AP", "RR"]},
        attrs={"options": {"level": 0.9}},
    )
    assert prediction(outcome, axes) is axes
    assert drawn(axes)[:2] == [[[0.1, 0], [0.3, 0]], [[0.2, 0]]]
    assert [label.get_text() for label in axes.get_yticklabels()] == [
        "a: AP",
        "b: AP",
        "b: RR",
    ]
    colours = [line.get_color() for line in axes.lines[::2]]
    assert colours[0] == colours[1] != colours[2]


def test_a_plot_of_many_predictions_says_how_many_it_shows(axes):
    """Of more predictions than fit a page the first are drawn, and the axis says of how many."""
    dims = {"system": [f"s{at}" for at in range(60)], "target": ["AP", "RR", "P@10"]}
    grid = {"value": 0.5, "low": 0.4, "high": 0.6, "outside": 0.0}
    data = {name: (tuple(dims), np.full((60, 3), one)) for name, one in grid.items()}
    outcome = xr.Dataset(data, dims, attrs={"options": {"level": 0.9}})
    panel = prediction(outcome, axes)
    assert len(panel.get_yticks()) == MOST
    assert panel.get_xlabel().endswith(f"first {MOST} of 180")


@pytest.mark.parametrize(
    ("system", "said"),
    [("bm25", "predicted score of bm25"), (GIVEN, "predicted score")],
)
def test_the_axis_names_a_single_system(axes, system, said):
    """Rows of one system are its targets, so the axis says whose they are; typed scores have no name."""
    names = ("value", "low", "high", "outside")
    data = {name: (("system", "target"), [[0.5]]) for name in names}
    where = {"system": [system], "target": ["AP"]}
    outcome = xr.Dataset(data, where, attrs={"options": {"level": 0.9}})
    panel = prediction(outcome, axes)
    assert panel.get_xlabel() == f"{said} and 90% interval"


def test_tau_of_each_target_stands_in_its_row(axes):
    """For each size and collection the taus are drawn over the targets."""
    tau = np.arange(8).reshape(2, 2, 2) / 10
    coords = {"target": ["AP", "RR"], "size": [1, 2], "collection": ["c", "d"]}
    predictors(xr.Dataset({"tau": (tuple(coords), tau)}, coords), axes)
    assert_allclose(drawn(axes)[1], [[tau[0, 0, 1], 0], [tau[1, 0, 1], 1]])


def test_coverage_is_drawn_beside_the_nominal_level(axes):
    """A collection's shares stand over the targets; a line marks the level aimed at."""
    coords = {"target": ["AP", "RR"], "collection": ["c"]}
    outcome = xr.Dataset(
        {"measured": (tuple(coords), [[0.8], [0.95]])},
        coords,
        attrs={"options": {"level": 0.9}},
    )
    coverage(outcome, axes)
    assert drawn(axes)[0] == [[0.8, 0], [0.95, 1]]
    assert axes.lines[1].get_xdata()[0] == 0.9


@pytest.mark.parametrize("measure", ["tau", "r2", "rmse"])
def test_measures_are_drawn_over_depth_dashed_for_the_pool(axes, measure):
    """A line a target, collection and kind of judgments has its figures at the depths."""
    coords = {
        "target": ["AP"],
        "judgments": ["full", "pool"],
        "depth": [10, 20],
        "collection": ["c"],
    }
    figures = np.array([[[[0.5], [0.6]], [[0.3], [0.4]]]])
    lowcost(xr.Dataset({measure: (tuple(coords), figures)}, coords), axes, measure)
    assert drawn(axes)[:2] == [[[10, 0.5], [20, 0.6]], [[10, 0.3], [20, 0.4]]]
    assert [line.get_linestyle() for line in axes.lines[:2]] == ["-", "--"]
