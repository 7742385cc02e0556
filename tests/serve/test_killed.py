"""A server that is killed at random moments, and commands on its site."""

import os
import random
from pathlib import Path

import pytest
from bench import killed_server

WRONG = ("lost", "double", "not scored", "damaged", "left over", "half files")


def test_killed(tmp_path: Path) -> None:
    """A server that is killed loses no answered run, doubles none, and leaves no half page and nothing beside."""
    found = killed_server.killed(tmp_path, 1, random.Random(1))
    assert found["answered"] >= 1
    assert {name: found[name] for name in WRONG} == dict.fromkeys(WRONG, 0)


@pytest.mark.slow
def test_killed_at_many_points(tmp_path: Path) -> None:
    """A server, board new and freeze killed at some points (IRMETA_KILLS) lose nothing and leave nothing half."""
    kills = int(os.environ.get("IRMETA_KILLS", "10"))
    found = killed_server.killed(tmp_path, kills, random.Random(2))
    assert found["answered"] >= found["kills of the server"]
    assert {name: found[name] for name in WRONG} == dict.fromkeys(WRONG, 0)
