"""People on boards with hidden judgments: what they may, what they learn, and how often they may ask."""

import itertools
import multiprocessing
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine, text

from irmeta.errors import IrmetaError
from irmeta.serve.catalogue import (
    boards,
    databases,
    events,
    people,
    submissions,
    tables,
)
from irmeta.serve.catalogue.people import Place
from irmeta.serve.catalogue.rules import RefusedError, clock, now
from irmeta.serve.catalogue.snapshot import snapshot
from irmeta.serve.crew.crew import Crew
from irmeta.serve.operating import checkup, importing, organizing
from irmeta.serve.pages import publishing
from irmeta.serve.results.standing import compute_standing
from irmeta.serve.site import Site
from irmeta.serve.web.app import application
from irmeta.words import decimal

from . import servers
from .conftest import DOCUMENTS, TOPICS, Client, Within, a_run, work_off, write_qrels

ROLES = ("visitor", "stranger", "reader", "rival", "member", "organizer")
NONSENSE = {"board": "no-such", "name": "x", "key": "a" * 16}
BETTER = "".join(f"{one} 0 d01 1\n" for one in TOPICS).encode()
"""Other judgments."""


@dataclass
class Track:
    """A server of a board with hidden judgments, and the tokens of its people."""

    site: Site
    engine: Engine
    client: TestClient
    tokens: dict[str, str]

    def ask(self, role: str, method: str, path: str, **given: Any) -> Any:
        token = self.tokens.get(role)
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return self.client.request(method, path, headers=headers, **given)

    def put(self, role: str, name: str, body: bytes, **about: Any) -> Any:
        where = f"/v1/boards/track/runs/{name}"
        return self.ask(role, "PUT", where, content=body, params=about)


def open_track(folder: Path, qrels: Path, **settings: Any) -> Iterator[Track]:
    """Serve a blind board with two teams; nothing scores by itself."""
    site = Site.make(folder / "site")
    given = {"reveals": "2999-01-01"} | settings
    with tables.opened_catalogue(site.database) as engine:
        importing.open_board(site, engine, "track", qrels=qrels, **given)
        importing.open_board(site, engine, "other", qrels=qrels, reveals="2999-01-01")
    for _, engine, client in serving(site.folder):
        tokens = {}
        for who, board, role, team in (
            ("stranger", "other", "member", "Else"),
            ("reader", "track", "reader", ""),
            ("rival", "track", "member", "Rival"),
            ("member", "track", "member", "Lund"),
            ("organizer", "track", "organizer", ""),
        ):
            secret = people.invite(engine, board, role, team)
            answer = client.post(
                "/v1/invitations", json={"secret": secret, "name": f"name of {who}"}
            )
            assert answer.status_code == 201
            tokens[who] = answer.json()["token"]
        yield Track(site, engine, client, tokens)


def serving(folder: Path) -> Iterator[tuple[Site, Engine, TestClient]]:
    """Serve a site that checks runs in this process, and scores none by itself."""
    site = Site.open(folder)
    with tables.opened_catalogue(site.database) as engine:
        crew = Crew(site, engine, 1)
        crew.start = lambda: None  # type: ignore[method-assign]
        crew._pool.submit(lambda: setattr(crew._own, "child", Within())).result()
        with Client(application(site, engine, crew)) as client:
            yield site, engine, client


def copied_track(tracked: tuple[Path, dict[str, str]], folder: Path) -> Iterator[Track]:
    """Serve a copy of a site with a blind board."""
    made, tokens = tracked
    shutil.copytree(made, folder / "site", dirs_exist_ok=True)
    for site, engine, client in serving(folder / "site"):
        yield Track(site, engine, client, tokens)


@pytest.fixture
def track(tracked: tuple[Path, dict[str, str]], tmp_path: Path) -> Iterator[Track]:
    """A blind board with two teams."""
    yield from copied_track(tracked, tmp_path)


