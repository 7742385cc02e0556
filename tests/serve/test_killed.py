"""A server that is killed at random moments, and commands on its site."""

import os
import random
import shutil
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
from bench import killed_server

from irmeta.serve.catalogue import submissions, tables
from irmeta.serve.operating import backup
from irmeta.serve.site import Site

from .test_files import next_migrations

WRONG = ("lost", "double", "not scored", "damaged", "left over", "half files")


@pytest.mark.slow
def test_killed_at_many_points(tmp_path: Path) -> None:
    """A server, board new and freeze killed at some points (IRMETA_KILLS) lose nothing and leave nothing half."""
    kills = int(os.environ.get("IRMETA_KILLS", "10"))
    found = killed_server.killed(tmp_path, kills, random.Random(2))
    assert found["answered"] >= found["kills of the server"]
    assert {name: found[name] for name in WRONG} == dict.fromkeys(WRONG, 0)


@pytest.mark.slow
def test_a_backup_that_is_killed_leaves_no_half(filled: Site, tmp_path: Path) -> None:
    """A backup killed at any moment is whole or not there, and the next one is made."""
    target, draws = tmp_path / "site.tar", random.Random(3)
    words = ["board", "backup", "--site", filled.folder, "-o", target]
    lasts = killed_server.timed(words)
    for at in range(5):
        target.unlink(missing_ok=True)
        killed_server.cut(words, draws.uniform(lasts / 3, lasts))
        if not target.exists():
            backup.back_up(filled, target)
        backup.restore(target, tmp_path / f"restored{at}")
        engine = tables.open_catalogue(tmp_path / f"restored{at}/site.db")
        assert submissions.count_by_state(engine, "lab") == {"scored": 5}
        engine.dispose()


UPGRADE = """
import sys
from pathlib import Path
from irmeta.serve.catalogue import tables
tables.MIGRATIONS = Path(sys.argv[1])
tables.open_catalogue(Path(sys.argv[2]))
"""


@pytest.mark.slow
def test_a_migration_that_is_killed_is_done_again(
    filled: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A migration killed at any moment has changed nothing or all, and the next start ends it."""
    draws, old, path = random.Random(4), tmp_path / "old.db", filled.folder / "site.db"
    tables.copy_catalogue(path, old)
    monkeypatch.setattr(tables, "MIGRATIONS", next_migrations(tmp_path))
    call = [sys.executable, "-c", UPGRADE, str(tables.MIGRATIONS), str(path)]

    def begin() -> None:
        for one in filled.folder.glob("site.db*"):
            one.unlink()
        shutil.copyfile(old, path)

    began = time.monotonic()
    subprocess.run(call, check=True)
    lasts = time.monotonic() - began
    for _ in range(5):
        begin()
        with suppress(subprocess.TimeoutExpired):
            subprocess.run(call, timeout=draws.uniform(lasts / 2, lasts))
        engine = tables.open_catalogue(path)
        assert submissions.count_by_state(engine, "lab") == {"scored": 5}
        engine.dispose()
