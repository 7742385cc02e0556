"""The first tables."""

from functools import partial

import sqlalchemy as sa
from alembic import op
from sqlalchemy import JSON, BigInteger, Column, ForeignKey, Integer, String

revision = "0001"
down_revision = None
HOLDS = sa.text("state NOT IN ('refused', 'withdrawn')")
needed = partial(Column, nullable=False)


def text(name: str, length: int = 200) -> Column[str]:
    """Return a column of texts."""
    return Column(name, String(length), nullable=False, server_default="")


def upgrade() -> None:
    """Make the tables."""
    boards()
    runs()
    op.create_table(
        "score",
        Column("submission", Integer, ForeignKey("submission.id"), primary_key=True),
        Column("judgments", Integer, ForeignKey("judgments.id"), primary_key=True),
        Column("metric", String(200), primary_key=True),
        needed("vector", sa.LargeBinary),
    )
    op.create_table(
        "token",
        Column("digest", String(64), primary_key=True),
        text("label", 60),
        needed("created", BigInteger),
        needed("expires", BigInteger),
        Column("revoked", BigInteger),
    )


def boards() -> None:
    """Make the tables of boards, their judgments and what happened to them."""
    op.create_table(
        "board",
        Column("id", Integer, primary_key=True),
        needed("key", String(40), unique=True),
        text("title"),
        text("description", 20_000),
        text("rules", 20_000),
        text("collection", 100),
        text("licence"),
        needed("topics", JSON),
        Column("clusters", JSON),
        text("documents", 64),
        needed("metrics", JSON),
        needed("depth", Integer),
        text("precision", 10),
        text("factors", 1000),
        needed("publish_runs", sa.Boolean, server_default=sa.false()),
        needed("version", Integer, server_default="1"),
        needed("created", BigInteger),
        needed("changed", BigInteger),
    )
    op.create_table(
        "judgments",
        Column("id", Integer, primary_key=True),
        needed("board", Integer, ForeignKey("board.id")),
        needed("version", Integer),
        needed("digest", String(64)),
        needed("topics", JSON),
        needed("added", BigInteger),
        text("note", 1000),
        sa.UniqueConstraint("board", "version"),
    )
    op.create_table(
        "event",
        Column("id", Integer, primary_key=True),
        needed("board", Integer, ForeignKey("board.id")),
        needed("at", BigInteger),
        needed("action", String(40)),
        needed("detail", JSON),
    )


def runs() -> None:
    """Make the tables of runs and submissions."""
    op.create_table(
        "run",
        Column("digest", String(64), primary_key=True),
        needed("bytes", BigInteger),
        Column("stored", BigInteger),
    )
    lengths = {"team": 60, "name": 40, "system": 40, "repeat": 20, "type": 20}
    lengths |= {"description": 4000, "baseline": 40, "link": 300}
    op.create_table(
        "submission",
        Column("id", Integer, primary_key=True),
        needed("key", String(16), unique=True),
        needed("board", Integer, ForeignKey("board.id")),
        *(text(name, length) for name, length in lengths.items()),
        needed("run", String(64), ForeignKey("run.digest")),
        needed("received", BigInteger),
        needed("state", String(10)),
        needed("tried", Integer, server_default="0"),
        needed("remarks", JSON),
        Column("replaces", String(16)),
    )
    op.create_index("ix_submission_state", "submission", ["state"])
    op.create_index(
        "one_name_a_team",
        "submission",
        ["board", "team", "name"],
        unique=True,
        sqlite_where=HOLDS,
        postgresql_where=HOLDS,
    )
