"""Predictions with their intervals, tau of the best predictors, coverage by target, costly metrics from cheap ones."""

from itertools import cycle

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from irmeta.attributes import about
from irmeta.report.plots.figure import PALETTE

_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
_NEAR = "0.6"


def prediction(outcome: xr.Dataset, axes: Axes) -> Axes:
    """Draw each predicted score with its interval, a row a score; grey: outside what the model has seen."""
    at = np.argwhere(~np.isnan(outcome["value"].values))
    value, low, high, outside = (outcome[name].values[*at.T] for name in ("value", "low", "high", "outside"))
    systems, targets = outcome.system.values[at[:, 0]], outcome.target.values[at[:, 1]]
    rows = np.arange(len(at))
    for row, far in zip(rows, outside, strict=True):
        colour = _NEAR if far == 1 else PALETTE[0]
        axes.plot([low[row], high[row]], [row, row], color=colour)
        axes.plot(value[row], row, "o", color=colour, markersize=4)
    one = len(set(systems)) == 1
    names = [target if one else f"{system}: {target}" for system, target in zip(systems, targets, strict=True)]
    return _rows(axes, names, f"predicted score and {about(outcome)['options']['level']:.0%} interval")


def predictors(outcome: xr.Dataset, axes: Axes) -> Axes:
    """Draw tau of each target's best predictors, a row a target: colour the number of them, marker a collection."""
    for size, colour in zip(outcome["size"].values, cycle(PALETTE)):
        for name, marker in zip(outcome.collection.values, cycle(_MARKERS)):
            tau = outcome["tau"].sel(size=size, collection=name).values
            axes.plot(tau, np.arange(tau.size), marker, color=colour, markersize=4, alpha=0.8, linestyle="none")
    axes.axvline(0.9, color=_NEAR, linewidth=0.6, zorder=0)
    counts = [f"{size} predictor{'s' if size > 1 else ''}" for size in outcome["size"].values]
    _legend(axes, counts, [str(name) for name in outcome.collection.values])
    return _rows(
        axes, [str(target) for target in outcome.target.values], "Kendall's tau-b, predicted and actual scores"
    )


def accuracy(outcome: xr.Dataset, axes: Axes) -> Axes:
    """Draw tau of predicted and actual scores, a row a target, best first; the line is at 0.9."""
    order = np.argsort(-outcome["tau"].fillna(-2).values, kind="stable")
    axes.plot(outcome["tau"].values[order], np.arange(order.size), "o", color=PALETTE[0], markersize=4)
    axes.axvline(0.9, color=_NEAR, linewidth=0.6, zorder=0)
    return _rows(axes, [str(outcome.target.values[at]) for at in order], "Kendall's tau-b, predicted and actual scores")


def coverage(outcome: xr.Dataset, axes: Axes) -> Axes:
    """Draw measured coverage, a row a target, a marker a collection; the line is the nominal level."""
    for name, marker, colour in zip(outcome.collection.values, cycle(_MARKERS), cycle(PALETTE)):
        share = outcome["measured"].sel(collection=name).values
        axes.plot(share, np.arange(share.size), marker, color=colour, markersize=4, label=str(name), linestyle="none")
    axes.axvline(about(outcome)["options"]["level"], color=_NEAR, linewidth=0.8, zorder=0)
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
    return _rows(axes, [str(target) for target in outcome.target.values], "share of systems inside the interval")


def lowcost(outcome: xr.Dataset, axes: Axes, measure: str = "tau") -> Axes:
    """Draw tau (or r2, rmse) by depth: colour a target, marker a collection, dashed for judgments of the pool only."""
    for kind, target, colour in (
        (kind, target, colour)
        for kind in outcome.judgments.values
        for target, colour in zip(outcome.target.values, cycle(PALETTE))
    ):
        for name, marker in zip(outcome.collection.values, cycle(_MARKERS)):
            line = outcome[measure].sel(judgments=kind, target=target, collection=name)
            style = "-" if kind == "full" else "--"
            axes.plot(line.depth.values, line.values, style, color=colour, marker=marker, markersize=3.5)
    axes.set_xticks(outcome.depth.values)
    axes.set_xlabel("documents judged for the predictors")
    axes.set_ylabel({"tau": "Kendall's tau-b", "r2": "R²", "rmse": "RMSE"}[measure])
    if measure != "rmse":
        axes.axhline(0.9, color=_NEAR, linewidth=0.6, zorder=0)
        axes.set_ylim(max(-0.2, axes.get_ylim()[0]), 1.02)
    _legend(axes, [str(target) for target in outcome.target.values], [str(name) for name in outcome.collection.values])
    return axes


def _rows(axes: Axes, names: list[str], label: str) -> Axes:
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.set_xlabel(label)
    axes.grid(axis="y", color="0.92", linewidth=0.6)
    axes.set_axisbelow(True)
    return axes


def _legend(axes: Axes, colours: list[str], markers: list[str]) -> None:
    """List what colours and what markers stand for, beside the axes."""
    handles = [Line2D([], [], color=colour, label=name) for name, colour in zip(colours, cycle(PALETTE))]
    handles += [
        Line2D([], [], color="black", marker=marker, markersize=4, linestyle="none", label=name)
        for name, marker in zip(markers, cycle(_MARKERS))
    ]
    axes.legend(handles=handles, loc="upper left", bbox_to_anchor=(1, 1))
