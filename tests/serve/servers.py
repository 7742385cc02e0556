"""Sites whose catalogue a server of PostgreSQL has: a schema for each folder, named in its settings."""

import hashlib
import os
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import sqlalchemy as sa

from irmeta.serve.catalogue import databases, submissions, tables
from irmeta.serve.catalogue.people import Place
from irmeta.serve.catalogue.rules import RefusedError, now
from irmeta.serve.policy import Role
from irmeta.serve.site import Site, with_database

SERVER = os.environ.get("IRMETA_TEST_POSTGRES", "")
file_only = pytest.mark.skipif(bool(SERVER), reason="of SQLite's file")
server_only = pytest.mark.skipif(not SERVER, reason="no server: make test-postgres")


def an_address(name: object) -> str:
    """The address of a schema, which is made if there is none."""
    schema = f"s{hashlib.sha256(str(name).encode()).hexdigest()[:16]}"
    engine = databases.open_engine(SERVER)
    with engine.begin() as db:
        db.execute(sa.text(f"CREATE SCHEMA IF NOT EXISTS {schema}"))
    engine.dispose()
    return f"{SERVER}&options=-csearch_path%3D{schema}"


def settle(folder: Path) -> None:
    """Let a site have a schema of its own, with what its file or the schema of the site that it copies holds."""
    settings, file = folder / "site.toml", folder / "site.db"
    if not settings.is_file() or folder.suffix == ".part":
        return
    text = settings.read_text(encoding="utf-8")
    address = an_address(folder.resolve())
    if address in text:
        return
    old = re.search(r'^database = "(.*)"$', text, re.MULTILINE)
    if old is not None and not old[1].startswith(SERVER):
        return
    if old is not None or file.exists():
        tables.copy_to_database(old[1] if old else file, address)
        file.unlink(missing_ok=True)
    settings.write_text(with_database(text, address), encoding="utf-8")


def on_a_server(patch: pytest.MonkeyPatch) -> None:
    """Settle each site when it is opened."""
    plain = Site.open.__func__  # type: ignore[attr-defined]

    def opened(cls: type[Site], folder: Path) -> Site:
        settle(folder)
        return plain(cls, folder)

    patch.setattr(Site, "open", classmethod(opened))


def submit_many(database: Path, number: int) -> int:
    """Submit many runs at once from one process; return how many were taken."""
    engine = databases.open_engine(database)

    def one(at: int) -> int:
        content = submissions.Bytes(f"{number:032}{at:032}", 1)
        try:
            submissions.submit(
                *(engine, "track", f"r{number}-{at}", content),
                received=now(),
                by=Place(Role.MEMBER, "Lund"),
            )
        except RefusedError:
            return 0
        return 1

    with ThreadPoolExecutor(8) as pool:
        taken = sum(pool.map(one, range(50)))
    engine.dispose()
    return taken
