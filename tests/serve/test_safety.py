"""What a server of an open board answers to attacks and mistakes."""

import asyncio
import csv
import gzip
import io
import itertools
import json
import logging
import lzma
import re
import shutil
import socket
import subprocess
import tarfile
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
import requests
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy.exc import OperationalError
from tests.serve.servers import file_only

from irmeta.errors import IrmetaError
from irmeta.serve import running
from irmeta.serve.catalogue import boards, submissions, tables
from irmeta.serve.catalogue.people import NOBODY, Place
from irmeta.serve.catalogue.rules import MISSING, RefusedError, new_key
from irmeta.serve.client import Server
from irmeta.serve.crew import logs
from irmeta.serve.crew.child import Child
from irmeta.serve.crew.crew import Crew
from irmeta.serve.operating import importing
from irmeta.serve.site import Settings, Site
from irmeta.serve.web.app import application
from irmeta.serve.web.asked import problem
from irmeta.serve.web.door import Door, Visit
from irmeta.serve.web.receive import receive

from .conftest import Served, a_run, asking, on_a_port, write_qrels

OPEN = {"/healthz", "/v1/boards", "/v1/boards/{board}", "/v1/invitations"}
"""What anybody may ask for; who learns more, or changes something, has a token."""
NAMES = {"board": "lab", "name": "x", "key": "a" * 16}


def test_who_has_no_token_changes_nothing(served: Served) -> None:
    """Without a known token no operation but those on boards is answered, and the refusal says which it needs."""
    paths = served.client.get("/v1/openapi.json").json()["paths"]
    asked = [
        (method, path.format(**NAMES))
        for path in paths.keys() - OPEN
        for method in paths[path]
    ]
    assert len(asked) == 7
    for scheme, says in (
        ("", "Bearer TOKEN"),
        ("Bearer x", "not of this site"),
        ("Basic x", "not of this site"),
    ):
        for method, path in asked:
            headers = {"Authorization": scheme} if scheme else {}
            answer = served.client.request(method, path, headers=headers, content=b"x")
            assert answer.status_code == 401
            assert says in answer.json()["detail"]


def test_another_site_sends_nothing(served: Served) -> None:
    """A browser that shows another site gets no leave to send a token from there, and cookies open nothing."""
    path = "/v1/submissions/aaaaaaaaaaaaaaaa/withdraw"
    origin = {"origin": "https://evil.example", "cookie": f"token={served.token}"}
    asks = {"access-control-request-method": "POST"}
    assert served.client.options(path, headers=origin | asks).status_code == 405
    answer = served.client.post(path, headers=origin)
    assert answer.status_code == 401
    assert "access-control-allow-origin" not in answer.headers


def test_a_token_is_taken_from_its_header_only(served: Served) -> None:
    """A token in the query or in a cookie opens nothing."""
    path = "/v1/submissions/aaaaaaaaaaaaaaaa"
    assert served.client.get(f"{path}?token={served.token}").status_code == 401
    cookies = {"cookie": f"token={served.token}"}
    assert served.client.get(path, headers=cookies).status_code == 401


@file_only
def test_no_table_keeps_a_token(served: Served) -> None:
    """The catalogue's file has the digests of tokens only."""
    # in a process of its own: SQLite loses its locks where its file is closed in this one
    kept = subprocess.run(
        ["cat", served.site.database], capture_output=True, check=True
    )
    assert served.token.encode() not in kept.stdout


@pytest.mark.parametrize(
    "path",
    [
        "/../site.db",
        "/%2e%2e/site.db",
        "/..%2fsite.db",
        "//etc/passwd",
        "/b/lab/..%5c..%5csite.db",
        "/b/lab/%00",
        "/b/lab/;/..;/..;/site.db",
        "/b/lab/%23/../../site.db",
        "/runs/",
        "/truth/",
        "/site.db",
        "/token",
        "/docs",
        "/redoc",
    ],
)
def test_nothing_but_public_files_is_served(served: Served, path: str) -> None:
    """No path leads out of the public folder, and no framework's page is there."""
    answer = served.client.get(path)
    assert answer.status_code == 404
    assert b"SQLite" not in answer.content


