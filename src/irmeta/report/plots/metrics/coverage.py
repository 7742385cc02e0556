"""Measured coverage of prediction intervals drawn, target by target."""

from itertools import cycle

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from irmeta.report.plots.figure import PAGE, PALETTE, draw
from irmeta.report.plots.rows import DOT, MARKERS, NEAR, legend, named_rows, rows_height
from irmeta.scores.attributes import about


def figure(result: xr.Dataset) -> Figure:
    """Return the figure of coverage, as wide as a page."""
    rows = rows_height(result.sizes["target"])
    return draw(coverage, result, width=PAGE, height=rows)


def coverage(outcome: xr.Dataset, axes: Axes) -> Axes:
    """Draw measured coverage: a row for each target, a marker for each collection; the line is the nominal level."""
    for name, marker, colour in zip(
        outcome.collection.values, cycle(MARKERS), cycle(PALETTE)
    ):
        share = outcome["measured"].sel(collection=name).values
        rows = np.arange(share.size)
        axes.plot(share, rows, marker, color=colour, label=str(name), **DOT)
    level = about(outcome)["options"]["level"]
    axes.axvline(level, color=NEAR, linewidth=0.8, zorder=0, label=f"asked: {level:g}")
    legend(axes)
    return named_rows(
        axes,
        [str(target) for target in outcome.target.values],
        "share of systems inside the interval",
    )
