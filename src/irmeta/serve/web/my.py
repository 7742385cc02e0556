"""Pages for people: what they may see and do on their boards; computed when asked for, kept by no cache."""

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import PurePath
from types import MappingProxyType
from typing import Annotated, Any
from urllib.parse import parse_qs

from anyio import to_thread
from fastapi import APIRouter, Depends, FastAPI, Path, Request
from fastapi.responses import FileResponse, HTMLResponse, RedirectResponse, Response

from irmeta.serve.catalogue import boards, events, people, submissions
from irmeta.serve.catalogue.people import NOBODY, Caller, Place
from irmeta.serve.catalogue.rules import (
    DESCRIBED,
    MISSING,
    RefusedError,
    fit,
    moment,
    names_of,
    now,
    require_order,
)
from irmeta.serve.catalogue.submissions import Remark
from irmeta.serve.operating import organizing
from irmeta.serve.operating.organizing import Alike
from irmeta.serve.pages.forms import root_of, state, template
from irmeta.serve.policy import Action, phase
from irmeta.serve.results.answers import FIGURES
from irmeta.serve.web.door import Door
from irmeta.serve.web.facts import SubmissionFacts
from irmeta.serve.web.receive import file_in

BOARD = Annotated[str, Path(pattern="^[a-z0-9-]{2,40}$")]
Form = Mapping[str, str]
SECRETS = "links and tokens"
"""What people make that opens something."""
LINES = 200
"""Lines of the log on an organizer's page, the newest; `irmeta board log` has all."""


class Session:
    """Who looks at pages: by a cookie that only this site's own pages can use."""

    def __init__(self, door: Door) -> None:
        self._door = door
        self._secure = door.site.settings.address.startswith("https://")

    def cookie_of(self, request: Request, name: str) -> str:
        """Return what a browser keeps under a name."""
        return request.cookies.get(self._called(name), "")

    def _called(self, name: str) -> str:
        return f"__Host-{name}" if self._secure else name

    async def come(self, request: Request) -> None:
        """Note who asks, nobody without a session, and what a form says; refuse one that another site sends."""
        if request.method == "POST":
            require_own(request)
        token = request.headers.get("authorization", "")
        if token and request.url.path.startswith("/private/"):  # as programs do
            found = await self._door.with_token(request, token)
        else:
            secret = self.cookie_of(request, "session")
            found = await self._door.known(request, secret, "session")
        request.state.caller, request.state.form = found or NOBODY, {}
        # a form with a file is read by who takes the file
        if request.method == "POST" and not request.url.path.endswith("/runs"):
            request.state.form = await self._form(request)

    async def _form(self, request: Request) -> Form:
        content = await self._door.small(request)
        text = content.decode("utf-8", "replace")
        return {name: one[-1] for name, one in parse_qs(text).items()}

    def begin(self, answer: Response, secret: str) -> Response:
        """Keep a session in the browser."""
        lasts = people.LASTS["session"] // 1_000_000
        return self.keep(answer, "session", secret, lasts)

    def keep(self, answer: Response, name: str, value: str, lasts: int) -> Response:
        """Have a browser keep something for this site's own pages, some seconds; none: no longer."""
        rules: dict[str, Any] = {"httponly": True, "samesite": "lax", "path": "/"}
        rules |= {"max_age": lasts, "secure": self._secure}
        answer.set_cookie(self._called(name), value, **rules)
        return answer

    def end(self, request: Request) -> None:
        """End the session with which somebody comes, if there is one."""
        who, secret = request.state.caller.person, self.cookie_of(request, "session")
        if who is not None:
            people.revoke(self._door.engine, who, people.digest_of(secret))


def remark(level: str, text: str) -> Remark:
    """Say something as a check says it."""
    return {"level": level, "line": None, "text": text}


def secret_of(given: Form) -> str:
    """Return the secret of a link, or what stands in it behind #."""
    return given.get("secret", "").rpartition("#")[2].strip()


def require_own(request: Request) -> None:
    """Refuse what another site's page has a browser send."""
    said = request.headers.get("sec-fetch-site")
    origin = request.headers.get("origin", "")
    same = origin.partition("://")[2] == request.headers.get("host", "")
    if said != "same-origin" and not (said is None and origin and same):
        raise RefusedError(403, "this form was not sent by a page of this site")