def test_who_reads_pages_reads_that_one_is_lost(served: Served) -> None:
    """Where there is no page a browser is shown a page that leads to the boards; a program gets a problem."""
    lost = served.client.get("/b/lab/s/nobody/")
    assert (lost.status_code, lost.headers["content-type"]) == (
        404,
        "text/html; charset=utf-8",
    )
    assert "There is no such page" in lost.text
    assert 'href="/index.html"' in lost.text
    answer = served.client.get("/v1/nothing")
    assert answer.headers["content-type"] == "application/problem+json"


def test_a_link_in_the_public_folder_leads_nowhere(served: Served) -> None:
    """A symbolic link in the public folder is not followed out of it."""
    link = served.site.public / "secret"
    link.symlink_to(served.site.database)
    try:
        assert served.client.get("/secret").status_code == 404
    finally:
        link.unlink()


def test_files_come_as_they_are_asked_for(served: Served) -> None:
    """A file comes whole, in part, as its head, not again if it is known; a folder has its page."""
    served.wait(lambda: served.client.get("/").status_code == 200)
    whole = served.client.get("/style.css")
    on_disk = (served.site.public / "style.css").read_bytes()
    assert (whole.content, whole.headers["content-type"]) == (
        on_disk,
        "text/css; charset=utf-8",
    )
    part = served.client.get("/style.css", headers={"range": "bytes=2-5"})
    assert (part.status_code, part.content) == (206, on_disk[2:6])
    head = served.client.head("/style.css")
    assert (head.status_code, head.content) == (200, b"")
    known = {"if-none-match": whole.headers["etag"]}
    again = served.client.get("/style.css", headers=known)
    assert (again.status_code, again.content) == (304, b"")
    page = served.client.get("/").content
    assert page == (served.site.public / "index.html").read_bytes()
    moved = served.client.get("/b/lab", follow_redirects=False)
    assert moved.headers["location"].endswith("/b/lab/")
    assert served.client.get("/" + "x" * 300).status_code == 404


def test_another_host_is_refused(served: Served) -> None:
    """A request for another host name, as after DNS rebinding, is refused."""
    answer = served.client.get("/", headers={"host": "evil.example"})
    assert answer.status_code == 400


def test_browsers_are_told_what_not_to_do(served: Served) -> None:
    """Every answer forbids inline script, framing and sniffing; private ones are not kept."""
    for path in ("/", "/v1/boards", "/nothing"):
        headers = served.client.get(path).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"
        assert "server" not in headers
    assert served.client.get("/v1/boards").headers["cache-control"] == "no-store"


def a_tar() -> bytes:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as archive:
        member = tarfile.TarInfo("../run")
        member.size = len(a_run(64))
        archive.addfile(member, io.BytesIO(a_run(64)))
    return content.getvalue()


HOSTILE = "<script>alert(1)</script>\"'&"


def test_texts_of_people_are_shown_as_text(served: Served) -> None:
    """Markup in a team's name or description stands escaped in pages, and a formula is none in a CSV file."""
    about = {"team": "=cmd()", "description": HOSTILE, "type": HOSTILE[:20]}
    about["link"] = "https://runs.example"
    answer = served.put("hostile", a_run(60), **about)
    key = answer.json()["key"]
    served.shown(key)
    for path in ("/b/lab/", f"/b/lab/s/{key}/"):
        page = served.get(path).text
        assert "<script>alert" not in page
        assert not re.search(r"<[^>]+\s(on\w+|style)=", page)
    page = served.get(f"/b/lab/s/{key}/").text
    assert 'href="https://runs.example" rel="nofollow ugc noopener"' in page
    where = "/b/lab/data/table.csv"  # it follows the pages
    served.wait(lambda: key in served.get(where).text)
    table = csv.DictReader(io.StringIO(served.get(where).text))
    [team] = [row["team"] for row in table if row["key"] == key]
    assert team == "'=cmd()"


