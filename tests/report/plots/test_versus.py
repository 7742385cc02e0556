"""What the plot of one system against another draws."""

import numpy as np
import pytest
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.text import Text

import irmeta
from irmeta.report.plots import figure_of
from irmeta.report.plots.figure import PALETTE
from irmeta.report.plots.systems import versus as drawn
from irmeta.report.plots.systems.versus import by_topic
from irmeta.report.tables import overview
from irmeta.scores.cube import cube
from irmeta.scores.groups.clusters import with_clusters


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
    axes = by_topic(result, Figure().add_subplot(), metric=0, last=True)
    heights = [bar.get_height() for bar in axes.patches]
    np.testing.assert_allclose(heights, np.sort(one["by_topic"].values)[::-1])
    assert axes.lines[-1].get_ydata()[0] == pytest.approx(one["difference"].item())
    assert (
        axes.get_xlabel() == "mine \N{MINUS SIGN} bm25,\ntopics in order (dashed: mean)"
    )
    assert list(axes.get_xticks()) == []


def test_the_line_is_the_mean_over_topics_where_bars_are_clusters():
    """Clusters of unequal size: the dashed line is the difference that is printed, not the mean of the bars."""
    values = np.random.default_rng(0).uniform(0, 1, (2, 12, 1))
    topics = [str(one) for one in range(12)]
    scores = cube(values, ["mine", "bm25"], topics, ["AP"])
    sizes = with_clusters(scores, dict(zip(topics, "aaaaaabbbccd", strict=True)))
    result = irmeta.versus(sizes, "mine", "bm25", test="t")
    axes = by_topic(result, Figure().add_subplot(), metric=0, last=True)
    heights = [bar.get_height() for bar in axes.patches]
    line = axes.lines[-1].get_ydata()[0]
    assert line == pytest.approx((values[0] - values[1]).mean())
    assert abs(line - np.mean(heights)) > 0.01


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


@pytest.mark.parametrize("sign", [1, -1])
def test_the_line_of_the_mean_crosses_no_name(sign):
    """The mean is a line over all bars; the names of the three best and the three worst topics stand beyond it."""
    values = np.zeros((2, 30, 1))
    values[0, :, 0] = sign * np.linspace(0.6, -0.3, 30)
    topics = [f"topic{one}" for one in range(30)]
    scores = cube(values + 0.5, ["mine", "bm25"], topics, ["AP"])
    drawn = figure_of(irmeta.versus(scores, "mine", "bm25").data)
    drawn.draw_without_rendering()
    (axes,) = drawn.axes
    mean = axes.lines[-1]
    assert list(mean.get_xdata()) == [0, 1]  # of the axis
    height = axes.transData.transform((0, mean.get_ydata()[0]))[1]
    named = {name.get_text() for name in axes.texts}
    assert named == {f"topic{one}" for one in (0, 1, 2, 27, 28, 29)}
    for name in axes.texts:
        box = Text.get_window_extent(name)
        assert not box.y0 <= height <= box.y1


def test_gains_are_blue_and_losses_orange():
    """Bars above 0 have the first colour of the palette, bars below 0 the sixth."""
    axes = by_topic(made(), Figure().add_subplot(), metric=0, last=True)
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


def test_few_opponents_have_a_panel_each():
    """Against two opponents each has its bars and its axis, as each has its sentence."""
    values = np.random.default_rng(0).uniform(0, 1, (4, 9, 1))
    scores = cube(values, list("abcd"), [str(one) for one in range(9)], ["AP"])
    panels = irmeta.versus(scores, "b", ["a", "d"], test="t").plot().axes
    for axes, other in zip(panels, (0, 3), strict=True):
        heights = [bar.get_height() for bar in axes.patches]
        gaps = values[1, :, 0] - values[other, :, 0]
        np.testing.assert_allclose(heights, np.sort(gaps)[::-1])
        assert axes.get_xlabel().startswith(f"b \N{MINUS SIGN} {'abcd'[other]},")


