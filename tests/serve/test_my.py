"""Pages for people: sessions, forms that other sites send, and who sees which page."""

import asyncio
import gzip
import hashlib
import itertools
import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.routing import APIRoute
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import text

from irmeta.serve.catalogue import boards, databases, people, submissions
from irmeta.serve.catalogue.rules import RefusedError, now
from irmeta.serve.pages import publishing
from irmeta.serve.web.receive import file_of_form

from .conftest import a_run, beside, work_off, write_qrels
from .test_people import Track, copied_track, open_track

OWN = {"sec-fetch-site": "same-origin"}


@pytest.fixture
def track(tracked: tuple[Path, dict[str, str]], tmp_path: Path) -> Iterator[Track]:
    """A blind board with two teams, whom one may ask to join."""
    yield from asked(tracked, tmp_path)


def asked(tracked: tuple[Path, dict[str, str]], folder: Path) -> Iterator[Track]:
    """Serve a copy of a site with a blind board that takes askers."""
    for track in copied_track(tracked, folder):
        with track.engine.begin() as db:
            db.execute(text("UPDATE board SET \"join\" = 'ask' WHERE key = 'track'"))
        yield track


def browser(track: Track, role: str = "", team: str = "", board: str = "track") -> Any:
    """Return a browser, with a session of somebody new who has a role."""
    client = beside(track.client)
    if role:
        secret = people.invite(track.engine, board, role, team)
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
    mine = ("/my/", "/my/b/track", "/my/b/track/runs")
    for path in ("/i/", "/review/", *mine, "/organize/b/track", "/join/track"):
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
    set_used = text("UPDATE token SET used = :used WHERE kind = 'session'")
    for days, status in ((6, 200), (6, 200), (8, 404)):
        with track.engine.begin() as db:
            db.execute(set_used, {"used": now() - days * people.DAY})
        assert client.get("/my/b/track").status_code == status
    client = browser(track, "member", "Lund")
    [digest] = re.findall(r'name="token" value="(\w+)"', client.get("/my/").text)
    client.post("/my/", data={"token": digest}, headers=OWN)
    assert client.get("/my/b/track").status_code == 404


def test_pages_are_for_whom_they_are(track: Track) -> None:
    """On every page and for every role, what is hidden is answered with the bytes of the answer to nonsense."""
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
    teams, asks = ("rival", "member"), ("visitor", "reader", "organizer")
    may = {
        "/my/b/{board}": teams,
        "/my/b/{board}/runs": teams,
        "/organize/b/{board}": ("organizer",),
        "/join/{board}": asks,
        "/private/{path:path}": ("organizer",),
    }
    pages = [
        (method, route.path)
        for route in track.client.app.routes
        if isinstance(route, APIRoute) and not route.include_in_schema
        for method in route.methods
        if "{" in route.path
    ]
    assert may.keys() == {path for _, path in pages}
    files = ("index.html", f"s/{key}/record.json", "data/scores.csv")
    for (method, path), role, file in itertools.product(pages, clients, files):
        real, lost = (
            clients[role].request(method, filled(path, board, file), headers=OWN)
            for board in ("track", "no-such")
        )
        assert lost.status_code == 404
        if role in may[path]:
            assert real.status_code in (200, 303, 422), (method, path, role)
        else:
            assert (real.status_code, real.content) == (404, lost.content)
    decisions = ("in", "out", "holder", "invite", "withdraw", "dates", "reveal")
    for what, role in itertools.product(decisions, set(clients) - {"organizer"}):
        form = {"what": what, "role": "organizer", "team": "Lund", "run": key}
        form |= {"typed": "track", "closes": "now"}
        lost = clients[role].post("/organize/b/no-such", data=form, headers=OWN)
        sent = clients[role].post("/organize/b/track", data=form, headers=OWN)
        assert (sent.status_code, sent.content) == (404, lost.content)
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
    [one] = submissions.submissions_of(track.engine, 1, "Lund")
    assert one.state == "withdrawn"


