"""How much of a lead, or of a mean, is there again in each experiment."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from irmeta.report.plots.figure import COLUMN, PALETTE, draw
from irmeta.report.plots.marks import name_marks
from irmeta.report.plots.rows import legend, named_rows, rows_height
from irmeta.scores.attributes import about
from irmeta.scores.figures import interval, short


def figure(result: xr.Dataset) -> Figure:
    """Return the figure of ratios to the original by the first metric, a row for each experiment."""
    rows = result.sizes["experiment"]
    return draw(ratios, result, width=COLUMN, height=rows_height(rows))


def ratios(result: xr.Dataset, axes: Axes, *, metric: str | None = None) -> Axes:
    """Draw each ratio with its interval, the original as a line at 1, and what is asked for as a dashed line.

    metric : by default the first.
    """
    of_metric = result.sel(metric=metric or result.metric.values[0])
    options = about(result)["options"]
    rows = np.arange(of_metric.sizes["experiment"])
    ratio, low, high = (
        of_metric[f"ratio{end}"].values for end in ("", "_low", "_high")
    )
    axes.hlines(rows, low, high, color=PALETTE[4])
    axes.plot(ratio, rows, "o", color=PALETTE[0], markersize=4, zorder=3)
    axes.axvline(1, color="black", linewidth=0.6, label="the original")
    led = "lead" in result
    within = options["within"]
    limits = [options["keep"]] if led else [1 - within, 1 + within]
    asked = f"at least {limits[0]:g} is asked" if led else f"within {within:g} is asked"
    for limit, label in zip(limits, [asked, None], strict=False):
        axes.axvline(limit, color="0.4", linewidth=0.8, linestyle="--", label=label)
    names = of_metric.experiment.values.astype(str).tolist()
    words = [
        f"ratio {short(value)}, interval {interval(least, most, 2)}"
        for value, least, most in zip(ratio, low, high, strict=True)
    ]
    name_marks(axes, ratio, rows, names, words, nearest="y")
    what = "lead" if led else "mean"
    label = (
        f"{of_metric.metric.item()} {what} as a share of that in {options['original']}"
    )
    legend(axes)
    return named_rows(axes, names, label)
