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

    run: Any
    other: Any
    share: float


def duplicates(
    site: Site, engine: Engine, key: str, read: Read = answers.first_documents
) -> list[Alike]:
    """List runs of different teams that are alike, the most alike first. read : finds the first documents of a run."""
    runs = _kept_runs(engine, boards.board_of(engine, key).id)
    first = {sent.run: read(site.run_path(sent.run), ALIKE) for sent in runs}
    pairs = (
        Alike(sent, other, _share_alike(first[sent.run], first[other.run]))
        for sent, other in combinations(runs, 2)
        if sent.team != other.team
    )
    alike = [pair for pair in pairs if pair.share >= LIKELY]
    return sorted(alike, key=lambda pair: -pair.share)


def _share_alike(first: dict[str, list[str]], other: dict[str, list[str]]) -> float:
    """Return the share of topics, of those that either of two runs has, on which their first documents are the same."""
    same = sum(other.get(topic) == documents for topic, documents in first.items())
    return same / max(1, len(first.keys() | other.keys()))


def _kept_runs(engine: Engine, board_id: int) -> list[Any]:
    """List the runs of a board that are neither refused nor withdrawn; raise IrmetaError while some are not checked."""
    every = submissions.submissions_of(engine, board_id)
    if waiting := sum(sent.state == "received" for sent in every):
        raise IrmetaError(
            f"{waiting} of {counted(len(every), 'run')} {are(waiting)} not checked yet; a running server "
            "(irmeta serve) checks them: ask again when irmeta board runs lists none as received"
        )
    return [sent for sent in every if sent.state not in GONE]


def pool(
    site: Site, engine: Engine, key: str, depth: int, runs: int
) -> list[tuple[str, str]]:
    """Return topics and documents to judge: the first ones (depth) of each team's first runs, in a random order.

    Which runs they are of is noted: others are marked.
    """
    board = boards.board_of(engine, key)
    taken: Counter[str] = Counter()
    pooled = []
    for sent in _kept_runs(engine, board.id):
        taken[sent.team] += 1
        if taken[sent.team] <= runs:
            pooled.append(sent)
    if not pooled:
        raise IrmetaError(f"{key}: it has no run that was accepted, so nothing to pool")
    found: dict[str, set[str]] = {topic: set() for topic in board.topics}
    for sent in pooled:
        first = answers.first_documents(site.run_path(sent.run), depth)
        for topic in first.keys() & found.keys():
            found[topic].update(first[topic])
    submissions.mark_pooled(engine, board.id, [sent.key for sent in pooled], depth)
    pairs = []
    for topic in found:
        documents = sorted(found[topic])
        Random(key).shuffle(documents)
        pairs += [(topic, document) for document in documents]
    return pairs


def runs_allowed(board: Any) -> tuple[int, str]:
    """Return how many runs a team may send to a board before the reveal, at most, and by which limit."""
    begun = board.opens if board.opens is not None else board.created
    ends = [board.reveals, None if board.late == "mark" else board.closes]
    known = (moment for moment in ends if moment is not None)
    last = max(begun, min(known, default=begun + DAYS * people.DAY) - 1)
    days = last // people.DAY - begun // people.DAY + 1
    months = _month_number(last) - _month_number(begun) + 1
    on_days, of_months = counted(days, "day"), counted(months, "month")
    limits = (
        (board.per_day, days, f"{board.per_day} a day on {on_days}"),
        (board.per_month, months, f"{board.per_month} in each of {of_months}"),
        (board.per_team, 1, "the limit of a team"),
    )
    most = [(limit * times, why) for limit, times, why in limits if limit is not None]
    free = f"no limit is set: taken as {FREE} a day on {on_days}"
    return min(most, default=(FREE * days, free))


def _month_number(moment: int) -> int:
    """Number the month of a moment."""
    date = datetime.fromtimestamp(moment / 1e6, UTC)
    return 12 * date.year + date.month


def _count_series_of_answers(engine: Engine, board: Any) -> int:
    """Count how often all runs may have been answered again: under other judgments, or other rules of the answers."""
    happened = events.events_of_board(engine, board.id, "judgments", "changed")
    judged = sum(event.action == "judgments" for event in happened)
    changed = [event.detail.get("settings", ()) for event in happened]
    return max(1, judged) + sum(not ANSWERS.isdisjoint(names) for names in changed)


def leak_in_words(engine: Engine, board: Any) -> str:
    """Say what the answers to a board's runs can give away of its hidden judgments."""
    if board.feedback in TELLS_NOTHING:
        return TELLS_NOTHING[board.feedback].format(len(board.feedback_topics or ()))
    number, why = runs_allowed(board)
    series = _count_series_of_answers(engine, board)
    own = people.teams_of_board(engine, board.id)
    teams = max(1, sum(team.state == "in" for team in own))
    alone = series * answers.bits_leaked(board, number)
    together = series * answers.bits_leaked(board, number, teams)
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