def filled(path: str, board: str, file: str) -> str:
    """Fill in the path of a page."""
    return path.replace("{board}", board).replace("{path:path}", f"b/{board}/{file}")


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
    assert send(what="dates", closes="2098-01-01", reveals="").status_code == 303
    assert send(what="dates", closes="tomorrow").status_code == 422
    assert send(what="dates", reveals="2098-01-01").status_code == 409
    assert boards.board_of(track.engine, "track").closes == 4_039_372_800_000_000
    assert "before it opens" in send(what="dates", closes="2001-01-01").text
    wrong = send(what="reveal", typed="trak")
    assert wrong.status_code == 422
    assert "trak&#39; is not track: nothing was revealed" in wrong.text
    assert wrong.headers["content-type"].startswith("text/html")
    assert boards.board_of(track.engine, "track").reveals > 2e15
    assert send(what="reveal", typed="track").status_code == 303
    page = client.get("/organize/b/track").text
    assert "revealed" in page
    with databases.reading(track.engine) as db:
        names = db.execute(text("SELECT detail FROM event")).scalars().all()
    assert not any("Ann" in one or "Cy" in one for one in names)


def test_an_invitation_says_where_it_leads(track: Track) -> None:
    """Who invites and who is invited read the board, the role and the team; reading it uses nothing up."""
    client = browser(track, "organizer")
    given = {"what": "invite", "role": "member", "team": "Bergen <b>"}
    page = client.post("/organize/b/track", data=given, headers=OWN).text
    assert "An invitation to track, as member of Bergen &lt;b&gt;" in page
    [secret] = re.findall(r"/i/#([\w-]+)", page)
    invited, look = browser(track), {"secret": secret, "what": "look"}
    for _ in range(2):
        page = invited.post("/i/", data=look, headers=OWN).text
        assert "You are invited to be a member of Bergen &lt;b&gt;" in page
    come = {"secret": secret, "name": "Bo"}
    assert invited.post("/i/", data=come, headers=OWN).status_code == 303
    used = invited.post("/i/", data=look, headers=OWN)
    nonsense = invited.post("/i/", data=look | {"secret": "x"}, headers=OWN)
    assert (used.status_code, used.content) == (404, nonsense.content)
    assert "this invitation was used, has ended, or" in used.text


def test_an_organizer_reads_what_happened(track: Track) -> None:
    """The log has sentences, also of runs, with who did it; runs that are alike are named; who is removed is out."""
    member, rival = browser(track, "member", "Lund"), browser(track, "member", "Rival")
    for client, name in ((member, "mine"), (rival, "copied")):
        client.post("/my/b/track/runs", **form(a_run(1), name=name))
    client = browser(track, "organizer")
    [ann] = [
        one.key
        for one in people.people_of_board(track.engine, 1)
        if (one.name, one.team) == ("Ann member", "Rival")
    ]

    def send(**given: str) -> Any:
        return client.post("/organize/b/track", data=given, headers=OWN)

    alike = send(what="alike").text
    assert re.search(r"100%</td><td>Lund: mine</td><td>Rival: copied", alike)
    assert send(what="remove", person=ann).status_code == 303
    assert send(what="remove", person=ann).status_code == 404
    assert rival.get("/my/b/track").status_code == 404
    assert send(what="holder", team="Rival").status_code == 303
    page = client.get("/organize/b/track").text
    log = re.findall(r"<tr><td>[-\d]+ [:\d]+</td><td>(.*)</td><td>(.*)</td>", page)
    assert log[0] == ("Rival has seen the judgments", "Ann organizer")
    assert log[1] == ("removed Ann member", "Ann organizer")
    assert ("Lund sent run mine", "Ann member") in log
    assert not any("{" in text_ for text_, _ in log)


def test_withdrawing_takes_two_steps(track: Track) -> None:
    """The button that withdraws a run is hidden behind a word that has to be opened, for teams and organizers."""
    track.put("member", "mine", a_run(1))
    for client, where in (
        (browser(track, "member", "Lund"), "/my/b/track"),
        (browser(track, "organizer"), "/organize/b/track"),
    ):
        page = client.get(where).text
        assert "withdraw</button>" in page
        open_ = re.sub(r"<details>.*?</details>", "", page, flags=re.DOTALL)
        assert "withdraw</button>" not in open_


