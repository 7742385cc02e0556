"""How far collections agree on the same systems' scores, by metric and form."""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from irmeta.report.plots.figure import PALETTE, draw
from irmeta.report.plots.marks import name_marks
from irmeta.report.plots.rows import BETTER_LEFT, legend, named_rows, rows_height
from irmeta.scores.figures import short


def figure(result: xr.Dataset) -> Figure:
    """Return the figure of dRMSE, a row for each metric and form."""
    rows = result.sizes["metric"] * result.sizes["kind"]
    return draw(drmse_bars, result, height=rows_height(rows))


def drmse_bars(result: xr.Dataset, axes: Axes) -> Axes:
    """Draw the mean dRMSE of every metric and form as a bar, each pair of collections as a dot, chance as a line.

    The line is the mean dRMSE of random topic partitions. Source: Webber et al. (SIGIR 2008), Figures 5 and 7.
    """
    kinds = [str(kind) for kind in result.kind.values]
    names = result.metric.values.astype(str).tolist()
    thick = 0.8 / len(kinds)
    listed: list[Any] = []
    for at, kind in enumerate(kinds):
        of_kind = result.sel(kind=kind)
        rows = np.arange(len(names)) + (at - (len(kinds) - 1) / 2) * thick
        drmse = of_kind["drmse"].mean("pair").values
        colour = PALETTE[at]
        bars = axes.barh(rows, drmse, thick * 0.9, color=colour, alpha=0.6, label=kind)
        listed.append(bars)
        for pair in of_kind["drmse"].values:
            axes.plot(pair, rows, "o", markersize=2.5, color=colour)
        chance = of_kind["drmse_mean"].mean("pair")
        axes.vlines(chance, rows - thick * 0.45, rows + thick * 0.45, color="black")
        words = [f"{kind}: dRMSE {short(value, 3)}" for value in drmse]
        name_marks(axes, drmse, rows, names, words)
    random = Line2D([], [], color="black", label="topics re-partitioned at random")
    legend(axes, [*listed, random])
    return named_rows(axes, names, "dRMSE between collections", BETTER_LEFT)
