"""What a design is worth against what it costs: a line for each way, the front marked, the budget as a line."""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator

from irmeta.report.plots.figure import PAGE, draw
from irmeta.report.plots.marks import name_marks
from irmeta.report.plots.rows import DOT, legend, logarithmic_across
from irmeta.scores.attributes import about
from irmeta.scores.figures import short
from irmeta.scores.groups.clusters import unit_of

LISTED = 8
"""Ways that the legend names: those that are on the front most often, then those with the highest tau."""


def figure(result: xr.Dataset) -> Figure:
    """Draw a result of `design`."""
    return draw(taus, result, width=PAGE, height=4.0)


def taus(result: xr.Dataset, axes: Axes) -> Axes:
    """Draw tau against cost, a line for each way, solid where measured, else dotted; points on the front."""
    options = about(result)["options"]
    often = result["front"].sum("size").values
    best = result["tau"].max("size").values
    named = set(np.lexsort((-best, -often))[:LISTED].tolist())
    for way in range(result.sizes["way"]):
        of_way = result.isel(way=way)
        cost, tau, measured = (
            of_way[name].values for name in ("cost", "tau", "measured")
        )
        label = str(of_way["label"].item()) if way in named else None
        style: dict[str, Any] = (
            {} if way in named else {"color": "lightgrey", "zorder": 1}
        )
        (line,) = axes.plot(cost[measured], tau[measured], label=label, **style)
        words = [
            f"tau {short(value, 3)} for {price:g}"
            for value, price in zip(tau, cost, strict=True)
        ]
        name_marks(axes, cost, tau, [str(of_way["label"].item())] * len(words), words)
        last = max(int(measured.sum()) - 1, 0)
        style = {"color": line.get_color(), "zorder": line.get_zorder()}
        axes.plot(cost[last:], tau[last:], ":", **style)
    front = result["front"].values
    cost, tau = (result[name].values[front] for name in ("cost", "tau"))
    label = "best for its cost"
    # hollow, as one of the lines is black, too
    axes.plot(
        cost, tau, "o", color="black", markerfacecolor="white", label=label, **DOT
    )
    if options["budget"] is not None:
        axes.axvline(options["budget"], color="grey", linewidth=0.6, label="budget")
    logarithmic_across(axes)
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.set_xlabel("cost (dotted: extrapolated)")
    axes.set_ylabel(
        f"tau with {options['target']} on other {unit_of(result)}s\n(up is better)"
    )
    legend(axes)
    return axes
