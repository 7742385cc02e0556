"""Reliability against the number of topics: coefficients with their bands, expected tau, differences that show."""

import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from irmeta.choices import ReliabilityView
from irmeta.report.plots.figure import COLUMN, draw
from irmeta.scores.attributes import about


def figure(result: xr.Dataset, *, view: ReliabilityView = "reliability") -> Figure:
    """Draw a result of `reliability`: E rho2, Phi and expected tau one above the other, or differences that show."""
    if view == "differences":
        return draw(differences, result)
    return draw([erho2, phi, tau], result, width=COLUMN, height=5.6)


def erho2(result: xr.Dataset, axes: Axes) -> Axes:
    """Draw E rho2 against topics, a line a metric, with its interval as a band."""
    return _coefficient(result, axes, "erho2", "E rho2 (order of systems)")


def phi(result: xr.Dataset, axes: Axes) -> Axes:
    """Draw Phi against topics, a line a metric, with its interval as a band."""
    return _coefficient(result, axes, "phi", "Phi (scores themselves)")


def tau(result: xr.Dataset, axes: Axes) -> Axes:
    """Draw expected tau with the true ranking against topics, and tau_AP as a dashed line."""
    for metric in result.metric.values:
        one = result.sel(metric=metric)
        (line,) = axes.plot(one["size"], one["tau"], label=str(metric))
        axes.plot(one["size"], one["tau_ap"], "--", color=line.get_color())
    return _finished(result, axes, "expected tau (dashed: tau_AP)")


def differences(result: xr.Dataset, axes: Axes) -> Axes:
    """Draw the smallest difference that shows against topics: the median pair, and pairs from the 10th to the 90th."""
    for metric in result.metric.values:
        one = result["detectable"].sel(metric=metric)
        (line,) = axes.plot(one["size"], one.sel(share=0.5), label=str(metric))
        axes.fill_between(
            one["size"],
            one.sel(share=0.1),
            one.sel(share=0.9),
            alpha=0.15,
            color=line.get_color(),
        )
    axes.set_ylim(bottom=0)
    return _finished(result, axes, "difference that shows")


def _coefficient(result: xr.Dataset, axes: Axes, name: str, label: str) -> Axes:
    for metric in result.metric.values:
        one = result.sel(metric=metric)
        (line,) = axes.plot(one["size"], one[name], label=str(metric))
        axes.fill_between(
            one["size"],
            one[f"{name}_low"],
            one[f"{name}_high"],
            alpha=0.15,
            color=line.get_color(),
        )
    wanted = about(result)["options"]["stability"]
    axes.axhline(wanted, color="grey", linewidth=0.6, label=f"wanted, {wanted:g}")
    return _finished(result, axes, label)


def _finished(result: xr.Dataset, axes: Axes, label: str) -> Axes:
    topics = next(iter(about(result)["inputs"]["collections"].values()))["topics"]
    axes.axvline(topics, color="grey", linewidth=0.6, linestyle=":")
    axes.set_xlabel("topics (dotted: this collection's)")
    axes.set_ylabel(label)
    axes.legend()
    return axes