def test_a_board_that_marks_late_runs_says_so(tmp_path: Path) -> None:
    """After its end a board says whether it takes runs all the same."""
    qrels = write_qrels(tmp_path / "qrels.txt")
    for late, says in (
        ("mark", "Runs are taken, and marked as late since"),
        ("refuse", "No more runs are taken"),
    ):
        for track in open_track(tmp_path / late, qrels, late=late):
            boards.set_board(track.engine, "track", {"closes": now()})
            publishing.publish(track.site)
            assert says in (track.site.public / "b/track/index.html").read_text()
            boards.reveal(track.engine, "track", "track")
            assert says in browser(track, "organizer").get("/organize/b/track").text


def test_a_team_page_offers_what_one_can_do(track: Track) -> None:
    """After end, reveal and freeze a team's page says where the board stands, and has no form that fails."""
    key = track.put("member", "mine", a_run(1)).json()["key"]
    work_off(track.site, track.engine)
    client = browser(track, "member", "Lund")

    def page() -> tuple[list[str], str]:
        text = client.get("/my/b/track").text
        return re.findall(r"<button[^>]*>(.*?)</button>", text), text

    more = ["withdraw", "make it", "invite somebody into the team"]
    assert page()[0] == ["send", *more]
    boards.set_board(track.engine, "track", {"closes": now()})
    buttons, text = page()
    assert buttons == more
    assert "No more runs are taken since" in text
    assert "as many runs as you like" not in text
    assert f"s/{key}/" not in text
    boards.reveal(track.engine, "track", "track")
    publishing.publish(track.site)
    buttons, text = page()
    assert buttons == more
    assert "scores are shown since" in text
    assert client.get(f"/b/track/s/{key}/index.html").status_code == 200
    assert f'href="/b/track/s/{key}/index.html"' in text
    boards.set_board(track.engine, "track", {"frozen": now()}, typed="track")
    assert page()[0] == []
    assert "The board is frozen" in page()[1]


def test_a_members_board_has_no_link_before_it_has_pages(track: Track) -> None:
    """Pages of people lead to a board's pages once there are some for them, which may be private ones."""
    boards.set_board(track.engine, "track", {"visibility": "members"})
    client = browser(track, "member", "Lund")
    for where in ("/my/", "/my/b/track"):
        assert "b/track/index.html" not in client.get(where).text
    boards.reveal(track.engine, "track", "track")
    publishing.publish(track.site)
    assert client.get("/private/b/track/index.html").status_code == 200
    for where in ("/my/", "/my/b/track"):
        assert 'href="/private/b/track/index.html"' in client.get(where).text


def test_tokens_say_in_words_what_they_let_one_do(track: Track) -> None:
    """The page of a person says in plain words what a session, a token and a review link let one do."""
    client = browser(track, "member", "Lund")
    page = client.post("/my/", data={"what": "submit"}, headers=OWN).text
    rows = re.findall(r'<tr><td class="word">(.*?)</td><td class="word">(.*?)<', page)
    assert rows[-2:] == [
        ("session", "do all that you may do"),
        ("token", "read and send runs"),
    ]
    line = "irmeta submit my-run.gz --to .*/b/track --token-file irmeta-token"
    assert re.search(f"chmod 600 irmeta-token\n{line}\n", page)
    page = client.post("/my/", data={"what": "another"}, headers=OWN).text
    assert "This is shown once" in page
    assert "chmod" not in page


def test_a_review_link_shows_a_run_without_names(track: Track) -> None:
    """Whoever has the link sees the run, before the reveal without and after it with its scores; until it is ended."""
    key = track.put("member", "mine", a_run(1)).json()["key"]
    work_off(track.site, track.engine)
    member, rival = browser(track, "member", "Lund"), browser(track, "member", "Rival")
    asked = {"review": key, "days": "30"}
    assert rival.post("/my/b/track", data=asked, headers=OWN).status_code == 404
    days = {"review": key, "days": "181"}
    assert member.post("/my/b/track", data=days, headers=OWN).status_code == 422
    page = member.post("/my/b/track", data=asked, headers=OWN).text
    [secret] = re.findall(r"/review/#([\w-]+)", page)

    def look(given: str) -> Any:
        publishing.publish(track.site)
        return browser(track).post("/review/", data={"secret": given}, headers=OWN)

    assert "data-secret" in browser(track).get("/review/").text
    before = look(f"http://testserver/review/#{secret}").text
    assert "not known yet" in before
    boards.set_board(track.engine, "track", {"visibility": "members"})
    boards.set_board(track.engine, "track", {"reveals": now()}, typed="track")
    after = look(secret).text
    assert "Rank 1 of 1" in after
    for text_ in (before, after):
        assert not re.search("Lund|mine", text_)
    headers = {"Authorization": f"Bearer {secret}"}
    assert track.client.get("/v1/me", headers=headers).status_code == 401
    digest = people.digest_of(secret)
    member.post("/my/", data={"token": digest}, headers=OWN)
    assert look(secret).content == look("nonsense").content


