"""What a metric distinguishes: the share of pairs of systems of each, and p of all pairs at every level."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from irmeta.report.plots.figure import PALETTE, draw
from irmeta.report.plots.marks import name_marks
from irmeta.report.plots.rows import (
    DASHED,
    curve_marks,
    legend,
    logarithmic_across,
    named_rows,
    rows_height,
)
from irmeta.scores.attributes import about
from irmeta.stats.tests.comparing import CORRECTED

CURVES = 4
"""Metrics whose curves can be followed; of more the shares are drawn."""
LEAST = 1e-3
"""The least p that has a place of its own: resamples hardly allow smaller ones."""


def figure(result: xr.Dataset) -> Figure:
    """Return the figure of p of all pairs, or for many metrics of the share of pairs that each distinguishes."""
    if result.sizes["metric"] > CURVES:
        return power(result)
    return draw(p_curves, result)


def power(result: xr.Dataset) -> Figure:
    """Return the figure of the share of pairs that each metric distinguishes."""
    return draw(shares, result, height=rows_height(result.sizes["metric"]))


def shares(result: xr.Dataset, axes: Axes) -> Axes:
    """Draw the share of pairs of systems that each metric distinguishes, the highest first."""
    share = result["share_significant"].values
    order = np.argsort(-share, kind="stable")
    names = result.metric.values[order].astype(str).tolist()
    rows = np.arange(order.size)
    axes.barh(rows, share[order], color=PALETTE[0], height=0.6)
    words = [f"distinguishes {value:.1%} of the pairs" for value in share[order]]
    name_marks(axes, share[order], rows, names, words, nearest="y")
    alpha = about(result)["options"]["alpha"]
    label = f"share of pairs with corrected p below {alpha:g}"
    axes.set_xlim(0, 1)
    return named_rows(axes, names, label)


def p_curves(result: xr.Dataset, axes: Axes) -> Axes:
    """Draw the share of pairs whose p is at most each level, a line for each metric; high lines distinguish more.

    The axes are those of Sakai (SIGIR 2006), section 4, exchanged; smaller p than `LEAST` count from the left end on.
    """
    options = about(result)["options"]
    alpha = options["alpha"]
    for at, metric in enumerate(result.metric.values):
        p = np.sort(result["p"].sel(metric=metric).values)
        levels = np.concatenate([[LEAST], p[(p > LEAST) & (p < 1)], [1]])
        counts = np.searchsorted(p, levels, side="right")
        counts[-1] = counts[-2]  # with p of 1 are all pairs
        shares = counts / p.size
        label = str(metric)
        axes.step(levels, shares, where="post", label=label, **curve_marks(at))
    axes.axvline(alpha, label=f"level {alpha:g}", **DASHED)
    logarithmic_across(axes)
    axes.set_xlim(LEAST, 1)
    axes.set_ylim(0, 1.02)
    by_itself = options["test"] not in CORRECTED or options["correct"] == "none"
    corrected = "not corrected" if by_itself else "corrected for all pairs"
    axes.set_xlabel(f"p ({options['test']}, {corrected})")
    axes.set_ylabel("share of pairs with that p or less\n(up is better)")
    legend(axes)
    return axes
