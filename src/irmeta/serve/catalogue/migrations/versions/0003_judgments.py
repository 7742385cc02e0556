"""Whether a board publishes its judgments once they are revealed."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add the column: boards that there are publish none."""
    no = sa.false()
    column = sa.Column(
        "publish_judgments", sa.Boolean, nullable=False, server_default=no
    )
    op.add_column("board", column)
