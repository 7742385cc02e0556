"""Reliability against the number of topics: coefficients with their bands, expected tau, differences that show."""

import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from irmeta.choices import ReliabilityView
from irmeta.report.plots.figure import COLUMN, draw
from irmeta.report.plots.marks import say
from irmeta.report.plots.rows import legend
from irmeta.scores.attributes import about
from irmeta.scores.figures import short
from irmeta.stats.arrays import Floats


def figure(result: xr.Dataset, *, view: ReliabilityView = "reliability") -> Figure:
    """Draw a result of `reliability`: E rho2, Phi and expected tau one above the other, or differences that show."""
    if view == "differences":
        return draw(differences, result)
    return draw([erho2, phi, tau], result, width=COLUMN, height=6.4)


def erho2(result: xr.Dataset, axes: Axes) -> Axes:
    """Draw E rho2 against topics, a line for each metric, with its interval as a band."""
    return _coefficient(result, axes, "erho2", "E rho2")


def phi(result: xr.Dataset, axes: Axes) -> Axes:
    """Draw Phi against topics, a line for each metric, with its interval as a band."""
    return _coefficient(result, axes, "phi", "Phi")


def tau(result: xr.Dataset, axes: Axes) -> Axes:
    """Draw expected tau with the true ranking against topics, and tau_AP as a dashed line."""
    for metric in result.metric.values:
        one = result.sel(metric=metric)
        sizes = one["size"].values
        taus = one["tau"].values
        (line,) = axes.plot(sizes, taus, label=str(metric))
        axes.plot(sizes, one["tau_ap"].values, "--", color=line.get_color())
        _say_curve(axes, sizes, taus, str(metric))
    return _finished(result, axes, "tau (dashed: tau_AP)")


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
    return _finished(result, axes, "difference that shows", better="low")


def _coefficient(result: xr.Dataset, axes: Axes, name: str, label: str) -> Axes:
    for at, metric in enumerate(result.metric.values):
        one = result.sel(metric=metric)
        (line,) = axes.plot(one["size"], one[name], label=str(metric))
        # intervals at a few sizes, beside each other where metrics are near
        few = one.isel(size=slice(at, None, max(3, one.sizes["size"] // 6)))
        axes.vlines(
            few["size"],
            few[f"{name}_low"],
            few[f"{name}_high"],
            linewidth=0.8,
            color=line.get_color(),
        )
        _say_curve(axes, one["size"].values, one[name].values, str(metric))
    wanted = about(result)["options"]["stability"]
    axes.axhline(wanted, color="grey", linewidth=0.6, label=f"wanted, {wanted:g}")
    return _finished(result, axes, label)


def _finished(
    result: xr.Dataset, axes: Axes, label: str, *, better: str = "high"
) -> Axes:
    topics = next(iter(about(result)["inputs"]["collections"].values()))["topics"]
    axes.axvline(topics, color="grey", linewidth=0.6, linestyle=":")
    axes.set_xlabel("topics (dotted: this collection's)")
    axes.set_ylabel(f"{label}\n({better} is better)")
    axes.tick_params(labelbottom=True)
    whole = axes.get_figure()
    if (
        whole is not None and axes is whole.axes[0]
    ):  # one legend, for the panels below, too
        legend(axes)
    return axes


def _say_curve(axes: Axes, sizes: Floats, values: Floats, name: str) -> None:
    words = [
        f"{short(value, 3)} with {size:g} topics"
        for size, value in zip(sizes, values, strict=True)
    ]
    say(axes, sizes, values, [name] * len(words), words)
