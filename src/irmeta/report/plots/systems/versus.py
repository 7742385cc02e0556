"""One system against another drawn: its difference on every topic, sorted, a panel for each metric."""

from functools import partial

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from irmeta.report.plots.figure import COLUMN, PAGE, PALETTE, draw
from irmeta.report.plots.marks import say
from irmeta.scores.attributes import about
from irmeta.scores.figures import short

MOST = 4
"""Metrics that a figure shows, a panel each; the first ones of the result."""
NAMED = 5
"""Topics at each end that have their name at their bar: those that the table names."""


def figure(result: xr.Dataset) -> Figure:
    """Return the figure of differences by topic from the opponent, a panel for each of up to four metrics.

    The opponent is the only one, or of several the median of the others: what the sentence speaks of.
    """
    panels = min(MOST, result.sizes["metric"])
    plots = [partial(by_topic, at=at, last=at == panels - 1) for at in range(panels)]
    width = PAGE if result.sizes["topic"] > 60 else COLUMN
    return draw(plots, result, width=width, height=0.8 + 1.5 * panels)


def by_topic(result: xr.Dataset, axes: Axes, *, at: int, last: bool) -> Axes:
    """Draw the difference on each topic, largest first; a gain is blue and a loss orange, the mean a dashed line.

    at : the metric's place in the result.  last : whether this is the lowest panel, which has the label of topics.
    """
    one = result.isel(metric=at)
    system = about(result)["options"]["system"]
    if one.sizes["against"] == 1:
        differences = one["by_topic"].isel(against=0).values
        other = str(one["who"].isel(against=0).item())
    else:
        differences = (one["score"] - one["median"]).values
        other = "the median of the others"
    known = int((~np.isnan(differences)).sum())
    order = np.argsort(-differences, kind="stable")[:known]
    values = differences[order]
    topics = one.topic.values.astype(str)[order]
    places = np.arange(1, values.size + 1)
    colours = np.where(values >= 0, PALETTE[0], PALETTE[5])
    axes.bar(places, values, color=colours, width=0.85)
    axes.axhline(0, color="black", linewidth=0.6)
    axes.axhline(values.mean(), color="0.4", linewidth=0.8, linestyle="--")
    words = [f"difference {short(value, 3, sign=True)}" for value in values]
    say(axes, places, values, topics, words, nearest="x")
    _name_ends(axes, places, values, topics)
    axes.set_ylabel(f"{one.metric.item()} difference\n(up is better)")
    label = f"topics, by {system}\nless {other}" if last else ""
    axes.set_xlabel(label, loc="right")
    axes.set_xlim(0.3, places[-1] + 0.7)
    return axes


def _name_ends(
    axes: Axes, places: np.ndarray, values: np.ndarray, topics: np.ndarray
) -> None:
    """Name the topics with the largest gains and losses at their bars."""
    gains = [at for at in range(values.size) if values[at] > 0][:NAMED]
    losses = [at for at in range(values.size) if values[at] < 0][-NAMED:]
    for at in {*gains, *losses}:
        up = values[at] > 0
        axes.annotate(
            topics[at],
            (places[at], values[at]),
            xytext=(0, 2 if up else -2),
            textcoords="offset points",
            rotation=90,
            ha="center",
            va="bottom" if up else "top",
            fontsize=5.5,
        )
    axes.margins(y=0.15)  # for the names
