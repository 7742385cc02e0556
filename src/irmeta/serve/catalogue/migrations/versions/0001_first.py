"""The first tables: a new catalogue has those of `catalogue.tables` at once, and only older ones are migrated."""

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Do nothing: these tables were made as a whole."""
