"""Who takes more than their share, of connections, places and the disk: others are served all the same."""

import asyncio
import hashlib
import os
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import Response

from irmeta.serve import running
from irmeta.serve.catalogue import people, submissions
from irmeta.serve.catalogue.submissions import Bytes, Checked
from irmeta.serve.crew.crew import Crew
from irmeta.serve.operating import checkup
from irmeta.serve.running import Prompt
from irmeta.serve.site import Settings, Site
from irmeta.serve.web import door, receive

from .conftest import a_run, asking, on_a_port, write_qrels
from .test_my import OWN, browser
from .test_people import Track, open_track, track  # noqa: F401
from .test_safety import arriving

LARGE = 1 << 25
"""Bytes of an answer that no system takes off a program's hands at once."""


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """A server of one large answer, whose connections are closed after parts of a second."""
    patient = pytest.MonkeyPatch()
    patient.setattr(running, "STALLED", 0.9)
    given = {"http": Prompt, "timeout_keep_alive": 0.3}
    with on_a_port(Response(b"x" * LARGE), **given) as number:
        yield number
    patient.undo()


def ends(connection: socket.socket, pieces: Iterator[bytes]) -> bool:
    """Say whether a server hangs up while pieces are sent, one in a tenth of a second."""
    with connection, suppress(OSError):
        for piece in pieces:
            connection.sendall(piece)
            time.sleep(0.1)
        return False
    return True


def drops(begin: bytes) -> Iterator[bytes]:
    yield begin
    for _ in range(30):
        yield b"x"


@pytest.mark.parametrize(
    "begin",
    [
        b"GET /",
        b"GET / HTTP/1.1\r\nHost: a\r\nx: ",
        b"GET / HTTP/1.1\r\nHost: a\r\n\r\nGET /",
        b"PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n",
    ],
    ids=["line", "header", "second", "body"],
)
def test_a_connection_that_drips_is_closed(port: int, begin: bytes) -> None:
    """Who sends a head byte by byte, or a body that nobody reads, keeps no connection."""
    connection = socket.create_connection(("127.0.0.1", port))
    reading = threading.Thread(target=taken, args=(connection,), daemon=True)
    reading.start()
    assert ends(connection, drops(begin))


def taken(connection: socket.socket) -> int:
    """Take all that comes; return how many bytes."""
    size = 0
    with suppress(OSError):
        while piece := connection.recv(1 << 20):
            size += len(piece)
    return size


def test_who_takes_no_answer_is_cut_off(port: int) -> None:
    """Who asks and does not read keeps no connection; who reads slowly gets all."""
    for pause, whole in ((0.0, True), (1.5, False)):
        with socket.create_connection(("127.0.0.1", port)) as one:
            one.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            time.sleep(pause)
            assert (taken(one) > LARGE) is whole


def test_what_is_refused_leaves_no_bytes(tmp_path: Path) -> None:
    """Beyond a limit, or under a name that is taken, nothing is kept; bytes that another run has stay."""
    qrels = write_qrels(tmp_path / "qrels.txt")
    for here in open_track(tmp_path, qrels, per_day=1):
        runs = here.site.folder / "runs"
        assert here.put("member", "one", a_run(1)).status_code == 201
        kept = [*runs.glob("*/*")]
        assert [one.name for one in kept] == [hashlib.sha256(a_run(1)).hexdigest()]
        assert here.put("member", "one", a_run(2)).status_code == 409
        assert here.put("member", "two", a_run(2)).status_code == 429
        assert here.put("member", "two", a_run(1)).status_code == 429
        assert [*runs.glob("*/*")] == kept


def test_what_a_check_refuses_leaves_no_bytes(tmp_path: Path) -> None:
    """A run that its check refuses leaves no bytes, unless others sent the same; they can be sent again."""
    qrels = write_qrels(tmp_path / "qrels.txt")
    wrong = a_run(1).replace(b"Q0", b"Q0 Q0", 1)
    for here in open_track(tmp_path, qrels):
        runs = here.site.folder / "runs"
        for _ in range(2):
            assert here.put("member", "one", wrong).status_code == 422
            assert not [*runs.glob("*/*")]
        assert here.put("member", "one", a_run(1)).status_code == 201
        kept = [*runs.glob("*/*")]
        said = Checked([{"level": "error", "line": None, "text": "no"}])
        other = submissions.submit(
            *(here.engine, "other", "two", Bytes(kept[0].name, 1)), received=1
        )
        assert submissions.keep_check(here.engine, other.key, said)
        submissions.remove_unnamed_bytes(here.site, here.engine, kept[0].name)
        assert [*runs.glob("*/*")] == kept
        assert not list(checkup._damaged(here.site, here.engine))
        part = kept[0].with_name("0" * 64)
        part.touch()
        assert not list(checkup._damaged(here.site, here.engine))
        os.utime(part, (1, 1))
        [lost] = checkup._damaged(here.site, here.engine)
        assert "no run of the catalogue" in lost.wrong


def test_a_body_of_two_lengths_is_refused(track: Track) -> None:  # noqa: F811
    """A request with a length and a coding, which a proxy may read otherwise, is refused, and ends its connection."""
    both = {"content-length": "3", "transfer-encoding": "chunked"}
    answer = track.client.post("/v1/invitations", headers=both, content=b"{} ")
    assert (answer.status_code, answer.headers["connection"]) == (400, "close")


