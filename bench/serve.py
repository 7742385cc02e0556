"""How fast a board is: pages, reads, uploads, scoring, publication, freezing; on loopback only, and bounded in time.

python -m bench.serve --submissions 10000 --seconds 20
python -m bench.serve --rescore 10000
"""

import argparse
import asyncio
import itertools
import os
import random
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import requests
import xarray as xr
from sqlalchemy import Engine

import irmeta
from bench.killed_server import free_port, started, token_of
from irmeta.serve.catalogue import boards, submissions, tables
from irmeta.serve.client import Server
from irmeta.serve.operating import importing
from irmeta.serve.pages import publishing
from irmeta.serve.site import Site

SETTINGS = "requests = 1000000000\nuploads = 20\n"
TOPICS, METRICS = 50, ["nDCG@10", "AP", "P@10", "RR", "Judged@10"]


class Rate(NamedTuple):
    """What came of a load: answers a second; in milliseconds how long they took, and of that the server's processor.

    each : processor time of an answer.
    """

    what: str
    rate: float
    middle: float
    slow: float
    wrong: int
    each: float


@dataclass
class Asked:
    """A request: the path may name the connection and the count; bodies are sent in turn, each another run."""

    port: int
    method: str
    path: str
    token: str = ""
    bodies: Sequence[bytes] = ()

    def bytes_of(self, line: int, count: int) -> bytes:
        """Return the request as it is sent."""
        name = f"u{line}-{count}"
        body = b""
        if self.bodies:
            body = self.bodies[(line + count) % len(self.bodies)]
            body += f"\n#{name}".encode()
        head = (
            f"{self.method} {self.path.format(name=name)} HTTP/1.1\r\n"
            f"host: 127.0.0.1:{self.port}\r\ncontent-length: {len(body)}\r\n"
            f"authorization: Bearer {self.token}\r\n\r\n"
        )
        return head.encode() + body


def everybody(systems: int) -> xr.DataArray:
    """Return random scores of many systems."""
    rng = np.random.default_rng(0)
    skill = rng.beta(4, 4, size=(systems, 1, 1))
    scores = rng.beta(2, 3, size=(systems, TOPICS, len(METRICS))) * 0.6 + 0.4 * skill
    return xr.DataArray(
        scores,
        dims=("system", "topic", "metric"),
        coords={
            "system": np.array([f"s{at}" for at in range(systems)], dtype=object),
            "topic": np.array([str(at) for at in range(TOPICS)], dtype=object),
            "metric": np.array(METRICS, dtype=object),
        },
        name="score",
        attrs={"collection": "many"},
    )


def a_run(seed: int, documents: int = 300) -> bytes:
    """Make a run of about .4 MB."""
    rng = random.Random(seed)
    lines = [
        f"{topic} Q0 d{rng.randrange(10**6):06}-{rank} {rank} {1000 - rank} t"
        for topic in range(TOPICS)
        for rank in range(documents)
    ]
    return "\n".join(lines).encode()


def load(
    what: str, lines: int, seconds: float, server: "subprocess.Popen[bytes]", ask: Asked
) -> Rate:
    """Ask for some seconds over as many connections at once, all in one loop: threads would wait for each other."""
    before = processor(server.pid)
    began = time.monotonic()
    answers = asyncio.run(_load(lines, began + seconds, ask))
    took = time.monotonic() - began
    used = processor(server.pid) - before
    times = [one for one, _ in answers]
    slow = statistics.quantiles(times, n=100)[98] if len(times) > 1 else times[0]
    wrong = sum(status >= 400 for _, status in answers)
    each = 1000 * used / len(times)
    return Rate(what, len(times) / took, statistics.median(times), slow, wrong, each)


