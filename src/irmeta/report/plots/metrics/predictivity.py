"""Predictive power drawn: by metric, over numbers of topics, beside that of each target itself, or of all pairs."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from irmeta.choices import PredictivityView
from irmeta.errors import ScoresError
from irmeta.report.plots.figure import PALETTE, draw
from irmeta.report.plots.marks import name_intervals, name_marks
from irmeta.report.plots.matrix import draw_matrix, draw_square_matrix
from irmeta.report.plots.rows import (
    BETTER_RIGHT,
    NEAR,
    dots,
    legend,
    named_rows,
    rows_height,
)
from irmeta.scores.attributes import about
from irmeta.scores.figures import short
from irmeta.studies.agreement.predictivity.study import best_predictor
from irmeta.studies.agreement.predictivity.summary import rivals_of_best


def figure(result: xr.Dataset, *, view: PredictivityView = "means") -> Figure:
    """Return the figure of mean phi by metric, or another view."""
    metrics = result.sizes["metric"]
    if view == "means":
        return draw(mean_phi, result, height=rows_height(metrics))
    if view == "advantage":
        return draw(gains, result, height=rows_height(metrics))
    if view == "matrix":
        return draw_square_matrix(pairs, result)
    if "curve" not in result:
        raise ScoresError(
            "no curve was computed; name numbers of topics with --sizes, as in --sizes 5,10,20"
        )
    if metrics > 3:
        raise ScoresError(
            "a curve of more than 3 metrics cannot be read; name those to draw with --metrics"
        )
    return draw(curve, result, height=2.8)


def mean_phi(result: xr.Dataset, axes: Axes) -> Axes:
    """Draw each metric's mean phi with its interval, best first; filled: not clearly behind the best."""
    order = np.argsort(-result["mean_phi"].values, kind="stable")
    means, low, high = (
        result[name].values[order]
        for name in ("mean_phi", "mean_phi_low", "mean_phi_high")
    )
    names = result["metric"].values[order].astype(str).tolist()
    rows = np.arange(order.size)
    axes.hlines(rows, low, high, color=PALETTE[4])
    near = np.isin(order, [best_predictor(result), *rivals_of_best(result)])
    known = not about(result)["options"]["teams_unknown"]
    dots(axes, means, rows, near | (not known), "may be the best")
    dots(axes, means, rows, ~near & known, "clearly behind the best", face="white")
    if known:
        legend(axes)
    name_intervals(axes, "mean phi", names, means, low, high)
    label = (
        "mean predictive power φ, 95% interval;\nφ: tau between halves of the topics"
    )
    return named_rows(axes, names, label, BETTER_RIGHT)


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
        name_marks(axes, sizes, phi, [label] * len(words), words)
    axes.set_xlabel("topics in each of two disjoint sets")
    axes.set_ylabel("predictive power φ: tau between the sets\n(up is better)")
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
    name_marks(axes, middle, rows, targets, words, nearest="y")
    label = (
        f"φ({names[predictor]}, target) \N{MINUS SIGN} φ(target, target);\n"
        "φ: tau between halves of the topics"
    )
    axes.set_ylabel("target")
    return named_rows(axes, targets, label, BETTER_RIGHT)


def pairs(result: xr.Dataset, axes: Axes) -> Axes:
    """Draw phi of every metric for every other as a matrix; metrics that predict themselves best come first."""
    phi = result["phi"].values
    order = np.argsort(-np.diagonal(phi), kind="stable")
    names = [str(result["metric"].values[at]) for at in order]
    shown = phi[np.ix_(order, order)]
    draw_matrix(axes, shown, names, names, label="predictive power φ")
    axes.set_ylabel("predictor")
    axes.set_xlabel("target")
    return axes