def test_an_invitation_is_taken_once(track: Track) -> None:
    """An invitation makes one person a member; a second time, changed, expired or for nothing it opens nothing."""
    secret = people.invite(track.engine, "track", "member", "Oslo")
    given = {"secret": secret, "name": "Ann"}
    assert track.client.post("/v1/invitations", json=given).status_code == 201
    nonsense = track.client.post("/v1/invitations", json={**given, "secret": "x"})
    again = track.client.post("/v1/invitations", json=given)
    assert (again.status_code, again.content) == (404, nonsense.content)
    old = people.invite(track.engine, "track", "member", "Oslo")
    with track.engine.begin() as db:
        db.execute(text("UPDATE token SET expires = 1 WHERE kind = 'invite'"))
    late = track.client.post("/v1/invitations", json={**given, "secret": old})
    assert late.content == nonsense.content
    for role, team in (("member", ""), ("reader", "Oslo")):
        with pytest.raises(RefusedError, match="a member comes into a team"):
            people.invite(track.engine, "track", role, team)


def test_who_may_not_see_a_thing_is_told_what_nonsense_is_told(track: Track) -> None:
    """On every operation and for every role, what is hidden is answered with the bytes of the answer to nonsense."""
    made = track.put("member", "bm25", a_run(1))
    assert made.status_code == 201
    work_off(track.site, track.engine)
    there = {"board": "track", "name": "y", "key": made.json()["key"]}
    paths = track.client.get("/v1/openapi.json").json()["paths"]
    operations = [
        (method, path) for path in paths for method in paths[path] if "{" in path
    ]
    may = {
        ("get", "/v1/boards/{board}"): ROLES,
        ("put", "/v1/boards/{board}/runs/{name}"): ("rival", "member", "organizer"),
        ("post", "/v1/boards/{board}/check"): ("rival", "member", "organizer"),
        ("put", "/v1/boards/{board}/judgments"): ("organizer",),
        ("get", "/v1/submissions/{key}"): ("member", "organizer"),
        ("get", "/v1/submissions/{key}/run"): ("member", "organizer"),
        ("post", "/v1/submissions/{key}/withdraw"): ("member", "organizer"),
    }
    assert may.keys() == set(operations)
    for role, (method, path) in itertools.product(ROLES, sorted(operations)):
        body = BETTER if path.endswith("judgments") else a_run(2)
        given = {"content": body} if method in ("put", "post") else {}
        real = track.ask(role, method, path.format(**there), **given)
        lost = track.ask(role, method, path.format(**NONSENSE), **given)
        assert lost.status_code in (401, 404)
        if role in may[method, path]:
            assert real.status_code in (200, 201), (role, method, path, real.text)
        else:
            assert (real.status_code, real.content) == (lost.status_code, lost.content)


def test_nothing_computed_from_judgments_is_told_before_the_reveal(
    track: Track, caplog: pytest.LogCaptureFixture
) -> None:
    """Scored and failed runs are called accepted; no answer, public file, page or log has a score, digest or count."""
    caplog.set_level("DEBUG")
    keys = [track.put("member", f"r{at}", a_run(at)).json()["key"] for at in range(3)]
    work_off(track.site, track.engine)
    with track.engine.begin() as db:
        broken = "UPDATE submission SET state = 'failed', remarks = "
        broken += """'[{"level": "error", "line": null, "text": "qrels"}]'"""
        db.execute(text(f"{broken} WHERE key = '{keys[2]}'"))
    publishing.publish(track.site)
    answers = [track.ask("member", "get", f"/v1/submissions/{key}") for key in keys]
    assert {one.json()["state"] for one in answers} == {"accepted"}
    assert {str(one.json()["told"]) for one in answers} == {"None"}
    assert answers[2].json()["remarks"] == []
    boards_ = track.ask("member", "get", "/v1/boards/track").json()
    assert (boards_["counts"], boards_["version"]) == ({}, 0)
    health = track.client.get("/healthz").json()
    assert (health["waiting"], health["published"]) == (0, {})
    said = [one.text for one in answers]
    said += [one.read_text() for one in track.site.public.rglob("*.html")]
    said += [caplog.text]
    with databases.reading(track.engine) as db:
        vectors = db.execute(text("SELECT vector FROM score")).scalars().all()
        digest = db.execute(text("SELECT digest FROM judgments")).scalars().first()
    assert len(vectors) == 12
    means = {decimal(np.frombuffer(one, "<f8").mean()) for one in vectors}
    for page in said:
        assert digest not in page
        assert not means & set(re.findall(r"(?<!\d)\.\d{3}", page))


