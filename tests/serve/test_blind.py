"""Boards whose judgments are hidden until the reveal."""

import json
import shutil
import time
from pathlib import Path

import pytest
import xarray as xr
from sqlalchemy import text

import irmeta
from irmeta.errors import IrmetaError
from irmeta.serve import running
from irmeta.serve.catalogue import boards, databases, events, submissions, tables
from irmeta.serve.catalogue.rules import RefusedError, now
from irmeta.serve.catalogue.snapshot import snapshot
from irmeta.serve.operating import importing
from irmeta.serve.pages import publishing
from irmeta.serve.policy import Phase, phase
from irmeta.serve.site import Site
from irmeta.words import decimal

from .conftest import TOPICS, a_run, work_off, write_qrels

DAY = 86_400_000_000


@pytest.fixture
def blind(hidden: Path, tmp_path: Path) -> Site:
    """A copy of it for one test."""
    shutil.copytree(hidden, tmp_path, dirs_exist_ok=True)
    return Site.open(tmp_path / "site")


@pytest.fixture(scope="module")
def hidden(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a site with a board that takes runs and hides its judgments; two runs are scored."""
    folder = tmp_path_factory.mktemp("hidden")
    site = Site.make(folder / "site")
    engine = tables.open_catalogue(site.database)
    qrels = write_qrels(folder / "qrels.txt")
    importing.open_board(site, engine, "track", qrels=qrels, reveals="2999-01-01")
    runs = folder / "runs"
    runs.mkdir()
    for seed in range(2):
        (runs / f"secretive{seed}").write_bytes(a_run(seed))
    importing.import_runs(site, engine, "track", [runs])
    work_off(site, engine)
    engine.dispose()
    return folder


def everything(folder: Path) -> bytes:
    """Gather all that a folder's files and their names say."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return b"\n".join(str(path).encode() + path.read_bytes() for path in files)


def test_before_the_reveal_only_a_notice_is_public(blind: Site, tmp_path: Path) -> None:
    """Before the reveal public and frozen files have neither runs nor scores; the private ones have both."""
    settings = blind.folder / "site.toml"
    settings.write_text('contact = "ann@example.org"\n')
    blind = Site.open(blind.folder)
    engine = tables.open_catalogue(blind.database)
    assert phase(boards.board_of(engine, "track"), now()) is Phase.BLIND
    publishing.publish(blind)
    publishing.freeze(blind, tmp_path / "frozen")
    for folder in (blind.public, tmp_path / "frozen"):
        assert [path.name for path in (folder / "b/track").rglob("*")] == ["index.html"]
        assert b"secretive" not in everything(folder)
    assert b"secretive0" in everything(blind.private)
    notice = (blind.public / "b/track/index.html").read_text()
    judged = boards.board_of(engine, "track").id
    with databases.reading(engine) as db:
        row = db.execute(
            text("SELECT * FROM judgments WHERE board = :board"), {"board": judged}
        ).one()
    assert row.commitment in notice
    assert "by invitation; ask ann@example.org" in notice
    for secret in (row.digest, row.salt):
        assert secret.encode() not in everything(blind.public)
    boards.set_board(engine, "track", {"reveals": now()}, typed="track")
    engine.dispose()
    publishing.publish(blind)
    shown = everything(blind.public)
    assert b"secretive0" in shown
    assert row.commitment.encode() in shown
    assert row.digest.encode() not in shown
    assert not (blind.private / "b/track").exists()


def test_a_passed_date_publishes_a_board(blind: Site) -> None:
    """When the moment of the reveal has passed the board is another one, and its page of changes says so."""
    engine = tables.open_catalogue(blind.database)
    with engine.begin() as db:  # as if the clock had gone on
        db.execute(text("UPDATE board SET reveals = changed + 1"))
    before = boards.board_versions(engine)["track"]
    boards.log_passed_dates(engine)
    assert boards.board_versions(engine)["track"] == before + 1
    boards.log_passed_dates(engine)
    assert boards.board_versions(engine)["track"] == before + 1
    publishing.publish(blind)
    changes = (blind.public / "b/track/changes/index.html").read_text()
    assert "revealed" in changes
    assert events.verified_digest(engine)
    engine.dispose()


def test_a_date_is_noted_once_whatever_changes_meanwhile(blind: Site) -> None:
    """What a date brings is noted once, also where the board changed after it, and where a clock had been ahead."""
    engine = tables.open_catalogue(blind.database)

    def brought() -> list[str]:
        boards.log_passed_dates(engine)
        happened = events.events_of_board(engine, 1, *boards.DATES.values())
        return [one.action for one in happened]

    before = brought()
    assert "revealed" not in before
    for changed in (10**15, -(10**15)):  # changed after the date; the clock is back
        with engine.begin() as db:
            db.execute(
                text(f"UPDATE board SET closes = :at, changed = :at + {changed}"),
                {"at": now()},
            )
        assert brought() == [*before, "closed"]
    later = now() + 200_000
    boards.set_board(engine, "track", {"closes": later})
    assert brought() == [*before, "closed"]
    while now() <= later:
        time.sleep(0.01)
    boards.set_board(engine, "track", {"closes": None})  # before anybody looks
    assert brought() == [*before, "closed", "closed"]
    boards.reveal(engine, "track", "track")
    assert brought() == [*before, "closed", "closed", "revealed"]
    assert events.verified_digest(engine)
    engine.dispose()


def test_a_sooner_reveal_is_typed_and_none_is_undone(blind: Site) -> None:
    """A board is revealed sooner only by who types its key, and what is revealed stays so."""
    engine = tables.open_catalogue(blind.database)
    sooner = {"reveals": now()}
    with pytest.raises(RefusedError, match="type the board's key: track"):
        boards.set_board(engine, "track", sooner)
    boards.set_board(engine, "track", sooner, typed="track")
    with pytest.raises(RefusedError, match="stays so"):
        boards.set_board(engine, "track", {"reveals": None}, typed="track")
    engine.dispose()


def test_a_draft_and_a_board_for_members_are_not_public(
    blind: Site, tmp_path: Path
) -> None:
    """A board that is not open yet, or not for everybody, is on no public page, with its scores or without."""
    engine = tables.open_catalogue(blind.database)
    qrels = write_qrels(tmp_path / "other.txt")
    given = (blind, engine)
    importing.open_board(*given, "draft", qrels=qrels, opens="2999-01-01")
    importing.open_board(*given, "club", qrels=qrels, visibility="members")
    engine.dispose()
    publishing.publish(blind)
    assert [path.name for path in (blind.public / "b").iterdir()] == ["track"]
    assert b"club" not in (blind.public / "index.html").read_bytes()
    assert (blind.private / "b/club/index.html").exists()
    publishing.freeze(blind, tmp_path / "frozen")
    assert [path.name for path in (tmp_path / "frozen/b").iterdir()] == ["track"]


def test_topics_of_the_feedback_do_not_count(blind: Site, tmp_path: Path) -> None:
    """Topics that a split shows before the reveal have no scores on the table, nor in an import of its frozen copy."""
    engine = tables.open_catalogue(blind.database)
    qrels = write_qrels(tmp_path / "other.txt")
    given = {"qrels": qrels, "feedback": "split", "reveals": "2999-01-01"}
    importing.open_board(blind, engine, "split", **given)
    shown = boards.board_of(engine, "split").feedback_topics
    assert len(shown) == len(TOPICS) // 3
    importing.import_runs(blind, engine, "split", [tmp_path / "runs"])
    work_off(blind, engine)
    boards.set_board(engine, "split", {"reveals": now()}, typed="split")
    publishing.freeze(blind, tmp_path / "one")
    engine.dispose()
    path = tmp_path / "one/b/split/data/topics.csv"
    counted = {line.partition(",")[0] for line in path.read_text().splitlines()[1:]}
    assert counted == set(TOPICS) - set(shown)
    about = (tmp_path / "one/b/split/about/index.html").read_text()
    said = (
        f"{len(TOPICS)} topics; {len(counted)} count, {len(shown)} served as feedback"
    )
    assert said in about
    other = Site.make(tmp_path / "other")
    engine = tables.open_catalogue(other.database)
    importing.import_frozen(engine, tmp_path / "one", "split")
    engine.dispose()
    publishing.freeze(other, tmp_path / "two")
    rows = [
        (tmp_path / name / "b/split/data/scores.csv").read_bytes()
        for name in ("one", "two")
    ]
    assert rows[0] == rows[1]


def test_judgments_are_published_where_the_board_says_so(
    blind: Site, tmp_path: Path
) -> None:
    """Judgments and salt are files of the data after the reveal, if typed for; they are what was promised before."""
    engine = tables.open_catalogue(blind.database)
    boards.set_board(engine, "track", {"publish_judgments": True}, typed="track")
    promised = boards.judgments_of(engine, "track")
    qrels = (tmp_path / "qrels.txt").read_bytes()

    def shown() -> bytes:
        publishing.publish(blind)
        return everything(blind.public) + everything(blind.private)

    assert promised is not None
    assert promised.salt.encode() not in shown()
    assert qrels not in shown()
    boards.set_board(engine, "track", {"reveals": now()}, typed="track")
    publishing.freeze(blind, tmp_path / "frozen")
    data = tmp_path / "frozen/b/track/data"
    assert (data / "qrels-1.txt").read_bytes() == qrels
    [told] = json.loads((data / "board.json").read_text())["judgments"]
    salt = bytes.fromhex(told["salt"])
    assert irmeta.commitment(data / "qrels-1.txt", salt) == promised.commitment
    assert promised.salt.encode() in shown()
    boards.set_board(engine, "track", {"publish_judgments": False})
    assert promised.salt.encode() not in shown()
    with pytest.raises(RefusedError, match="type the board's key"):
        boards.set_board(engine, "track", {"publish_judgments": True})
    engine.dispose()


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"feedback": "ladder", "step": 0.01}, "one topic alone"),
        ({"feedback": "split", "feedback_topics": ["none"]}, "a split shows"),
    ],
)
def test_feedback_that_protects_nothing_is_refused(
    blind: Site, tmp_path: Path, settings: dict, says: str
) -> None:
    """A ladder whose step one topic climbs, and a split that shows no topic or all, make no board."""
    engine = tables.open_catalogue(blind.database)
    qrels = write_qrels(tmp_path / "other.txt")
    with pytest.raises(IrmetaError, match=says):
        importing.open_board(blind, engine, "new", qrels=qrels, **settings)
    engine.dispose()


