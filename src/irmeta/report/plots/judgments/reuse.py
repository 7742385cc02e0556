"""What runs lose when nobody has judged their own documents."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from irmeta.choices import ReuseView
from irmeta.report.plots.figure import COLUMN, PALETTE, draw
from irmeta.report.plots.marks import name_marks
from irmeta.report.plots.rows import BETTER_LEFT, NEAR, legend, named_rows, rows_height
from irmeta.scores.attributes import about
from irmeta.scores.figures import short


def figure(result: xr.Dataset, *, view: ReuseView = "metrics") -> Figure:
    """Return the figure of a view: what each metric loses, or each run's loss by its unjudged share."""
    if view == "penalty":
        return draw(penalty, result, width=COLUMN)
    rows = rows_height(result.sizes["metric"])
    return draw(metrics, result, width=COLUMN, height=rows)


def metrics(result: xr.Dataset, axes: Axes) -> Axes:
    """Draw for each metric the mean loss of left-out groups, in standard deviations of the systems' scores.

    A light dot is a run's own loss.
    """
    order = np.argsort(result["relative_loss"].values, kind="stable")
    loss = result["relative_loss"].values[order]
    names = result["metric"].values[order].astype(str).tolist()
    rows = np.arange(len(order))
    axes.axvline(0, color=NEAR, linewidth=0.8)
    size = np.abs(result["loss"].transpose("metric", "system").values)
    spread = result["score"].std("system", ddof=1).values
    each = (size / spread[:, None])[order].ravel(), rows.repeat(size.shape[1])
    axes.plot(
        *each, "o", color=PALETTE[4], markersize=2.5, alpha=0.6, label="a run left out"
    )
    label = "mean of groups left out"
    axes.plot(loss, rows, "o", color=PALETTE[0], markersize=4.5, label=label)
    legend(axes)
    words = [f"mean loss {short(value, 3)}" for value in loss]
    name_marks(axes, loss, rows, names, words, nearest="y")
    label = "loss, in standard deviations of systems"
    return named_rows(axes, names, label, BETTER_LEFT)


def penalty(result: xr.Dataset, axes: Axes, *, metric: str | None = None) -> Axes:
    """Draw each left-out run's loss by its unjudged share, with the interval that the other groups predicted.

    metric : by default the first. New runs are drawn at the loss to expect, with its interval.
    """
    of_metric = result.sel(metric=metric or result["metric"].values[0])
    known = ~np.isnan(of_metric["low"].values)
    unjudged, loss, low, high = (
        of_metric[name].values[known] for name in ("unjudged", "loss", "low", "high")
    )
    axes.vlines(unjudged, low, high, color="0.8", linewidth=1)
    inside = (loss >= low) & (loss <= high)
    for which, colour, label in (
        (inside, PALETTE[0], "within"),
        (~inside, PALETTE[5], "beyond"),
    ):
        axes.plot(
            unjudged[which], loss[which], "o", color=colour, markersize=3, label=label
        )
    runs = of_metric["system"].values[known].astype(str)
    words = [
        f"loss {short(lost, 3)}, {share:.0%} unjudged"
        for lost, share in zip(loss, unjudged, strict=True)
    ]
    name_marks(axes, unjudged, loss, runs, words)
    if "run" in result.dims:
        share, expected, low, high = (
            of_metric[name].values
            for name in ("new_unjudged", "penalty", "penalty_low", "penalty_high")
        )
        axes.vlines(share, low, high, color="black", linewidth=1)
        axes.plot(share, expected, "D", color="black", markersize=4, label="new")
    axes.set_xlabel("share of first documents unjudged")
    axes.set_ylabel(f"loss of {of_metric['metric'].item()} (low is better)")
    level = about(result)["options"]["level"]
    legend(axes, title=f"{level:.0%} interval")
    return axes
