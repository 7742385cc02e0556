"""What several plots share: a named row for each system, metric or score, axes of ranks, and legends."""

from collections.abc import Collection, Sequence
from itertools import cycle
from math import ceil
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from irmeta.report.plots.figure import PALETTE
from irmeta.report.plots.layout import break_lines
from irmeta.scores.attributes import about
from irmeta.stats.arrays import Bools, Floats, Indices, Ints
from irmeta.words import printable

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
NEAR = "0.6"
"""The grey of what stands in the background."""
DOT: Any = {"markersize": 4, "linestyle": "none"}
"""How a mark is drawn that no line leads to."""
DASHED: Any = {"color": NEAR, "linewidth": 0.8, "linestyle": "--"}
"""How a line is drawn that others are held to."""
BETTER_RIGHT = "right is better"
BETTER_LEFT = "left is better"
_COLUMNS = 4
"""Columns that a legend has at most."""
_CURVES = 5
"""Curves after which marks stand at the same places again."""
HANDLE = 32
"""Points that the mark of an entry of a legend takes beside its text."""
LONGEST = 40
"""Letters of a name on an axis; longer ones are shortened in the middle."""
SHOWN = 30
"""The best systems that a figure names where no number is asked for; more are a table."""
_AROUND = 0.9
"""Inches for what stands above and below the rows."""


def dots(
    axes: Axes,
    x: Floats,
    y: Floats | Ints,
    which: Bools,
    label: str,
    *,
    color: str = PALETTE[0],
    face: str | None = None,
    marker: str = "o",
) -> None:
    """Draw some of the marks, if there are any, filled unless they have another face."""
    if which.any():
        style = {"color": color, "markerfacecolor": face or color} | DOT
        axes.plot(x[which], y[which], marker, label=label, **style)


def band_style(color: Any) -> dict[str, Any]:
    """Return how an interval is drawn around a curve: its outline shows it where others lie over it."""
    return {
        "facecolor": (color, 0.12),
        "edgecolor": (color, 0.7),
        "linewidth": 0.5,
    }


def row_height(rows: int) -> float:
    """Return the height of a row in inches: lower where there are many, so that 120 still fit on a tall page."""
    return float(np.clip(9 / max(rows, 1), 0.085, 0.16))


def rows_height(rows: int) -> float:
    """Return the height in inches of a figure with that number of named rows."""
    return _AROUND + row_height(rows) * max(rows, 3)


def axis_name(name: str, most: int = LONGEST) -> str:
    """Shorten a long name in the middle, so that versions of one model stay apart.

    >>> axis_name("organisation/embedding-model-v1.5", 16)
    'organis…del-v1.5'
    """
    text = printable(name)
    if len(text) <= most:
        return text
    half = most // 2
    return f"{text[: most - 1 - half]}…{text[-half:]}"


