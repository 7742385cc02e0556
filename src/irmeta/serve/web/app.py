"""The server: its routes, the files that people look at, and what every answer has."""

import secrets
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from http import HTTPStatus
from pathlib import Path
from stat import S_ISREG
from urllib.parse import urlsplit

from anyio import to_thread
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, Response
from sqlalchemy import Engine
from sqlalchemy.exc import OperationalError
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import ClientDisconnect
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from irmeta.errors import typed
from irmeta.serve.catalogue.rules import MISSING, RefusedError
from irmeta.serve.crew.crew import Crew
from irmeta.serve.crew.figures import Figures
from irmeta.serve.crew.logs import LOG, REQUESTS
from irmeta.serve.pages.forms import root_of, template
from irmeta.serve.site import Site
from irmeta.serve.web import my, routes
from irmeta.serve.web.asked import problem
from irmeta.serve.web.door import Door

HOSTS = {"127.0.0.1", "localhost", "[::1]", "testserver"}
SAFE = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "x-frame-options": "DENY",
}
API = ("/v1/", "/healthz", "/metrics")
"""Where the paths of the API begin."""
DYNAMIC = (
    *API,
    "/i/",
    "/my/",
    "/organize/",
    "/join/",
    "/private/",
    "/review/",
    "/login/",
)
"""Where the paths begin whose answers depend on who asks."""
METHODS = ("GET", "HEAD", "POST", "PUT", "OPTIONS", "PATCH", "DELETE")
FILES = "files"
"""How the paths of finished files are called where paths are counted."""
THREADS = 8
"""Threads that ask the catalogue at once: pages, which come from one thread, wait for each of them."""
GONE = 499
"""The status, in what is counted, of who did not wait for an answer."""
SMALL = 1 << 18
"""Bytes of a file that is read at once."""


def application(site: Site, engine: Engine, crew: Crew) -> FastAPI:
    """Make the server of a site."""

    @asynccontextmanager
    async def alive(_: FastAPI) -> AsyncIterator[None]:
        to_thread.current_default_thread_limiter().total_tokens = THREADS
        crew.start()
        yield
        crew.close()

    served = [*routes.ROUTER.routes, *my.ROUTER.routes]
    if site.settings.login:  # others need no Authlib
        from irmeta.serve.web import login

        served += login.ROUTER.routes
    app = FastAPI(
        title="irmeta serve",
        version="1",
        docs_url=None,
        redoc_url=None,
        openapi_url="/v1/openapi.json",
        lifespan=alive,
        routes=served,
    )
    app.state.door = Door(site, engine, crew)
    if site.settings.login:
        app.state.providers = login.providers(site)
    app.exception_handler(RefusedError)(_answer_refused)
    app.exception_handler(OperationalError)(_answer_busy)
    app.exception_handler(OSError)(_answer_full_disk)
    app.exception_handler(HTTPException)(_answer_http)
    app.exception_handler(RequestValidationError)(_answer_invalid)
    hosts = HOSTS | {urlsplit(site.settings.address).hostname or "localhost"}
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=sorted(hosts))
    app.add_middleware(_Guarded, figures=crew.figures)
    app.mount("/", _Files(directory=site.public, html=True))
    return app


class _Files(StaticFiles):
    """Finished files; a small one is found and read at once, because threads would cost more than the file."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Answer with a file, or the page of a folder."""
        name = f"{path}/index.html" if scope["path"].endswith("/") else path
        with suppress(OSError, ValueError):
            if answer := self._small_file(name, scope):
                return answer
        return await super().get_response(path, scope)

    def _small_file(self, name: str, scope: Scope) -> Response | None:
        """Return the answer with a small file that is asked for as a whole; None where it is another."""
        path, there = self.lookup_path(name)
        if there is None or not S_ISREG(there.st_mode) or there.st_size > SMALL:
            return None
        if scope["method"] != "GET" or "range" in Headers(scope=scope):
            return None
        answer = self.file_response(path, there, scope)
        if answer.status_code != HTTPStatus.OK:
            return answer
        del answer.headers["content-length"]  # it may be another file by now
        return Response(Path(path).read_bytes(), headers=answer.headers)


