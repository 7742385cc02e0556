"""Costly metrics predicted from cheap ones: tau by judging depth."""

from itertools import cycle, product

import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from irmeta.report.plots.figure import PAGE, PALETTE, draw
from irmeta.report.plots.rows import MARKERS, NEAR, legend, legend_keys


def figure(result: xr.Dataset) -> Figure:
    """Return the figure of prediction by depth, as wide as a page."""
    return draw(lowcost, result, width=PAGE, height=2.8)


def lowcost(outcome: xr.Dataset, axes: Axes, measure: str = "tau") -> Axes:
    """Draw tau (or r2, rmse) by depth: colour a target, marker a collection, dashed for judgments of the pool only."""
    targets = list(zip(outcome.target.values, cycle(PALETTE)))
    for kind, (target, colour) in product(outcome.judgments.values, targets):
        for name, marker in zip(outcome.collection.values, cycle(MARKERS)):
            line = outcome[measure].sel(judgments=kind, target=target, collection=name)
            dash = "-" if kind == "full" else "--"
            depth, value = line.depth.values, line.values
            axes.plot(depth, value, dash, color=colour, marker=marker, markersize=3.5)
    axes.set_xticks(outcome.depth.values)
    axes.set_xlabel("documents judged for the predictors")
    better = "low" if measure == "rmse" else "up"
    label = {"tau": "Kendall's tau-b", "r2": "R²", "rmse": "RMSE"}[measure]
    axes.set_ylabel(f"{label}\n({better} is better)")
    if measure != "rmse":
        axes.axhline(0.9, color=NEAR, linewidth=0.6, zorder=0)
        axes.set_ylim(max(-0.2, axes.get_ylim()[0]), 1.02)
    names = [str(target) for target, _ in targets]
    collections = [str(name) for name in outcome.collection.values]
    legend(axes, legend_keys(names, collections))
    return axes
