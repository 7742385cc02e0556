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
from fastapi import APIRouter, Depends, Path, Request
from fastapi.responses import FileResponse, HTMLResponse, RedirectResponse, Response

from irmeta.serve.catalogue import boards, events, people, submissions
from irmeta.serve.catalogue.people import NOBODY, Caller, Place
from irmeta.serve.catalogue.rules import (
    DESCRIBED,
    MISSING,
    RefusedError,
    fit_name,
    now,
    parse_moment,
    run_names,
)
from irmeta.serve.catalogue.submissions import Remark
from irmeta.serve.facts import SubmissionFacts
from irmeta.serve.operating import organizing
from irmeta.serve.operating.organizing import Alike
from irmeta.serve.pages.forms import root_of, state, template
from irmeta.serve.policy import Action, phase
from irmeta.serve.results.answers import FIGURES
from irmeta.serve.web.door import Door, Visit, small
from irmeta.serve.web.receive import file_in

BOARD = Annotated[str, Path(pattern="^[a-z0-9-]{2,40}$")]
Form = Mapping[str, str]
SECRETS = "links and tokens"
"""What people make that opens something."""
LINES = 200
"""Lines of the log on an organizer's page, the newest; `irmeta board log` has all."""


class Guest(Visit):
    """Who looks at pages: known by a cookie that only this site's own pages can use."""

    def __init__(self, request: Request, caller: Caller, form: Form) -> None:
        super().__init__(request, caller)
        self.form = form
        self.root = root_of(self.site)

    def page(self, name: str, status: int = 200, **given: Any) -> Response:
        """Return a page that is for who asks, and kept by no cache."""
        shared = {"root": self.root, "site": self.site.settings, "frozen": False}
        shared["stamp"] = "for you"
        return HTMLResponse(template(name).render(**shared, **given), status)

    def to(self, path: str) -> Response:
        """Lead to another page of this site."""
        return RedirectResponse(f"{self.root}{path}", 303)

    def link(self, where: str, secret: str) -> str:
        """Return the address at which a secret is taken, which no log has."""
        return f"{self.site.address}/{where}/#{secret}"

    def said(self, name: str) -> str:
        """Return what a field of a form says."""
        return self.form.get(name, "")

    def begin(self, answer: Response, secret: str) -> Response:
        """Keep a session in the browser."""
        lasts = people.LASTS["session"] // 1_000_000
        return self.keep(answer, "session", secret, lasts)

    def keep(self, answer: Response, name: str, value: str, lasts: int) -> Response:
        """Have a browser keep something for this site's own pages, some seconds; none: no longer."""
        rules: dict[str, Any] = {"httponly": True, "samesite": "lax", "path": "/"}
        rules |= {"max_age": lasts, "secure": _secure(self.door)}
        answer.set_cookie(_called(self.door, name), value, **rules)
        return answer

    def end(self) -> None:
        """End the session with which somebody comes, if there is one."""
        secret = cookie_of(self.request, "session")
        if self.caller.person is not None:
            people.revoke_token(
                self.engine, self.caller.person, people.digest_of(secret)
            )


def _secure(door: Door) -> bool:
    return door.site.settings.address.startswith("https://")


def _called(door: Door, name: str) -> str:
    return f"__Host-{name}" if _secure(door) else name


def cookie_of(request: Request, name: str) -> str:
    """Return what a browser keeps under a name."""
    return request.cookies.get(_called(request.app.state.door, name), "")


async def come(request: Request) -> Guest:
    """Note who asks, nobody without a session, and what a form says; refuse one that another site sends."""
    if request.method == "POST":
        require_own(request)
    door: Door = request.app.state.door
    token = request.headers.get("authorization", "")
    if token and request.url.path.startswith("/private/"):  # as programs do
        found = await door.with_token(request, token)
    else:
        found = await door.known(request, cookie_of(request, "session"), "session")
    request.state.caller = found or NOBODY
    form: Form = {}
    # a form with a file is read by who takes the file
    if request.method == "POST" and not request.url.path.endswith("/runs"):
        text = (await small(request)).decode("utf-8", "replace")
        form = {name: one[-1] for name, one in parse_qs(text).items()}
    return Guest(request, request.state.caller, form)


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


