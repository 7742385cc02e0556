"""The operations of the API: parse, call the catalogue, answer."""

import pathlib
from typing import Annotated, Any

import msgspec
from anyio import to_thread
from fastapi import APIRouter, Depends, Path, Query, Request
from fastapi.responses import FileResponse, Response
from pydantic import ValidationError
from sqlalchemy import Engine

from irmeta.errors import IrmetaError
from irmeta.serve.catalogue import boards, people, submissions
from irmeta.serve.catalogue.people import NOBODY
from irmeta.serve.catalogue.rules import (
    KEY,
    MISSING,
    NAME,
    NAMED,
    RANDOM,
    RefusedError,
    checked_texts,
    now,
)
from irmeta.serve.facts import (
    BoardFacts,
    Boards,
    Health,
    Judged,
    Me,
    Remarks,
    SubmissionFacts,
    Welcome,
)
from irmeta.serve.operating import importing
from irmeta.serve.policy import Action
from irmeta.serve.web.asked import About, Invitation, documented_problems, problem
from irmeta.serve.web.door import OURS, Visit, anybody, member, read_small_body
from irmeta.serve.web.receive import is_disk_full

OCTETS = "application/octet-stream"
PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8"
PASSED = {"forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-real-ip"}
"""Headers by which a proxy says that it asks for somebody else."""
FILE: dict[str, Any] = {OCTETS: {"schema": {"type": "string", "format": "binary"}}}
BODY: dict[str, Any] = {"requestBody": {"required": True, "content": FILE}}
BOARD, RUN, SENT_KEY = (f"^{rule.pattern}$" for rule in (KEY, NAME, RANDOM))
WORDS = {
    BOARD: "a board's key has 2 to 40 of a-z 0-9 -",
    RUN: f"a run's name {NAMED}",
    SENT_KEY: "a submission's key has 16 of a-z 2-7",
}
"""What patterns say, in words."""
KeyPath = Annotated[str, Path(pattern=BOARD)]
RunPath = Annotated[str, Path(pattern=RUN)]
Name = Annotated[str, Query(pattern=RUN)]
SubmissionPath = Annotated[str, Path(pattern=SENT_KEY)]
After = Annotated[str, Query(max_length=40)]
Limit = Annotated[int, Query(ge=1, le=200)]
Note = Annotated[str, Query(max_length=1000)]


Anybody = Annotated[Visit, Depends(anybody)]
Member = Annotated[Visit, Depends(member)]
SENT = documented_problems(401, 403, 404, 408, 413, 422, 507)
OWN = documented_problems(401, 404, 422)
THERE: dict[int | str, dict[str, Any]] = {
    200: {"model": SubmissionFacts, "description": "It is there"},
    202: {"model": SubmissionFacts, "description": "It is still checked"},
}
INVITED = {"application/json": {"schema": Invitation.model_json_schema()}}
ROUTER = APIRouter()
"""The operations, each with who may ask for it and what it may answer; their docstrings are those of the API."""


@ROUTER.post(
    "/v1/invitations",
    status_code=201,
    openapi_extra={"requestBody": {"required": True, "content": INVITED}},
    responses=documented_problems(404, 409, 413, 422),
)
async def take(visit: Anybody) -> Welcome:
    """Use up an invitation, and get a token for programs."""
    try:
        asked = Invitation.model_validate_json(await read_small_body(visit.request))
    except ValidationError as error:
        says = "the body is JSON of secret, name and, if you like, affiliation"
        raise RefusedError(422, says) from error
    return await to_thread.run_sync(_take_invitation, visit.engine, asked)


def _take_invitation(engine: Engine, asked: Invitation) -> Welcome:
    """Use up an invitation; return what it brought, with a new token."""
    taken = people.take_invitation(engine, asked.secret, asked.name, asked.affiliation)
    scope = people.SCOPES.get(taken.role, "organize")
    secret = people.new_token(engine, "invitation", taken.person, scope)
    return Welcome(board=taken.board, role=taken.role, scope=scope, token=secret)


@ROUTER.get("/healthz", responses=documented_problems())
def health(visit: Anybody) -> Health:
    """Say how the site is."""
    seen = _boards_allowing(Visit(visit.request, NOBODY), Action.SEE_SCORES)
    published = visit.crew.published.items()
    return Health(
        database="ok",
        disk="full" if is_disk_full(visit.site) else "ok",
        publishing="late" if visit.crew.is_late() else "ok",
        published={key: version for key, version in published if key in seen},
        **submissions.count_waiting(visit.engine),
    )


def _boards_allowing(visit: Visit, action: Action) -> list[str]:
    """List the keys of boards on which somebody may do something."""
    every = boards.all_boards(visit.engine)
    return [board.key for board in every if visit.may(board, action)]


@ROUTER.get("/metrics", include_in_schema=False)
def show_metrics(request: Request) -> Response:
    """Say what is counted, to a program of this machine that no proxy stands before."""
    near = request.client is not None and request.client.host in OURS
    if not near or request.url.hostname not in OURS or PASSED & {*request.headers}:
        raise RefusedError(404, MISSING)
    figures = request.app.state.door.crew.figures
    return Response(figures.as_text(), media_type=PROMETHEUS)


