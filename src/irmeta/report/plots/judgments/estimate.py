"""What machine judgments add to few human ones: intervals of system means with both, and by people alone."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from irmeta.report.plots.figure import COLUMN, PALETTE, draw
from irmeta.report.plots.marks import name_intervals
from irmeta.report.plots.rows import BETTER_RIGHT, legend, named_rows, rows_height


def figure(result: xr.Dataset, *, metric: str | None = None) -> Figure:
    """Return the figure of a metric's means, the first by default."""
    of_metric = result.sel(metric=metric or result.metric.values[0])
    rows = rows_height(result.sizes["system"])
    return draw(means, of_metric, width=COLUMN, height=rows)


def means(result: xr.Dataset, axes: Axes) -> Axes:
    """Draw each system's mean with its 95% interval, best first; behind it, broader, by the human topics alone."""
    result = result.isel(system=np.argsort(-result["mean"].values, kind="stable"))
    rows = np.arange(result.sizes["system"])
    people = result["human_low"].values, result["human_high"].values
    mean, low, high = (result[name].values for name in ("mean", "low", "high"))
    axes.hlines(
        rows, *people, color=PALETTE[1], alpha=0.4, linewidth=4, label="people alone"
    )
    axes.hlines(rows, low, high, color=PALETTE[0], linewidth=1.2)
    axes.plot(mean, rows, "o", markersize=3, color=PALETTE[0], label="both")
    machine = result["machine"].values
    axes.plot(machine, rows, "|", markersize=5, color="black", label="machine alone")
    names = result.system.values.astype(str).tolist()
    name_intervals(axes, "mean", names, mean, low, high)
    legend(axes)
    label = f"mean {result.metric.item()}, 95% interval"
    return named_rows(axes, names, label, BETTER_RIGHT)
