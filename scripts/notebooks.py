"""Run notebooks without Jupyter: python scripts/notebooks.py docs/notebooks/ranx.ipynb writes their output anew.

The cells of a notebook run one after another in the folder of the notebook; what they print is their output.
"""

import contextlib
import io
import json
import os
import sys
from pathlib import Path
from typing import Any


def replayed(path: Path) -> dict[str, Any]:
    """Return a notebook with the output that its cells print now."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    names: dict[str, Any] = {"__name__": "__main__"}
    count = 0
    with contextlib.chdir(path.parent):
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                count += 1
                printed = run("".join(cell["source"]), names)
                cell["execution_count"] = count
                cell["outputs"] = outputs(printed)
    return notebook


def run(source: str, names: dict[str, Any]) -> str:
    """Run a cell and return what it prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(source, "<cell>", "exec"), names)
    return printed.getvalue()


def outputs(printed: str) -> list[dict[str, Any]]:
    """Return the outputs of a cell that printed a text."""
    if not printed:
        return []
    lines = printed.splitlines(keepends=True)
    return [{"output_type": "stream", "name": "stdout", "text": lines}]


def text(notebook: dict[str, Any]) -> str:
    """Write a notebook as its file has it."""
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    os.environ["COLUMNS"] = "80"
    for path in map(Path, sys.argv[1:]):
        path.write_text(text(replayed(path)), encoding="utf-8")
