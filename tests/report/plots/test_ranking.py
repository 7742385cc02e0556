"""What the plots of a ranking draw."""

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from irmeta.papers.gupta2019.ranking import SHEFFIELD
from irmeta.report.plots.figure import draw, save
from irmeta.report.plots.metrics.ranking import plots, ranking, ratio
from irmeta.studies.choice.ranking import rank


def test_bars_are_the_steps_and_circles_the_optimum() -> None:
    """Bars have the log determinants of the order's first metrics, circles those of the best subsets."""
    outcome = rank(SHEFFIELD, "gf-code")
    axes = ranking(outcome, Figure().add_subplot())
    np.testing.assert_allclose(
        [bar.get_height() for bar in axes.patches], outcome["value"].values
    )
    np.testing.assert_allclose(axes.lines[0].get_ydata(), outcome["optimal"].values)
    assert [label.get_text() for label in axes.get_xticklabels()][:2] == [
        "1. 5",
        "2. 4",
    ]


def test_unproven_optima_are_marked() -> None:
    """Optima that time did not prove are drawn as another kind of point."""
    sigma = np.corrcoef(np.random.default_rng(3).normal(size=(90, 70)), rowvar=False)
    outcome = rank(sigma, k=15, time_limit=0.2)
    axes = ranking(outcome, Figure().add_subplot())
    drawn = {str(line.get_label()): len(line.get_xdata()) for line in axes.lines}
    assert drawn["best k found, not proven"] == int((~outcome["proven"]).sum())


def test_the_ratio_is_drawn_where_it_says_something() -> None:
    """An order has a panel with its ratio to the optimum; the exact method needs none."""
    outcome = rank(SHEFFIELD, "gf-code")
    assert plots(outcome) == [ratio, ranking]
    assert plots(rank(SHEFFIELD)) == [ranking]
    axes = ratio(outcome, Figure().add_subplot())
    np.testing.assert_allclose(
        axes.lines[0].get_ydata(), outcome["ratio_to_optimum"].values
    )


def test_panels_share_the_horizontal_axis(tmp_path: Path) -> None:
    """Several plots stand above one another over one axis, and are saved as one figure."""
    outcome = rank(SHEFFIELD, "gf-code")
    figure = draw(plots(outcome), outcome)
    upper, lower = figure.axes
    assert upper.get_xlim() == lower.get_xlim()
    save(figure, tmp_path / "rank.svg")
    assert (tmp_path / "rank.svg").read_text().startswith("<?xml")
