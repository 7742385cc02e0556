"""Who may do what on a board, and when: pure functions of roles, dates and a clock, on the standard library alone."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import IntEnum, StrEnum
from typing import NamedTuple

Moment = int
"""Microseconds since 1970 in UTC."""


class Phase(StrEnum):
    """Where a board is between its first draft and its last copy."""

    DRAFT = "draft"
    BLIND = "blind"
    WAITING = "waiting"
    REVEALED = "revealed"
    FROZEN = "frozen"


class Role(IntEnum):
    """What somebody is on a board; the operator has the shell, and asks nobody."""

    VISITOR = 0
    READER = 1
    MEMBER = 2
    ORGANIZER = 3


class Action(StrEnum):
    """What somebody can ask of a board."""

    SEE_BOARD = "see title, dates and rules"
    SEE_SCORES = "see and download names, table, scores, ranks"
    SEE_SUBMISSION = "see a submission, its remarks and its file"
    SEE_FEEDBACK = "see what was answered to a run"
    DOWNLOAD_RUN = "download a run"
    DOWNLOAD_JUDGMENTS = "download judgments"
    CHECK = "check a file"
    SUBMIT = "submit, replace, edit a description"
    WITHDRAW = "withdraw a submission"
    JOIN = "join, or ask to"
    INVITE = "invite people"
    LINK = "make a review link"
    JUDGE = "add or correct judgments"
    ORGANIZE = "keep people, change dates, reveal, see duplicates and the log"


@dataclass(frozen=True)
class Board:
    """The settings of a board that rights depend on: its row in the catalogue has them, too.

    opens, closes, reveals, frozen : moments, None for never. An open board (`is_open`) has opens = reveals.
    visibility : public, readers, members. join : invite, ask, open. late : refuse, mark.
    feedback : none, split, ladder, open.
    """

    opens: Moment | None = None
    closes: Moment | None = None
    reveals: Moment | None = None
    frozen: Moment | None = None
    visibility: str = "public"
    join: str = "invite"
    late: str = "refuse"
    feedback: str = "none"
    publish_runs: bool = False
    publish_judgments: bool = False


class Who(NamedTuple):
    """Who asks. own : the thing is of the own team. plays : an organizer whose team has runs on the board."""

    role: Role
    own: bool = False
    plays: bool = False


class _Case(NamedTuple):
    who: Who
    board: Board
    phase: Phase
    now: Moment


def is_open(board: Board) -> bool:
    """Say whether judgments are not hidden on a board from the moment that it opens."""
    return board.opens is not None and board.opens == board.reveals


def phase(board: Board, now: Moment) -> Phase:
    """Return the phase of a board; a moment belongs to what begins with it."""
    if has_passed(board.frozen, now):
        return Phase.FROZEN
    if not has_passed(board.opens, now):
        return Phase.DRAFT
    if revealed(board, now):
        return Phase.REVEALED
    return Phase.WAITING if has_passed(board.closes, now) else Phase.BLIND


def revealed(board: Board, now: Moment) -> bool:
    """Say whether scores are known: what was frozen before the reveal stays hidden."""
    return has_passed(board.opens, now) and has_passed(board.reveals, now)


def takes_runs(board: Board, now: Moment) -> bool:
    """Say whether runs are taken: while a board is open, and after it closed where late ones are marked."""
    return phase(board, now) is not Phase.DRAFT and not has_passed(
        end_of_runs(board), now
    )


def may(who: Who, action: Action, board: Board, now: Moment) -> bool:
    """Say whether somebody may do something now; whoever may not must learn no more than of a thing that is not there.

    Nothing that is computed from judgments is seen before the reveal by anybody below an organizer, except what
    `irmeta.release` answers (SEE_FEEDBACK). A frozen board can be read, and changed by nobody.
    """
    case = _Case(who, board, phase(board, now), now)
    if case.phase is Phase.FROZEN and action not in READING:
        return False
    cell = _RIGHTS[action][who.role]
    return any(all(holds(case) for holds in part) for part in cell)


def end_of_runs(board: Board) -> Moment | None:
    """Return the moment from which a board takes no runs; None for never."""
    closes = None if board.late == "mark" else board.closes
    return min(filter(None, (closes, board.frozen)), default=None)


def has_passed(moment: Moment | None, now: Moment) -> bool:
    """Say whether a moment has come; never, where there is none."""
    return moment is not None and moment <= now


_WORDS: dict[str, Callable[[_Case], bool]] = {
    "yes": lambda _: True,
    "no": lambda _: False,
    "begun": lambda case: has_passed(case.board.opens, case.now),
    "known": lambda case: revealed(case.board, case.now),
    "public": lambda case: case.board.visibility == "public",
    "shared": lambda case: case.board.visibility != "members",
    "given": lambda case: case.board.publish_runs,
    "told": lambda case: case.board.publish_judgments,
    "own": lambda case: case.who.own,
    "apart": lambda case: not case.who.plays,
    "joins": lambda case: case.board.join != "invite",
    "takes": lambda case: takes_runs(case.board, case.now),
}
"""What a right may depend on. apart : an organizer whose own team takes part waits as the others do."""
_TABLE = """
                   | visitor            | reader             | member             | organizer
