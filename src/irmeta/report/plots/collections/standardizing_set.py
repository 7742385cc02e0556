"""How the ranking settles as more systems standardize it."""

from itertools import cycle
from typing import Any

import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from irmeta.report.plots.figure import PALETTE, draw
from irmeta.report.plots.rows import legend

_LINES: dict[str, tuple[str, Any]] = {
    "median": ("p50", "-"),
    "5th percentile": ("p5", "--"),
    "1st percentile": ("p1", ":"),
}
_RAW: Any = {"linewidth": 0.8, "alpha": 0.6, "linestyle": "-."}


def figure(result: xr.Dataset) -> Figure:
    """Return the figure of tau by the number of standardizing systems."""
    return draw(tau_percentiles, result)


def tau_percentiles(result: xr.Dataset, axes: Axes) -> Axes:
    """Draw percentiles of tau with the full ranking over the number of systems; the level line is tau of raw scores.

    Source: Webber et al. (SIGIR 2008), Figure 4.
    """
    metrics = result.metric.values.astype(str)
    for metric, color in zip(metrics, cycle(PALETTE)):
        of_metric = result.sel(metric=metric)
        for words, (name, style) in _LINES.items():
            label = f"{metric}, {words}"
            axes.plot(result.systems, of_metric[name], style, color=color, label=label)
        label = f"{metric}, raw scores"
        axes.axhline(of_metric["raw"].item(), color=color, label=label, **_RAW)
    axes.set_xlabel("standardizing systems drawn")
    axes.set_ylabel("tau with the ranking by all of them\n(up is better)")
    colours = [
        Line2D([], [], color=color, label=metric)
        for metric, color in zip(metrics, cycle(PALETTE))
    ]
    styles = [
        Line2D([], [], color="0.4", linestyle=style, label=words)
        for words, (_, style) in _LINES.items()
    ]
    raw = Line2D([], [], color="0.4", label="raw scores", **_RAW)
    legend(axes, [*colours, *styles, raw])
    return axes
