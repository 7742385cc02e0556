"""Boards are editions of series and may have a data set elsewhere; of a run its header is kept."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"

TEXTS = {
    "board": {"series": 40, "edition": 40, "hub": 200},
    "submission": {"header": 20_000},
}


def upgrade() -> None:
    """Add the columns."""
    for table, columns in TEXTS.items():
        for name, length in columns.items():
            column = sa.Column(
                name, sa.String(length), nullable=False, server_default=""
            )
            op.add_column(table, column)
    op.add_column("board", sa.Column("anchors", sa.JSON))
