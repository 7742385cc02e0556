"""Login by OpenID Connect, against a provider that runs here: who comes in, and every way not to."""

import html
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pytest

pytest.importorskip("authlib", reason="the extra serve is not installed")

from fastapi.testclient import TestClient
from sqlalchemy import Engine, text
from tests.serve.servers import file_only

from irmeta.errors import IrmetaError
from irmeta.serve.catalogue import (
    boards,
    databases,
    events,
    people,
    submissions,
    tables,
)
from irmeta.serve.catalogue.people import Identity, Place
from irmeta.serve.catalogue.rules import RefusedError, now
from irmeta.serve.operating import checkup, importing
from irmeta.serve.pages import publishing
from irmeta.serve.policy import Role
from irmeta.serve.site import Site
from irmeta.serve.web import login

from .conftest import a_run, beside, write_qrels
from .provider import CLIENT, SECRET, Provider, serving
from .test_people import serving as served

OWN = {"sec-fetch-site": "same-origin"}


@dataclass
class World:
    """A site, and the two providers that it names."""

    site: Site
    engine: Engine
    one: Provider
    two: Provider
    client: TestClient

    def browser(self) -> TestClient:
        return beside(self.client)

    def begin(self, browser: TestClient, name: str = "one", **form: str) -> str:
        """Begin a login by a form of the site; return where its page leads."""
        answer = browser.post(f"/login/{name}", data=form, headers=OWN)
        assert answer.status_code == 200, answer.text
        [at] = re.findall('content="0; url=([^"]+)"', answer.text)
        return html.unescape(at)

    def come(
        self, browser: TestClient, subject: str = "ann", name: str = "one", **form: str
    ) -> Any:
        """Log somebody in; return the answer of the site."""
        provider = {"one": self.one, "two": self.two}[name]
        return self.back(
            browser, provider.authorize(self.begin(browser, name, **form), subject)
        )

    def back(self, browser: TestClient, address: str) -> Any:
        where = address.partition("/login/")[2]
        return browser.get(f"/login/{where}", headers={"sec-fetch-site": "cross-site"})

    def people(self) -> list[Any]:
        with databases.reading(self.engine) as db:
            return list(db.execute(text("SELECT * FROM person ORDER BY id")).all())


@pytest.fixture(scope="module")
def providers() -> Iterator[tuple[Provider, Provider]]:
    with serving() as one, serving() as two:
        yield one, two


@pytest.fixture(scope="module")
def made(
    tmp_path_factory: pytest.TempPathFactory, providers: tuple[Provider, Provider]
) -> Path:
    """The folder of a site with an open board and two login providers, which know it."""
    folder = tmp_path_factory.mktemp("made")
    site = Site.make(folder / "site")
    lines = ['address = "http://127.0.0.1:8400"']
    for name, provider in zip(("one", "two"), providers, strict=True):
        (site.folder / f"{name}.secret").write_text(SECRET + "\n")
        (site.folder / f"{name}.secret").chmod(0o600)
        about = {"name": name, "label": f"The {name}", "issuer": provider.issuer}
        about |= {"client": CLIENT, "secret_file": f"{name}.secret"}
        lines += ["[[login]]", *(f'{what} = "{said}"' for what, said in about.items())]
    (site.folder / "site.toml").write_text("\n".join(lines) + "\n")
    site = Site.open(site.folder)
    engine = tables.open_catalogue(site.database)
    qrels = write_qrels(folder / "qrels.txt")
    given = {"reveals": "2999-01-01", "join": "open", "per_team": 3}
    importing.open_board(site, engine, "track", qrels=qrels, **given)
    engine.dispose()
    return site.folder


def a_world(
    made: Path, folder: Path, providers: tuple[Provider, Provider]
) -> Iterator[World]:
    """Serve a copy of a site."""
    shutil.copytree(made, folder / "site")
    for site, engine, client in served(folder / "site"):
        yield World(site, engine, *providers, client)


@pytest.fixture(autouse=True)
def honest(providers: tuple[Provider, Provider]) -> None:
    """Let providers say what is right again."""
    for provider in providers:
        provider.__init__(provider.issuer)  # type: ignore[misc]


@pytest.fixture
def world(
    made: Path, tmp_path: Path, providers: tuple[Provider, Provider]
) -> Iterator[World]:
    """A world for one test."""
    yield from a_world(made, tmp_path, providers)


