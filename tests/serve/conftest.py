"""A small site, and a server of it that lives as long as the tests."""

import random
import shutil
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

fastapi = pytest.importorskip("fastapi", reason="the extra serve is not installed")

import httpx2  # noqa: E402
import uvicorn  # noqa: E402
from bench.killed_server import free_port  # noqa: E402
from fastapi import Request  # noqa: E402
from fastapi.testclient import TestClient  # noqa: E402
from sqlalchemy import Engine  # noqa: E402
from tests.serve import servers  # noqa: E402

from irmeta.serve.catalogue import people, submissions, tables  # noqa: E402
from irmeta.serve.crew import tasks  # noqa: E402
from irmeta.serve.crew.child import Child  # noqa: E402
from irmeta.serve.crew.crew import Crew  # noqa: E402
from irmeta.serve.operating import importing  # noqa: E402
from irmeta.serve.site import Site  # noqa: E402
from irmeta.serve.web.app import application  # noqa: E402

TOPICS = [str(301 + at) for at in range(8)]
DOCUMENTS = [f"d{at:02}" for at in range(30)]


def a_run(seed: int, skill: float = 0.5) -> bytes:
    """Make a run that finds relevant documents (even numbers) the better, the more skill it has."""
    rng = random.Random(seed)
    lines = []
    for topic in TOPICS:
        found = sorted(
            DOCUMENTS, key=lambda one: rng.random() - skill * (int(one[1:]) % 2 == 0)
        )
        lines += [
            f"{topic} Q0 {document} {rank} {100 - rank} tag"
            for rank, document in enumerate(found[:20], 1)
        ]
    return ("\n".join(lines) + "\n").encode()


def write_qrels(path: Path, *, without: str = "") -> Path:
    """Write judgments: documents with even numbers are relevant."""
    lines = [
        f"{topic} 0 {one} {int(int(one[1:]) % 2 == 0)}"
        for topic in TOPICS
        for one in DOCUMENTS
        if topic != without
    ]
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture(scope="session", autouse=True)
def on_a_server() -> Iterator[None]:
    """Have every catalogue in PostgreSQL where `make test-postgres` started a server."""
    with pytest.MonkeyPatch.context() as patch:
        if servers.SERVER:
            servers.on_a_server(patch)
        yield


@dataclass
class Served:
    """A server, and a member's way in."""

    site: Site
    engine: Engine
    client: TestClient
    token: str
    crew: Crew

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}

    def put(self, name: str, body: bytes, board: str = "lab", **about: Any) -> Any:
        return self.client.put(
            f"/v1/boards/{board}/runs/{name}",
            content=body,
            params=about,
            headers=self.headers,
        )

    def get(self, path: str) -> Any:
        return self.client.get(path, headers=self.headers)

    def wait(self, until: Callable[[], bool], seconds: float = 200) -> None:
        """Wait, some time at most: other tests may have the processors."""
        end = time.monotonic() + seconds
        while not until():
            assert time.monotonic() < end, "it takes too long"
            time.sleep(0.05)

    def shown(self, key: str) -> dict[str, Any]:
        """Return the record of a submission, once it is published as the board is now."""
        self.wait(lambda: self.get(f"/v1/submissions/{key}").json()["published"])
        where = f"/b/lab/s/{key}/record.json"
        now = self.get("/v1/boards/lab").json()["version"]
        self.wait(lambda: self.client.get(where).json()["version"] >= now)
        return self.client.get(where).json()


