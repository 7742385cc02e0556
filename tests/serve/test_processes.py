"""Several processes that serve one site: they count together, one leads, and another one follows it."""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
import requests
from bench import killed_server
from bench.deadline import asked

from irmeta.serve.catalogue import databases, people, submissions, tables
from irmeta.serve.crew.child import Child
from irmeta.serve.operating import importing
from irmeta.serve.site import Site

from .conftest import a_run, application_of, on_a_port, write_qrels

HOST = "http://127.0.0.1"


def until(done: Callable[[], Any], seconds: float = 200) -> Any:
    """Return what something returns, once it is true."""
    end = time.monotonic() + seconds
    while True:
        with suppress(requests.ConnectionError):
            if found := done():
                return found
        assert time.monotonic() < end, "it takes too long"
        time.sleep(0.05)


@pytest.fixture
def site(tmp_path: Path) -> Site:
    """A site with an open board and a hidden one, to which a team may send five runs."""
    site = Site.make(tmp_path / "site")
    with (site.folder / "site.toml").open("a") as file:
        file.write("requests = 1000000000\n")
    engine = tables.open_catalogue(site.database)
    qrels = write_qrels(tmp_path / "qrels.txt")
    importing.open_board(site, engine, "lab", qrels=qrels)
    given = {"reveals": "2999-01-01", "per_team": 5}
    importing.open_board(site, engine, "track", qrels=qrels, **given)
    engine.dispose()
    return site


@contextmanager
def process(site: Site) -> Iterator[tuple[Any, str]]:
    """A process that serves a site, and its address."""
    port = killed_server.free_port()
    started, address = killed_server.started(site.folder, port), f"{HOST}:{port}"
    try:
        until(lambda: health(address)["published"].get("lab"))
        yield started, address
    finally:
        started.kill()
        started.wait()


def health(address: str) -> Any:
    return requests.get(f"{address}/healthz", timeout=60).json()


def put(address: str, token: str, name: str, seed: int) -> Any:
    return requests.put(
        f"{address}/v1/boards/lab/runs/{name}",
        data=a_run(seed),
        headers={"Authorization": f"Bearer {token}"},
        timeout=60,
    )


def shown(address: str, key: str) -> bool:
    return requests.get(f"{address}/b/lab/s/{key}/", timeout=60).status_code == 200


def test_who_follows_takes_over(site: Site, child: Child) -> None:
    """Both take runs and show pages; when the leader is killed the other one scores and publishes what came to it."""
    engine = databases.open_engine(site.database)
    with (
        process(site) as (leader, first),
        on_a_port(application_of(site, engine, child)) as port,
    ):
        token, second = killed_server.token_of(site.folder), f"{HOST}:{port}"
        before = put(second, token, "before", 1)
        assert before.status_code in (201, 202)  # others may have the processors
        for address in (first, second):
            until(lambda address=address: shown(address, before.json()["key"]))
        leader.kill()
        leader.wait()
        after = put(second, token, "after", 2).json()["key"]
        until(lambda: shown(second, after))
        assert submissions.count_by_state(engine, "lab") == {"scored": 2}
        where = f"{second}/v1/submissions/{after}"
        given = {"headers": {"Authorization": f"Bearer {token}"}, "timeout": 60}
        until(lambda: requests.get(where, **given).json()["published"])
    engine.dispose()


@pytest.mark.slow
def test_a_thousand_at_once(site: Site) -> None:
    """A thousand runs of a team at once, to two processes, of which it may send five: just five are taken."""
    engine = databases.open_engine(site.database)
    secret = people.invite(engine, "track", "member", "Lund")
    taken = people.take_invitation(engine, secret, "Ann", "")
    token = people.new_token(engine, "test", taken.person, "submit")
    found: Counter[int] = Counter()

    async def one(at: int) -> None:
        body = a_run(at)
        head = (
            f"PUT /v1/boards/track/runs/r{at} HTTP/1.1\r\nhost: 127.0.0.1\r\n"
            f"authorization: Bearer {token}\r\ncontent-length: {len(body)}\r\n\r\n"
        )
        status, _ = await asked(ports[at % 2], head.encode() + body)
        found[status] += 1

    async def every() -> None:
        await asyncio.gather(*map(one, range(1000)))

    with process(site) as (_, first), process(site) as (_, second):
        ports = [int(one.rpartition(":")[2]) for one in (first, second)]
        asyncio.run(every())
    assert found.keys() <= {201, 202, 429}
    assert found[201] + found[202] == 5
    counts = submissions.count_by_state(engine, "track")
    engine.dispose()
    assert sum(counts.values()) == 5
