"""The numbers that the plots of description, comparison, significance and standardizing sets draw."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from irmeta.report.plots import figure_of
from irmeta.report.plots.collections import comparison, standardizing_set
from irmeta.report.plots.rows import whole_ranks
from irmeta.report.plots.systems import description
from irmeta.scores.cube import cube
from irmeta.studies.differences.description.study import describe
from irmeta.studies.standardizing.comparison.study import compare
from irmeta.studies.standardizing.standardizing_set import (
    standardizing_set as draw_sets,
)


def scores(seed=0, systems=6):
    drawn = (
        np.random.default_rng(seed).beta(1, 2, size=(systems, 7, 2))
        + np.linspace(0, 0.3, systems)[:, None, None]
    )
    names = [f"s{i}" for i in range(systems)], [str(t) for t in range(7)], ["AP", "RR"]
    return cube(drawn, *names, collection=f"c{seed}")


@pytest.fixture
def axes():
    return Figure().add_subplot()


def test_means_are_drawn_best_first_with_their_intervals(axes):
    """The dots are the means in falling order, the bars the ends of the intervals."""
    result = describe(scores())
    assert description.means(result, axes) is axes
    [dots], [bars] = axes.lines, axes.collections
    ordered = result.sel(metric="AP").sortby("rank")
    np.testing.assert_allclose(dots.get_xdata(), ordered["mean"])
    ends = np.array(bars.get_segments())[:, :, 0]
    np.testing.assert_allclose(
        ends, np.stack([ordered["low"], ordered["high"]], axis=1)
    )
    assert [
        label.get_text() for label in axes.get_yticklabels()
    ] == ordered.system.values.tolist()


def test_rank_sets_are_drawn_as_lines(axes):
    """Each system's line goes from the best to the worst rank it may have, best system first, its rank on it."""
    result = describe(scores(), by="RR")
    description.ranks(result, axes)
    ordered = result.sel(metric="RR").sortby("rank")
    [lines] = axes.collections
    ends = np.array(lines.get_segments())[:, :, 0]
    np.testing.assert_array_equal(
        ends, np.stack([ordered["rank_low"], ordered["rank_high"]], axis=1)
    )
    np.testing.assert_array_equal(axes.get_lines()[0].get_xdata(), ordered["rank"])
    assert all(float(tick).is_integer() for tick in axes.get_xticks())


@pytest.mark.parametrize("view", ["means", "ranks"])
def test_of_many_systems_the_best_and_those_to_mark_are_drawn(view):
    """Of 36 systems a figure has the best 30 and, after a gap, one to mark; its axis says so."""
    result = describe(scores(systems=36))
    last = str(result.sel(metric="AP").sortby("rank").system.values[-1])
    figure = figure_of(result.data, view=view, highlight=last)
    (axes,) = figure.axes
    rows = [label.get_text() for label in axes.get_yticklabels()]
    assert (len(rows), rows[-1]) == (32, last)
    assert axes.lines[0].get_ydata()[-1] == 31
    assert "\nthe best 30 and 1 more of 36 systems\n" in axes.get_xlabel()
    assert len(figure_of(result.data, view="matrix").axes[0].get_yticks()) == 36


def test_marks_at_the_ends_of_ranks_are_whole(axes):
    """The dot of rank 1 of many lies within the axes."""
    (dot,) = axes.plot(1, 0, "o", markersize=3)
    whole_ranks(axes, 140)
    assert dot.get_window_extent().x0 > axes.bbox.x0


def test_ranks_of_a_narrow_figure_have_fewer_ticks():
    """Beside names of rows ticks of a column's width would cover each other."""
    found = {}
    for width in (3.3, 7):
        axes = Figure(figsize=(width, 3)).add_subplot()
        whole_ranks(axes, 40)
        found[width] = [int(tick) for tick in axes.get_xticks()]
    assert found[3.3][0] == found[7][0] == 1
    assert len(found[3.3]) <= 4 < len(found[7])


def test_the_matrix_holds_every_score_of_one_metric(axes):
    """Rows are systems, best first, columns topics, easiest first."""
    description.matrix(describe(scores(), by="RR"), axes)
    drawn = axes.get_images()[0].get_array()
    raw = scores().sel(metric="RR").values
    order = np.ix_(np.argsort(-raw.mean(axis=1)), np.argsort(-raw.mean(axis=0)))
    np.testing.assert_allclose(drawn, raw[order])


def test_the_distribution_has_a_line_for_each_metric_with_its_quartiles(axes):
    """The marks on a metric's line are the quartiles of its scores."""
    description.distribution(describe(scores()), axes)
    marks = [line.get_xdata() for line in axes.get_lines()][1::2]
    for metric, drawn in zip(("AP", "RR"), marks, strict=True):
        np.testing.assert_allclose(
            drawn, np.quantile(scores().sel(metric=metric), [0.25, 0.5, 0.75])
        )


def test_bars_are_mean_drmse(axes):
    """A bar is the mean over pairs of one metric in one form."""
    result = compare({f"c{seed}": scores(seed) for seed in range(3)}, partitions=10)
    comparison.drmse_bars(result, axes)
    for kind, bars in zip(("raw", "normal"), axes.containers, strict=True):
        lengths = [bar.get_width() for bar in bars]
        np.testing.assert_allclose(lengths, result["drmse"].sel(kind=kind).mean("pair"))


def test_percentiles_are_drawn_over_the_number_of_systems(axes):
    """Three lines a metric, and a level one at the tau of raw scores."""
    result = draw_sets(scores(), scores(1), sizes=[2, 4], resamples=100)
    standardizing_set.tau_percentiles(result, axes)
    lines = {line.get_label(): line for line in axes.get_lines()}
    for metric in ("AP", "RR"):
        np.testing.assert_allclose(
            lines[f"{metric}, 5th percentile"].get_ydata(),
            result["p5"].sel(metric=metric),
        )
        np.testing.assert_allclose(
            lines[f"{metric}, raw scores"].get_ydata(),
            result["raw"].sel(metric=metric).item(),
        )
