"""Metrics in the order of their ranking, with what each step gives and how near that is to the best possible."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from irmeta.report.plots.figure import PALETTE, draw
from irmeta.report.plots.marks import say
from irmeta.report.plots.rows import (
    BETTER_LEFT,
    BETTER_RIGHT,
    height,
    legend,
    named_rows,
)
from irmeta.scores.attributes import about
from irmeta.scores.figures import short

_LABELS = {
    "determinant": ("log determinant", BETTER_RIGHT),
    "unreported": ("unexplained variance (share)", BETTER_LEFT),
}


def figure(result: xr.Dataset) -> Figure:
    """Return the figure of the ranking, a row for each metric."""
    return draw(ranking, result, height=height(result.sizes["position"]))


def subsets(outcome: xr.Dataset) -> Figure:
    """Return the figure of the best subsets: a mark where a metric is in the best one of that size."""
    return draw(chosen, outcome, height=height(outcome.sizes["metric"]))


def chosen(outcome: xr.Dataset, axes: Axes) -> Axes:
    """Draw a row for each metric and a column for each number of metrics: filled where the best subset has it."""
    names = outcome["metric"].values.astype(str).tolist()
    sizes = outcome["k"].values
    at, size = np.nonzero(outcome["chosen"].values.T)
    axes.plot(sizes[size], at, "o", color=PALETTE[0], markersize=4)
    words = [f"in the best {sizes[place]}" for place in size]
    say(axes, sizes[size], at, [names[row] for row in at], words)
    axes.set_xticks(sizes)
    axes.set_xlim(sizes[0] - 0.6, sizes[-1] + 0.6)
    return named_rows(axes, names, "number of metrics reported")


def ranking(outcome: xr.Dataset, axes: Axes) -> Axes:
    """Draw the value of the first k metrics as bars beside their names, and circles at the best subsets of k metrics.

    The bars are those of Figure 3 of Gupta et al. (ECIR 2019), from the first metric to the last for every method.
    Beside them stands the ratio to the optimum, unless it is 1 by design.
    """
    options = about(outcome)["options"]
    rows = np.arange(outcome.sizes["position"])
    proven = outcome["proven"].values
    values = outcome["value"].values
    axes.barh(rows, values, height=0.7, color=PALETTE[4], label="first k in this order")
    for shown, face, label in (
        (proven, "none", "best k, proven"),
        (~proven, PALETTE[5], "best k found, not proven"),
    ):
        if shown.any():
            optimal, k = (outcome[name].values[shown] for name in ("optimal", "k"))
            (circle,) = axes.plot(optimal, k - 1, "o", color=PALETTE[5], label=label)
            circle.set(markerfacecolor=face, markersize=4, clip_on=False)
    metrics = outcome["order"].values.astype(str)
    names = [f"{at}. {name}" for at, name in enumerate(metrics, 1)]
    words = [f"{_LABELS[options['objective']][0]} {short(one, 3)}" for one in values]
    say(axes, values, rows, metrics, words, nearest="y")
    if options["method"] != "exact":
        _ratios(outcome, axes)
    legend(axes)
    return named_rows(axes, names, *_LABELS[options["objective"]])


def _ratios(outcome: xr.Dataset, axes: Axes) -> None:
    """Write beside each row how near the first k metrics come to the best k."""
    beside = axes.get_yaxis_transform()
    ratios = outcome["ratio_to_optimum"].values
    written = [
        ("ratio to optimum", -0.9),
        *zip(map(short, ratios), outcome["k"].values - 1, strict=True),
    ]
    for text, row in written:
        axes.annotate(
            text,
            (1, row),
            xycoords=beside,
            xytext=(5, 0),
            textcoords="offset points",
            va="center_baseline",
            ha="right" if row < 0 else "left",
        )
