"""Tau of the best predictors drawn, target by target."""

from itertools import cycle

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from irmeta.report.plots.figure import PAGE, PALETTE, draw
from irmeta.report.plots.rows import (
    BETTER_RIGHT,
    DOT,
    MARKERS,
    NEAR,
    legend,
    legend_keys,
    named_rows,
    rows_height,
)
from irmeta.words import counted


def figure(result: xr.Dataset) -> Figure:
    """Return the figure of the best predictors, as wide as a page."""
    rows = rows_height(result.sizes["target"])
    return draw(predictors, result, width=PAGE, height=rows)


def predictors(outcome: xr.Dataset, axes: Axes) -> Axes:
    """Draw tau of each target's best predictors in a row: the colour is their number, the marker the collection."""
    for size, colour in zip(outcome["size"].values, cycle(PALETTE)):
        for name, marker in zip(outcome.collection.values, cycle(MARKERS)):
            tau = outcome["tau"].sel(size=size, collection=name).values
            rows = np.arange(tau.size)
            axes.plot(tau, rows, marker, color=colour, alpha=0.8, **DOT)
    axes.axvline(0.9, color=NEAR, linewidth=0.6, zorder=0)
    counts = [counted(size, "predictor") for size in outcome["size"].values]
    collections = outcome.collection.values.astype(str).tolist()
    legend(axes, legend_keys(counts, collections))
    targets = outcome.target.values.astype(str).tolist()
    label = "tau-b, predicted and actual scores; line: 0.9"
    return named_rows(axes, targets, label, BETTER_RIGHT)
