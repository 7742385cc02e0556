"""Replay the console blocks of a page of the docs: python scripts/console.py docs/tutorial.md writes their output anew.

A block is fenced as `console`; its lines that begin with `$ ` are commands, the lines below each its output. All
commands of a page run one after another in one folder, which is empty at first.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PROGRESS = re.compile(
    r"^(?:[^\n]*: \d+ of \d+, about \d+ min left|[a-z ]+: \d+)\n", re.MULTILINE
)
"""The line a minute of a command that runs long: whether there is one depends on the machine."""


def commands(page: str) -> list[str]:
    """Return the commands of a page in order."""
    return [
        line[2:]
        for block in BLOCK.findall(page)
        for line in block.splitlines()
        if line.startswith("$ ")
    ]


def run(command: str, folder: Path) -> str:
    """Run a command as a reader would and give what the terminal shows; one that fails is an error that shows it."""
    here = Path(sys.executable).parent
    environment = os.environ | {
        "PATH": f"{here}{os.pathsep}{os.environ['PATH']}",
        "COLUMNS": "80",
    }
    outcome = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=environment,
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
    )
    if outcome.returncode:
        raise RuntimeError(f"$ {command}\nexit {outcome.returncode}\n{outcome.stdout}")
    return PROGRESS.sub("", outcome.stdout)


def replayed(page: str, folder: Path) -> str:
    """Return the page with the output that its commands make now."""

    def block(found: re.Match[str]) -> str:
        shown = [
            f"$ {command}\n{run(command, folder).strip(chr(10))}".rstrip()
            for command in commands(found[0])
        ]
        return "```console\n" + "\n\n".join(shown) + "\n```"

    return BLOCK.sub(block, page)


if __name__ == "__main__":
    for path in map(Path, sys.argv[1:]):
        with tempfile.TemporaryDirectory() as empty:
            path.write_text(replayed(path.read_text(), Path(empty)))
