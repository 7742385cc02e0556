"""How many hidden judgments an attacker has read, by the runs that it sent."""

import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from irmeta.report.plots.figure import PALETTE, draw
from irmeta.report.plots.rows import DASHED, legend, logarithmic_across


def figure(result: xr.Dataset) -> Figure:
    """Return the figure of the judgments that are read from the scores of each metric."""
    return draw(known_judgments, result)


def known_judgments(result: xr.Dataset, axes: Axes) -> Axes:
    """Draw by the number of runs the judgments that decoding claims, and how many there are."""
    runs = result["submission"].values
    for place, metric in enumerate(result["metric"].values):
        read = result["known"].sel(metric=metric).values
        colour = PALETTE[place % len(PALETTE)]
        axes.step(runs, read, where="post", color=colour, label=str(metric))
    axes.axhline(float(result["judged"]), label="all judgments", **DASHED)
    logarithmic_across(axes)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("submissions")
    axes.set_ylabel("judgments that decoding claims\n(low is better)")
    legend(axes)
    return axes