@pytest.mark.parametrize(
    ("about", "says"),
    [
        ({"team": "a\u202eb"}, "U+202E"),
        ({"team": "x" * 61}, "at most 60"),
        ({"description": "a\x00b"}, "U+0000"),
        ({"link": "javascript:alert(1)"}, "https://"),
        ({"link": "http://plain.example"}, "https://"),
        ({"baseline": "nobody"}, "no run"),
    ],
)
def test_odd_texts_are_refused(served: Served, about: dict, says: str) -> None:
    """Marks of direction, controls, long texts, links but https and unknown baselines are refused by name."""
    answer = served.put("odd", a_run(61), **about)
    assert answer.status_code == 422
    assert says in answer.json()["detail"]


@pytest.mark.parametrize("name", ["..", ".", "a b", "a%2fb", "x" * 41, "%00"])
def test_names_do_not_become_paths(served: Served, name: str) -> None:
    """A name is refused or is a name: no file of it is made."""
    served.put(name, a_run(62))
    files = [path.name for path in served.site.folder.glob("runs/*/*")]
    assert all(re.fullmatch("[0-9a-f]{64}", one) for one in files)


@pytest.mark.parametrize(
    "body",
    [
        300 * gzip.compress(bytes(1 << 20)),
        300 * lzma.compress(bytes(1 << 20)),
        zstandard.compress(bytes(300 << 20)),
        gzip.compress(gzip.compress(a_run(65))),
        a_tar(),
        b"301 0 d01 1\n" * 3,
        b"",
        b"\x1f\x8bnot gzip",
        b"PK\x03\x04 a zip",
        b"%PDF-1.4",
        a_run(63).decode().encode("utf-16"),
        b"301 Q0 d00 1 1 t\x00\n" * 3,
        b"301 Q0 d00 1 nan t\n",
        b"999 Q0 d00 1 1 t\n",
        b"".join(b"%d Q0 d00 1 1 t\n" % topic for topic in range(10**4, 10**5)),
        b"http://127.0.0.1/run.txt\n",
        b"301 Q0 d00 1 2 t\n301 Q0 d00 2 1 t\n",
        b"x" * 1_000_000,
    ],
    ids=[
        "bomb",
        "xz bomb",
        "zst bomb",
        "packed twice",
        "tar",
        "qrels",
        "empty",
        "gzip",
        "zip",
        "pdf",
        "utf16",
        "nul",
        "nan",
        "topic",
        "topics",
        "address",
        "twice",
        "line",
    ],
)
def test_files_that_are_no_runs(served: Served, body: bytes) -> None:
    """A file that is no run of this collection is refused with a sentence, and the server goes on."""
    answer = served.put("wrong", body)
    assert answer.status_code == 422
    assert answer.json()["remarks"][0]["text"]
    assert str(served.site.folder) not in answer.text
    assert served.get("/healthz").status_code == 200


def arriving(site: Site, pieces: list[bytes], length: int | None = None) -> None:
    async def body():
        for piece in pieces:
            yield piece

    asyncio.run(receive(site, body(), length)).forget()


def test_a_long_body_is_cut_off(tmp_path: Path) -> None:
    """A body over the limit is refused, by its stated length or as it comes, and nothing of it is left."""
    site = Site(tmp_path, Settings(body=10))
    site.temporary.mkdir()
    for pieces, length in (([b"x"], 11), ([b"x" * 6, b"x" * 6], None)):
        with pytest.raises(RefusedError, match="longer than 10") as found:
            arriving(site, pieces, length)
        assert found.value.status == 413
    assert list(site.temporary.iterdir()) == []
    arriving(site, [b"x" * 10])


def test_a_slow_body_is_cut_off(tmp_path: Path, monkeypatch) -> None:
    """A body that stalls is refused, and nothing of it is left."""
    site = Site(tmp_path)
    site.temporary.mkdir()
    monkeypatch.setattr("irmeta.serve.web.receive.PATIENCE", 0.01)

    async def stalled():
        yield b"x"
        await asyncio.Event().wait()

    with pytest.raises(RefusedError, match="too slowly") as found:
        asyncio.run(receive(site, stalled(), None))
    assert found.value.status == 408
    assert list(site.temporary.iterdir()) == []


