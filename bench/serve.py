"""How fast a board is: pages, reads, uploads, scoring, publication, freezing; on loopback only, and bounded in time.

python -m bench.serve --submissions 10000 --seconds 20
"""

import argparse
import http.client
import os
import random
import statistics
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import xarray as xr
from sqlalchemy import Engine

import irmeta
from bench.killed_server import free_port, started, token_of
from irmeta.serve import importing, publishing
from irmeta.serve.catalogue import boards, tables
from irmeta.serve.catalogue.submissions import counts, waiting
from irmeta.serve.client import Server
from irmeta.serve.site import Site

TOPICS, METRICS = 50, ["nDCG@10", "AP", "P@10", "RR", "Judged@10"]


class Rate(NamedTuple):
    """What came of a load: answers a second, and how long the slower ones took, in milliseconds."""

    what: str
    rate: float
    middle: float
    slow: float
    wrong: int


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
    what: str, threads: int, seconds: float, port: int, ask: Callable[..., int]
) -> Rate:
    """Have threads ask for some seconds, each over one connection."""
    times: list[float] = []
    wrong = [0]
    end = time.monotonic() + seconds

    def work(number: int) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        count = 0
        while time.monotonic() < end:
            began = time.perf_counter()
            try:
                status = ask(connection, number, count)
            except (OSError, http.client.HTTPException):
                connection.close()
                status = 599
            times.append(1000 * (time.perf_counter() - began))
            wrong[0] += status >= 400
            count += 1

    began = time.monotonic()
    workers = [threading.Thread(target=work, args=(at,)) for at in range(threads)]
    for one in workers:
        one.start()
    for one in workers:
        one.join()
    took = time.monotonic() - began
    slow = statistics.quantiles(times, n=100)[98] if len(times) > 1 else times[0]
    return Rate(what, len(times) / took, statistics.median(times), slow, wrong[0])


def get(path: str, token: str = "") -> Callable[..., int]:
    """Return a request that reads."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}

    def ask(connection: http.client.HTTPConnection, *_: int) -> int:
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        answer.read()
        return answer.status

    return ask


def put(token: str, bodies: list[bytes]) -> Callable[..., int]:
    """Return a request that uploads."""

    def ask(connection: http.client.HTTPConnection, number: int, count: int) -> int:
        name = f"u{number}-{count}"
        body = bodies[(number + count) % len(bodies)] + f"\n#{name}".encode()
        headers = {"Authorization": f"Bearer {token}"}
        connection.request("PUT", f"/v1/boards/live/runs/{name}", body, headers)
        answer = connection.getresponse()
        answer.read()
        return answer.status

    return ask


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
        server.score(key)
        shown.append(f"{time.monotonic() - began:.1f}")
    print(f"upload to score: {', '.join(scored)} s; to the table: {', '.join(shown)} s")


def main() -> None:
    """Print what was measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--submissions", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=5)
    given = parser.parse_args()
    print(f"load of this machine before: {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory() as folder:
        measure(Path(folder), given.submissions, given.seconds)


def measure(folder: Path, submissions: int, seconds: float) -> None:
    """Fill a site, and load its server."""
    Site.make(folder / "site")
    (folder / "site/site.toml").write_text("requests = 1000000000\n")
    site = Site.open(folder / "site")
    engine = tables.upgraded(site.database)
    irmeta.save(everybody(submissions), folder / "many.parquet")
    many = ("many.parquet", "many")
    timed("imported", importing.import_scores, engine, folder / many[0], many[1])
    lines = [
        f"{topic} 0 d{at:06}-{at % 300} {at % 2}\n"
        for topic in range(TOPICS)
        for at in range(200)
    ]
    (folder / "qrels.txt").write_text("".join(lines))
    importing.open_board(site, engine, "live", qrels=folder / "qrels.txt")
    timed("published first", publishing.publish, site)
    timed("published again, nothing changed", publishing.publish, site)
    timed("frozen", publishing.freeze, site, folder / "frozen")
    pages = (folder / "frozen").rglob("*.html")
    print(f"largest page: {max(one.stat().st_size for one in pages) / 1000:.0f} kB")
    # so that runs of this board, too, can be scored
    own = site.truth(boards.digest_of_judgments(engine, "many"))
    own.write_bytes((folder / "qrels.txt").read_bytes())
    port = free_port()
    began = time.monotonic()
    server = started(site.folder, port)
    try:
        while not answers(port):
            time.sleep(0.05)
        print(f"started: {time.monotonic() - began:.1f} s")
        token = token_of(site.folder)
        latency(folder, Server(f"http://127.0.0.1:{port}/b/many", token))
        load_all(site, token, port, seconds)
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


def answers(port: int) -> bool:
    """Say whether a server is there."""
    try:
        get("/healthz")(http.client.HTTPConnection("127.0.0.1", port))
    except OSError:
        return False
    return True


def load_all(site: Site, token: str, port: int, seconds: float) -> None:
    """Read pages and the API, and upload; print how fast that goes."""
    key = next((site.public / "b/many/s").iterdir()).name
    page = get(f"/b/many/s/{key}/index.html")
    read = get("/v1/boards/many", token)
    upload = put(token, [a_run(at) for at in range(8)])
    print("| what | a second | median ms | p99 ms | not answered well |")
    print("|---|---|---|---|---|")
    for what, threads, ask in (
        ("pages, 50 at once", 50, page),
        ("API reads, 10 at once", 10, read),
        ("uploads of .4 MB, 20 at once", 20, upload),
    ):
        one = load(what, threads, seconds, port, ask)
        times = f"{one.middle:.0f} | {one.slow:.0f}"
        print(f"| {one.what} | {one.rate:.0f} | {times} | {one.wrong} |", flush=True)


def scoring(engine: Engine) -> None:
    """Print how many runs are scored a second, until none waits or two minutes are over."""
    began = time.monotonic()
    before = counts(engine, "live").get("scored", 0)
    while waiting(engine)["waiting"] and time.monotonic() - began < 120:
        time.sleep(0.2)
    count = counts(engine, "live").get("scored", 0) - before
    print(f"scored: {count / (time.monotonic() - began):.1f} runs a second")


def timed(what: str, work: Callable[..., object], *given: object) -> None:
    """Print how long some work takes."""
    began, used = time.monotonic(), time.process_time()
    work(*given)
    took, of = time.monotonic() - began, time.process_time() - used
    print(f"{what}: {took:.1f} s ({of:.1f} s of processor time)", flush=True)


if __name__ == "__main__":
    main()
