"""Who logs in through a provider, who sent a run, who founded a team; nobody had done so before."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Add the columns, empty."""
    for table, column in (
        ("person", sa.Column("issuer", sa.String(200))),
        ("person", sa.Column("subject", sa.String(255))),
        ("person", sa.Column("disabled", sa.BigInteger)),
        ("team", sa.Column("founder", sa.Integer)),
        ("submission", sa.Column("person", sa.Integer)),
    ):
        op.add_column(table, column)
    op.create_index("one_identity", "person", ["issuer", "subject"], unique=True)
