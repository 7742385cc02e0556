"""Pages for people: sessions, forms that other sites send, and who sees which page."""

import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import text

from irmeta.serve import publishing
from irmeta.serve.catalogue import boards, people, submissions, tables

from .conftest import a_run, work_off, write_qrels
from .test_people import Track, open_track

OWN = {"sec-fetch-site": "same-origin"}


@pytest.fixture
def track(tmp_path: Path) -> Iterator[Track]:
    """A blind board with two teams, whom one may ask to join."""
    qrels = write_qrels(tmp_path / "qrels.txt")
    yield from open_track(tmp_path, qrels, join="ask")


def browser(track: Track, role: str = "", team: str = "") -> Any:
    """Return a browser, with a session of somebody new who has a role."""
    client = TestClient(track.client.app, follow_redirects=False)
    if role:
        secret = people.invite(track.engine, "track", role, team)
        form = {"secret": f"http://testserver/i/#{secret}", "name": f"Ann {role}"}
        answer = client.post("/i/", data=form, headers=OWN)
        assert (answer.status_code, answer.headers["location"]) == (303, "/my/")
    return client


def test_looking_at_an_invitation_does_not_use_it_up(track: Track) -> None:
    """A page that is only looked at uses nothing up; the form does, and its cookie is for this site alone."""
    client = browser(track)
    assert client.get("/i/").status_code == 200
    client = browser(track, "member", "Lund")
    cookie = client.cookies.get("session")
    assert cookie
    assert "Ann member" in client.get("/my/").text
    assert client.get("/my/").headers["cache-control"] == "no-store"
    answer = browser(track)
    secret = people.invite(track.engine, "track", "reader")
    form = {"secret": secret, "name": "Bo"}
    said = answer.post("/i/", data=form, headers=OWN).headers["set-cookie"].lower()
    assert "httponly" in said
    assert "samesite=lax" in said
    assert answer.post("/i/", data=form, headers=OWN).status_code == 404


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site", "origin": "http://testserver"},
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"referer": "http://testserver/my/"},
    ],
)
def test_forms_of_other_sites_do_nothing(track: Track, headers: dict) -> None:
    """A form that no page of this site sent is refused, on every page that takes one; nothing is changed."""
    client = browser(track, "organizer")
    for path in ("/i/", "/my/", "/my/b/track", "/organize/b/track", "/join/track"):
        form = {"what": "reveal", "typed": "track"}
        assert client.post(path, data=form, headers=headers).status_code == 403
    assert boards.board_of(track.engine, "track").reveals > 2e15
    own = {"origin": "http://testserver"}
    assert client.post("/my/", data={"what": "read"}, headers=own).status_code == 200


def test_sessions_open_no_operation_and_tokens_no_page(track: Track) -> None:
    """The API takes no cookie and pages take no token; a session that is ended or idle opens nothing."""
    client = browser(track, "member", "Lund")
    assert client.get("/v1/me").status_code == 401
    assert track.ask("member", "get", "/my/b/track").status_code == 404
    assert client.get("/my/b/track").status_code == 200
    with track.engine.begin() as db:
        db.execute(text("UPDATE token SET used = 1 WHERE kind = 'session'"))
    assert client.get("/my/b/track").status_code == 404
    client = browser(track, "member", "Lund")
    [digest] = re.findall(r'name="token" value="(\w+)"', client.get("/my/").text)
    client.post("/my/", data={"token": digest}, headers=OWN)
    assert client.get("/my/b/track").status_code == 404


def test_pages_are_for_whom_they_are(track: Track) -> None:
    """Who may not see a page of a board is shown the page that is shown for nonsense."""
    key = track.put("member", "secretive", a_run(1)).json()["key"]
    work_off(track.site, track.engine)
    publishing.publish(track.site)
    clients = {
        "visitor": browser(track),
        "reader": browser(track, "reader"),
        "rival": browser(track, "member", "Rival"),
        "member": browser(track, "member", "Lund"),
        "organizer": browser(track, "organizer"),
    }
    may = {
        "/my/b/{}": ("rival", "member"),
        "/organize/b/{}": ("organizer",),
        "/private/b/{}/index.html": ("organizer",),
        f"/private/b/{{}}/s/{key}/record.json": ("organizer",),
        "/private/b/{}/data/scores.csv": ("organizer",),
        "/join/{}": ("visitor", "reader", "organizer"),
    }
    for (path, roles), role in itertools.product(may.items(), clients):
        real = clients[role].get(path.format("track"))
        lost = clients[role].get(path.format("no-such"))
        assert lost.status_code == 404
        if role in roles:
            assert real.status_code == 200, (path, role)
        else:
            assert (real.status_code, real.content) == (404, lost.content)
    assert "secretive" in clients["member"].get("/my/b/track").text
    assert "secretive" not in clients["rival"].get("/my/b/track").text
    outside = "/private/b/track/../../../site.db"
    for path in (outside, outside.replace("..", "%2e%2e"), "/private/b/track/"):
        assert clients["organizer"].get(path).status_code == 404
    form = {"withdraw": key}
    theirs = clients["rival"].post("/my/b/track", data=form, headers=OWN)
    assert theirs.status_code == 404
    mine = clients["member"].post("/my/b/track", data=form, headers=OWN)
    assert mine.status_code == 303
    [one] = submissions.of_team(track.engine, 1, "Lund")
    assert one.state == "withdrawn"


def test_an_organizer_who_takes_part_waits(track: Track) -> None:
    """An organizer whose team is on the board sees no scores before the reveal, and organizes all the same."""
    work_off(track.site, track.engine)
    publishing.publish(track.site)
    client = browser(track, "organizer")
    secret = people.invite(track.engine, "track", "member", "Lund")
    client.post("/i/", data={"secret": secret}, headers=OWN)
    assert client.get("/private/b/track/index.html").status_code == 404
    assert client.get("/organize/b/track").status_code == 200


def test_an_organizer_organizes_by_pages(track: Track) -> None:
    """An organizer lets a team in, invites, withdraws a run, and reveals only by typing the key."""
    asks = browser(track)
    form = {"team": "Oslo <b>", "name": "Cy"}
    assert asks.post("/join/track", data=form, headers=OWN).status_code == 303
    assert asks.get("/my/b/track").status_code == 404
    client = browser(track, "organizer")
    page = client.get("/organize/b/track").text
    assert "Oslo &lt;b&gt;" in page
    assert "Oslo <b>" not in page

    def send(**given: str) -> Any:
        return client.post("/organize/b/track", data=given, headers=OWN)

    assert send(what="in", team="Oslo <b>").status_code == 303
    assert asks.get("/my/b/track").status_code == 200
    assert "/i/#" in send(what="invite", role="member", team="Bergen").text
    key = track.put("member", "mine", a_run(1)).json()["key"]
    assert send(what="withdraw", run=key).status_code == 303
    assert send(what="holder", team="Rival").status_code == 303
    assert send(what="reveal", typed="trak").status_code == 422
    assert boards.board_of(track.engine, "track").reveals > 2e15
    assert send(what="reveal", typed="track").status_code == 303
    page = client.get("/organize/b/track").text
    assert "revealed" in page
    with tables.reading(track.engine) as db:
        names = db.execute(text("SELECT detail FROM event")).scalars().all()
    assert not any("Ann" in one or "Cy" in one for one in names)
