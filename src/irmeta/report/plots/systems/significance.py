"""What a metric distinguishes: the share of pairs of systems of each, and p of all pairs at every level."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from irmeta.report.plots.figure import PALETTE, draw
from irmeta.report.plots.marks import say
from irmeta.report.plots.rows import height, legend, named_rows
from irmeta.scores.attributes import about
from irmeta.stats.tests.comparing import CORRECTED

CURVES = 4
"""Metrics whose curves can be followed; of more the shares are drawn."""


def figure(result: xr.Dataset) -> Figure:
    """Return the figure of p of all pairs, or for many metrics of the share of pairs that each distinguishes."""
    if result.sizes["metric"] > CURVES:
        return power(result)
    return draw(plot, result)


def power(result: xr.Dataset) -> Figure:
    """Return the figure of the share of pairs that each metric distinguishes."""
    return draw(shares, result, height=height(result.sizes["metric"]))


def shares(result: xr.Dataset, axes: Axes) -> Axes:
    """Draw the share of pairs of systems that each metric distinguishes, the highest first."""
    share = result["share_significant"].values
    order = np.argsort(-share, kind="stable")
    names = result.metric.values[order].astype(str).tolist()
    rows = np.arange(order.size)
    axes.barh(rows, share[order], color=PALETTE[0], height=0.6)
    words = [f"distinguishes {value:.1%} of the pairs" for value in share[order]]
    say(axes, share[order], rows, names, words, nearest="y")
    alpha = about(result)["options"]["alpha"]
    label = f"share of pairs with corrected p below {alpha:g}"
    axes.set_xlim(0, 1)
    return named_rows(axes, names, label)


def plot(result: xr.Dataset, axes: Axes) -> Axes:
    """Draw p of all pairs in rising order, a line for each metric: the longer it stays low, the more it discriminates.

    Source: Sakai (SIGIR 2006), section 4.
    """
    options = about(result)["options"]
    alpha = options["alpha"]
    share = np.arange(1, result.sizes["pair"] + 1) / result.sizes["pair"]
    for metric in result.metric.values:
        p = np.sort(result["p"].sel(metric=metric).values)
        axes.step(share, p, where="pre", label=str(metric))
    axes.axhline(alpha, color="0.6", linewidth=0.8, linestyle="--")
    axes.text(0.01, alpha, f"{alpha:g}", color="0.4", va="bottom")
    axes.set_xlim(0, 1)
    axes.set_ylim(0, min(1.0, 4 * alpha))
    axes.set_xlabel("share of system pairs (longer below is better)")
    by_itself = options["test"] not in CORRECTED or options["correct"] == "none"
    corrected = "not corrected" if by_itself else "corrected for all pairs"
    axes.set_ylabel(f"p ({options['test']}, {corrected})")
    legend(axes)
    return axes
