"""Predictive power drawn: the curve over numbers of topics, or how predictors compare with each target itself."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from irmeta.choices import PredictivityView
from irmeta.errors import ScoresError
from irmeta.report.plots.figure import PALETTE, draw
from irmeta.report.plots.marks import say
from irmeta.report.plots.matrix import matrix, square
from irmeta.report.plots.rows import BETTER_RIGHT, NEAR, height, legend, named_rows
from irmeta.scores.figures import short
from irmeta.studies.agreement.predictivity.study import best_predictor


def figure(result: xr.Dataset, *, view: PredictivityView | None = None) -> Figure:
    """Return the figure of the curve, where the result has one, of what the best predictor gains, or of all pairs."""
    metrics = result.sizes["metric"]
    view = view or ("curve" if "curve" in result else "advantage")
    if view == "advantage":
        return draw(gains, result, height=height(metrics))
    if view == "matrix":
        return square(pairs, result)
    if metrics > 3:
        raise ScoresError(
            "a curve of more than 3 metrics cannot be read; name those to draw with --metrics"
        )
    return draw(curve, result, height=2.8)


def curve(result: xr.Dataset, axes: Axes) -> Axes:
    """Draw phi over the number of topics in each set, a line for each pair of metrics; bars are two standard errors.

    A metric with itself is a solid line, a pair of metrics a dashed one.
    """
    names = [str(name) for name in result["metric"].values]
    sizes = result["size"].values
    drawn = [(i, j) for i in range(len(names)) for j in range(i, len(names))]
    for number, (i, j) in enumerate(drawn):
        if i == j:
            label = names[i]
        else:
            label = f"{names[i]} \N{EN DASH} {names[j]}"
        phi = result["curve"].values[:, i, j]
        axes.errorbar(
            sizes,
            phi,
            2 * result["curve_se"].values[:, i, j],
            label=label,
            color=PALETTE[number % len(PALETTE)],
            linestyle="-" if i == j else "--",
            marker="os^Dv<>p"[number % 8],
            markersize=3,
        )
        words = [
            f"phi {short(value, 3)} with {size} topics"
            for value, size in zip(phi, sizes, strict=True)
        ]
        say(axes, sizes, phi, [label] * len(words), words)
    axes.set_xlabel("topics in each of two disjoint sets")
    axes.set_ylabel("predictive power φ (up is better)")
    axes.set_xticks(sizes)
    legend(axes)
    return axes


def gains(result: xr.Dataset, axes: Axes) -> Axes:
    """Draw what the best predictor gains or loses over every target itself, with 95% intervals."""
    names = [str(name) for name in result["metric"].values]
    predictor = best_predictor(result)
    gain = result["advantage"].values[predictor]
    order = np.argsort(-gain, kind="stable")
    others = order[order != predictor]
    middle, low, high = (
        result[name].values[predictor, others] for name in ("advantage", "low", "high")
    )
    rows = np.arange(len(others))
    axes.axvline(0, color=NEAR, linewidth=0.8)
    axes.hlines(rows, low, high, color=PALETTE[4])
    axes.plot(middle, rows, "o", markersize=3, color=PALETTE[0])
    targets = [names[at] for at in others]
    words = [
        f"{short(value, 3, sign=True)}, 95% interval {short(least, 3)} to {short(most, 3)}"
        for value, least, most in zip(middle, low, high, strict=True)
    ]
    say(axes, middle, rows, targets, words, nearest="y")
    label = f"φ({names[predictor]}, target) \N{MINUS SIGN} φ(target, target)"
    axes.set_ylabel("target")
    return named_rows(axes, targets, label, BETTER_RIGHT)


def pairs(result: xr.Dataset, axes: Axes) -> Axes:
    """Draw phi of every metric for every other as a matrix; metrics that predict themselves best come first."""
    phi = result["phi"].values
    order = np.argsort(-np.diagonal(phi), kind="stable")
    names = [str(result["metric"].values[at]) for at in order]
    shown = phi[np.ix_(order, order)]
    matrix(axes, shown, names, names, label="predictive power φ")
    axes.set_ylabel("predictor")
    axes.set_xlabel("target")
    return axes