def test_answers_are_the_same_under_any_judgments(tmp_path: Path) -> None:
    """What is answered to runs, checks and withdrawals does not depend on the judgments, but for keys and times."""
    found = []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        folder = tmp_path / str(seed)
        folder.mkdir()
        lines = [
            f"{topic} 0 {one} {rng.integers(3)}"
            for topic in TOPICS
            for one in DOCUMENTS
        ]
        (folder / "qrels.txt").write_text("\n".join(lines) + "\n")
        for track in open_track(folder, folder / "qrels.txt", per_day=4):
            got = [track.put("member", "a", a_run(1))]
            work_off(track.site, track.engine)
            key = got[0].json()["key"]
            got += [track.put("member", "b", b"301 0 d01\n")]
            got += [track.put("member", "a", a_run(2), replace=True)]
            work_off(track.site, track.engine)
            got += [track.put("member", "c", a_run(1))]
            where = f"/v1/submissions/{key}"
            got += [track.ask("member", "post", f"{where}/withdraw")]
            got += [track.ask("member", "get", where)]
            check = "/v1/boards/track/check"
            got += [track.ask("member", "post", check, content=a_run(3))]
            got += [track.ask("member", "get", "/v1/boards/track")]
            random = r'"(key|replaces|received|more|opens)":("[a-z2-7]{16}"|\d+)'
            found.append(
                [(one.status_code, re.sub(random, "", one.text)) for one in got]
            )
    assert found[0] == found[1] == found[2]


def test_a_ladder_tells_what_release_answers(tmp_path: Path) -> None:
    """Under a ladder a team is told steps of its mean, in the order of its runs, once all before have scores."""
    qrels = write_qrels(tmp_path / "qrels.txt")
    settings = {"feedback": "ladder", "step": 0.2, "metrics": "P@10"}
    for track in open_track(tmp_path, qrels, **settings):
        bring(track, tmp_path, a_run(1, -5))
        first = track.put("member", "bad", a_run(1, -5)).json()["key"]
        second = track.put("member", "good", a_run(1, 5)).json()["key"]
        told = track.ask("member", "get", f"/v1/submissions/{second}").json()["told"]
        assert told is None
        work_off(track.site, track.engine)
        told = [
            track.ask("member", "get", f"/v1/submissions/{key}").json()["told"]
            for key in (first, second)
        ]
        assert [(one["figure"], one["topics"]) for one in told] == [(0, {}), (1, {})]
        assert {one["metric"] for one in told} == {
            boards.board_of(track.engine, "track").metrics[0]
        }
        says = "where the ladder stands, which is not this run's score"
        assert {one["about"] for one in told} == {says}
        facts = track.client.get("/v1/openapi.json").json()["components"]["schemas"]
        assert "not this run's score" in facts["Told"]["description"]


def test_a_ladder_begins_at_what_the_organizer_brought(tmp_path: Path) -> None:
    """Before the organizer has brought a run a ladder answers nothing, and is a problem of the site."""
    qrels = write_qrels(tmp_path / "qrels.txt")
    settings = {"feedback": "ladder", "step": 0.2, "metrics": "P@10"}
    for track in open_track(tmp_path, qrels, **settings):
        here = (track.site, track.engine)
        assert "answers nothing until" in " ".join(map(str, checkup.problems(*here)))
        keys = [track.put("member", "early", a_run(1, -4)).json()["key"]]
        bring(track, tmp_path, a_run(1, 5))
        keys.append(track.put("member", "bad", a_run(1, -5)).json()["key"])
        work_off(*here)
        early, bad = (
            track.ask("member", "get", f"/v1/submissions/{key}").json()["told"]
            for key in keys
        )
        assert early["figure"] is None
        assert bad["figure"] == 1.0
        assert "answers nothing until" not in " ".join(
            map(str, checkup.problems(*here))
        )


def bring(track: Track, folder: Path, run: bytes) -> None:
    """Bring a run of no team, as an organizer does."""
    (folder / "bm25").write_bytes(run)
    importing.import_runs(track.site, track.engine, "track", [folder / "bm25"])