def test_a_header_is_text(served: Served) -> None:
    """Metadata before a run are not parsed: aliases that would grow to gigabytes are a comment, or a remark."""
    levels = "abcdefghij"
    bomb = "# ir_metadata.start\n# a: &a [x]\n" + "".join(
        f"# {one}: &{one} [{','.join([f'*{before}'] * 9)}]\n"
        for before, one in itertools.pairwise(levels)
    )
    answer = served.put("header", bomb.encode() + a_run(66))
    assert answer.status_code in (201, 422)
    assert len(answer.content) < 10_000


def test_a_full_disk_takes_no_runs(tmp_path: Path) -> None:
    """Where the disk is full an upload is refused with 507."""
    site = Site(tmp_path, Settings(free=1 << 62))
    with pytest.raises(RefusedError) as found:
        arriving(site, [b"x"])
    assert found.value.status == 507


def test_uploads_wait_for_their_turn(served: Served, monkeypatch) -> None:
    """Where all turns are taken an upload waits, but not for slow ones; it is told to come again if too many wait."""
    monkeypatch.setattr("irmeta.serve.web.door.IN_QUEUE", 0.2)
    tight = Site(served.site.folder, Settings(uploads=1))
    door = Door(tight, served.engine, served.crew)
    visit = Visit(asking(door), NOBODY)
    order: list[str] = []

    async def body(name: str, seconds: float) -> AsyncIterator[bytes]:
        order.append(name)
        await asyncio.sleep(seconds)
        yield b"x"

    async def sent(name: str, seconds: float = 0) -> int:
        try:
            async with visit.upload(body(name, seconds), "lab", Place()):
                return 201
        except RefusedError as error:
            return error.status

    async def all_sent() -> None:
        turn = asyncio.gather(sent("first", 0.05), sent("second"))
        assert await turn == [201, 201]
        assert await asyncio.gather(sent("long", 0.5), sent("late")) == [201, 503]
        monkeypatch.setattr("irmeta.serve.web.door.TURN", 0.1)
        assert await asyncio.gather(sent("slow", 0.5), sent("quick")) == [201, 201]
        monkeypatch.setattr("irmeta.serve.web.door.QUEUE", 1)
        assert await asyncio.gather(sent("one", 0.01), sent("many")) == [201, 503]

    asyncio.run(all_sent())
    assert order == ["first", "second", "long", "slow", "quick", "one"]
    assert problem(503, "").headers["retry-after"] == "5"
    assert list(tight.temporary.iterdir()) == []


def test_too_many_requests(served: Served) -> None:
    """Who asks too often is told to wait."""
    tight = Settings(requests=1)
    object.__setattr__(served.site, "settings", tight)
    try:
        answers = [served.get("/v1/boards") for _ in range(3)]
    finally:
        object.__setattr__(served.site, "settings", Settings())
    assert answers[-1].status_code == 429
    assert answers[-1].headers["retry-after"]


@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_any_request_has_a_documented_answer(served: Served, data) -> None:
    """Requests drawn for every operation of the OpenAPI document get no 5xx and no status that it does not name."""
    document = served.client.get("/v1/openapi.json").json()
    operations = [
        (path, method, one)
        for path, methods in document["paths"].items()
        for method, one in methods.items()
    ]
    path, method, operation = data.draw(st.sampled_from(operations))
    text = st.one_of(
        st.text(max_size=50),
        st.sampled_from(["lab", "a", "", "aaaaaaaaaaaaaaaa", "1", "true", "-1"]),
    )
    query = {}
    for one in operation.get("parameters", []):
        value = data.draw(text)
        if one["in"] == "path":
            shown = "".join(f"%{byte:02x}" for byte in (value or "x").encode())
            path = path.replace("{" + one["name"] + "}", shown)
        elif one["in"] == "query" and data.draw(st.booleans()):
            query[one["name"]] = value
    headers = served.headers if data.draw(st.booleans()) else {}
    body = data.draw(st.binary(max_size=200)) if "requestBody" in operation else None
    answer = served.client.request(
        method, path, params=query, headers=headers, content=body
    )
    assert answer.status_code < 500
    routed = "%2f" not in path.lower() and "%2e" not in path.lower()
    if routed and answer.status_code not in (404, 405, 307):
        assert str(answer.status_code) in operation["responses"]


