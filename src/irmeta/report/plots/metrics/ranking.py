"""What each number of metrics leaves unexplained at best, and which metrics these are."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from irmeta.report.plots.figure import PALETTE, draw
from irmeta.report.plots.marks import name_marks
from irmeta.report.plots.rows import (
    NEAR,
    dots,
    legend,
    named_rows,
    rows_height,
    whole_ranks,
)
from irmeta.scores.attributes import about
from irmeta.scores.figures import short

_LABELS = {
    "determinant": ("log determinant", "high is better"),
    "unreported": ("unexplained share", "low is better"),
}
_VALUES = 1.1
"""Inches of the panel of values."""
_ROOM = 150
"""Points that sizes have beside the names of metrics in a column of a paper, of which marks take their part."""


def figure(result: xr.Dataset) -> Figure:
    """Return the figure of a ranking: the value of each number of metrics, and below it which they are."""
    rows = len(_metrics_of_sets(result))
    tall = rows_height(rows)
    return draw(
        [values, members], result, height=_VALUES + tall, shares=[_VALUES, tall]
    )


def values(result: xr.Dataset, axes: Axes) -> Axes:
    """Draw the value of the best k metrics, filled where it is proven, and of the first k of an order as a line."""
    options = about(result)["options"]
    name, better = _LABELS[options["objective"]]
    best, proven, k = (result[figure].values for figure in ("optimal", "proven", "k"))
    if options["method"] != "exact":
        first = result["value"].values
        label = f"first k by {options['method']}"
        axes.plot(k, first, "s-", color=NEAR, markersize=3, label=label)
    dots(axes, k, best, proven, "best k, proven")
    dots(axes, k, best, ~proven, "best k found, not proven", face="white")
    words = [f"{name} {short(value, 3)}" for value in best]
    name_marks(axes, k, best, [f"best {size}" for size in k], words, nearest="x")
    axes.set_ylabel(f"{name}\n({better})")
    legend(axes)
    return axes


def members(result: xr.Dataset, axes: Axes) -> Axes:
    """Draw a row for each metric and a column for each number of metrics: a dot where the set of that size has it."""
    rows = _metrics_of_sets(result)
    names = result["metric"].values.astype(str)[rows].tolist()
    sizes = result["k"].values
    at, size = np.nonzero(result["chosen"].values[:, rows].T)
    k = sizes[size]
    dots = {"markersize": min(4.0, 0.7 * _ROOM / sizes[-1]), "color": PALETTE[0]}
    axes.plot(k, at, "o", **dots)
    words = [f"in the set of {number}" for number in k]
    name_marks(axes, k, at, [names[row] for row in at], words)
    whole_ranks(axes, int(sizes[-1]))
    exact = about(result)["options"]["method"] == "exact"
    kind = "best k" if exact else "first k"
    return named_rows(axes, names, f"k, the number of metrics (dot: one of the {kind})")


def _metrics_of_sets(result: xr.Dataset) -> list[int]:
    """Return the places of the metrics that sets have: those of the smallest set first, of equals the most frequent."""
    chosen = result["chosen"].values
    order = np.lexsort((-chosen.sum(axis=0), chosen.argmax(axis=0)))
    return [int(at) for at in order if chosen[:, at].any()]
