"""Notebooks run, and print what they hold."""

import json
import runpy
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
SCRIPT = runpy.run_path(str(DOCS.parent / "scripts" / "notebooks.py"))
BOOKS = sorted((DOCS / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", BOOKS, ids=lambda path: path.stem)
def test_a_notebook_prints_what_it_holds(path, monkeypatch):
    """Each notebook runs from its first cell to its last, ends in versus and table, and holds what its cells print."""
    monkeypatch.setenv("COLUMNS", "80")
    notebook = SCRIPT["replayed"](path)
    code = "".join(
        "".join(cell["source"])
        for cell in notebook["cells"]
        if cell["cell_type"] == "code"
    )
    assert "irmeta.versus(" in code
    assert "irmeta.table(" in code
    again = f"if it should: python scripts/notebooks.py docs/notebooks/{path.name}"
    assert SCRIPT["text"](notebook) == path.read_text(encoding="utf-8"), again


def test_each_tool_has_its_notebook():
    """The page of tools leads to every notebook."""
    page = (DOCS / "tasks" / "tools.md").read_text()
    assert [path.stem for path in BOOKS] == ["mteb", "pyterrier", "ranx", "trec_eval"]
    assert all(f"(../notebooks/{path.name})" in page for path in BOOKS)


def test_a_notebook_that_prints_otherwise_is_seen(tmp_path):
    """What a cell prints takes the place of what the file holds; a cell that prints nothing has no output."""
    cell = {"cell_type": "code", "source": ["print(1 + 1)"], "outputs": []}
    silent = {"cell_type": "code", "source": ["x = 3"], "outputs": ["old"]}
    path = tmp_path / "book.ipynb"
    path.write_text(json.dumps({"cells": [cell, silent]}))
    first, second = SCRIPT["replayed"](path)["cells"]
    assert first["outputs"][0]["text"] == ["2\n"]
    assert second["outputs"] == []
