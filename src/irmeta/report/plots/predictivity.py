"""Predictive power drawn: the curve over numbers of topics, or how predictors compare with each target itself."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from irmeta.choices import PredictivityView
from irmeta.errors import ScoresError
from irmeta.report.plots.figure import PALETTE, draw
from irmeta.studies.agreement.predictivity import best_predictor


def figure(result: xr.Dataset, *, view: PredictivityView | None = None) -> Figure:
    """Return the figure of the curve, where the result has one, or of what the best predictor gains."""
    if (view or ("curve" if "curve" in result else "advantage")) == "advantage":
        return draw(gains, result, height=1.0 + 0.16 * result.sizes["metric"])
    if result.sizes["metric"] > 3:
        raise ScoresError(
            "a curve of more than 3 metrics cannot be read; name those to draw with --metrics"
        )
    return draw(curve, result, height=2.6)


def curve(result: xr.Dataset, axes: Axes) -> Axes:
    """Draw phi over the number of topics in each set, a line for each pair of metrics; bars are two standard errors.

    A metric with itself is a solid line, a pair of metrics a dashed one.
    """
    names = [str(name) for name in result["metric"].values]
    pairs = [(i, j) for i in range(len(names)) for j in range(i, len(names))]
    for number, (i, j) in enumerate(pairs):
        if i == j:
            label = names[i]
        else:
            label = f"{names[i]} \N{EN DASH} {names[j]}"
        axes.errorbar(
            result["size"].values,
            result["curve"].values[:, i, j],
            2 * result["curve_se"].values[:, i, j],
            label=label,
            color=PALETTE[number % len(PALETTE)],
            linestyle="-" if i == j else "--",
            marker="os^Dv<>p"[number % 8],
            markersize=3,
        )
    axes.set_xlabel("Topics in each of two disjoint sets")
    axes.set_ylabel("Predictive power φ")
    axes.set_xticks(result["size"].values)
    axes.legend()
    return axes


def gains(result: xr.Dataset, axes: Axes) -> Axes:
    """Draw what the best predictor gains or loses over every target itself, with 95% intervals."""
    names = [str(name) for name in result["metric"].values]
    predictor = best_predictor(result)
    others = [at for at in range(len(names)) if at != predictor]
    middle, low, high = (
        result[name].values[predictor, others] for name in ("advantage", "low", "high")
    )
    rows = np.arange(len(others))[::-1]
    axes.axvline(0, color="0.6", linewidth=0.8)
    # lists: matplotlib stumbles over arrays of one number
    reach = [(middle - low).tolist(), (high - middle).tolist()]
    axes.errorbar(middle, rows, xerr=reach, fmt="o", markersize=3, color=PALETTE[0])
    axes.set_yticks(rows, [names[at] for at in others])
    axes.set_xlabel(f"φ({names[predictor]}, target) \N{MINUS SIGN} φ(target, target)")
    axes.set_ylabel("Target")
    return axes
