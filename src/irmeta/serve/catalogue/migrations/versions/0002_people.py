"""Dates of boards, people, teams, and a log whose lines are chained; boards that there are were open from the first."""

from collections.abc import Iterable
from typing import Any

import sqlalchemy as sa
from alembic import op

from irmeta.serve.catalogue import events

revision = "0002"
down_revision = "0001"

Columns = tuple[sa.Column[Any], ...]
BOARD: Columns = (
    *(
        sa.Column(date, sa.BigInteger)
        for date in ("opens", "closes", "reveals", "frozen")
    ),
    sa.Column("visibility", sa.String(10), nullable=False, server_default="public"),
    sa.Column("join", sa.String(10), nullable=False, server_default="invite"),
    sa.Column("late", sa.String(10), nullable=False, server_default="refuse"),
    sa.Column("feedback", sa.String(10), nullable=False, server_default="none"),
    sa.Column("step", sa.Float, nullable=False, server_default="0.05"),
    sa.Column("feedback_topics", sa.JSON),
    *(sa.Column(limit, sa.Integer) for limit in ("per_day", "per_month", "per_team")),
)
JUDGMENTS = [
    sa.Column(name, sa.String(64), nullable=False, server_default="")
    for name in ("salt", "commitment")
]
TOKEN: Columns = (
    sa.Column("kind", sa.String(10), nullable=False, server_default="api"),
    sa.Column("scope", sa.String(10), nullable=False, server_default="submit"),
    *(sa.Column(name, sa.Integer) for name in ("person", "board", "team")),
    sa.Column("role", sa.String(10)),
    sa.Column("used", sa.BigInteger),
)
EVENT: Columns = (
    sa.Column("person", sa.Integer),
    sa.Column("previous", sa.String(64), nullable=False, server_default=""),
    sa.Column("digest", sa.String(64), nullable=False, server_default=""),
)
MARKS = sa.Column("marks", sa.JSON, nullable=False, server_default="[]")


def upgrade() -> None:
    """Add the columns and tables; chain the events that there are."""
    tables: dict[str, Iterable[sa.Column[Any]]] = {
        "board": BOARD,
        "judgments": JUDGMENTS,
        "token": TOKEN,
        "event": EVENT,
    }
    tables["submission"] = [MARKS]
    for table, columns in tables.items():
        for column in columns:
            op.add_column(table, column)
    _new_tables()
    op.execute("UPDATE board SET opens = created, reveals = created")
    events.chain(op.get_bind())


def _new_tables() -> None:
    number = ("id", sa.Integer)
    op.create_table(
        "person",
        sa.Column(*number, primary_key=True),
        sa.Column("key", sa.String(16), nullable=False, unique=True),
        sa.Column("name", sa.String(100), nullable=False, server_default=""),
        sa.Column("affiliation", sa.String(200), nullable=False, server_default=""),
        sa.Column("created", sa.BigInteger, nullable=False),
        sa.Column("erased", sa.BigInteger),
    )
    op.create_table(
        "team",
        sa.Column(*number, primary_key=True),
        sa.Column("board", sa.Integer, sa.ForeignKey("board.id"), nullable=False),
        sa.Column("name", sa.String(60), nullable=False, server_default=""),
        sa.Column("folded", sa.String(120), nullable=False, server_default=""),
        sa.Column("state", sa.String(10), nullable=False),
        sa.Column("holder", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("created", sa.BigInteger, nullable=False),
        sa.UniqueConstraint("board", "folded"),
    )
    op.create_table(
        "membership",
        sa.Column("person", sa.Integer, sa.ForeignKey("person.id"), primary_key=True),
        sa.Column("board", sa.Integer, sa.ForeignKey("board.id"), primary_key=True),
        sa.Column("role", sa.String(10), primary_key=True),
        sa.Column("team", sa.Integer, sa.ForeignKey("team.id")),
    )
