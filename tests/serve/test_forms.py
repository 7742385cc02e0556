"""Attacks on the pages for people, made of their routes and of the fields of their forms."""

import asyncio
import itertools
import random
import re
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import sqlalchemy as sa
from fastapi import Request
from fastapi.routing import APIRoute

from irmeta.serve.catalogue import boards, databases, people, tables
from irmeta.serve.catalogue.rules import RefusedError
from irmeta.serve.operating import importing
from irmeta.serve.pages import publishing
from irmeta.serve.web.door import read_small_body

from .conftest import a_run, beside, work_off, write_qrels
from .test_my import OWN, asked, browser, form
from .test_people import Track, serving

PAGES = Path(publishing.__file__).parent
FIELDS = sorted(
    {
        name
        for page in PAGES.glob("*.html.j2")
        for name in re.findall(r'name="([a-z]+)"', page.read_text())
    }
    - {"viewport"}
)
"""What forms have, of all pages together."""
BUTTONS = sorted(
    {"in", "out", "holder", "read", "submit", "organize", "member", "reader"}
    | {
        value
        for page in PAGES.glob("*.html.j2")
        for value in re.findall(r'value="([a-z]+)"', page.read_text())
    }
)
"""What buttons and hidden fields of forms say."""
FORGED = {
    **OWN,
    "x-forwarded-host": "evil.example",
    "forwarded": "for=127.0.0.1;host=evil.example",
    "x-original-url": "/organize/b/track",
    "x-http-method-override": "PUT",
    "referer": "https://evil.example/",
}
"""Headers in which a proxy or a browser might be believed."""
CAST = {
    "visitor": ("track",),
    "reader": ("track", "reader"),
    "asker": ("track",),
    "removed": ("track", "member", "Gone"),
    "stranger": ("other", "member", "Else"),
    "foreign": ("other", "organizer"),
    "rival": ("track", "member", "Rival"),
    "member": ("track", "member", "Lund"),
    "organizer": ("track", "organizer"),
}
"""Board, role and team of everybody with a browser."""
HIDDEN = "secretive|Lund|name of (member|reader|rival|organizer)"
"""Names of a run, a team and people of the board."""
FEW = [3, pytest.param(15, marks=pytest.mark.slow)]
"""Forms of one role for one page."""


@dataclass
class Attacked:
    """A board, browsers of all roles, and what each of them must not learn."""

    track: Track
    clients: dict[str, Any]
    persons: dict[str, int]
    key: str
    fields: dict[str, list[str]]

    def state(self) -> dict[str, Any]:
        """Return what attackers must not change, and not the counters and times of boards."""
        return {one.name: rows(self.track, one) for one in tables.META.sorted_tables}


@pytest.fixture
def attacked(prepared: Attacked, tmp_path: Path) -> Iterator[Attacked]:
    """A copy of the attacked site for one test, and browsers with the sessions of before."""
    shutil.copytree(prepared.track.site.folder, tmp_path / "site")
    for site, engine, client in serving(tmp_path / "site"):
        clients = {role: beside(client) for role in CAST}
        for role, one in clients.items():
            one.cookies = prepared.clients[role].cookies
        track = Track(site, engine, client, prepared.track.tokens)
        yield replace(prepared, track=track, clients=clients)