async def _load(lines: int, end: float, ask: Asked) -> list[tuple[float, int]]:
    """Return how long each answer took, in milliseconds, and its status."""
    found: list[tuple[float, int]] = []

    async def one(line: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", ask.port)
        for count in itertools.count():
            if time.monotonic() > end:
                break
            began = time.perf_counter()
            writer.write(ask.bytes_of(line, count))
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            _, _, length = head.partition(b"content-length: ")
            await reader.readexactly(int(length.partition(b"\r\n")[0]))
            found.append((1000 * (time.perf_counter() - began), int(head[9:12])))
        writer.close()

    await asyncio.gather(*map(one, range(lines)))
    return found


def processor(pid: int) -> float:
    """Return the processor time of a process, in seconds."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory(pid: int) -> float:
    """Return the most resident memory that a process had, in MB."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(one.split()[1]) / 1024 for one in lines if one.startswith("VmHWM"))


def children_of(pid: int) -> list[int]:
    """Return the children of a process."""
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(one) for task in tasks for one in task.read_text().split()]


def latency(folder: Path, server: Server) -> None:
    """Print how long a run takes from its upload to its score, and to the published table."""
    scored, shown = [], []
    for number in range(3):
        path = folder / f"idle{number}"
        path.write_bytes(a_run(100 + number))
        began = time.monotonic()
        key = server.submit(path, path.name, {})["key"]
        while server.submission(key)["state"] != "scored":
            time.sleep(0.05)
        scored.append(f"{time.monotonic() - began:.1f}")
        server.await_score(key)
        shown.append(f"{time.monotonic() - began:.1f}")
    print(f"upload to score: {', '.join(scored)} s; to the table: {', '.join(shown)} s")


