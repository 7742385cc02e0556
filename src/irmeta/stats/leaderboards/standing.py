"""Where each model stands under one aggregate: value, rank, what holes leave open, and what other tasks could do."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from irmeta.choices import Aggregate
from irmeta.stats.arrays import Floats, Ints, settled
from irmeta.stats.leaderboards.aggregates import parts, task_points, values
from irmeta.stats.leaderboards.bradley_terry import Strengths, strengths
from irmeta.stats.leaderboards.holes import Bounds
from irmeta.stats.leaderboards.other_runs import scattered, variance_added
from irmeta.stats.rankings.ranks import tied_ranks
from irmeta.stats.rankings.ranksets import RankSets, rank_sets, rank_sets_of

LINEAR = ("mean", "types")
"""Aggregates that add up scores."""
ENDS = (0.05, 0.95)
"""Quantiles of the ranks that filled tables give: a 90% interval."""


class Standing(NamedTuple):
    """Models under one aggregate; every array but `sets` has the shape (model,).

    value, rank : as they stand; NaN where missing scores leave them open.  error : of `value`, NaN where unknown.
    best, worst : ranks that the holes allow.  sets : ranks that a change of tasks, or items, allows.
    separated : see `Strengths`.
    """

    value: Floats
    error: Floats
    rank: Floats
    best: Floats
    worst: Floats
    sets: RankSets
    separated: bool = False


@dataclass(frozen=True)
class Tables:
    """Tables without holes that a table could as well be.

    scores : (table, model, task).
    """

    scores: Floats

    @cached_property
    def beaten(self) -> Floats:
        """How many models each beats, over all tasks, (table, model)."""
        return np.stack([task_points(one, "borda").sum(axis=1) for one in self.scores])


def ranked(values: Floats) -> Floats:
    """Rank values, best first, from 1; equal ones share the better rank, NaN has none.

    >>> ranked(np.array([0.2, np.nan, 0.4])).tolist()
    [2.0, nan, 1.0]
    """
    known = np.isfinite(values)
    ranks = np.full(values.shape, np.nan)
    ranks[known] = tied_ranks(-settled(values[known]), "min")
    return ranks


def rank_with_holes(
    scores: Floats,
    kind: Aggregate,
    rng: np.random.Generator,
    *,
    allowed: Bounds,
    types: Ints | None = None,
    level: float,
    draws: int,
    runs: Floats | None = None,
) -> Standing:
    """Rank models by the scores that there are, (model, task); pairs are compared on shared tasks.

    allowed : the ranks that the holes allow, see `holes.bounds`.  runs : (model,), what other runs add to the variance
    of each model's mean, if any ran several times.
    """
    model = strengths(scores) if kind == "bt" else None
    if model is None:
        value = values(scores, kind, types)
        compared = parts(scores, kind, types)
        error = np.full(len(value), np.nan)
    else:
        value = model.value
        compared = model.parts
        error = model.error
    if runs is not None:
        added = variance_added(runs, scores, kind, rng, types, model)
        compared = scattered(compared, added)
        error = np.sqrt(error**2 + added)
    sets = rank_sets(compared.T, rng, level=level, draws=draws)
    best, worst = (np.asarray(end, dtype=np.float64) for end in allowed)
    rank = ranked(value)
    if np.isnan(value).any():  # a rank among the models without holes is none among all
        rank = np.where(best == worst, best, np.nan)
    return Standing(
        value, error, rank, best, worst, sets, model is not None and model.separated
    )


def rank_filled(
    table: Floats,
    kind: Aggregate,
    tables: Tables,
    rng: np.random.Generator,
    *,
    types: Ints | None = None,
    level: float,
    draws: int,
    tasks: bool,
    filled: bool,
    runs: Floats | None = None,
) -> Standing:
    """Rank models by a table without holes, (model, task), that could as well be any of `tables`.

    tables : the table with its holes filled otherwise (`filled`), or with other items drawn.
    tasks : whether a change of tasks counts, too.  `best` and `worst` are the ends of a 90% interval of the rank over
    filled tables, and the rank itself where nothing was filled.  runs : as in `rank_with_holes`.
    """
    model = strengths(table) if kind == "bt" else None
    if model is None:
        compared = parts(table, kind, types)
        estimate = compared.mean(axis=1)
    else:
        compared = model.parts
        estimate = model.value
    if runs is not None:
        added = variance_added(runs, table, kind, rng, types, model)
        compared = scattered(compared, added)
    others = _estimates(tables, table, kind, types, model)  # (table, model)
    # votes of a filled table are too sure; means of scores are those of their predictions
    centre = others.mean(axis=0) if filled and kind not in LINEAR else estimate
    # how far tables lie from their mean, the tables one after the other; and other tasks
    drawn = (others - others.mean(axis=0))[np.arange(draws) % len(others)]
    variance = (drawn**2).mean(axis=0)
    if tasks:
        variance = variance + compared.var(axis=1, ddof=1) / compared.shape[1]
        drawn = drawn + _draw_task_moves(compared, draws, rng)
    sets = rank_sets_of(centre, drawn, level=level)
    rank = ranked(centre)
    best = worst = rank
    if filled:
        ranks = np.stack([ranked(one) for one in others])
        best, worst = np.quantile(ranks, ENDS, axis=0, method="inverted_cdf")
    value = centre
    if kind == "borda":  # shares of the votes as votes
        value = centre * table.shape[1] * (len(table) - 1)
    error = np.full(len(value), np.nan)
    if model is not None:
        error = np.sqrt(variance)
    return Standing(
        value, error, rank, best, worst, sets, model is not None and model.separated
    )


def _estimates(
    tables: Tables,
    table: Floats,
    kind: Aggregate,
    types: Ints | None,
    model: Strengths | None,
) -> Floats:
    """Return the estimates of every table, (table, model): the mean part, or the strength one Newton step away."""
    models, tasks = table.shape
    if model is not None:
        return model.after(tables.beaten - task_points(table, "bt").sum(axis=1))
    if kind == "borda":
        return tables.beaten / (models - 1) / tasks
    return np.stack([parts(one, kind, types).mean(axis=1) for one in tables.scores])


def _draw_task_moves(compared: Floats, draws: int, rng: np.random.Generator) -> Floats:
    """Draw how far estimates move with other tasks, (draw, model), by reversing the sign of what tasks add to them."""
    tasks = compared.shape[1]
    signs = rng.integers(0, 2, (draws, tasks)) * 2.0 - 1
    # differences d of two models: variance sum d^2 / tasks^2, as in `rank_sets`
    return np.asarray(signs @ compared.T / tasks)
