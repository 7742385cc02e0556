"""A run that replaces another takes its name when it is accepted."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Let runs that wait for their check have the name of another."""
    name, of = "one_name_a_team", "submission"
    holds = sa.text("state NOT IN ('received', 'refused', 'withdrawn')")
    op.drop_index(name, of)
    op.create_index(
        *(name, of, ["board", "team", "name"]),
        unique=True,
        sqlite_where=holds,
        postgresql_where=holds,
    )
