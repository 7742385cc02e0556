"""The scripts of pages where there is Node: the parts that compute."""

import re
import shutil
import subprocess
from pathlib import Path
from types import ModuleType

import pytest

from irmeta.report.page import leaderboard, writing
from irmeta.report.page.templates import bundle_scripts

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


@pytest.mark.parametrize("page", [writing, leaderboard], ids=["report", "board"])
def test_a_name_is_defined_once(page: ModuleType) -> None:
    """No two scripts of a page define the same name, of which the later would take the place of the earlier."""
    script = bundle_scripts(page._SCRIPTS)
    defined = re.findall(r"^(?:function|const|let) (\w+)", script, re.MULTILINE)
    assert defined
    assert len(set(defined)) == len(defined)
