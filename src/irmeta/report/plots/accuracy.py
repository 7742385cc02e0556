"""How well predicted scores order systems, drawn target by target."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from irmeta.report.plots.figure import PALETTE, draw
from irmeta.report.plots.rows import NEAR, named_rows


def figure(result: xr.Dataset) -> Figure:
    """Return the figure of tau by target."""
    return draw(accuracy, result, height=0.8 + 0.14 * result.sizes["target"])


def accuracy(outcome: xr.Dataset, axes: Axes) -> Axes:
    """Draw tau of predicted and actual scores, one row for each target, best first; the line is at 0.9."""
    order = np.argsort(-outcome["tau"].fillna(-2).values, kind="stable")
    axes.plot(
        outcome["tau"].values[order],
        np.arange(order.size),
        "o",
        color=PALETTE[0],
        markersize=4,
    )
    axes.axvline(0.9, color=NEAR, linewidth=0.6, zorder=0)
    return named_rows(
        axes,
        [str(outcome.target.values[at]) for at in order],
        "Kendall's tau-b, predicted and actual scores",
    )
