"""What the plots of a ranking draw."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from irmeta.papers.gupta2019.ranking import SHEFFIELD
from irmeta.report.plots.metrics.ranking import figure, members, values
from irmeta.studies.choice.ranking.study import rank


def test_the_line_is_the_order_and_circles_are_the_optimum() -> None:
    """The line has the log determinants of the order's first metrics, circles those of the best subsets."""
    outcome = rank(SHEFFIELD, "gf-code")
    axes = values(outcome, Figure().add_subplot())
    first, best = axes.lines
    np.testing.assert_allclose(first.get_ydata(), outcome["value"].values)
    np.testing.assert_allclose(best.get_ydata(), outcome["optimal"].values)


def test_exact_sets_have_no_order_beside_them() -> None:
    """Of the exact method only the best subsets are drawn: a reader would take an order for one of metrics alone."""
    outcome = rank(SHEFFIELD)
    (best,) = values(outcome, Figure().add_subplot()).lines
    np.testing.assert_allclose(best.get_ydata(), outcome["optimal"].values)


def test_unproven_optima_are_marked() -> None:
    """Optima that time did not prove are drawn as another kind of point."""
    sigma = np.corrcoef(np.random.default_rng(3).normal(size=(90, 70)), rowvar=False)
    outcome = rank(sigma, k=15, time_limit=0.2)
    axes = values(outcome, Figure().add_subplot())
    drawn = {str(line.get_label()): len(line.get_xdata()) for line in axes.lines}
    assert drawn["best k found, not proven"] == int((~outcome["proven"]).sum())


@pytest.mark.parametrize(("method", "kind"), [("exact", "best"), ("gf-code", "first")])
def test_dots_name_the_sets(method, kind) -> None:
    """Below each number of metrics stands a dot in the row of each metric of its set, and the axis says which set."""
    outcome = rank(SHEFFIELD, method, k=5)
    axes = members(outcome, Figure().add_subplot())
    names = [label.get_text() for label in axes.get_yticklabels()]
    drawn = {(int(k), names[int(row)]) for k, row in axes.lines[0].get_xydata()}
    k, metric = np.nonzero(outcome["chosen"].values)
    assert drawn == {
        (k + 1, str(outcome["metric"].values[m]))
        for k, m in zip(k, metric, strict=True)
    }
    assert axes.get_xlabel().endswith(f"(dot: one of the {kind} k)")


def test_the_best_single_metric_is_the_first_row() -> None:
    """Rows begin with the metric that is best alone, and panels share the axis of the number of metrics."""
    outcome = rank(SHEFFIELD, k=5)
    above, below = figure(outcome).axes
    (alone,) = outcome["metric"].values[outcome["chosen"].values[0]]
    assert below.get_yticklabels()[0].get_text() == alone
    assert above.get_xlim() == below.get_xlim()
