"""A leaderboard drawn: the ranks that each model may have, and how aggregates order the best models."""

from collections.abc import Collection

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from irmeta.choices import LeaderboardView
from irmeta.errors import ScoresError
from irmeta.report import forms
from irmeta.report.plots.figure import PAGE, PALETTE, draw
from irmeta.report.plots.layout import beside
from irmeta.report.plots.marks import say
from irmeta.report.plots.rows import (
    BETTER_LEFT,
    LONGEST,
    NEAR,
    SHOWN,
    best_and,
    by_powers,
    directed,
    height,
    legend,
    of_all,
    placed_rows,
    places,
    whole_ranks,
)
from irmeta.scores.figures import short, spans
from irmeta.scores.result import is_estimated
from irmeta.studies.leaderboard.summary import column, nouns, order
from irmeta.words import listed, shortened


def figure(
    result: xr.Dataset, *, view: LeaderboardView = "ranks", marked: Collection[str] = ()
) -> Figure:
    """Draw the best models of a result of `leaderboard` with their ranks, and those to mark, as wide as a page."""
    if view == "front":
        return draw(front, result, width=PAGE, height=4.2)
    drawn = {"ranks": ranks, "aggregates": aggregates}[view]
    tall = height(int(places(_drawn(result, marked).sizes["system"])[-1]) + 1)
    return draw(drawn, result, width=PAGE, height=tall, marked=marked)


def ranks(result: xr.Dataset, axes: Axes, *, marked: Collection[str] = ()) -> Axes:
    """Draw each model's rank by the first aggregate, its possible ranks, and a thin line for what its holes allow."""
    one = _drawn(result, marked).isel(aggregate=0)
    place = places(one.sizes["system"])
    ends = np.stack([one["low"].values, one["high"].values], axis=1)
    axes.hlines(place, *ends.T, color=PALETTE[4], linewidth=4, label="possible ranks")
    if result["score"].isnull().any():
        holes = one["best"], one["worst"]
        axes.hlines(
            place, *holes, color=PALETTE[5], linewidth=0.8, label="what holes allow"
        )
    rank = one["rank"].values
    if np.isfinite(rank).any():
        axes.plot(rank, place, "o", color=PALETTE[0], markersize=3, label="rank")
    words = [f"possible ranks {span}" for span in spans(*ends.T)]
    middle = np.where(np.isfinite(rank), rank, ends.mean(axis=1))
    say(axes, middle, place, one.system.values, words, nearest="y")
    legend(axes)
    return _model_rows(one, axes, f"rank by {_by(one)}, {_of(one, result)}")


def aggregates(result: xr.Dataset, axes: Axes, *, marked: Collection[str] = ()) -> Axes:
    """Draw each model's rank by every aggregate; of the same rank the later marks are smaller, so that all are seen."""
    one = _drawn(result, marked)
    place = places(one.sizes["system"])
    kinds = one.aggregate.values
    sizes = np.linspace(7, 3, kinds.size)
    for kind, marker, size in zip(kinds, "osD^v", sizes, strict=False):
        rank = one["rank"].sel(aggregate=kind)
        axes.plot(rank, place, marker, markersize=size, label=str(kind))
    legend(axes)
    return _model_rows(one, axes, f"rank, {_of(one, result)}")


def front(result: xr.Dataset, axes: Axes) -> Axes:
    """Draw value against cost: who is surely on the front, who may be, who is not, and the front of the values.

    Costs are on a logarithmic axis where none is 0 and the dearest is 10 times the cheapest, or more.
    """
    if "cost" not in result:
        raise ScoresError("no costs are known; name them with --cost FILE")
    one = result.isel(aggregate=0).sortby("cost")
    drawn = (one["cost"].notnull() & one["value"].notnull()).values
    absent = one.system.values[~drawn].astype(str)
    one = one.isel(system=drawn)
    if not one.sizes["system"]:
        raise ScoresError(
            "no model with a cost has a value; choose what to do with missing scores (--holes)"
        )
    cost, value = one["cost"].values, one["value"].values
    sure, may_be = one["front_sure"].values, one["front_possible"].values
    kinds = (
        ("surely on the front", sure, "o", PALETTE[0]),
        ("may be on it", may_be & ~sure, "s", PALETTE[1]),
        ("one that costs no more is better", ~may_be, "x", NEAR),
    )
    size = 6 if cost.size <= SHOWN else 3.5
    for label, which, marker, colour in kinds:
        if which.any():
            x, y = cost[which], value[which]
            axes.plot(x, y, marker, color=colour, markersize=size, label=label)
    if len(absent):
        said = listed([shortened(name, LONGEST) for name in absent], 2)
        axes.plot([], [], " ", label=f"without a cost or a value: {said}")
    there = one["front"].values
    if there.any():
        ends = [*cost[there], cost.max()], [*value[there], value[there][-1]]
        (line,) = axes.step(*ends, where="post", color="0.4", label="front by value")
        line.set(linewidth=0.8, zorder=1)
    names = one.system.values.astype(str)
    written = zip(forms.column(cost.tolist()), value, strict=True)
    words = [f"cost {x}, {short(y, 3)}" for x, y in written]
    say(axes, cost, value, names, words, nearest="xy")
    for at in [*np.flatnonzero(there), *np.flatnonzero(may_be & ~there)]:
        beside(axes, shortened(names[at], LONGEST), cost[at], value[at], fontsize=6)
    if cost.min() > 0 and cost.max() >= 10 * cost.min():
        by_powers(axes)
    axes.margins(x=0.1, y=0.1)
    axes.set_xlabel(directed("cost", BETTER_LEFT))
    axes.set_ylabel(f"{_by(one)} (up is better)")
    legend(axes)
    return axes


def _by(one: xr.Dataset) -> str:
    """Name the aggregate of a result, and say where it is an estimate."""
    kind = column(str(one["aggregate"].item()), one)
    return f"{'estimated ' * is_estimated(one)}{kind}"


def _of(one: xr.Dataset, result: xr.Dataset) -> str:
    """Say which models, or systems, are drawn, of how many."""
    return of_all(one.sizes["system"], result.sizes["system"], nouns(result)["model"])


def _drawn(result: xr.Dataset, marked: Collection[str]) -> xr.Dataset:
    """Return the best models, then those to mark."""
    names = result.system.values.astype(str)
    return result.isel(system=best_and(marked, order(result), names))


def _model_rows(one: xr.Dataset, axes: Axes, label: str) -> Axes:
    """Name the models down the axis, the best on top, and count ranks in whole numbers."""
    whole_ranks(axes, int(axes.get_xlim()[1]))
    return placed_rows(axes, one.system.values.tolist(), label, BETTER_LEFT)
