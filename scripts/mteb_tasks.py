"""Make the table of MTEB's tasks that ships with irmeta: python scripts/mteb_tasks.py, where mteb is installed.

It holds facts only: of each task its main score, splits, subsets and type, and of each benchmark its tasks, with the
splits and subsets that it asks for where they are not those of the task. Lists that are alike are written once.
"""

import json
import lzma
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import mteb
from mteb.get_tasks import _TASKS_REGISTRY
from mteb.results import task_result

TARGET = (
    Path(__file__).parents[1]
    / "src"
    / "irmeta"
    / "io"
    / "tables"
    / "mteb"
    / "tasks.json.xz"
)


def main() -> None:
    """Write the table into the package."""
    lists: dict[tuple[str, ...], int] = {}

    def number(names: Iterable[str]) -> int:
        return lists.setdefault(tuple(sorted(names)), len(lists))

    def parts(task: Any) -> list[int]:
        subsets = ["default"] if task.is_aggregate else task.hf_subsets
        return [number(task.eval_splits), number(subsets)]

    tasks = {}
    for name, kind in sorted(_TASKS_REGISTRY.items()):
        tasks[name] = [kind.metadata.main_score, kind.metadata.type, *parts(kind())]
    for name, kind in task_result.outdated_tasks.items():
        about = kind.metadata
        subsets = number(about.hf_subsets)
        tasks[name] = [about.main_score, about.type, number(about.eval_splits), subsets]
    benchmarks = {
        benchmark.name: {task.metadata.name: parts(task) for task in benchmark.tasks}
        for benchmark in sorted(mteb.get_benchmarks(), key=lambda one: one.name)
    }
    table = {
        "version": mteb.__version__,
        "tasks": tasks,
        "benchmarks": benchmarks,
        "renamed": task_result.renamed_tasks,
        "lists": list(lists),
    }
    text = json.dumps(table, separators=(",", ":"))
    packed = lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME)
    TARGET.write_bytes(packed)
    print(
        f"mteb {mteb.__version__}: {len(tasks)} tasks, {len(benchmarks)} benchmarks, "
        f"{len(packed):,} bytes"
    )


if __name__ == "__main__":
    main()
