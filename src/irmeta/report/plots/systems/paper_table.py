"""The table of a paper drawn: means by metric, those that a test distinguishes filled."""

from itertools import cycle

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from irmeta.report.plots.figure import PALETTE, draw
from irmeta.report.plots.marks import name_marks
from irmeta.report.plots.rows import (
    BETTER_RIGHT,
    DOT,
    MARKERS,
    NEAR,
    legend,
    named_rows,
    rows_height,
)
from irmeta.scores.attributes import about
from irmeta.scores.figures import short


def figure(result: xr.Dataset) -> Figure:
    """Return the figure of the table, a row for each system in the table's order."""
    return draw(means, result, height=rows_height(result.sizes["system"]))


def means(result: xr.Dataset, axes: Axes) -> Axes:
    """Draw the means of each system, a marker for each metric, with its interval; filled ones differ from the baseline.

    Without a baseline all that do not differ significantly from the best are filled: they share a letter with it.
    """
    baseline = about(result)["options"]["baseline"]
    called = result.system.values.astype(str)
    # intervals of several metrics lie below each other in a row
    lines = (np.arange(result.sizes["metric"]) + 0.5) / result.sizes["metric"] - 0.5
    listed = []
    for metric, line, colour, marker in zip(
        result.metric.values.astype(str), lines, cycle(PALETTE), cycle(MARKERS)
    ):
        rows = np.arange(called.size) + 0.7 * line
        of_metric = result.sel(metric=metric)
        axes.hlines(rows, of_metric["low"], of_metric["high"], color=colour, alpha=0.5)
        mean, filled = of_metric["mean"].values, _are_filled(of_metric, baseline)
        style = {"color": colour, "marker": marker} | DOT
        (dots,) = axes.plot(mean[filled], rows[filled], label=metric, **style)
        axes.plot(mean[~filled], rows[~filled], markerfacecolor="white", **style)
        if baseline is not None:
            own = float(of_metric["mean"].sel(system=baseline))
            axes.axvline(own, color=colour, linewidth=0.6, linestyle="--", zorder=0)
        words = [f"{metric} {short(value, 3)}" for value in mean]
        name_marks(axes, mean, rows, called, words, nearest="xy")
        listed.append(dots)
    legend(axes, [*listed, *_legend_of_filled(result)])
    known = bool(result["low"].notnull().any())
    label = "mean, 95% interval" if known else "mean"
    return named_rows(axes, called.tolist(), label, BETTER_RIGHT)


def _legend_of_filled(result: xr.Dataset) -> list[Line2D]:
    """Say what filled marks mean, if there was a test."""
    options = about(result)["options"]
    if options["test"] == "none":
        return []
    label = "filled: significantly different from the baseline (dashed)"
    if options["baseline"] is None:
        label = "filled: not significantly different from the best"
    return [Line2D([], [], color=NEAR, marker="o", label=label, **DOT)]


def _are_filled(by_metric: xr.Dataset, baseline: str | None) -> np.ndarray:
    """Say which systems a baseline's test distinguishes, or which share a letter with the best."""
    marks = by_metric["marks"].values.astype(str)
    if baseline is not None:
        return marks != ""
    letters = set(marks[int(by_metric["mean"].values.argmax())])
    return np.array([not letters or bool(letters & set(mark)) for mark in marks])
