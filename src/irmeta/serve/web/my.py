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
from fastapi import APIRouter, Depends, Request
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
from irmeta.serve.pages.forms import root_of, state_in_words, template
from irmeta.serve.policy import Action, phase
from irmeta.serve.results.answers import FIGURES
from irmeta.serve.web.door import Door, Visit, read_small_body
from irmeta.serve.web.receive import file_of_form
from irmeta.serve.web.routes import KeyPath

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

    def page(self, name: str, status: int = 200, **own: Any) -> Response:
        """Return a page that is for who asks, and kept by no cache. own : what its template needs beside the shared."""
        shared = {"root": self.root, "site": self.site.settings, "frozen": False}
        content = template(name).render(**shared, stamp="for you", **own)
        return HTMLResponse(content, status)

    def redirect(self, path: str) -> Response:
        """Return the answer that leads to another page of this site."""
        return RedirectResponse(f"{self.root}{path}", 303)

    def link_to(self, where: str, secret: str) -> str:
        """Return the address at which a secret is taken, which no log has."""
        return f"{self.site.address}/{where}/#{secret}"

    def field(self, name: str) -> str:
        """Return what a field of a form says."""
        return self.form.get(name, "")

    def keep_session(self, answer: Response, secret: str) -> Response:
        """Have the browser keep the secret of a session."""
        lasts = people.LASTS["session"] // 1_000_000
        return self.keep_cookie(answer, "session", secret, lasts)

    def keep_cookie(
        self, answer: Response, name: str, value: str, lasts: int
    ) -> Response:
        """Have a browser keep something for this site's own pages, some seconds; none: no longer."""
        rules: dict[str, Any] = {"httponly": True, "samesite": "lax", "path": "/"}
        rules |= {"max_age": lasts, "secure": _is_secure(self.door)}
        answer.set_cookie(_cookie_name(self.door, name), value, **rules)
        return answer

    def end_session(self) -> None:
        """End the session with which somebody comes, if there is one."""
        digest = people.digest_of(cookie_of(self.request, "session"))
        if self.caller.person is not None:
            people.revoke_token(self.engine, self.caller.person, digest)


def _is_secure(door: Door) -> bool:
    return door.site.settings.address.startswith("https://")


def _cookie_name(door: Door, name: str) -> str:
    return f"__Host-{name}" if _is_secure(door) else name


def cookie_of(request: Request, name: str) -> str:
    """Return what a browser keeps under a name."""
    return request.cookies.get(_cookie_name(request.app.state.door, name), "")


async def guest_of(request: Request) -> Guest:
    """Return who asks, nobody without a session, with their form; refuse a form that another site sends."""
    if request.method == "POST":
        require_own_form(request)
    door: Door = request.app.state.door
    token = request.headers.get("authorization", "")
    if token and request.url.path.startswith("/private/"):  # as programs do
        caller = await door.caller_of_token(request, token)
    else:
        secret = cookie_of(request, "session")
        caller = await door.caller_of_secret(request, secret, "session")
    request.state.caller = caller or NOBODY
    form: Form = {}
    # a form with a file is read by who takes the file
    if request.method == "POST" and not request.url.path.endswith("/runs"):
        text = (await read_small_body(request)).decode("utf-8", "replace")
        form = {name: values[-1] for name, values in parse_qs(text).items()}
    return Guest(request, request.state.caller, form)


def remark(level: str, text: str) -> Remark:
    """Return a remark on no line of a run, as checks make them. level : error, warning or checked."""
    return {"level": level, "line": None, "text": text}


def secret_of(form: Form) -> str:
    """Return the secret that somebody pasted: a whole link, or what stands in it behind #."""
    return form.get("secret", "").rpartition("#")[2].strip()


def require_own_form(request: Request) -> None:
    """Refuse what another site's page has a browser send."""
    site = request.headers.get("sec-fetch-site")
    origin = request.headers.get("origin", "")
    same = origin.partition("://")[2] == request.headers.get("host", "")
    # browsers that do not say the first say the second
    if site != "same-origin" and not (site is None and origin and same):
        raise RefusedError(403, "this form was not sent by a page of this site")


Here = Annotated[Guest, Depends(guest_of)]
ROUTER = APIRouter(include_in_schema=False)
"""Pages for whoever has a session, and to come in; those below organize/ are for organizers."""


