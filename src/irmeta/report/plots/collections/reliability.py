"""Reliability against the number of topics: coefficients with their bands, expected tau, differences that show."""

from collections.abc import Collection

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from irmeta.choices import ReliabilityView
from irmeta.metrics.names import usual
from irmeta.report.plots.figure import COLUMN, draw
from irmeta.report.plots.marks import say
from irmeta.report.plots.rows import legend
from irmeta.scores.attributes import about
from irmeta.scores.figures import short
from irmeta.stats.arrays import Floats
from irmeta.stats.reliability.components import stability

MOST = 4
"""Metrics that a figure has room for; of more it shows those that most papers report."""
POINTS = 200
"""Points of a curve, and NEAR_1 the highest coefficient that can be carried over to other sizes."""
NEAR_1 = 1 - 1e-12


def figure(
    result: xr.Dataset,
    *,
    view: ReliabilityView = "reliability",
    marked: Collection[str] = (),
) -> Figure:
    """Draw a result of `reliability`: E rho2, Phi and expected tau one above the other, or differences that show.

    marked : metrics that are drawn beside the first ones.
    """
    names = usual(result.metric.values.tolist())
    shown = [*names[:MOST], *(name for name in names[MOST:] if name in marked)]
    if len(shown) < len(names):
        result = result.sel(metric=shown)
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
        (line,) = axes.plot(*_curve_of_tau(sizes, taus), label=str(metric))
        below = _curve_of_tau(sizes, one["tau_ap"].values)
        axes.plot(*below, "--", color=line.get_color())
        _say_curve(axes, sizes, taus, str(metric))
    return _finished(result, axes, "tau (dashed: tau_AP)")


def differences(result: xr.Dataset, axes: Axes) -> Axes:
    """Draw the smallest difference that shows against topics: the median pair, and pairs from the 10th to the 90th."""
    for metric in result.metric.values:
        one = result["detectable"].sel(metric=metric)
        sizes = one["size"].values
        finer = np.geomspace(sizes[0], sizes[-1], POINTS)
        # with more topics differences fall about as the root of their number
        low, median, high = (
            np.interp(finer, sizes, one.sel(share=share) * sizes**0.5) / finer**0.5
            for share in (0.1, 0.5, 0.9)
        )
        (line,) = axes.plot(finer, median, label=str(metric))
        axes.fill_between(finer, low, high, alpha=0.15, color=line.get_color())
    axes.set_ylim(bottom=0)
    return _finished(result, axes, "difference that shows", better="low")


def _coefficient(result: xr.Dataset, axes: Axes, name: str, label: str) -> Axes:
    for metric in result.metric.values:
        one = result.sel(metric=metric)
        sizes = one["size"].values
        (line,) = axes.plot(*_curve(sizes, one[name].values), label=str(metric))
        finer, low = _curve(sizes, one[f"{name}_low"].values)
        high = _curve(sizes, one[f"{name}_high"].values)[1]
        axes.fill_between(
            finer, low, high, alpha=0.15, linewidth=0, color=line.get_color()
        )
        _say_curve(axes, sizes, one[name].values, str(metric))
    asked = about(result)["options"]
    wanted = asked["stability"]
    axes.axhline(wanted, color="grey", linewidth=0.6, label=f"wanted, {wanted:g}")
    return _finished(result, axes, f"{label}, {asked['level']:.0%} interval")


def _curve(sizes: Floats, coefficients: Floats) -> tuple[Floats, Floats]:
    """Return sizes between the first and the last, and coefficients by the signal, their odds over the size.

    All sizes have one signal, by the formula of Spearman and Brown; of tau_AP, which follows none, it changes little.
    """
    finer = np.geomspace(sizes[0], sizes[-1], POINTS)
    known = np.minimum(coefficients, NEAR_1)
    signal = np.interp(finer, sizes, known / (1 - known) / sizes)
    return finer, stability(signal, finer)


def _curve_of_tau(sizes: Floats, taus: Floats) -> tuple[Floats, Floats]:
    """Return the same of tau, behind which is a coefficient: see `stats.reliability.expected.stepped`."""
    finer, coefficients = _curve(sizes, np.sin(np.pi / 2 * taus) ** 2)
    return finer, 2 / np.pi * np.arcsin(np.sqrt(coefficients))


def _finished(
    result: xr.Dataset, axes: Axes, label: str, *, better: str = "high"
) -> Axes:
    [of] = about(result)["inputs"]["collections"].values()
    axes.axvline(of["topics"], color="grey", linewidth=0.6, linestyle=":")
    axes.set_xlabel("topics (dotted: this collection's)")
    axes.set_ylabel(f"{label}\n({better} is better)")
    axes.tick_params(labelbottom=True)
    whole = axes.get_figure()
    # one legend, for the panels below, too
    if whole is not None and axes is whole.axes[0]:
        drawn = result.sizes["metric"]
        cut = f"{drawn} of {of['metrics']} metrics" if drawn < of["metrics"] else ""
        legend(axes, title=cut)
    return axes


def _say_curve(axes: Axes, sizes: Floats, values: Floats, name: str) -> None:
    words = [
        f"{short(value, 3)} with {size:g} topics"
        for size, value in zip(sizes, values, strict=True)
    ]
    say(axes, sizes, values, [name] * len(words), words)