def test_new_judgments_answer_again(tmp_path: Path) -> None:
    """What a board says that it may give away counts each version of the judgments, and each change of its answers."""
    qrels = write_qrels(tmp_path / "qrels.txt")
    for track in open_track(tmp_path, qrels, feedback="ladder", step=0.2, per_team=9):
        said = []
        for change in ({}, {"step": 0.25}, {"title": "Track"}, {"step": 0.2}):
            boards.set_board(track.engine, "track", change)
            of = boards.board_of(track.engine, "track")
            leak = organizing.leak_in_words(track.engine, of)
            said.append(int(re.findall(r"at most (\d+) bits", leak)[0]))
        # log2 C(14, 5) = 10.97 with steps of .2, log2 C(13, 4) = 9.48 with steps of .25
        assert said == [11, 19, 19, 33]


def test_a_split_tells_its_topics_and_no_other(tmp_path: Path) -> None:
    """Under a split a team is told its scores on the topics that do not count."""
    qrels = write_qrels(tmp_path / "qrels.txt")
    for track in open_track(tmp_path, qrels, feedback="split"):
        key = track.put("member", "one", a_run(1)).json()["key"]
        work_off(track.site, track.engine)
        told = track.ask("member", "get", f"/v1/submissions/{key}").json()["told"]
        shown = boards.board_of(track.engine, "track").feedback_topics
        assert set(told["topics"]) == set(shown)


def test_limits_are_of_a_team_and_exact(tmp_path: Path) -> None:
    """Replaced runs count, refused and repeated ones do not, a rival has its own limit; marks go with runs."""
    qrels = write_qrels(tmp_path / "qrels.txt")
    for track in open_track(tmp_path, qrels, per_day=2, late="mark"):
        one = track.put("member", "one", a_run(1)).json()
        assert one["left"] == 1
        assert track.put("member", "bad", b"301 0 d01\n").status_code == 422
        assert track.put("member", "one", a_run(1)).status_code == 200
        again = track.put("member", "one", a_run(2), replace=True)
        assert (again.status_code, again.json()["left"]) == (201, 0)
        full = track.put("member", "three", a_run(3))
        assert full.status_code == 429
        assert "more from" in full.json()["detail"]
        people.set_team(track.engine, "track", "Rival", holder=True)
        boards.set_board(track.engine, "track", {"closes": now()})
        late = track.put("rival", "one", a_run(4))
        assert late.json()["marks"] == ["late", "holder"]


def test_a_refused_replacement_replaces_nothing(track: Track) -> None:
    """The old run has its name until the new one is accepted, and then it is withdrawn."""
    old = track.put("member", "one", a_run(1)).json()["key"]
    bad = track.put("member", "one", b"301 0 d01\n", replace=True)
    where = f"/v1/submissions/{old}"
    states = [bad.status_code, track.ask("member", "get", where).json()["state"]]
    assert states == [422, "accepted"]
    assert track.put("member", "one", a_run(1)).status_code == 200
    new = track.put("member", "one", a_run(2), replace=True)
    assert new.json()["state"] == "accepted"
    assert track.ask("member", "get", where).json()["state"] == "withdrawn"


def test_runs_of_who_has_seen_the_judgments_are_marked(track: Track) -> None:
    """What a team has sent already is marked as what it will send; a board is revealed once."""
    assert track.put("rival", "early", a_run(3)).status_code == 201
    people.set_team(track.engine, "track", "Rival", holder=True)
    people.set_team(track.engine, "track", "Rival", holder=True)
    [run] = submissions.submissions_of(track.engine, 1, "Rival")
    assert run.marks == ["holder"]
    with pytest.raises(RefusedError, match="nothing was revealed"):
        boards.reveal(track.engine, "track", "other")
    boards.reveal(track.engine, "track", "track")
    before = boards.board_of(track.engine, "track").reveals
    with pytest.raises(RefusedError, match="revealed since"):
        boards.reveal(track.engine, "track", "track")
    assert boards.board_of(track.engine, "track").reveals == before