def test_clusters_are_bars_and_are_called_so():
    """Where topics come in clusters, each is a bar, and the axis says so."""
    values = np.random.default_rng(0).uniform(0, 1, (4, 9, 1))
    scores = cube(values, list("abcd"), [str(one) for one in range(9)], ["AP"])
    thirds = with_clusters(scores, {str(one): str(one // 3) for one in range(9)})
    [axes] = irmeta.versus(thirds, "b", "a", test="t").plot().axes
    assert "\nclusters in order" in axes.get_xlabel()


@pytest.mark.parametrize(("width", "columns"), [(3.3, 1), (7, 2)])
def test_panels_stand_side_by_side_where_there_is_room(width, columns):
    """Four metrics are four panels in a column of a paper, and two by two on a page."""
    axes = made().plot(width=width).axes
    assert len(axes) == 4
    assert len({panel.get_subplotspec().colspan.start for panel in axes}) == columns


def test_many_opponents_are_rows_sorted_by_their_difference():
    """Each opponent has its difference and interval, the largest on top; those with a significant one are filled."""
    values = np.random.default_rng(0).uniform(0, 1, (9, 20, 1))
    values += np.linspace(0, 0.6, 9)[:, None, None]
    scores = cube(values, list("abcdefghi"), [str(one) for one in range(20)], ["AP"])
    result = irmeta.versus(scores, "e", test="t").data
    (axes,) = figure_of(result).axes
    one = result.isel(metric=0)
    one = one.isel(against=np.argsort(-one["difference"].values))
    assert [
        label.get_text() for label in axes.get_yticklabels()
    ] == one.against.values.tolist()
    lengths = [path.vertices[:, 0] for path in axes.collections[0].get_paths()]
    np.testing.assert_allclose(lengths, np.stack([one["low"], one["high"]], axis=1))
    found = {line.get_label(): line for line in axes.lines}
    sure, up = one["significant"].values, one["difference"].values > 0
    for label, which in (
        ("significantly better", sure & up),
        ("significantly worse", sure & ~up),
        ("not distinguished", ~sure),
    ):
        assert which.any()
        line = found[label]
        np.testing.assert_array_equal(line.get_ydata(), np.flatnonzero(which))
        assert (line.get_markerfacecolor() == "white") == (label == "not distinguished")


def test_of_very_many_opponents_the_nearest_are_drawn(monkeypatch):
    """Where there is no room for all, the opponents that differ least are drawn, and those to mark."""
    monkeypatch.setattr(drawn, "ROWS", 5)
    values = np.random.default_rng(0).uniform(0, 1, (9, 20, 1))
    scores = cube(values, list("abcdefghi"), [str(one) for one in range(20)], ["AP"])
    result = irmeta.versus(scores, "e", test="t").data
    one = result["difference"].isel(metric=0)
    far = str(one.against.values[abs(one.values).argmax()])
    near = one.against.values[np.argsort(abs(one.values))][:4]
    figure = figure_of(result, highlight=far)
    names = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert set(names) == {far, *near}
    assert figure.legends[0].get_title().get_text() == "the 5 of 8 that differ least"


def test_bars_are_named_that_the_table_names() -> None:
    """The three best and the three worst topics, also where equal ones or fewer losses are beside them."""
    gaps = np.r_[np.linspace(0.3, 0.05, 25), 0.05, 0.05, 0.05, -0.05, -0.3]
    table = {
        "mine": {str(at): 0.5 + gap for at, gap in enumerate(gaps)},
        "bm25": {str(at): 0.5 for at in range(30)},
    }
    found = irmeta.versus(table, "mine", "bm25", metrics="AP")
    named = {one.get_text() for one in found.plot(width=3.3).axes[0].texts}
    view = next(
        rows for title, rows in overview(found.data).items() if "worst" in title
    )
    assert named == set(view["topic"])
    assert named == {"0", "1", "2", "24", "28", "29"}