@ROUTER.get("/v1/boards", responses=documented_problems(422))
def list_boards(visit: Anybody, after: After = "", limit: Limit = 200) -> Boards:
    """List the boards."""
    keys = [key for key in _boards_allowing(visit, Action.SEE_BOARD) if key > after]
    return Boards(boards=[visit.board_facts(key) for key in keys[:limit]])


@ROUTER.get("/v1/boards/{board}", responses=documented_problems(404, 422))
def get_board(visit: Anybody, board: KeyPath) -> BoardFacts:
    """Return a board."""
    return visit.board_facts(board)


@ROUTER.get("/v1/me", responses=documented_problems(401))
def me(visit: Member) -> Me:
    """Say whose token this is."""
    who, scope = visit.caller.person, visit.caller.scope
    if who is None:
        return Me(name="", scope=scope, boards=[])
    own = [row._asdict() for row in people.boards_of(visit.engine, who)]
    return Me(name=people.person_of(visit.engine, who).name, scope=scope, boards=own)


@ROUTER.put(
    "/v1/boards/{board}/runs/{name}",
    status_code=201,
    openapi_extra=BODY,
    responses=THERE | SENT | documented_problems(409),
)
async def submit(
    visit: Member,
    response: Response,
    board: KeyPath,
    name: RunPath,
    about: Annotated[About, Query()],
) -> Any:
    """Submit a run: the body, plain or packed with gzip, bzip2, xz or zstd."""
    began = now()
    texts = checked_texts(about.model_dump(exclude={"replace"}))
    _, by = await to_thread.run_sync(visit.board_allowing, board, Action.SUBMIT)
    async with visit.upload(visit.request.stream(), board, by) as arrived:
        options = {"received": began, "replace": about.replace, "about": texts}
        new, facts = await visit.submit(board, name, arrived, **options, by=by)
    if facts.state == "refused":
        return problem(422, "the run was refused", facts.remarks)
    response.status_code = 201 if new else 200
    if facts.state == "received":
        response.status_code = 202
    return facts


@ROUTER.put("/v1/boards/{board}/judgments", openapi_extra=BODY, responses=SENT)
async def judge(visit: Member, board: KeyPath, note: Note = "") -> Judged:
    """Add judgments, or a new version of them: the body, plain or packed; its promise binds them."""
    _, by = await to_thread.run_sync(visit.board_allowing, board, Action.JUDGE)
    async with visit.upload(visit.request.stream(), board, by) as arrived:
        return await to_thread.run_sync(
            _add_judgments, visit, board, arrived.part, note
        )


def _add_judgments(visit: Visit, key: str, part: pathlib.Path, note: str) -> Judged:
    """Add the judgments in a file to a board; refuse others, without the file's name."""
    own = (visit.site, visit.engine, key, part, note)
    try:
        importing.add_judgments(*own, visit.crew.read_judgments)
    except IrmetaError as error:
        says = str(error).replace(str(part), "judgments")
        raise RefusedError(422, says) from error
    newest = boards.judgments_of(visit.engine, key)
    return msgspec.convert(newest, Judged, from_attributes=True)


@ROUTER.post("/v1/boards/{board}/check", openapi_extra=BODY, responses=SENT)
async def check(visit: Member, board: KeyPath, name: Name = "run") -> Remarks:
    """Check a run, and keep nothing; remarks call it by its name."""
    row, by = await to_thread.run_sync(visit.board_allowing, board, Action.CHECK)
    async with visit.upload(visit.request.stream(), board, by) as arrived:
        remarks = await visit.check_run(row, name, arrived)
        return msgspec.convert({"remarks": remarks}, Remarks)


@ROUTER.get("/v1/submissions/{key}", responses=OWN)
def submission(visit: Member, key: SubmissionPath) -> SubmissionFacts:
    """Return a submission."""
    visit.submission_allowing(key, Action.SEE_SUBMISSION)
    return visit.submission_facts(key)


@ROUTER.post("/v1/submissions/{key}/withdraw", responses=OWN)
def withdraw(visit: Member, key: SubmissionPath) -> SubmissionFacts:
    """Take a submission off the table; its page stays, marked."""
    visit.submission_allowing(key, Action.WITHDRAW)
    submissions.withdraw(visit.engine, key, visit.caller.person)
    return visit.submission_facts(key)


@ROUTER.get(
    "/v1/submissions/{key}/run",
    responses={200: {"content": FILE}, **OWN},
    response_class=FileResponse,
)
def run(visit: Member, key: SubmissionPath) -> FileResponse:
    """Return the bytes of a run as they came."""
    path = visit.site.run_path(visit.submission_allowing(key, Action.DOWNLOAD_RUN).run)
    if not path.is_file():
        raise RefusedError(404, f"the run of {key} is not here")
    return FileResponse(path, media_type=OCTETS)
