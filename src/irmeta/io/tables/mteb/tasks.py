"""MTEB's tasks and benchmarks: which splits and subsets a task's score is the mean of; see scripts/mteb_tasks.py."""

import json
import lzma
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import product
from pathlib import Path
from typing import Any

from irmeta.errors import ScoresError
from irmeta.metrics.names import nearest

_FILE = Path(__file__).with_name("tasks.json.xz")

Part = tuple[str, str]
"""A split and a subset of a task."""
Chosen = Mapping[str, str | Iterable[str]]
"""Splits, or subsets, by task; or the one."""


@dataclass(frozen=True)
class Parts:
    """The splits and subsets that a task's score is the mean of; None stands for all that its results have."""

    splits: frozenset[str] | None = None
    subsets: frozenset[str] | None = None

    def uses(self, part: Part) -> bool:
        """Say whether a score belongs to the mean."""
        split, subset = part
        return (self.splits is None or split in self.splits) and (
            self.subsets is None or subset in self.subsets
        )

    @cached_property
    def pairs(self) -> frozenset[Part] | None:
        """Return all parts, None where the results say what there is."""
        if self.splits is None or self.subsets is None:
            return None
        return frozenset(product(self.splits, self.subsets))


@dataclass(frozen=True)
class Tasks:
    """What a version of mteb knows: tasks (main score, type, parts), benchmarks, and names of older versions."""

    version: str
    main: Mapping[str, str]
    kinds: Mapping[str, str]
    parts: Mapping[str, Parts]
    benchmarks: Mapping[str, Mapping[str, Parts]]
    renamed: Mapping[str, str]

    def of_benchmark(self, name: str) -> Mapping[str, Parts]:
        """Return the tasks of a benchmark; a name that is not one raises ScoresError."""
        if name not in self.benchmarks:
            raise ScoresError(
                f"{name!r} is not a benchmark of MTEB {self.version}; "
                f"{nearest(name, self.benchmarks)}"
            )
        return self.benchmarks[name]

    @cached_property
    def _names(self) -> dict[str, str]:
        return {name.lower(): name for name in self.main}

    def current(self, name: str) -> str:
        """Return the name that a task of an older version has now; unknown names as they are.

        >>> mteb_tasks().current("PPC"), mteb_tasks().current("fiqa2018"), mteb_tasks().current("mine")
        ('PpcPC', 'FiQA2018', 'mine')
        """
        name = self.renamed.get(name, name)
        return self._names.get(name.lower(), name)


@cache
def mteb_tasks() -> Tasks:
    """Return MTEB's tasks and benchmarks.

    >>> sorted(mteb_tasks().parts["STSBenchmark"].splits), mteb_tasks().main["STSBenchmark"]
    (['test'], 'cosine_spearman')
    """
    table: dict[str, Any] = json.loads(lzma.decompress(_FILE.read_bytes()))
    lists = [frozenset(names) for names in table["lists"]]

    @cache
    def parts(splits: int, subsets: int) -> Parts:
        return Parts(lists[splits], lists[subsets])

    def parts_by_name(numbers_by_name: Mapping[str, Iterable[int]]) -> dict[str, Parts]:
        return {task: parts(*numbers) for task, numbers in numbers_by_name.items()}

    tasks = table["tasks"]
    return Tasks(
        version=table["version"],
        main={name: main for name, (main, *_) in tasks.items()},
        kinds={name: kind for name, (_, kind, *_) in tasks.items()},
        parts=parts_by_name(
            {name: numbers for name, (_, _, *numbers) in tasks.items()}
        ),
        benchmarks={
            name: parts_by_name(numbers_by_name)
            for name, numbers_by_name in table["benchmarks"].items()
        },
        renamed=table["renamed"],
    )


def parts_by_task(
    benchmark: str | None, splits: Chosen | None, subsets: Chosen | None
) -> dict[str, Parts]:
    """Return by task what its score is the mean of: by mteb or a benchmark of it, but for splits and subsets chosen.

    >>> parts_by_task("MTEB(eng, v2)", None, {"STS17": "en-en"})["STS17"].pairs
    frozenset({('test', 'en-en')})
    """
    tasks = mteb_tasks()
    parts = dict(tasks.of_benchmark(benchmark) if benchmark else tasks.parts)
    for field, chosen in (("splits", splits or {}), ("subsets", subsets or {})):
        for task, names in chosen.items():
            if benchmark and task not in parts:
                raise ScoresError(
                    f"{benchmark} has no task {task!r}; {nearest(task, parts)}"
                )
            names_chosen = frozenset([names] if isinstance(names, str) else names)
            parts[task] = replace(parts.get(task, Parts()), **{field: names_chosen})
    return parts
