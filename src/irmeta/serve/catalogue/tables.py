"""The catalogue's tables, which are the same in SQLite and in PostgreSQL."""

import logging
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypedDict
from unicodedata import category

import msgspec
import sqlalchemy as sa
from sqlalchemy import JSON, BigInteger, Column, ForeignKey, Integer, String, Table

from irmeta.errors import IrmetaError
from irmeta.serve.catalogue import databases
from irmeta.serve.catalogue.rules import DESCRIBED
from irmeta.serve.facts import Remark
from irmeta.words import shortened

META = sa.MetaData()
MIGRATIONS = Path(__file__).parent / "migrations"
DIGEST = 64
"""Hexadecimal digits of a digest."""


class _Happened(TypedDict, total=False):
    """What the public knows of an event."""

    settings: list[str]
    version: int
    note: str
    runs: int
    run: str


LISTS: dict[str, Any] = {
    **dict.fromkeys(("topics", "metrics", "feedback_topics", "marks"), list[str]),
    **dict.fromkeys(("clusters", "anchors"), dict[str, str]),
    "remarks": list[Remark],
    "detail": _Happened,
}
"""What columns of JSON hold."""
GONE = ("refused", "withdrawn")
"""States in which a submission does not hold its name."""
HOLDS = sa.text("state NOT IN ('received', 'refused', 'withdrawn')")
_needed = partial(Column, nullable=False)


def _text(name: str, length: int = 200) -> Column[str]:
    return Column(name, String(length), nullable=False, server_default="")