class Pages:
    """What people look at and send; `organize` is for organizers, the rest for whoever has a session."""

    def __init__(self, door: Door, session: Session) -> None:
        self._door = door
        self._engine = door.engine
        self._session = session
        self._root = root_of(door.site)

    def enter(self, request: Request) -> Response:
        """Show the form that takes an invitation, and ways to log in; whoever only looks uses nothing up."""
        return self._enter(request.state.caller)

    def _enter(self, caller: Caller, to: str = "my/", **given: Any) -> Response:
        """Show a form by which somebody comes in."""
        person = people.person_of(self._engine, caller.person)
        shown = {"board": None, "leads": None, "person": person, "to": to, "said": ""}
        return self.page("enter.html", **shown | given)

    def take(self, request: Request) -> Response:
        """Say where an invitation leads; once its taker has seen that, take it and begin a session."""
        given, caller = request.state.form, request.state.caller
        secret = secret_of(given)
        try:
            if given.get("what") == "look":
                leads = people.invited(self._engine, secret)
                return self._enter(caller, "i/", leads=leads, secret=secret)
            named = (given.get("name", ""), given.get("affiliation", ""))
            found = people.take(self._engine, secret, *named, caller.person)
        except RefusedError as error:
            if error.status != 404:
                raise
            page = self._enter(caller, said=str(error))
            page.status_code = error.status
            return page
        return self._begin(found.person, caller.person)

    def _begin(self, who: int, was: int | None) -> Response:
        """Begin a session, unless it is somebody's who has one."""
        if who == was:
            return self.to("my/")
        begun = people.begin_session(self._engine, who)
        return self._session.begin(self.to("my/"), begun)

    def my(self, request: Request) -> Response:
        """Show the boards and the tokens of a person."""
        return self._my(request.state.caller)

    def _my(
        self, caller: Caller, made: str = "", lets_send: bool | None = None
    ) -> Response:
        """Show what was made this once. lets_send : whether a token lets one send runs; None for a link."""
        if caller.person is None:
            return self._enter(caller)
        given = {
            "person": people.person_of(self._engine, caller.person),
            "boards": [
                (one, self._home(caller, boards.board_of(self._engine, one.key)))
                for one in people.boards_of(self._engine, caller.person)
            ],
            "tokens": people.tokens_of(self._engine, caller.person),
            "made": made,
            "lets_send": lets_send,
            "address": self._door.site.address,
        }
        return self.page("my.html", **given)

    def change(self, request: Request) -> Response:
        """Make or end a token, or a way in from another browser; or end the session."""
        caller, given = request.state.caller, request.state.form
        who, what = caller.person, given.get("what", "")
        if who is None:
            raise RefusedError(404, MISSING)
        if what in ("read", "submit", "organize", "another"):
            self._door.require_seldom(request, SECRETS)
        if what in ("read", "submit", "organize"):
            made = people.new_token(
                self._engine, given.get("label", "")[:60], who, what
            )
            return self._my(caller, made, what != "read")
        if what == "another":
            return self._my(caller, self._link("i", people.welcome(self._engine, who)))
        if what == "name":
            name, affiliation = given.get("name", ""), given.get("affiliation", "")
            people.call(self._engine, who, name, affiliation)
            return self.to("my/")
        if what == "leave":
            self._session.end(request)
            return self._session.keep(self.to(""), "session", "", 0)
        people.revoke(self._engine, who, given.get("token", ""))
        return self.to("my/")

    def board(self, request: Request, board: BOARD, sent: str = "") -> Response:
        """Show a board as a member sees it: the runs of the team, and what is left. sent : the run just sent."""
        return self._board(request.state.caller, board, sent=sent)

    def _board(
        self,
        caller: Caller,
        key: str,
        said: Sequence[Remark] = (),
        status: int = 200,
        *,
        typed: Form = MappingProxyType({}),
        sent: str = "",
    ) -> Response:
        """Show a board to a team. typed : what stands in its form; sent : the key of the run just sent."""
        of, is_ = self._mine(caller, key, Action.SEE_BOARD)
        runs = submissions.of_team(self._engine, of.id, is_.team)
        at, when = boards.rules(of), now()
        left = submissions.left_of(self._engine, key, is_.team, caller.person)
        given = {
            "runs": [self._door.submission(caller, one.key) for one in reversed(runs)],
            "left": left,
            "then": submissions.later(left),
            "accepts": self._door.may(caller, of, Action.SUBMIT),
            "changes": self._door.may(caller, of, Action.WITHDRAW),
            "known": self._door.may(caller, of, Action.SEE_SCORES),
            "state": state(of, phase(at, when), when),
            "home": self._home(caller, of),
            "about": FIGURES[of.feedback],
            "address": self._door.site.address,
            "typed": typed,
            "sent": sent,
        }
        page = self.page("mine.html", board=of, team=is_.team, said=said, **given)
        page.status_code = status
        return page

    def _home(self, caller: Caller, of: Any) -> str:
        """Return where the pages of a board are that somebody may see; nothing where there are none yet."""
        if self._door.may(NOBODY, of, Action.SEE_BOARD):
            return f"b/{of.key}/"
        seen = self._door.may(caller, of, Action.SEE_SCORES)
        return f"private/b/{of.key}/" if seen else ""

    def _mine(self, caller: Caller, key: str, action: Action) -> tuple[Any, Place]:
        """Return a board, and the place of somebody who may do something there with a team."""
        of = boards.board_of(self._engine, key)
        is_ = self._door.require(caller, of, action)
        if not is_.team:
            raise RefusedError(404, MISSING)
        return of, is_

    async def submit(self, request: Request, board: BOARD) -> Response:
        """Take a run that a form of this site sends, under the rules of the API; or only check it."""
        began, caller = now(), request.state.caller
        fields: dict[str, str] = {}
        kind = request.headers.get("content-type", "")
        file = file_in(request.stream(), kind, fields)
        try:
            mine = partial(self._mine, caller, board, Action.SUBMIT)
            of, is_ = await to_thread.run_sync(mine)
            async with self._door.upload(request, file, is_) as arrived:
                file_name = PurePath(fields.get("run", ""))
                name = fields.get("name") or names_of([file_name])[0]
                if "check" in fields:
                    found = await self._door.remarks(caller, of, fit(name), arrived)
                    said = found or [remark("checked", "nothing is odd about this run")]
                    shown = partial(self._board, typed=fields)
                    return await to_thread.run_sync(shown, caller, board, said)
                given = {"received": began, "replace": "replace" in fields, "by": is_}
                about = {one: fields.get(one, "") for one in DESCRIBED}
                _, made = await self._door.submit(
                    caller, board, name, arrived, about=about, **given
                )
        except RefusedError as error:
            wrong = ([remark("error", str(error))], error.status)
            shown = partial(self._board, typed=fields)
            return await to_thread.run_sync(shown, caller, board, *wrong)
        return self.to(f"my/b/{board}?sent={made.key}")

    def withdraw(self, request: Request, board: BOARD) -> Response:
        """Withdraw a run of the team, make a review link to it, or invite somebody into the team."""
        caller, given = request.state.caller, request.state.form
        by = caller.person
        if key := given.get("withdraw"):
            self._door.own(caller, key, Action.WITHDRAW)
            submissions.withdraw(self._engine, key, by)
            return self.to(f"my/b/{board}")
        self._door.require_seldom(request, SECRETS)
        if key := given.get("review"):
            self._door.own(caller, key, Action.LINK)
            days = given.get("days", "")
            number = int(days) if re.fullmatch("[0-9]{1,3}", days) else 0
            secret = people.review(self._engine, key, number, by)
            return self._my(caller, self._link("review", secret))
        of, is_ = self._mine(caller, board, Action.INVITE)
        return self._invite(of, "member", is_.team, by)

    def _invite(self, of: Any, role: str, team: str, by: int | None) -> Response:
        """Make an invitation, and show its link this once."""
        secret = people.invite(self._engine, of.key, role, team, by)
        given = {"role": role, "team": team, "link": self._link("i", secret)}
        return self.page("link.html", board=of, **given)

    def _link(self, where: str, secret: str) -> str:
        """Return the address at which a secret is taken, which no log has."""
        return f"{self._door.site.address}/{where}/#{secret}"

    def reviewing(self) -> Response:
        """Show the form that takes a review link, which no log then has."""
        return self.page("review.html", one=None)

    def review(self, request: Request) -> Response:
        """Show a submission without names, and its scores once they are known."""
        key = people.reviewed(self._engine, secret_of(request.state.form))
        one = self._door.submission(NOBODY, key)
        of = boards.board_of(self._engine, one.board)
        return self.page("review.html", board=of, one=one, record=self._record(one))

    def _record(self, one: SubmissionFacts) -> Any:
        """Return the published record of a run, where there is one."""
        site, where = self._door.site, one.record.removeprefix("/private/")
        folder = site.public if where == one.record else site.private
        path = folder / where.removeprefix("/")
        return json.loads(path.read_bytes()) if where and path.is_file() else None

    def organize(self, request: Request, board: BOARD) -> Response:
        """Show organizers a board: runs, people, judgments, dates, what answers give away, log."""
        of = self._allowed(request, board, Action.ORGANIZE)
        return self._organize(request.state.caller, of)

    def _organize(
        self, caller: Caller, of: Any, alike: Sequence[Alike] | None = None
    ) -> Response:
        """Show a board to its organizers, and which runs are alike if that was looked for."""
        at = phase(boards.rules(of), when := now())
        given = {
            "alike": alike,
            "runs": submissions.of_team(self._engine, of.id),
            "people": people.people(self._engine, of.id),
            "invited": people.invitations(self._engine, of.id),
            "names": people.names(self._engine),
            "teams": people.teams(self._engine, of.id),
            "judged": boards.judgments_of(self._engine, of.key),
            "events": events.of_board(self._engine, of.id, most=LINES),
            "leak": organizing.leak(self._engine, of),
            "states": events.STATES,
            "phase": at,
            "state": state(of, at, when),
            "preview": self._door.may(caller, of, Action.SEE_SCORES),
            "home": self._home(NOBODY, of),
        }
        return self.page("organize.html", board=of, **given)

    def _allowed(self, request: Request, key: str, action: Action) -> Any:
        """Return a board on which somebody may do something."""
        of = boards.board_of(self._engine, key)
        self._door.require(request.state.caller, of, action)
        return of

    def decide(self, request: Request, board: BOARD) -> Response:
        """Let a team in or out, invite somebody, withdraw a run, change dates, or reveal the board."""
        key, of = board, self._allowed(request, board, Action.ORGANIZE)
        caller, given = request.state.caller, request.state.form
        what, by = given.get("what", ""), caller.person
        name, typed = given.get("team", ""), given.get("typed", "").strip()
        if what in ("in", "out"):
            people.set_team(self._engine, key, name, by, state=what)
        elif what == "holder":
            people.set_team(self._engine, key, name, by, holder=True)
        elif what == "invite":
            return self._invite(of, given.get("role", "member"), name, by)
        elif what == "remove":
            people.remove(self._engine, key, given.get("person", ""), by)
        elif what == "alike":
            asks = (self._door.site, self._engine, key, self._door.crew.first)
            alike = organizing.duplicates(*asks)
            return self._organize(caller, of, alike)
        elif what == "withdraw":
            self._door.own(caller, given.get("run", ""), Action.WITHDRAW)
            submissions.withdraw(self._engine, given["run"], by)
        elif what == "dates":
            dates = {one: given.get(one, "") for one in ("opens", "closes", "reveals")}
            new = {name: moment(date) for name, date in dates.items() if date}
            require_order(of._asdict() | new)
            boards.set_board(self._engine, key, new, typed=typed, by=by)
        elif what == "reveal":
            boards.reveal(self._engine, key, typed, by)
        return self.to(f"organize/b/{key}")

    def joining(self, request: Request, board: BOARD) -> Response:
        """Show the form by which a new team asks to take part."""
        of = self._allowed(request, board, Action.JOIN)
        return self._enter(request.state.caller, f"join/{board}", board=of)

    def join(self, request: Request, board: BOARD) -> Response:
        """Ask to take part."""
        self._allowed(request, board, Action.JOIN)
        self._door.require_seldom(request, "new teams")
        given, who = request.state.form, request.state.caller.person
        names = ("team", "name", "affiliation")
        team, name, affiliation = (given.get(one, "") for one in names)
        number = people.ask(self._engine, board, team, name, affiliation, who)
        return self._begin(number, who)

    def private(self, request: Request, path: str) -> Response:
        """Hand out a page of a board that not everybody may see."""
        parts = path.split("/")
        if len(parts) < 3 or parts[0] != "b":
            raise RefusedError(404, MISSING)
        of = self._allowed(request, parts[1], Action.SEE_SCORES)
        folder = self._door.site.private.resolve() / "b" / of.key
        with suppress(OSError, ValueError):  # as of a name that no file can have
            file = self._door.site.private.joinpath(path).resolve()
            if file.is_relative_to(folder) and file.is_file():
                return FileResponse(file)
        raise RefusedError(404, MISSING)

    def to(self, path: str) -> Response:
        """Lead to another page of this site."""
        return RedirectResponse(f"{self._root}{path}", 303)

    def page(self, name: str, **given: Any) -> Response:
        """Return a page that is for who asks, and kept by no cache."""
        settings = self._door.site.settings
        shared = {"root": self._root, "site": settings, "frozen": False}
        shared["stamp"] = "for you"
        return HTMLResponse(template(name).render(**shared, **given))


def add(app: FastAPI, door: Door) -> None:
    """Add the pages to a server."""
    session = Session(door)
    pages = Pages(door, session)
    router = APIRouter(include_in_schema=False, dependencies=[Depends(session.come)])
    router.get("/i/")(pages.enter)
    router.post("/i/")(pages.take)
    router.get("/review/")(pages.reviewing)
    router.post("/review/")(pages.review)
    router.get("/my/")(pages.my)
    router.post("/my/")(pages.change)
    router.get("/my/b/{board}")(pages.board)
    router.post("/my/b/{board}")(pages.withdraw)
    router.post("/my/b/{board}/runs")(pages.submit)
    router.get("/organize/b/{board}")(pages.organize)
    router.post("/organize/b/{board}")(pages.decide)
    router.get("/join/{board}")(pages.joining)
    router.post("/join/{board}")(pages.join)
    router.get("/private/{path:path}")(pages.private)
    app.include_router(router)
