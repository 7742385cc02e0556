"""A board's life, as its server tells it, beside a model: days in strings, runs in a list, rights from a table."""

import itertools
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import seed, settings
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)

import irmeta
from irmeta.serve.catalogue import boards, events, people, rules, submissions
from irmeta.serve.catalogue.rules import RefusedError
from irmeta.serve.crew.crew import Crew
from irmeta.serve.operating import importing
from irmeta.serve.policy import LEAKS, Action, Board, Limits, Role, Who
from irmeta.serve.results.answers import FIGURES
from irmeta.serve.site import Site

from .conftest import TOPICS, Within, a_run, write_qrels
from .test_people import serving
from .test_policy import EPOCH, at, expected, expected_phase

REFUSED, STEP = 3, 0.2
BODIES = [a_run(1, -5), a_run(1), a_run(1, 5), b"301 0 d01\n"]
"""Runs from bad to good, and last what is no run."""
BAD = len(BODIES) - 1
LATER = st.none() | st.integers(6, 12).map(at)
BOARDS = st.builds(
    Board,
    opens=st.sampled_from([at(0), at(1)]),
    closes=LATER,
    reveals=LATER,
    visibility=st.sampled_from(["public", "readers", "members"]),
    late=st.sampled_from(["refuse", "mark"]),
    feedback=st.sampled_from(["none", "ladder", "open"]),
    publish_runs=st.booleans(),
    publish_judgments=st.booleans(),
)
LIMITS = st.builds(Limits, *[st.none() | st.integers(1, 4)] * 3)
TEAMS = st.sampled_from("ab")
NAMES = st.sampled_from("xyz")
ROLES = ("reader", "a", "b", "organizer")


@dataclass
class Run:
    """A run as the model knows it. body : its place among BODIES; scored : whether there are scores of it."""

    team: str
    name: str
    body: int
    received: int
    state: str
    marks: list[str]
    key: str = ""
    scored: bool = False