def _answer_refused(request: Request, error: RefusedError) -> Response:
    """Say to programs and people why something was refused; of what is missing not more than that it is."""
    lost = error.status == HTTPStatus.NOT_FOUND
    if not request.url.path.startswith(API):
        return _missing_page(request, error.status, "" if lost else str(error))
    if lost:
        return problem(404, MISSING)
    with typed():  # who sends runs types commands
        return problem(error.status, str(error))


def _answer_busy(_: Request, error: OperationalError) -> Response:
    LOG.error("the catalogue: %s", error.orig)
    return problem(503, "the catalogue is busy or cannot be written; try again")


def _answer_full_disk(_: Request, error: OSError) -> Response:
    LOG.error("the disk: %s", error)
    return problem(507, "the disk takes nothing more; tell the operator")


def _answer_http(request: Request, error: HTTPException) -> Response:
    """Answer programs with a problem; who looks for a page reads one."""
    lost = error.status_code == HTTPStatus.NOT_FOUND
    if lost and not request.url.path.startswith(API):
        return _missing_page(request, error.status_code)
    answer = problem(error.status_code, str(error.detail))
    answer.headers.update(error.headers or {})
    return answer


def _missing_page(request: Request, status: int, text: str = "") -> Response:
    """Return the page that says that there is none, or why (text) what was sent was refused."""
    site: Site = request.app.state.door.site
    shared = {"site": site.settings, "root": root_of(site), "frozen": False}
    stamp = HTTPStatus(status).phrase.lower()
    page = template("missing.html").render(**shared, stamp=stamp, text=text)
    return HTMLResponse(page, status)


def _answer_invalid(request: Request, error: RequestValidationError) -> Response:
    """Say to programs what is wrong with what they sent; a page of such a name is not there."""
    if not request.url.path.startswith(API):
        return _missing_page(request, 404)
    problems = []
    for wrong in error.errors():
        pattern = wrong.get("ctx", {}).get("pattern")
        says = routes.WORDS.get(pattern, wrong["msg"])
        problems.append(f"{wrong['loc'][-1]}: {says}")
    return problem(422, "; ".join(problems))


class _Guarded:
    """Answers every request, with the headers that browsers heed; counts and logs it, by the template of its path."""

    def __init__(self, app: ASGIApp, figures: Figures) -> None:
        self._app = app
        self._figures = figures

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request: a problem for what goes wrong, our headers on all answers, a line in the log."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        dynamic = scope["path"].startswith(DYNAMIC)
        own = SAFE | {"cache-control": "no-store" if dynamic else "no-cache"}
        number, began, status = secrets.token_hex(8), time.perf_counter(), 0

        async def answer(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message).update(own)
            await send(message)

        try:
            if {"content-length", "transfer-encoding"} <= set(Headers(scope=scope)):
                # a proxy may see another request in what follows
                refusal = problem(
                    400, "a body has a length, or a coding: leave one out"
                )
                refusal.headers["connection"] = "close"
                await refusal(scope, receive, answer)
            else:
                await self._app(scope, receive, answer)
        except ClientDisconnect:  # nobody waits for an answer
            status = GONE
        except Exception:
            LOG.exception("request %s", number)
            if not status:
                mend = problem(500, f"tell the operator the number {number}")
                await mend(scope, receive, answer)
        self._note(scope, number, status, time.perf_counter() - began)

    def _note(self, scope: Scope, number: str, status: int, seconds: float) -> None:
        """Count and log a request: no path, since it has names; no query; of a person the number."""
        method = scope["method"] if scope["method"] in METHODS else "other"
        route = getattr(scope.get("route"), "path", FILES)
        self._figures.count_request(method, route, status, seconds)
        ms = round(1000 * seconds, 1)
        facts = {"request": number, "route": route, "status": status, "ms": ms}
        caller = scope.get("state", {}).get("caller")
        if caller and caller.person is not None:
            facts["person"] = caller.person
        REQUESTS.info("%s", method, extra={"facts": facts})
