"""Bodies of gigabytes, millions of topics, ids that collide, thousands of connections: a server with its limits."""

import gzip
import http.client
import itertools
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
import requests
from bench import killed_server
from bench.serve import memory

from irmeta.serve.client import Server
from irmeta.serve.crew.child import Child

from .conftest import TOPICS

MIB = 1 << 20


@pytest.fixture(scope="module")
def server(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[Server, int, str]]:
    """A server in a process of its own, the number of that process, and a token."""
    folder = tmp_path_factory.mktemp("large")
    site = folder / "site"
    killed_server.write_qrels(folder / "qrels.txt")
    new = ["board", "new", "lab", "--site", site, "--qrels", folder / "qrels.txt"]
    killed_server.timed(new)
    port = killed_server.free_port()
    process = killed_server.started(site, port)
    token = killed_server.token_of(site)
    while True:
        with suppress(requests.ConnectionError):
            requests.get(f"http://127.0.0.1:{port}/healthz", timeout=60)
            break
        time.sleep(0.1)
    yield Server(f"http://127.0.0.1:{port}/b/lab", token), process.pid, token
    process.kill()
    process.wait()


def line(mebibytes: int) -> Iterator[bytes]:
    return itertools.repeat(b"x" * MIB, mebibytes)


def topics() -> Iterator[bytes]:
    """Ten million topics, in 208 MB."""
    for start in range(0, 10**7, 10**5):
        yield b"".join(b"%07d Q0 d 1 1 t\n" % at for at in range(start, start + 10**5))


def packed() -> Iterator[bytes]:
    yield gzip.compress(b"x" * MIB, 1) * 1024


def sent(server: Server, token: str, name: str, body: Iterator[bytes]) -> int:
    """Send a body in chunks; return the status, 0 where the server hung up."""
    connection = http.client.HTTPConnection(server.root.removeprefix("http://"))
    headers = {"Authorization": f"Bearer {token}"}
    try:
        where = f"/v1/boards/lab/runs/{name}"
        connection.request("PUT", where, body, headers, encode_chunked=True)
        return connection.getresponse().status
    except OSError:
        return 0
    finally:
        connection.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("line", lambda: line(250)),
        ("endless", lambda: line(1024)),
        ("packed", packed),
        ("topics", topics),
    ],
)
def test_large_bodies_are_refused(
    server: tuple[Server, int, str], name: str, body: Callable[[], Iterator[bytes]]
) -> None:
    """A line of a gigabyte, plain or packed, and ten million topics are refused; the server stays small and goes on."""
    board, process, token = server
    status = sent(board, token, name, body())
    if name == "endless":
        assert status in (413, 0)
    else:
        assert status in (202, 422)
    end = time.monotonic() + 400
    health = {"waiting": 1}
    while health["waiting"]:
        assert time.monotonic() < end
        time.sleep(0.5)
        health = requests.get(f"{board.root}/healthz", timeout=60).json()
    counts = requests.get(f"{board.root}/v1/boards/lab", timeout=60).json()["counts"]
    assert set(counts) <= {"refused"}
    assert memory(process) < 500


@pytest.mark.slow
def test_silent_connections_keep_nobody_out(server: tuple[Server, int, str]) -> None:
    """While ten thousand connections say nothing, somebody else is answered, and the server stays small."""
    board, process, _ = server
    address = ("127.0.0.1", int(board.root.rpartition(":")[2]))
    silent = []
    for _ in range(10_000):
        one = socket.socket()
        one.setblocking(False)
        one.connect_ex(address)
        silent.append(one)
    end, status = time.monotonic() + 120, 0
    while status != 200:
        assert time.monotonic() < end
        with suppress(requests.RequestException):
            status = requests.get(f"{board.root}/", timeout=10).status_code
    assert memory(process) < 500
    for one in silent:
        one.close()


def test_ids_that_collide_take_no_longer(tmp_path: Path) -> None:
    """Ids that are equal for hashes without a secret, as Java's, are read within seconds."""
    pairs = itertools.product(("Aa", "BB"), repeat=17)
    lines = (f"301 Q0 {''.join(one)} {at} {-at} t\n" for at, one in enumerate(pairs))
    (tmp_path / "run").write_text("".join(lines))
    child = Child()
    found = child.ask(
        *("check", 400),
        limits=(2048 * MIB, 20),
        run=str(tmp_path / "run"),
        name="run",
        topics=TOPICS,
        documents="",
        depth=1000,
    )
    child.close()
    texts = [one["text"] for one in found["remarks"]]
    assert any("up to 131072" in text for text in texts), texts