def named_rows(axes: Axes, names: Sequence[str], label: str, better: str = "") -> Axes:
    """Name the rows of a plot, the first one on top, and label its values; say which direction is better."""
    size = min(8.0, 72 * 0.85 * row_height(len(names)))
    shown = [axis_name(str(name)) for name in names]
    axes.set_yticks(range(len(names)), shown, fontsize=size)
    # half a row above the first and below the last, so that no mark is cut; one or two stand in the middle
    around = 0.5 + max(3 - len(names), 0) / 2
    axes.set_ylim(len(names) - 1 + around, -around)
    # from the right end, as below the names there is room
    axes.set_xlabel(directed(label, better), loc="right")
    axes.grid(axis="y", color="0.92", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(axis="y", length=0)
    return axes


def curve_marks(number: int) -> dict[str, Any]:
    """Return the marks of one of several curves, which show it where another hides it and without colour."""
    apart = {"markevery": (0.03 + 0.06 * (number % _CURVES), 0.06 * _CURVES)}
    return {"marker": MARKERS[number % len(MARKERS)], "markersize": 4} | apart


def best_and_marked(
    result: xr.Dataset, order: Indices, marked: Collection[str]
) -> xr.Dataset:
    """Return the best systems of an order, as many as a result was asked for, then those of the others to mark.

    >>> result = xr.Dataset(coords={"system": ["a", "b", "c"]}, attrs={"options": '{"first": 1}'})
    >>> best_and_marked(result, np.array([2, 0, 1]), ["b"]).system.values.tolist()
    ['c', 'b']
    """
    best, others = np.split(order, [_most_shown(result)])
    names = result.system.values[others].astype(str)
    return result.isel(system=np.append(best, others[np.isin(names, list(marked))]))


def _most_shown(result: xr.Dataset) -> int:
    """Return how many of the best systems a figure names: as many as were asked for, or those that have room."""
    return about(result)["options"].get("first") or SHOWN


def rows_with_gap(drawn: xr.Dataset) -> Indices:
    """Return the row of each system that is drawn: those below the best come after a gap."""
    place = np.arange(drawn.sizes["system"])
    return np.where(place < _most_shown(drawn), place, place + 1)


def named_rows_with_gap(
    axes: Axes, drawn: xr.Dataset, label: str, better: str = ""
) -> Axes:
    """Name the rows of the best systems and of those to mark, and the gap between them."""
    names = drawn.system.values.astype(str).tolist()
    most = _most_shown(drawn)
    gap = ["\N{HORIZONTAL ELLIPSIS}"] if len(names) > most else []
    return named_rows(axes, [*names[:most], *gap, *names[most:]], label, better)


def of_all_drawn(drawn: xr.Dataset, result: xr.Dataset, noun: str = "system") -> str:
    """Say which systems are drawn, of how many.

    >>> every, few = (xr.Dataset(coords={"system": range(n)}, attrs={"options": '{"first": 3}'}) for n in (9, 3))
    >>> of_all_drawn(every, every), of_all_drawn(few, every)
    ('the best 3 and 6 more of 9 systems', 'the best 3 of 9 systems')
    """
    there, systems = drawn.sizes["system"], result.sizes["system"]
    most = _most_shown(result)
    best = "" if systems <= most else f"the best {most} "
    also = f"and {there - most} more " if there > most else ""
    return f"{best}{also}of {systems} {noun}s"


def directed(label: str, better: str) -> str:
    r"""Add to the label of an axis which direction is better.

    >>> directed("tau", BETTER_RIGHT)
    'tau\n(right is better)'
    """
    return f"{label}\n({better})" if better else label


def whole_ranks(axes: Axes, last: int) -> None:
    """Count ranks along the horizontal axis from 1, in whole numbers, with room for the marks at both ends."""
    around = max(0.5, 0.02 * last)
    axes.set_xlim(1 - around, last + around)
    figure = axes.get_figure(root=True)
    assert figure is not None
    bins = 8 if figure.get_figwidth() >= 5 else 4  # names of rows leave little
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=bins))
    ticks = [tick for tick in axes.get_xticks() if 1 < tick <= last]
    axes.set_xticks([1, *ticks])


def logarithmic_across(axes: Axes) -> None:
    """Make a horizontal axis logarithmic, with plain numbers: formulas would stand there as they are spelled."""
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter("{x:g}")
    axes.xaxis.set_minor_formatter("")


def legend(axes: Axes, handles: Sequence[Artist] = (), *, title: str = "") -> None:
    """Say above a figure what is drawn how, in as many columns as its width allows; the figure grows by its height.

    handles : what is listed; by default all that has a label.
    """
    figure = axes.get_figure(root=True)
    assert figure is not None
    listed = list(handles) or axes.get_legend_handles_labels()[0]
    # as many entries in each column, but for the last
    even = {ceil(len(listed) / rows) for rows in range(1, len(listed) + 1)}
    for columns in sorted(even, reverse=True):
        if columns > _COLUMNS:
            continue
        made = figure.legend(
            handles=listed,
            title=title,
            loc="outside upper left",
            ncols=columns,
            columnspacing=1.0,
            handlelength=1.4,
            alignment="left",
        )
        if made.get_window_extent().width <= figure.bbox.width or columns == 1:
            break
        made.remove()
    for text in made.get_texts():
        break_lines(text, figure.bbox.width - HANDLE * figure.dpi / 72)
    tall = made.get_window_extent().height / figure.dpi
    figure.set_figheight(figure.get_figheight() + tall)


def legend_keys(colours: Sequence[str], markers: Sequence[str]) -> list[Line2D]:
    """Return what colours and what markers stand for, for a legend."""
    lines = [
        Line2D([], [], color=colour, label=name)
        for name, colour in zip(colours, cycle(PALETTE))
    ]
    points = [
        Line2D([], [], color="black", marker=marker, label=name, **DOT)
        for name, marker in zip(markers, cycle(MARKERS))
    ]
    return [*lines, *points]
