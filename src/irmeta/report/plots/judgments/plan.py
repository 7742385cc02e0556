"""How the width of intervals falls with the number of human topics, with a machine's help and without."""

import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from irmeta.report.plots.figure import draw
from irmeta.report.plots.rows import DASHED, legend
from irmeta.scores.attributes import about


def figure(result: xr.Dataset, *, metric: str | None = None) -> Figure:
    """Return the figure of a metric's widths, the first by default."""
    return draw(widths, result.sel(metric=metric or result.metric.values[0]))


def widths(result: xr.Dataset, axes: Axes) -> Axes:
    """Draw the mean width of intervals of differences by the number of human topics, and the width wanted."""
    sizes, with_machine, alone = (
        result[name].values for name in ("size", "width_pairs", "width_pairs_alone")
    )
    axes.plot(sizes, with_machine, marker="o", markersize=3, label="with machine")
    axes.plot(sizes, alone, marker="s", markersize=3, label="people alone")
    axes.axhline(about(result)["options"]["width"], label="width wanted", **DASHED)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("human topics")
    axes.set_ylabel(f"width of 95% intervals, {result.metric.item()}\n(low is better)")
    legend(axes)
    return axes