board = Table(
    "board",
    META,
    Column("id", Integer, primary_key=True),
    _needed("key", String(40), unique=True),
    _text("title"),
    _text("description", 20_000),
    _text("rules", 20_000),
    _text("collection", 100),
    _text("licence"),
    _needed("topics", JSON),
    Column("clusters", JSON),
    _text("documents", DIGEST),
    _needed("metrics", JSON),
    _needed("depth", Integer),
    _text("precision", 10),
    _text("factors", 1000),
    _text("series", 40),
    _text("edition", 40),
    Column("anchors", JSON),
    _text("hub"),
    *(
        _needed(f"publish_{what}", sa.Boolean, server_default=sa.false())
        for what in ("runs", "judgments")
    ),
    *(Column(date, BigInteger) for date in ("opens", "closes", "reveals", "frozen")),
    _needed("visibility", String(10), server_default="public"),
    _needed("join", String(10), server_default="invite"),
    _needed("late", String(10), server_default="refuse"),
    _needed("feedback", String(10), server_default="none"),
    _needed("step", sa.Float, server_default="0.05"),
    Column("feedback_topics", JSON),
    *(Column(limit, Integer) for limit in ("per_day", "per_month", "per_team")),
    _needed("version", Integer, server_default="1"),
    _needed("created", BigInteger),
    _needed("changed", BigInteger),
)
judgments = Table(
    "judgments",
    META,
    Column("id", Integer, primary_key=True),
    _needed("board", ForeignKey(board.c.id)),
    _needed("version", Integer),
    _needed("digest", String(DIGEST)),
    _needed("topics", JSON),
    _needed("added", BigInteger),
    _text("note", 1000),
    _text("salt", DIGEST),
    _text("commitment", DIGEST),
    sa.UniqueConstraint("board", "version"),
)
run = Table(
    "run",
    META,
    Column("digest", String(DIGEST), primary_key=True),
    _needed("bytes", BigInteger),
    Column("stored", BigInteger),
)
submission = Table(
    "submission",
    META,
    Column("id", Integer, primary_key=True),
    _needed("key", String(16), unique=True),
    _needed("board", ForeignKey(board.c.id)),
    _text("name", 40),
    *(_text(said, most) for said, most in DESCRIBED.items()),
    _text("header", 20_000),
    _needed("run", ForeignKey(run.c.digest)),
    _needed("received", BigInteger),
    _needed("state", String(10), index=True),
    _needed("tried", Integer, server_default="0"),
    _needed("remarks", JSON),
    Column("replaces", String(16)),
    _needed("marks", JSON, server_default="[]"),
    Column("person", Integer),
)
sa.Index(
    "one_name_a_team",
    *(submission.c.board, submission.c.team, submission.c.name),
    unique=True,
    sqlite_where=HOLDS,
    postgresql_where=HOLDS,
)
score = Table(
    "score",
    META,
    Column("submission", ForeignKey(submission.c.id), primary_key=True),
    Column("judgments", ForeignKey(judgments.c.id), primary_key=True),
    Column("metric", String(200), primary_key=True),
    _needed("vector", sa.LargeBinary),
)
person = Table(
    "person",
    META,
    Column("id", Integer, primary_key=True),
    _needed("key", String(16), unique=True),
    _text("name", 100),
    _text("affiliation", 200),
    _needed("created", BigInteger),
    Column("erased", BigInteger),
    Column("issuer", String(200)),
    Column("subject", String(255)),
    Column("disabled", BigInteger),
)
sa.Index("one_identity", person.c.issuer, person.c.subject, unique=True)
team = Table(
    "team",
    META,
    Column("id", Integer, primary_key=True),
    _needed("board", ForeignKey(board.c.id)),
    _text("name", 60),
    _text("folded", 120),
    _needed("state", String(10)),
    _needed("holder", sa.Boolean, server_default=sa.false()),
    _needed("created", BigInteger),
    Column("founder", Integer),
    sa.UniqueConstraint("board", "folded"),
)
membership = Table(
    "membership",
    META,
    Column("person", ForeignKey(person.c.id), primary_key=True),
    Column("board", ForeignKey(board.c.id), primary_key=True),
    Column("role", String(10), primary_key=True),
    Column("team", ForeignKey(team.c.id)),
)
token = Table(
    "token",
    META,
    Column("digest", String(DIGEST), primary_key=True),
    _text("label", 60),
    _needed("created", BigInteger),
    _needed("expires", BigInteger),
    Column("revoked", BigInteger),
    _needed("kind", String(10), server_default="api"),
    _needed("scope", String(10), server_default="submit"),
    Column("person", Integer),
    Column("board", Integer),
    Column("team", Integer),
    Column("role", String(10)),
    Column("used", BigInteger),
)
event = Table(
    "event",
    META,
    Column("id", Integer, primary_key=True),
    _needed("board", ForeignKey(board.c.id)),
    _needed("at", BigInteger),
    _needed("action", String(40)),
    _needed("detail", JSON),
    Column("person", Integer),
    _text("previous", DIGEST),
    _text("digest", DIGEST),
)


for _column in [column for table in META.sorted_tables for column in table.c]:
    if isinstance(_column.type, String):  # sorted by code points everywhere
        _plain = String(_column.type.length, collation="C")
        _column.type = _column.type.with_variant(_plain, "postgresql")


def require_storable(table: Table, values: Mapping[str, Any]) -> None:
    """Refuse values that columns cannot keep: another type, too long or too large, a text with what does not show.

    A column of 64 characters has digests: they lead to files.
    """
    for name, value in values.items():
        kind = table.c[name].type
        if value is None and table.c[name].nullable:
            continue
        if isinstance(kind, JSON):
            _require_json(name, value)
            continue
        types = (int, float) if kind.python_type is float else (kind.python_type,)
        if type(value) not in types:
            raise IrmetaError(
                f"{name}: {shortened(repr(value), 40)} cannot be kept there"
            )
        most = 2**63 if isinstance(kind, BigInteger) else 2**31
        if isinstance(value, int) and not -most < value < most:
            raise IrmetaError(f"{name}: {shortened(str(value), 40)} is too large")
        if isinstance(value, str) and isinstance(kind, String):
            _require_text(name, value, kind.length or 0)


def _require_json(name: str, value: Any) -> None:
    try:
        msgspec.json.encode(msgspec.convert(value, LISTS[name]))
    except (msgspec.ValidationError, ValueError, RecursionError) as error:
        raise IrmetaError(f"{name}: {error}") from error


