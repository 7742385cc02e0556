"""The tables of the first release: a new catalogue has those of `catalogue.tables` at once, older ones had no users."""

revision = "0006"
down_revision = None


def upgrade() -> None:
    """Do nothing: these tables were made as a whole."""
