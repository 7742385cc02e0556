"""The catalogue's tables, and the engine that keeps its promises: what is answered is on the disk."""

from pathlib import Path
from typing import Any

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Column, ForeignKey, Integer, String, Table

from irmeta.errors import IrmetaError

META = sa.MetaData(
    naming_convention={
        "ix": "ix_%(column_0_label)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)
GONE = ("refused", "withdrawn")
"""States in which a submission does not hold its name."""


def _text(name: str, length: int = 200) -> Column[str]:
    return Column(name, String(length), nullable=False, server_default="")


board = Table(
    "board",
    META,
    Column("id", Integer, primary_key=True),
    Column("key", String(40), nullable=False, unique=True),
    _text("title"),
    _text("description", 20_000),
    _text("rules", 20_000),
    _text("collection", 100),
    _text("licence"),
    Column("topics", sa.JSON, nullable=False),
    Column("clusters", sa.JSON),
    _text("documents", 64),
    Column("metrics", sa.JSON, nullable=False),
    Column("depth", Integer, nullable=False),
    _text("precision", 10),
    _text("factors", 1000),
    Column("publish_runs", sa.Boolean, nullable=False, server_default=sa.false()),
    Column("version", Integer, nullable=False, server_default="1"),
    Column("created", sa.BigInteger, nullable=False),
    Column("changed", sa.BigInteger, nullable=False),
)
judgments = Table(
    "judgments",
    META,
    Column("id", Integer, primary_key=True),
    Column("board", ForeignKey(board.c.id), nullable=False),
    Column("version", Integer, nullable=False),
    Column("digest", String(64), nullable=False),
    Column("topics", sa.JSON, nullable=False),
    Column("added", sa.BigInteger, nullable=False),
    _text("note", 1000),
    sa.UniqueConstraint("board", "version"),
)
run = Table(
    "run",
    META,
    Column("digest", String(64), primary_key=True),
    Column("bytes", sa.BigInteger, nullable=False),
    Column("stored", sa.BigInteger),
)
submission = Table(
    "submission",
    META,
    Column("id", Integer, primary_key=True),
    Column("key", String(16), nullable=False, unique=True),
    Column("board", ForeignKey(board.c.id), nullable=False),
    _text("team", 60),
    _text("name", 40),
    _text("system", 40),
    _text("repeat", 20),
    _text("type", 20),
    _text("description", 4000),
    _text("baseline", 40),
    _text("link", 300),
    Column("run", ForeignKey(run.c.digest), nullable=False),
    Column("received", sa.BigInteger, nullable=False),
    Column("state", String(10), nullable=False, index=True),
    Column("tried", Integer, nullable=False, server_default="0"),
    Column("remarks", sa.JSON, nullable=False),
    Column("replaces", String(16)),
    sa.Index(
        "one_name_a_team",
        "board",
        "team",
        "name",
        unique=True,
        sqlite_where=sa.text("state NOT IN ('refused', 'withdrawn')"),
        postgresql_where=sa.text("state NOT IN ('refused', 'withdrawn')"),
    ),
)
score = Table(
    "score",
    META,
    Column("submission", ForeignKey(submission.c.id), primary_key=True),
    Column("judgments", ForeignKey(judgments.c.id), primary_key=True),
    Column("metric", String(200), primary_key=True),
    Column("vector", sa.LargeBinary, nullable=False),
)
token = Table(
    "token",
    META,
    Column("digest", String(64), primary_key=True),
    _text("label", 60),
    Column("created", sa.BigInteger, nullable=False),
    Column("expires", sa.BigInteger, nullable=False),
    Column("revoked", sa.BigInteger),
)
event = Table(
    "event",
    META,
    Column("id", Integer, primary_key=True),
    Column("board", ForeignKey(board.c.id), nullable=False),
    Column("at", sa.BigInteger, nullable=False),
    Column("action", String(40), nullable=False),
    Column("detail", sa.JSON, nullable=False),
)


def engine(path: Path) -> sa.Engine:
    """Open a catalogue: one writer at a time, and a commit returns when the disk has it."""
    made = sa.create_engine(f"sqlite:///{path}", connect_args={"timeout": 30})

    @sa.event.listens_for(made, "connect")
    def _set(connection: Any, _: Any) -> None:
        connection.isolation_level = None  # transactions begin where we say
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
            connection.execute(f"PRAGMA {pragma}")

    @sa.event.listens_for(made, "begin")
    def _begin(connection: sa.Connection) -> None:
        reads = connection.get_execution_options().get("reads", False)
        connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")

    return made


def upgraded(path: Path) -> sa.Engine:
    """Open a catalogue with the tables of this program; raise IrmetaError for one of a newer program."""
    made = engine(path)
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    script = ScriptDirectory.from_config(config)
    with made.begin() as connection:
        now = MigrationContext.configure(connection).get_current_revision()
        if now == script.get_current_head():
            return made
        if now is not None and now not in {
            one.revision for one in script.walk_revisions()
        }:
            raise IrmetaError(
                f"{path}: written by a newer irmeta (its tables have version {now}); update irmeta"
            )
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
    return made
