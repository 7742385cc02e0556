"""Rights, phases and limits: every case against the table of the specification."""

import ast
import itertools
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from irmeta.serve import policy
from irmeta.serve.policy import (
    Action,
    Board,
    Change,
    Limits,
    Role,
    Who,
    count_left,
    end_of_runs,
    may,
    needs_of_change,
    phase,
    takes_runs,
)

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
TABLE = """
SEE_BOARD          | public begun         | shared begun         | begun             | yes
SEE_SCORES         | public known         | shared known         | known             | known or aside
SEE_SUBMISSION     | no                   | no                   | own               | yes
SEE_FEEDBACK       | no                   | no                   | own begun         | own or known or aside
DOWNLOAD_RUN       | public known given   | shared known given   | own or known given| yes
DOWNLOAD_JUDGMENTS | public known told    | shared known told    | known told        | known told
CHECK              | no                   | no                   | accepts           | yes
SUBMIT             | no                   | no                   | own accepts       | yes
WITHDRAW           | no                   | no                   | own               | yes
JOIN               | public begun joins   | shared begun joins   | no                | yes
INVITE             | no                   | no                   | own               | yes
LINK               | no                   | no                   | own               | yes
JUDGE              | no                   | no                   | no                | yes
ORGANIZE           | no                   | no                   | no                | yes
"""
"""Who may do what, in words: all words between two `or` must hold."""
ROWS = [line.split("|") for line in TABLE.strip().splitlines()]
CELLS = {
    name.strip(): [[part.split() for part in one.split(" or ")] for one in cells]
    for name, *cells in ROWS
}
COMPUTED = (Action.SEE_SCORES, Action.DOWNLOAD_JUDGMENTS)
"""What says something that judgments, or other teams' runs, decide."""


def at(day: float) -> int:
    """Return a moment, some days after the first of June 2026."""
    return (
        datetime(2026, 6, 1, tzinfo=UTC) - EPOCH + timedelta(days=day)
    ) // timedelta(microseconds=1)


MOMENTS = st.none() | st.integers(0, 12).map(at)
BOARDS = st.builds(
    Board,
    opens=MOMENTS,
    closes=MOMENTS,
    reveals=MOMENTS,
    frozen=st.sampled_from([None, None, None, at(11)]),
    visibility=st.sampled_from(["public", "readers", "members"]),
    join=st.sampled_from(["invite", "ask", "open"]),
    late=st.sampled_from(["refuse", "mark"]),
    feedback=st.sampled_from(policy.LEAKS),
    publish_runs=st.booleans(),
    publish_judgments=st.booleans(),
)
NOWS = st.integers(-4, 52).map(lambda quarter: at(quarter / 4))
CASES = list(itertools.product(Role, (False, True), (False, True)))


def come(board: Board, now: int) -> set[str]:
    """Return the moments that have come."""
    names = ("opens", "closes", "reveals", "frozen")
    moments = {name: getattr(board, name) for name in names}
    return {name for name, one in moments.items() if one is not None and now >= one}


def expected_phase(board: Board, now: int) -> str:
    """Say the phase by the moments that have come, the last of them first."""
    past = come(board, now)
    if "frozen" in past:
        return "frozen"
    if "opens" not in past:
        return "draft"
    return (
        "revealed" if "reveals" in past else "waiting" if "closes" in past else "blind"
    )


def expected(who: Who, action: Action, board: Board, now: int) -> bool:
    """Read the table."""
    state = expected_phase(board, now)
    closed = board.closes is not None and now >= board.closes
    reads = action.name.startswith(("SEE", "DOWNLOAD"))
    if state == "frozen" and not reads:
        return False
    words = {
        "yes": True,
        "no": False,
        "begun": "opens" in come(board, now),
        "known": {"opens", "reveals"} <= come(board, now),
        "public": board.visibility == "public",
        "shared": board.visibility in ("public", "readers"),
        "given": board.publish_runs,
        "told": board.publish_judgments,
        "own": who.own,
        "aside": not who.plays,
        "joins": board.join in ("ask", "open"),
        "accepts": state not in ("draft", "frozen")
        and (not closed or board.late == "mark"),
    }
    cell = CELLS[action.name][who.role]
    return any(all(words[one] for one in part) for part in cell)


@settings(max_examples=60)
@given(BOARDS, NOWS)
def test_every_case_is_that_of_the_table(board: Board, now: int) -> None:
    """All roles, actions and ownerships, at any time of any board, are as the table says."""
    assert phase(board, now) == expected_phase(board, now)
    for role, own, plays in CASES:
        for action in Action:
            who = Who(role, own, plays)
            assert may(who, action, board, now) == expected(who, action, board, now), (
                who,
                action,
            )


@settings(max_examples=60)
@given(BOARDS, NOWS)
def test_rights_grow(board: Board, now: int) -> None:
    """Who is more may more; only a member, who has joined, cannot join."""
    for own, plays in itertools.product((False, True), repeat=2):
        for action in set(Action) - {Action.JOIN}:
            row = [may(Who(role, own, plays), action, board, now) for role in Role]
            assert row == sorted(row)


