"""A cube drawn: means with intervals, rank sets, the matrix of scores, the distribution of single scores."""

import numpy as np
import numpy.typing as npt
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from irmeta.choices import ScoreView
from irmeta.report.plots.figure import COLUMN, PAGE, PALETTE, draw
from irmeta.scores.attributes import about


def figure(result: xr.Dataset, *, view: ScoreView = "means") -> Figure:
    """Return a figure of the scores; of many systems as wide as a page."""
    wide = view != "distribution" and result.sizes["system"] > 30
    return draw(plot, result, width=PAGE if wide else COLUMN, view=view)


def plot(result: xr.Dataset, axes: Axes, *, view: ScoreView = "means") -> Axes:
    """Draw a result of `describe`: one metric's means, ranks or matrix, or the distribution of all metrics' scores."""
    return {
        "means": means,
        "ranks": ranks,
        "matrix": matrix,
        "distribution": distribution,
    }[view](result, axes)


def means(result: xr.Dataset, axes: Axes) -> Axes:
    """Draw the mean of every system, best first, with its interval. Webber et al. (2008), Figure 2."""
    one = _ordered(result)
    names = one.system.values.astype(str)
    place = np.arange(1, len(names) + 1)
    error = np.abs(
        np.stack([one["low"].values, one["high"].values]) - one["mean"].values
    )
    axes.errorbar(
        place, one["mean"].values, error, fmt="o", markersize=2.5, elinewidth=0.7
    )
    axes.set_ylabel(
        f"mean {one.metric.item()}, {about(result)['options']['level']:.0%} interval"
    )
    return _named(names, axes)


def ranks(result: xr.Dataset, axes: Axes) -> Axes:
    """Draw the rank of every system, best first, and as a line its rank set: the ranks that it may have."""
    one = _ordered(result)
    options = about(result)["options"]
    names = one.system.values.astype(str)
    place = np.arange(1, len(names) + 1)
    axes.vlines(
        place,
        one["rank_low"],
        one["rank_high"],
        color=PALETTE[4],
        linewidth=3 if len(names) <= 30 else 1,
    )
    axes.plot(place, one["rank"], "o", color=PALETTE[0], markersize=2.5)
    axes.invert_yaxis()
    axes.set_ylabel(f"rank by {one.metric.item()}, {options['level']:.0%} rank set")
    return _named(names, axes)


def _named(names: npt.NDArray[np.str_], axes: Axes) -> Axes:
    """Name the systems below the axis; many only by their place."""
    if len(names) <= 30:
        axes.set_xticks(np.arange(1, len(names) + 1), names, rotation=90)
    else:
        axes.set_xlabel("systems by rank")
    return axes


def matrix(result: xr.Dataset, axes: Axes) -> Axes:
    """Draw every score as a shade: systems down, best first; topics across, easiest first. Same source, Figure 1."""
    one = _ordered(result)
    one = one.isel(topic=np.argsort(-one["topic_mean"].values, kind="stable"))
    image = axes.imshow(
        one["score"].values, aspect="auto", cmap="cividis", interpolation="nearest"
    )
    axes.set_xlabel("topics, easiest first")
    axes.set_ylabel("systems, best first")
    axes.get_figure().colorbar(image, ax=axes, label=str(one.metric.item()))  # type: ignore[union-attr]
    return axes


def distribution(result: xr.Dataset, axes: Axes) -> Axes:
    """Draw the share of single scores below each value, a line a metric; quartiles marked. Same source, Figure 3."""
    for metric in result.metric.values:
        values = result["quantiles"].sel(metric=metric)
        (line,) = axes.plot(values, result.share, label=str(metric))
        quartiles = [0.25, 0.5, 0.75]
        axes.plot(
            values.sel(share=quartiles, method="nearest"),
            quartiles,
            "o",
            markersize=3,
            color=line.get_color(),
        )
    axes.set_xlabel("score of a system on a topic")
    axes.set_ylabel("share of scores at or below")
    axes.set_ylim(0, 1)
    axes.legend()
    return axes


def _ordered(result: xr.Dataset) -> xr.Dataset:
    one = result.sel(metric=about(result)["options"]["by"])
    return one.isel(system=np.argsort(one["rank"].values, kind="stable"))
