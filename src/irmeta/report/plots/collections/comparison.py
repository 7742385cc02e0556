"""How far collections agree on the same systems' scores, by metric and form."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from irmeta.report.plots.figure import COLUMN, PAGE, PALETTE, draw
from irmeta.report.plots.marks import say
from irmeta.report.plots.rows import legend
from irmeta.scores.figures import short


def figure(result: xr.Dataset) -> Figure:
    """Return the figure of dRMSE, the wider the more metrics."""
    return draw(
        plot, result, width=min(PAGE, max(COLUMN, 0.5 * result.sizes["metric"]))
    )


def plot(result: xr.Dataset, axes: Axes) -> Axes:
    """Draw the mean dRMSE of every metric and form as a bar, each pair of collections as a dot, chance as a line.

    The line is the mean dRMSE of random topic partitions. Source: Webber et al. (SIGIR 2008), Figures 5 and 7.
    """
    kinds = [str(kind) for kind in result.kind.values]
    width = 0.8 / len(kinds)
    for at, kind in enumerate(kinds):
        one = result.sel(kind=kind)
        place = np.arange(result.sizes["metric"]) + (at - (len(kinds) - 1) / 2) * width
        axes.bar(
            place,
            one["drmse"].mean("pair"),
            width * 0.9,
            color=PALETTE[at],
            alpha=0.6,
            label=kind,
        )
        for pair in one["drmse"].values:
            axes.plot(place, pair, "o", markersize=2.5, color=PALETTE[at])
        axes.hlines(
            one["drmse_mean"].mean("pair"),
            place - width * 0.45,
            place + width * 0.45,
            color="black",
        )
        names = result.metric.values.astype(str)
        drmse = one["drmse"].mean("pair").values
        words = [f"{kind}: dRMSE {short(value, 3)}" for value in drmse]
        say(axes, place, drmse, names, words)
    names = result.metric.values.astype(str)
    axes.set_xticks(np.arange(names.size), names, rotation=90)
    axes.plot([], [], color="black", label="topics re-partitioned at random")
    axes.set_ylabel("dRMSE between collections\n(low is better)")
    legend(axes)
    return axes
