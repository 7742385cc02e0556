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
from irmeta.report.plots.layout import write_beside
from irmeta.report.plots.marks import name_marks
from irmeta.report.plots.rows import (
    BETTER_LEFT,
    NEAR,
    SHOWN,
    axis_name,
    best_and_marked,
    directed,
    legend,
    logarithmic_across,
    named_rows_with_gap,
    of_all_drawn,
    rows_height,
    rows_with_gap,
    whole_ranks,
)
from irmeta.scores.figures import short, spans
from irmeta.studies.leaderboard.summary import column, nouns, order, ordered_by
from irmeta.words import listed


def figure(
    result: xr.Dataset, *, view: LeaderboardView = "ranks", marked: Collection[str] = ()
) -> Figure:
    """Draw the best models of a result of `leaderboard` with their ranks, and those to mark, as wide as a page."""
    if view == "front":
        return draw(front, result, width=PAGE, height=4.2)
    drawn = {"ranks": ranks, "aggregates": aggregates}[view]
    rows = rows_with_gap(_models_to_draw(result, marked))
    tall = rows_height(int(rows[-1]) + 1)
    return draw(drawn, result, width=PAGE, height=tall, marked=marked)


def ranks(result: xr.Dataset, axes: Axes, *, marked: Collection[str] = ()) -> Axes:
    """Draw each model's rank by the first aggregate, its possible ranks, and a thin line for what its holes allow."""
    models = _models_to_draw(result, marked).isel(aggregate=0)
    place = rows_with_gap(models)
    ends = np.stack([models["low"].values, models["high"].values], axis=1)
    axes.hlines(place, *ends.T, color=PALETTE[4], linewidth=4, label="possible ranks")
    if result["score"].isnull().any():
        holes = models["best"], models["worst"]
        axes.hlines(
            place, *holes, color=PALETTE[5], linewidth=0.8, label="what holes allow"
        )
    rank = models["rank"].values
    ranked = np.isfinite(rank)
    if ranked.any():
        axes.plot(rank, place, "o", color=PALETTE[0], markersize=3, label="rank")
    words = [f"possible ranks {span}" for span in spans(*ends.T)]
    middle = np.where(ranked, rank, ends.mean(axis=1))
    names = models.system.values
    name_marks(axes, middle, place, names, words, nearest="y", drawn=ranked)
    legend(axes)
    drawn = "rank" if ranked.any() else "possible ranks"
    label = f"{drawn} by {_aggregate_name(models)}, {_models_drawn(models, result)}"
    return _model_rows(models, axes, label)


def aggregates(result: xr.Dataset, axes: Axes, *, marked: Collection[str] = ()) -> Axes:
    """Draw each model's rank by every aggregate; of the same rank the later marks are smaller, so that all are seen."""
    models = _models_to_draw(result, marked)
    place = rows_with_gap(models)
    kinds = models.aggregate.values
    sizes = np.linspace(7, 3, kinds.size)
    for kind, marker, size in zip(kinds, "osD^v", sizes, strict=False):
        rank = models["rank"].sel(aggregate=kind).values
        axes.plot(rank, place, marker, markersize=size, label=str(kind))
        words = [f"rank {value:g} by {kind}" for value in rank]
        # without rings: marks of the same rank lie on each other
        names = models.system.values
        name_marks(axes, rank, place, names, words, nearest="y", drawn=False)
    legend(axes)
    return _model_rows(models, axes, f"rank, {_models_drawn(models, result)}")


def front(result: xr.Dataset, axes: Axes) -> Axes:
    """Draw value against cost: who is surely on the front, who may be, who is not, and the front of the values.

    Costs are on a logarithmic axis where none is 0 and the dearest is 10 times the cheapest, or more.
    """
    if "cost" not in result:
        raise ScoresError("no costs are known; name them with --cost FILE")
    models = result.isel(aggregate=0, system=order(result))
    drawn = (models["cost"].notnull() & models["value"].notnull()).values
    absent = models.system.values[~drawn].astype(str)
    models = models.isel(system=drawn).sortby("cost")
    if not models.sizes["system"]:
        raise ScoresError(
            "no model with a cost has a value; choose what to do with missing scores (--holes)"
        )
    cost, value = models["cost"].values, models["value"].values
    _draw_models(models, axes)
    if len(absent):
        which = listed(map(axis_name, absent), 2)
        axes.plot([], [], " ", label=f"without a cost or a value: {which}")
    there, may_be = models["front"].values, models["front_possible"].values
    if there.any():
        ends = [*cost[there], cost.max()], [*value[there], value[there][-1]]
        (line,) = axes.step(*ends, where="post", color="0.4", label="front by value")
        line.set(linewidth=0.8, zorder=1)
    names = models.system.values.astype(str)
    written = zip(forms.column_texts(cost.tolist()), value, strict=True)
    words = [f"cost {x}, {short(y, 3)}" for x, y in written]
    name_marks(axes, cost, value, names, words, nearest="xy")
    for at in [*np.flatnonzero(there), *np.flatnonzero(may_be & ~there)]:
        name = axis_name(names[at])
        write_beside(axes, name, cost[at], value[at], fontsize=6)
    if cost.min() > 0 and cost.max() >= 10 * cost.min():
        logarithmic_across(axes)
    axes.margins(x=0.1, y=0.1)
    axes.set_xlabel(directed("cost", BETTER_LEFT))
    axes.set_ylabel(f"{_aggregate_name(models)} (up is better)")
    legend(axes)
    return axes


def _draw_models(models: xr.Dataset, axes: Axes) -> None:
    """Draw models by cost and value, those on the front, those that may be, and those that are not, each their way."""
    sure, may_be = models["front_sure"].values, models["front_possible"].values
    size = 6 if models.sizes["system"] <= SHOWN else 3.5
    for label, which, marker, colour in (
        ("surely on the front", sure, "o", PALETTE[0]),
        ("may be on it", may_be & ~sure, "s", PALETTE[1]),
        ("one that costs no more is better", ~may_be, "x", NEAR),
    ):
        if which.any():
            x, y = (models[name].values[which] for name in ("cost", "value"))
            axes.plot(x, y, marker, color=colour, markersize=size, label=label)


def _aggregate_name(result: xr.Dataset) -> str:
    """Name the aggregate of a result, and say where it is an estimate."""
    return column(str(result["aggregate"].item()), result)


def _models_drawn(models: xr.Dataset, result: xr.Dataset) -> str:
    """Say which models, or systems, are drawn, of how many, and what orders them where ranks are open."""
    drawn = of_all_drawn(models, result, nouns(result)["model"])
    return f"{drawn} {ordered_by(result)}".rstrip()


def _models_to_draw(result: xr.Dataset, marked: Collection[str]) -> xr.Dataset:
    """Return the best models, then those to mark."""
    return best_and_marked(result, order(result), marked)


def _model_rows(models: xr.Dataset, axes: Axes, label: str) -> Axes:
    """Name the models down the axis, the best on top, and count ranks in whole numbers."""
    whole_ranks(axes, int(axes.get_xlim()[1]))
    return named_rows_with_gap(axes, models, label, BETTER_LEFT)