@ROUTER.get("/i/")
def show_entry(guest: Here) -> Response:
    """Show the form that takes an invitation, and ways to log in; whoever only looks uses nothing up."""
    return _entry_page(guest)


def _entry_page(
    guest: Guest, to: str = "my/", status: int = 200, **own: Any
) -> Response:
    """Return the page with the forms by which somebody comes in; to : the page to which they lead.

    own : the board, or where an invitation leads and its secret, or why none was taken (said).
    """
    person = people.person_of(guest.engine, guest.caller.person)
    shown = {"board": None, "leads": None, "person": person, "to": to, "said": ""}
    return guest.page("enter.html", status, **shown | own)


@ROUTER.post("/i/")
def take_invitation(guest: Here) -> Response:
    """Say where an invitation leads; once its taker has seen that, take it and begin a session."""
    secret = secret_of(guest.form)
    try:
        if guest.field("what") == "look":
            leads = people.invitation_target(guest.engine, secret)
            return _entry_page(guest, "i/", leads=leads, secret=secret)
        who = guest.field("name"), guest.field("affiliation"), guest.caller.person
        taken = people.take_invitation(guest.engine, secret, *who)
    except RefusedError as error:
        if error.status != 404:
            raise
        return _entry_page(guest, status=error.status, said=str(error))
    return _begin_session(guest, taken.person)


def _begin_session(guest: Guest, who: int) -> Response:
    """Lead a person to their own page, with a new session unless they have one."""
    answer = guest.redirect("my/")
    if who == guest.caller.person:
        return answer
    return guest.keep_session(answer, people.begin_session(guest.engine, who))


@ROUTER.get("/review/")
def show_review_form(guest: Here) -> Response:
    """Show the form that takes a review link, which no log then has."""
    return guest.page("review.html", one=None)


@ROUTER.post("/review/")
def show_reviewed(guest: Here) -> Response:
    """Show a submission without names, and its scores once they are known."""
    key = people.submission_of_review(guest.engine, secret_of(guest.form))
    submission = Visit(guest.request, NOBODY).submission_facts(key)
    board = boards.board_of(guest.engine, submission.board)
    record = _published_record(guest, submission)
    return guest.page("review.html", board=board, one=submission, record=record)


def _published_record(guest: Guest, submission: SubmissionFacts) -> Any:
    """Return the published record of a run, as parsed JSON; None where there is none."""
    where = submission.record.removeprefix("/private/")
    folder = guest.site.public if where == submission.record else guest.site.private
    path = folder / where.removeprefix("/")
    return json.loads(path.read_bytes()) if where and path.is_file() else None


@ROUTER.get("/my/")
def show_own(guest: Here) -> Response:
    """Show the boards and the tokens of a person."""
    return _own_page(guest)


def _own_page(guest: Guest, made: str = "", lets_send: bool | None = None) -> Response:
    """Return the page of a person's boards and tokens.

    made : a token or link just made, shown this once. lets_send : whether a token lets one send runs; None for a link.
    """
    who = guest.caller.person
    if who is None:
        return _entry_page(guest)
    own = people.boards_of(guest.engine, who)
    rows = (boards.board_of(guest.engine, board.key) for board in own)
    homes = [_path_of_pages(guest, row) for row in rows]
    return guest.page(
        "my.html",
        person=people.person_of(guest.engine, who),
        boards=list(zip(own, homes, strict=True)),
        tokens=people.tokens_of(guest.engine, who),
        made=made,
        lets_send=lets_send,
        address=guest.site.address,
    )


@ROUTER.post("/my/")
def change_own(guest: Here) -> Response:
    """Make or end a token, or a way in from another browser; or end the session."""
    who, what = guest.caller.person, guest.field("what")
    if who is None:
        raise RefusedError(404, MISSING)
    if what in ("read", "submit", "organize", "another"):
        guest.require_seldom(SECRETS)
    if what in ("read", "submit", "organize"):
        label = guest.field("label")[:60]
        made = people.new_token(guest.engine, label, who, what)
        return _own_page(guest, made, what != "read")
    if what == "another":
        secret = people.create_browser_invitation(guest.engine, who)
        return _own_page(guest, guest.link_to("i", secret))
    if what == "leave":
        guest.end_session()
        return guest.keep_cookie(guest.redirect(""), "session", "", 0)
    if what == "name":
        name, affiliation = guest.field("name"), guest.field("affiliation")
        people.rename_person(guest.engine, who, name, affiliation)
    else:
        people.revoke_token(guest.engine, who, guest.field("token"))
    return guest.redirect("my/")


