"""`irmeta submit` and a server that answers what it likes: a result or a sentence, in time, and no token elsewhere."""

import copy
import gzip
import io
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import redirect_stdout, suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from irmeta.cli.showing.serve import submit as command
from irmeta.errors import IrmetaError
from irmeta.serve import client, exchange
from irmeta.words import printable

TOKEN = "irmeta-secret-token"
MINE, BASE = "a" * 16, "b" * 16
PAGE = f"/b/lab/s/{MINE}/"
SENT: Mapping[str, Any] = {
    "key": MINE,
    "board": "lab",
    "name": "mine",
    "team": "",
    "received": 1,
    "more": None,
    "phase": "live",
    "state": "received",
    "remarks": [{"level": "warning", "line": 3, "text": "odd"}],
    "published": False,
    "page": PAGE,
    "record": f"{PAGE}record.json",
    "marks": ["late"],
    "told": None,
    "left": 3,
}
ROUTES: Mapping[str, Any] = {
    "GET /v1/boards/lab": {
        **dict.fromkeys(("opens", "closes", "reveals"), 1),
        **dict.fromkeys(("per_day", "per_month", "per_team")),
        "key": "lab",
        "title": "Lab",
        "collection": "lab",
        "metrics": ["AP"],
        "topics": 4,
        "depth": 1000,
        "phase": "live",
        "feedback": "none",
        "version": 1,
        "published": 1,
        "counts": {},
        "page": "/b/lab/",
    },
    "PUT": SENT,
    f"GET /v1/submissions/{MINE}": {
        **SENT,
        "state": "scored",
        "remarks": [],
        "published": True,
        "marks": [],
        "told": {"metric": "AP", "figure": 0.5, "topics": {}, "about": "a mean"},
    },
    f"GET {PAGE}record.json": {
        "key": MINE,
        "label": "mine",
        "state": "scored",
        "metric": "AP",
        "scores": {"AP": {"mean": 0.4, "low": 0.3, "high": 0.5}},
        "rank": 2,
        "of": 2,
        "judgments": 1,
        "claim": {
            "baseline": BASE,
            "name": "base",
            "difference": -0.1,
            "low": -0.2,
            "high": 0.0,
        },
    },
    f"GET {PAGE}scores.js": {"key": MINE, "scores": {"AP": [0.1, 0.2, 0.6, 0.5]}},
    f"GET /b/lab/s/{BASE}/scores.js": {
        "key": BASE,
        "scores": {"AP": [0.2, 0.3, 0.7, None]},
    },
    "GET /b/lab/data/topics.csv": "topic,cluster\n1,\n2,\n3,\n4,\n",
}
"""What a server answers that is as it should be."""
ODD: Mapping[str, Any] = {
    "null": None,
    "true": True,
    "minus": -1,
    "float": 1.5,
    "large": 10**400,
    "empty": "",
    "text": "x",
    "control": "\x1b[2J\u202e\x00\r\nmine: scored",
    "options": "--help -- --to",
    "half": "\ud800",
    "long": "x" * 300_000,
    "list": [],
    "object": {},
    "lists": [[1, "a", None]],
    "another": "@127.0.0.1:9/x",
    "missing": ...,
}
QUICK = ("control", "missing")
LOST = {"title": "Not Found", "status": 404, "detail": "none"}
Serve = Callable[[socket.socket], None]


def answer(content: Any, head: str = "", status: str = "200 OK") -> bytes:
    """Write an answer of HTTP."""
    body = content if isinstance(content, bytes) else packed(content)
    length = (
        ""
        if "ength:" in head or "ncoding: ch" in head
        else f"Content-Length: {len(body)}\r\n"
    )
    return f"HTTP/1.1 {status}\r\n{length}{head}\r\n".encode() + body


def packed(content: Any) -> bytes:
    """Write JSON, a script where it holds scores by topic, or text."""
    if isinstance(content, str):
        return content.encode()
    text = json.dumps(content)
    if isinstance(content, dict) and set(content) == {"key", "scores"}:
        return f"irmeta_scores({text});\n".encode()
    return text.encode()


