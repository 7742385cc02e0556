"""One system against another drawn topic by topic, a panel for each metric, or against many by their means."""

from collections.abc import Collection
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.transforms import ScaledTranslation, blended_transform_factory

from irmeta.report.plots.figure import COLUMN, PAGE, PALETTE, draw, panels_abreast
from irmeta.report.plots.marks import name_intervals, name_marks
from irmeta.report.plots.rows import (
    BETTER_RIGHT,
    NEAR,
    axis_name,
    dots,
    legend,
    named_rows,
    rows_height,
)
from irmeta.scores.attributes import about
from irmeta.scores.figures import leading_metrics, short
from irmeta.scores.groups.clusters import unit_of
from irmeta.scores.result import is_estimated
from irmeta.studies.differences.versus.summary import FEW_COMPARISONS, FEW_TOPICS

MOST = 4
"""Metrics that a figure shows, a panel each; the first ones of the result."""
MANY = 60
"""Topics whose bars need the width of a page; of fewer a panel has at least NARROWEST inches."""
NARROWEST = 3.0
ROWS = 120
"""Opponents that have a row, as many as fit a tall page."""
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
LONGEST = 12
"""Letters of a topic's name; longer ones are shortened in the middle."""
_LETTER = 0.028
"""Share of the axis that a letter of such a name takes at most."""


def figure(result: xr.Dataset, *, marked: Collection[str] = ()) -> Figure:
    """Return the figure of differences by topic, up to four panels, or from many opponents that of all differences.

    marked : opponents that are drawn where there is no room for all.
    Where others are left out, the label of the figure, which is not drawn, says so.
    """
    if result.sizes["against"] > FEW_COMPARISONS:
        rows = min(result.sizes["against"], ROWS)
        drawn = draw(by_opponent, result, height=rows_height(rows), marked=marked)
        if result.sizes["metric"] > 1:
            drawn.set_label(f"by {_leading(result)}; -m METRIC draws another")
        return drawn
    pairs = [*product(range(result.sizes["metric"]), range(result.sizes["against"]))]
    several = result.sizes["against"] > 1
    draws = partial(by_topic, last=several)
    plots = [partial(draws, metric=at, against=whom) for at, whom in pairs[:MOST]]
    cut = ""
    if len(pairs) > MOST:
        cut = f"{MOST} of {len(pairs)} {'differences' if several else 'metrics'}"
    plots[-1] = partial(plots[-1], last=True, cut=cut)
    narrowest = PAGE if result.sizes["topic"] > MANY else NARROWEST
    width = max(narrowest, COLUMN)
    columns = panels_abreast(len(plots), narrowest, width)
    tall = 0.8 + (2.2 if several else 1.7) * len(plots) / columns
    drawn = draw(plots, result, width=width, height=tall, columns=columns)
    drawn.set_label(cut and f"{cut}; -m METRIC draws others")
    return drawn


def by_opponent(
    result: xr.Dataset, axes: Axes, *, marked: Collection[str] = ()
) -> Axes:
    """Draw the difference from each opponent by the leading metric, largest first, with its interval.

    Filled marks are significant differences. Of more than `ROWS` those that differ least are drawn, and those to mark.
    """
    opponents = result.sel(metric=_leading(result))
    gaps = opponents["difference"].values
    apart = np.where(np.isin(opponents.against.values, list(marked)), 0, abs(gaps))
    shown = np.argsort(apart, kind="stable")[:ROWS]
    largest_first = np.argsort(-gaps[shown], kind="stable")
    opponents = opponents.isel(against=shown[largest_first])
    difference, low, high, sure = (
        opponents[name].values for name in ("difference", "low", "high", "significant")
    )
    rows = np.arange(difference.size)
    axes.axvline(0, color="black", linewidth=0.6)
    axes.hlines(rows, low, high, color=PALETTE[4])
    mark = partial(dots, axes, difference, rows)
    mark(sure & (difference > 0), "significantly better")
    worse = sure & (difference < 0)
    mark(worse, "significantly worse", color=PALETTE[5], marker="s")
    mark(~sure, "not distinguished", color=NEAR, face="white")
    against = result.sizes["against"]
    cut = f"the {ROWS} of {against} that differ least" if against > ROWS else ""
    legend(axes, title=cut)
    options = about(result)["options"]
    names = opponents.against.values.astype(str).tolist()
    name_intervals(axes, "difference", names, difference, low, high)
    label = (
        f"{options['system']} \N{MINUS SIGN} each by {opponents.metric.item()},\n"
        f"{1 - options['alpha']:.0%} interval of each by itself"
    )
    return named_rows(axes, names, label, BETTER_RIGHT)


