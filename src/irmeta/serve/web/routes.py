"""The operations of the API: parse, call the catalogue, answer."""

import pathlib
from typing import Annotated, Any

from anyio import to_thread
from fastapi import APIRouter, Depends, FastAPI, Path, Query, Request
from fastapi.responses import FileResponse, Response
from pydantic import ValidationError

from irmeta.errors import IrmetaError
from irmeta.serve.catalogue import boards, people, submissions
from irmeta.serve.catalogue.people import NOBODY, Caller, Place
from irmeta.serve.catalogue.rules import MISSING, NAMED, RefusedError, described, now
from irmeta.serve.operating import importing
from irmeta.serve.policy import Action
from irmeta.serve.web.door import OURS, Door
from irmeta.serve.web.facts import (
    About,
    BoardFacts,
    Boards,
    Health,
    Invitation,
    Judged,
    Me,
    Remarks,
    SubmissionFacts,
    Welcome,
    answers,
    problem,
)
from irmeta.serve.web.receive import full_disk

OCTETS = "application/octet-stream"
PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8"
PASSED = {"forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-real-ip"}
"""Headers by which a proxy says that it asks for somebody else."""
FILE: dict[str, Any] = {OCTETS: {"schema": {"type": "string", "format": "binary"}}}
BODY: dict[str, Any] = {"requestBody": {"required": True, "content": FILE}}
BOARD, RUN, ONE = "^[a-z0-9-]{2,40}$", "^[A-Za-z0-9._-]{1,40}$", "^[a-z2-7]{16}$"
WORDS = {
    BOARD: "a board's key has 2 to 40 of a-z 0-9 -",
    RUN: f"a run's name {NAMED}",
    ONE: "a submission's key has 16 of a-z 2-7",
}
"""What patterns say, in words."""
KeyPath = Annotated[str, Path(pattern=BOARD)]
RunPath = Annotated[str, Path(pattern=RUN)]
Name = Annotated[str, Query(pattern=RUN)]
SubmissionPath = Annotated[str, Path(pattern=ONE)]
After = Annotated[str, Query(max_length=40)]
Limit = Annotated[int, Query(ge=1, le=200)]
Note = Annotated[str, Query(max_length=1000)]


