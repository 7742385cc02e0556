"""Reliability against the number of topics: coefficients with their bands, expected tau, differences that show."""

from collections.abc import Collection

import numpy as np
import xarray as xr
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from irmeta.choices import ReliabilityView
from irmeta.metrics.names import usual
from irmeta.report.plots.figure import draw, panels_abreast
from irmeta.report.plots.layout import write_beside
from irmeta.report.plots.marks import name_marks
from irmeta.report.plots.rows import band_style, curve_marks, legend
from irmeta.scores.attributes import about
from irmeta.scores.figures import short
from irmeta.scores.groups.clusters import unit_of
from irmeta.stats.arrays import Floats
from irmeta.stats.reliability.components import stability
from irmeta.studies.design.reliability.summary import has_few_systems
from irmeta.words import counted

MOST = 4
"""Metrics that a figure has room for; of more it shows those that most papers report."""
NARROWEST = 2.2
"""Inches that a panel takes beside others."""
POINTS = 200
"""Points of a curve, and NEAR_1 the highest coefficient that can be carried over to other sizes."""
NEAR_1 = 1 - 1e-12


def figure(
    result: xr.Dataset,
    *,
    view: ReliabilityView = "reliability",
    marked: Collection[str] = (),
) -> Figure:
    """Draw a result of `reliability`: E rho2, Phi and expected tau on one axis of topics, or differences that show.

    Of few systems it is always the differences: a ranking of them could not be reliable.
    marked : metrics that are drawn beside the first ones.
    """
    names = usual(result.metric.values.tolist())
    shown = [*names[:MOST], *(name for name in names[MOST:] if name in marked)]
    if len(shown) < len(names):
        result = result.sel(metric=shown)
    if view == "differences" or has_few_systems(result):
        return draw(differences, result)
    plots = [erho2, phi, tau]
    columns = panels_abreast(len(plots), NARROWEST)
    height = 0.4 + 0.9 * len(plots) if columns == 1 else 2.2
    return draw(plots, result, height=height, columns=columns)


def erho2(result: xr.Dataset, axes: Axes) -> Axes:
    """Draw E rho2 against topics, a line for each metric, with its interval as a band; the legend is of all panels."""
    _draw_coefficient(result, axes, "erho2", "E rho2")
    level = about(result)["options"]["level"]
    band = Patch(label=f"{level:.0%} interval", **band_style("grey"))
    below = Line2D([], [], color="grey", linestyle="--", label="tau_AP")
    lines = axes.get_legend_handles_labels()[0]
    title = "; ".join(filter(None, [_metrics_drawn(result), "high is better"]))
    legend(axes, [*lines, band, below], title=title)
    return axes


def phi(result: xr.Dataset, axes: Axes) -> Axes:
    """Draw Phi against topics, a line for each metric, with its interval as a band."""
    return _draw_coefficient(result, axes, "phi", "Phi")


def tau(result: xr.Dataset, axes: Axes) -> Axes:
    """Draw expected tau with the true ranking against topics, and tau_AP as a dashed line."""
    for at, metric in enumerate(result.metric.values):
        of_metric = result.sel(metric=metric)
        sizes = of_metric["size"].values
        taus = of_metric["tau"].values
        (line,) = axes.plot(
            *_curve_of_tau(sizes, taus), label=str(metric), **curve_marks(at)
        )
        below = _curve_of_tau(sizes, of_metric["tau_ap"].values)
        axes.plot(*below, "--", color=line.get_color())
        _name_curve(result, axes, sizes, taus, str(metric))
    return _finish_axes(result, axes, "tau")


