"""Systems among everybody's, by standardized scores."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from irmeta.report.plots.figure import PAGE, PALETTE, draw
from irmeta.report.plots.rows import named_rows
from irmeta.scores.attributes import about


def figure(result: xr.Dataset) -> Figure:
    """Return the figure of standardized scores by the first metric, as wide as a page."""
    return draw(place, result, width=PAGE, height=0.9 + 0.22 * result.sizes["entry"])


def place(result: xr.Dataset, axes: Axes, *, metric: str | None = None) -> Axes:
    """Draw each system's mean standardized score with its interval, with everybody's median and best of its collection.

    metric : by default the first.
    """
    one = result.sel(metric=metric or result["metric"].values[0])
    several = len(set(one["collection"].values)) > 1
    rows = np.arange(one.sizes["entry"])
    for row in rows:
        axes.plot(
            [one["low"].values[row], one["high"].values[row]],
            [row, row],
            color=PALETTE[0],
        )
    # in front: the best of all may be a system of these
    own = one["standardized"].values
    axes.plot(own, rows, "o", color=PALETTE[0], markersize=4, zorder=3)
    axes.plot(
        one["median"].values,
        rows,
        "|",
        color="black",
        markersize=9,
        label="everybody's median",
    )
    axes.plot(
        one["best"].values,
        rows,
        ">",
        color=PALETTE[1],
        markersize=4,
        label="everybody's best",
    )
    systems, collections = (
        one[name].values.astype(str) for name in ("system", "collection")
    )
    names = [
        f"{system} on {where}" if several else system
        for system, where in zip(systems, collections, strict=True)
    ]
    axes.set_xlim(0, 1)
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2)
    label = f"standardized {one['metric'].item()} and {about(result)['options']['level']:.0%} interval"
    return named_rows(axes, names, label)