def test_who_has_seen_the_judgments_is_marked_in_any_team(track: Track) -> None:
    """Who was in a team that has seen the judgments is marked in the next one, too; others there are not."""
    assert track.put("rival", "early", a_run(3)).json()["marks"] == []
    people.set_team(track.engine, "track", "Rival", holder=True)
    assert marked(track, "holder") == {"early"}
    number = person(track, "rival")
    people.remove_person(
        track.engine, "track", people.person_of(track.engine, number).key
    )
    oslo = people.invite(track.engine, "track", "member", "Oslo")
    people.take_invitation(track.engine, oslo, "", who=number)
    assert track.put("rival", "late", a_run(4)).json()["marks"] == ["holder"]
    assert track.put("member", "other", a_run(5)).json()["marks"] == []


@pytest.mark.parametrize("by", ["remove", "join"])
def test_who_left_before_has_not_seen_the_judgments(track: Track, by: str) -> None:
    """Who left a team before it saw the judgments is not marked elsewhere; who comes into it later is."""
    number = person(track, "rival")
    if by == "remove":
        people.remove_person(
            track.engine, "track", people.person_of(track.engine, number).key
        )
    secret = people.invite(track.engine, "track", "member", "Lund")
    people.take_invitation(track.engine, secret, "", who=number)
    assert track.put("rival", "early", a_run(3)).json()["marks"] == []
    people.set_team(track.engine, "track", "Rival", holder=True)
    assert marked(track, "holder") == set()
    assert track.put("rival", "late", a_run(4)).json()["marks"] == []
    for team in ("Rival", "Lund"):
        secret = people.invite(track.engine, "track", "member", team)
        people.take_invitation(track.engine, secret, "", who=number)
    assert track.put("rival", "last", a_run(5)).json()["marks"] == ["holder"]


def person(track: Track, role: str) -> int:
    """Return the number of who has a role."""
    digest = people.digest_of(track.tokens[role])
    return people.caller_of(track.engine, digest).person  # type: ignore[union-attr,return-value]


@pytest.mark.parametrize("end", ["remove", "disable_person", "erase_person"])
def test_what_somebody_let_others_do_ends_with_them(track: Track, end: str) -> None:
    """Invitations to a board, and links to its runs, end when their maker is removed; those of others do not."""
    who = person(track, "member")
    key = track.put("member", "mine", a_run(1)).json()["key"]
    other = people.invite(track.engine, "track", "member", "Lund")
    own = [
        people.invite(track.engine, "track", "member", "Lund", who),
        people.invite(track.engine, "track", "reader", by=who),
    ]
    link = people.create_review_link(track.engine, key, 30, who)
    assert people.submission_of_review(track.engine, link) == key
    assert {one.kind for one in people.tokens_of(track.engine, who)} == {
        "api",
        "review",
    }
    member = people.person_of(track.engine, who).key
    if end == "remove":
        people.remove_person(track.engine, "track", member)
        assert track.ask("member", "get", "/v1/me").status_code == 200
    else:
        getattr(people, end)(track.engine, member)
    for secret in own:
        with pytest.raises(RefusedError, match="was used, has ended"):
            people.take_invitation(track.engine, secret, "Ann")
    with pytest.raises(RefusedError):
        people.submission_of_review(track.engine, link)
    taken = people.take_invitation(track.engine, other, "Ann")
    assert (taken.board, taken.person != who) == ("track", True)


def test_a_draft_that_names_no_reveal_is_not_an_open_board(tmp_path: Path) -> None:
    """The token of the site opens nothing on a board that opens never, and its judgments have no digest."""
    qrels = write_qrels(tmp_path / "qrels.txt")
    for track in open_track(tmp_path, qrels, opens="never", reveals="never"):
        found = boards.board_of(track.engine, "track")
        assert (found.opens, found.reveals) == (None, None)
        site = people.caller_of(
            track.engine, people.digest_of(people.new_token(track.engine, "site"))
        )
        assert people.place_on_board(track.engine, site, found) == Place()
        assert [one.key for one in organizing.hidden_boards(track.engine)] == [
            "other",
            "track",
        ]


