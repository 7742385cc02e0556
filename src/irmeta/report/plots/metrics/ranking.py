"""Metrics in the order of their ranking, with what each step gives and how near that is to the best possible."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from irmeta.report.plots.figure import PAGE, PALETTE, Plot, draw
from irmeta.report.plots.marks import say
from irmeta.report.plots.rows import height, legend, named_rows
from irmeta.scores.attributes import about

_LABELS = {
    "determinant": "log determinant",
    "unreported": "unexplained variance (share)",
}


def figure(result: xr.Dataset) -> Figure:
    """Return the figure of the ranking, as wide as a page."""
    return draw(plots(result), result, width=PAGE, height=3.4)


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


def plots(outcome: xr.Dataset) -> list[Plot]:
    """Return the plots that a result needs: the ratio to the optimum only where it is not 1 by design."""
    if about(outcome)["options"]["method"] == "exact":
        return [ranking]
    return [ratio, ranking]


def ranking(outcome: xr.Dataset, axes: Axes) -> Axes:
    """Draw the value of the first k metrics as bars over their names, and circles at the best subsets of k metrics.

    The bars are those of Figure 3 of Gupta et al. (ECIR 2019), from the first metric to the last for every method.
    """
    options = about(outcome)["options"]
    position = np.arange(1, outcome.sizes["position"] + 1)
    proven = outcome["proven"].values
    axes.bar(
        position,
        outcome["value"].values,
        color=PALETTE[4],
        label="first k in this order",
    )
    for shown, face, label in (
        (proven, "none", "best k, proven"),
        (~proven, PALETTE[5], "best k found, not proven"),
    ):
        if shown.any():
            at = outcome["k"].values[shown]
            best = outcome["optimal"].values[shown]
            axes.plot(
                at,
                best,
                "o",
                color=PALETTE[5],
                markerfacecolor=face,
                markersize=4,
                label=label,
            )
    names = [
        f"{at}. {name}"
        for at, name in zip(position, outcome["order"].values, strict=True)
    ]
    axes.set_xticks(position, names, rotation=90)
    axes.set_xlim(0.3, position[-1] + 0.7)
    axes.set_ylabel(_LABELS[options["objective"]])
    axes.set_xlabel("metrics, each added to those before it")
    axes.axhline(0, color="0.6", linewidth=0.6, zorder=0)
    legend(axes)
    return axes


def ratio(outcome: xr.Dataset, axes: Axes) -> Axes:
    """Draw the ratio to the optimum by the number of metrics."""
    axes.plot(
        outcome["k"].values,
        outcome["ratio_to_optimum"].values,
        "o-",
        color=PALETTE[0],
        markersize=3,
    )
    axes.set_ylim(0, 1.05)
    axes.set_ylabel("ratio to\noptimum")
    return axes
