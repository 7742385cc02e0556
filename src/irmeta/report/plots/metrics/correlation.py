"""Correlation between metrics drawn: a heat map, the dendrogram of their groups, or their principal components."""

from typing import Literal

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from scipy.cluster.hierarchy import dendrogram, leaves_list

from irmeta.choices import CorrelationView
from irmeta.errors import ScoresError
from irmeta.report.plots.figure import PALETTE, draw
from irmeta.report.plots.matrix import draw_matrix, draw_square_matrix
from irmeta.report.plots.rows import DASHED, legend
from irmeta.scores.attributes import about


def figure(result: xr.Dataset, *, view: CorrelationView = "heatmap") -> Figure:
    """Return a figure of the correlations; the more metrics, the larger."""
    if "collection" in result.dims:
        raise ScoresError(
            "a plot shows one collection; choose it with --collection in place of --each"
        )
    metrics = result.sizes["metric"]
    if view in ("dendrogram", "components"):
        plot = tree if view == "dendrogram" else loadings
        return draw(plot, result, height=1.0 + 0.15 * metrics)
    order = "clustered" if view == "clustered" else "given"
    return draw_square_matrix(heatmap, result, order=order)


def heatmap(
    result: xr.Dataset, axes: Axes, *, order: Literal["given", "clustered"] = "given"
) -> Axes:
    """Draw the correlations as a matrix, metrics in the order given, or by the dendrogram with groups outlined."""
    places = np.arange(result.sizes["metric"])
    if order == "clustered":
        places = np.asarray(leaves_list(result["merge"].values))
    names = [str(name) for name in result["metric"].values[places]]
    r = result["r"].values[np.ix_(places, places)]
    draw_matrix(axes, r, names, names, label=about(result)["options"]["coefficient"])
    if order == "clustered":
        _outline(axes, result["group"].values[places].tolist())
    return axes


def _outline(axes: Axes, groups: list[int]) -> None:
    """Outline neighbours of the same group."""
    start = 0
    for at in range(1, len(groups) + 1):
        if at < len(groups) and groups[at] == groups[start]:
            continue
        side = at - start
        if side > 1:
            corner = (start - 0.5, start - 0.5)
            axes.add_patch(
                Rectangle(corner, side, side, fill=False, color="black", linewidth=1.2)
            )
        start = at


def loadings(result: xr.Dataset, axes: Axes) -> Axes:
    """Draw how metrics correlate with the principal components that carry 95% of their variance."""
    share = result["share"].values
    count = int(np.searchsorted(np.cumsum(share), 0.95 - 1e-9)) + 1
    names = [str(name) for name in result["metric"].values]
    heads = [f"{number}\n{part:.0%}" for number, part in enumerate(share[:count], 1)]
    draw_matrix(
        axes, result["loading"].values[:, :count], names, heads, label="loading"
    )
    axes.set_xlabel("principal component, share of variance")
    return axes


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
    label = f"groups: at least {threshold:g}"
    line = axes.axvline(1 - threshold, label=label, **DASHED)
    top = max(float(result["merge"].values[:, 2].max()), 1 - threshold)
    axes.set_xlim(top * 1.05, 0)
    ticks = [tick for tick in axes.get_xticks() if 0 <= tick <= top * 1.05]
    axes.set_xticks(ticks, [f"{1 - tick:g}" for tick in ticks])
    axes.set_xlabel(f"least {about(result)['options']['coefficient']} within the group")
    axes.spines["left"].set_visible(False)
    legend(axes, [line])
    return axes