Here = Annotated[Guest, Depends(come)]
ROUTER = APIRouter(include_in_schema=False)
"""Pages for whoever has a session, and to come in; `organize` is for organizers."""


@ROUTER.get("/i/")
def enter(guest: Here) -> Response:
    """Show the form that takes an invitation, and ways to log in; whoever only looks uses nothing up."""
    return _enter(guest)


def _enter(guest: Guest, to: str = "my/", status: int = 200, **given: Any) -> Response:
    """Show a form by which somebody comes in."""
    person = people.person_of(guest.engine, guest.caller.person)
    shown = {"board": None, "leads": None, "person": person, "to": to, "said": ""}
    return guest.page("enter.html", status, **shown | given)


@ROUTER.post("/i/")
def take(guest: Here) -> Response:
    """Say where an invitation leads; once its taker has seen that, take it and begin a session."""
    secret = secret_of(guest.form)
    try:
        if guest.said("what") == "look":
            leads = people.invitation_target(guest.engine, secret)
            return _enter(guest, "i/", leads=leads, secret=secret)
        named = guest.said("name"), guest.said("affiliation")
        found = people.take_invitation(
            guest.engine, secret, *named, guest.caller.person
        )
    except RefusedError as error:
        if error.status != 404:
            raise
        return _enter(guest, status=error.status, said=str(error))
    return _begin(guest, found.person)


def _begin(guest: Guest, who: int) -> Response:
    """Begin a session, unless it is somebody's who has one."""
    if who == guest.caller.person:
        return guest.to("my/")
    return guest.begin(guest.to("my/"), people.begin_session(guest.engine, who))


@ROUTER.get("/review/")
def reviewing(guest: Here) -> Response:
    """Show the form that takes a review link, which no log then has."""
    return guest.page("review.html", one=None)


@ROUTER.post("/review/")
def review(guest: Here) -> Response:
    """Show a submission without names, and its scores once they are known."""
    key = people.submission_of_review(guest.engine, secret_of(guest.form))
    one = Visit(guest.request, NOBODY).submission(key)
    of = boards.board_of(guest.engine, one.board)
    return guest.page("review.html", board=of, one=one, record=_record(guest, one))


def _record(guest: Guest, one: SubmissionFacts) -> Any:
    """Return the published record of a run, where there is one."""
    where = one.record.removeprefix("/private/")
    folder = guest.site.public if where == one.record else guest.site.private
    path = folder / where.removeprefix("/")
    return json.loads(path.read_bytes()) if where and path.is_file() else None


@ROUTER.get("/my/")
def my(guest: Here) -> Response:
    """Show the boards and the tokens of a person."""
    return _my(guest)


def _my(guest: Guest, made: str = "", lets_send: bool | None = None) -> Response:
    """Show what was made this once. lets_send : whether a token lets one send runs; None for a link."""
    who = guest.caller.person
    if who is None:
        return _enter(guest)
    given = {
        "person": people.person_of(guest.engine, who),
        "boards": [
            (one, _home(guest, boards.board_of(guest.engine, one.key)))
            for one in people.boards_of(guest.engine, who)
        ],
        "tokens": people.tokens_of(guest.engine, who),
        "made": made,
        "lets_send": lets_send,
        "address": guest.site.address,
    }
    return guest.page("my.html", **given)


@ROUTER.post("/my/")
def change(guest: Here) -> Response:
    """Make or end a token, or a way in from another browser; or end the session."""
    who, what = guest.caller.person, guest.said("what")
    if who is None:
        raise RefusedError(404, MISSING)
    if what in ("read", "submit", "organize", "another"):
        guest.seldom(SECRETS)
    if what in ("read", "submit", "organize"):
        label = guest.said("label")[:60]
        made = people.new_token(guest.engine, label, who, what)
        return _my(guest, made, what != "read")
    if what == "another":
        return _my(
            guest, guest.link("i", people.create_browser_invitation(guest.engine, who))
        )
    if what == "name":
        people.rename_person(
            guest.engine, who, guest.said("name"), guest.said("affiliation")
        )
        return guest.to("my/")
    if what == "leave":
        guest.end()
        return guest.keep(guest.to(""), "session", "", 0)
    people.revoke_token(guest.engine, who, guest.said("token"))
    return guest.to("my/")