class Routes:
    """What the operations do; their docstrings are those of the API."""

    def __init__(self, door: Door) -> None:
        self._door = door
        self._engine = door.engine

    def health(self) -> Health:
        """Say how the site is."""
        seen = {one.key for one in self._seen(NOBODY, Action.SEE_SCORES)}
        published = self._door.crew.published.items()
        waits = submissions.waiting(self._engine)
        shown = {key: version for key, version in published if key in seen}
        full = full_disk(self._door.site)
        late = self._door.crew.late()
        return Health(
            database="ok",
            disk="full" if full else "ok",
            publishing="late" if late else "ok",
            published=shown,
            **waits,
        )

    def metrics(self, request: Request) -> Response:
        """Say what is counted, to a program of this machine that no proxy stands before."""
        near = request.client is not None and request.client.host in OURS
        if not near or request.url.hostname not in OURS or PASSED & {*request.headers}:
            raise RefusedError(404, MISSING)
        return Response(self._door.crew.figures.text(), media_type=PROMETHEUS)

    def boards(self, request: Request, after: After = "", limit: Limit = 200) -> Boards:
        """List the boards."""
        caller = request.state.caller
        seen = self._seen(caller, Action.SEE_BOARD)
        keys = [one.key for one in seen if one.key > after]
        return Boards(boards=[self._door.board(caller, key) for key in keys[:limit]])

    def _seen(self, caller: Caller, action: Action) -> list[Any]:
        every = boards.boards(self._engine)
        return [one for one in every if self._door.may(caller, one, action)]

    def board(self, request: Request, board: KeyPath) -> BoardFacts:
        """Return a board."""
        return self._door.board(request.state.caller, board)

    async def submit(
        self,
        request: Request,
        response: Response,
        board: KeyPath,
        name: RunPath,
        about: Annotated[About, Query()],
    ) -> Any:
        """Submit a run: the body, plain or packed with gzip, bzip2, xz or zstd."""
        began = now()
        texts = described(about.model_dump(exclude={"replace"}))
        by = await self._asked(request, board, Action.SUBMIT)
        async with self._door.upload(request, request.stream(), by) as arrived:
            given = {"received": began, "replace": about.replace, "about": texts}
            new, found = await self._door.submit(
                request.state.caller, board, name, arrived, **given, by=by
            )
        if found.state == "refused":
            return problem(422, "the run was refused", found.remarks)
        response.status_code = 201 if new else 200
        if found.state == "received":
            response.status_code = 202
        return found

    async def _asked(self, request: Request, board: str, action: Action) -> Place:
        """Return what somebody is on a board, who may do something there."""

        def asked() -> Place:
            of = boards.board_of(self._engine, board)
            return self._door.require(request.state.caller, of, action)

        return await to_thread.run_sync(asked)

    async def check(
        self, request: Request, board: KeyPath, name: Name = "run"
    ) -> Remarks:
        """Check a run, and keep nothing; remarks call it by its name."""
        by = await self._asked(request, board, Action.CHECK)
        of = await to_thread.run_sync(boards.board_of, self._engine, board)
        async with self._door.upload(request, request.stream(), by) as arrived:
            found = await self._door.remarks(request.state.caller, of, name, arrived)
            return Remarks(remarks=found)

    async def judge(self, request: Request, board: KeyPath, note: Note = "") -> Judged:
        """Add judgments, or a new version of them: the body, plain or packed; its promise binds them."""
        by = await self._asked(request, board, Action.JUDGE)
        async with self._door.upload(request, request.stream(), by) as arrived:
            return await to_thread.run_sync(self._judge, board, arrived.part, note)

    def _judge(self, key: str, part: pathlib.Path, note: str) -> Judged:
        try:
            own = (self._door.site, self._engine, key, part, note)
            importing.judge(*own, self._door.crew.judged)
        except IrmetaError as error:
            says = str(error).replace(str(part), "judgments")
            raise RefusedError(422, says) from error
        made = boards.judgments_of(self._engine, key)
        return Judged.model_validate(made, from_attributes=True)

    def submission(self, request: Request, key: SubmissionPath) -> SubmissionFacts:
        """Return a submission."""
        self._door.own(request.state.caller, key, Action.SEE_SUBMISSION)
        return self._door.submission(request.state.caller, key)

    def withdraw(self, request: Request, key: SubmissionPath) -> SubmissionFacts:
        """Take a submission off the table; its page stays, marked."""
        caller = request.state.caller
        self._door.own(caller, key, Action.WITHDRAW)
        submissions.withdraw(self._engine, key, caller.person)
        return self._door.submission(caller, key)

    def run(self, request: Request, key: SubmissionPath) -> FileResponse:
        """Return the bytes of a run as they came."""
        found = self._door.own(request.state.caller, key, Action.DOWNLOAD_RUN)
        path = self._door.site.run(found.run)
        if not path.is_file():
            raise RefusedError(404, f"the run of {key} is not here")
        return FileResponse(path, media_type=OCTETS)

    async def take(self, request: Request) -> Welcome:
        """Use up an invitation, and get a token for programs."""
        try:
            given = Invitation.model_validate_json(await self._door.small(request))
        except ValidationError as error:
            says = "the body is JSON of secret, name and, if you like, affiliation"
            raise RefusedError(422, says) from error
        return await to_thread.run_sync(self._take, given)

    def _take(self, given: Invitation) -> Welcome:
        taken = people.take(self._engine, given.secret, given.name, given.affiliation)
        scope = people.SCOPES.get(taken.role, "organize")
        made = people.new_token(self._engine, "invitation", taken.person, scope)
        return Welcome(board=taken.board, role=taken.role, scope=scope, token=made)

    def me(self, request: Request) -> Me:
        """Say whose token this is."""
        caller = request.state.caller
        if caller.person is None:
            return Me(name="", scope=caller.scope, boards=[])
        own = people.boards_of(self._engine, caller.person)
        name = people.person_of(self._engine, caller.person).name
        return Me(name=name, scope=caller.scope, boards=[one._asdict() for one in own])


def add(app: FastAPI, door: Door) -> None:
    """Add the operations to a server, each with who may ask for it and what it may answer."""
    routes = Routes(door)
    anybody = APIRouter(dependencies=[Depends(door.anybody)])
    member = APIRouter(dependencies=[Depends(door.member)])
    board, one = "/v1/boards/{board}", "/v1/submissions/{key}"
    sent = (401, 403, 404, 408, 413, 422, 507)
    there = {"model": SubmissionFacts, "description": "It is there"}
    later = {"model": SubmissionFacts, "description": "It is still checked"}
    submitted = {200: there, 202: later, **answers(*sent, 409)}
    own = answers(401, 404, 422)

    content = {"application/json": {"schema": Invitation.model_json_schema()}}
    asked = {"requestBody": {"required": True, "content": content}}
    joined = answers(404, 409, 413, 422)
    post = anybody.post(
        "/v1/invitations", status_code=201, openapi_extra=asked, responses=joined
    )
    post(routes.take)
    member.get("/v1/me", responses=answers(401))(routes.me)
    anybody.get("/healthz", responses=answers())(routes.health)
    app.get("/metrics", include_in_schema=False)(routes.metrics)
    anybody.get("/v1/boards", responses=answers(422))(routes.boards)
    anybody.get(board, responses=answers(404, 422))(routes.board)
    put = member.put(
        f"{board}/runs/{{name}}",
        status_code=201,
        openapi_extra=BODY,
        responses=submitted,
    )
    put(routes.submit)
    judge = member.put(
        f"{board}/judgments", openapi_extra=BODY, responses=answers(*sent)
    )
    judge(routes.judge)
    check = f"{board}/check"
    member.post(check, openapi_extra=BODY, responses=answers(*sent))(routes.check)
    member.get(one, responses=own)(routes.submission)
    member.post(f"{one}/withdraw", responses=own)(routes.withdraw)
    file = {200: {"content": FILE}, **own}
    member.get(f"{one}/run", responses=file, response_class=FileResponse)(routes.run)
    app.include_router(anybody)
    app.include_router(member)