@pytest.fixture(scope="module")
def prepared(
    tracked: tuple[Path, dict[str, str]], tmp_path_factory: pytest.TempPathFactory
) -> Attacked:
    """A blind board that takes askers, another one and an open one; a run of Lund, and a link to everything."""
    folder = tmp_path_factory.mktemp("attacked")
    qrels = write_qrels(folder / "qrels.txt")
    made = asked(tracked, folder)
    track = next(made)
    settings = track.site.folder / "site.toml"
    settings.write_text(f"{settings.read_text()}requests = 100000\n")
    importing.open_board(track.site, track.engine, "lab", qrels=qrels)
    key = track.put("member", "secretive", a_run(1)).json()["key"]
    work_off(track.site, track.engine)
    publishing.publish(track.site)
    clients, persons = {}, {}
    for role, (of, *whose) in CAST.items():
        clients[role] = browser(track, *whose, board=of)
        if role == "asker":
            asks = {"team": "Bergen", "name": "Ann asker"}
            clients[role].post("/join/track", data=asks, headers=OWN)
        persons[role] = len(rows(track, tables.person))
    people.set_team(track.engine, "track", "Gone", state="out")
    digests = [one["digest"] for one in rows(track, tables.token)]
    dates = ["now", "never", "0001-01-01T00:00+23:59", "9999-12-31T23:59:59.999999"]
    fields = {one: ["", "x", "\0", "9" * 5000, "<b>", key] for one in FIELDS}
    given: dict[str, list[str]] = {
        "what": BUTTONS,
        "team": ["Lund", "Rival", "Gone", "Bergen", "Else", "\u202e", "L" * 61],
        "role": ["member", "reader", "organizer", "operator", "", "site"],
        "run": [key],
        "withdraw": [key],
        "review": [key],
        "days": ["1", "180", "-1", "9" * 5000, "٣", "1e3"],
        "token": list(digests),
        "typed": ["track", "other", "lab"],
        "secret": list(digests),
        **dict.fromkeys(("opens", "closes", "reveals"), dates),
    }
    fields = {one: fields[one] + given.get(one, []) for one in fields}
    made.close()
    return Attacked(track, clients, persons, key, fields)


def rows(track: Track, table: sa.Table) -> list[dict[str, Any]]:
    """Return a table, without the counters and times of boards."""
    with databases.reading(track.engine) as db:
        found = db.execute(sa.select(table)).mappings().all()
    return [
        {name: one for name, one in row.items() if name not in ("version", "changed")}
        for row in found
    ]


def routes(attacked: Attacked) -> list[tuple[str, str]]:
    """List the methods and paths of all pages."""
    found = [
        (method, route.path)
        for route in attacked.track.client.app.routes
        if isinstance(route, APIRoute) and not route.include_in_schema
        for method in route.methods
    ]
    assert len(found) > 12
    return found


def forms(
    attacked: Attacked, who: str, seed: str, few: int
) -> Iterator[dict[str, str]]:
    """Fill in all fields of all forms at once, at random; none ends the session that sends it."""
    rng = random.Random(seed)
    own = [
        one["digest"]
        for one in rows(attacked.track, tables.token)
        if one["person"] == attacked.persons[who]
    ]
    staying = [one for one in BUTTONS if one != "leave"]
    buttons = itertools.cycle(rng.sample(staying, len(staying)))
    for _ in range(few):
        sent = {name: rng.choice(values) for name, values in attacked.fields.items()}
        sent["what"] = next(buttons)
        if sent["token"] in own:
            del sent["token"]
        # a page looks at these first, and at others only without them
        for first in ("withdraw", "review"):
            if rng.random() < 0.6:
                del sent[first]
        yield sent


def request(path: str, sent: dict[str, str]) -> dict[str, Any]:
    """Return what a browser would send of a form."""
    if not path.endswith("/runs"):
        return {"data": sent, "headers": FORGED}
    fields = {name: text for name, text in sent.items() if name != "run"}
    return form(a_run(2), sent.get("run", ""), **fields)


def changed(before: dict[str, Any], after: dict[str, Any], table: str) -> list[Any]:
    """Return the rows of a table that are not as they were: old ones that are gone, and new ones."""
    old, new = before[table], after[table]
    return [one for one in old + new if one not in old or one not in new]


@pytest.mark.parametrize("few", FEW)
def test_no_form_does_what_its_page_does_not_offer(
    attacked: Attacked, few: int
) -> None:
    """Whatever a form of any page says, nobody changes a board, a run of others or what somebody is."""
    for role in sorted(CAST.keys() - {"member", "organizer"}):
        attack(attacked, role, few)