@ROUTER.get("/my/b/{board}")
def mine(guest: Here, board: BOARD, sent: str = "") -> Response:
    """Show a board as a member sees it: the runs of the team, and what is left. sent : the run just sent."""
    return _board(guest, board, sent=sent)


def _board(
    guest: Guest,
    key: str,
    said: Sequence[Remark] = (),
    status: int = 200,
    *,
    typed: Form = MappingProxyType({}),
    sent: str = "",
) -> Response:
    """Show a board to a team. typed : what stands in its form; sent : the key of the run just sent."""
    of, is_ = _mine(guest, key, Action.SEE_BOARD)
    runs = submissions.submissions_of(guest.engine, of.id, is_.team)
    left = submissions.runs_left(guest.engine, key, is_.team, guest.caller.person)
    given = {
        "runs": [guest.submission(one.key) for one in reversed(runs)],
        "left": left,
        "then": submissions.when_more(left),
        "accepts": guest.may(of, Action.SUBMIT),
        "changes": guest.may(of, Action.WITHDRAW),
        "known": guest.may(of, Action.SEE_SCORES),
        "state": state(of, now()),
        "home": _home(guest, of),
        "about": FIGURES[of.feedback],
        "address": guest.site.address,
        "typed": typed,
        "sent": sent,
    }
    return guest.page("mine.html", status, board=of, team=is_.team, said=said, **given)


def _home(visit: Visit, of: Any) -> str:
    """Return where the pages of a board are that somebody may see; nothing where there are none yet."""
    if Visit(visit.request, NOBODY).may(of, Action.SEE_BOARD):
        return f"b/{of.key}/"
    return f"private/b/{of.key}/" if visit.may(of, Action.SEE_SCORES) else ""


def _mine(guest: Guest, key: str, action: Action) -> tuple[Any, Place]:
    """Return a board, and the place of somebody who may do something there with a team."""
    of, is_ = guest.allowed(key, action)
    if not is_.team:
        raise RefusedError(404, MISSING)
    return of, is_


@ROUTER.post("/my/b/{board}/runs")
async def submit(guest: Here, board: BOARD) -> Response:
    """Take a run that a form of this site sends, under the rules of the API; or only check it."""
    began = now()
    fields: dict[str, str] = {}
    kind = guest.request.headers.get("content-type", "")
    file = file_in(guest.request.stream(), kind, fields)
    try:
        of, is_ = await to_thread.run_sync(_mine, guest, board, Action.SUBMIT)
        async with guest.upload(file, board, is_) as arrived:
            file_name = PurePath(fields.get("run", ""))
            name = fields.get("name") or run_names([file_name])[0]
            if "check" in fields:
                found = await guest.remarks(of, fit_name(name), arrived)
                said = found or [remark("checked", "nothing is odd about this run")]
                shown = partial(_board, typed=fields)
                return await to_thread.run_sync(shown, guest, board, said)
            given = {"received": began, "replace": "replace" in fields, "by": is_}
            about = {one: fields.get(one, "") for one in DESCRIBED}
            _, made = await guest.submit(board, name, arrived, about=about, **given)
    except RefusedError as error:
        wrong = ([remark("error", str(error))], error.status)
        shown = partial(_board, typed=fields)
        return await to_thread.run_sync(shown, guest, board, *wrong)
    return guest.to(f"my/b/{board}?sent={made.key}")


@ROUTER.post("/my/b/{board}")
def withdraw(guest: Here, board: BOARD) -> Response:
    """Withdraw a run of the team, make a review link to it, or invite somebody into the team."""
    by = guest.caller.person
    if key := guest.said("withdraw"):
        guest.own(key, Action.WITHDRAW)
        submissions.withdraw(guest.engine, key, by)
        return guest.to(f"my/b/{board}")
    guest.seldom(SECRETS)
    if key := guest.said("review"):
        guest.own(key, Action.LINK)
        days = guest.said("days")
        number = int(days) if re.fullmatch("[0-9]{1,3}", days) else 0
        secret = people.create_review_link(guest.engine, key, number, by)
        return _my(guest, guest.link("review", secret))
    of, is_ = _mine(guest, board, Action.INVITE)
    return _invite(guest, of, "member", is_.team)


