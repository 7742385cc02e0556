"""The first tables."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "board",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(length=40), nullable=False),
        sa.Column("title", sa.String(length=200), server_default="", nullable=False),
        sa.Column(
            "description", sa.String(length=20000), server_default="", nullable=False
        ),
        sa.Column("rules", sa.String(length=20000), server_default="", nullable=False),
        sa.Column(
            "collection", sa.String(length=100), server_default="", nullable=False
        ),
        sa.Column("licence", sa.String(length=200), server_default="", nullable=False),
        sa.Column("topics", sa.JSON(), nullable=False),
        sa.Column("clusters", sa.JSON(), nullable=True),
        sa.Column("documents", sa.String(length=64), server_default="", nullable=False),
        sa.Column("metrics", sa.JSON(), nullable=False),
        sa.Column("depth", sa.Integer(), nullable=False),
        sa.Column("precision", sa.String(length=10), server_default="", nullable=False),
        sa.Column("factors", sa.String(length=1000), server_default="", nullable=False),
        sa.Column(
            "publish_runs", sa.Boolean(), server_default=sa.text("0"), nullable=False
        ),
        sa.Column("version", sa.Integer(), server_default="1", nullable=False),
        sa.Column("created", sa.BigInteger(), nullable=False),
        sa.Column("changed", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_board")),
        sa.UniqueConstraint("key", name=op.f("uq_board_key")),
    )
    op.create_table(
        "run",
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.Column("stored", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_run")),
    )
    op.create_table(
        "token",
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("label", sa.String(length=60), server_default="", nullable=False),
        sa.Column("created", sa.BigInteger(), nullable=False),
        sa.Column("expires", sa.BigInteger(), nullable=False),
        sa.Column("revoked", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_token")),
    )
    op.create_table(
        "event",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("board", sa.Integer(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("action", sa.String(length=40), nullable=False),
        sa.Column("detail", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["board"], ["board.id"], name=op.f("fk_event_board")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_event")),
    )
    op.create_table(
        "judgments",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("board", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("topics", sa.JSON(), nullable=False),
        sa.Column("added", sa.BigInteger(), nullable=False),
        sa.Column("note", sa.String(length=1000), server_default="", nullable=False),
        sa.ForeignKeyConstraint(
            ["board"], ["board.id"], name=op.f("fk_judgments_board")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_judgments")),
        sa.UniqueConstraint("board", "version", name=op.f("uq_judgments_board")),
    )
    op.create_table(
        "submission",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(length=16), nullable=False),
        sa.Column("board", sa.Integer(), nullable=False),
        sa.Column("team", sa.String(length=60), server_default="", nullable=False),
        sa.Column("name", sa.String(length=40), server_default="", nullable=False),
        sa.Column("system", sa.String(length=40), server_default="", nullable=False),
        sa.Column("repeat", sa.String(length=20), server_default="", nullable=False),
        sa.Column("type", sa.String(length=20), server_default="", nullable=False),
        sa.Column(
            "description", sa.String(length=4000), server_default="", nullable=False
        ),
        sa.Column("baseline", sa.String(length=40), server_default="", nullable=False),
        sa.Column("link", sa.String(length=300), server_default="", nullable=False),
        sa.Column("run", sa.String(length=64), nullable=False),
        sa.Column("received", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("tried", sa.Integer(), server_default="0", nullable=False),
        sa.Column("remarks", sa.JSON(), nullable=False),
        sa.Column("replaces", sa.String(length=16), nullable=True),
        sa.ForeignKeyConstraint(
            ["board"], ["board.id"], name=op.f("fk_submission_board")
        ),
        sa.ForeignKeyConstraint(
            ["run"], ["run.digest"], name=op.f("fk_submission_run")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_submission")),
        sa.UniqueConstraint("key", name=op.f("uq_submission_key")),
    )
    op.create_index(op.f("ix_submission_state"), "submission", ["state"], unique=False)
    op.create_index(
        "one_name_a_team",
        "submission",
        ["board", "team", "name"],
        unique=True,
        sqlite_where=sa.text("state NOT IN ('refused', 'withdrawn')"),
        postgresql_where=sa.text("state NOT IN ('refused', 'withdrawn')"),
    )
    op.create_table(
        "score",
        sa.Column("submission", sa.Integer(), nullable=False),
        sa.Column("judgments", sa.Integer(), nullable=False),
        sa.Column("metric", sa.String(length=200), nullable=False),
        sa.Column("vector", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["judgments"], ["judgments.id"], name=op.f("fk_score_judgments")
        ),
        sa.ForeignKeyConstraint(
            ["submission"], ["submission.id"], name=op.f("fk_score_submission")
        ),
        sa.PrimaryKeyConstraint(
            "submission", "judgments", "metric", name=op.f("pk_score")
        ),
    )