class _Body(httpx2.AsyncByteStream):
    """A body that a test writes while it is read."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = pieces

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self._pieces:
            yield piece


class _Once(httpx2.BaseTransport):
    """Goes to the event loop of a server once for a request; FastAPI's own goes there eight times."""

    def __init__(self, client: TestClient) -> None:
        self._client = client
        self._asked = httpx2.ASGITransport(client.app, client=("testclient", 50000))

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Answer a request."""
        assert self._client.portal is not None
        request.stream = _Body(request.stream)
        return self._client.portal.call(self._answer, request)

    async def _answer(self, request: httpx2.Request) -> httpx2.Response:
        found = await self._asked.handle_async_request(request)
        body = b"".join([piece async for piece in found.aiter_raw()])
        given = {"headers": found.headers, "stream": httpx2.ByteStream(body)}
        return httpx2.Response(found.status_code, **given)


class Client(TestClient):
    """A client of a server that runs in this process."""

    def __init__(self, app: Any, **given: Any) -> None:
        super().__init__(app, **given)
        self._transport = _Once(self)


def beside(client: TestClient) -> TestClient:
    """Make a client without cookies of a server that runs, in whose event loop it asks, too."""
    other = Client(client.app, follow_redirects=False)
    other.portal = client.portal
    return other


def asking(door: Any) -> Request:
    """Make a request to a door."""
    app = SimpleNamespace(state=SimpleNamespace(door=door))
    return Request({"type": "http", "headers": [], "app": app})


class Lasting(Child):
    """A child that a crew leaves alive, for the next one, who waits until it has answered."""

    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.Lock()

    def ask(self, task: str, until: float, **given: Any) -> dict[str, Any]:
        with self._lock:
            return super().ask(task, until, **given)

    def close(self) -> None:
        """Nothing."""


@pytest.fixture(scope="session")
def child() -> Iterator[Child]:
    """Who publishes, checks and scores: it starts once."""
    lasting = Lasting()
    yield lasting
    Child.close(lasting)


def lend(crew: Crew, child: Child) -> None:
    """Let a crew of one work with a child that outlives it."""
    crew._publisher = child
    crew._children.clear()
    crew._pool.submit(lambda: setattr(crew._own, "child", child)).result()


@contextmanager
def on_a_port(app: Any, **given: Any) -> Iterator[int]:
    """Serve an application to whoever asks at a port of this machine, from a thread of this process."""
    port = free_port()
    told = {"port": port, "log_level": "critical"} | given
    server = uvicorn.Server(uvicorn.Config(app, **told))
    thread = threading.Thread(target=server.run)
    thread.start()
    while thread.is_alive() and not server.started:
        time.sleep(0.01)
    try:
        yield port
    finally:
        server.should_exit = True
        thread.join()


def application_of(site: Site, engine: Engine, child: Child) -> Any:
    """Make the server of a site, with a child that outlives it."""
    crew = Crew(site, engine, 1)
    lend(crew, child)
    return application(site, engine, crew)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, child: Child) -> Iterator[Served]:
    """A server of a board `lab` without runs."""
    folder = tmp_path_factory.mktemp("site")
    site = Site.make(folder / "site")
    engine = tables.open_catalogue(site.database)
    importing.open_board(site, engine, "lab", qrels=write_qrels(folder / "qrels.txt"))
    crew = Crew(site, engine, 1)
    lend(crew, child)
    patient = pytest.MonkeyPatch()  # other tests may have the processors
    patient.setattr("irmeta.serve.web.door.WAIT", 200.0)
    token = people.new_token(engine, "test")
    with Client(application(site, engine, crew)) as client:
        yield Served(site, engine, client, token, crew)
    patient.undo()
    engine.dispose()


@pytest.fixture(scope="session")
def first(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site with five scored runs of two teams, in clusters of topics."""
    tmp_path = tmp_path_factory.mktemp("first")
    site = Site.make(tmp_path / "site")
    (site.folder / "site.toml").write_text('title = "Lab"\n')
    site = Site.open(site.folder)
    engine = tables.open_catalogue(site.database)
    clusters = tmp_path / "clusters.csv"
    lines = [f"{topic},c{int(topic) % 3}" for topic in TOPICS]
    clusters.write_text("\n".join(["topic,cluster", *lines]) + "\n")
    importing.open_board(
        *(site, engine, "lab"),
        qrels=write_qrels(tmp_path / "qrels.txt"),
        clusters=clusters,
        metrics="nDCG@10 AP",
    )
    runs = tmp_path / "runs"
    runs.mkdir()
    table = ["run,team,runtype,date"]
    for seed in range(5):
        (runs / f"r{seed}.gz").write_bytes(a_run(seed, seed / 5))
        table.append(f"r{seed},team {seed % 2},automatic,2026-01-0{seed + 1}")
    (tmp_path / "table.csv").write_text("\n".join(table) + "\n")
    given = (site, engine, "lab", [runs], tmp_path / "table.csv")
    for new in (5, 0):
        found = importing.import_runs(*given).values()
        assert (len(found), sum(one.new for one in found)) == (5, new)
    work_off(site, engine)
    engine.dispose()
    return site.folder


@pytest.fixture(scope="session")
def tracked(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """The folder of a site of a blind board with two teams, and the tokens of its people."""
    from .test_people import open_track

    folder = tmp_path_factory.mktemp("tracked")
    made = open_track(folder, write_qrels(folder / "qrels.txt"))
    tokens = next(made).tokens
    made.close()
    return folder / "site", tokens


@pytest.fixture
def filled(first: Path, tmp_path: Path) -> Site:
    """A copy of it for one test."""
    return Site.open(Path(shutil.copytree(first, tmp_path / "site")))


class Within:
    """A child that is no process of its own: it answers at once, and without limits."""

    def ask(self, task: str, until: float, **given: Any) -> dict[str, Any]:
        del given["limits"]
        return tasks._do_task(task, given)


def work_off(site: Site, engine: Engine, child: Any = None) -> None:
    """Do what waits, without threads and without processes."""
    crew = Crew(site, engine, 1)
    crew._own.child = child or Within()
    steps = {"received": crew._check_submission, "accepted": crew._score_submission}
    while waiting := submissions.pending_submissions(engine, 10):
        for key, state in waiting:
            steps[state](key)
    crew.close()
