"""How judges rank systems: tau with its interval and ceiling, means beside the truth's, favour by group."""

from typing import Any

import numpy as np
import numpy.typing as npt
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from irmeta.choices import JudgesView
from irmeta.errors import ScoresError
from irmeta.report.plots.figure import COLUMN, PAGE, PALETTE, draw
from irmeta.report.plots.layout import write_beside
from irmeta.report.plots.marks import name_intervals, name_marks
from irmeta.report.plots.rows import BETTER_RIGHT, NEAR, legend, named_rows, rows_height
from irmeta.scores.attributes import about
from irmeta.scores.figures import short
from irmeta.stats.arrays import Floats

OUTLIERS = 3
"""Systems that have their name beside their means."""


def figure(
    result: xr.Dataset,
    *,
    view: JudgesView = "tau",
    metric: str | None = None,
    judge: str | None = None,
) -> Figure:
    """Draw tau with intervals and ceiling, means of systems beside the truth's, favour of groups, or kappas.

    metric, judge : whose, by default the first metric, and the judge with the highest tau.
    """
    if "tau" not in result:
        rows = rows_height(result.sizes["judge"])
        return draw(labels, result, width=PAGE, height=rows)
    of_metric = result.sel(metric=metric or result.metric.values[0])
    if view == "tau":
        rows = rows_height(result.sizes["judge"])
        return draw(taus, of_metric, width=COLUMN, height=rows)
    which = judge or _best_judge(of_metric)
    if view == "means":
        return draw(means, of_metric, width=COLUMN, height=COLUMN, judge=which)
    if "system_favour" not in of_metric:
        raise ScoresError(
            "judges of different topics have no favour to draw; --view tau shows their tau"
        )
    dim = "group" if "group_favour" in of_metric else "system"
    rows = rows_height(result.sizes[dim])
    return draw(favour, of_metric, width=PAGE, height=rows, judge=which)


def taus(result: xr.Dataset, axes: Axes) -> Axes:
    """Draw each judge's tau with its 95% interval, best first, beside the tau that the truth itself can have."""
    order = np.argsort(-np.nan_to_num(result["tau"].values, nan=-2), kind="stable")
    tau, low, high = (
        result[name].values[order] for name in ("tau", "tau_low", "tau_high")
    )
    rows = np.arange(order.size)
    names = result.judge.values[order].astype(str).tolist()
    axes.hlines(rows, low, high, color=NEAR, linewidth=1.2)
    axes.plot(tau, rows, "o", markersize=3.5, color=PALETTE[0])
    name_intervals(axes, "tau", names, tau, low, high)
    axes.axvline(
        float(result["ceiling"]), color=PALETTE[5], linewidth=0.8, linestyle="--"
    )
    truth = about(result)["options"]["truth"]
    axes.annotate(
        truth,
        (float(result["ceiling"]), 1),
        xycoords=axes.get_xaxis_transform(),  # across by tau, up by the height of the axes
        xytext=(0, 3),
        textcoords="offset points",
        color=PALETTE[5],
        ha="center",
        fontsize=7,
    )
    label = f"tau-b with {truth} by {result.metric.item()}, 95% interval"
    return named_rows(axes, names, label, BETTER_RIGHT)


def means(result: xr.Dataset, axes: Axes, *, judge: str) -> Axes:
    """Draw the mean of each system under a judge against that under the truth; the line is equality."""
    truth = about(result)["options"]["truth"]
    x, y = (
        result[name].sel(judge=judge).values for name in ("truth_mean", "judge_mean")
    )
    axes.plot(x, y, "o", markersize=3, color=PALETTE[0], alpha=0.8)
    ends = [min(x.min(), y.min()), max(x.max(), y.max())]
    axes.plot(ends, ends, color=NEAR, linewidth=0.8)
    systems = result.system.values.astype(str)
    words = [
        f"{short(theirs, 3)} under {judge}, {short(own, 3)} under {truth}"
        for own, theirs in zip(x, y, strict=True)
    ]
    name_marks(axes, x, y, systems, words)
    _name_outliers(axes, x, y, systems)
    axes.set_xlabel(f"mean {result.metric.item()} under {truth}")
    label = f"mean {result.metric.item()} under {judge}"
    axes.set_ylabel(label + _place_line(result, judge))
    return axes


def _name_outliers(
    axes: Axes, x: Floats, y: Floats, names: npt.NDArray[np.str_]
) -> None:
    """Name the systems that lie farthest from the line that fits the others."""
    slope, start = np.polyfit(x, y, 1)
    far = np.argsort(-np.abs(y - start - slope * x), kind="stable")[:OUTLIERS]
    for at in far:
        write_beside(axes, names[at], x[at], y[at], fontsize=6)


def favour(result: xr.Dataset, axes: Axes, *, judge: str) -> Axes:
    """Draw how much a judge favours each group, or each system, with 95% intervals; those clear of 0 are filled."""
    dim = "group" if "group_favour" in result else "system"
    part = result.sel(judge=judge)
    order = np.argsort(-part[f"{dim}_favour"].values, kind="stable")
    value, low, high, p = (
        part[f"{dim}_favour{suffix}"].values[order]
        for suffix in ("", "_low", "_high", "_p_corrected")
    )
    rows = np.arange(order.size)
    axes.axvline(0, color=NEAR, linewidth=0.8)
    axes.hlines(rows, low, high, color=NEAR, linewidth=1.2)
    for verdict, face, kept in (
        ("clear (Benjamini-Hochberg, .05)", PALETTE[0], p < 0.05),
        ("not clear", "white", p >= 0.05),
    ):
        (dots,) = axes.plot(
            value[kept], rows[kept], "o", color=PALETTE[0], label=verdict
        )
        dots.set(markersize=3.5, markerfacecolor=face)
    names = result[dim].values[order].astype(str).tolist()
    words = [f"favoured by {short(each, 3, sign=True)}" for each in value]
    name_marks(axes, value, rows, names, words, nearest="y")
    truth = about(result)["options"]["truth"]
    label = f"{judge} less {truth}, relative to all ({result.metric.item()})"
    named_rows(
        axes,
        names,
        f"{label}\n95% intervals, each by itself{_place_line(result, judge)}",
    )
    legend(axes)
    return axes


def _place_line(result: xr.Dataset, judge: str) -> str:
    """Say of the judge that is drawn that it has the highest tau, where there are others."""
    if result.sizes["judge"] == 1 or judge != _best_judge(result):
        return ""
    return f"\n({judge} has the highest tau of {result.sizes['judge']} judges)"


def labels(result: xr.Dataset, axes: Axes) -> Axes:
    """Draw kappa of relevant or not for each judge, with its 95% interval over topics."""
    kappa: Any = result["label"].sel(figure="kappa_relevant").values
    low, high = (
        result[f"label_{end}"].sel(figure="kappa_relevant").values
        for end in ("low", "high")
    )
    known = np.count_nonzero(~np.isnan(kappa))
    order = np.argsort(-np.nan_to_num(kappa, nan=-2), kind="stable")[:known]
    rows = np.arange(order.size)
    axes.hlines(rows, low[order], high[order], color=NEAR, linewidth=1.2)
    axes.plot(kappa[order], rows, "o", markersize=3.5, color=PALETTE[0])
    truth = about(result)["options"]["truth"]
    return named_rows(
        axes,
        result.judge.values[order].tolist(),
        f"kappa with {truth} of relevant or not, 95% interval",
    )


def _best_judge(result: xr.Dataset) -> str:
    """Return the judge with the highest tau."""
    best = np.nan_to_num(result["tau"].values, nan=-2).argmax()
    return str(result.judge.values[best])