def _leading(result: xr.Dataset) -> str:
    """Return the metric by which many opponents are drawn."""
    return leading_metrics(result, 1)[0]


def by_topic(
    result: xr.Dataset,
    axes: Axes,
    *,
    metric: int,
    last: bool,
    against: int = 0,
    cut: str = "",
) -> Axes:
    """Draw the difference on each topic, largest first; a gain is blue and a loss orange.

    The dashed line is the difference in means, which over topics in clusters is not the mean of the bars.

    metric : its place in the result.  last : whether the panel has the label of topics, as the lowest one.
    against : the opponent's.  cut : how much of the result the figure shows, if not all.
    """
    pair = result.isel(metric=metric, against=against)
    system = about(result)["options"]["system"]
    differences = pair["by_topic"].values
    other = str(pair["who"].item())
    known = int((~np.isnan(differences)).sum())
    # equal ones as in the table
    order = np.argsort(differences, kind="stable")[:known][::-1]
    values = differences[order]
    topics = pair.topic.values.astype(str)[order]
    places = np.arange(1, values.size + 1)
    colours = np.where(values >= 0, PALETTE[0], PALETTE[5])
    axes.bar(places, values, color=colours, width=0.85)
    axes.axhline(0, color="black", linewidth=0.6)
    words = [f"difference {short(value, 3, sign=True)}" for value in values]
    name_marks(axes, places, values, topics, words, nearest="x")
    axes.set_xlim(0.3, places[-1] + 0.7)
    mean = pair["difference"].item()
    _name_ends(axes, places, values, topics, mean)
    axes.axhline(mean, color="0.4", linewidth=0.8, linestyle="--")
    what = "added to\nthe difference" if is_estimated(result) else "difference"
    axes.set_ylabel(f"{pair.metric.item()} {what}\n(up is better)")
    label = (
        f"{system} \N{MINUS SIGN} {other},\n{unit_of(result)}s in order (dashed: mean)"
    )
    if cut:
        label += f"\n(the first {cut})"
    axes.set_xlabel(label if last else "", loc="right")
    # places are no topics, whose names may be numbers, too
    axes.set_xticks([])
    return axes


def _name_ends(
    axes: Axes, places: np.ndarray, values: np.ndarray, topics: np.ndarray, mean: float
) -> None:
    """Name the topics that the table names, the best and the worst, beyond zero, the mean and their own bars."""
    worst = min(FEW_TOPICS, (values.size + 1) // 2)
    best = min(FEW_TOPICS, values.size - worst)
    below = min(mean, 0, *values[:best])
    above = max(mean, 0, *values[values.size - worst :])
    named = [*topics[:best], *topics[len(topics) - worst :]]
    for at in range(best):
        _name_bar(axes, topics[at], places[at], at, below, left=True)
    for at in range(worst):
        end = values.size - 1 - at
        _name_bar(axes, topics[end], places[end], at, above, left=False)
    least, most = min(values.min(), 0), max(values.max(), 0)
    letters = max(len(axis_name(topic, LONGEST)) for topic in named)
    share = _LETTER * letters
    room = share / (1 - share) * (most - least)
    axes.set_ylim(min(1.05 * least, below - room), max(1.05 * most, above + room))


def _points_across(axes: Axes) -> float:
    """Return about how wide the bars of a plot that is not yet laid out will be together."""
    figure = axes.get_figure(root=True)
    place = axes.get_subplotspec()
    assert figure is not None
    assert place is not None
    return 72 * (figure.get_figwidth() / place.get_gridspec().ncols - _BESIDE)


def _name_bar(
    axes: Axes, topic: str, place: int, number: int, level: float, *, left: bool
) -> None:
    """Write the name of a topic beyond a level from its bar, so far from the end that names lie apart."""
    figure = axes.get_figure(root=True)
    assert figure is not None
    bars = axes.get_xlim()[1] - axes.get_xlim()[0]
    if _points_across(axes) >= STEP * bars:
        away = ScaledTranslation(0, (-3 if left else 3) / 72, figure.dpi_scale_trans)
        there, where, line = place, axes.transData + away, None
    else:
        across = (3 + STEP * number) * (1 if left else -1)
        up = -8 if left else 8
        away = ScaledTranslation(across / 72, up / 72, figure.dpi_scale_trans)
        there = 0 if left else 1
        where = blended_transform_factory(axes.transAxes, axes.transData) + away
        line = _LINE
    axes.annotate(
        axis_name(topic, LONGEST),
        (place, 0),
        xytext=(there, level),
        textcoords=where,
        rotation=90,
        ha="center",
        va="top" if left else "bottom",
        fontsize=5.5,
        arrowprops=line and line | {"relpos": (0.5, 1.0 if left else 0.0)},
    )