def attack(attacked: Attacked, role: str, few: int) -> None:
    """Send forms of a role to all pages but those of its own board, and see what has changed."""
    before, client = attacked.state(), attacked.clients[role]
    own = CAST[role][0] if role in ("foreign", "stranger") else ""
    for method, path in routes(attacked):
        boards = ("track", "other", "lab") if "{board}" in path else ("",)
        for board in boards if method == "POST" else ():
            if board and board == own:
                continue
            where = path.replace("{board}", board)
            for sent in forms(attacked, role, f"{role} {where}", few):
                answer = client.post(where, **request(path, sent))
                says = (role, where, sent, answer.status_code, answer.text)
                assert answer.status_code in (200, 303, 404, 409, 422), says
                assert "evil" not in answer.text + answer.headers.get("location", "")
                assert not re.search(HIDDEN, answer.text), says
    after = attacked.state()
    for table in ("board", "judgments", "score"):
        assert changed(before, after, table) == []
    team = {"rival": "Rival"}.get(role)
    for one in changed(before, after, "submission"):
        assert one["team"] == team
    asked = {one["id"] for one in changed(before, after, "team")}
    for one in changed(before, after, "team"):
        assert one["state"] == "asked"
    known = {one["id"] for one in before["person"]}
    others = known - {attacked.persons[role]} if role != "visitor" else known
    assert all(one["id"] not in others for one in changed(before, after, "person"))
    for one in changed(before, after, "membership"):
        assert one["person"] not in others
        asks = (one["role"], one["team"] in asked)
        assert one in before["membership"] or asks == ("member", True)
    for one in changed(before, after, "token"):
        assert one["person"] not in others
        if one["kind"] == "invite" and one["board"] is not None:
            [of] = [row for row in after["team"] if row["id"] == one["team"]]
            assert (one["role"], of["name"]) == ("member", team)
        assert one["kind"] != "review" or one["label"] != attacked.key


@pytest.mark.parametrize("few", FEW)
def test_any_form_of_who_may_has_an_answer(attacked: Attacked, few: int) -> None:
    """Whatever those say who may much, on their own board: a page says it, and the site goes on being published."""
    for role in ("member", "foreign", "organizer"):
        answered(attacked, role, few)
    publishing.publish(attacked.track.site)


def answered(attacked: Attacked, role: str, few: int) -> None:
    """Send forms of a role to its own board; each has a page for an answer."""
    client = attacked.clients[role]
    sent_to = {"foreign": "other"}.get(role, "track")
    for method, path in routes(attacked):
        where = path.replace("{board}", sent_to)
        every = forms(attacked, role, role + path, few) if method == "POST" else ()
        for sent in every:
            if role != "foreign":
                sent.pop("opens", None)
            answer = client.post(where, **request(path, sent))
            says = (role, where, sent, answer.status_code, answer.text)
            assert answer.status_code in (200, 303, 404, 409, 422, 429), says
            assert "json" not in answer.headers.get("content-type", ""), says
            assert "evil" not in answer.text + answer.headers.get("location", "")


ODD = (
    *(
        "b/{board}/index.html",
        "b/{board}/s/{key}/record.json",
        "b/{board}/data/scores.csv",
    ),
    *("b/{board}/../track/index.html", "b/{board}/%2e%2e/track/index.html"),
    *("b/{board}/..%2f..%2f..%2fsite.db", "b/{board}/%00", "b/{board}/" + "x" * 300),
    *(
        "b/{board}",
        "b/",
        "%00",
        "b/%ff/x",
        "b//track/index.html",
        "site.db",
        "/etc/passwd",
    ),
)
"""Paths below the private pages."""
BOARDS = (
    "track",
    "other",
    "lab",
    "no-such",
    "TRACK",
    "a" * 41,
    "%00",
    "tr%61ck",
    "..%2ftrack",
)