def test_checks_of_a_person_wait_for_each_other(
    track: Track,  # noqa: F811
    monkeypatch,
) -> None:
    """While three checks of a person last, the person begins no other, and pages are answered."""
    lasts: Future[Checked] = Future()
    begun: list[str] = []

    def remarks(_: Crew, path: str, *__: object) -> Future[Checked]:
        begun.append(path)
        return lasts

    monkeypatch.setattr(Crew, "check_file", remarks)
    check = ("member", "POST", "/v1/boards/track/check")
    with ThreadPoolExecutor(3) as several:
        asked = [several.submit(track.ask, *check, content=b"x") for _ in range(3)]
        while len(begun) < 3:
            time.sleep(0.01)
        assert track.ask(*check, content=b"x").status_code == 429
        assert track.ask("member", "GET", "/v1/me").status_code == 200
        lasts.set_result(Checked([]))
        assert {one.result().status_code for one in asked} == {200}
    assert track.ask(*check, content=b"x").status_code == 200


def test_checks_by_the_token_of_a_site_are_not_one_persons(
    track: Track,  # noqa: F811
) -> None:
    """Whoever has the token of a site checks runs beside others who have it."""
    lasts: Future[Checked] = Future()
    crew = SimpleNamespace(check_file=lambda *_: lasts)
    here = door.Door(track.site, track.engine, crew)  # type: ignore[arg-type]
    run: Any = SimpleNamespace(part="run")
    visit = door.Visit(asking(here), people.Caller(None, "submit", site=True))

    async def ask() -> list[object]:
        asked = [
            asyncio.ensure_future(visit.check_run(None, "run", run))
            for _ in range(2 * door.TEAM)
        ]
        await asyncio.sleep(0)
        lasts.set_result(Checked([]))
        return await asyncio.gather(*asked)

    assert asyncio.run(ask()) == [[]] * 2 * door.TEAM


def test_judgments_are_read_within_limits(
    track: Track,  # noqa: F811
    monkeypatch,
) -> None:
    """Judgments that need more memory or time than a child has are refused; the server itself reads none."""
    monkeypatch.setattr(
        Crew, "_ask", lambda *_, **__: {"error": "it needs more memory"}
    )
    where = "/v1/boards/track/judgments"
    sent = track.ask("organizer", "PUT", where, content=b"301 0 d01 1\n")
    assert sent.status_code == 422
    assert "more memory" in sent.json()["detail"]


def test_copies_are_looked_for_within_limits(
    track: Track,  # noqa: F811
    monkeypatch,
) -> None:
    """Runs that organizers have compared are read by a child; the server itself reads none."""
    for role in ("member", "rival"):
        assert track.put(role, "one", a_run(1)).status_code == 201
    asked: list[str] = []
    ask = Crew._ask

    def told(crew: Crew, task: str, **given: Any) -> dict[str, Any]:
        asked.append(task)
        return ask(crew, task, **given) if len(asked) < 3 else {"error": "no memory"}

    monkeypatch.setattr(Crew, "_ask", told)
    organizer = browser(track, "organizer")
    send = ("/organize/b/track", {"what": "alike"})
    assert "100%" in organizer.post(send[0], data=send[1], headers=OWN).text
    assert asked == ["first", "first"]
    refused = organizer.post(send[0], data=send[1], headers=OWN)
    assert (refused.status_code, "no memory" in refused.text) == (422, True)


def test_secrets_and_teams_are_made_seldom(tmp_path: Path, monkeypatch) -> None:
    """Links and tokens of a person, and teams that ask from an address, are a limited number in an hour."""
    monkeypatch.setattr(door, "HOURLY", 3)
    qrels = write_qrels(tmp_path / "qrels.txt")
    for here in open_track(tmp_path, qrels, join="ask"):
        member = browser(here, "member", "Lund")
        made = [("/my/", {"what": what}) for what in ("read", "another")]
        made += [("/my/b/track", {})] * 2
        answers = [
            member.post(path, data=data, headers=OWN).status_code for path, data in made
        ]
        assert answers == [200, 200, 200, 429]
        asks = [
            browser(here).post(
                "/join/track", data={"team": f"t{at}", "name": "x"}, headers=OWN
            )
            for at in range(4)
        ]
        assert [one.status_code for one in asks] == [303, 303, 303, 429]


@pytest.mark.parametrize(
    ("host", "counted"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3::4", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::", "2001:db8:1:2::/64"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("::1", "::1"),
        ("no:address", "no:address"),
    ],
)
def test_addresses_are_counted_by_network(host: str, counted: str) -> None:
    """Of IPv6 a network is one address: whoever has one of its addresses has all."""
    assert door.address_of(Request({"type": "http", "client": (host, 1)})) == counted


def test_a_disk_that_fills_meanwhile(tmp_path: Path, monkeypatch) -> None:
    """A body of unknown length is refused when it would take what stays free, and nothing of it is left."""
    site = Site(tmp_path, Settings(body=10))
    site.temporary.mkdir()
    full = iter([False, False, True])
    monkeypatch.setattr(receive, "is_disk_full", lambda *_: next(full))
    with pytest.raises(receive.RefusedError, match="disk of this site is full"):
        arriving(site, [b"x", b"x"])
    assert [*site.temporary.iterdir()] == []
