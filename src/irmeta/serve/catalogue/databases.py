"""SQLite and PostgreSQL, each in its own way: one writes at a time, and a commit returns when the disk has it."""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import ArgumentError, DataError, OperationalError

from irmeta.errors import IrmetaError
from irmeta.serve.catalogue.rules import RefusedError
from irmeta.serve.site import LOOPBACK

PATIENCE = 30
"""Seconds that a writer waits for another."""
ENCRYPTED = ("require", "verify-ca", "verify-full")
LOCK = "SELECT pg_advisory_xact_lock(hashtext(current_schema()))"
"""Waits until no other transaction writes into the catalogue."""
_LOST = "what was answered can be lost"
KEPT = {
    "fsync": (_LOST, "ALTER SYSTEM SET fsync = on, and reload"),
    "full_page_writes": (_LOST, "ALTER SYSTEM SET full_page_writes = on, and reload"),
    "synchronous_commit": (_LOST, "ALTER SYSTEM RESET synchronous_commit, and reload"),
    "data_checksums": ("damage is not noticed", "stop it, and pg_checksums --enable"),
}
"""Settings of PostgreSQL, what each being off may bring, and the mend."""
ADDRESS = "postgresql://"
"""How an address begins."""
Where = Path | str
"""A file of SQLite, or the address of PostgreSQL."""
Catalogue = sa.Engine | sa.Connection
"""An open catalogue, or a transaction in it."""


def open_engine(where: Where) -> sa.Engine:
    """Return an engine for a file of SQLite or an address of PostgreSQL; raise IrmetaError for another text."""
    return _sqlite_engine(where) if isinstance(where, Path) else _postgres_engine(where)


def _make_private(path: Path) -> None:
    """Make a file that only its owner may read; SQLite gives the files beside it the same mode."""
    with suppress(OSError):  # it is there, or SQLite says why it cannot be
        path.touch(0o600, exist_ok=False)


def _sqlite_engine(path: Path) -> sa.Engine:
    """Return an engine for a file, whose transactions begin here: those that write wait for each other."""
    _make_private(path)
    made = sa.create_engine(
        f"sqlite:///{path}", connect_args={"timeout": PATIENCE}, hide_parameters=True
    )

    @sa.event.listens_for(made, "connect")
    def _set(connection: Any, _: Any) -> None:
        connection.isolation_level = None  # transactions begin where we say
        kept = ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON")
        for pragma in (*kept, "secure_delete=ON"):
            connection.execute(f"PRAGMA {pragma}")

    @sa.event.listens_for(made, "begin")
    def _begin(connection: sa.Connection) -> None:
        connection.exec_driver_sql(
            "BEGIN" if _only_reads(connection) else "BEGIN IMMEDIATE"
        )

    return made


def _postgres_engine(address: str) -> sa.Engine:
    """Return an engine for an address; who writes takes a lock, and values that cannot be kept are refused."""
    try:
        if not address.startswith(ADDRESS):
            raise ValueError(address)
        made = sa.create_engine(
            sa.make_url(address).set(drivername="postgresql+psycopg"),
            connect_args={"connect_timeout": 10},
            hide_parameters=True,
            pool_pre_ping=True,
        )
    except ModuleNotFoundError as error:
        raise IrmetaError(
            f"PostgreSQL needs {error.name}, which is not installed; pip install 'irmeta[serve-postgres]'"
        ) from error
    except (ArgumentError, ValueError) as error:
        raise IrmetaError(
            f"database: not an address as {ADDRESS}USER@HOST/NAME"
        ) from error

    @sa.event.listens_for(made, "handle_error")
    def _refuse(context: sa.engine.ExceptionContext) -> None:
        if isinstance(context.sqlalchemy_exception, DataError):
            reason, _, _ = str(context.original_exception).partition("\n")
            raise RefusedError(422, f"the catalogue cannot keep that: {reason}")

    @sa.event.listens_for(made, "begin")
    def _begin(connection: sa.Connection) -> None:
        if not _only_reads(connection):
            connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{PATIENCE}s'")
            connection.exec_driver_sql(LOCK)

    return made


def _only_reads(connection: sa.Connection) -> bool:
    return bool(connection.get_execution_options().get("reads"))


@contextmanager
def reading(catalogue: Catalogue) -> Iterator[sa.Connection]:
    """Yield a connection that sees the catalogue at one moment: that of a transaction, or a new one."""
    if isinstance(catalogue, sa.Connection):
        yield catalogue
        return
    with catalogue.connect() as connection:
        connection.execution_options(reads=True)
        if not is_file(catalogue):
            connection.execution_options(
                isolation_level="REPEATABLE READ", postgresql_readonly=True
            )
        with connection.begin():
            yield connection


