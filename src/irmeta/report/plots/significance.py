"""Achieved significance levels: how many pairs of systems a metric distinguishes at every level."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from irmeta.report.plots.figure import draw
from irmeta.scores.attributes import about


def figure(result: xr.Dataset) -> Figure:
    """Return the figure of p of all pairs."""
    return draw(plot, result)


def plot(result: xr.Dataset, axes: Axes) -> Axes:
    """Draw p of all pairs in rising order, a line a metric: the longer it stays low, the more it discriminates.

    Source: Sakai (SIGIR 2006), section 4.
    """
    alpha = about(result)["options"]["alpha"]
    share = np.arange(1, result.sizes["pair"] + 1) / result.sizes["pair"]
    for metric in result.metric.values:
        axes.step(
            share,
            np.sort(result["p"].sel(metric=metric).values),
            where="pre",
            label=str(metric),
        )
    axes.axhline(alpha, color="0.6", linewidth=0.8, linestyle="--")
    axes.text(0.01, alpha, f"{alpha:g}", color="0.4", va="bottom")
    axes.set_xlim(0, 1)
    axes.set_ylim(0, min(1.0, 4 * alpha))
    axes.set_xlabel("share of system pairs")
    axes.set_ylabel(f"p ({about(result)['options']['test']}, not corrected)")
    axes.legend()
    return axes
