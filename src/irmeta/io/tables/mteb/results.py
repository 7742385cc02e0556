"""The results of a folder of MTEB as they are read, and the table that they come to."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

import numpy as np

from irmeta.errors import ScoresError
from irmeta.io.tables.mteb.files import TaskResult
from irmeta.io.tables.mteb.tasks import Part, Parts, known
from irmeta.metrics.names import nearest
from irmeta.stats.arrays import Floats
from irmeta.words import counted, listed

Order = tuple[bool, bool, tuple[int, ...]]
"""Of a model's results of a task in several revisions the largest counts: with a version, a revision, the latest."""
_OPEN = Parts()


class Held(NamedTuple):
    """A model's score on a task, NaN if a part is missing; or its parts, while only all results say which there are."""

    order: Order
    score: float
    parts: Mapping[Part, float] | None = None


class Results:
    """The results that were read; of each model and task only what its score needs is kept.

    parts : by task, what its score is the mean of.  benchmark : whose tasks alone are kept, if any.
    """

    def __init__(self, parts: Mapping[str, Parts], benchmark: str | None) -> None:
        self.parts = parts
        self.benchmark = benchmark
        self.seen: dict[str, set[Part]] = defaultdict(set)
        """By task the parts that some result has."""
        self._held: dict[tuple[str, str], Held] = {}
        self._again = set[str]()
        """Models with a task in several revisions."""
        self._useful = Counter[str]()
        """By benchmark the results that lack parts of their task, but none of its version of it."""

    def add(self, result: TaskResult) -> None:
        """Keep what a result says, unless there is one of a later version of mteb."""
        scores = dict(result.scores)
        self.seen[result.task].update(scores)
        if self.benchmark and result.task not in self.parts:
            return
        key = (result.model, result.task)
        version = result.version or ()
        order = (bool(version), result.revision is not None, version)
        before = self._held.get(key)
        if before is not None:
            self._again.add(result.model)
            if before.order >= order:
                return
        parts = self.parts.get(result.task, _OPEN)
        if parts.every is None:
            used = {part: one for part, one in scores.items() if parts.uses(part)}
            self._held[key] = Held(order, np.nan, used)
        else:
            self._held[key] = Held(order, _mean(scores, parts.every))
            if not parts.every <= scores.keys():
                self._useful.update(_fitting(result.task, scores))

    def require_seen(self, tasks: Collection[str]) -> None:
        """Raise ScoresError if a task whose parts were chosen has no result, or no result has one of the parts."""
        for task in tasks:
            if task not in self.seen:
                raise ScoresError(
                    f"no result of the task {task!r} in this folder; {nearest(task, self.seen)}"
                )
            parts = self.parts[task]
            for at, names in enumerate((parts.splits, parts.subsets)):
                there = {part[at] for part in self.seen[task]}
                if absent := sorted((names or there) - there):
                    what = ("split", "subset")[at]
                    raise ScoresError(
                        f"no result of {task} has the {what} {absent[0]!r}; choose from "
                        f"{listed(sorted(there), 20)}"
                    )

    def table(self) -> tuple[Floats, list[str], list[str]]:
        """Return the scores (model, task), and the names of both: those that have some score."""
        models, tasks = (
            list(dict.fromkeys(names)) for names in zip(*self._held, strict=True)
        )
        row, column = (
            {name: at for at, name in enumerate(names)} for names in (models, tasks)
        )
        scores = np.full((len(models), len(tasks)), np.nan)
        for (model, task), held in self._held.items():
            scores[row[model], column[task]] = self._score(task, held)
        some = np.isfinite(scores)
        scored = some.any(axis=1)
        used = some.any(axis=0)
        if not scored.any():
            raise ScoresError(
                f"no model has a whole task: {'; '.join(self._left_out(tasks))}"
            )
        return (
            scores[scored][:, used],
            [name for name, on in zip(models, scored, strict=True) if on],
            [name for name, on in zip(tasks, used, strict=True) if on],
        )

    def _every(self, task: str) -> frozenset[Part]:
        """Return the parts of a task: those known, or all that its results have."""
        parts = self.parts.get(task, _OPEN)
        if parts.every is not None:
            return parts.every
        return frozenset(part for part in self.seen[task] if parts.uses(part))

    def notes(self, models: Sequence[str], tasks: Sequence[str]) -> list[str]:
        """Say what became of results that are not in the table of these models and tasks."""
        every = dict.fromkeys(task for _, task in self._held)
        without = [task for task in every if task not in set(tasks)]
        notes = self._left_out(without) if without else []
        notes += self._incomplete(set(tasks))
        alone = {model for model, _ in self._held} - set(models)
        if alone:
            notes.append(
                f"left out: {counted(len(alone), 'model')} without a whole task: {listed(sorted(alone))}"
            )
        if strange := [task for task in tasks if task not in self.parts]:
            notes.append(
                f"MTEB {known().version} has no task {listed(strange)}: averaged over all splits and "
                "subsets that some result has"
            )
        if self._again:
            notes.append(
                f"{counted(len(self._again), 'model')} with a task in several revisions, of which the "
                f"one by the latest version of mteb counts: {listed(sorted(self._again))}"
            )
        return notes

    def _incomplete(self, tasks: set[str]) -> Iterator[str]:
        """Say how many results lack parts, and of which tasks most."""
        lacking = Counter(
            task
            for (_, task), held in self._held.items()
            if task in tasks and not np.isfinite(self._score(task, held))
        )
        if lacking:
            most = (f"{task} ({count})" for task, count in lacking.most_common())
            yield (
                f"{lacking.total():,} of {len(self._held):,} results lack a split or subset of their "
                f"task and count as missing, as on MTEB's leaderboard: {listed(most)}"
            )

    def _score(self, task: str, held: Held) -> float:
        """Return the score of a result: of its splits and subsets, if it has some, the mean over all of the task's."""
        if held.parts is None:
            return held.score
        return _mean(held.parts, self._every(task))

    def _left_out(self, tasks: Sequence[str]) -> list[str]:
        """Say which tasks no model has whole, what there is of them, and how to have it averaged."""
        there = listed(f"{task} ({self._there(task)})" for task in tasks)
        first = tasks[0]
        some = ",".join(sorted({subset for _, subset in self.seen[first]})[:1])
        mend = f"choose with --subsets '{first}={some}'"
        if self._useful and not self.benchmark:
            best, _ = self._useful.most_common(1)[0]
            mend = f"choose with --benchmark '{best}', or --subsets '{first}={some}'"
        return [
            f"left out: {counted(len(tasks), 'task')} that no model has whole: {there}; {mend}"
        ]

    def _there(self, task: str) -> str:
        """Say what results have of the splits and subsets of a task."""
        every = self._every(task)
        kinds = ("split", "subset")
        counts = [
            (
                len({part[at] for part in self.seen[task] & every}),
                len({part[at] for part in every}),
            )
            for at in (0, 1)
        ]
        shares = [
            f"{some} of {counted(all_of, kind)}"
            for (some, all_of), kind in zip(counts, kinds, strict=True)
            if some < all_of
        ]
        return ", ".join(shares) or "in parts"


def _fitting(task: str, scores: Mapping[Part, float]) -> Iterator[str]:
    """Name the benchmarks whose version of a task a result has whole."""
    for name, tasks in known().benchmarks.items():
        every = tasks.get(task, _OPEN).every
        if every is not None and every <= scores.keys():
            yield name


def _mean(scores: Mapping[Part, float], every: frozenset[Part]) -> float:
    """Return the mean over all parts, NaN if one is missing."""
    if not every or not every <= scores.keys():
        return np.nan
    return fmean(scores[part] for part in every)