def test_health_counts_what_everybody_sees(tmp_path: Path) -> None:
    """A run that waits on a board for members is in no count, though it is revealed."""
    qrels = write_qrels(tmp_path / "qrels.txt")
    for visibility, waits in (("members", 0), ("public", 1)):
        for track in open_track(
            tmp_path / visibility, qrels, visibility=visibility, reveals="now"
        ):
            assert track.put("member", "one", a_run(1)).status_code == 201
            assert track.client.get("/healthz").json()["waiting"] == waits


def test_what_was_frozen_before_the_reveal_stays_hidden(track: Track) -> None:
    """A board that ends without a reveal shows its scores to nobody, and takes no runs."""
    key = track.put("member", "one", a_run(1)).json()["key"]
    work_off(track.site, track.engine)
    boards.set_board(track.engine, "track", {"frozen": now()}, typed="track")
    publishing.publish(track.site)
    late = track.put("member", "two", a_run(2))
    assert (late.status_code, "was frozen at" in late.text) == (403, True)
    seen = track.ask("member", "get", f"/v1/submissions/{key}").json()
    assert (seen["phase"], seen["state"]) == ("frozen", "accepted")
    assert not (track.site.public / "b/track/s").exists()


def test_a_closed_board_takes_no_runs(track: Track) -> None:
    """After its end a board that refuses late runs takes none; one that had begun to come is in time."""

    def body() -> Iterator[bytes]:
        boards.set_board(track.engine, "track", {"closes": now()})
        yield a_run(1)

    where = "/v1/boards/track/runs/slow"
    made = track.ask("member", "put", where, content=body())
    assert (made.status_code, made.json()["marks"]) == (201, [])
    closed = boards.board_of(track.engine, "track").closes
    says = f"the board closed at {clock(closed)} UTC, and takes no more runs"
    check = "/v1/boards/track/check"
    for late in (
        track.put("member", "late", a_run(1)),
        track.ask("member", "post", check, content=a_run(1)),
    ):
        assert (late.status_code, late.json()["detail"]) == (403, says)
    for role in ("reader", "stranger"):
        assert track.put(role, "late", a_run(1)).status_code == 404


@pytest.mark.parametrize("reveals", ["2999-01-01", ""])
def test_a_board_that_marks_late_runs_takes_them(tmp_path: Path, reveals: str) -> None:
    """After its end such a board takes runs and marks them: before the reveal, after it, and where it was open."""
    qrels = write_qrels(tmp_path / "qrels.txt")
    for track in open_track(tmp_path, qrels, late="mark", reveals=reveals):
        boards.set_board(track.engine, "track", {"closes": now()})
        assert track.put("member", "one", a_run(1)).json()["marks"] == ["late"]
        if reveals:
            boards.reveal(track.engine, "track", "track")
            after = track.put("member", "two", a_run(2))
            assert after.json()["marks"] == ["late", "after the reveal"]
        boards.set_board(track.engine, "track", {"frozen": now()}, typed="track")
        frozen = track.put("member", "three", a_run(3))
        assert (frozen.status_code, frozen.json()["detail"][:20]) == (
            403,
            "the board was frozen",
        )


def test_a_baseline_of_another_team_is_not_known(track: Track) -> None:
    """Before the reveal a run of another team is no baseline, just as one that there is not."""
    assert track.put("rival", "theirs", a_run(1)).status_code == 201
    told = [
        track.put("member", "mine", a_run(2), baseline=name).json()["detail"]
        for name in ("theirs", "nobody")
    ]
    assert told[0].replace("theirs", "nobody") == told[1]


def test_bytes_that_a_rival_has_are_as_others(track: Track) -> None:
    """Who sends what another team has sent is answered as for any other run."""
    track.put("rival", "theirs", a_run(1))
    same, other = (track.put("member", f"r{seed}", a_run(seed)) for seed in (1, 2))
    assert same.status_code == other.status_code == 201
    own = ("key", "name", "received")
    facts = [{**one.json(), **dict.fromkeys(own)} for one in (same, other)]
    assert facts[0] == facts[1]


