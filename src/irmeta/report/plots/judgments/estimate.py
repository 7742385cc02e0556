"""What machine judgments add to few human ones: intervals of system means with both, and by people alone."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from irmeta.report.plots.figure import COLUMN, PALETTE, draw
from irmeta.report.plots.marks import say_intervals
from irmeta.report.plots.rows import BETTER_RIGHT, height, legend, named_rows


def figure(result: xr.Dataset, *, metric: str | None = None) -> Figure:
    """Return the figure of a metric's means, the first by default."""
    one = result.sel(metric=result.metric.values[0] if metric is None else metric)
    return draw(means, one, width=COLUMN, height=height(one.sizes["system"]))


def means(one: xr.Dataset, axes: Axes) -> Axes:
    """Draw each system's mean with its 95% interval, best first; behind it, broader, by the human topics alone."""
    one = one.isel(system=np.argsort(-one["mean"].values, kind="stable"))
    rows = np.arange(one.sizes["system"])
    people = one["human_low"].values, one["human_high"].values
    mean, low, high = (one[name].values for name in ("mean", "low", "high"))
    axes.hlines(
        rows, *people, color=PALETTE[1], alpha=0.4, linewidth=4, label="people alone"
    )
    axes.hlines(rows, low, high, color=PALETTE[0], linewidth=1.2)
    axes.plot(mean, rows, "o", markersize=3, color=PALETTE[0], label="both")
    machine = one["machine"].values
    axes.plot(machine, rows, "|", markersize=5, color="black", label="machine alone")
    names = one.system.values.astype(str).tolist()
    say_intervals(axes, "mean", names, mean, low, high)
    legend(axes)
    label = f"mean {one.metric.item()}, 95% interval"
    return named_rows(axes, names, label, BETTER_RIGHT)
