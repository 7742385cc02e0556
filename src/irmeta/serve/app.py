"""The routes: parse, ask whether it may be, call the catalogue, answer. What people look at are files."""

import asyncio
import hashlib
import logging
import secrets
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Annotated, Any
from urllib.parse import urlsplit

import sqlalchemy as sa
from anyio import to_thread
from fastapi import Depends, FastAPI, Header, Path, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse, Response
from pydantic import BaseModel
from sqlalchemy.engine import Row
from starlette.exceptions import HTTPException
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.staticfiles import StaticFiles

from irmeta.serve import catalogue
from irmeta.serve.catalogue import DESCRIBED, RefusedError
from irmeta.serve.crew import Crew
from irmeta.serve.receive import Arrived, kept, receive
from irmeta.serve.site import Site

LOG = logging.getLogger("irmeta.serve")
WAIT = 5.0
"""Seconds that an upload waits for its check."""
ANONYMOUS = 60
"""Requests of one address without a token in a minute, at most."""
PROBLEM = "application/problem+json"
SAFE = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "x-frame-options": "DENY",
}
KeyPath = Annotated[str, Path(pattern="^[a-z0-9-]{2,40}$")]
RunPath = Annotated[str, Path(pattern="^[A-Za-z0-9._-]{1,40}$")]
SubmissionPath = Annotated[str, Path(pattern="^[a-z2-7]{16}$")]
About = Annotated[str, Query(max_length=4000)]
BODY = {
    "requestBody": {
        "required": True,
        "content": {
            "application/octet-stream": {
                "schema": {"type": "string", "format": "binary"}
            }
        },
    }
}


class Problem(BaseModel):
    """What went wrong, and what to do."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    remarks: list[dict[str, Any]] = []


class BoardFacts(BaseModel):
    """A board, as anybody may know it."""

    key: str
    title: str
    collection: str
    metrics: list[str]
    topics: int
    depth: int
    version: int
    published: int
    counts: dict[str, int]
    page: str


class Boards(BaseModel):
    """The boards from one on."""

    boards: list[BoardFacts]


class Remarks(BaseModel):
    """What is odd about a run."""

    remarks: list[dict[str, Any]]


class SubmissionFacts(BaseModel):
    """A submission, as its team may know it; `published` once its page shows its score."""

    key: str
    board: str
    name: str
    team: str
    state: str
    received: int
    remarks: list[dict[str, Any]]
    published: bool
    page: str
    record: str


class Health(BaseModel):
    """How the site is."""

    database: str
    waiting: int
    oldest_s: int
    published: dict[str, int]


TITLES = {
    400: "Bad request",
    401: "A token is needed",
    404: "Not found",
    405: "Method not allowed",
    408: "Too slow",
    409: "The name is taken",
    413: "Too long",
    422: "Refused",
    429: "Too many requests",
    500: "Our mistake",
    507: "The disk is full",
}


def answers(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Document the problems that an operation may answer with."""
    content = {PROBLEM: {"schema": Problem.model_json_schema()}}
    return {
        status: {"description": TITLES[status], "content": content}
        for status in (400, 429, *statuses)
    }


def problem(
    status: int, detail: str, remarks: list[dict[str, Any]] | None = None
) -> Response:
    """Answer with what went wrong."""
    body = Problem(
        title=TITLES.get(status, "Error"),
        status=status,
        detail=detail,
        remarks=remarks or [],
    )
    headers = {"retry-after": "60"} if status == 429 else {}
    headers |= {"www-authenticate": "Bearer"} if status == 401 else {}
    return JSONResponse(body.model_dump(), status, headers=headers, media_type=PROBLEM)