@dataclass
class Model:
    """What a board should answer.

    teams : their state; holders : teams that have seen the judgments; brought : the run of the organizer, if any.
    """

    board: Board
    limits: Limits
    scores: list[Any]
    now: int
    runs: list[Run]
    teams: dict[str, str]
    holders: set[str]
    brought: int | None = None

    @property
    def known(self) -> bool:
        return expected_phase(self.board, self.now) == "revealed"

    def may(self, role: str, action: Action, team: str = "") -> bool:
        """Say by the table whether somebody may do something, perhaps with what is of a team."""
        named = {"reader": Role.READER, "organizer": Role.ORGANIZER}
        is_ = named.get(role, Role.VISITOR)
        if self.teams.get(role) == "in":
            is_ = Role.MEMBER
        own = is_ is Role.MEMBER and team in ("", role)
        return expected(Who(is_, own), action, self.board, self.now)

    def of(self, team: str) -> list[Run]:
        return [one for one in self.runs if one.team == team]

    def left(self, team: str) -> int | None:
        """Count by days in text what is left: all runs but refused ones."""
        days = [day(one.received) for one in self.of(team) if one.state != "refused"]
        today = day(self.now)
        months = sum(one[:7] == today[:7] for one in days)
        used = (days.count(today), months, len(days))
        rest = [most - n for most, n in zip(self.limits, used, strict=True) if most]
        return max(0, min(rest)) if rest else None

    def sent(self, team: str, name: str, body: int, replace: bool, base: str) -> int:
        """Take a run; return the status of the answer."""
        standing = [
            one for one in self.runs if one.state not in ("refused", "withdrawn")
        ]
        held = [one for one in standing if (one.team, one.name) == (team, name)]
        if not self.may(team, Action.SUBMIT):
            return 403 if self.missed(team) else 404
        seen = standing if self.known else self.of(team)
        if base and not any(one.name == base for one in seen if one in standing):
            return 422
        if any(one.body == body for one in held):
            return 200
        if held and not replace:
            return 409
        bad = [day(one.received) for one in self.of(team) if one.state == "refused"]
        if self.left(team) == 0 or bad.count(day(self.now)) >= REFUSED:
            return 429
        refused = body == BAD
        for one in held if not refused else ():
            one.state = "withdrawn"
        state = "refused" if refused else "accepted"
        self.runs.append(Run(team, name, body, self.now, state, self.marks(team)))
        return 422 if refused else 201

    def missed(self, team: str) -> bool:
        """Say whether a team sees a board that took its runs until it closed."""
        closes = self.board.closes
        if closes is None or closes > self.now or not self.may(team, Action.SEE_BOARD):
            return False
        then = Model(**vars(self) | {"now": closes - 1})
        return then.may(team, Action.SUBMIT)

    def marks(self, team: str) -> list[str]:
        closes, reveals = self.board.closes, self.board.reveals
        late = closes is not None and closes <= self.now
        after = reveals is not None and reveals <= self.now
        found = {
            "late": late,
            "after the reveal": after,
            "holder": team in self.holders,
        }
        return [name for name, is_so in found.items() if is_so]

    def told(self, run: Run) -> dict[str, Any] | None:
        """Return what a team learns of a run: nothing before the scores of all its runs up to that one."""
        up_to = self.of(run.team)[: self.of(run.team).index(run) + 1]
        up_to = [one for one in up_to if one.state != "refused"]
        up_to = [one for one in up_to if one.scored or one.state != "withdrawn"]
        hidden = self.known or self.board.feedback == "none"
        if hidden or run.state == "refused":
            return None
        about = FIGURES[self.board.feedback]
        if self.board.feedback == "ladder" and self.brought is None:
            return {"metric": "P@10", "figure": None, "topics": {}, "about": about}
        if run not in up_to or not all(one.scored for one in up_to):
            return None
        first = [] if self.brought is None else [self.brought]
        bodies = [*first, *(one.body for one in up_to)]
        *old, new = [self.scores[one] for one in bodies]
        found = irmeta.release(self.board.feedback, old, new, step=STEP)
        topics = zip(TOPICS, found.topics.tolist(), strict=False)
        told = {"metric": "P@10", "figure": found.figure, "about": about}
        return told | {"topics": dict(topics)}

    def change(self, new: Board, typed: bool) -> bool:
        """Change the settings, if that is allowed: a reveal stays, and what gives more away is typed."""
        phases = [expected_phase(one, self.now) for one in (self.board, new)]
        if phases[0] == "revealed" != phases[1]:
            return False
        never = at(1000)
        sooner = (new.reveals or never) < (self.board.reveals or never)
        leaks = [
            (LEAKS.index(one.feedback), one.publish_judgments)
            for one in (self.board, new)
        ]
        more = any(after > before for before, after in zip(*leaks, strict=True))
        free = not sooner and not more and phases[1] != "draft"
        done = typed or free or phases[0] == "draft"
        self.board = new if done else self.board
        return done


def day(moment: int) -> str:
    return (EPOCH + timedelta(microseconds=moment)).strftime("%Y-%m-%d")


@dataclass
class Host:
    """A server, its clock, and the tokens of its people."""

    site: Site
    engine: Any
    client: Any
    crew: Crew
    clock: SimpleNamespace
    tokens: dict[str, str]
    people: dict[str, int]
    qrels: Path
    scores: list[Any]
    numbers: Iterator[int]

    def ask(self, role: str, method: str, path: str, **given: Any) -> Any:
        token = self.tokens.get(role)
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return self.client.request(method, f"/v1/{path}", headers=headers, **given)


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Host]:
    """A server whose clock stands until somebody moves it, and four people whose tokens last."""
    clock = SimpleNamespace(now=at(30_000))
    made_up = SimpleNamespace(time_ns=lambda: clock.now * 1000)
    monkeypatch.setattr(rules, "time", made_up)
    monkeypatch.setattr(submissions, "REFUSED", REFUSED)
    monkeypatch.setattr("irmeta.serve.web.door.WAIT", 200.0)
    (Site.make(tmp_path / "site").folder / "site.toml").write_text(
        "requests = 1000000\n"
    )
    qrels = write_qrels(tmp_path / "qrels.txt")
    for site, engine, client in serving(tmp_path / "site"):
        importing.open_board(site, engine, "first", qrels=qrels, reveals="never")
        known = {}
        for name in ROLES:
            secret = people.invite(engine, "first", "reader")
            known[name] = people.take_invitation(engine, secret, name).person
        tokens = {
            name: people.new_token(engine, name, who, "organize")
            for name, who in known.items()
        }
        crew = Crew(site, engine, 1)
        crew._own.child = Within()
        scores = [scores_of(qrels, body) for body in BODIES[:-1]]
        given = (site, engine, client, crew, clock, tokens, known, qrels, scores)
        yield Host(*given, itertools.count())
        crew.close()