SEE_BOARD          | begun public       | begun shared       | begun              | yes
SEE_SCORES         | known public       | known shared       | known              | known or apart
SEE_SUBMISSION     | no                 | no                 | own                | yes
SEE_FEEDBACK       | no                 | no                 | own begun          | own or known or apart
DOWNLOAD_RUN       | known given public | known given shared | own or known given | yes
DOWNLOAD_JUDGMENTS | known told public  | known told shared  | known told         | known told
CHECK              | no                 | no                 | takes              | yes
SUBMIT             | no                 | no                 | own takes          | yes
WITHDRAW           | no                 | no                 | own                | yes
JOIN               | begun joins public | begun joins shared | no                 | yes
INVITE             | no                 | no                 | own                | yes
LINK               | no                 | no                 | own                | yes
JUDGE              | no                 | no                 | no                 | yes
ORGANIZE           | no                 | no                 | no                 | yes
"""
"""Who may do what: all words between two `or` must hold."""
_RIGHTS = {
    Action[name.strip()]: [
        [[_WORDS[word] for word in part.split()] for part in cell.split(" or ")]
        for cell in cells
    ]
    for name, *cells in (line.split("|") for line in _TABLE.splitlines()[2:])
}
READING = {
    *(Action.SEE_BOARD, Action.SEE_SCORES, Action.SEE_SUBMISSION),
    *(Action.SEE_FEEDBACK, Action.DOWNLOAD_RUN, Action.DOWNLOAD_JUDGMENTS),
}
"""What changes nothing: a frozen board, and who may only read, can do this and no more."""

LEAKS = ("none", "split", "ladder", "open")
"""Kinds of feedback, by how much they give away."""


class Change(StrEnum):
    """What a change of a board's settings needs."""

    FREE = "free"
    TYPED = "typed"
    REFUSED = "refused"


def needs_of_change(old: Board, new: Board, now: Moment) -> Change:
    """Say whether settings may be changed: once open, what reveals sooner or leaks more is typed.

    A board that goes back to a draft or is frozen is typed, too; neither a reveal nor a freeze can be undone.
    """
    state = phase(old, now)
    if state is Phase.FROZEN:
        return Change.REFUSED
    if state is Phase.DRAFT:
        return Change.FREE
    if revealed(old, now) and not revealed(new, now):
        return Change.REFUSED
    sooner = new.reveals is not None and (
        old.reveals is None or new.reveals < old.reveals
    )
    leakier = LEAKS.index(new.feedback) > LEAKS.index(old.feedback)
    leakier |= new.publish_judgments and not old.publish_judgments
    ends = phase(new, now) in (Phase.DRAFT, Phase.FROZEN)
    return Change.TYPED if sooner or leakier or ends else Change.FREE


class Limits(NamedTuple):
    """How many runs a team may submit in a UTC day, in a UTC month, and in all; None for as many as it likes."""

    per_day: int | None = None
    per_month: int | None = None
    per_team: int | None = None


class Left(NamedTuple):
    """How many runs a team may still submit now (None: as many as it likes), and when there will be more again.

    ends : when the board ends, where there would be more only after that.
    """

    number: int | None
    more: Moment | None
    ends: Moment | None = None


def count_left(
    limits: Limits, times: Sequence[Moment], now: Moment, ends: Moment | None = None
) -> Left:
    """Count what is left of the limits. ends : when no more runs are taken, None for never.

    times : when the team's runs were received, withdrawn and replaced ones included, refused ones not. A clock that was
    set back does not give more: a run counts on the day that it was received.
    """
    today = _day_of(now)
    month = today.replace(day=1)
    tomorrow = today + timedelta(days=1)
    next_month = (month + timedelta(days=32)).replace(day=1)
    days = [_day_of(time) for time in times]
    windows = (
        (limits.per_day, sum(day == today for day in days), tomorrow),
        (
            limits.per_month,
            sum(day.replace(day=1) == month for day in days),
            next_month,
        ),
        (limits.per_team, len(days), None),
    )
    rest = [
        (max(0, most - used), end) for most, used, end in windows if most is not None
    ]
    if not rest:
        return Left(None, None)
    number = min(count for count, _ in rest)
    until = [end for count, end in rest if count == number]
    if None in until:
        return Left(number, None)
    # what lasts longest says when there is more
    more = max(map(_moment_of, filter(None, until)))
    over = ends is not None and ends <= more
    return Left(number, None, ends) if over else Left(number, more)


def _day_of(time: Moment) -> datetime:
    """Return the UTC day of a moment."""
    day = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=time)
    return day.replace(hour=0, minute=0, second=0, microsecond=0)


def _moment_of(day: datetime) -> Moment:
    return (day - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)