def test_scopes_are_never_exceeded(track: Track) -> None:
    """A token that may read cannot submit, and one that may submit does not organize."""
    organizer = person(track, "organizer")
    mine = track.put("member", "mine", a_run(1)).json()["key"]
    where = f"/v1/submissions/{mine}"
    for scope, status in (("read", 200), ("submit", 404), ("organize", 200)):
        track.tokens["x"] = people.new_token(track.engine, "x", organizer, scope)
        assert track.put("x", "x", a_run(2)).status_code in (404, 201)
        expected = status if scope != "read" else 404
        assert track.ask("x", "get", where).status_code == expected
    assert track.put("reader", "x", a_run(3)).status_code == 404


def test_a_person_is_erased(track: Track) -> None:
    """Who is erased has no name, no team and no token; the runs stay with the team."""
    assert track.put("member", "mine", a_run(1)).status_code == 201
    at = boards.board_of(track.engine, "track").id
    found = {one.name: one for one in people.people_of_board(track.engine, at)}
    people.erase_person(track.engine, found["name of member"].key)
    assert track.put("member", "more", a_run(2)).status_code == 401
    left = {one.name for one in people.people_of_board(track.engine, at)}
    assert "name of member" not in left
    assert len(submissions.submissions_of(track.engine, at, "Lund")) == 1
    assert events.verified_digest(track.engine)


def test_the_site_token_is_for_open_boards(track: Track) -> None:
    """The token of the site itself opens nothing on a board with hidden judgments, also after the reveal."""
    track.tokens["site"] = people.new_token(track.engine, "site")
    assert track.put("site", "x", a_run(1)).status_code == 404
    boards.set_board(track.engine, "track", {"reveals": now()}, typed="track")
    assert track.put("site", "x", a_run(1)).status_code == 404


def test_what_comes_after_the_reveal_takes_no_rank(track: Track) -> None:
    """The judgments, sent as a run after the reveal, change no rank, best or claim; they stand below, marked."""
    for at, role in enumerate(("member", "member", "rival")):
        assert track.put(role, f"r{at}", a_run(at, 0.3)).status_code == 201
    boards.reveal(track.engine, "track", "track")
    work_off(track.site, track.engine)
    before = compute_standing(snapshot(track.engine, "track"), {})
    perfect = "".join(
        f"{topic} Q0 {one} 1 {100 - int(one[1:]) - 50 * (int(one[1:]) % 2)} tag\n"
        for topic in TOPICS
        for one in DOCUMENTS
    )
    late = track.put("rival", "late", perfect.encode(), baseline="r0")
    assert late.json()["marks"] == ["after the reveal"]
    assert track.put("rival", "other", a_run(9), baseline="late").status_code == 201
    work_off(track.site, track.engine)
    found = compute_standing(snapshot(track.engine, "track"), {})
    [first, _] = found.apart
    assert first.scores[found.metric].value == 1.0
    assert (first.rank, first.claim) == (None, None)
    ranks = [
        [(one.label, one.rank, one.rank_low, one.rank_high) for one in at.ranked]
        for at in (before, found)
    ]
    assert ranks[0] == ranks[1]
    assert (found.finding, found.best.keys()) == (before.finding, {"Lund"})
    publishing.publish(track.site)
    folder = track.site.public / "b/track"
    table = (folder / "index.html").read_text()
    assert table.index("r0</a>") < table.index("Not ranked") < table.index("late</a>")
    assert "without a score 0 (never ranked)" in table
    assert "after the reveal" in (folder / "data/table.csv").read_text()


def test_two_processes_count_exactly(tmp_path: Path) -> None:
    """A hundred runs at once from two processes: just as many are taken as the limit says."""
    qrels = write_qrels(tmp_path / "qrels.txt")
    for track in open_track(tmp_path, qrels, per_team=5):
        context = multiprocessing.get_context("spawn")
        given = [(track.site.database, number) for number in range(2)]
        with context.Pool(1, import_module, [servers.__name__]) as pool:
            pool.apply(int)  # the other process has begun
            other = pool.apply_async(servers.submit_many, given[0])
            assert servers.submit_many(*given[1]) + other.get() == 5


