"""What the plots of a ranking draw."""

import numpy as np
from matplotlib.figure import Figure

from irmeta.papers.gupta2019.ranking import SHEFFIELD
from irmeta.report.plots.metrics.ranking import ranking
from irmeta.studies.choice.ranking.study import rank


def test_bars_are_the_steps_and_circles_the_optimum() -> None:
    """Bars have the log determinants of the order's first metrics, circles those of the best subsets."""
    outcome = rank(SHEFFIELD, "gf-code")
    axes = ranking(outcome, Figure().add_subplot())
    np.testing.assert_allclose(
        [bar.get_width() for bar in axes.patches], outcome["value"].values
    )
    np.testing.assert_allclose(axes.lines[0].get_xdata(), outcome["optimal"].values)
    assert [label.get_text() for label in axes.get_yticklabels()][:2] == [
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


def test_the_ratio_is_written_where_it_says_something() -> None:
    """Beside the rows of an order stands its ratio to the optimum; the exact method needs none."""
    outcome = rank(SHEFFIELD, "gf-code")
    axes = ranking(outcome, Figure().add_subplot())
    head, *ratios = [text.get_text() for text in axes.texts]
    assert head == "ratio to optimum"
    written = [float(ratio) for ratio in ratios]
    np.testing.assert_allclose(written, outcome["ratio_to_optimum"].values, atol=0.005)
    assert not ranking(rank(SHEFFIELD), Figure().add_subplot()).texts