@pytest.fixture(scope="module")
def closed(
    made: Path,
    tmp_path_factory: pytest.TempPathFactory,
    providers: tuple[Provider, Provider],
) -> Iterator[World]:
    """A world for tests in which nobody comes in."""
    yield from a_world(made, tmp_path_factory.mktemp("closed"), providers)


def test_a_person_logs_in_and_comes_again(world: World) -> None:
    """The first login makes a person of the provider's name for it, the next finds it, each with a new session."""
    world.one.claims = {"name": " Ann\n  Ångström ", "email": "ann@example.org"}
    browser = world.browser()
    answer = world.come(browser, to="join/track")
    assert (answer.status_code, answer.headers["location"]) == (303, "/join/track")
    said = " ".join(answer.headers.get_list("set-cookie")).lower()
    assert said.count("httponly") == said.count("samesite=lax") == 2
    assert "Ann Ångström" in browser.get("/my/").text
    first = browser.cookies["session"]
    assert world.come(world.browser()).status_code == 303
    assert world.come(browser).headers["location"] == "/my/"
    assert browser.cookies["session"] != first
    assert people.caller_of(world.engine, people.digest_of(first), "session") is None
    [ann] = world.people()
    assert (ann.issuer, ann.subject) == (world.one.issuer, "ann")
    for file in world.site.folder.rglob("*"):
        assert not file.is_file() or b"ann@example" not in file.read_bytes()


def test_a_subject_is_of_its_issuer(world: World) -> None:
    """The same subject of another provider is another person, whatever e-mail and name it comes with."""
    same = {"name": "Ann", "email": "ann@example.org", "email_verified": False}
    world.one.claims = world.two.claims = same
    for name in ("one", "two"):
        assert world.come(world.browser(), name=name).status_code == 303
    assert len({one.id for one in world.people()}) == 2


def _forge(world: World, **changes: Any) -> Callable[[], None]:
    return lambda: (
        [setattr(world.one, name, one) for name, one in changes.items()] and None
    )


@pytest.mark.parametrize(
    "claims",
    [
        {"nonce": "other"},
        {"nonce": None},
        {"iss": "https://evil.example"},
        {"iss": None},
        {"aud": "another client"},
        {"aud": ["another client"]},
        {"aud": [CLIENT, "another client"]},
        {"aud": [CLIENT, "another client"], "azp": "another client"},
        {"aud": None},
        {"azp": "another client"},
        {"exp": 1},
        {"exp": None},
        {"iat": 2**40},
        {"sub": None},
        {"sub": ""},
        {"sub": 7},
        {"sub": "x" * 256},
        {"at_hash": "wrong"},
    ],
)
def test_a_token_for_something_else_opens_nothing(closed: World, claims: dict) -> None:
    """A token of another login, issuer, audience or time lets nobody in."""
    closed.one.claims = claims
    _refused(closed, 502)


def _refused(world: World, status: int) -> None:
    """Say that a login ends in a sentence, and nobody has come."""
    browser = world.browser()
    answer = world.come(browser)
    assert (answer.status_code, "Nothing was changed" in answer.text) == (status, True)
    assert "session" not in browser.cookies
    assert not world.people()


def test_a_token_that_the_provider_did_not_sign_opens_nothing(world: World) -> None:
    """No signature, the public key as a secret, another key, an unknown key's name: nobody is let in."""
    from joserfc.jwk import RSAKey

    for unsafe in ("none", "HS256"):  # a secret that everybody knows, or no signature
        world.one.header = {"alg": unsafe, "kid": "one"}
        _refused(world, 502)
    world.one.key, world.one.header = (
        RSAKey.generate_key(2048),
        {"alg": "RS256", "kid": "one"},
    )
    _refused(world, 502)
    world.one.key, world.one.header = world.one.known, {"alg": "RS256", "kid": "two"}
    _refused(world, 502)
    world.one.header = {"alg": "RS256", "kid": "one"}
    assert world.come(world.browser()).status_code == 303