def _invite(guest: Guest, of: Any, role: str, team: str) -> Response:
    """Make an invitation, and show its link this once."""
    secret = people.invite(guest.engine, of.key, role, team, guest.caller.person)
    link = guest.link("i", secret)
    return guest.page("link.html", board=of, role=role, team=team, link=link)


@ROUTER.get("/organize/b/{board}")
def organize(guest: Here, board: BOARD) -> Response:
    """Show organizers a board: runs, people, judgments, dates, what answers give away, log."""
    return _organize(guest, guest.allowed(board, Action.ORGANIZE)[0])


def _organize(guest: Guest, of: Any, alike: Sequence[Alike] | None = None) -> Response:
    """Show a board to its organizers, and which runs are alike if that was looked for."""
    given: dict[str, Any] = {
        "alike": alike,
        "runs": submissions.submissions_of(guest.engine, of.id),
        "people": people.people_of_board(guest.engine, of.id),
        "invited": people.open_invitations(guest.engine, of.id),
        "names": people.names_of_people(guest.engine),
        "teams": people.teams_of_board(guest.engine, of.id),
        "judged": boards.judgments_of(guest.engine, of.key),
        "events": events.events_of_board(guest.engine, of.id, most=LINES),
        "leak": organizing.leak(guest.engine, of),
        "states": events.STATES,
        "phase": phase(of, now()),
        "state": state(of, now()),
        "preview": guest.may(of, Action.SEE_SCORES),
        "home": _home(Visit(guest.request, NOBODY), of),
    }
    return guest.page("organize.html", board=of, **given)


@ROUTER.post("/organize/b/{board}")
def decide(guest: Here, board: BOARD) -> Response:
    """Let a team in or out, invite somebody, withdraw a run, change dates, or reveal the board."""
    of, _ = guest.allowed(board, Action.ORGANIZE)
    engine, by = guest.engine, guest.caller.person
    what, name, typed = map(guest.said, ("what", "team", "typed"))
    typed = typed.strip()
    if what in ("in", "out"):
        people.set_team(engine, board, name, by, state=what)
    elif what == "holder":
        people.set_team(engine, board, name, by, holder=True)
    elif what == "invite":
        return _invite(guest, of, guest.form.get("role", "member"), name)
    elif what == "remove":
        people.remove_person(engine, board, guest.said("person"), by)
    elif what == "alike":
        asks = (guest.site, engine, board, guest.crew.first)
        return _organize(guest, of, organizing.duplicates(*asks))
    elif what == "withdraw":
        run = guest.said("run")
        guest.own(run, Action.WITHDRAW)
        submissions.withdraw(engine, run, by)
    elif what == "dates":
        dates = {one: guest.said(one) for one in ("opens", "closes", "reveals")}
        new = {name: parse_moment(date) for name, date in dates.items() if date}
        boards.set_board(engine, board, new, typed=typed, by=by)
    elif what == "reveal":
        boards.reveal(engine, board, typed, by)
    return guest.to(f"organize/b/{board}")


@ROUTER.get("/join/{board}")
def joining(guest: Here, board: BOARD) -> Response:
    """Show the form by which a new team asks to take part."""
    of, _ = guest.allowed(board, Action.JOIN)
    return _enter(guest, f"join/{board}", board=of)


@ROUTER.post("/join/{board}")
def join(guest: Here, board: BOARD) -> Response:
    """Ask to take part."""
    guest.allowed(board, Action.JOIN)
    guest.seldom("new teams")
    team, name, affiliation = map(guest.said, ("team", "name", "affiliation"))
    who = guest.caller.person
    number = people.ask_to_join(guest.engine, board, team, name, affiliation, who)
    return _begin(guest, number)


@ROUTER.get("/private/{path:path}")
def private(guest: Here, path: str) -> Response:
    """Hand out a page of a board that not everybody may see."""
    parts = path.split("/")
    if len(parts) < 3 or parts[0] != "b":
        raise RefusedError(404, MISSING)
    of, _ = guest.allowed(parts[1], Action.SEE_SCORES)
    folder = guest.site.private.resolve() / "b" / of.key
    with suppress(OSError, ValueError):  # as of a name that no file can have
        file = guest.site.private.joinpath(path).resolve()
        if file.is_relative_to(folder) and file.is_file():
            return FileResponse(file)
    raise RefusedError(404, MISSING)
