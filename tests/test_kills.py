"""Commands that are killed at random moments: the same command afterwards leaves the same bytes."""

import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from bench import kills

DYING = """
import os, signal, sys
left, replace = int(sys.argv.pop(1)), os.replace
def dying(*places, **folders):
    global left
    left -= 1
    if left < 0:
        os.kill(os.getpid(), signal.SIGKILL)
    replace(*places, **folders)
os.replace = dying
from irmeta.cli import main
main()
"""
"""A command that is killed before it puts one of its files in its place; how many it may, is its first argument."""


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


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="a signal of other systems")
def test_killed_while_it_writes(tmp_path: Path) -> None:
    """A report that is killed between two of its files leaves none of them halved, and the next one makes all."""
    kills.prepare(tmp_path)
    command = kills.COMMANDS["report"]
    whole = kills.finished(tmp_path, command)
    kills.clean(tmp_path, command)
    killed = subprocess.run(
        [sys.executable, "-c", DYING, "2", *command.words],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    assert killed.returncode == -signal.SIGKILL
    halves = list((tmp_path / command.output).glob(".*.part"))
    assert len(list((tmp_path / command.output).iterdir())) == 2 + len(halves)
    assert kills.finished(tmp_path, command, again=True) == whole
