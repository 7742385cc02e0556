"""Check of the tree what no linter checks: circles of imports, stray texts, names of two things, decisions."""

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDERS = ("bench", "scripts", "src", "tests")
DECLARATIONS = (ast.Assign, ast.AnnAssign)
"""Statements that a bare string below them may explain."""


def imports() -> dict[str, set[str]]:
    """Return what each module of irmeta imports of irmeta, inside functions, too."""
    import grimp

    graph = grimp.build_graph("irmeta")
    return {
        module: graph.find_modules_directly_imported_by(module)
        for module in graph.modules
    }


def circles(imported: Mapping[str, set[str]]) -> Iterator[str]:
    """Yield a circle of imports, if there is one."""
    try:
        TopologicalSorter(imported).prepare()
    except CycleError as error:
        yield f"a circle of imports: {' <- '.join(error.args[1])}"


def stray_texts(path: Path) -> Iterator[str]:
    """Yield the bare strings of a file that stand neither first in a block nor below a declaration."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    blocks = (getattr(node, "body", None) for node in ast.walk(tree))
    for block in blocks:
        # the body of a lambda or of a conditional expression is no list
        if not isinstance(block, list):
            continue
        for above, below in pairwise(block):
            if _is_text(below) and not isinstance(above, DECLARATIONS):
                yield f"{path}:{below.lineno}: a text that explains nothing above it"


def _is_text(statement: ast.stmt) -> bool:
    if not isinstance(statement, ast.Expr):
        return False
    value = statement.value
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def names_of_two(path: Path) -> Iterator[str]:
    """Yield the constants of a file that are assigned again, to what has nothing to do with the value above."""
    seen: set[str] = set()
    for statement in ast.parse(path.read_text(encoding="utf-8")).body:
        if not isinstance(statement, DECLARATIONS):
            continue
        names = [part for part in ast.walk(statement) if isinstance(part, ast.Name)]
        read = {part.id for part in names if isinstance(part.ctx, ast.Load)}
        made = {part.id for part in names if isinstance(part.ctx, ast.Store)}
        for name in sorted((made & seen) - read):
            if name.isupper():
                yield f"{path}:{statement.lineno}: {name} has another value above"
        seen |= made


def misnumbered(folder: Path) -> Iterator[str]:
    """Yield the decisions whose number is another's, or is not that of the heading, and those that the index lacks."""
    pages = sorted(folder.glob("0*.md"))
    used = Counter(path.name[:4] for path in pages)
    index = (folder / "index.md").read_text(encoding="utf-8")
    listed = re.findall(r"^- \[(\d+)\]\((.+?)\) \S", index, re.MULTILINE)
    for path in pages:
        number = str(int(path.name[:4]))
        if used[path.name[:4]] > 1:
            yield f"{path}: another decision has the number {number}"
        if not path.read_text(encoding="utf-8").startswith(f"# {number}. "):
            yield f"{path}: the heading does not begin with '# {number}. '"
        if listed.count((number, path.name)) != 1:
            yield f"{path}: index.md needs one line '- [{number}]({path.name}) what was decided'"


def main() -> int:
    """Print what is wrong, and return 1 if anything is."""
    wrong = [*circles(imports()), *misnumbered(ROOT / "docs" / "decisions")]
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            wrong += [*stray_texts(path), *names_of_two(path)]
    print(
        "\n".join(wrong)
        or "no circle of imports, no stray text, no name of two things, every decision in the index"
    )
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
