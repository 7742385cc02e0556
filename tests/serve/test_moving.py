"""A site moves between SQLite and PostgreSQL, and is the same site; what a server cannot do is refused in words."""

from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="the extra serve is not installed")

import sqlalchemy as sa
from tests.serve.servers import an_address, server_only
from tests.serve.test_backup import files

from irmeta.errors import IrmetaError
from irmeta.serve.catalogue import boards, databases, events, people, tables
from irmeta.serve.catalogue.rules import RefusedError
from irmeta.serve.catalogue.submissions import Bytes, count_by_state, submit
from irmeta.serve.operating import checkup
from irmeta.serve.operating.backup import back_up, restore
from irmeta.serve.pages.publishing import publish
from irmeta.serve.site import Site


@server_only
def test_a_site_moves_there_and_back(filled: Site, tmp_path: Path) -> None:
    """Pages are the same to the byte, the log is whole, and the moved site takes runs as the first would."""
    publish(filled)
    back_up(filled, tmp_path / "one.tar")
    address = an_address(tmp_path / "other")
    restore(tmp_path / "one.tar", tmp_path / "other", database=address)
    other = Site.open(tmp_path / "other")
    assert (other.database, list(other.folder.glob("site.db*"))) == (address, [])
    publish(other)
    assert files(other.public) == files(filled.public)
    back_up(other, tmp_path / "two.tar")
    restore(tmp_path / "two.tar", tmp_path / "third")
    assert "database" not in (tmp_path / "third/site.toml").read_text()
    engine = tables.open_catalogue(tmp_path / "third/site.db")
    added = tables.open_catalogue(address)
    assert events.verified_digest(engine) == events.verified_digest(added)
    for one in (engine, added):
        content = Bytes("0" * 64, 1)
        assert submit(one, "lab", "new", content, received=0).new
        one.dispose()
    third = Site.open(tmp_path / "third")
    publish(third)
    publish(other)
    assert files(other.public).keys() == files(third.public).keys()


def test_a_catalogue_moves_into_an_empty_one(filled: Site, tmp_path: Path) -> None:
    """All rows come along, new ones follow them, and a database that has a catalogue is left alone."""
    tables.copy_to_database(filled.database, tmp_path / "other.db")
    old, new = (
        tables.open_catalogue(filled.database),
        tables.open_catalogue(tmp_path / "other.db"),
    )
    assert events.verified_digest(new) == events.verified_digest(old)
    assert count_by_state(new, "lab") == count_by_state(old, "lab") == {"scored": 5}
    assert submit(new, "lab", "new", Bytes("0" * 64, 1), received=0).new
    with pytest.raises(IrmetaError, match="other.db: has a catalogue already"):
        tables.copy_to_database(filled.database, tmp_path / "other.db")
    for one in (old, new):
        one.dispose()


@server_only
def test_a_database_that_has_a_catalogue_is_left_alone(
    filled: Site, tmp_path: Path
) -> None:
    """A backup goes into an empty database only, and a site that cannot be restored is not there."""
    back_up(filled, tmp_path / "one.tar")
    address = an_address(tmp_path / "new")
    restore(tmp_path / "one.tar", tmp_path / "new", database=address)
    with pytest.raises(IrmetaError, match="has a catalogue already"):
        restore(tmp_path / "one.tar", tmp_path / "more", database=address)
    assert not list(tmp_path.glob("*more*"))


@server_only
def test_what_a_server_does_otherwise(tmp_path: Path) -> None:
    """Texts sort by code points, too long ones are refused, and the log tells of nothing unsafe."""
    engine = tables.open_catalogue(an_address(tmp_path))
    names = ["é", "Z", "a", "_", "B"]
    for name in names:
        people.log_in(engine, people.Identity("https://id.example.org", name), "")
    wanted = sa.select(tables.person.c.subject).order_by(tables.person.c.subject)
    with databases.reading(engine) as db:
        assert db.scalars(wanted).all() == sorted(names)
    boards.new_board(engine, key="lab", topics=["1"], metrics=["AP"], depth=10)
    with pytest.raises(RefusedError, match="cannot keep that: value too long"):
        boards.add_judgments(engine, "lab", boards.Judged("0" * 64, ["1"]), "x" * 1001)
    assert databases.faults(engine) == []
    engine.dispose()


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("postgresql://", "connection|installed"),
        ("postgresql://127.0.0.1:1/runs", "127.0.0.1:1/runs: connection|installed"),
        ("postgresql://u:secret@127.0.0.1:1/runs", r"u:\*\*\*@|installed"),
        ("postgresql://127.0.0.1:x/runs", "not an address|installed"),
        ("mysql://127.0.0.1/runs", "not an address as postgresql://"),
    ],
)
def test_an_address_without_a_server(
    filled: Site, tmp_path: Path, address: str, says: str
) -> None:
    """No site is made where its database cannot be reached, and no message has a password."""
    back_up(filled, tmp_path / "one.tar")
    with pytest.raises(IrmetaError, match=says) as caught:
        restore(tmp_path / "one.tar", tmp_path / "new", database=address)
    assert "secret" not in str(caught.value)
    assert not list(tmp_path.glob("*new*"))


def test_settings_of_a_server(tmp_path: Path) -> None:
    """Another kind of database is refused; a setting that loses answers is named with its mend."""
    site = Site.make(tmp_path / "site")
    (site.folder / "site.toml").write_text('database = "mysql://runs"\n')
    with pytest.raises(IrmetaError, match="begins with postgresql://"):
        Site.open(site.folder)
    url = sa.make_url("postgresql:///runs")
    assert databases.unsafe_settings(url, {"fsync": "on"}) == []
    [(wrong, mend)] = databases.unsafe_settings(url, {"fsync": "off"})
    assert (wrong.partition(":")[0], mend.split()[:2]) == (
        "fsync is off",
        ["ALTER", "SYSTEM"],
    )
    assert checkup.Problem("postgresql:///runs", wrong, mend)
