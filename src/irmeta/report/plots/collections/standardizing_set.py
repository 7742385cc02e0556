"""How the ranking settles as more systems standardize it."""

import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from irmeta.report.plots.figure import PALETTE, draw
from irmeta.report.plots.rows import legend

_LINES = {
    "p50": ("median", "-"),
    "p5": ("5th percentile", "--"),
    "p1": ("1st percentile", ":"),
}


def figure(result: xr.Dataset) -> Figure:
    """Return the figure of tau by the number of standardizing systems."""
    return draw(plot, result)


def plot(result: xr.Dataset, axes: Axes) -> Axes:
    """Draw percentiles of tau with the full ranking over the number of systems; the level line is tau of raw scores.

    Source: Webber et al. (SIGIR 2008), Figure 4.
    """
    several = result.sizes["metric"] > 1
    for at, metric in enumerate(result.metric.values):
        one = result.sel(metric=metric)
        color = PALETTE[at % len(PALETTE)]
        for name, (words, style) in _LINES.items():
            label = f"{metric}, {words}" if several else words
            axes.plot(
                result.systems, one[name], style, color=color, marker=".", label=label
            )
        label = f"{metric}, raw scores" if several else "raw scores"
        axes.axhline(
            one["raw"].item(),
            color=color if several else "0.4",
            linewidth=0.8,
            alpha=0.6,
            label=label,
        )
    axes.set_xlabel("standardizing systems drawn")
    axes.set_ylabel("tau with the ranking by all of them\n(up is better)")
    legend(axes)
    return axes
