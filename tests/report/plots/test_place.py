"""Figures of place and reuse: what is drawn is what the results say."""

import numpy as np
from matplotlib.figure import Figure

from irmeta.report.plots import figure_of
from irmeta.report.plots.judgments import reuse as reuse_plots
from irmeta.report.plots.systems import place as place_plots
from irmeta.scores.cube import cube
from irmeta.studies.place.reuse.study import reuse
from irmeta.studies.place.study import place


def axes():
    return Figure().subplots()


def test_each_system_is_a_row_with_its_interval():
    """Points and lines are the standardized scores and the ends of their intervals, ticks everybody's median."""
    drawn = np.random.default_rng(0).random((9, 7, 1))
    everybody = cube(
        drawn,
        [f"s{i}" for i in range(9)],
        [str(t) for t in range(7)],
        ["AP"],
        collection="A",
    )
    outcome = place(everybody.isel(system=[1, 4]), on=everybody)
    panel = place_plots.place(outcome, axes())
    [intervals] = panel.collections
    points, median, _ = panel.lines
    np.testing.assert_allclose(points.get_xdata(), outcome["standardized"].values[:, 0])
    np.testing.assert_allclose(median.get_xdata(), outcome["median"].values[:, 0])
    ends = np.array(intervals.get_segments())[:, :, 0]
    np.testing.assert_allclose(
        ends, np.stack([outcome["low"], outcome["high"]])[..., 0].T
    )
    assert [tick.get_text() for tick in panel.get_yticklabels()] == ["s1", "s4"]
    assert panel.get_ylim() == (2, -1)  # no mark is cut
    assert figure_of(outcome).axes


def test_published_means_are_drawn_by_their_places():
    """Of published means alone, points are percentiles, lines their intervals, marks the percentiles of baselines."""
    drawn = np.random.default_rng(0).random((12, 7, 1))
    everybody = cube(
        drawn, [f"s{i}" for i in range(12)], [str(t) for t in range(7)], ["AP"]
    )
    rows = [
        {"system": "a", "metric": "AP", "mean": 0.5, "baseline": 0.45, "paper": "P"},
        {"system": "b", "metric": "AP", "mean": 0.55, "baseline": "", "paper": "P"},
    ]
    outcome = place(on=everybody, published=rows)
    panel = place_plots.published(outcome.data, axes())
    points, baselines, _ = panel.lines
    for line, name in ((points, "percentile"), (baselines, "baseline_percentile")):
        drawn = outcome[f"reported_{name}"].values
        np.testing.assert_allclose(line.get_xdata(), drawn)
    [intervals] = panel.collections
    ends = np.array(intervals.get_segments())[:, :, 0]
    wanted = [outcome[f"reported_percentile_{end}"] for end in ("low", "high")]
    np.testing.assert_allclose(ends, np.stack(wanted).T)
    assert [tick.get_text() for tick in panel.get_yticklabels()] == ["a P AP", "b P AP"]
    assert figure_of(outcome).axes


def leave_out():
    grades = {
        "1": {f"d{i}": i % 2 for i in range(16)},
        "2": {f"d{i}": (i // 2) % 2 for i in range(16)},
    }
    lists = {
        f"s{i}": {t: {f"d{2 * i}": 3.0, f"d{2 * i + 1}": 2.0, "d0": 1.0} for t in "12"}
        for i in range(8)
    }
    return reuse(
        grades,
        lists,
        depth=2,
        metrics="P@2 AP",
        new={"mine": {"1": {"d3": 1.0, "x": 0.5}}},
    )


def test_metrics_are_points_at_what_they_lose_least_first():
    """Points are relative losses; the metric that loses least stands first."""
    outcome = leave_out()
    panel = reuse_plots.metrics(outcome, axes())
    losses = panel.lines[-1].get_xdata().tolist()
    assert losses == sorted(outcome["relative_loss"].values.tolist())
    assert figure_of(outcome).axes


def test_every_left_out_run_is_a_point_within_or_beyond():
    """Points are losses by unjudged share; the new run stands at the loss to expect, with its interval."""
    outcome = leave_out()
    panel = reuse_plots.penalty(outcome, axes(), metric="AP")
    within, beyond, new = panel.lines
    drawn = np.concatenate([within.get_ydata(), beyond.get_ydata()])
    assert sorted(drawn) == sorted(outcome["loss"].sel(metric="AP").values)
    np.testing.assert_allclose(
        new.get_ydata(), outcome["penalty"].sel(metric="AP").values
    )
    [interval] = panel.collections[-1].get_segments()
    one = outcome.sel(run="mine", metric="AP")
    assert interval[:, 1].tolist() == [one["penalty_low"], one["penalty_high"]]
    assert figure_of(outcome, view="penalty").axes