class Life(RuleBasedStateMachine):
    """One board of a server, and what the model says of it."""

    host: Host

    @initialize(
        board=BOARDS, limits=LIMITS, brought=st.none() | st.integers(0, BAD - 1)
    )
    def begin(self, board: Board, limits: Limits, brought: int | None) -> None:
        host, self.key = self.host, f"life-{next(self.host.numbers)}"
        host.clock.now = at(0.5)
        given = {"qrels": host.qrels, "metrics": "P@10", "opens": "now"}
        importing.open_board(host.site, host.engine, self.key, **given, step=STEP)
        named = vars(board) | limits._asdict()
        boards.set_board(host.engine, self.key, named, typed=self.key)
        for who, number in host.people.items():
            role, team = ("member", who) if who in ("a", "b") else (who, "")
            secret = people.invite(host.engine, self.key, role, team)
            people.take_invitation(host.engine, secret, "", who=number)
        given_ = (host.scores, host.clock.now, [], {"a": "in", "b": "in"}, set())
        self.model = Model(board, limits, *given_, brought)
        if brought is not None:
            self.bring(brought)

    def bring(self, body: int) -> None:
        """Bring a run of no team, as the organizer."""
        path = self.host.qrels.with_name("brought")
        path.write_bytes(BODIES[body])
        importing.import_runs(self.host.site, self.host.engine, self.key, [path])
        [self.first] = submissions.submissions_of(self.host.engine, self.at, "")
        self.host.crew._check_submission(self.first.key)
        self.host.crew._score_submission(self.first.key)

    @rule(hours=st.integers(-3, 24))
    def clock(self, hours: int) -> None:
        self.host.clock.now += hours * 3_600_000_000
        self.model.now = self.host.clock.now

    @rule(team=TEAMS, name=NAMES, body=st.integers(0, BAD - 1), replace=st.booleans())
    def submit(self, team: str, name: str, body: int, replace: bool) -> None:
        self.send(team, name, body, replace, "")

    @rule(team=TEAMS, name=NAMES)
    def submit_what_is_no_run(self, team: str, name: str) -> None:
        self.send(team, name, BAD, True, "")

    @rule(team=TEAMS, name=NAMES, base=NAMES)
    def submit_beside(self, team: str, name: str, base: str) -> None:
        self.send(team, name, 0, True, base)

    def send(self, team: str, name: str, body: int, replace: bool, base: str) -> None:
        path = f"boards/{self.key}/runs/{name}"
        said = {"replace": replace, "baseline": base}
        answer = self.host.ask(team, "PUT", path, content=BODIES[body], params=said)
        before = len(self.model.runs)
        status = self.model.sent(team, name, body, replace, base)
        assert answer.status_code == status, answer.text
        if len(self.model.runs) > before:
            rows = submissions.submissions_of(self.host.engine, self.at, team)
            self.model.runs[-1].key = rows[-1].key
        if status in (200, 201):
            self.same(team, answer.json())

    @precondition(lambda self: self.model.runs)
    @rule(role=st.sampled_from(ROLES), data=st.data())
    def withdraw(self, role: str, data: st.DataObject) -> None:
        run = data.draw(st.sampled_from(self.model.runs))
        answer = self.host.ask(role, "POST", f"submissions/{run.key}/withdraw")
        allowed = self.model.may(role, Action.WITHDRAW, run.team)
        assert answer.status_code == (200 if allowed else 404)
        if allowed and run.state != "refused":
            run.state = "withdrawn"

    @rule(board=BOARDS, limits=LIMITS, typed=st.booleans())
    def change(self, board: Board, limits: Limits, typed: bool) -> None:
        named = vars(board) | limits._asdict()
        done = self.model.change(board, typed)
        try:
            confirm = self.key if typed else ""
            boards.set_board(self.host.engine, self.key, named, typed=confirm)
        except RefusedError:
            assert not done
        else:
            assert done
            self.model.limits = limits

    @precondition(lambda self: len(self.model.runs) > 3 and not self.model.known)
    @rule()
    def reveal(self) -> None:
        reveals = {"reveals": self.model.now}
        if self.model.board.opens > self.model.now:  # it was put off
            with pytest.raises(RefusedError, match="before it opens"):
                boards.set_board(self.host.engine, self.key, reveals, typed=self.key)
            return
        boards.set_board(self.host.engine, self.key, reveals, typed=self.key)
        self.model.board = Board(**vars(self.model.board) | reveals)

    @rule(team=TEAMS, what=st.sampled_from(["in", "in", "in", "out", "holder"]))
    def organize(self, team: str, what: str) -> None:
        values: dict[str, Any] = (
            {"holder": True} if what == "holder" else {"state": what}
        )
        people.set_team(self.host.engine, self.key, team, **values)
        if what == "holder":
            self.model.holders.add(team)
            for run in self.model.of(team):
                run.marks += [] if "holder" in run.marks else ["holder"]
        else:
            self.model.teams[team] = what

    @rule(again=st.booleans())
    def score(self, again: bool) -> None:
        if again:
            boards.rescore(self.host.engine, self.key)
            if self.model.brought is not None:
                self.host.crew._score_submission(self.first.key)
        for run in self.model.runs:
            if run.state == "accepted" or (again and run.state == "scored"):
                self.host.crew._score_submission(run.key)
                run.state, run.scored = "scored", True
                self.look(run.team, run)

    @rule(role=st.sampled_from(["visitor", *ROLES]))
    def look_at_the_board(self, role: str) -> None:
        answer = self.host.ask(role, "GET", f"boards/{self.key}")
        if not self.model.may(role, Action.SEE_BOARD):
            nonsense = self.host.ask(role, "GET", "boards/no-such")
            assert (answer.status_code, answer.content) == (404, nonsense.content)
            return
        facts = answer.json()
        assert facts["phase"] == expected_phase(self.model.board, self.model.now)
        if self.model.may(role, Action.SEE_SCORES):
            states = Counter(one.state for one in self.model.runs)
            states["scored"] += self.model.brought is not None
            assert facts["counts"] == {one: n for one, n in states.items() if n}
        else:
            assert (facts["counts"], facts["version"]) == ({}, 0)

    @precondition(lambda self: self.model.runs)
    @rule(role=st.sampled_from(ROLES), data=st.data())
    def look_at_a_run(self, role: str, data: st.DataObject) -> None:
        self.look(role, data.draw(st.sampled_from(self.model.runs)))

    def look(self, role: str, run: Run) -> None:
        answer = self.host.ask(role, "GET", f"submissions/{run.key}")
        file = self.host.ask(role, "GET", f"submissions/{run.key}/run")
        may = [
            self.model.may(role, action, run.team)
            for action in (Action.SEE_SUBMISSION, Action.DOWNLOAD_RUN)
        ]
        may[1] &= run.state != "refused"  # its bytes are gone
        found = [one.status_code for one in (answer, file)]
        assert found == [200 if one else 404 for one in may]
        if may[0]:
            self.same(role, answer.json())
        if may[1]:
            assert file.content == BODIES[run.body]

    def same(self, role: str, facts: dict[str, Any]) -> None:
        """Compare what somebody is told of a run with what the model says of it."""
        [run] = [one for one in self.model.runs if one.key == facts["key"]]
        told = self.model.may(role, Action.SEE_FEEDBACK, run.team)
        scored = run.state == "scored" and not self.model.known
        assert facts["state"] == ("accepted" if scored else run.state)
        assert facts["marks"] == run.marks
        assert facts["left"] == self.model.left(run.team)
        assert facts["told"] == (self.model.told(run) if told else None)

    def teardown(self) -> None:
        assert events.verified_digest(self.host.engine)

    @property
    def at(self) -> int:
        return int(boards.board_of(self.host.engine, self.key).id)


def scores_of(qrels: Path, body: bytes) -> Any:
    """Score a run by P@10 without the server."""
    path = qrels.with_name("scored.txt")
    path.write_bytes(body)
    return np.ravel(irmeta.evaluate_run(qrels, path, "P@10").values)


def life_on(host: Host) -> type[Life]:
    return type("LifeHere", (Life,), {"host": host})


def test_a_life(host: Host) -> None:
    """Clocks, runs, changes, teams and a reveal in any order are answered as the model says: 400 steps."""
    few = settings(max_examples=6, stateful_step_count=40, deadline=None)
    run_state_machine_as_test(life_on(host), settings=few)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(5))
def test_long_lives(host: Host, part: int) -> None:
    """The same in five times 2 000 steps."""
    many = settings(max_examples=20, stateful_step_count=100, deadline=None)
    run_state_machine_as_test(seed(part)(life_on(host)), settings=many)