def form(run: bytes, file: str = "input.bm25.gz", **fields: str) -> dict[str, Any]:
    """Return what a browser sends of the form for a run: the file comes last."""
    edge = "----edge"
    lines = [
        f'--{edge}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{text}\r\n'
        for name, text in fields.items()
    ]
    lines.append(
        f'--{edge}\r\nContent-Disposition: form-data; name="run"; filename="{file}"\r\n'
        "Content-Type: application/gzip\r\n\r\n"
    )
    body = "".join(lines).encode() + run + f"\r\n--{edge}--\r\n".encode()
    return {
        "content": body,
        "headers": OWN | {"content-type": f"multipart/form-data; boundary={edge}"},
    }


def test_a_browser_sends_runs_under_the_rules_of_the_api(tmp_path: Path) -> None:
    """A form's run is kept byte for byte; checks, limits, names and refusals are the API's, told on the page."""
    qrels = write_qrels(tmp_path / "qrels.txt")
    where = "/my/b/track/runs"
    for track in open_track(tmp_path, qrels, per_day=2):
        client = browser(track, "member", "Lund")
        odd = gzip.compress(a_run(1)) + b"\r\n------edg\r\n--"
        checked = client.post(where, **form(a_run(1), check="on"))
        assert (checked.status_code, "nothing is odd" in checked.text) == (200, True)
        assert submissions.submissions_of(track.engine, 1, "Lund") == []
        tags = a_run(1).replace(b"tag", b"gat", 1)
        checked = client.post(where, **form(tags, check="on"))
        assert "the system is named bm25" in checked.text
        sent = client.post(where, **form(a_run(1), description="a <b>"))
        assert (sent.status_code, sent.headers["location"][:17]) == (
            303,
            "/my/b/track?sent=",
        )
        page = client.get(sent.headers["location"]).text
        assert "bm25 was sent, and is accepted" in page
        assert "was sent" not in client.get("/my/b/track").text
        [one] = submissions.submissions_of(track.engine, 1, "Lund")
        assert (one.name, one.description, one.state) == ("bm25", "a <b>", "accepted")
        assert track.site.run_path(one.run).read_bytes() == a_run(1)
        again = client.post(where, **form(a_run(2), description="a <b>"))
        assert 'value="a &lt;b&gt;"' in again.text
        assert (
            again.status_code,
            "a run bm25 of team Lund is there" in again.text,
        ) == (
            409,
            True,
        )
        client.post(where, **form(odd, name="odd"))
        [_, kept] = submissions.submissions_of(track.engine, 1, "Lund")
        assert (
            kept.run == hashlib.sha256(odd).hexdigest()
        )  # refused, its bytes are gone
        assert "error" in client.get("/my/b/track").text
        assert client.post(where, **form(a_run(3), name="x")).status_code == 303
        full = client.post(where, **form(a_run(4), name="y"))
        assert (full.status_code, "no run left" in full.text) == (429, True)
        assert client.post(where, **form(a_run(4), name="é")).status_code == 422
        boards.set_board(track.engine, "track", {"closes": now()})
        late = client.post(where, **form(a_run(4)))
        assert (late.status_code, "the board closed at 20" in late.text) == (
            403,
            True,
        )
        assert 'type="file"' not in client.get("/my/b/track").text
        assert list(track.site.temporary.iterdir()) == []


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        (b"", "multipart/form-data; boundary=e", 422),
        (b"x" * 200_000, "multipart/form-data; boundary=e", 413),
        (b"--e\r\n\r\n\r\n" * 50, "multipart/form-data; boundary=e", 422),
        (b"--e\r\n\r\nx\r\n--e--\r\n", "multipart/form-data; boundary=e", 422),
        (b"what=reveal", "application/x-www-form-urlencoded", 422),
        (b"\xff", "multipart/form-data; boundary=\xff", 422),
    ],
)
def test_a_form_that_is_none_is_refused(
    track: Track, body: bytes, kind: str, status: int
) -> None:
    """A form that is cut off, too long, of another kind or without a file leaves nothing behind."""
    client = browser(track, "member", "Lund")
    headers = OWN | {"content-type": kind.encode("latin-1")}
    answer = client.post("/my/b/track/runs", content=body, headers=headers)
    assert answer.status_code == status
    assert submissions.submissions_of(track.engine, 1, "Lund") == []
    assert list(track.site.temporary.iterdir()) == []


