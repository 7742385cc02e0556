"""On how many pairs of systems users agree with each metric."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from irmeta.report.plots.figure import COLUMN, PALETTE, draw
from irmeta.report.plots.marks import name_marks
from irmeta.report.plots.rows import named_rows, rows_height


def figure(result: xr.Dataset) -> Figure:
    """Return the figure of agreement, a row for each metric."""
    rows = result.sizes["metric"]
    return draw(agreed, result, width=COLUMN, height=0.4 + rows_height(rows))


def agreed(result: xr.Dataset, axes: Axes) -> Axes:
    """Draw the share of pairs on which users agree with each metric, with its interval, and a line at one half."""
    ordered = result.isel(metric=np.argsort(-result["agreement"].values, kind="stable"))
    rows = np.arange(ordered.sizes["metric"])
    share, low, high = (
        100 * ordered[f"agreement{end}"].values for end in ("", "_low", "_high")
    )
    axes.hlines(rows, low, high, color=PALETTE[4])
    axes.plot(share, rows, "o", color=PALETTE[0], markersize=4, zorder=3)
    axes.axvline(50, color="black", linewidth=0.6)
    names = ordered.metric.values.astype(str).tolist()
    words = [
        f"{value:.0f}%, interval {least:.0f}% to {most:.0f}%"
        for value, least, most in zip(share, low, high, strict=True)
    ]
    name_marks(axes, share, rows, names, words, nearest="y")
    return named_rows(axes, names, "pairs of systems on which users agree (%)")