def main() -> None:
    """Print what was measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--submissions", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--rescore", type=int, help="only score as many runs again")
    given = parser.parse_args()
    print(f"load of this machine before: {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory() as folder:
        if given.rescore:
            rescored(Path(folder), given.rescore)
            return
        measure(Path(folder), given.submissions, given.seconds)


def rescored(folder: Path, runs: int) -> None:
    """Have as many runs of .4 MB scored, and then again, while pages are read; eight files have all their names."""
    site = Site.make(folder / "site")
    (folder / "site/site.toml").write_text(SETTINGS)
    engine = tables.open_catalogue(site.database)
    write_qrels(folder / "qrels.txt")
    importing.open_board(site, engine, "live", qrels=folder / "qrels.txt")
    kept = []
    for at in range(8):
        (folder / f"run{at}").write_bytes(a_run(at))
        kept.append(importing.copy_run(site, folder / f"run{at}"))
    for at in range(runs):
        run = kept[at % len(kept)]
        submissions.submit(engine, "live", f"u{at}", run, received=at)
    port = free_port()
    server = started(site.folder, port)
    try:
        while "live" not in health(port).get("published", {}):
            time.sleep(0.05)
        until_scored("checked and scored", engine, server, port)
        print(f"{boards.rescore(engine, 'live')} runs to be scored again")
        until_scored("scored again", engine, server, port)
    finally:
        server.terminate()
        server.wait()
    engine.dispose()


def until_scored(
    what: str, engine: Engine, server: "subprocess.Popen[bytes]", port: int
) -> None:
    """Print how long it takes until no run waits, while somebody reads the first page."""
    began, before = time.monotonic(), of_all(server.pid)
    slow = []
    while submissions.count_waiting(engine)["waiting"]:
        asked = time.monotonic()
        requests.get(f"http://127.0.0.1:{port}/", timeout=60).raise_for_status()
        slow.append(1000 * (time.monotonic() - asked))
        time.sleep(0.1)
    took, used = time.monotonic() - began, of_all(server.pid) - before
    p99 = statistics.quantiles(slow, n=100)[98]
    print(f"{what}: {took:.0f} s ({used:.0f} s of processor time); page {p99:.0f} ms")


def of_all(pid: int) -> float:
    """Return the processor time of a process and of its children."""
    return sum(map(processor, [pid, *children_of(pid)]))


def write_qrels(path: Path) -> None:
    """Write judgments of 200 documents a topic."""
    lines = [
        f"{topic} 0 d{at:06}-{at % 300} {at % 2}\n"
        for topic in range(TOPICS)
        for at in range(200)
    ]
    path.write_text("".join(lines))


def measure(folder: Path, count: int, seconds: float) -> None:
    """Fill a site, and load its server."""
    Site.make(folder / "site")
    (folder / "site/site.toml").write_text(SETTINGS)
    site = Site.open(folder / "site")
    engine = tables.open_catalogue(site.database)
    irmeta.save(everybody(count), folder / "many.parquet")
    many = ("many.parquet", "many")
    timed("imported", importing.import_scores, engine, folder / many[0], many[1])
    write_qrels(folder / "qrels.txt")
    importing.open_board(site, engine, "live", qrels=folder / "qrels.txt")
    timed("published first", publishing.publish, site)
    publisher = publishing.Publisher(site, engine)
    publisher.write_first()
    publisher.write_rest(3600)
    boards.set_board(engine, "many", {"title": "many runs"})
    timed("tables after a change", publisher.write_first)
    timed("the rest after it", publisher.write_rest, 3600)
    del publisher
    timed("frozen", publishing.freeze, site, folder / "frozen")
    pages = (folder / "frozen").rglob("*.html")
    print(f"largest page: {max(one.stat().st_size for one in pages) / 1000:.0f} kB")
    # so that runs of this board, too, can be scored
    judged = boards.judgments_of(engine, "many")
    site.judgments_path(judged.digest).write_bytes((folder / "qrels.txt").read_bytes())
    port = free_port()
    began = time.monotonic()
    server = started(site.folder, port)
    try:
        while not health(port):
            time.sleep(0.05)
        used = processor(server.pid)
        print(f"started: {time.monotonic() - began:.1f} s ({used:.1f} s)")
        while "many" not in health(port)["published"]:
            time.sleep(0.05)
        print(f"published after a start: {time.monotonic() - began:.1f} s")
        token = token_of(site.folder)
        latency(folder, Server(f"http://127.0.0.1:{port}/b/many", token))
        load_all(site, token, port, seconds, server)
        scoring(engine)
        children = [memory(pid) for pid in children_of(server.pid)]
        of_children = ", ".join(f"{most:.0f}" for most in sorted(children))
        print(
            f"most memory: server {memory(server.pid):.0f}, children {of_children} MB"
        )
    finally:
        server.terminate()
        server.wait()
    engine.dispose()


def health(port: int) -> dict[str, Any]:
    """Return what a server says of itself; nothing while it is not there."""
    try:
        return dict(requests.get(f"http://127.0.0.1:{port}/healthz", timeout=60).json())
    except requests.ConnectionError:
        return {}


def load_all(
    site: Site, token: str, port: int, seconds: float, server: "subprocess.Popen[bytes]"
) -> None:
    """Read pages and the API, and upload; print how fast that goes."""
    key = next((site.public / "b/many/s").iterdir()).name
    page = Asked(port, "GET", f"/b/many/s/{key}/index.html")
    read = Asked(port, "GET", "/v1/boards/many", token)
    bodies = [a_run(at) for at in range(8)]
    upload = Asked(port, "PUT", "/v1/boards/live/runs/{name}", token, bodies)
    print("| what | a second | median ms | p99 ms | not answered well | processor ms |")
    print("|---|---|---|---|---|---|")
    for what, lines, ask in (
        ("pages, 50 at once", 50, page),
        ("API reads, 10 at once", 10, read),
        ("uploads of .4 MB, 20 at once", 20, upload),
    ):
        one = load(what, lines, seconds, server, ask)
        times = f"{one.middle:.0f} | {one.slow:.0f} | {one.wrong} | {one.each:.1f}"
        print(f"| {one.what} | {one.rate:.0f} | {times} |", flush=True)


def scoring(engine: Engine) -> None:
    """Print how many runs are scored a second, until none waits or two minutes are over."""
    began = time.monotonic()
    before = submissions.count_by_state(engine, "live").get("scored", 0)
    while (
        submissions.count_waiting(engine)["waiting"] and time.monotonic() - began < 120
    ):
        time.sleep(0.2)
    count = submissions.count_by_state(engine, "live").get("scored", 0) - before
    print(f"scored: {count / (time.monotonic() - began):.1f} runs a second")


def timed(what: str, work: Callable[..., object], *given: object) -> None:
    """Print how long some work takes."""
    began, used = time.monotonic(), time.process_time()
    work(*given)
    took, of = time.monotonic() - began, time.process_time() - used
    print(f"{what}: {took:.1f} s ({of:.1f} s of processor time)", flush=True)


if __name__ == "__main__":
    main()
