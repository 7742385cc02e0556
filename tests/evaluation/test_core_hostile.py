"""The compiled core on files and ids that somebody chose to break it."""

import os
import shutil
import subprocess
import sys
import sysconfig
from importlib.machinery import ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from irmeta.evaluation.grades.judging import Judgments
from irmeta.evaluation.task import Task
from irmeta.io.files import Content
from irmeta.io.runs.rankings import qrels_from_mapping
from irmeta.io.runs.trec import Reading

ROOT = Path(__file__).resolve().parents[2]
COMPILER = shutil.which("c++")
MASK = "-DIRMETA_HASH_MASK=3ull"
"""Leaves three hashes for all ids."""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(COMPILER is None, reason="there is no C++ compiler"),
]


def compiled(source: Path, made: Path, *options: str) -> Path:
    """Compile a C++ program or module."""
    command = [COMPILER, "-std=c++17", "-O1", "-g", *options, source, "-o", made]
    subprocess.run(list(map(str, command)), check=True)
    return made


@pytest.mark.parametrize("options", [(), (MASK,)])
def test_mutated_files_under_sanitizers(tmp_path: Path, options: tuple[str]) -> None:
    """Reading 100 000 mutated files touches no memory but its own and does nothing undefined, hashes collide or not."""
    checks = "-fsanitize=address,undefined", "-fno-sanitize-recover=all"
    source = ROOT / "tests" / "evaluation" / "fuzz.cpp"
    fuzz = compiled(source, tmp_path / "fuzz", *checks, *options)
    done = subprocess.run([fuzz, "100000", "1"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    files, regular = map(int, done.stdout.split())
    assert files == 100_000
    assert 10_000 < regular < 90_000


@pytest.fixture(scope="module")
def colliding(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The core with three hashes for all ids."""
    made = tmp_path_factory.mktemp("core") / "_core.abi3.so"
    include = f"-I{sysconfig.get_paths()['include']}"
    source = ROOT / "src" / "core" / "module.cpp"
    compiled(source, made, "-shared", "-fPIC", include, MASK, "-ffp-contract=off")
    loader = ExtensionFileLoader("_core", str(made))
    spec = spec_from_file_location("_core", made, loader=loader)
    assert spec is not None
    module = module_from_spec(spec)
    loader.exec_module(module)
    return module


def wheel(source: Path, environment: dict[str, str]) -> None:
    """Build the wheel of a copy of the package."""
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "-w", "dist", "."]
    subprocess.run(
        command,
        cwd=source,
        env=os.environ | environment,
        check=True,
        capture_output=True,
    )


def written(path: Path, documents: int) -> Path:
    """Write a run of three lists, with ties, in any order of score."""
    rng = np.random.default_rng(documents)
    scores = rng.integers(0, 40, (3, documents))
    path.write_text(
        "".join(
            f"{topic} Q0 d{number} {number + 1} {score} t\n"
            for topic, row in enumerate(scores)
            for number, score in enumerate(row)
        )
    )
    return path


def places(path: Path, judgments: Judgments) -> tuple[Any, ...]:
    """Return where the judged documents of a run stand, by whatever reads it."""
    judged, run = Task(judgments, (), Reading()).judged(("run", path))
    found = zip(judged.topic, judged.rank, judged.judgment, strict=True)
    return sorted(found), judged.order, run.digest


@pytest.mark.parametrize("documents", [1, 30, 400, 3000])
def test_equal_hashes_are_compared_by_bytes(
    colliding: Any, tmp_path: Path, documents: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where all ids have one of three hashes the core finds what NumPy finds, or leaves the run to NumPy."""
    path = written(tmp_path / "run", documents)
    qrels = qrels_from_mapping(
        {
            str(topic): {f"d{at}": at % 3 for at in range(0, 500, 2)}
            for topic in range(3)
        }
    )
    monkeypatch.setattr("irmeta.stats.arrays.core", None)
    wanted = places(path, Judgments(qrels))
    monkeypatch.setattr("irmeta.stats.arrays.core", colliding)
    judgments = Judgments(qrels)
    assert judgments.table is not None
    assert places(path, judgments) == wanted
    assert len(wanted[0]) == 3 * min(250, -(-documents // 2))
    found = Task(judgments, (), Reading()).found(Content(path), "run")
    assert (found is None) == (documents == 3000)


def test_too_many_judgments_that_collide_are_left_to_numpy(
    colliding: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Judgments whose hashes collide by the thousand cost a thousand steps each, and then the core is not used."""
    monkeypatch.setattr("irmeta.stats.arrays.core", colliding)
    qrels = qrels_from_mapping({"1": {f"d{at}": 1 for at in range(9000)}})
    assert Judgments(qrels).table is None


def test_a_wheel_says_whether_it_was_compiled(tmp_path: Path) -> None:
    """Without a compiler the package is built all the same, for any platform; with one for this platform only."""
    failing = tmp_path / "fails"
    failing.write_text("#!/bin/sh\nexit 127\n")
    failing.chmod(0o755)
    tags = {}
    for name, compiler in (("plain", failing), ("compiled", COMPILER)):
        source = tmp_path / name
        ignored = shutil.ignore_patterns("*.so", "__pycache__", "*.egg-info")
        shutil.copytree(ROOT / "src", source / "src", ignore=ignored)
        for file in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
            shutil.copy(ROOT / file, source)
        wheel(source, {"CC": str(compiler), "CXX": str(compiler)})
        (made,) = (source / "dist").iterdir()
        tags[name] = made.name.split("-")[2:]
    assert tags["plain"] == ["py3", "none", "any.whl"]
    assert tags["compiled"][:2] == ["cp311", "abi3"]
