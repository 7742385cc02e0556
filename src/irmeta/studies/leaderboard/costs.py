"""Quality against cost: which models may be on the front, and what a reader should know of the costs."""

from collections.abc import Mapping
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
    board: Board, standing: Standing, given: Mapping[str, float]
) -> tuple[dict[str, Any], list[str]]:
    """Return the front by one aggregate, and notes on costs; models without a cost are neither on it nor rivals."""
    cost, notes = _costs(board, given)
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


def _costs(board: Board, given: Mapping[str, float]) -> tuple[Floats, list[str]]:
    """Return the cost of each model, NaN where there is none, and say whose are missing, unknown or 0."""
    model = board.nouns.model
    cost = np.full(len(board.models), np.nan)
    strangers = []
    for name, one in given.items():
        if not isinstance(one, int | float) or not 0 <= one < np.inf:
            raise ScoresError(
                f"the cost of {name} is {one}; a cost is a number of 0 or more"
            )
        found = known_as(str(name), board.models)
        if found is None:
            strangers.append(str(name))
        elif np.isfinite(cost[board.models.index(found)]):
            raise ScoresError(f"{found} has two costs, one of them as {name}")
        else:
            cost[board.models.index(found)] = float(one)
    lacking = [
        name
        for name, one in zip(board.models, cost, strict=True)
        if not np.isfinite(one)
    ]
    if (count := len(board.models) - len(lacking)) < LEAST:
        raise ScoresError(
            f"costs are known of {count} of {counted(len(board.models), model)}, and a front takes {LEAST}; the costs "
            f"name {listed(given) or 'nobody'}, the board {listed(board.models)}"
        )
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
    free = [name for name, one in zip(board.models, cost, strict=True) if one == 0]
    if free:
        notes.append(f"A cost of 0 is taken as it is: {listed(free)}")
    return cost, notes