class Frequency:
    """Counts requests by minute, and forgets the minute before."""

    def __init__(self) -> None:
        self._minute = 0
        self._counts: Counter[str] = Counter()

    def require(self, who: str, most: int) -> None:
        """Refuse a request too many."""
        minute = int(time.time() // 60)
        if minute != self._minute:
            self._minute, self._counts = minute, Counter()
        self._counts[who] += 1
        if self._counts[who] > most:
            raise RefusedError(429, f"more than {most} requests in a minute; wait")


class Door:
    """What the routes need: the site, its catalogue, its crew; and who may come in."""

    def __init__(self, site: Site, engine: sa.Engine, crew: Crew) -> None:
        self.site = site
        self.engine = engine
        self.crew = crew
        self.frequency = Frequency()
        self.uploading = 0

    async def member(
        self,
        request: Request,
        authorization: Annotated[str | None, Header()] = None,
    ) -> None:
        """Let pass who has a token of this site."""
        kind, _, secret = (authorization or "").partition(" ")
        digest = hashlib.sha256(secret.strip().encode("utf-8", "replace")).hexdigest()
        known = kind.lower() == "bearer" and await to_thread.run_sync(
            catalogue.known_token, self.engine, digest
        )
        if not known:
            self.anybody(request)
            raise RefusedError(
                401, "give a token of this site: Authorization: Bearer TOKEN"
            )
        self.frequency.require(digest, self.site.settings.requests)

    def anybody(self, request: Request) -> None:
        """Let pass who does not ask too often."""
        address = request.client.host if request.client else ""
        own = address in ("127.0.0.1", "::1", "testclient")
        most = self.site.settings.requests if own else ANONYMOUS
        self.frequency.require(address, most)

    @asynccontextmanager
    async def upload(self, request: Request) -> AsyncIterator[Arrived]:
        """Take a body in, and forget it unless it is kept."""
        if self.uploading >= self.site.settings.uploads:
            raise RefusedError(429, "too many uploads at once; wait a little")
        length = request.headers.get("content-length", "")
        self.uploading += 1
        try:
            size = int(length) if length.isdecimal() else None
            arrived = await receive(self.site, request.stream(), size)
        finally:
            self.uploading -= 1
        try:
            yield arrived
        finally:
            arrived.forget()

    def facts(self, key: str) -> BoardFacts:
        """Gather what anybody may know of a board."""
        one = catalogue.board_of(self.engine, key)
        return BoardFacts(
            key=one.key,
            title=one.title,
            collection=one.collection,
            metrics=one.metrics,
            topics=len(one.topics),
            depth=one.depth,
            version=one.version,
            published=self.crew.published.get(key, 0),
            counts=catalogue.counts(self.engine, key),
            page=f"/b/{key}/",
        )

    def submission(self, key: str) -> SubmissionFacts:
        """Gather what its team may know of a submission."""
        one = catalogue.submission_of(self.engine, key)
        record = f"b/{one.board_key}/s/{key}/record.json"
        scored = one.state in ("scored", "failed", "withdrawn")
        shown = self.crew.published.get(one.board_key, 0) >= one.board_version
        return SubmissionFacts(
            key=key,
            board=one.board_key,
            name=one.name,
            team=one.team,
            state=one.state,
            received=one.received,
            remarks=one.remarks,
            published=scored and shown and (self.site.public / record).exists(),
            page=f"/b/{one.board_key}/s/{key}/",
            record=f"/{record}",
        )


def application(site: Site, engine: sa.Engine, crew: Crew) -> FastAPI:
    """Make the server of a site."""
    door = Door(site, engine, crew)

    @asynccontextmanager
    async def alive(_: FastAPI) -> AsyncIterator[None]:
        crew.start()
        yield
        crew.close()

    app = FastAPI(
        title="irmeta serve",
        version="1",
        docs_url=None,
        redoc_url=None,
        openapi_url="/v1/openapi.json",
        lifespan=alive,
    )
    _guard(app, site)
    _boards(app, door)
    _submissions(app, door)

    @app.get("/healthz", responses=answers())
    def healthz(request: Request) -> Health:
        """Say how the site is."""
        door.anybody(request)
        found = catalogue.healthy(engine)
        return Health(database="ok", published=crew.published, **found)

    site.public.mkdir(exist_ok=True)
    app.mount("/", StaticFiles(directory=site.public, html=True))
    return app


def _guard(app: FastAPI, site: Site) -> None:
    """Answer errors as problems, and every request with the headers that browsers heed."""
    hosts = {"127.0.0.1", "localhost", "[::1]", "testserver"}
    hosts |= {urlsplit(site.settings.address).hostname or "localhost"}

    @app.exception_handler(RefusedError)
    def refused(_: Request, error: RefusedError) -> Response:
        return problem(error.status, str(error))

    @app.exception_handler(HTTPException)
    def http(_: Request, error: HTTPException) -> Response:
        answer = problem(error.status_code, str(error.detail))
        answer.headers.update(error.headers or {})
        return answer

    @app.exception_handler(RequestValidationError)
    def invalid(_: Request, error: RequestValidationError) -> Response:
        problems = (f"{one['loc'][-1]}: {one['msg']}" for one in error.errors())
        return problem(422, "; ".join(problems))

    @app.middleware("http")
    async def headers(
        request: Request, call: Callable[[Request], Awaitable[Response]]
    ) -> Response:
        try:
            answer = await call(request)
        except Exception:
            number = secrets.token_hex(4)
            LOG.exception("request %s", number)
            answer = problem(500, f"tell the operator the number {number}")
        for name, value in SAFE.items():
            answer.headers.setdefault(name, value)
        dynamic = request.url.path.startswith(("/v1/", "/healthz"))
        answer.headers["cache-control"] = "no-store" if dynamic else "no-cache"
        return answer

    app.add_middleware(TrustedHostMiddleware, allowed_hosts=sorted(hosts))


def _boards(app: FastAPI, door: Door) -> None:
    """Add the routes of boards."""
    member = [Depends(door.member)]

    @app.get("/v1/boards", responses=answers(422))
    def boards(
        request: Request,
        after: Annotated[str, Query(max_length=40)] = "",
        limit: Annotated[int, Query(ge=1, le=200)] = 200,
    ) -> Boards:
        """List the boards."""
        door.anybody(request)
        keys = [one.key for one in catalogue.boards(door.engine) if one.key > after]
        return Boards(boards=[door.facts(key) for key in keys[:limit]])

    @app.get("/v1/boards/{board}", responses=answers(404, 422))
    def board(request: Request, board: KeyPath) -> BoardFacts:
        """Return a board."""
        door.anybody(request)
        return door.facts(board)

    @app.put(
        "/v1/boards/{board}/runs/{name}",
        dependencies=member,
        status_code=201,
        openapi_extra=BODY,
        responses={
            200: {"model": SubmissionFacts, "description": "It is there"},
            202: {"model": SubmissionFacts, "description": "It is still checked"},
            **answers(401, 404, 408, 409, 413, 422, 507),
        },
    )
    async def submit(
        request: Request,
        response: Response,
        board: KeyPath,
        name: RunPath,
        replace: bool = False,
        team: About = "",
        system: About = "",
        repeat: About = "",
        type: About = "",  # noqa: A002 - the name that people know
        description: About = "",
        baseline: About = "",
        link: About = "",
    ) -> Any:
        """Submit a run: the body, plain or packed with gzip, bzip2, xz or zstd."""
        began = catalogue.now()
        given = (team, system, repeat, type, description, baseline, link)
        names = ("team", "system", "repeat", "type", "description", "baseline", "link")
        about = dict(zip(names, given, strict=True))
        for what, text in about.items():
            catalogue.cleaned(what, text, DESCRIBED[what])
        await to_thread.run_sync(catalogue.board_of, door.engine, board)
        async with door.upload(request) as arrived:
            await kept(door.site, arrived)
            made = await to_thread.run_sync(
                lambda: catalogue.submit(
                    *(door.engine, board, name, arrived.digest, arrived.size),
                    received=began,
                    replace=replace,
                    about=about,
                )
            )
        checking = door.crew.check(made.key)
        await asyncio.wait([asyncio.wrap_future(checking)], timeout=WAIT)
        found = await to_thread.run_sync(door.submission, made.key)
        if found.state == "refused":
            return problem(422, "the run was refused", found.remarks)
        response.status_code = 201 if made.new else 200
        if found.state == "received":
            response.status_code = 202
        return found

    @app.post(
        "/v1/boards/{board}/check",
        dependencies=member,
        openapi_extra=BODY,
        responses=answers(401, 404, 408, 413, 422, 507),
    )
    async def check(request: Request, board: KeyPath) -> Remarks:
        """Check a run, and keep nothing."""
        of = await to_thread.run_sync(catalogue.board_of, door.engine, board)
        async with door.upload(request) as arrived:
            given = {"run": str(arrived.part), "name": "run", "topics": of.topics}
            given |= {"documents": door.crew.documents(of.documents), "depth": of.depth}
            answer = await to_thread.run_sync(door.crew.remarks, given)
        error = answer.get("error")
        unread = [{"level": "error", "line": None, "text": error}]
        return Remarks(remarks=answer.get("remarks", unread))


def _submissions(app: FastAPI, door: Door) -> None:
    """Add the routes of submissions."""
    member = [Depends(door.member)]

    @app.get(
        "/v1/submissions/{key}", dependencies=member, responses=answers(401, 404, 422)
    )
    def submission(key: SubmissionPath) -> SubmissionFacts:
        """Return a submission."""
        return door.submission(key)

    @app.post(
        "/v1/submissions/{key}/withdraw",
        dependencies=member,
        responses=answers(401, 404, 422),
    )
    def withdraw(key: SubmissionPath) -> SubmissionFacts:
        """Take a submission off the table; its page stays, marked."""
        catalogue.withdraw(door.engine, key)
        return door.submission(key)

    @app.get(
        "/v1/submissions/{key}/run",
        dependencies=member,
        response_class=FileResponse,
        responses={
            200: {"content": {"application/octet-stream": {}}},
            **answers(401, 404, 422),
        },
    )
    def run(key: SubmissionPath) -> FileResponse:
        """Return the bytes of a run as they came."""
        found: Row[Any] = catalogue.submission_of(door.engine, key)
        path = door.site.run(found.run)
        if not path.is_file():
            raise RefusedError(404, f"the run of {key} is not here")
        return FileResponse(path, media_type="application/octet-stream")
