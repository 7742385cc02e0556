"""Alembic runs the migrations in the transaction of whoever opens a catalogue."""

from alembic import context

context.configure(
    connection=context.config.attributes["connection"], render_as_batch=True
)
context.run_migrations()
