"""What runs lose when nobody has judged their own documents."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from irmeta.choices import ReuseView
from irmeta.report.plots.figure import COLUMN, PAGE, PALETTE, draw
from irmeta.report.plots.rows import height, named_rows
from irmeta.scores.attributes import about


def figure(result: xr.Dataset, *, view: ReuseView = "metrics") -> Figure:
    """Return the figure of a view: what each metric loses, or each run's loss by its unjudged share."""
    if view == "penalty":
        return draw(penalty, result, width=COLUMN)
    return draw(metrics, result, width=PAGE, height=height(result.sizes["metric"]))


def metrics(result: xr.Dataset, axes: Axes) -> Axes:
    """Draw for each metric the mean loss of left-out groups, in standard deviations of the systems' scores."""
    order = np.argsort(result["relative_loss"].values)[::-1]
    rows = np.arange(len(order))
    axes.barh(rows, result["relative_loss"].values[order], color=PALETTE[0], height=0.7)
    return named_rows(
        axes,
        list(result["metric"].values[order].astype(str)),
        "mean loss, in deviations of systems",
    )


def penalty(result: xr.Dataset, axes: Axes, *, metric: str | None = None) -> Axes:
    """Draw each left-out run's loss by its unjudged share, with the interval that the other groups predicted.

    metric : by default the first. New runs are drawn at the loss to expect, with its interval.
    """
    one = result.sel(metric=metric or result["metric"].values[0])
    known = ~np.isnan(one["low"].values)
    unjudged = one["unjudged"].values[known]
    loss = one["loss"].values[known]
    low = one["low"].values[known]
    high = one["high"].values[known]
    axes.vlines(unjudged, low, high, color="0.8", linewidth=1)
    inside = (loss >= low) & (loss <= high)
    axes.plot(
        unjudged[inside],
        loss[inside],
        "o",
        color=PALETTE[0],
        markersize=3,
        label="within",
    )
    axes.plot(
        unjudged[~inside],
        loss[~inside],
        "o",
        color=PALETTE[5],
        markersize=3,
        label="beyond",
    )
    if "run" in result.dims:
        axes.vlines(
            one["new_unjudged"].values,
            one["penalty_low"].values,
            one["penalty_high"].values,
            color="black",
            linewidth=1,
        )
        axes.plot(
            one["new_unjudged"].values,
            one["penalty"].values,
            "D",
            color="black",
            markersize=4,
            label="new",
        )
    axes.set_xlabel("share of first documents unjudged")
    axes.set_ylabel(f"loss of {one['metric'].item()}")
    level = about(result)["options"]["level"]
    # above the axes, where it hides no run
    axes.legend(
        title=f"{level:.0%} interval",
        loc="lower left",
        bbox_to_anchor=(0, 1),
        ncols=3,
    )
    return axes
