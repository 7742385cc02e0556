"""Predicted scores drawn with their intervals."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from irmeta.report.plots.figure import PAGE, PALETTE, draw
from irmeta.report.plots.marks import name_intervals
from irmeta.report.plots.rows import NEAR, named_rows, rows_height
from irmeta.scores.attributes import about
from irmeta.studies.prediction.predict.typed import GIVEN

MOST = 120
"""Predictions that have a row, as many as fit a tall page; more are a table."""


def figure(result: xr.Dataset) -> Figure:
    """Return the figure of predictions, as wide as a page."""
    rows = min(int(result["value"].notnull().sum()), MOST)
    return draw(prediction, result, width=PAGE, height=rows_height(rows))


def prediction(outcome: xr.Dataset, axes: Axes) -> Axes:
    """Draw each predicted score with its interval, one row each; grey: outside what the model has seen."""
    known = np.argwhere(~np.isnan(outcome["value"].values))
    at = known[:MOST]
    value, low, high, outside = (
        outcome[name].values[*at.T] for name in ("value", "low", "high", "outside")
    )
    systems = outcome.system.values[at[:, 0]]
    targets = outcome.target.values[at[:, 1]]
    rows = np.arange(len(at))
    for row, far in zip(rows, outside, strict=True):
        colour = NEAR if far == 1 else PALETTE[0]
        axes.plot([low[row], high[row]], [row, row], color=colour)
        axes.plot(value[row], row, "o", color=colour, markersize=4)
    of_one = len(set(systems)) == 1
    names = [
        target if of_one else f"{system}: {target}"
        for system, target in zip(systems, targets, strict=True)
    ]
    name_intervals(axes, "predicted", names, value, low, high)
    of = f" of {systems[0]}" if of_one and systems[0] != GIVEN else ""
    level = about(outcome)["options"]["level"]
    label = f"predicted score{of} and {level:.0%} interval"
    if len(known) > MOST:
        label += f", first {MOST} of {len(known)}"
    return named_rows(axes, names, label)