def test_only_the_browser_that_began_a_login_ends_it_once(world: World) -> None:
    """A forged state, another browser's, another provider's, one that is used: each is refused; so is a code again."""
    browser, other = world.browser(), world.browser()
    back = world.one.authorize(world.begin(browser), "ann")
    assert (
        world.back(other, back).status_code == 403
    )  # as an attacker has a victim's browser do
    assert world.back(world.browser(), back).status_code == 403
    world.begin(other)
    assert world.back(other, back).status_code == 403
    assert world.back(browser, back.replace("state=", "state=x")).status_code == 403
    assert world.back(browser, back).status_code == 403  # the first answer ended it
    browser = world.browser()
    back = world.one.authorize(world.begin(browser), "ann")
    assert (
        world.back(browser, back.replace("/login/one", "/login/two")).status_code == 403
    )
    browser = world.browser()
    back = world.one.authorize(world.begin(browser), "ann")
    cookie = browser.cookies["login"]
    assert world.back(browser, back).status_code == 303
    assert world.back(browser, back).status_code == 403
    stolen = world.browser()
    stolen.cookies.set("login", cookie)
    assert world.back(stolen, back).status_code == 502  # the provider takes a code once
    for cookie in ("", "x", "one.x.y.z", "one.x.0", "one.s.9999999.my/"):
        stolen.cookies.set("login", cookie)
        assert world.back(stolen, back).status_code == 403


def test_answers_of_another_issuer_are_refused(world: World) -> None:
    """An answer that says that it is of another issuer, or should say of which and does not, is refused (RFC 9207)."""
    world.one.back = {"iss": world.two.issuer}
    _refused(world, 403)
    world.one.back, needed = {}, "authorization_response_iss_parameter_supported"
    world.one.metadata = {needed: True}
    _refused(world, 403)
    world.one.back = {"iss": world.one.issuer}
    assert world.come(world.browser()).status_code == 303


def test_who_is_not_let_in_reads_so(closed: World) -> None:
    """A provider that says no leads to a sentence."""
    browser = closed.browser()
    back = closed.one.authorize(closed.begin(browser), "ann").replace("code=", "error=")
    answer = closed.back(browser, back)
    assert (answer.status_code, "did not let you in" in answer.text) == (403, True)


WELL_KNOWN = "/.well-known/openid-configuration"


@pytest.mark.parametrize("path", [WELL_KNOWN, "/jwks", "/token"])
@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"<html>",
        b"[]",
        b"null",
        b'{"keys": 7}',
        b"[" * 50_000,
        b"\xff" * 9,
        b" " * (1 << 20),
    ],
)
def test_nonsense_of_a_provider_is_a_sentence(
    closed: World, path: str, answer: bytes
) -> None:
    """A provider that answers nonsense, or too much, leads to a sentence at each step."""
    closed.one.answer[path] = lambda: answer
    browser = closed.browser()
    if path == WELL_KNOWN:
        found = browser.post("/login/one", headers=OWN)
    else:
        found = closed.come(browser)
    assert (found.status_code, "did not answer as it should" in found.text) == (
        502,
        True,
    )
    assert "Traceback" not in found.text


def test_a_packed_answer_of_a_provider_is_not_read(closed: World) -> None:
    """Who packs an answer could make much of little; a provider that the site does not name is not there."""
    closed.one.packed = True
    browser = closed.browser()
    assert browser.post("/login/one", headers=OWN).status_code == 502
    assert browser.post("/login/three", headers=OWN).status_code == 404