@ROUTER.get("/my/b/{board}")
def show_team(guest: Here, board: KeyPath, sent: str = "") -> Response:
    """Show a board as a member sees it: the runs of the team, and what is left. sent : the run just sent."""
    return _team_page(guest, board, sent=sent)


def _team_page(
    guest: Guest,
    key: str,
    said: Sequence[Remark] = (),
    status: int = 200,
    *,
    typed: Form = MappingProxyType({}),
    sent: str = "",
) -> Response:
    """Return the page of a board for a team.

    said : remarks on a run. typed : what stands in the form. sent : the key of the run just sent.
    """
    board, place = _own_team(guest, key, Action.SEE_BOARD)
    runs = submissions.submissions_of(guest.engine, board.id, place.team)
    left = submissions.runs_left(guest.engine, key, place.team, guest.caller.person)
    return guest.page(
        "mine.html",
        status,
        board=board,
        team=place.team,
        said=said,
        runs=[guest.submission_facts(run.key) for run in reversed(runs)],
        left=left,
        then=submissions.when_more(left),
        accepts=guest.may(board, Action.SUBMIT),
        changes=guest.may(board, Action.WITHDRAW),
        known=guest.may(board, Action.SEE_SCORES),
        state=state_in_words(board, now()),
        home=_path_of_pages(guest, board),
        about=FIGURES[board.feedback],
        address=guest.site.address,
        typed=typed,
        sent=sent,
    )


def _path_of_pages(visit: Visit, board: Any) -> str:
    """Return where the pages of a board are that somebody may see; nothing where there are none yet."""
    if Visit(visit.request, NOBODY).may(board, Action.SEE_BOARD):
        return f"b/{board.key}/"
    return f"private/b/{board.key}/" if visit.may(board, Action.SEE_SCORES) else ""


def _own_team(guest: Guest, key: str, action: Action) -> tuple[Any, Place]:
    """Return a board, and the place of somebody who may do something there with a team."""
    board, place = guest.board_allowing(key, action)
    if not place.team:
        raise RefusedError(404, MISSING)
    return board, place


@ROUTER.post("/my/b/{board}/runs")
async def submit(guest: Here, board: KeyPath) -> Response:
    """Take a run that a form of this site sends, under the rules of the API; or only check it."""
    began = now()
    fields: dict[str, str] = {}
    kind = guest.request.headers.get("content-type", "")
    file = file_of_form(guest.request.stream(), kind, fields)
    page = partial(_team_page, typed=fields)
    try:
        row, place = await to_thread.run_sync(_own_team, guest, board, Action.SUBMIT)
        async with guest.upload(file, board, place) as arrived:
            file_name = PurePath(fields.get("run", ""))
            name = fields.get("name") or run_names([file_name])[0]
            if "check" in fields:
                odd = await guest.check_run(row, fit_name(name), arrived)
                said = odd or [remark("checked", "nothing is odd about this run")]
                return await to_thread.run_sync(page, guest, board, said)
            options = {"received": began, "replace": "replace" in fields, "by": place}
            about = {what: fields.get(what, "") for what in DESCRIBED}
            _, sent = await guest.submit(board, name, arrived, about=about, **options)
    except RefusedError as error:
        said = [remark("error", str(error))]
        return await to_thread.run_sync(page, guest, board, said, error.status)
    return guest.redirect(f"my/b/{board}?sent={sent.key}")


@ROUTER.post("/my/b/{board}")
def change_team(guest: Here, board: KeyPath) -> Response:
    """Withdraw a run of the team, make a review link to it, or invite somebody into the team."""
    by = guest.caller.person
    if key := guest.field("withdraw"):
        guest.submission_allowing(key, Action.WITHDRAW)
        submissions.withdraw(guest.engine, key, by)
        return guest.redirect(f"my/b/{board}")
    guest.require_seldom(SECRETS)
    if key := guest.field("review"):
        guest.submission_allowing(key, Action.LINK)
        days = guest.field("days")
        number = int(days) if re.fullmatch("[0-9]{1,3}", days) else 0
        secret = people.create_review_link(guest.engine, key, number, by)
        return _own_page(guest, guest.link_to("review", secret))
    row, place = _own_team(guest, board, Action.INVITE)
    return _invite(guest, row, "member", place.team)