def _require_text(name: str, text: str, most: int) -> None:
    """Refuse a text that is too long, has characters that do not show, or is not the digest that it should be."""
    if len(text) > most:
        raise IrmetaError(f"{name}: {len(text)} characters; at most {most}")
    hidden = (letter for letter in text if category(letter)[0] == "C")
    odd = [letter for letter in hidden if letter not in "\n\t"]
    if odd:
        raise IrmetaError(f"{name}: the character U+{ord(odd[0]):04X} is not allowed")
    if most == DIGEST and text and not re.fullmatch("[0-9a-f]{64}", text):
        raise IrmetaError(f"{name}: {text!r} is not a digest")


def open_catalogue(where: databases.Where) -> sa.Engine:
    """Open a catalogue with the tables of this program; raise IrmetaError for one of a newer program."""
    made = databases.open_engine(where)
    try:
        _require_tables(made, where)
    except BaseException:
        made.dispose()
        raise
    return made


def _require_tables(made: sa.Engine, where: databases.Where) -> None:
    """Make or upgrade the tables of a catalogue, where they are not those of this program."""
    known = sorted(path.name[:4] for path in MIGRATIONS.glob("versions/*.py"))
    with databases.changing(made) as connection:
        version = _tables_version(connection)
        if version is not None and version not in known:
            raise IrmetaError(
                f"{databases.database_name(made)}: {_why_unknown(version, known[-1])}"
            )
        if version != known[-1]:
            if version and isinstance(where, Path):
                aside = where.with_name(f"{where.name}.{version}")
                databases.copy_sqlite(where, aside)
                logging.warning("as it was the catalogue lies in %s", aside)
            if version:
                logging.warning(
                    "%s: upgraded from %s", databases.database_name(made), version
                )
            _migrate(connection, new=version is None)


@contextmanager
def opened_catalogue(where: databases.Where) -> Iterator[sa.Engine]:
    """Open a catalogue, and close its connections in the end."""
    engine = open_catalogue(where)
    try:
        yield engine
    finally:
        engine.dispose()


def _why_unknown(version: str, newest: str) -> str:
    """Return why tables of a version cannot be used, and what to do."""
    if version > newest:
        return f"written by a newer irmeta (its tables have version {version}); update irmeta"
    return (
        f"made before the first release of irmeta (its tables have version {version}), which is not upgraded; "
        "make a new site"
    )


def _tables_version(db: sa.Connection) -> str | None:
    """Return the version of the tables, where there are tables."""
    if not sa.inspect(db).has_table("alembic_version"):
        return None
    return db.scalar(sa.text("SELECT version_num FROM alembic_version"))


def _migrate(db: sa.Connection, *, new: bool) -> None:
    """Make the tables, or change those of an older program."""
    from alembic import command  # takes as long to load as SQLAlchemy
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.attributes["connection"] = db
    if new:
        META.create_all(db)
        command.stamp(config, "head")
    else:
        command.upgrade(config, "head")


def copy_to_database(old: databases.Where, new: databases.Where) -> None:
    """Copy a catalogue as it is at one moment into an empty database, perhaps of the other kind."""
    with (
        opened_catalogue(old) as source,
        opened_catalogue(new) as target,
        databases.reading(source) as read,
        target.begin() as write,
    ):
        if any(
            write.execute(sa.select(table.c.id)).first() for table in (board, person)
        ):
            raise IrmetaError(
                f"{databases.database_name(target)}: has a catalogue already; name an empty database"
            )
        for table in META.sorted_tables:
            rows = read.execute(sa.select(table), execution_options={"yield_per": 500})
            for part in rows.mappings().partitions():
                write.execute(sa.insert(table), [dict(row) for row in part])
        databases.renumber(write, META)


def copy_catalogue(where: databases.Where, target: Path) -> None:
    """Write a catalogue as it is at one moment into a file of SQLite, whoever writes it."""
    if isinstance(where, Path):
        databases.copy_sqlite(where, target)
    else:
        copy_to_database(where, target)