def test_a_server_of_hidden_boards_says_how_to_invite(
    blind: Site, monkeypatch, capsys
) -> None:
    """Where no board is open the server says how people come in, and of no token to submit with."""
    monkeypatch.setattr("irmeta.serve.running.uvicorn.run", lambda *_, **__: None)
    given = {"listen": "127.0.0.1:8400", "metrics": "AP", "children": 1}
    running.serve(blind.folder, **given, qrels=None, runs=[])
    printed = capsys.readouterr().out
    assert "invite: irmeta board invite track --team TEAM" in printed
    assert "submit:" not in printed


def test_a_changed_log_is_found(blind: Site) -> None:
    """The log is whole after many writes, and a line of it that is changed or taken out is found."""
    engine = tables.open_catalogue(blind.database)
    boards.set_board(engine, "track", {"title": "Track"})
    assert len(events.verified_digest(engine)) == 64
    for change in (
        "UPDATE event SET at = at + 1 WHERE id = 1",
        "DELETE FROM event WHERE id = 2",
    ):
        with engine.begin() as db:
            db.execute(text(change))
        with pytest.raises(IrmetaError, match="of the log"):
            events.verified_digest(engine)
    engine.dispose()


def test_a_board_tells_its_dates_as_data(blind: Site) -> None:
    """The data of a board that is revealed have its dates and its feedback, and no salt."""
    engine = tables.open_catalogue(blind.database)
    boards.set_board(engine, "track", {"reveals": now()}, typed="track")
    engine.dispose()
    publishing.publish(blind)
    found = json.loads((blind.public / "b/track/data/board.json").read_text())
    assert found["board"]["feedback"] == "none"
    assert found["board"]["reveals"] <= now()
    assert "salt" not in found["judgments"][0]


def test_the_best_of_many_stands_beside_chance(filled: Site) -> None:
    """A team's page has the best of all its runs, withdrawn ones too, with the figures of irmeta.best_of."""
    engine = tables.open_catalogue(filled.database)
    runs = {one.name: one.key for one in snapshot(engine, "lab").runs}
    submissions.withdraw(engine, runs["r4"])
    engine.dispose()
    publishing.publish(filled)
    data = filled.public / "b/lab/data"
    parts = [irmeta.load(data / f"{name}.parquet") for name in ("scores", "unranked")]
    cube = xr.concat(parts, "system", combine_attrs="override")
    withdrawn = f"r4 ({runs['r4']})"
    teams = {name: f"team {int(name[1]) % 2}" for name in cube.system.values}
    found = irmeta.best_of(cube, teams=teams).sel(team="team 0", metric="nDCG@10")
    assert withdrawn in teams
    [page] = [
        path.read_text()
        for path in filled.public.glob("b/lab/team/*/index.html")
        if "<h1>team 0</h1>" in path.read_text()
    ]
    assert f"best of its {int(found['runs'])} runs" in page
    assert str(found["best"].item()) in page
    for name in ("mean", "low", "high", "chance", "chance_high"):
        assert decimal(float(found[name])) in page