def test_checks_know_no_judgments(served: Served, tmp_path: Path) -> None:
    """Boards whose judgments are opposite answer the same file with the same bytes."""
    opposite = tmp_path / "opposite.txt"
    text = write_qrels(tmp_path / "qrels.txt").read_text()
    opposite.write_text(
        re.sub("[01]$", lambda one: str(1 - int(one[0])), text, flags=re.M)
    )
    assert opposite.read_text() != text
    importing.open_board(served.site, served.engine, "opposite", qrels=opposite)
    for body in (a_run(70), b"301 Q0 d00 1 1 t\n", b"x"):
        first, second = (
            served.client.post(
                f"/v1/boards/{board}/check", content=body, headers=served.headers
            )
            for board in ("lab", "opposite")
        )
        assert (first.status_code, first.content) == (200, second.content)


def test_one_of_many_has_a_name(tmp_path: Path) -> None:
    """Of runs that come at once under one name just one is taken."""
    engine = tables.open_catalogue(tmp_path / "site.db")
    boards.new_board(engine, key="lab", topics=["1"], metrics=["AP"], depth=10)

    def taken(number: int) -> int:
        content = submissions.Bytes(f"{number:064}", 1)
        try:
            submissions.submit(engine, "lab", "one", content, received=1)
        except RefusedError as error:
            return error.status
        return 201

    with ThreadPoolExecutor(20) as threads:
        found = sorted(threads.map(taken, range(60)))
    assert found == [201] + [409] * 59
    assert submissions.count_by_state(engine, "lab") == {"received": 1}
    engine.dispose()


def test_no_redirect_leads_elsewhere(served: Served) -> None:
    """A path that looks like another host leads to no redirect there."""
    for path in ("//evil.example", "//evil.example/..", "/%2f%2fevil.example/"):
        answer = served.client.get(path, follow_redirects=False)
        assert "evil" not in answer.headers.get("location", "")


