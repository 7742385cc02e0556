"""Correlation between metrics drawn: a heat map, the dendrogram of their groups, or their principal components."""

from typing import Literal

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.cluster.hierarchy import dendrogram, leaves_list

from irmeta.choices import CorrelationView
from irmeta.errors import ScoresError
from irmeta.report.plots.figure import PAGE, PALETTE, draw
from irmeta.scores.attributes import about
from irmeta.scores.figures import short
from irmeta.stats.arrays import Floats


def figure(result: xr.Dataset, *, view: CorrelationView = "heatmap") -> Figure:
    """Return a figure of the correlations; the more metrics, the larger."""
    if "collection" in result.dims:
        raise ScoresError(
            "a plot shows one collection; choose it with --collection in place of --each"
        )
    metrics = result.sizes["metric"]
    if view in ("dendrogram", "components"):
        return draw(
            tree if view == "dendrogram" else loadings,
            result,
            height=1.0 + 0.15 * metrics,
        )
    side = min(PAGE, 2.0 + 0.25 * metrics)
    order = "clustered" if view == "clustered" else "given"
    return draw(heatmap, result, width=side, height=0.92 * side, order=order)


def heatmap(
    result: xr.Dataset, axes: Axes, *, order: Literal["given", "clustered"] = "given"
) -> Axes:
    """Draw the correlations as a matrix with their values, metrics in the order given or by the dendrogram."""
    places = np.arange(result.sizes["metric"])
    if order == "clustered":
        places = np.asarray(leaves_list(result["merge"].values))
    names = [str(name) for name in result["metric"].values[places]]
    _matrix(
        axes,
        result["r"].values[np.ix_(places, places)],
        names,
        names,
        about(result)["options"]["coefficient"],
    )
    axes.tick_params(axis="x", rotation=90)
    return axes


def loadings(result: xr.Dataset, axes: Axes) -> Axes:
    """Draw how metrics correlate with the principal components that carry 95% of their variance."""
    share = result["share"].values
    count = int(np.searchsorted(np.cumsum(share), 0.95 - 1e-9)) + 1
    names = [str(name) for name in result["metric"].values]
    heads = [f"{number}\n{part:.0%}" for number, part in enumerate(share[:count], 1)]
    _matrix(axes, result["loading"].values[:, :count], names, heads, "Loading")
    axes.set_xlabel("Principal component, share of variance")
    return axes


def _matrix(
    axes: Axes, values: Floats, rows: list[str], columns: list[str], label: str
) -> None:
    image = axes.imshow(
        values,
        cmap="RdBu",
        vmin=-1,
        vmax=1,
        aspect="equal" if len(rows) == len(columns) else "auto",
    )
    size = min(8.0, 130 / len(rows))
    for (i, j), value in np.ndenumerate(values):
        colour = "white" if abs(value) > 0.6 else "black"
        axes.text(
            j, i, short(value), ha="center", va="center", fontsize=size, color=colour
        )
    axes.set_xticks(range(len(columns)), columns)
    axes.set_yticks(range(len(rows)), rows)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.figure.colorbar(
        image, ax=axes, fraction=0.046, pad=0.02, shrink=0.8
    ).set_label(label)


def tree(result: xr.Dataset, axes: Axes) -> Axes:
    """Draw the dendrogram of complete linkage: a joint stands at the least correlation within what it joins."""
    threshold = float(about(result)["options"]["threshold"])
    dendrogram(
        result["merge"].values,
        labels=list(result["metric"].values),
        orientation="left",
        color_threshold=0,
        leaf_font_size=7,
        above_threshold_color=PALETTE[0],
        ax=axes,
    )
    axes.axvline(1 - threshold, color="0.6", linewidth=0.8, linestyle="--")
    top = max(float(result["merge"].values[:, 2].max()), 1 - threshold)
    axes.set_xlim(top * 1.05, 0)
    ticks = [tick for tick in axes.get_xticks() if 0 <= tick <= top * 1.05]
    axes.set_xticks(ticks, [short(1 - tick) for tick in ticks])
    axes.set_xlabel(f"Least {about(result)['options']['coefficient']} within the group")
    axes.spines["left"].set_visible(False)
    return axes
