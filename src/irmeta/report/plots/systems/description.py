"""A cube drawn: means with intervals, rank sets, the matrix of scores, the distribution of single scores."""

from collections.abc import Collection

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from irmeta.choices import ScoreView
from irmeta.report.plots.figure import PAGE, PALETTE, draw
from irmeta.report.plots.marks import name_cells, name_intervals, name_marks
from irmeta.report.plots.matrix import shade_bar
from irmeta.report.plots.rows import (
    BETTER_LEFT,
    BETTER_RIGHT,
    best_and_marked,
    legend,
    named_rows,
    named_rows_with_gap,
    of_all_drawn,
    row_height,
    rows_height,
    rows_with_gap,
    whole_ranks,
)
from irmeta.scores.attributes import about
from irmeta.scores.figures import short

NAMED = 40
"""Topics that have their name below the matrix of scores; more are only counted."""


def figure(
    result: xr.Dataset, *, view: ScoreView = "means", marked: Collection[str] = ()
) -> Figure:
    """Return a figure of the scores: the best systems and those to mark, or the matrix of all, as wide as a page."""
    if view == "distribution":
        return draw(distribution, result, height=2.8)
    if view == "matrix":
        tall = rows_height(result.sizes["system"])
        return draw(matrix, result, width=PAGE, height=tall)
    rows = rows_with_gap(_best_systems(result, marked))
    plot = {"means": means, "ranks": ranks}[view]
    return draw(plot, result, height=rows_height(int(rows[-1]) + 1), marked=marked)


def means(result: xr.Dataset, axes: Axes, *, marked: Collection[str] = ()) -> Axes:
    """Draw the mean of the best systems, best first, with its interval. Webber et al. (2008), Figure 2."""
    best = _best_systems(result, marked)
    names = best.system.values.astype(str).tolist()
    rows = rows_with_gap(best)
    mean, low, high = (best[name].values for name in ("mean", "low", "high"))
    axes.hlines(rows, low, high, color=PALETTE[4], linewidth=1.2)
    axes.plot(mean, rows, "o", color=PALETTE[0], markersize=2.5)
    name_intervals(axes, "mean", names, mean, low, high, rows)
    level = about(result)["options"]["level"]
    drawn = _drawn_of_all(best, result)
    label = f"mean {best.metric.item()}, {level:.0%} interval{drawn}"
    return named_rows_with_gap(axes, best, label, BETTER_RIGHT)


def ranks(result: xr.Dataset, axes: Axes, *, marked: Collection[str] = ()) -> Axes:
    """Draw the rank of the best systems, best first, and as a line the ranks that each may have."""
    best = _best_systems(result, marked)
    names = best.system.values.astype(str).tolist()
    rows = rows_with_gap(best)
    rank, low, high = (
        best[name].values.astype(int) for name in ("rank", "rank_low", "rank_high")
    )
    wide = 72 * 0.45 * row_height(len(names))
    axes.hlines(rows, low, high, color=PALETTE[4], linewidth=wide)
    axes.plot(rank, rows, "o", color=PALETTE[0], markersize=2.5)
    words = [
        f"rank {own}, may be {least} to {most}"
        for own, least, most in zip(rank, low, high, strict=True)
    ]
    name_marks(axes, rank, rows, names, words, nearest="y")
    whole_ranks(axes, int(high.max()))
    level = about(result)["options"]["level"]
    label = f"rank by {best.metric.item()}, possible ranks ({level:.0%}){_drawn_of_all(best, result)}"
    return named_rows_with_gap(axes, best, label, BETTER_LEFT)


def matrix(result: xr.Dataset, axes: Axes) -> Axes:
    """Draw every score as a shade: systems down, best first; topics across, easiest first. Same source, Figure 1."""
    ranked = _by_rank(result)
    ranked = ranked.isel(topic=np.argsort(-ranked["topic_mean"].values, kind="stable"))
    return shades(ranked["score"].rename(str(ranked.metric.item())), axes)


def shades(scores: xr.DataArray, axes: Axes) -> Axes:
    """Draw scores (system, topic) as shades, missing ones in orange; the name of the array is that of the metric."""
    axes.set_facecolor(PALETTE[1])
    image = axes.imshow(
        scores.values, aspect="auto", cmap="cividis", interpolation="nearest"
    )
    systems, topics = (
        scores[dim].values.astype(str).tolist() for dim in ("system", "topic")
    )
    named_rows(axes, systems, "topics, easiest first")
    axes.grid(visible=False)
    axes.set_ylim(len(systems) - 0.5, -0.5)
    if len(topics) <= NAMED:
        axes.set_xticks(range(len(topics)), topics, rotation=90)
    else:
        axes.set_xticks([])
        axes.set_xlabel(f"{len(topics)} topics, easiest first")
    shade_bar(axes, image, str(scores.name))
    name_cells(
        axes, systems, topics, [short(score, 3) for score in scores.values.ravel()]
    )
    return axes


def distribution(result: xr.Dataset, axes: Axes) -> Axes:
    """Draw the share of scores below each value, a line for each metric; quartiles marked. Same source, Figure 3."""
    for metric in result.metric.values:
        values = result["quantiles"].sel(metric=metric)
        (line,) = axes.plot(values, result.share, label=str(metric))
        quartiles = [0.25, 0.5, 0.75]
        there = values.sel(share=quartiles, method="nearest")
        axes.plot(there, quartiles, "o", markersize=3, color=line.get_color())
    axes.set_xlabel("score of a system on a topic")
    axes.set_ylabel("share of scores at or below")
    axes.set_ylim(0, 1)
    legend(axes)
    return axes


def _best_systems(result: xr.Dataset, marked: Collection[str]) -> xr.Dataset:
    """Return the best systems, then those to mark."""
    ranked = _by_rank(result)
    return best_and_marked(ranked, np.arange(ranked.sizes["system"]), marked)


def _drawn_of_all(drawn_systems: xr.Dataset, result: xr.Dataset) -> str:
    """Say that not all systems are drawn, on a line of its own."""
    if drawn_systems.sizes["system"] == result.sizes["system"]:
        return ""
    return f"\n{of_all_drawn(drawn_systems, result)}"


def _by_rank(result: xr.Dataset) -> xr.Dataset:
    of_metric = result.sel(metric=about(result)["options"]["by"])
    return of_metric.isel(system=np.argsort(of_metric["rank"].values, kind="stable"))