def test_our_mistakes_have_a_number(served: Served, monkeypatch, caplog) -> None:
    """A mistake of ours is answered with a number that the log has; neither a traceback nor a token goes out."""

    def broken(*_: object) -> None:
        raise RuntimeError("the secret reason")

    monkeypatch.setattr("irmeta.serve.catalogue.submissions.submission_of", broken)
    with caplog.at_level("DEBUG"):
        answer = served.get("/v1/submissions/aaaaaaaaaaaaaaaa")
    assert answer.status_code == 500
    assert "secret" not in answer.text
    assert answer.json()["detail"].split()[-1] in caplog.text
    assert served.token not in caplog.text


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (OperationalError("", {}, Exception("database is locked")), 503),
        (OSError(30, "Read-only file system"), 507),
    ],
)
def test_a_site_that_cannot_write_says_so(
    served: Served, monkeypatch, error: Exception, status: int
) -> None:
    """Where the catalogue is locked or the disk read-only, uploads are answered so, and the site stays readable."""

    def broken(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("irmeta.serve.catalogue.submissions.submit", broken)
    answer = served.put("late", a_run(71))
    assert answer.status_code == status
    assert "irmeta" not in answer.json()["detail"]
    assert served.client.get("/v1/boards").status_code == 200
    assert list(served.site.temporary.iterdir()) == []


def test_others_are_not_listened_to_in_the_clear(tmp_path: Path) -> None:
    """A server does not listen on an address that others reach unless https stands before it."""
    with pytest.raises(IrmetaError, match="in the clear"):
        running.serve(
            tmp_path / "site",
            listen="0.0.0.0:8400",
            qrels=None,
            runs=[],
            metrics="AP",
            children=1,
        )


def test_a_key_of_nobody_is_not_there(served: Served) -> None:
    """All that can be asked of a submission is answered for a key of nobody as for what is not there."""
    for method, more in (("GET", ""), ("GET", "/run"), ("POST", "/withdraw")):
        path = f"/v1/submissions/{'a' * 16}{more}"
        answer = served.client.request(method, path, headers=served.headers)
        assert answer.status_code == 404
        assert answer.json()["detail"] == MISSING


def test_an_address_is_never_opened(served: Served) -> None:
    """Addresses as a run, a name, a baseline or a link are texts: nobody is asked for what is there."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        other.setblocking(False)
        there = f"http://127.0.0.1:{other.getsockname()[1]}/run"
        for address in (there, "s3://bucket/run", "file:///etc/passwd"):
            for body in (address, f"{address}\n" * 2, f"301 Q0 {address} 1 1 t\n"):
                answer = served.put("address", body.encode(), replace="1")
                assert answer.status_code == (201 if " " in body else 422)
                assert "root:" not in answer.text
            named = served.put("address", a_run(91), baseline=address)
            assert (named.status_code, "has no run" in named.text) == (422, True)
        shown = served.put("linked", a_run(92), link=f"https://{there[7:]}")
        served.shown(shown.json()["key"])
        with pytest.raises(BlockingIOError):
            other.accept()


def test_logs_have_neither_tokens_nor_names(
    tmp_path: Path, child: Child, capfd: pytest.CaptureFixture[str]
) -> None:
    """What a server and its children print and log has no token, no name of a run or a file; mistakes it has."""
    run = tmp_path / "secretname"
    run.write_bytes(a_run(1))
    site = Site.make(tmp_path / "site")
    engine = tables.open_catalogue(site.database)
    running.fill_site(site, engine, write_qrels(tmp_path / "lab.txt"), [run], "AP")
    token = running.token_file(site, engine).read_text().strip()
    crew = Crew(site, engine, 1)
    crew._publisher = child  # whose other child checks and logs is this crew's own
    with logged(), on_a_port(application(site, engine, crew)) as port:
        to = f"http://127.0.0.1:{port}"
        running._print_addresses(site, engine)
        board = Server(f"{to}/b/lab", token)
        board.submit(run, "secretname2", {"team": "secretteam"})
        run.write_bytes(b"secretline\n")
        board.submit(run, "secretname3", {})
        wrong = {"Authorization": "Bearer secretwrong"}
        for path in ("/v1/boards?token=secretquery", "/secretpath", "/v1/boards/%ff"):
            requests.get(to + path, headers=wrong, timeout=60)
        with socket.create_connection(("127.0.0.1", port)) as one:
            one.sendall(b"GET /secretpath secretline\r\n\r\n")
            one.recv(1000)
        shutil.rmtree(site.temporary)  # now it cannot write
        with pytest.raises(IrmetaError, match="disk"):
            board.submit(run, "secretname4", {})
    engine.dispose()
    said = "".join(capfd.readouterr())
    assert "submit: irmeta submit RUN" in said
    assert "the disk:" in said
    assert token not in said
    assert "secret" not in said
    lines = [json.loads(one) for one in said.splitlines() if one.startswith("{")]
    asked = [one for one in lines if "request" in one]
    assert {"/v1/boards/{board}/runs/{name}", "/v1/boards", "files"} <= {
        one["route"] for one in asked
    }
    assert {200, 404, 422, 507} <= {one["status"] for one in asked}
    assert len({one["request"] for one in asked}) == len(asked)


@contextmanager
def logged() -> Iterator[None]:
    """Log to the standard error as a server does; pytest has a handler already, so that none is added."""
    root = logging.getLogger()
    kept, root.handlers = root.handlers, []
    try:
        logs.begin_logging()
        yield
    finally:
        root.handlers = kept
        for one in (logs.LOG, logs.REQUESTS):
            one.setLevel(logging.NOTSET)


def test_keys_tell_nothing() -> None:
    """Keys of submissions are random: they do not say how many there are."""
    keys = {new_key() for _ in range(1000)}
    assert len(keys) == 1000
    assert all(re.fullmatch("[a-z2-7]{16}", key) for key in keys)
