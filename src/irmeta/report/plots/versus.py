"""One system against another drawn: its difference on every topic, sorted, a panel for each metric."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from irmeta.report.plots.figure import COLUMN, PAGE, PALETTE, draw
from irmeta.scores.attributes import about

MOST = 4
"""Metrics that a figure shows, a panel each; the first ones of the result."""


def figure(result: xr.Dataset) -> Figure:
    """Return the figure of differences by topic from the first comparison, a panel for each of up to four metrics."""
    panels = min(MOST, result.sizes["metric"])
    plots = [_of_metric(at) for at in range(panels)]
    width = PAGE if result.sizes["topic"] > 60 else COLUMN
    return draw(plots, result, width=width, height=0.8 + 1.3 * panels)


def _of_metric(at: int):  # type: ignore[no-untyped-def]
    def plot(result: xr.Dataset, axes: Axes) -> Axes:
        axes = by_topic(result.isel(metric=at, against=0), axes)
        if at < min(MOST, result.sizes["metric"]) - 1:
            axes.set_xlabel("")
        return axes

    return plot


def by_topic(one: xr.Dataset, axes: Axes) -> Axes:
    """Draw the difference on each topic, largest first; a gain is blue and a loss orange, the mean a dashed line."""
    differences = np.sort(one["by_topic"].values)[::-1]
    places = np.arange(1, differences.size + 1)
    colours = np.where(differences >= 0, PALETTE[0], PALETTE[5])
    axes.bar(places, differences, color=colours, width=0.85)
    axes.axhline(0, color="black", linewidth=0.6)
    mean = float(one["difference"])
    axes.axhline(mean, color="0.4", linewidth=0.8, linestyle="--")
    system = about(one)["options"]["system"]
    other = str(one["who"].item())
    axes.set_ylabel(f"{one.metric.item()} difference")
    axes.set_xlabel(f"topics, by {system} less {other}")
    return axes
