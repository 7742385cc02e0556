"""A deadline: many people send a run at once, others read pages, and the server scores all the while; on loopback only.

python -m bench.deadline 1000
python -m bench.deadline 10000 --within 10
"""

import argparse
import asyncio
import os
import random
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import Manager
from pathlib import Path
from threading import Event

import irmeta
from bench.killed_server import free_port, started
from bench.serve import (
    SETTINGS,
    a_run,
    children_of,
    everybody,
    health,
    memory,
    write_qrels,
)
from irmeta.serve.catalogue import boards, databases, people, submissions, tables
from irmeta.serve.operating import importing
from irmeta.serve.pages import publishing
from irmeta.serve.site import Site

READERS, PAUSE = 20, 0.1
"""People who read pages all the while, and how long each looks at one."""
KINDS = 8
"""Runs that differ but by a name in their last line."""
PATIENCE = 600.0


@dataclass
class Seen:
    """What came of a deadline: statuses of all answers, and after how many seconds each run was taken."""

    answers: Counter[int] = field(default_factory=Counter)
    again: int = 0
    cut: int = 0
    took: list[float] = field(default_factory=list)


def site_of(folder: Path, count: int) -> tuple[Site, list[str]]:
    """Make a site with a board of a thousand runs, and one with hidden judgments and as many teams of one."""
    Site.make(folder / "site")
    (folder / "site/site.toml").write_text(SETTINGS.replace("uploads = 20\n", ""))
    site = Site.open(folder / "site")
    engine = tables.open_catalogue(site.database)
    irmeta.save(everybody(1000), folder / "many.parquet")
    importing.import_scores(engine, folder / "many.parquet", "many")
    write_qrels(folder / "qrels.txt")
    given = {"qrels": folder / "qrels.txt", "reveals": "2999-01-01", "per_team": 1}
    importing.open_board(site, engine, "track", **given)
    at = boards.board_of(engine, "track").id
    tokens = []
    with engine.begin() as db:
        for number in range(count):
            made = {"board": at, "name": f"t{number}", "folded": f"t{number}"}
            made |= {"state": "in", "created": 0}
            adding = tables.team.insert().returning(tables.team.c.id)
            team = db.execute(adding.values(made)).scalar_one()
            one = {"key": f"{number:016}", "name": f"p{number}", "created": 0}
            adding = tables.person.insert().returning(tables.person.c.id)
            person = db.execute(adding.values(one)).scalar_one()
            own = {"person": person, "board": at}
            own |= {"role": "member", "team": team}
            db.execute(tables.membership.insert().values(own))
            secret = f"token-of-{number}"
            token = {"digest": people.digest_of(secret), "person": own["person"]}
            token |= {"created": 0, "expires": 1 << 60}
            db.execute(tables.token.insert().values(token))
            tokens.append(secret)
    engine.dispose()
    publishing.publish(site)
    return site, tokens


