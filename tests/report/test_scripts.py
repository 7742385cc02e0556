"""The scripts of pages where there is Node: the parts that compute."""

import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parent / "scripts"


@pytest.mark.skipif(
    shutil.which("node") is None, reason="no node on the PATH (package.json)"
)
def test_what_scripts_compute() -> None:
    """The tests in JavaScript of figures, tables, ranks, the paired t test and eigenvalues pass."""
    files = sorted(map(str, SCRIPTS.glob("*.test.js")))
    done = subprocess.run(
        ["node", "--test", *files], capture_output=True, text=True, check=False
    )
    assert files
    assert done.returncode == 0, done.stdout