class Hostile:
    """A server that answers each route with bytes, or does what a function does with the connection."""

    def __init__(self) -> None:
        self.answers: dict[str, bytes | Serve] = {}
        self.seen: list[bytes] = []
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.port = self.listening.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):  # it is closed
            while True:
                found, _ = self.listening.accept()
                threading.Thread(target=self._serve, args=(found,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with suppress(OSError, ValueError), connection:
            while head := _asked(connection):
                self.seen.append(head)
                method, path = head.split(maxsplit=2)[:2]
                route = f"{method.decode()} {path.decode()}"
                given = self.answers.get("PUT" if method == b"PUT" else route, b"")
                if callable(given):
                    given(connection)
                    return
                connection.sendall(given or answer(LOST, status="404 No"))


def _asked(connection: socket.socket) -> bytes:
    """Read a request to its end; return its head."""
    text = b""
    while b"\r\n\r\n" not in text:
        if not (more := connection.recv(65536)):
            return b""
        text += more
    head, _, body = text.partition(b"\r\n\r\n")
    lengths = [
        line for line in head.lower().split(b"\r\n") if b"content-length" in line
    ]
    left = int(lengths[0].split(b":")[1]) - len(body) if lengths else 0
    while left > 0:
        left -= len(connection.recv(65536))
    return head


@pytest.fixture(scope="module")
def servers() -> Iterator[tuple[Hostile, Hostile]]:
    """A server, and another that nothing should ever reach."""
    both = Hostile(), Hostile()
    yield both
    for one in both:
        one.listening.close()


class Came(NamedTuple):
    """What came of a run: what is wrong with that, whether it was an error of irmeta, and what was said."""

    wrong: str
    refused: bool
    said: str


Submit = Callable[..., Came]
night = partial(command, wait=True, baseline="base", fail_if_worse=0.01)
"""What is run each night."""


def printed(work: Callable[[], None]) -> tuple[BaseException | None, str]:
    """Return how a command ends, and all that it says."""
    ended: BaseException | None = None
    text = io.StringIO()
    with redirect_stdout(text):
        try:
            work()
        except (Exception, SystemExit) as error:
            ended = error
    said = "" if isinstance(ended, SystemExit) else str(ended)
    return ended, text.getvalue() + said


@pytest.fixture
def submit(
    servers: tuple[Hostile, Hostile], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Submit:
    """Submit a run to a server of which some routes answer otherwise; return what is wrong with what happens."""
    server, other = servers
    monkeypatch.setattr(client, "PATIENCE", 0.1)
    monkeypatch.setattr(exchange, "ANSWER", 0.4)
    monkeypatch.setenv("IRMETA_TOKEN", TOKEN)
    (tmp_path / "mine").write_bytes(b"1 Q0 d1 1 1.0 mine\n")

    def sent(changed: Mapping[str, bytes | Serve], scheme: str = "http") -> Came:
        server.answers = {route: answer(one) for route, one in ROUTES.items()}
        server.answers |= changed
        to = f"{scheme}://127.0.0.1:{server.port}/b/lab"
        began = time.monotonic()
        found, said = printed(partial(night, [tmp_path / "mine"], to=to))
        wrong = []
        if not isinstance(found, IrmetaError | SystemExit):
            wrong.append(f"{type(found).__name__}: {said[-200:]!r}")
        if time.monotonic() - began > 4:
            wrong.append(f"{time.monotonic() - began:.1f} s")
        if printable(said, "\n") != said or len(said) > 20_000:
            wrong.append(f"not printable: {said[:100]!r}, {len(said)} characters")
        if other.seen:
            wrong.append(f"reached another server: {other.seen.pop()!r}")
        if TOKEN in said:
            wrong.append("the token is printed")
        return Came("; ".join(wrong), isinstance(found, IrmetaError), said)

    return sent


def places(content: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Walk through all that an answer holds."""
    if path:
        yield path
    if isinstance(content, dict | list):
        rows = content.items() if isinstance(content, dict) else enumerate(content)
        for key, one in rows:
            yield from places(one, (*path, key))


def changed(content: Any, path: tuple[Any, ...], odd: Any) -> Any:
    """Return an answer with another value at a place; without it where it is Ellipsis."""
    found = copy.deepcopy(content)
    within = found
    for key in path[:-1]:
        within = within[key]
    if odd is ...:
        del within[path[-1]]
    else:
        within[path[-1]] = odd
    return found


def test_a_server_as_it_should_be_is_believed(submit: Submit) -> None:
    """The gate compares a run with its baseline by what the server says of both."""
    came = submit({})
    assert (came.wrong, came.refused) == ("", False)
    assert "base: -.100 (-.200 to +.000)" in came.said


@pytest.mark.parametrize(
    "odd",
    [one if one in QUICK else pytest.param(one, marks=pytest.mark.slow) for one in ODD],
)
def test_an_answer_with_an_odd_value_is_refused_or_printable(
    submit: Submit, odd: str
) -> None:
    """Whatever stands where a name or a number should, nobody meets a traceback or a steered terminal."""
    failures = {}
    for route, content in ROUTES.items():
        for path in places(content):
            with_odd = changed(content, path, ODD[odd])
            failures[f"{route} {path}"] = submit({route: answer(with_odd)}).wrong
    assert len(failures) > 50
    assert not {place: wrong for place, wrong in failures.items() if wrong}


BODIES: Mapping[str, bytes] = {
    "empty": b"",
    "null": b"null",
    "list": b"[]",
    "number": b"5",
    "text": b'"x"',
    "object": b"{}",
    "nested": b"[" * 100_000,
    "nested objects": b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
    "not a number": b'{"state": NaN}',
    "cut": b'{"state": "rec',
    "latin": b'{"detail": "\xe9"}',
    "utf-16": '{"state": "x"}'.encode("utf-16"),
    "page": b"<html>hello</html>",
    "script": b"irmeta_scores(",
    "bytes": bytes(range(256)),
    "digits": b"1" * 100_000,
    "huge": b'{"detail": "' + b"x" * 2_000_000 + b'"}',
    "commas": b"topic,cluster\n" + b"1,2,3\n" * 10,
    "columns": b"cluster\n1\n",
    "twice": b"topic,cluster\n" + b"1,\n" * 4,
    "quote": b'topic,cluster\n"1,\n2,\n3,\n4,\n' + b"x" * 200_000,
}


@pytest.mark.parametrize(
    ("status", "route"), [*(("200 OK", one) for one in ROUTES), ("404 No", "PUT")]
)
def test_a_body_of_another_kind_is_refused(
    submit: Submit, route: str, status: str
) -> None:
    """A body that is none of irmeta serve's ends in a sentence, whatever its status."""
    failures = {}
    for name, body in BODIES.items():
        came = submit({route: answer(body, status=status)})
        failures[name] = came.wrong if came.refused else f"{came.wrong} {came.said}"
    assert not {name: wrong for name, wrong in failures.items() if wrong}


def forever(piece: bytes, begin: bytes = b"", pause: float = 0.0) -> Serve:
    """Send something again and again."""

    def send(connection: socket.socket) -> None:
        connection.sendall(begin)
        until = time.monotonic() + 10
        while time.monotonic() < until:
            connection.sendall(piece)
            time.sleep(pause)

    return send


def once(text: bytes) -> Serve:
    """Send bytes, and close."""
    return lambda connection: connection.sendall(text)


OK = b"HTTP/1.1 200 OK\r\n"
WIRES: Mapping[str, bytes | Serve] = {
    "endless body": forever(b" " * 65536, OK + b"\r\n"),
    "endless chunks": forever(b"10000\r\n" + b" " * 65536 + b"\r\n", OK + b"Transfer-Encoding: chunked\r\n\r\n"),
    "dripping body": forever(b" ", OK + b"Content-Length: 100000\r\n\r\n", 0.05),
    "dripping headers": forever(b"X", OK, 0.05),
    "dripping status": forever(b"H", b"", 0.05),
    "endless headers": forever(b"X: y\r\n", OK),
    "endless header": forever(b"X" * 65536, OK),
    "endless continue": forever(b"HTTP/1.1 100 Continue\r\n\r\n", b"", 0.001),
    "silent": forever(b"", b"", 0.5),
    "closed": once(b""),
    "length too large": once(OK + b"Content-Length: 100\r\n\r\n{}"),
    "length too small": answer({}, "Content-Length: 1\r\n"),
    "length below 0": answer({}, "Content-Length: -1\r\n"),
    "length of text": answer({}, "Content-Length: many\r\n"),
    "length huge": once(OK + b"Content-Length: " + b"9" * 30 + b"\r\n\r\n{}"),
    "two lengths": answer({}, "Content-Length: 1\r\nContent-Length: 2\r\n"),
    "chunk of no size": answer(b"zz\r\n{}\r\n0\r\n\r\n", "Transfer-Encoding: chunked\r\n"),
    "chunk below 0": answer(b"-5\r\n{}\r\n0\r\n\r\n", "Transfer-Encoding: chunked\r\n"),
    "chunk huge": answer(b"f" * 40 + b"\r\n{}", "Transfer-Encoding: chunked\r\n"),
    "chunk cut": once(OK + b"Transfer-Encoding: chunked\r\n\r\n5\r\n{}"),
    "gzip bomb": answer(300 * gzip.compress(b" " * (1 << 20), 1), "Content-Encoding: gzip\r\n"),
    "gzip damaged": answer(gzip.compress(b"{}")[:-6], "Content-Encoding: gzip\r\n"),
    "gzip not at all": answer({}, "Content-Encoding: gzip\r\n"),
    "unknown encoding": answer({}, "Content-Encoding: br, x\r\n"),
    "version": once(b"HTTP/9.9 200 OK\r\n\r\n{}"),
    "no HTTP": once(b"SSH-2.0-x\r\n"),
    "status of text": once(b"HTTP/1.1 abc OK\r\n\r\n{}"),
    "status 0": answer({}, status="000 x"),
    "status 99": answer({}, status="999 x"),
    "status 204": answer(b"", status="204 Nothing"),
    "reason": answer({}, status="500 \x1b[2J" + "x" * 1000),
    "header without colon": once(OK + b"nothing\r\n\r\n{}"),
    "header of bytes": once(OK + b"X: \xff\xfe\x00\r\n\r\n{}"),
    "type": answer({}, "Content-Type: text/html; charset=x\r\n"),
    "cookie": answer({}, "Set-Cookie: " + "a=b;" * 5000 + "\r\n"),
    "later": answer({"detail": "later"}, "Retry-After: 3155760000\r\n", "503 Later"),
    "later text": answer({"detail": "later"}, "Retry-After: \x1b\r\n", "429 Later"),
    "asks for another token": answer({}, "WWW-Authenticate: Basic\r\n", "401 No"),
    "proxy": answer({}, "Proxy-Authenticate: Basic\r\n", "407 No"),
}  # fmt: skip


@pytest.mark.parametrize("route", ["PUT", f"GET {PAGE}scores.js"])
def test_a_connection_that_lies_ends_in_time(submit: Submit, route: str) -> None:
    """Endless, slow, damaged or packed answers are given up after the time and the size of an answer."""
    failures = {}
    for name, wire in WIRES.items():
        came = submit({route: wire})
        failures[name] = came.wrong if came.refused else f"{came.wrong} {came.said}"
    assert not {name: wrong for name, wrong in failures.items() if wrong}


def test_a_problem_as_proxies_tell_it_is_told(submit: Submit) -> None:
    """What stands before a server may say what is wrong in less than irmeta serve does: in its detail alone."""
    came = submit({"PUT": answer({"detail": "too large"}, status="413 No")})
    assert (came.wrong, came.said) == ("", "mine: too large\n")


@pytest.mark.parametrize("status", ["301 a", "302 a", "303 a", "307 a", "308 a"])
def test_a_token_follows_no_redirect(
    submit: Submit, servers: tuple[Hostile, Hostile], status: str
) -> None:
    """An answer that leads elsewhere is refused, also where its body is as it should be."""
    to = f"Location: http://127.0.0.1:{servers[1].port}/x\r\n"
    for route, content in ROUTES.items():
        assert submit({route: answer(content, to, status)})[:2] == ("", True)


@pytest.mark.parametrize(
    "where",
    [
        *("@127.0.0.1:{0}/x", "//127.0.0.1:{0}/x", "http://127.0.0.1:{0}/x"),
        *("\\@127.0.0.1:{0}/x", "0/x", ".x/x", "/../../x", "/b/lab/../../v1/me"),
    ],
)
def test_a_token_follows_no_address_of_an_answer(
    submit: Submit, servers: tuple[Hostile, Hostile], where: str
) -> None:
    """The address of a record, and keys, lead nowhere but to this board."""
    at = where.format(servers[1].port)
    for route, field in (
        (f"GET /v1/submissions/{MINE}", "record"),
        ("PUT", "key"),
        (f"GET {PAGE}record.json", "key"),
    ):
        assert submit({route: answer({**ROUTES[route], field: at})})[:2] == ("", True)


@pytest.mark.parametrize(
    "begins",
    [
        b"",
        b"HTTP/1.1 400 x\r\n\r\n",
        b"\x16\x03\x03\x00\x02\x02\x28",
        b"\x15\x03\x01\x00\x02\x02\x46",
        b"\x00" * 100,
    ],
)
def test_a_broken_handshake_is_named(
    servers: tuple[Hostile, Hostile],
    submit: Submit,
    monkeypatch: pytest.MonkeyPatch,
    begins: bytes,
) -> None:
    """Where TLS should begin and something else does, the server is not trusted."""

    def broken(connection: socket.socket) -> None:
        connection.recv(1000)
        connection.sendall(begins)
        connection.close()

    monkeypatch.setattr(servers[0], "_serve", broken)
    assert submit({}, "https")[:2] == ("", True)


@pytest.mark.parametrize(
    "board",
    [
        "http://evil.example\\@127.0.0.1/b/lab",
        "http://127.0.0.1@evil.example/b/lab",
        "https://me:secret@runs.example.org/b/lab",
        "http://127.0.0.1:80:90/b/lab",
        "http://127.0.0.1 .evil.example/b/lab",
        "https://runs.example.org?x=/b/lab",
        "https://runs.example.org#/b/lab",
        "http://[::1/b/lab",
        "http://localhost:999999/b/lab",
        "https://x\n.y/b/lab",
    ],
)
def test_an_address_is_that_of_one_server(board: str) -> None:
    """An address that two programs may read as two servers is refused before anything is sent."""
    with pytest.raises(IrmetaError, match="not the address of a board"):
        client.Server(board, TOKEN)


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"two words",
        b"a\nb",
        b"\xff\xfe",
        "schlüssel".encode(),
        b"x" * 5000,
        b"\x00",
    ],
)
def test_a_token_is_one_word(tmp_path: Path, text: bytes) -> None:
    """A file that holds something else than a token is refused, and nothing of it is printed."""
    file = tmp_path / "token"
    file.write_bytes(text)
    file.chmod(0o600)
    with pytest.raises(IrmetaError, match="token") as found:
        client.read_token(file)
    assert text.decode("latin-1")[:9] == "" or text.decode("latin-1")[:9] not in str(
        found.value
    )
