"""What the plot of reproductions draws."""

import numpy as np
import pytest
from matplotlib.figure import Figure

import irmeta
from irmeta.report.plots import figure_of
from irmeta.report.plots.systems.replication import ratios
from irmeta.scores.cube import cube


def made(**options):
    rng = np.random.default_rng(0)
    given = {}
    for name in ("first", "second", "third"):
        scores = rng.normal([[0.6], [0.4]], 0.05, (2, 30))[..., None]
        topics = [f"{name}-{at}" for at in range(30)]
        given[name] = cube(scores, ["mine", "bm25"], topics, ["AP"])
    return irmeta.replicate(given, system="mine", **options)


@pytest.mark.parametrize(
    ("options", "limits"),
    [({"against": "bm25", "keep": 0.4}, [0.4]), ({"within": 0.1}, [0.9, 1.1])],
)
def test_points_are_ratios_and_lines_what_is_asked_for(options, limits):
    """Each experiment is a point at its ratio with its interval; the original is at 1, and dashed lines are limits."""
    result = made(**options)
    axes = ratios(result, Figure().add_subplot())
    points, one, *asked = axes.lines
    np.testing.assert_allclose(points.get_xdata(), result["ratio"].values[:, 0])
    assert one.get_xdata() == [1, 1]
    assert [line.get_xdata()[0] for line in asked] == pytest.approx(limits)
    ends = np.array([line[:, 0] for line in axes.collections[0].get_segments()])
    np.testing.assert_allclose(ends[:, 0], result["ratio_low"].values[:, 0])
    assert [label.get_text() for label in axes.get_yticklabels()] == ["second", "third"]


def test_the_figure_names_the_original():
    """The axis says what the ratios are shares of."""
    figure = figure_of(made(against="bm25"))
    assert figure.axes[0].get_xlabel() == "AP lead as a share of that in first"