def rows(catalogue: Catalogue, wanted: sa.Select[Any]) -> Sequence[sa.Row[Any]]:
    """Return all rows that a query finds."""
    with reading(catalogue) as db:
        return db.execute(wanted).all()


@contextmanager
def changing(engine: sa.Engine) -> Iterator[sa.Connection]:
    """Yield a connection to make tables with; raise IrmetaError where the database cannot be reached or serve."""
    try:
        with engine.begin() as connection:
            if not is_file(engine):
                _require_unicode(connection, engine)
            yield connection
    except OperationalError as error:
        reason = " ".join(str(error.orig).split())
        raise IrmetaError(f"{database_name(engine)}: {reason}") from error


def _require_unicode(db: sa.Connection, engine: sa.Engine) -> None:
    """Raise IrmetaError for a PostgreSQL whose encoding lacks letters."""
    encoding = db.exec_driver_sql("SHOW server_encoding").scalar()
    if encoding != "UTF8":
        raise IrmetaError(
            f"{database_name(engine)}: it keeps {encoding}, which lacks letters; "
            "createdb --encoding=UTF8 --template=template0 makes one that has all"
        )


def is_file(engine: sa.Engine) -> bool:
    """Say whether a catalogue is a file of SQLite."""
    return engine.dialect.name == "sqlite"


def database_name(engine: sa.Engine) -> str:
    """Name a database in messages, without its password."""
    url = engine.url
    if is_file(engine):
        return str(url.database)
    return url.set(drivername="postgresql", query={}).render_as_string()


def copy_sqlite(path: Path, target: Path) -> None:
    """Copy a file of SQLite as it is at one moment, whoever writes it."""
    _make_private(target)
    with (
        closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as old,
        closing(sqlite3.connect(target)) as new,
    ):
        old.backup(new)


def wipe_erased(engine: sa.Engine) -> None:
    """Take what was deleted off the disk; SQLite overwrites it, but for its file of newest writes."""
    with closing(engine.raw_connection()) as connection:
        if is_file(engine):
            connection.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)")
            return
    with engine.connect().execution_options(
        isolation_level="AUTOCOMMIT", reads=True
    ) as db:
        for name in ("person", "membership", "token"):
            db.exec_driver_sql(f"VACUUM FULL {name}")


def renumber(db: sa.Connection, tables: sa.MetaData) -> None:
    """Let numbers of new rows follow those of rows that were copied."""
    if db.dialect.name == "sqlite":
        return
    for table in tables.sorted_tables:
        if "id" in table.c:
            newest = sa.select(sa.func.max(table.c.id)).scalar_subquery()
            serial = sa.func.pg_get_serial_sequence(table.name, "id")
            db.execute(sa.select(sa.func.setval(serial, newest)))


def faults(engine: sa.Engine) -> list[tuple[str, str]]:
    """List what is wrong with a database, each with how to mend it."""
    if is_file(engine):
        state = _state_of_file(engine)
        return [] if state == "ok" else [(f"damaged ({state})", "restore a backup")]
    with reading(engine) as db:
        states = {name: db.exec_driver_sql(f"SHOW {name}").scalar() for name in KEPT}
    return unsafe_settings(engine.url, states)


def _state_of_file(engine: sa.Engine) -> str:
    """Return what SQLite says of its file: ok, or what is wrong with it."""
    try:
        with reading(engine) as db:
            return str(db.exec_driver_sql("PRAGMA integrity_check").scalar())
    except OperationalError:
        raise
    except sa.exc.DatabaseError as error:  # as newer versions tell it
        return str(error.orig)


def unsafe_settings(url: sa.URL, states: Mapping[str, Any]) -> list[tuple[str, str]]:
    """List what is unsafe in a PostgreSQL with such settings, at such an address.

    >>> unsafe_settings(sa.make_url("postgresql://db.example.org/runs"), {})
    [('what is read and written goes in the clear', 'add ?sslmode=verify-full to database in site.toml')]
    """
    faults = [
        (f"{name} is off: {risk}", mend)
        for name, (risk, mend) in KEPT.items()
        if states.get(name) == "off"
    ]
    host = str(url.query.get("host", url.host or "/"))
    far = not host.startswith("/") and host not in LOOPBACK
    if far and url.query.get("sslmode") not in ENCRYPTED:
        mend = "add ?sslmode=verify-full to database in site.toml"
        faults.append(("what is read and written goes in the clear", mend))
    return faults