@given(cuts=st.lists(st.integers(1, 40)), run=st.binary(max_size=60))
def test_fields_after_the_file_are_heard(cuts: list[int], run: bytes) -> None:
    """A field that comes after the file is noted, however the form is cut; a second file is refused in words."""
    sent = form(run, "a", name="n")
    edge = b"------edge"
    field = b'\r\nContent-Disposition: form-data; name="check"\r\n\r\non\r\n'
    whole = sent["content"].removesuffix(b"--\r\n") + field + edge + b"--\r\n"
    kind = sent["headers"]["content-type"]
    fields: dict[str, str] = {}
    assert asyncio.run(read(pieces(whole, cuts), kind, fields)) == run
    assert fields == {"name": "n", "run": "a", "check": "on"}
    first = sent["content"].removesuffix(b"--\r\n")
    twice = first + sent["content"].removeprefix(edge)
    with pytest.raises(RefusedError, match="a form has one run"):
        asyncio.run(read(pieces(twice, cuts), kind, {}))


async def pieces(body: bytes, cuts: list[int]) -> AsyncIterator[bytes]:
    """Cut a body as a network may."""
    at = 0
    for length in itertools.chain(cuts, itertools.repeat(7)):
        if at >= len(body):
            return
        yield body[at : at + length]
        at += length


async def read(body: AsyncIterator[bytes], kind: str, fields: dict[str, str]) -> bytes:
    """Return the file of a form."""
    return b"".join([one async for one in file_of_form(body, kind, fields)])


@given(cuts=st.lists(st.integers(1, 40)), run=st.binary(max_size=60))
def test_a_file_is_the_same_however_it_is_cut(cuts: list[int], run: bytes) -> None:
    """The file of a form comes byte for byte, wherever the network cuts the form; one cut off is refused."""
    sent = form(b"\r\n--" + run, "a", name="n")
    whole, kind = sent["content"], sent["headers"]["content-type"]

    fields: dict[str, str] = {}
    assert asyncio.run(read(pieces(whole, cuts), kind, fields)) == b"\r\n--" + run
    assert fields == {"name": "n", "run": "a"}
    with pytest.raises(RefusedError, match="cut off"):
        asyncio.run(read(pieces(whole[:-9], cuts), kind, {}))


def test_names_that_look_alike_are_shown_to_organizers(track: Track) -> None:
    """Beside a team whose name has letters of two alphabets organizers read so; what does not show is in no name."""
    organizer = browser(track, "organizer")
    assert "letters of" not in organizer.get("/organize/b/track").text
    names = ("L\u03c5nd", "Lund\u3164", "\u2800", "Lund\ufe0f", "Lu\u034fnd")
    answers = [
        browser(track).post(
            "/join/track", data={"team": name, "name": "x"}, headers=OWN
        )
        for name in names
    ]
    assert [one.status_code for one in answers] == [303, 422, 422, 422, 422]
    assert "the character U+3164 does not show; leave it out" in answers[1].text
    with pytest.raises(RefusedError, match=r"name: the character U\+2800"):
        people.ask_to_join(track.engine, "track", "Oslo", "\u2800")
    page = organizer.get("/organize/b/track").text
    assert "letters of GREEK and LATIN" in page
