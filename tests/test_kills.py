"""Commands that are killed at random moments: the same command afterwards leaves the same bytes."""

import random
from pathlib import Path

import pytest
from bench import kills


@pytest.mark.slow
@pytest.mark.parametrize("name", ["evaluate", "append", "standardize"])
def test_killed_commands_can_be_repeated(tmp_path: Path, name: str) -> None:
    """After kill -9 of a command, it leaves what it leaves when nothing happens, and nothing beside it."""
    (counted,) = kills.killed(tmp_path, [name], 1, random.Random(name)).values()
    assert (counted["killed"], counted["other bytes"], counted["left beside"]) == (
        1,
        0,
        0,
    )