def test_a_slow_provider_is_not_waited_for(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A provider that does not answer in time, or is not there, leads to a sentence."""
    monkeypatch.setattr(login, "SECONDS", 0.3)

    def slow() -> bytes:
        time.sleep(1)
        return b"{}"

    world.one.answer[WELL_KNOWN] = slow
    began = time.monotonic()
    assert world.browser().post("/login/one", headers=OWN).status_code == 502
    assert time.monotonic() - began < 0.9
    world.one.metadata = {"token_endpoint": "http://127.0.0.1:9/token"}
    del world.one.answer[WELL_KNOWN]
    assert world.come(world.browser()).status_code == 502


@pytest.mark.parametrize(
    "metadata",
    [
        {"issuer": "https://evil.example"},
        {"authorization_endpoint": "javascript:alert(1)"},
        {"token_endpoint": "file:///etc/passwd"},
        {"jwks_uri": "ftp://127.0.0.1/"},
        {"jwks_uri": 7},
    ],
)
def test_a_provider_that_leads_elsewhere_is_refused(
    closed: World, metadata: dict
) -> None:
    """A provider that calls itself otherwise, or leads to what is no https, is not asked."""
    closed.one.metadata = metadata
    assert closed.browser().post("/login/one", headers=OWN).status_code == 502


def test_settings_of_the_client_are_not_the_providers(world: World) -> None:
    """What a provider says of itself changes nothing of how it is asked."""
    world.one.metadata = {
        "verify": False,
        "scope": "openid email",
        "proxy": "http://127.0.0.1:9",
        "timeout": 0,
    }
    assert world.come(world.browser()).status_code == 303


@pytest.mark.parametrize(
    "to",
    [
        "//evil.example/",
        "https://evil.example",
        "/my/",
        "my/../..//evil",
        "my/\\evil",
        "x",
        "my/?a",
        "my/\r\nx: y",
        "",
    ],
)
def test_a_login_leads_to_pages_of_this_site_only(world: World, to: str) -> None:
    """Any other address is as none: the own page."""
    browser = world.browser()
    assert world.come(browser, to=to).headers["location"] == "/my/"
    back = world.one.authorize(world.begin(browser), "ann")
    cookie = login._Begun.of_cookie(browser.cookies["login"].strip('"'))
    assert cookie
    browser.cookies.delete("login")
    browser.cookies.set("login", f'"{cookie._replace(to=to).cookie()}"')
    where = world.back(browser, back).headers.get("location", "/my/")
    assert re.fullmatch("/my/[a-z]*", where)


@pytest.mark.parametrize(
    "headers",
    [{}, {"sec-fetch-site": "cross-site"}, {"origin": "https://evil.example"}],
)
def test_other_sites_begin_no_login(world: World, headers: dict) -> None:
    """A form of another site begins no login, and links none."""
    browser = world.browser()
    world.come(browser)
    for form in ({}, {"what": "link"}):
        assert browser.post("/login/one", data=form, headers=headers).status_code == 403


def test_who_came_by_invitation_links_a_login(world: World) -> None:
    """A person links a login, and comes in by it elsewhere; a login of somebody else, and a second one, are refused."""
    secret = people.invite(world.engine, "track", "member", "Lund")
    browser = world.browser()
    browser.post("/i/", data={"secret": secret, "name": "Bo"}, headers=OWN)
    assert world.come(browser, "bo", what="link").headers["location"] == "/my/"
    other = world.browser()
    world.come(other, "bo")
    assert "Bo" in other.get("/my/").text
    assert other.get("/my/b/track").status_code == 200
    assert world.come(browser, "bo2", what="link").status_code == 409
    assert world.come(browser, "bo", "two", what="link").status_code == 409
    third = world.browser()
    secret = people.invite(world.engine, "track", "member", "Oslo")
    third.post("/i/", data={"secret": secret, "name": "Cy"}, headers=OWN)
    assert world.come(third, "bo", what="link").status_code == 409
    assert (
        world.browser()
        .post("/login/one", data={"what": "link"}, headers=OWN)
        .status_code
        == 404
    )
    # a link that was begun by one person is not ended by another in the same browser
    back = world.one.authorize(world.begin(third, what="link"), "cy")
    third.cookies.delete("session")
    third.cookies.set("session", other.cookies["session"])
    assert world.back(third, back).status_code == 403
    assert [one.subject for one in world.people()] == ["bo", None]


def test_an_invitation_joins_who_is_logged_in(world: World) -> None:
    """Who is logged in takes an invitation as that person, and says a name if the provider had none."""
    browser = world.browser()
    world.one.claims = {"name": "a\u202eb"}
    world.come(browser)
    assert "Say who you are" in browser.get("/my/").text
    form = {"secret": people.invite(world.engine, "track", "member", "Lund")}
    assert (
        'name="name"'
        in browser.post("/i/", data=form | {"what": "look"}, headers=OWN).text
    )
    assert browser.post("/i/", data=form, headers=OWN).status_code == 422
    assert (
        browser.post("/i/", data=form | {"name": "Ann"}, headers=OWN).status_code == 303
    )
    [ann] = world.people()
    assert (ann.name, ann.subject) == ("Ann", "ann")
    form = {"what": "name", "name": ""}
    assert browser.post("/my/", data=form, headers=OWN).status_code == 422
    browser.post("/my/", data=form | {"name": "Anna"}, headers=OWN)
    assert "<h1>Anna</h1>" in browser.get("/my/").text
    session = browser.cookies["session"]
    assert browser.post("/my/", data={"what": "leave"}, headers=OWN).status_code == 303
    assert people.caller_of(world.engine, people.digest_of(session), "session") is None


def test_an_open_board_takes_whoever_logs_in(world: World) -> None:
    """Without a login nobody joins; with one a team takes part at once, and one person founds three at most."""
    publishing.publish(world.site)
    assert (
        "log in and take part" in (world.site.public / "b/track/index.html").read_text()
    )
    browser, form = world.browser(), {"team": "Lund", "name": "Ann"}
    assert "log in with The one" in browser.get("/join/track").text
    assert browser.post("/join/track", data=form, headers=OWN).status_code == 403
    world.come(browser)
    assert browser.post("/join/track", data=form, headers=OWN).status_code == 303
    assert browser.get("/my/b/track").status_code == 200
    [ann] = world.people()
    for more in ("b", "c"):
        people.ask_to_join(world.engine, "track", more, "", who=ann.id)
    with pytest.raises(RefusedError, match="founded 3 teams"):
        people.ask_to_join(world.engine, "track", "d", "", who=ann.id)


def test_limits_are_of_a_person_too(world: World) -> None:
    """Who sends runs for several teams of a board, at once, sends no more than one team may."""
    who = people.log_in(world.engine, Identity("i", "s"), "Ann")
    number = people.caller_of(world.engine, people.digest_of(who), "session").person

    def send(at: int) -> int:
        by = Place(Role.MEMBER, f"team {at % 3}")
        content = submissions.Bytes(f"{at:064}", 1)
        try:
            submissions.submit(
                world.engine,
                "track",
                f"r{at}",
                content,
                received=now(),
                by=by,
                person=number,
            )
        except RefusedError:
            return 0
        return 1

    with ThreadPoolExecutor(6) as pool:
        assert sum(pool.map(send, range(18))) == 3
    assert submissions.runs_left(world.engine, "track", "team 0", number).number == 0
    assert submissions.runs_left(world.engine, "track", "new", None).number == 3


def test_two_first_logins_at_once_are_one_person(world: World) -> None:
    """The same identity from two browsers at the same moment is one person."""
    known = Identity("https://a.example", "s")
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: people.log_in(world.engine, known, "Ann"), range(8)))
    assert len(world.people()) == 1


def test_who_is_disabled_is_refused_until_enabled(world: World) -> None:
    """A disabled person has no session and no token, and no login; enabled again, it may log in."""
    browser = world.browser()
    world.come(browser)
    [ann] = world.people()
    token = people.new_token(world.engine, "t", ann.id)
    people.disable_person(world.engine, ann.key)
    assert people.caller_of(world.engine, people.digest_of(token)) is None
    assert "take an invitation" in browser.get("/my/").text
    assert world.come(browser).status_code == 403
    people.enable_person(world.engine, ann.key)
    assert world.come(browser).status_code == 303
    with pytest.raises(RefusedError, match="no person"):
        people.disable_person(world.engine, "x")


@file_only
def test_who_is_erased_is_nowhere(world: World) -> None:
    """No file of a site has what was known of an erased person; runs stay with the team, the log has a number."""
    world.one.claims = {"name": "Zsuzsanna Quist"}
    browser = world.browser()
    world.come(browser, "subject-4711")
    form = {"team": "Lund", "name": "x"}
    assert browser.post("/join/track", data=form, headers=OWN).status_code == 303
    [one] = world.people()
    people.rename_person(world.engine, one.id, one.name, "Institute of Erasure")
    token = people.new_token(world.engine, "label-of-a-token", one.id)
    headers = {"Authorization": f"Bearer {token}"}
    put = browser.put("/v1/boards/track/runs/mine", content=a_run(1), headers=headers)
    assert put.status_code == 201
    words = (b"Quist", b"subject-4711", b"Erasure", b"label-of-a-token")

    def kept() -> set[bytes]:
        files = [one for one in world.site.folder.rglob("*") if one.is_file()]
        return {
            word for word in words if any(word in one.read_bytes() for one in files)
        }

    assert kept() == set(words)
    people.erase_person(world.engine, one.key)
    assert kept() == set()
    assert people.tokens_of(world.engine, one.id) == []
    at = boards.board_of(world.engine, "track").id
    [run] = submissions.submissions_of(world.engine, at, "Lund")
    assert run.state == "accepted"
    assert one.id in {
        event.person for event in events.events_of_board(world.engine, at)
    }
    assert events.verified_digest(world.engine)
    assert browser.get("/my/b/track").status_code == 404
    world.come(browser, "subject-4711")
    assert [again.id for again in world.people() if again.subject] != [one.id]


def test_public_data_say_of_nobody_who_sent_a_run(world: World) -> None:
    """Neither pages nor data have a person's number."""
    from irmeta.serve.catalogue.snapshot import SAID

    assert "person" not in SAID


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ('issuer = "http://example.org"', "begins with https"),
        ('issuer = "https://"', "begins with https"),
        ('name = "O K"', "pattern|match"),
        ('secret_env = "X"', "secret_file or secret_env"),
        ('email = "x"', "unknown field"),
        ('name = "a"', "two providers have one name"),
    ],
)
def test_wrong_settings_are_a_sentence(tmp_path: Path, line: str, says: str) -> None:
    """A provider that cannot be is an error with its file, and so are two of one name."""
    site = Site.make(tmp_path / "site")
    right = {
        "name": '"a"',
        "label": '"A"',
        "issuer": '"https://a.example"',
        "client": '"c"',
        "secret_file": '"s"',
    }
    name, _, value = line.partition(" = ")
    lines = [f"{what} = {said}" for what, said in (right | {name: value}).items()]
    (site.folder / "site.toml").write_text("\n".join(["[[login]]", *lines] * 2))
    with pytest.raises(IrmetaError, match=f"site.toml.*({says})"):
        Site.open(site.folder)


