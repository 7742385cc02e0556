"""What organizers ask of a board with hidden judgments: pool, likely duplicates, what its answers give away."""

from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from sqlalchemy import Engine

from irmeta.errors import IrmetaError
from irmeta.serve.catalogue import boards, events, people, submissions
from irmeta.serve.catalogue.rules import now
from irmeta.serve.catalogue.tables import GONE
from irmeta.serve.policy import revealed
from irmeta.serve.results import answers
from irmeta.serve.site import Site
from irmeta.words import are, counted

Read = Callable[[Path, int], dict[str, list[str]]]
ALIKE = 10
"""First documents by which runs are compared."""
LIKELY = 0.5
"""Share of topics with the same first documents from which on runs are likely duplicates."""
ANSWERS = {"metrics", "precision", "feedback", "step"}
"""Settings that change the answers to runs."""
FREE = 1000
"""Runs that a team is taken to send in a day where nothing limits them."""
DAYS = 365
"""Days that a board is taken to be open where no date says when it closes."""


TELLS_NOTHING = {
    "none": "feedback none: teams are told nothing that is computed from the hidden judgments",
    "split": "feedback split: teams are told their scores on {} topics, which do not count at the end, "
    "and nothing of the judgments that count",
}


class Alike(NamedTuple):
    """Runs of two teams, and the share of topics on which their first documents are the same ones in the same order."""

    one: Any
    other: Any
    share: float


def duplicates(
    site: Site, engine: Engine, key: str, read: Read = answers.first_documents
) -> list[Alike]:
    """List runs of different teams that are alike, the most alike first. read : finds the first documents of a run."""
    runs = _kept_runs(engine, boards.board_of(engine, key).id)
    first = {one.run: read(site.run_path(one.run), ALIKE) for one in runs}
    pairs = (
        Alike(one, other, _share_alike(first[one.run], first[other.run]))
        for one, other in combinations(runs, 2)
        if one.team != other.team
    )
    found = [pair for pair in pairs if pair.share >= LIKELY]
    return sorted(found, key=lambda pair: -pair.share)


def _share_alike(first: dict[str, list[str]], other: dict[str, list[str]]) -> float:
    """Return the share of topics, of those that either of two runs has, on which their first documents are the same."""
    same = sum(other.get(topic) == documents for topic, documents in first.items())
    return same / max(1, len(first.keys() | other.keys()))


def _kept_runs(engine: Engine, board_id: int) -> list[Any]:
    """List the runs of a board that are neither refused nor withdrawn; raise IrmetaError while some are not checked."""
    every = submissions.submissions_of(engine, board_id)
    if waiting := sum(one.state == "received" for one in every):
        raise IrmetaError(
            f"{waiting} of {counted(len(every), 'run')} {are(waiting)} not checked yet; a running server "
            "(irmeta serve) checks them: ask again when irmeta board runs lists none as received"
        )
    return [one for one in every if one.state not in GONE]


def pool(
    site: Site, engine: Engine, key: str, depth: int, runs: int
) -> list[tuple[str, str]]:
    """Return topics and documents to judge: the first ones (depth) of each team's first runs, in a random order.

    Which runs they are of is noted: others are marked.
    """
    board = boards.board_of(engine, key)
    taken: Counter[str] = Counter()
    pooled = []
    for one in _kept_runs(engine, board.id):
        taken[one.team] += 1
        if taken[one.team] <= runs:
            pooled.append(one)
    if not pooled:
        raise IrmetaError(f"{key}: it has no run that was accepted, so nothing to pool")
    found: dict[str, set[str]] = {topic: set() for topic in board.topics}
    for one in pooled:
        for topic, documents in answers.first_documents(
            site.run_path(one.run), depth
        ).items():
            if topic in found:
                found[topic].update(documents)
    keys = [one.key for one in pooled]
    submissions.mark_pooled(engine, board.id, keys, {"depth": depth})
    orders = {topic: sorted(found[topic]) for topic in found}
    for order in orders.values():
        Random(key).shuffle(order)
    return [(topic, one) for topic in orders for one in orders[topic]]


def runs_allowed(board: Any) -> tuple[int, str]:
    """Return how many runs a team may send to a board before the reveal, at most, and by which limit."""
    begun = board.opens if board.opens is not None else board.created
    late = board.late == "mark"
    ends = [
        one
        for one in (board.reveals, None if late else board.closes)
        if one is not None
    ]
    last = max(begun, min(ends, default=begun + DAYS * people.DAY) - 1)
    days = last // people.DAY - begun // people.DAY + 1
    months = _month_number(last) - _month_number(begun) + 1
    most = [
        (limit * number, says)
        for limit, number, says in (
            (board.per_day, days, f"{board.per_day} a day on {counted(days, 'day')}"),
            (
                board.per_month,
                months,
                f"{board.per_month} in each of {counted(months, 'month')}",
            ),
            (board.per_team, 1, "the limit of a team"),
        )
        if limit is not None
    ]
    free = f"no limit is set: taken as {FREE} a day on {counted(days, 'day')}"
    return min(most, default=(FREE * days, free))


def _month_number(moment: int) -> int:
    """Number the month of a moment."""
    date = datetime.fromtimestamp(moment / 1e6, UTC)
    return 12 * date.year + date.month


def _count_series_of_answers(engine: Engine, board: Any) -> int:
    """Count how often all runs may have been answered again: under other judgments, or other rules of the answers."""
    happened = events.events_of_board(engine, board.id, "judgments", "changed")
    judged = sum(one.action == "judgments" for one in happened)
    rules = [
        one.detail.get("settings", ()) for one in happened if one.action == "changed"
    ]
    return max(1, judged) + sum(not ANSWERS.isdisjoint(one) for one in rules)


def leak_in_words(engine: Engine, board: Any) -> str:
    """Say what the answers to a board's runs can give away of its hidden judgments."""
    if board.feedback in TELLS_NOTHING:
        return TELLS_NOTHING[board.feedback].format(len(board.feedback_topics or ()))
    (number, why), series = runs_allowed(board), _count_series_of_answers(engine, board)
    teams = max(
        1, sum(alone.state == "in" for alone in people.teams_of_board(engine, board.id))
    )
    alone, together = (
        series * answers.bits_leaked(board, number, many) for many in (1, teams)
    )
    all_ = f", {together:.0f} to {teams} teams together" if teams > 1 else ""
    return (
        f"feedback {board.feedback}: a team sends at most {counted(number, 'run')} ({why}), and the answers give away "
        f"at most {alone:.0f} bits of the hidden judgments to one team{all_}; "
        "a bit is one yes or no, as whether a document is relevant "
        f"(means to four decimals would give away {answers.bits_of_means(number):.0f})"
    )


def hidden_boards(engine: Engine) -> Iterator[Any]:
    """Yield the boards that are not revealed."""
    for board in boards.all_boards(engine):
        if not revealed(board, now()):
            yield board
