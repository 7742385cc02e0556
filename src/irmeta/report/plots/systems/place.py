"""Systems among everybody's, by standardized scores."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from irmeta.report.plots.figure import COLUMN, PALETTE, draw
from irmeta.report.plots.marks import name_intervals, name_marks
from irmeta.report.plots.rows import BETTER_RIGHT, legend, named_rows, rows_height
from irmeta.scores.attributes import about


def figure(result: xr.Dataset) -> Figure:
    """Return the figure of standardized scores by the first metric, by system; of published means alone, of places."""
    if "entry" not in result.sizes:
        rows = rows_height(result.sizes["report"])
        return draw(published, result, width=COLUMN, height=rows)
    return draw(place, result, width=COLUMN, height=rows_height(result.sizes["entry"]))


def place(result: xr.Dataset, axes: Axes, *, metric: str | None = None) -> Axes:
    """Draw each system's mean standardized score with its interval, with everybody's median and best of its collection.

    metric : by default the first.
    """
    of_metric = result.sel(metric=metric or result["metric"].values[0])
    several = len(set(of_metric["collection"].values)) > 1
    rows = np.arange(of_metric.sizes["entry"])
    own, low, high, median, best = (
        of_metric[name].values
        for name in ("standardized", "low", "high", "median", "best")
    )
    axes.hlines(rows, low, high, color=PALETTE[4])
    # in front: the best of all may be a system of these
    axes.plot(own, rows, "o", color=PALETTE[0], markersize=4, zorder=3)
    label = "everybody's median"
    axes.plot(median, rows, "|", color="black", markersize=6, label=label)
    label = "everybody's best"
    axes.plot(best, rows, ">", color=PALETTE[1], markersize=4, label=label)
    systems, collections = (
        of_metric[name].values.astype(str) for name in ("system", "collection")
    )
    names = [
        f"{system} on {where}" if several else system
        for system, where in zip(systems, collections, strict=True)
    ]
    axes.set_xlim(0, 1)
    legend(axes)
    label = f"standardized {of_metric['metric'].item()} and {about(result)['options']['level']:.0%} interval"
    name_intervals(axes, "mean", names, own, low, high)
    return named_rows(axes, names, label, BETTER_RIGHT)


def published(result: xr.Dataset, axes: Axes) -> Axes:
    """Draw the percentile of each mean that papers report with its interval, and that of the baseline of a claim."""
    rows = np.arange(result.sizes["report"])
    ends = (f"percentile{end}" for end in ("", "_low", "_high"))
    own, low, high, baseline = (
        result[f"reported_{name}"].values for name in (*ends, "baseline_percentile")
    )
    axes.hlines(rows, low, high, color=PALETTE[4])
    axes.plot(own, rows, "o", color=PALETTE[0], markersize=4, zorder=3)
    axes.plot(baseline, rows, "<", color=PALETTE[1], markersize=4, label="its baseline")
    axes.axvline(50, color="black", linewidth=0.5, label="everybody's median")
    called = (result[f"reported_{of}"].values for of in ("system", "paper", "metric"))
    names = [
        " ".join(filter(None, map(str, parts))) for parts in zip(*called, strict=True)
    ]
    axes.set_xlim(0, 100)
    legend(axes)
    words = [
        f"percentile {middle:.0f}, interval {least:.0f} to {most:.0f}"
        for middle, least, most in zip(own, low, high, strict=True)
    ]
    name_marks(axes, own, rows, names, words, nearest="y")
    label = f"percentile and {about(result)['options']['level']:.0%} interval"
    return named_rows(axes, names, label, BETTER_RIGHT)