def test_a_secret_is_needed(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """A secret that is in no file, or no variable, is an error with its place; one that others read is a problem."""
    [one, _] = world.site.settings.login
    assert world.site.login_secret(one) == SECRET
    path = world.site.folder / "one.secret"
    path.chmod(0o644)
    assert any(
        f"chmod 600 {path}" in str(found)
        for found in checkup.problems(world.site, world.engine)
    )
    path.write_text(" \n")
    with pytest.raises(IrmetaError, match="is empty"):
        world.site.login_secret(one)
    named = msgspec.structs.replace(one, secret_file="", secret_env="OUR_SECRET")
    with pytest.raises(IrmetaError, match="OUR_SECRET is empty"):
        world.site.login_secret(named)
    monkeypatch.setenv("OUR_SECRET", SECRET)
    assert world.site.login_secret(named) == SECRET
    path.unlink()
    with pytest.raises(IrmetaError, match="cannot be read"):
        world.site.login_secret(one)


def test_boards_are_open_where_people_can_log_in(tmp_path: Path, world: World) -> None:
    """A site without a provider makes no open board; one that lost its provider has a problem."""
    bare = Site.make(tmp_path / "bare")
    with pytest.raises(IrmetaError, match="name a login provider"):
        importing.open_board(
            bare, world.engine, "x", qrels=tmp_path / "qrels.txt", join="open"
        )
    lost = Site(world.site.folder)
    assert any(
        "names no login provider" in str(one)
        for one in checkup.problems(lost, world.engine)
    )
    assert not any(
        "login provider" in str(one)
        for one in checkup.problems(world.site, world.engine)
    )


def test_programs_load_only_what_they_need() -> None:
    """A child that checks runs has no catalogue; a server has no tables, and nothing to log in or migrate."""
    others = {"authlib", "joserfc", "httpx2", "alembic", "requests"}
    others |= {"xarray", "pandas", "polars", "scipy"}
    steps = (
        ("irmeta.serve.crew.tasks", {"sqlalchemy", "alembic", "jinja2", "requests"}),
        ("irmeta.serve.running", others),
        ("irmeta.serve.web.app", others),
    )
    lines = [f"import {name}; print({no!r} & sys.modules.keys())" for name, no in steps]
    found = subprocess.run(
        [sys.executable, "-c", "\n".join(["import sys", *lines])],
        capture_output=True,
        text=True,
        check=True,
    )
    assert found.stdout.split("\n") == ["set()"] * 3 + [""]
