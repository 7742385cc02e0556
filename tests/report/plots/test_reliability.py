"""What the figures of reliability and design draw."""

import numpy as np
import pytest
import xarray as xr
from matplotlib.figure import Figure

from irmeta.report.plots import figure_of
from irmeta.report.plots.collections import design as design_plots
from irmeta.report.plots.collections import reliability as reliability_plots
from irmeta.scores.cube import cube
from irmeta.scores.groups.clusters import with_clusters
from irmeta.studies.design.reliability.study import reliability
from irmeta.studies.design.study import design


def scores():
    rng = np.random.default_rng(0)
    drawn = np.linspace(0, 2, 10)[:, None, None] + rng.normal(size=(10, 20, 2))
    return cube(
        drawn, [f"s{i}" for i in range(10)], [str(t) for t in range(20)], ["AP", "P@10"]
    )


def test_a_line_is_expected_tau_by_topics():
    """A metric has a line of expected tau and a dashed one of tau_AP, and all topics there are a dotted one."""
    result = reliability(scores(), sizes=[5, 40])
    axes = reliability_plots.tau(result, Figure().subplots())
    drawn = {line.get_label(): line.get_ydata() for line in axes.get_lines()}
    tau = result["tau"].sel(metric="AP").values
    np.testing.assert_allclose(drawn["AP"][[0, -1]], tau[[0, -1]])
    assert len(axes.get_lines()) == 5


def test_coefficients_have_their_intervals():
    """E rho2 is a line and a band for each metric, from the low to the high end at every number of topics."""
    result = reliability(scores())
    axes = reliability_plots.erho2(result, Figure().subplots())
    assert len(axes.collections) == 2
    box = axes.collections[0].get_datalim(axes.transData)
    one = result.sel(metric="AP")
    np.testing.assert_allclose(
        [box.y0, box.y1], [one["erho2_low"].min(), one["erho2_high"].max()]
    )


@pytest.mark.parametrize("name", ["erho2", "phi", "tau"])
def test_curves_are_the_formula_between_the_sizes_too(name):
    """A curve drawn from two sizes goes through what is computed at a third, and reaches .95 where the study says."""
    result, between = (
        reliability(scores(), sizes=sizes) for sizes in ([5, 200], [5, 20, 60, 200])
    )
    axes = getattr(reliability_plots, name)(result, Figure().subplots())
    x, y = axes.get_lines()[0].get_data()
    exact = between[name].sel(metric="AP", size=[20, 60])
    np.testing.assert_allclose(np.interp([20, 60], x, y), exact, atol=5e-4)
    if name == "phi":
        needed = result["needed"].sel(coefficient="phi", metric="AP").item()
        assert x[np.argmax(y >= 0.95)] == pytest.approx(needed, rel=0.05)


def test_of_many_metrics_the_usual_ones_are_drawn():
    """Of six metrics a figure has a curve for each of the four that most papers report."""
    six = ["AP@10", "R@10", "RR", "P@10", "AP", "nDCG@10"]
    made = cube(
        np.random.default_rng(0).random((5, 12, 6)),
        list("abcde"),
        [str(t) for t in range(12)],
        six,
    )
    legend = figure_of(reliability(made)).legends[0]
    named = [text.get_text() for text in legend.get_texts()]
    assert named[:4] == ["nDCG@10", "AP", "RR", "P@10"]
    assert named[4:] == ["wanted, 0.95", "95% interval", "tau_AP"]
    assert legend.get_title().get_text() == "4 of 6 metrics; high is better"
    marked = figure_of(reliability(made), highlight="R@10")
    named = [text.get_text() for text in marked.legends[0].get_texts()]
    assert named[:5] == ["nDCG@10", "AP", "RR", "P@10", "R@10"]
    title = marked.legends[0].get_title().get_text()
    assert title.startswith("5 of 6 metrics")


@pytest.mark.parametrize(("width", "columns"), [(3.3, 1), (7, 3)])
def test_coefficients_share_their_axis(width, columns):
    """E rho2, Phi and tau have one axis of topics in a column of a paper, and stand side by side on a page."""
    panels = figure_of(reliability(scores()), width=width).axes
    assert len({panel.get_subplotspec().colspan.start for panel in panels}) == columns
    assert [bool(panel.get_xlabel()) for panel in panels] == [columns == 3] * 2 + [True]


def test_a_difference_asked_for_meets_the_curve_where_it_shows():
    """The difference is a line; each curve has a circle at the topics that it takes, which the legend says."""
    result = reliability(scores(), difference=0.8)
    axes = reliability_plots.differences(result, Figure().subplots())
    topics = result["pair_topics"].sel(share=0.5)
    curves = {line.get_label(): line for line in axes.lines}
    for metric in ("AP", "P@10"):
        needed = int(topics.sel(metric=metric))
        x, y = curves[f"{metric}: 0.8 with {needed} topics"].get_data()
        # the number of topics is a whole one
        assert np.interp(needed - 1, x, y) > 0.8 >= np.interp(needed, x, y) - 0.01
        assert any(
            np.array_equal(line.get_xydata(), [[needed, 0.8]]) for line in axes.lines
        )
    assert list(curves["wanted, 0.8"].get_ydata()) == [0.8, 0.8]


def test_both_views_are_figures():
    """The view of coefficients has three panels, that of differences one."""
    result = reliability(scores())
    assert [
        len(reliability_plots.figure(result, view=view).axes)
        for view in ("reliability", "differences")
    ] == [3, 1]


def test_ways_on_no_front_are_named_by_their_tau():
    """Of ways that are equally often on the front the legend names those with the highest tau."""
    result = design(scores(), target="AP", partitions=20).data
    front = xr.zeros_like(result["front"])
    tau = result["tau"] * 0 + xr.DataArray(np.arange(result.sizes["way"]), dims="way")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(design_plots, "LISTED", 1)
        axes = design_plots.taus(
            result.assign(front=front, tau=tau), Figure().subplots()
        )
    named = axes.get_legend_handles_labels()[1]
    assert named[0] == str(result["label"].values[-1])


def test_the_front_is_marked():
    """Each point of the front is drawn, and the budget is a line."""
    result = design(scores(), target="AP", budget=500, partitions=20)
    axes = design_plots.taus(result, Figure().subplots())
    front = next(
        line for line in axes.get_lines() if line.get_label() == "best for its cost"
    )
    assert len(front.get_xdata()) == int(result["front"].sum())
    assert front.get_markerfacecolor() == "white"  # a line may be black
    assert any(
        np.array_equal(line.get_xdata(), [500, 500]) for line in axes.get_lines()
    )
    (drawn,) = design_plots.figure(result).axes
    assert all(float(label.get_text()) for label in drawn.get_xticklabels())


def test_topics_in_clusters_are_called_clusters():
    """Curves over clusters name their axis and their marks so."""
    clusters = {str(at): str(at // 2) for at in range(20)}
    result = reliability(with_clusters(scores(), clusters))
    axes = figure_of(result).axes
    assert axes[-1].get_xlabel() == "clusters (dotted: this collection's)"


def test_of_few_systems_only_differences_are_drawn():
    """Two systems have no ranking that could be reliable, so that the figure is of the differences that show."""
    (axes,) = figure_of(reliability(scores()[:2])).axes
    assert axes.get_ylabel().startswith("difference that a test shows")