FIRST = ("visitor", "rival", "organizer")


@pytest.mark.parametrize(
    "roles", [FIRST, pytest.param(sorted(CAST.keys() - FIRST), marks=pytest.mark.slow)]
)
def test_odd_paths_lead_nowhere(attacked: Attacked, roles: list[str]) -> None:
    """Whatever a path says, a page is there or it is not; nobody is shown a name or a score of another team by it."""
    before = attacked.state()
    for role in roles:
        follow(attacked, role)
    after = attacked.state()
    assert all(changed(before, after, table) == [] for table in before)


def follow(attacked: Attacked, role: str) -> None:
    """Ask for odd paths as a role."""
    client = attacked.clients[role]
    pages = {path for _, path in routes(attacked)}
    private = pages & {"/private/{path:path}"}
    ends = role in ("visitor", "organizer")  # who may least and most
    boards = BOARDS if ends else BOARDS[:3]
    pages = {path.replace("{board}", one) for path in pages - private for one in boards}
    for one in ("track", "other", "lab"):
        filled = (odd.format(board=one, key=attacked.key) for odd in ODD)
        private |= {f"/private/{odd}" for odd in filled}
    asked = [("GET", path) for path in pages | private | {"/my", "//evil.example/my/"}]
    if ends:
        asked += [(method, path) for method in ("HEAD", "PUT") for path in pages]
    reveal = {"what": "reveal", "typed": "track"}
    for method, where in sorted(asked):
        answer = client.request(method, where, params=reveal, headers=FORGED)
        says = (method, where, answer.status_code, answer.text)
        assert answer.status_code in (200, 404, 405), says
        assert "evil" not in answer.text + answer.headers.get("location", "")
        if role not in ("member", "organizer"):
            assert not re.search(HIDDEN, answer.text), says


def test_two_forms_at_once_are_not_both_taken(attacked: Attacked) -> None:
    """An invitation that ten browsers take at once brings one person; a limit of one run takes one of ten."""
    track = attacked.track
    secret = people.invite(track.engine, "track", "member", "Oslo")
    boards.set_board(track.engine, "track", {"per_team": 1})
    visitors = [browser(track) for _ in range(10)]

    def take(client: Any) -> int:
        given = {"secret": secret, "name": "Ann"}
        return client.post("/i/", data=given, headers=OWN).status_code

    def send(at: int) -> int:
        where, given = "/my/b/track/runs", form(a_run(at), name=f"r{at}")
        return attacked.clients["rival"].post(where, **given).status_code

    with ThreadPoolExecutor(10) as pool:
        assert sorted(pool.map(take, visitors)) == [303, *[404] * 9]
        assert sorted(pool.map(send, range(10))) == [303, *[429] * 9]


def test_an_organizer_who_plays_sees_no_scores_by_leaving(attacked: Attacked) -> None:
    """An organizer who has played waits for the reveal as others do, also where the own team is out."""
    client, track = attacked.clients["organizer"], attacked.track
    where = "/private/b/track/index.html"
    assert client.get(where).status_code == 200
    secret = people.invite(track.engine, "track", "member", "Lund")
    client.post("/i/", data={"secret": secret}, headers=OWN)
    assert client.get(where).status_code == 404
    out = {"what": "out", "team": "Lund"}
    assert client.post("/organize/b/track", data=out, headers=OWN).status_code == 303
    assert client.get(where).status_code == 404


def test_who_asks_learns_of_no_other_team(attacked: Attacked) -> None:
    """A team that asks under the name of another is told what it is told under a name of its own."""
    pages = []
    for team in ("Lund", "Nobody"):
        client = browser(attacked.track)
        asks = {"team": team, "name": "Bo"}
        assert client.post("/join/track", data=asks, headers=OWN).status_code == 303
        page = client.get("/my/").text
        pages.append(re.sub(r"value=.\w{64}|\d\d:\d\d:\d\d|person \w{16}", "", page))
    assert pages[0] == pages[1]
    assert "asked to take part" in pages[0]


