"""What a shell completes: verbs, options, choices, and the names that a score file on the line has."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import irmeta
from irmeta.cli import _register_commands, commands
from irmeta.cli.completing import SCRIPTS, complete
from irmeta.scores.cube import cube

METRICS = ["AP", "nDCG@10", "nDCG@20"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a score file of two collections."""
    made = {
        name: cube(np.full((3, 4, 3), 0.5), systems, list("1234"), METRICS)
        for name, systems in {
            "trec7": ["bm25", "mine", "mine.lr"],
            "trec8": ["bm25", "dense", "two words"],
        }.items()
    }
    irmeta.save(made, tmp_path / "s.parquet")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def completed(line: str) -> list[str]:
    """Complete a line whose words have single spaces; its last word is unfinished."""
    words = line.split(" ")
    _register_commands(words)
    return complete(words)


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("vers", ["versus"]),
        ("judges e", ["estimate"]),
        ("versus s.parquet --agai", ["--against"]),
        ("versus s.parquet --test per", ["permutation"]),
        ("versus s.parquet --system m", ["mine", "mine.lr"]),
        ("versus s.parquet --against bm25,d", ["bm25,dense"]),
        ("versus s.parquet -m nDCG@", ["nDCG@10", "nDCG@20"]),
        ("describe s.parquet --collection ", ["trec7", "trec8"]),
        ("describe s.parquet --plot means.", []),
        ("import mt", ["mteb"]),
        ("import --remove mine.", []),
        ("import -o s.parquet --remove mine.", ["mine.lr"]),
        ("describe nothing.parquet --system m", []),
        ("describe ", []),
        ("reproduce urb", ["urbano2013", "urbano2016"]),
        ("datasets fetch trec7-adhoc trec8", ["trec8-adhoc"]),
        ("place mine.parquet --on robust2003-1", ["robust2003-17"]),
        ("place mine.parquet --on ./", []),
        ("nonsense x", []),
    ],
)
def test_what_a_word_may_become(folder: Path, line: str, found: list[str]) -> None:
    """Of names those of the score file, of a list the last one; of files nothing: the shell knows them."""
    assert completed(line) == found


def test_every_verb_and_option_is_completed() -> None:
    """What help lists is what completion knows: every command, and of each every option."""
    for verb, command in commands().items():
        assert verb.split()[-1] in completed(verb)
        options = completed(f"{verb} --")
        names = [
            name
            for one in command.assemble_argument_collection()
            for name in one.names
            if name.startswith("--")
        ]
        assert set(names) <= set(options), verb


def shell(name: str, text: str, folder: Path) -> list[str]:
    """Run a script of a shell that knows irmeta's completion; it finds irmeta where this Python is."""
    if shutil.which(name) is None:
        pytest.skip(f"{name} is not installed")
    (folder / "completion").write_text(SCRIPTS[name])
    command = folder / "irmeta"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m irmeta "$@"\n')
    command.chmod(0o755)
    there = {"PATH": f"{folder}:{os.environ['PATH']}", "HOME": str(folder)}
    found = subprocess.run(
        [name, "-c", text],
        env=os.environ | there,
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    return found.stdout.split()


LINE = "versus s.parquet --system m"
IN_SHELLS = {
    "bash": f"source completion; COMP_WORDS=(irmeta {LINE}); COMP_CWORD=4; _irmeta;"
    ' printf "%s\\n" "${COMPREPLY[@]}"',
    "zsh": "compdef() { : }; source ./completion; compadd() { shift; print -l -- $@ };"
    f" words=(irmeta {LINE}); CURRENT=5; _irmeta",
    "fish": f"source completion; complete -C 'irmeta {LINE}'",
}


@pytest.mark.parametrize("name", IN_SHELLS)
def test_shells_complete_names(folder: Path, name: str) -> None:
    """Each shell that is installed offers the systems of the score file on the line."""
    assert shell(name, IN_SHELLS[name], folder) == ["mine", "mine.lr"]
