"""How well predicted scores order systems, drawn target by target."""

import matplotlib as mpl
import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from irmeta.report.plots.figure import PAGE, PALETTE, STYLE, Drawing, draw
from irmeta.report.plots.marks import name_marks
from irmeta.report.plots.rows import BETTER_RIGHT, NEAR, named_rows, rows_height
from irmeta.scores.figures import short

PANELS = 4
"""Targets whose scores are drawn: from the one that is ordered best to the worst."""


def figure(result: xr.Dataset) -> Figure:
    """Return the figure of tau by target."""
    return draw(accuracy, result, height=rows_height(result.sizes["target"]))


def cells(outcome: xr.Dataset) -> Figure:
    """Return the figure of actual against predicted scores, a panel for each of up to four targets."""
    order = np.argsort(-outcome["tau"].fillna(-2).values, kind="stable")
    spread = np.linspace(0, order.size - 1, min(PANELS, order.size)).round().astype(int)
    targets = order[np.unique(spread)]
    with mpl.rc_context(STYLE):
        whole = Drawing(figsize=(PAGE, 2.1), layout="constrained")
        panels = whole.subplots(1, targets.size, squeeze=False)[0]
        for panel, at in zip(panels, targets, strict=True):
            scatter(outcome.isel(target=at), panel)
        panels[0].set_ylabel("actual score")
    return whole


def scatter(by_target: xr.Dataset, axes: Axes) -> Axes:
    """Draw each system's actual score against the predicted one with its interval; orange ones lie outside."""
    value, low, high, actual = (
        by_target[name].values for name in ("value", "low", "high", "actual")
    )
    outside = (actual < low) | (actual > high)
    axes.hlines(actual, low, high, color="0.88", linewidth=0.8)
    most = float(np.nanmax([value, actual]))
    axes.plot([0, most], [0, most], color=NEAR, linewidth=0.8)
    for kept, colour, marker in (
        (~outside, PALETTE[0], "o"),
        (outside, PALETTE[5], "^"),
    ):
        axes.plot(value[kept], actual[kept], marker, color=colour, markersize=2.5)
    words = [
        f"predicted {short(guess, 3)}, actual {short(own, 3)}"
        for guess, own in zip(value, actual, strict=True)
    ]
    name_marks(axes, value, actual, by_target.system.values, words)
    axes.set_xlabel(f"predicted {by_target['target'].item()}")
    return axes


def accuracy(outcome: xr.Dataset, axes: Axes) -> Axes:
    """Draw tau of predicted and actual scores, one row for each target, best first; the line is at 0.9."""
    order = np.argsort(-outcome["tau"].fillna(-2).values, kind="stable")
    names = [str(outcome.target.values[at]) for at in order]
    tau = outcome["tau"].values[order]
    rows = np.arange(order.size)
    axes.plot(tau, rows, "o", color=PALETTE[0], markersize=4)
    axes.axvline(0.9, color=NEAR, linewidth=0.6, zorder=0)
    words = [f"tau {short(value, 3)}" for value in tau]
    name_marks(axes, tau, rows, names, words, nearest="y")
    label = "tau-b, predicted and actual scores; line: 0.9"
    return named_rows(axes, names, label, BETTER_RIGHT)