def test_teams_that_ask_keep_nobody_out(
    attacked: Attacked, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many teams ask, an organizer invites; who has a session asks as the person that is known."""
    monkeypatch.setattr(people, "TEAMS", 5)
    monkeypatch.setattr(people, "FOUNDED", 5)
    client, track = attacked.clients["stranger"], attacked.track
    count = len(rows(track, tables.person))
    asked = [
        client.post("/join/track", data={"team": f"t{at}"}, headers=OWN).status_code
        for at in range(6)
    ]
    assert asked == [*[303] * 4, 409, 409]  # Bergen asks, too
    assert len(rows(track, tables.person)) == count
    assert people.invite(track.engine, "track", "member", "Invited")


def test_sessions_have_a_rate_of_their_own(
    attacked: Attacked, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Visitors of one address share sixty requests in a minute; whoever has a session has the rate of a token."""
    monkeypatch.setattr("irmeta.serve.web.door.OURS", ())
    stopped = SimpleNamespace(monotonic=lambda: 0)
    monkeypatch.setattr("irmeta.serve.web.door.time", stopped)
    visitor, member = (attacked.clients[one] for one in ("visitor", "member"))
    statuses = [visitor.get("/i/").status_code for _ in range(61)]
    assert statuses == [*[200] * 60, 429]
    assert {member.get("/my/").status_code for _ in range(70)} == {200}


def test_a_slow_form_is_cut_off(
    attacked: Attacked, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A form that does not come to its end is not waited for."""
    monkeypatch.setattr("irmeta.serve.web.door.PATIENCE", 0.05)

    async def never() -> dict[str, Any]:
        await asyncio.sleep(100)
        return {}

    slow = Request({"type": "http", "method": "POST"}, never)  # type: ignore[arg-type]
    with pytest.raises(RefusedError, match="too slowly"):
        asyncio.run(read_small_body(slow))


def test_checks_and_uploads_of_one_are_limited(
    attacked: Attacked, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who takes more than the share of a team or a person, of checks or uploads at once, waits; others do not."""
    monkeypatch.setattr("irmeta.serve.web.door.HOURLY", 2)
    where = "/my/b/track/runs"

    def check(role: str) -> int:
        answer = attacked.clients[role].post(where, **form(a_run(1), check="on"))
        return int(answer.status_code)

    assert [check("rival") for _ in range(3)] == [200, 200, 429]
    assert check("member") == 200
    monkeypatch.setattr("irmeta.serve.web.door.TEAM", 0)
    assert attacked.clients["rival"].post(where, **form(a_run(1))).status_code == 429
    track = attacked.track
    assert track.put("organizer", "baseline", a_run(1)).status_code == 429
    # of no person and no team, and no more than the site takes
    track.tokens["operator"] = people.new_token(track.engine, "test")
    to_lab = ("PUT", "/v1/boards/lab/runs/baseline")
    sent = track.ask("operator", *to_lab, content=a_run(1))
    assert sent.status_code == 201


def test_a_link_for_another_browser_can_be_ended(attacked: Attacked) -> None:
    """Until it is taken a link for another browser stands among the sessions, and is ended as these are."""
    client = attacked.clients["member"]
    page = client.post("/my/", data={"what": "another"}, headers=OWN).text
    [secret] = re.findall(r"/i/#([\w-]+)", page)
    ends = {"token": people.digest_of(secret)}
    assert ends["token"] in page
    assert client.post("/my/", data=ends, headers=OWN).status_code == 303
    visitor = attacked.clients["visitor"]
    taken = visitor.post("/i/", data={"secret": secret}, headers=OWN)
    assert taken.status_code == 404
