"""One system against another drawn: its difference on every topic, sorted, a panel for each metric."""

from functools import partial
from itertools import product
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.transforms import ScaledTranslation, blended_transform_factory

from irmeta.report.plots.figure import COLUMN, PAGE, PALETTE, draw
from irmeta.report.plots.marks import say
from irmeta.scores.attributes import about
from irmeta.scores.figures import short
from irmeta.scores.groups.clusters import unit
from irmeta.scores.result import is_estimated
from irmeta.studies.differences.versus.summary import FEW_COMPARISONS
from irmeta.words import shortened

MOST = 4
"""Metrics that a figure shows, a panel each; the first ones of the result."""
NAMED = 5
"""Topics at each end that have their name at their bar: those that the table names."""
STEP = 7.5
"""Points from the name of a topic to the next; bars that are as wide have it below or above themselves."""
_LINE: dict[str, Any] = {
    "arrowstyle": "-",
    "linewidth": 0.4,
    "color": "0.5",
    "shrinkA": 0,
    "shrinkB": 0,
}
"""What leads from a name to a bar that it does not stand at."""
_BESIDE = 0.8
"""Inches beside the bars."""
LONGEST = 9
"""Letters of a topic's name; longer ones are shortened in the middle."""


def figure(result: xr.Dataset) -> Figure:
    """Return the figure of differences by topic from the opponents, up to four panels: by metrics, and of opponents.

    Few opponents have panels of their own, of several it is the median of the others: what the sentences speak of.
    """
    opponents = [slice(None)]
    if result.sizes["against"] <= FEW_COMPARISONS:
        opponents = [slice(at, at + 1) for at in range(result.sizes["against"])]
    several = len(opponents) > 1
    shown = [*product(range(result.sizes["metric"]), opponents)][:MOST]
    plots = [
        partial(by_topic, at=at, against=whom, last=several or place == len(shown))
        for place, (at, whom) in enumerate(shown, start=1)
    ]
    width = PAGE if result.sizes["topic"] > 60 else COLUMN
    height = 0.8 + (2.2 if several else 1.7) * len(shown)
    return draw(plots, result, width=width, height=height)


def by_topic(
    result: xr.Dataset,
    axes: Axes,
    *,
    at: int,
    last: bool,
    against: slice = slice(None),
) -> Axes:
    """Draw the difference on each topic, largest first; a gain is blue and a loss orange, the mean a dashed line.

    at : the metric's place in the result.  last : whether the panel has the label of topics, as the lowest one.
    against : the opponents.
    """
    one = result.isel(metric=at, against=against)
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
    words = [f"difference {short(value, 3, sign=True)}" for value in values]
    say(axes, places, values, topics, words, nearest="x")
    axes.set_xlim(0.3, places[-1] + 0.7)
    of_gains, of_losses = _name_ends(axes, places, values, topics)
    mean = values.mean()
    # on one side of 0 with the names of gains or of losses, and beside them
    ends = [0, 1 - of_losses] if mean > 0 else [of_gains, 1]
    across = axes.get_yaxis_transform()
    means = [mean, mean]
    axes.plot(ends, means, "--", color="0.4", linewidth=0.8, transform=across)
    what = "added to\nthe difference" if is_estimated(result) else "difference"
    axes.set_ylabel(f"{one.metric.item()} {what}\n(up is better)")
    label = f"{system} \N{MINUS SIGN} {other},\n{unit(result)}s in order (dashed: mean)"
    axes.set_xlabel(label if last else "", loc="right")
    # places are no topics, whose names may be numbers, too
    axes.set_xticks([])
    return axes


def _name_ends(
    axes: Axes, places: np.ndarray, values: np.ndarray, topics: np.ndarray
) -> tuple[float, float]:
    """Name the topics with the largest gains and losses beyond the zero line, where their bars leave room.

    Returns the shares of the width, from the left and from the right, that these bars and their names take.
    """
    gains = np.flatnonzero(values > 0)[:NAMED]
    losses = np.flatnonzero(values < 0)[-NAMED:]
    for number, at in enumerate(gains):
        _name_bar(axes, topics[at], places[at], number, left=True)
    for number, at in enumerate(losses[::-1]):
        _name_bar(axes, topics[at], places[at], number, left=False)
    least, most = min(values.min(), 0), max(values.max(), 0)
    room = 0.3 * (most - least)
    axes.set_ylim(min(1.05 * least, -room), max(1.05 * most, room))
    across = _points_across(axes)
    of_gains, of_losses = (
        max(ends.size / places.size, STEP * (ends.size + 1) / across)
        for ends in (gains, losses)
    )
    return of_gains, of_losses


def _points_across(axes: Axes) -> float:
    """Return about how wide the bars of a plot that is not yet laid out will be together."""
    figure = axes.get_figure(root=True)
    assert figure is not None
    return 72 * (figure.get_figwidth() - _BESIDE)


def _name_bar(axes: Axes, topic: str, place: int, number: int, *, left: bool) -> None:
    """Write the name of a topic beyond the zero line from its bar, so far from the end that names lie apart."""
    figure = axes.get_figure(root=True)
    assert figure is not None
    bars = axes.get_xlim()[1] - axes.get_xlim()[0]
    if _points_across(axes) >= STEP * bars:
        away = ScaledTranslation(0, (-3 if left else 3) / 72, figure.dpi_scale_trans)
        there, where, line = place, axes.transData + away, None
    else:
        across = (3 + STEP * number) * (1 if left else -1)
        away = ScaledTranslation(
            across / 72, (-8 if left else 8) / 72, figure.dpi_scale_trans
        )
        there = 0 if left else 1
        where = blended_transform_factory(axes.transAxes, axes.transData) + away
        line = _LINE
    axes.annotate(
        shortened(topic, LONGEST),
        (place, 0),
        xytext=(there, 0),
        textcoords=where,
        rotation=90,
        ha="center",
        va="top" if left else "bottom",
        fontsize=5.5,
        arrowprops=line and line | {"relpos": (0.5, 1.0 if left else 0.0)},
        bbox={"boxstyle": "square,pad=0", "facecolor": "white", "linewidth": 0},
    )
