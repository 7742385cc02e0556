"""What machine judgments add to few human ones: intervals of system means with both, and by people alone."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from irmeta.report.plots.figure import PAGE, PALETTE, draw
from irmeta.report.plots.rows import NEAR, height, named_rows


def figure(result: xr.Dataset, *, metric: str | None = None) -> Figure:
    """Return the figure of a metric's means, the first by default."""
    one = result.sel(metric=result.metric.values[0] if metric is None else metric)
    return draw(means, one, width=PAGE, height=height(one.sizes["system"]))


def means(one: xr.Dataset, axes: Axes) -> Axes:
    """Draw each system's mean with its 95% interval, best first; behind it, in grey, by the human topics alone."""
    order = np.argsort(-one["mean"].values, kind="stable")
    rows = np.arange(order.size)
    axes.hlines(
        rows,
        one["human_low"].values[order],
        one["human_high"].values[order],
        color="0.85",
        linewidth=4,
    )
    axes.hlines(
        rows,
        one["low"].values[order],
        one["high"].values[order],
        color=PALETTE[0],
        linewidth=1.2,
    )
    axes.plot(one["mean"].values[order], rows, "o", markersize=3, color=PALETTE[0])
    axes.plot(one["machine"].values[order], rows, "x", markersize=3, color=NEAR)
    label = f"mean {one.metric.item()}: with machine (blue), people alone (grey), machine alone (x)"
    return named_rows(axes, one.system.values[order].tolist(), label)
