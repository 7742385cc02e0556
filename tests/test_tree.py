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


@pytest.mark.parametrize(
    ("code", "found"),
    [("A = 1\nB = 2\nA = 3\n", 1), ("A = 1\nA = A + 1\n", 0), ("a = 1\na = 2\n", 0)],
)
def test_a_constant_with_two_values_is_found(
    tmp_path: Path, code: str, found: int
) -> None:
    """A name that a file gives twice is named, unless its second value is made of the first."""
    path = tmp_path / "made.py"
    path.write_text(code)
    assert len(list(TREE["names_of_two"](path))) == found


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


def test_a_decision_without_a_number_of_its_own_is_found(tmp_path: Path) -> None:
    """A number that two decisions have, another heading, and a decision that the index lacks are named."""
    for name, number in (("0001-a.md", 1), ("0002-b.md", 2), ("0003-c.md", 3)):
        (tmp_path / name).write_text(f"# {number}. Made\n")
    lines = ["- [1](0001-a.md) A.", "- [2](0002-b.md) B.", "- [3](0003-c.md) C."]
    index = tmp_path / "index.md"
    index.write_text("\n".join(lines))
    assert list(TREE["misnumbered"](tmp_path)) == []
    index.write_text("\n".join(lines[:2]))
    (tmp_path / "0001-a.md").write_text("# 4. Made\n")
    (tmp_path / "0002-d.md").write_text("# 2. Made\n")
    found = [
        text.split("/")[-1].split(":")[0] for text in TREE["misnumbered"](tmp_path)
    ]
    assert found == ["0001-a.md", "0002-b.md", "0002-d.md", "0002-d.md", "0003-c.md"]
