"""The composite action of a gate: its inputs are options of the command, and its script does what it says."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
yaml = pytest.importorskip("yaml")


def action():
    """Return the action."""
    path = ROOT / ".github" / "actions" / "gate" / "action.yml"
    return yaml.safe_load(path.read_text())


@pytest.mark.parametrize(
    ("strict", "history", "expected"),
    [
        ("false", "", []),
        ("true", "my nights.jsonl", ["--unless-safe", "--history", "my nights.jsonl"]),
    ],
)
def test_the_action_runs_the_command_that_its_inputs_say(
    tmp_path, strict, history, expected
):
    """Each input goes to its option as one word, and the exit code is that of the command."""
    (step,) = action()["runs"]["steps"]
    fake = tmp_path / "irmeta"
    fake.write_text(
        f"#!{sys.executable}\nimport sys\nprint(*sys.argv[1:], sep='\\n')\nsys.exit(3)\n"
    )
    fake.chmod(0o755)
    given = {
        "SCORES": "s.parquet",
        "SYSTEM": "a b",
        "AGAINST": "main",
        "METRICS": "nDCG@10",
        "MARGIN": "0.02",
        "STRICT": strict,
        "HISTORY": history,
        "ANCHORS": "",
        "GITHUB_STEP_SUMMARY": "summary.md",
    }
    assert set(given) - {"GITHUB_STEP_SUMMARY"} == set(step["env"])
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    ended = subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", step["run"]],
        env=given | {"PATH": path},
        check=False,
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 3
    words = ["versus", "s.parquet", "--system", "a b", "--against", "main"]
    words += ["--metrics", "nDCG@10", "--fail-if-worse", "0.02", *expected]
    assert ended.stdout.splitlines() == [*words, "--summary", "summary.md"]


def test_every_input_of_the_action_is_used():
    """What the action takes, it hands to the command."""
    (step,) = action()["runs"]["steps"]
    used = {value.split(".")[1].rstrip(" }") for value in step["env"].values()}
    assert used == set(action()["inputs"])


def test_the_action_judges_real_scores(tmp_path):
    """In an empty folder the script runs the command: it ends with 3, keeps the night and writes the summary."""
    (step,) = action()["runs"]["steps"]
    program = tmp_path / "irmeta"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m irmeta "$@"\n')
    program.chmod(0o755)
    rows = [
        f"{name},{topic},AP,{score}"
        for name, score in (("main", 0.6), ("new", 0.3))
        for topic in range(30)
    ]
    (tmp_path / "s.csv").write_text("\n".join(["system,topic,metric,score", *rows]))
    inputs = {name: one.get("default", "") for name, one in action()["inputs"].items()}
    inputs |= {"scores": "s.csv", "system": "new", "against": "main", "metrics": "AP"}
    inputs |= {"fail-if-worse": "0.02", "history": "nights.jsonl"}
    given = {
        name: inputs[value.split(".")[1].rstrip(" }")]
        for name, value in step["env"].items()
    }
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    around = os.environ | {"PATH": path, "GITHUB_STEP_SUMMARY": "summary.md"}
    ended = subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", step["run"]],
        env=around | given,
        cwd=tmp_path,
        check=False,
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 3, ended.stderr
    assert len((tmp_path / "nights.jsonl").read_text().splitlines()) == 1
    assert (
        "Worse: by AP new scores .300 less than main"
        in (tmp_path / "summary.md").read_text()
    )
