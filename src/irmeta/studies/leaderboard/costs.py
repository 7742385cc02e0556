"""Quality against cost: which models may be on the front, and what a reader should know of the costs."""

from collections.abc import Mapping
from itertools import compress
from typing import Any

import numpy as np

from irmeta.errors import ScoresError
from irmeta.scores.names import known_as
from irmeta.scores.notes import Act
from irmeta.stats.arrays import Floats
from irmeta.stats.leaderboards import front
from irmeta.stats.leaderboards.standing import Standing
from irmeta.studies.leaderboard.board import Board
from irmeta.words import are, counted, listed

LEAST = 2
"""Models with a cost that it takes to speak of a front."""


def front_of(
    board: Board, standing: Standing, cost_of: Mapping[str, float]
) -> tuple[dict[str, Any], list[str]]:
    """Return the front by one aggregate, and notes on costs; models without a cost are neither on it nor rivals.

    cost_of : costs by name of the model.
    """
    cost, notes = _costs(board, cost_of)
    known = np.isfinite(cost)
    better = standing.sets.better[np.ix_(known, known)]
    value = standing.value[known]
    paid = cost[known]
    beaten = front.beaten_by(paid, better, value)
    names = np.array(board.models, dtype=object)
    by = np.full(len(cost), "", dtype=object)
    by[known] = np.where(beaten >= 0, names[known][beaten], "")
    data: dict[str, Any] = {"cost": ("system", cost), "beaten_by": ("system", by)}
    possible, sure = front.possible(paid, better), front.sure(paid, better)
    figures = {
        # where values are unknown, what ranks show counts
        "front": possible & (front.by_values(paid, value) | sure),
        "front_possible": possible,
        "front_sure": sure,
    }
    for name, values in figures.items():
        every = np.zeros(len(cost), dtype=np.bool_)
        every[known] = values
        data[name] = ("system", every)
    return data, notes


def _costs(board: Board, cost_of: Mapping[str, float]) -> tuple[Floats, list[str]]:
    """Return the cost of each model, NaN where there is none, and notes on those missing, unknown or 0."""
    cost = np.full(len(board.models), np.nan)
    strangers = []
    for name, paid in cost_of.items():
        if not isinstance(paid, int | float) or not 0 <= paid < np.inf:
            raise ScoresError(
                f"the cost of {name} is {paid}; a cost is a number of 0 or more"
            )
        found = known_as(str(name), board.models)
        if found is None:
            strangers.append(str(name))
        elif np.isfinite(cost[board.models.index(found)]):
            raise ScoresError(f"{found} has two costs, one of them as {name}")
        else:
            cost[board.models.index(found)] = float(paid)
    count = int(np.isfinite(cost).sum())
    if count < LEAST:
        every = counted(len(board.models), board.nouns.model)
        raise ScoresError(
            f"costs are known of {count} of {every}, and a front takes {LEAST}; the costs name "
            f"{listed(cost_of) or 'nobody'}, the board {listed(board.models)}"
        )
    return cost, _cost_notes(board, cost, strangers)


def _cost_notes(board: Board, cost: Floats, strangers: list[str]) -> list[str]:
    """Name the models without a cost, or at no cost, and the strangers: names with a cost that are no models."""
    model = board.nouns.model
    lacking = list(compress(board.models, np.isnan(cost)))
    free = list(compress(board.models, cost == 0))
    notes: list[str] = []
    if lacking:
        notes.append(
            Act(
                f"No cost is known of {counted(len(lacking), model)} ({listed(lacking)}): they are left out of the "
                "front, though they might keep others from it"
            )
        )
    if strangers:
        notes.append(
            Act(
                f"{counted(len(strangers), model)} of the costs {are(len(strangers))} not on the "
                f"board: {listed(strangers)}"
            )
        )
    if free:
        notes.append(f"A cost of 0 is taken as it is: {listed(free)}")
    return notes