def _invite(guest: Guest, board: Any, role: str, team: str) -> Response:
    """Make an invitation; return the page that shows its link this once."""
    secret = people.invite(guest.engine, board.key, role, team, guest.caller.person)
    link = guest.link_to("i", secret)
    return guest.page("link.html", board=board, role=role, team=team, link=link)


@ROUTER.get("/organize/b/{board}")
def show_organizers(guest: Here, board: KeyPath) -> Response:
    """Show organizers a board: runs, people, judgments, dates, what answers give away, log."""
    return _organizers_page(guest, guest.board_allowing(board, Action.ORGANIZE)[0])


def _organizers_page(
    guest: Guest, board: Any, alike: Sequence[Alike] | None = None
) -> Response:
    """Return the page of a board for its organizers. alike : runs that are alike, if that was looked for."""
    engine = guest.engine
    return guest.page(
        "organize.html",
        board=board,
        alike=alike,
        runs=submissions.submissions_of(engine, board.id),
        people=people.people_of_board(engine, board.id),
        invited=people.open_invitations(engine, board.id),
        names=people.names_of_people(engine),
        teams=people.teams_of_board(engine, board.id),
        judged=boards.judgments_of(engine, board.key),
        events=events.events_of_board(engine, board.id, most=LINES),
        leak=organizing.leak_in_words(engine, board),
        states=events.STATES,
        phase=phase(board, now()),
        state=state_in_words(board, now()),
        preview=guest.may(board, Action.SEE_SCORES),
        home=_path_of_pages(Visit(guest.request, NOBODY), board),
    )


@ROUTER.post("/organize/b/{board}")
def change_board(guest: Here, board: KeyPath) -> Response:
    """Let a team in or out, invite somebody, withdraw a run, change dates, or reveal the board."""
    row, _ = guest.board_allowing(board, Action.ORGANIZE)
    engine, by = guest.engine, guest.caller.person
    what, name, typed = map(guest.field, ("what", "team", "typed"))
    typed = typed.strip()
    if what in ("in", "out"):
        people.set_team(engine, board, name, by, state=what)
    elif what == "holder":
        people.set_team(engine, board, name, by, holder=True)
    elif what == "invite":
        return _invite(guest, row, guest.form.get("role", "member"), name)
    elif what == "remove":
        people.remove_person(engine, board, guest.field("person"), by)
    elif what == "alike":
        reads = guest.crew.read_first_documents
        alike = organizing.duplicates(guest.site, engine, board, reads)
        return _organizers_page(guest, row, alike)
    elif what == "withdraw":
        run = guest.field("run")
        guest.submission_allowing(run, Action.WITHDRAW)
        submissions.withdraw(engine, run, by)
    elif what == "dates":
        dates = {date: guest.field(date) for date in ("opens", "closes", "reveals")}
        new = {date: parse_moment(text) for date, text in dates.items() if text}
        boards.set_board(engine, board, new, typed=typed, by=by)
    elif what == "reveal":
        boards.reveal(engine, board, typed, by)
    return guest.redirect(f"organize/b/{board}")


@ROUTER.get("/join/{board}")
def show_join_form(guest: Here, board: KeyPath) -> Response:
    """Show the form by which a new team asks to take part."""
    row, _ = guest.board_allowing(board, Action.JOIN)
    return _entry_page(guest, f"join/{board}", board=row)


@ROUTER.post("/join/{board}")
def join(guest: Here, board: KeyPath) -> Response:
    """Ask to take part."""
    guest.board_allowing(board, Action.JOIN)
    guest.require_seldom("new teams")
    team, name, affiliation = map(guest.field, ("team", "name", "affiliation"))
    who = guest.caller.person
    number = people.ask_to_join(guest.engine, board, team, name, affiliation, who)
    return _begin_session(guest, number)


@ROUTER.get("/private/{path:path}")
def show_private(guest: Here, path: str) -> Response:
    """Hand out a page of a board that not everybody may see."""
    parts = path.split("/")
    if len(parts) < 3 or parts[0] != "b":
        raise RefusedError(404, MISSING)
    board, _ = guest.board_allowing(parts[1], Action.SEE_SCORES)
    folder = guest.site.private.resolve() / "b" / board.key
    with suppress(OSError, ValueError):  # as of a name that no file can have
        file = guest.site.private.joinpath(path).resolve()
        if file.is_relative_to(folder) and file.is_file():
            return FileResponse(file)
    raise RefusedError(404, MISSING)
