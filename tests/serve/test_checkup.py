"""What `irmeta board check` finds unsafe in a site, and how it says so."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy import Engine

from irmeta.serve.catalogue import tables
from irmeta.serve.catalogue.rules import now, parse_moment
from irmeta.serve.catalogue.tables import event, run
from irmeta.serve.operating import backup, checkup, importing, organizing
from irmeta.serve.site import Site

from .conftest import TOPICS, write_qrels


@pytest.fixture
def catalogue(filled: Site) -> Iterator[Engine]:
    """The catalogue of a site in which nothing is wrong."""
    engine = tables.open_catalogue(filled.database)
    assert list(checkup.problems(filled, engine)) == []
    yield engine
    engine.dispose()


def wrong(site: Site, engine: Engine) -> list[str]:
    """Say what is found in a site with its settings as they are now."""
    return [str(one) for one in checkup.problems(Site.open(site.folder), engine)]


@pytest.mark.parametrize(
    ("setting", "says"),
    [
        ('address = "runs.example.org"', "is not one as https://"),
        ('address = "https://a:b@runs.example.org"', "is not one as https://"),
        ('address = "https://runs.example.org/site"', "is not one as https://"),
        ('address = "http://runs.example.org"', "go in the clear"),
        ('address = "https://runs.example.org"', "nobody is named"),
        ("requests = 1000", "above the default"),
        (f"free = {1 << 55}", "the disk has"),
    ],
)
def test_settings_that_are_unsafe(
    filled: Site, catalogue: Engine, setting: str, says: str
) -> None:
    """An address in the clear or that is none, nobody to ask, high limits and a full disk are each named."""
    contact = "" if "nobody" in says else 'contact = "ann@example.org"\n'
    (filled.folder / "site.toml").write_text(f"{contact}{setting}\n")
    [found] = wrong(filled, catalogue)
    assert says in found


def test_a_sound_site_has_no_problem(filled: Site, catalogue: Engine) -> None:
    """Behind https, with somebody to ask, nothing is wrong; at a local address neither."""
    text = 'address = "{}"\ncontact = "ann@example.org"\n'
    for address in ("https://runs.example.org", "http://127.0.0.1:8400"):
        (filled.folder / "site.toml").write_text(text.format(address))
        assert wrong(filled, catalogue) == []


def test_files_that_others_read(filled: Site, catalogue: Engine) -> None:
    """Where others come into the folder each file that is theirs to read is named, and its mend mends it."""
    filled.folder.chmod(0o755)
    for name in ("site.db", "runs", "token"):
        (filled.folder / name).touch()
        (filled.folder / name).chmod(0o755)
    found = list(checkup.problems(filled, catalogue))
    named = {Path(one.where).name for one in found}
    assert {"site.db", "runs", "token"} <= named
    assert "public" not in named
    for one in found:
        assert one.mend == f"chmod go= {one.where}"
        Path(one.where).chmod(0o700)
    assert wrong(filled, catalogue) == []
    filled.folder.chmod(0o777)
    assert ["others can write in it" in one for one in wrong(filled, catalogue)] == [
        True
    ]


def test_the_secret_of_a_login(filled: Site, catalogue: Engine) -> None:
    """The file with the secret of a login is for its owner alone."""
    path = filled.folder / "secret"
    path.write_text("abc")
    path.chmod(0o644)
    login = 'name = "uni"\nlabel = "Uni"\nissuer = "https://id.example.org"\nclient = "us"\n'
    (filled.folder / "site.toml").write_text(
        f'[[login]]\n{login}secret_file = "secret"\n'
    )
    [found] = wrong(filled, catalogue)
    assert "others can read the secret of the login uni" in found
    path.chmod(0o600)
    assert wrong(filled, catalogue) == []


def test_runs_in_no_backup(filled: Site, catalogue: Engine, tmp_path: Path) -> None:
    """Runs that lie there for more than a week, and are in no backup, are named until there is one."""
    old = now() - 9 * checkup.DAY
    with catalogue.begin() as db:
        db.execute(sa.update(run).values(stored=old))
    [found] = wrong(filled, catalogue)
    assert "runs of 9 days are in no backup" in found
    backup.back_up(filled, tmp_path / "site.tar")
    assert wrong(filled, catalogue) == []
    before = old // 1_000_000 - 60
    os.utime(filled.folder / backup.BEGUN, (before, before))
    assert len(wrong(filled, catalogue)) == 1


def test_a_clock_that_was_set_back(filled: Site, catalogue: Engine) -> None:
    """A log that is ahead of the clock is named."""
    with catalogue.begin() as db:
        last = sa.select(sa.func.max(event.c.id)).scalar_subquery()
        later = now() + checkup.DAY
        db.execute(sa.update(event).where(event.c.id == last).values(at=later))
    [found] = wrong(filled, catalogue)
    assert "the clock is before what happened" in found


def test_answers_that_give_judgments_away(filled: Site, tmp_path: Path) -> None:
    """A hidden board with open feedback is named."""
    engine = tables.open_catalogue(filled.database)
    qrels = write_qrels(tmp_path / "qrels.txt")
    given = {"reveals": "2999-01-01", "feedback": "open"}
    importing.open_board(filled, engine, "track", qrels=qrels, **given)
    [found] = wrong(filled, engine)
    engine.dispose()
    assert found.startswith("track: its answers give the judgments away")


def test_a_check_makes_nothing(run, tmp_path: Path) -> None:
    """Settings alone are checked, and a check leaves no file."""
    (tmp_path / "site.toml").write_text("requests = 1000\n")
    code, said = run("board", "check", "--site", tmp_path)[:2]
    assert (code, "above the default" in said) == (1, True)
    assert [one.name for one in tmp_path.iterdir()] == ["site.toml"]


@pytest.mark.parametrize(
    ("rules", "most"),
    [
        ({"closes": "2030-01-08", "per_day": 3}, 21),
        ({"closes": "2030-01-08T12:00", "per_day": 3}, 24),
        ({"closes": "2030-01-08", "per_day": 3, "per_team": 9}, 9),
        ({"closes": "2030-02-02", "per_month": 4}, 8),
        ({"closes": "2030-01-08", "reveals": "2030-01-03", "per_day": 3}, 6),
        ({"closes": "2030-01-02", "reveals": "2030-01-03", "per_day": 3}, 3),
        (
            {
                "closes": "2030-01-02",
                "reveals": "2030-01-03",
                "per_day": 3,
                "late": "mark",
            },
            6,
        ),
    ],
)
def test_runs_until_the_reveal(rules: dict[str, Any], most: int) -> None:
    """A team sends as many runs as its limits and the days and months until the board closes, or tells, let it."""
    given = {"opens": "2030-01-01", "closes": "never", "reveals": "never"} | rules
    dates = {name: parse_moment(given[name]) for name in ("opens", "closes", "reveals")}
    limits = dict.fromkeys(("per_day", "per_month", "per_team"))
    of = SimpleNamespace(**{"late": "refuse", **limits, **given, **dates})
    assert organizing.runs_allowed(of)[0] == most


def test_a_leak_is_no_problem(run, filled: Site, tmp_path: Path) -> None:
    """What a board gives away is said after the problems, by a number of runs that somebody set."""
    (tmp_path / "topics").write_text("\n".join(TOPICS))
    new = ("board", "new", "track", "--site", filled.folder, "--feedback", "ladder")
    dates = ("--topics", tmp_path / "topics", "--closes", "never", "--step", "0.3")
    assert run(*new, *dates, "--per-team", "8")[0] == 0
    said = run("board", "check", "--site", filled.folder)[1]
    problems, _, leaks = said.partition("1 problem.\n")
    assert "its ladder answers nothing" in problems
    assert "at most 8 runs (the limit of a team)" in leaks


def test_programs_read_what_is_wrong(run, filled: Site) -> None:
    """The check ends with 1 where something is wrong, with 0 else, and says it as JSON."""
    given = ("board", "check", "--site", filled.folder, "--format", "json")
    code, said = run(*given)[:2]
    assert (code, json.loads(said)) == (0, {"problems": [], "leaks": []})
    with (filled.folder / "site.toml").open("a") as settings:
        settings.write("uploads = 100\n")
    code, said = run(*given)[:2]
    [found] = json.loads(said)["problems"]
    assert (code, found["where"]) == (1, "site.toml")
    assert found.keys() == {"where", "wrong", "mend"}
