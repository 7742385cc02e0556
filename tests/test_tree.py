"""What `scripts/tree.py` finds in a source tree, and what the tree says in several places."""

import re
import runpy
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TREE = runpy.run_path(str(ROOT / "scripts" / "tree.py"))


def test_a_circle_between_files_is_found() -> None:
    """Modules that import each other, directly or through a third, are named; a chain of imports is not a circle."""
    chain = {"irmeta.a": {"irmeta.b"}, "irmeta.b": {"irmeta.c"}, "irmeta.c": set()}
    assert list(TREE["circles"](chain)) == []
    [found] = TREE["circles"](chain | {"irmeta.c": {"irmeta.a"}})
    assert all(module in found for module in chain)


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        ('"""Module."""\nA = 1\n"""A."""\nB: int = 2\n"""B."""\n', []),
        ('A = 1\n"""A."""\n"""B."""\n', [3]),
        ('"""Module."""\n"""Again."""\n', [2]),
        ('def f():\n    """F."""\n    return 1\n    """G."""\n', [4]),
        ('class C:\n    """C."""\n\n    a = 1\n    """A."""\n', []),
    ],
)
def test_a_text_without_a_name_is_found(
    tmp_path: Path, code: str, lines: list[int]
) -> None:
    """A bare string explains the module, class or function that it begins, or the name declared above it."""
    path = tmp_path / "made.py"
    path.write_text(code)
    found = [text.split(":")[1] for text in TREE["stray_texts"](path)]
    assert found == [str(line) for line in lines]


def test_the_version_is_the_same_everywhere() -> None:
    """The package, its citation and the newest entry of the change log have one version."""
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    citation = (ROOT / "CITATION.cff").read_text()
    changes = (ROOT / "CHANGELOG.md").read_text()
    cited = re.search(r"^version: (.+)$", citation, re.MULTILINE)
    newest = re.search(r"^## ([\d.]+)", changes, re.MULTILINE)
    assert cited
    assert newest
    assert cited[1] == newest[1] == declared["version"]


def test_every_decision_has_a_number_of_its_own_and_a_line_in_the_index() -> None:
    """A decision's number stands in its name, its heading and the index, and no other decision has it."""
    folder = ROOT / "docs" / "decisions"
    pages = {path.name: path.read_text() for path in sorted(folder.glob("0*.md"))}
    numbers = [str(int(name[:4])) for name in pages]
    assert len(set(numbers)) == len(numbers)
    headings = [text.removeprefix("# ").partition(". ")[0] for text in pages.values()]
    assert headings == numbers
    index = (folder / "index.md").read_text()
    listed = re.findall(r"^- \[(\d+)\]\((.+)\) \S", index, re.MULTILINE)
    assert sorted(listed) == sorted(zip(numbers, pages, strict=True))