def differences(result: xr.Dataset, axes: Axes) -> Axes:
    """Draw the smallest difference that shows against topics: the median pair, and pairs from the 10th to the 90th.

    A difference that is asked for is a line, with a circle where the curve of a metric meets it.
    """
    asked = about(result)["options"]["difference"]
    for at, metric in enumerate(result.metric.values):
        of_metric = result["detectable"].sel(metric=metric)
        sizes = of_metric["size"].values
        finer = np.geomspace(sizes[0], sizes[-1], POINTS)
        # with more topics differences fall about as the root of their number
        low, median, high = (
            np.interp(finer, sizes, of_metric.sel(share=share) * sizes**0.5)
            / finer**0.5
            for share in (0.1, 0.5, 0.9)
        )
        (line,) = axes.plot(finer, median, label=str(metric), **curve_marks(at))
        axes.fill_between(finer, low, high, **band_style(line.get_color()))
        _name_curve(result, axes, sizes, of_metric.sel(share=0.5).values, str(metric))
        if asked is None:
            continue
        needed = float(result["pair_topics"].sel(metric=metric, share=0.5))
        if np.isinf(needed):
            line.set_label(f"{metric}: {asked:g} with no number of topics")
            continue
        needed = int(needed)
        line.set_label(f"{metric}: {asked:g} with {counted(needed, unit_of(result))}")
        if sizes[0] <= needed <= sizes[-1]:
            axes.plot(needed, asked, "o", color="black", markerfacecolor="none")
            write_beside(axes, str(needed), needed, asked)
    axes.set_ylim(bottom=0)
    lines = axes.get_legend_handles_labels()[0]
    band = Patch(
        label="pairs from the 10th to the 90th percentile", **band_style("grey")
    )
    listed: list[Artist] = [*lines, band]
    if asked is not None:
        line = axes.axhline(
            asked, color="grey", linewidth=0.6, label=f"wanted, {asked:g}"
        )
        listed.append(line)
    legend(axes, listed, title=_metrics_drawn(result))
    return _finish_axes(result, axes, "difference that a test shows\n(low is better)")


def _draw_coefficient(result: xr.Dataset, axes: Axes, name: str, label: str) -> Axes:
    """Draw a coefficient against topics, a line for each metric, with its interval as a band, and the value wanted."""
    for at, metric in enumerate(result.metric.values):
        of_metric = result.sel(metric=metric)
        sizes = of_metric["size"].values
        (line,) = axes.plot(
            *_curve(sizes, of_metric[name].values), label=str(metric), **curve_marks(at)
        )
        finer, low = _curve(sizes, of_metric[f"{name}_low"].values)
        high = _curve(sizes, of_metric[f"{name}_high"].values)[1]
        axes.fill_between(finer, low, high, **band_style(line.get_color()))
        _name_curve(result, axes, sizes, of_metric[name].values, str(metric))
    wanted = about(result)["options"]["stability"]
    axes.axhline(wanted, color="grey", linewidth=0.6, label=f"wanted, {wanted:g}")
    return _finish_axes(result, axes, label)


def _curve(sizes: Floats, coefficients: Floats) -> tuple[Floats, Floats]:
    """Return sizes between the first and the last, and coefficients by the signal, their odds over the size.

    All sizes have one signal, by the formula of Spearman and Brown; of tau_AP, which follows none, it changes little.
    """
    finer = np.geomspace(sizes[0], sizes[-1], POINTS)
    known = np.minimum(coefficients, NEAR_1)
    signal = np.interp(finer, sizes, known / (1 - known) / sizes)
    return finer, stability(signal, finer)


def _curve_of_tau(sizes: Floats, taus: Floats) -> tuple[Floats, Floats]:
    """Return sizes and taus as `_curve` does, by the coefficient behind tau: `stats.reliability.expected.stepped`."""
    finer, coefficients = _curve(sizes, np.sin(np.pi / 2 * taus) ** 2)
    return finer, 2 / np.pi * np.arcsin(np.sqrt(coefficients))


def _finish_axes(result: xr.Dataset, axes: Axes, label: str) -> Axes:
    """Label axes, and mark the number of topics that the collection has."""
    [collection] = about(result)["inputs"]["collections"].values()
    axes.axvline(collection["topics"], color="grey", linewidth=0.6, linestyle=":")
    axes.set_ylabel(label)
    place = axes.get_subplotspec()
    if place is not None and place.is_last_row():
        axes.set_xlabel(f"{unit_of(result)}s (dotted: this collection's)")
    return axes


def _metrics_drawn(result: xr.Dataset) -> str:
    """Say how many metrics are drawn, if not all."""
    [collection] = about(result)["inputs"]["collections"].values()
    drawn = result.sizes["metric"]
    known = collection["metrics"]
    return f"{drawn} of {known} metrics" if drawn < known else ""


def _name_curve(
    result: xr.Dataset, axes: Axes, sizes: Floats, values: Floats, name: str
) -> None:
    """Name the marks of a curve, with the value at each number of topics or clusters."""
    words = [
        f"{short(value, 3)} with {size:g} {unit_of(result)}s"
        for size, value in zip(sizes, values, strict=True)
    ]
    name_marks(axes, sizes, values, [name] * len(words), words)