def test_copies_and_the_pool(track: Track) -> None:
    """Runs of two teams that are alike are named with their share; the pool has the first documents of first runs."""
    copied = a_run(1)
    asks = (track.site, track.engine, "track")
    with pytest.raises(IrmetaError, match="no run that was accepted"):
        organizing.pool(*asks, 3, 1)
    track.put("member", "mine", copied)
    track.put("rival", "theirs", copied.replace(b"tag", b"gat"))
    track.put("rival", "own", a_run(9))
    work_off(track.site, track.engine)
    [pair] = organizing.duplicates(*asks)
    assert {pair.run.team, pair.other.team} == {"Lund", "Rival"}
    assert pair.share == 1
    found = organizing.pool(*asks, 3, 1)
    lines = [line.split() for line in copied.decode().splitlines()]
    expected = {(line[0], line[2]) for line in lines if int(line[3]) <= 3}
    assert set(found) == expected
    track.put("member", "later", a_run(5))
    assert marked(track) == {"own", "later"}
    organizing.pool(*asks, 3, 2)
    assert marked(track) == set()
    (run := track.site.folder / "bm25.txt").write_bytes(a_run(2))
    importing.import_runs(*asks, [run])
    for ask in (partial(organizing.pool, depth=3, runs=1), organizing.duplicates):
        with pytest.raises(IrmetaError, match="1 of 5 runs is not checked yet"):
            ask(*asks)


def marked(track: Track, mark: str = "not pooled") -> set[str]:
    """Return the runs that are marked as not pooled."""
    at = boards.board_of(track.engine, "track").id
    runs = submissions.submissions_of(track.engine, at)
    return {one.name for one in runs if mark in one.marks}


def test_organizers_send_judgments(track: Track) -> None:
    """Judgments come by the API as a new version, with what binds them; what is no judgments is a sentence."""
    where = "/v1/boards/track/judgments"
    made = track.ask("organizer", "put", where, content=BETTER).json()
    kept = boards.judgments_of(track.engine, "track")
    assert (made["version"], made["commitment"]) == (2, kept.commitment)
    for body in (b"", b"x", b"999 0 d01 1\n"):
        bad = track.ask("organizer", "put", where, content=body)
        assert bad.status_code == 422
        assert "judgments" in bad.json()["detail"]
        assert str(track.site.folder) not in bad.text


def test_a_team_that_asks_waits(track: Track) -> None:
    """Who asks to take part may nothing before an organizer lets the team in."""
    person = people.ask_to_join(track.engine, "track", "Oslo", "Ann", "")
    track.tokens["new"] = people.new_token(track.engine, "new", person)
    assert track.put("new", "x", a_run(1)).status_code == 404
    people.set_team(track.engine, "track", "Oslo", state="in")
    assert track.put("new", "x", a_run(1)).status_code == 201
    people.set_team(track.engine, "track", "oslo", state="out")
    assert track.put("new", "y", a_run(2)).status_code == 404
    with pytest.raises(IrmetaError, match="no team 'Bergen'"):
        people.set_team(track.engine, "track", "Bergen", state="in")


def test_an_organizer_who_takes_part_learns_of_own_runs_only(tmp_path: Path) -> None:
    """Before the reveal an organizer with a team is told what was answered to it, and not what others were told."""
    qrels = write_qrels(tmp_path / "qrels.txt")
    for track in open_track(tmp_path, qrels, feedback="split"):
        key = track.put("member", "one", a_run(1)).json()["key"]
        work_off(track.site, track.engine)
        where = f"/v1/submissions/{key}"
        assert track.ask("organizer", "get", where).json()["told"] is not None
        number = person(track, "organizer")
        secret = people.invite(track.engine, "track", "member", "Own")
        people.take_invitation(track.engine, secret, "", who=number)
        assert track.ask("organizer", "get", where).json()["told"] is None
        people.set_team(track.engine, "track", "Own", state="out")
        assert track.ask("organizer", "get", where).json()["told"] is None


def test_a_long_body_is_not_read(track: Track) -> None:
    """A body that is too long for an invitation is refused, and one that is none is a sentence."""
    long = track.client.post("/v1/invitations", content=b"x" * 100_000)
    none = track.client.post("/v1/invitations", content=b"[1]")
    assert (long.status_code, none.status_code) == (413, 422)
    assert "secret, name" in none.json()["detail"]
