"""What several plots share: a named row for each metric or score, and legends of colours and markers."""

from itertools import cycle

from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from irmeta.report.plots.figure import PALETTE

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
NEAR = "0.6"
"""The grey of what stands in the background."""


def height(rows: int) -> float:
    """Return the height in inches of a page-wide figure with that number of named rows."""
    return max(3.0, 0.8 + 0.16 * rows)


def named_rows(axes: Axes, names: list[str], label: str) -> Axes:
    """Name the rows of a plot, the first one on top, and label its values."""
    axes.set_yticks(range(len(names)), names)
    # half a row above the first and below the last, so that no mark is cut
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_xlabel(label)
    axes.grid(axis="y", color="0.92", linewidth=0.6)
    axes.set_axisbelow(True)
    return axes


def legend(axes: Axes, colours: list[str], markers: list[str]) -> None:
    """List what colours and what markers stand for, beside the axes."""
    handles = [
        Line2D([], [], color=colour, label=name)
        for name, colour in zip(colours, cycle(PALETTE))
    ]
    handles += [
        Line2D(
            [],
            [],
            color="black",
            marker=marker,
            markersize=4,
            linestyle="none",
            label=name,
        )
        for name, marker in zip(markers, cycle(MARKERS))
    ]
    axes.legend(handles=handles, loc="upper left", bbox_to_anchor=(1, 1))