async def asked(port: int, request: bytes) -> tuple[int, float]:
    """Send a request over a connection of its own; return the status, and after how many seconds to ask again."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        with suppress(ConnectionError):
            writer.write(request)
            await writer.drain()
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
    finally:
        writer.close()
    _, _, later = head.partition(b"retry-after: ")
    return int(head[9:12]), float(later.partition(b"\r\n")[0] or 5)


async def one_person(
    seen: Seen, port: int, at: int, token: str, body: bytes, start: float
) -> None:
    """Send a run until it is taken, as `irmeta submit` does."""
    await asyncio.sleep(start)
    body += f"\n# {at}\n".encode()
    head = (
        f"PUT /v1/boards/track/runs/r{at} HTTP/1.1\r\nhost: 127.0.0.1\r\n"
        f"authorization: Bearer {token}\r\ncontent-length: {len(body)}\r\n\r\n"
    )
    began = time.monotonic()
    status = 0
    while time.monotonic() - began < PATIENCE:
        later = 5.0
        try:
            status, later = await asked(port, head.encode() + body)
        except (OSError, asyncio.IncompleteReadError):
            seen.cut += 1
        else:
            seen.answers[status] += 1
            if status != 503:
                break
        seen.again += 1
        await asyncio.sleep(later * random.uniform(0.5, 1.5))
    seen.took.append(time.monotonic() - began)


async def _reader(
    found: list[float], port: int, paths: Sequence[str], over: Event
) -> None:
    """Read pages, each over a connection of its own, until all runs are sent."""
    while not over.is_set():
        path = random.choice(paths)
        began = time.perf_counter()
        request = f"GET {path} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n"
        status, _ = await asked(port, request.encode())
        if status == 200:
            found.append(1000 * (time.perf_counter() - began))
        await asyncio.sleep(PAUSE)


def read_pages(port: int, paths: Sequence[str], over: Event) -> list[float]:
    """Return how many milliseconds pages took, in a process of its own: who sends runs has no time to look."""
    found: list[float] = []

    async def readers() -> None:
        await asyncio.gather(
            *(_reader(found, port, paths, over) for _ in range(READERS))
        )

    asyncio.run(readers())
    return found


async def deadline(
    port: int, tokens: Sequence[str], within: float, bodies: Sequence[bytes]
) -> Seen:
    """Have everybody send within some seconds."""
    seen = Seen()
    people = (
        one_person(seen, port, at, token, bodies[at % KINDS], random.uniform(0, within))
        for at, token in enumerate(tokens)
    )
    await asyncio.gather(*people)
    return seen


def measure(
    folder: Path, count: int, within: float, documents: int
) -> dict[str, float]:
    """Return what came of a deadline."""
    site, tokens = site_of(folder, count)
    bodies = [a_run(at, documents) for at in range(KINDS)]
    paths = [f"/b/many/s/{one.name}/" for one in (site.public / "b/many/s").iterdir()]
    port = free_port()
    server = started(site.folder, port)
    engine = databases.open_engine(site.database)
    try:
        while "many" not in health(port).get("published", {}):
            time.sleep(0.1)
        began = time.monotonic()
        with Manager() as manager, ProcessPoolExecutor(1) as pool:
            over = manager.Event()
            reading = pool.submit(read_pages, port, paths[:200], over)
            seen = asyncio.run(deadline(port, tokens, within, bodies))
            sent = time.monotonic() - began
            over.set()
            pages = reading.result()
        while (
            submissions.count_unscored(engine)[0]
            and time.monotonic() - began < PATIENCE
        ):
            time.sleep(0.2)
        scored = time.monotonic() - began
        most = [memory(one) for one in (server.pid, *children_of(server.pid))]
    finally:
        server.terminate()
        server.wait()
    at = boards.board_of(engine, "track").id
    runs = submissions.submissions_of(engine, at)
    engine.dispose()
    names = Counter(one.name for one in runs)
    hundredths, took = statistics.quantiles(pages, n=100), sorted(seen.took)
    taken = sum(seen.answers[one] for one in (200, 201, 202))
    return {
        "people": count,
        "bytes": len(bodies[0]),
        "answered": taken,
        "lost": count - len(names),
        "double": sum(names.values()) - len(names),
        "not scored": sum(one.state != "scored" for one in runs),
        "told to try again": seen.answers[503],
        "cut off": seen.cut,
        "refused": sum(seen.answers.values()) - taken - seen.answers[503],
        "last answer s": sent,
        "answer median s": statistics.median(took),
        "answer p99 s": took[int(0.99 * (len(took) - 1))],
        "all scored s": scored,
        "pages": len(pages),
        "page median ms": hundredths[49],
        "page p99 ms": hundredths[98],
        "server MB": most[0],
        "children MB": max(most[1:]),
    }


def main() -> None:
    """Print what was measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("people", type=int, nargs="?", default=1000)
    parser.add_argument("--within", type=float, default=10, help="seconds")
    parser.add_argument("--documents", type=int, default=300, help="of each topic")
    given = parser.parse_args()
    print(f"load of this machine before: {os.getloadavg()[0]:.2f}")
    with tempfile.TemporaryDirectory() as folder:
        found = measure(Path(folder), given.people, given.within, given.documents)
    for what, value in found.items():
        print(f"{what:18}{value:.4g}")


if __name__ == "__main__":
    main()
