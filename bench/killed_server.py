"""Kill -9 a server, and commands on its site, at random moments; then say what is lost, double, half or left over.

`python -m bench.killed_server 200` kills 200 times: it makes a site and sends runs again and again, and freezes it.
"""

import argparse
import json
import os
import random
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from irmeta.errors import IrmetaError
from irmeta.serve.catalogue import boards, submissions, tables
from irmeta.serve.catalogue.snapshot import snapshot
from irmeta.serve.client import Server
from irmeta.serve.operating import checkup
from irmeta.serve.site import Site

IRMETA = [sys.executable, "-m", "irmeta"]
TOPICS, DOCUMENTS = 8, 30
LAST = 2.0
"""Seconds within which a server is killed after its first answer: it checks, scores and publishes all the while."""
ENDS = {
    ".html": b"</html>",
    ".svg": b"</svg>",
    ".csv": b"\n",
    ".js": b"\n",
    ".bib": b"}",
    ".parquet": b"PAR1",
}
"""How whole files end."""
SENDERS = 4
"""Runs that are sent at once."""


def main() -> None:
    """Kill, and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kills", type=int, nargs="?", default=20)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        print(killed(Path(folder), given.kills, random.Random(given.seed)))


def killed(folder: Path, kills: int, draws: random.Random) -> dict[str, int]:
    """Kill as often; count what was killed, and what was found wrong: nothing is right."""
    site = folder / "site"
    write_qrels(folder / "qrels.txt")
    new = ["board", "new", "lab", "--site", site, "--qrels", folder / "qrels.txt"]
    freeze = ["freeze", site, "-o", folder / "frozen"]
    found: Counter[str] = Counter()
    answered: dict[str, str] = {}
    found["kills of board new"] = kills // 20
    if kills // 20:
        one = ["board", "new", "one", "--site", folder / "other", *new[-2:]]
        lasts = timed(one)
        for _ in range(kills // 20):
            cut(new, draws.uniform(0, lasts))
    if not (site / "site.db").exists() or not keys_of(site):
        subprocess.run([*IRMETA, *new], check=True, stdout=subprocess.DEVNULL)
    found["kills of freeze"] = kills // 10
    found["kills of the server"] = kills - kills // 10 - kills // 20
    for at in range(found["kills of the server"]):
        serve_and_kill(folder, answered, draws, alone=at % 2 == 0)
        found["half files"] += len(half(site / "public"))
        if at % 10 == 0:
            print(f"{at} kills of the server: {dict(found)}", flush=True)
    if kills // 10:
        lasts = timed(freeze)
        for _ in range(kills // 10):
            cut(freeze, draws.uniform(0, lasts))
            found["half files"] += len(half(folder / "frozen"))
    settle(folder)
    found.update(verdict(site, answered))
    return dict(found) | {"answered": len(answered)}


def serve_and_kill(
    folder: Path, answered: dict[str, str], draws: random.Random, *, alone: bool
) -> None:
    """Start a server, send runs, and kill it some time after its first answer, alone or with its children."""
    port = free_port()
    process = started(folder / "site", port)
    token = token_of(folder / "site")
    server = Server(f"http://127.0.0.1:{port}/b/lab", token)
    first = threading.Event()
    senders = [
        threading.Thread(target=send, args=(process, server, folder, answered, first))
        for _ in range(SENDERS)
    ]
    for one in senders:
        one.start()
    first.wait(120)
    time.sleep(draws.uniform(0, LAST))
    if alone:
        process.kill()
    else:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for one in senders:
        one.join()


def send(
    process: "subprocess.Popen[bytes]",
    server: Server,
    folder: Path,
    answered: dict[str, str],
    first: threading.Event,
) -> None:
    """Send runs while a server lives, and note what it answers."""
    while process.poll() is None:
        name = f"k{secrets.token_hex(8)}"
        path = folder / name
        path.write_bytes(a_run(name))
        with suppress(IrmetaError):
            answer = server.submit(path, name, {})
            if answer["status"] not in (200, 201, 202):
                raise SystemExit(f"{name}: {answer}")
            answered[name] = answer["key"]
            first.set()
        path.unlink()
        time.sleep(0.02)


def started(site: Path, port: int) -> "subprocess.Popen[bytes]":
    """Start a server in a group of processes of its own."""
    listen = ["--listen", f"127.0.0.1:{port}", "--children", "1"]
    return subprocess.Popen(
        [*IRMETA, "serve", str(site), *listen],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def token_of(site: Path) -> str:
    """Return a site's token, once its server has made it."""
    while not (site / "token").exists():
        time.sleep(0.05)
    return (site / "token").read_text().strip()