@settings(max_examples=60)
@given(BOARDS, NOWS)
def test_nothing_that_judgments_decide_is_seen_before_the_reveal(
    board: Board, now: int
) -> None:
    """Below an organizer only a team's own runs, and what was answered to them; nor by one who takes part."""
    if {"opens", "reveals"} <= come(board, now):
        return
    for role, own in itertools.product(list(Role)[:3], (False, True)):
        seen = {one for one in COMPUTED if may(Who(role, own), one, board, now)}
        assert not seen
        assert own or not may(Who(role, own), Action.DOWNLOAD_RUN, board, now)
        answered = may(Who(role, own), Action.SEE_FEEDBACK, board, now)
        assert not answered or (own and role is Role.MEMBER)
    assert not may(Who(Role.ORGANIZER, plays=True), Action.SEE_SCORES, board, now)
    assert not may(Who(Role.ORGANIZER), Action.DOWNLOAD_JUDGMENTS, board, now)


def test_a_deadline_to_the_microsecond() -> None:
    """A run is in time a microsecond before the board closes, and late when it does."""
    board = Board(opens=at(0), closes=at(5), reveals=at(8))
    assert [takes_runs(board, at(5) + step) for step in (-1, 0)] == [True, False]
    assert phase(board, at(8) - 1) == "waiting"
    assert phase(board, at(8)) == "revealed"
    open_board = Board(opens=at(0), reveals=at(0))
    assert phase(open_board, at(0)) == "revealed"
    assert takes_runs(open_board, at(300))
    for dates in ({"reveals": at(0)}, {"reveals": at(8)}, {}):
        marking = Board(opens=at(0), closes=at(5), late="mark", **dates)
        assert takes_runs(marking, at(9))


@pytest.mark.parametrize(
    ("new", "day", "outcome"),
    [
        ({"feedback": "open"}, -1, "free"),
        ({"feedback": "split"}, 1, "free"),
        ({"feedback": "open"}, 1, "typed"),
        ({"reveals": at(9)}, 1, "free"),
        ({"reveals": None}, 1, "free"),
        ({"reveals": at(7)}, 1, "typed"),
        ({"opens": at(3)}, 1, "typed"),
        ({"reveals": at(20)}, 9, "refused"),
        ({"opens": None}, 9, "refused"),
        ({"join": "open"}, 9, "free"),
        ({"publish_judgments": True}, 9, "typed"),
        ({"frozen": at(8)}, 9, "typed"),
    ],
)
def test_what_a_change_needs(new: dict, day: float, outcome: str) -> None:
    """Drafts are free; later a sooner reveal and more feedback are typed, and a reveal is not undone."""
    given_ = {"opens": at(0), "closes": at(5), "reveals": at(8), "feedback": "ladder"}
    assert needs_of_change(Board(**given_), Board(**given_ | new), at(day)) == outcome
    frozen = Board(**given_, frozen=at(10))
    assert needs_of_change(frozen, Board(**given_), at(11)) is Change.REFUSED


def test_limits_by_hand() -> None:
    """Days and months are those of UTC; what lasts longest says when there is more."""
    limits = Limits(per_day=2, per_month=3, per_team=4)
    assert count_left(Limits(), [at(0)] * 9, at(0))[:2] == (None, None)
    assert count_left(limits, [], at(0.5))[:2] == (2, at(1))
    assert count_left(limits, [at(0.1), at(0.9)], at(0.99))[:2] == (0, at(1))
    assert count_left(limits, [at(0.1), at(0.9)], at(1))[:2] == (1, at(30))
    assert count_left(limits, [at(0), at(0), at(1)], at(2))[:2] == (0, at(30))
    assert count_left(limits, [at(0), at(0), at(1)], at(30))[:2] == (1, None)
    # a clock that was set back gives no more for the day
    assert count_left(limits, [at(1.1), at(1.2)], at(1.05))[:2] == (0, at(2))
    assert count_left(Limits(per_day=1), [at(3)], at(1))[:2] == (1, at(2))


def test_nothing_more_is_promised_after_the_end() -> None:
    """More runs come only before a board ends; where late ones are marked, its close ends nothing."""
    limits = Limits(per_day=2)
    for board, expected in (
        (Board(closes=at(1)), (2, None, at(1))),
        (Board(closes=at(1) + 1), (2, at(1), None)),
        (Board(closes=at(0.9), late="mark"), (2, at(1), None)),
        (Board(closes=at(2), frozen=at(0.8)), (2, None, at(0.8))),
    ):
        assert count_left(limits, [], at(0.5), end_of_runs(board)) == expected
    never = count_left(Limits(per_team=1), [], at(0.5), at(0.9))
    assert never == (1, None, None)


def test_it_stands_on_the_standard_library() -> None:
    """The file that decides who may do what imports nothing else."""
    tree = ast.parse(Path(policy.__file__).read_text(encoding="utf-8"))
    names = {
        (node.module or "").partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
    } | {
        one.name.partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for one in node.names
    }
    assert names
    assert names <= sys.stdlib_module_names
