"""What the plot of one system against another draws."""

import numpy as np
import pytest
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.text import Text

import irmeta
from irmeta.report.plots import figure_of
from irmeta.report.plots.figure import PALETTE
from irmeta.report.plots.systems.versus import by_topic
from irmeta.scores.cube import cube


def made():
    values = np.random.default_rng(0).uniform(0, 1, (3, 12, 5))
    metrics = ["AP", "P@10", "RR", "nDCG@10", "nDCG@20"]
    scores = cube(
        values, ["mine", "bm25", "dense"], [str(one) for one in range(12)], metrics
    )
    return irmeta.versus(scores, "mine", "bm25", test="t")


def test_bars_are_the_differences_sorted_and_the_line_their_mean():
    """Each topic is a bar, largest difference first; the dashed line is the mean difference."""
    result = made()
    one = result.isel(metric=0, against=0)
    axes = by_topic(result, Figure().add_subplot(), at=0, last=True)
    heights = [bar.get_height() for bar in axes.patches]
    np.testing.assert_allclose(heights, np.sort(one["by_topic"].values)[::-1])
    assert axes.lines[-1].get_ydata()[0] == pytest.approx(one["difference"].item())
    assert axes.get_xlabel() == "topics, by mine\nless bm25 (dashed: mean)"
    assert list(axes.get_xticks()) == []


@pytest.mark.parametrize(("width", "own"), [(7, True), (1.3, False)])
def test_a_topic_is_named_at_its_bar_where_bars_are_wide(width, own):
    """On a page each name stands at its own bar; where bars are narrow, names stand apart."""
    figure = figure_of(made().data, width=width)
    figure.draw_without_rendering()
    axes = figure.axes[0]
    away = [
        axes.transData.transform((name.xy[0], 0))[0]
        - np.mean(Text.get_window_extent(name).intervalx)
        for name in axes.texts
    ]
    assert (np.abs(away).max() < 3) == own


def test_gains_are_blue_and_losses_orange():
    """Bars above 0 have the first colour of the palette, bars below 0 the sixth."""
    axes = by_topic(made(), Figure().add_subplot(), at=0, last=True)
    for sign, colour in ((1, PALETTE[0]), (-1, PALETTE[5])):
        bars = [bar for bar in axes.patches if sign * bar.get_height() > 0]
        assert bars
        assert {bar.get_facecolor() for bar in bars} == {to_rgba(colour)}


def test_a_figure_has_a_panel_for_each_of_four_metrics():
    """Of five metrics the first four have a panel, and only the last panel names the axis."""
    panels = figure_of(made()).axes
    assert [panel.get_ylabel() for panel in panels] == [
        f"{m} difference\n(up is better)" for m in ("AP", "P@10", "RR", "nDCG@10")
    ]
    assert [bool(panel.get_xlabel()) for panel in panels] == [False, False, False, True]


def test_against_everybody_the_opponent_is_the_median():
    """With several opponents bars are differences from the median of the others, of which the sentence speaks."""
    values = np.random.default_rng(0).uniform(0, 1, (4, 9, 1))
    scores = cube(values, list("abcd"), [str(one) for one in range(9)], ["AP"])
    axes = by_topic(
        irmeta.versus(scores, "b", test="t"), Figure().add_subplot(), at=0, last=True
    )
    median = np.median(values[[0, 2, 3], :, 0], axis=0)
    heights = [bar.get_height() for bar in axes.patches]
    np.testing.assert_allclose(heights, np.sort(values[1, :, 0] - median)[::-1])
    assert (
        axes.get_xlabel()
        == "topics, by b\nless the median of the others (dashed: mean)"
    )