def settle(folder: Path) -> None:
    """Let a server do all that is left, and end it."""
    port = free_port()
    process = started(folder / "site", port)
    site = Site.open(folder / "site")
    engine = tables.open_catalogue(site.database)
    try:
        while True:
            time.sleep(0.2)
            if process.poll() is not None:
                raise SystemExit("the server does not start any more")
            # no page is being written when all are of the newest version
            pages = list(site.public.glob("b/lab/s/*/record.json"))
            shown = {json.loads(one.read_text())["version"] for one in pages}
            of = boards.board_of(engine, "lab").version
            waits = submissions.count_waiting(engine)["waiting"]
            if not waits and shown <= {of}:
                time.sleep(1)
                break
    finally:
        process.terminate()
        process.wait()
        engine.dispose()


def verdict(folder: Path, answered: dict[str, str]) -> Counter[str]:
    """Count answered runs that are lost, double or not scored, and what is damaged or left over.

    interrupted : whole files of uploads that were killed before their answer.
    """
    site = Site.open(folder)
    engine = tables.open_catalogue(site.database)
    shot = snapshot(engine, "lab")
    counts = submissions.count_by_state(engine, "lab")
    problems = [one.wrong for one in checkup.problems(site, engine)]
    engine.dispose()
    names = Counter(run.name for run in shot.runs)
    keys = {run.name: run.key for run in shot.runs}
    left = [*site.temporary.iterdir(), *site.folder.rglob("*.part")]
    return Counter(
        {
            "lost": sum(keys.get(name) != key for name, key in answered.items()),
            "double": sum(count - 1 for count in names.values()),
            "not scored": sum(counts.values()) - counts.get("scored", 0),
            "interrupted": problems.count(checkup.INTERRUPTED),
            "damaged": sum(one != checkup.INTERRUPTED for one in problems),
            "left over": len(left),
            "half files": len(half(site.public)),
        }
    )


def half(folder: Path) -> list[Path]:
    """List files that are not whole; those that wait for their names have the ending .part."""
    found = []
    for path in folder.rglob("*"):
        try:
            content = path.read_bytes() if path.is_file() else b""
        except FileNotFoundError:
            continue
        if path.suffix == ".json" and not _is_json(content):
            found.append(path)
        if path.is_file() and not content.endswith(ENDS.get(path.suffix, b"")):
            found.append(path)
    return found


def _is_json(content: bytes) -> bool:
    try:
        json.loads(content)
    except ValueError:
        return False
    return True


def timed(words: Sequence[object]) -> float:
    """Return how many seconds a command lasts."""
    began = time.monotonic()
    call = [*IRMETA, *map(str, words)]
    subprocess.run(call, check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - began


def cut(words: Sequence[object], moment: float) -> None:
    """Start a command, and kill it after so many seconds."""
    nothing = subprocess.DEVNULL
    call = [*IRMETA, *map(str, words)]
    with subprocess.Popen(call, stdout=nothing, stderr=nothing) as process:
        try:
            process.wait(moment)
        except subprocess.TimeoutExpired:
            process.kill()


def keys_of(folder: Path) -> list[str]:
    """Name the boards of a site."""
    engine = tables.open_catalogue(Site.open(folder).database)
    found = [one.key for one in boards.all_boards(engine)]
    engine.dispose()
    return found


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def write_qrels(path: Path) -> None:
    """Write judgments: documents with even numbers are relevant."""
    lines = [
        f"{topic} 0 d{at} {1 - at % 2}\n"
        for topic in range(TOPICS)
        for at in range(DOCUMENTS)
    ]
    path.write_text("".join(lines))


def a_run(seed: str) -> bytes:
    """Make a run at random."""
    rng = random.Random(seed)
    lines = [
        f"{topic} Q0 d{at} {rank} {-rank} t\n"
        for topic in range(TOPICS)
        for rank, at in enumerate(rng.sample(range(DOCUMENTS), 20))
    ]
    return "".join(lines).encode()


if __name__ == "__main__":
    main()
