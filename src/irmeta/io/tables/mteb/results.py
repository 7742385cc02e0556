"""The results of a folder of MTEB as they are read, and the table that they come to."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

import numpy as np

from irmeta.errors import ScoresError
from irmeta.io.tables.mteb.files import TaskResult
from irmeta.io.tables.mteb.tasks import Part, Parts, mteb_tasks
from irmeta.metrics.names import nearest
from irmeta.stats.arrays import Floats
from irmeta.words import counted, listed

Order = tuple[bool, bool, tuple[int, ...]]
"""Of a model's results of a task in several revisions the largest counts: with a version, a revision, the latest."""
_ALL_PARTS = Parts()


class TaskScore(NamedTuple):
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
        self._scores: dict[tuple[str, str], TaskScore] = {}
        self._in_several_revisions = set[str]()
        """Models with a task in several revisions."""
        self._fitting_benchmarks = Counter[str]()
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
        earlier = self._scores.get(key)
        if earlier is not None:
            self._in_several_revisions.add(result.model)
            if earlier.order >= order:
                return
        parts = self.parts.get(result.task, _ALL_PARTS)
        if parts.pairs is None:
            scored_parts = {
                part: score for part, score in scores.items() if parts.uses(part)
            }
            self._scores[key] = TaskScore(order, np.nan, scored_parts)
        else:
            self._scores[key] = TaskScore(order, _mean(scores, parts.pairs))
            if not parts.pairs <= scores.keys():
                self._fitting_benchmarks.update(_benchmarks_with(result.task, scores))

    def require_seen(self, tasks: Collection[str]) -> None:
        """Raise ScoresError if a task whose parts were chosen has no result, or no result has one of the parts."""
        for task in tasks:
            if task not in self.seen:
                raise ScoresError(
                    f"no result of the task {task!r} in this folder; {nearest(task, self.seen)}"
                )
            parts = self.parts[task]
            for at, names in enumerate((parts.splits, parts.subsets)):
                names_seen = {part[at] for part in self.seen[task]}
                if lacking := sorted((names or names_seen) - names_seen):
                    kind = ("split", "subset")[at]
                    raise ScoresError(
                        f"no result of {task} has the {kind} {lacking[0]!r}; choose from "
                        f"{listed(sorted(names_seen), 20)}"
                    )

    def table(self) -> tuple[Floats, list[str], list[str]]:
        """Return the scores (model, task), and the names of both: those that have some score."""
        models, tasks = (
            list(dict.fromkeys(names)) for names in zip(*self._scores, strict=True)
        )
        row, column = (
            {name: at for at, name in enumerate(names)} for names in (models, tasks)
        )
        scores = np.full((len(models), len(tasks)), np.nan)
        for (model, task), score in self._scores.items():
            scores[row[model], column[task]] = self._mean_score(task, score)
        scored_cells = np.isfinite(scores)
        model_scored = scored_cells.any(axis=1)
        task_scored = scored_cells.any(axis=0)
        if not model_scored.any():
            raise ScoresError(
                f"no model has a whole task: {'; '.join(self._left_out_notes(tasks))}"
            )
        return (
            scores[model_scored][:, task_scored],
            [name for name, kept in zip(models, model_scored, strict=True) if kept],
            [name for name, kept in zip(tasks, task_scored, strict=True) if kept],
        )

    def _parts_of(self, task: str) -> frozenset[Part]:
        """Return the parts of a task: those known, or all that its results have."""
        parts = self.parts.get(task, _ALL_PARTS)
        if parts.pairs is not None:
            return parts.pairs
        return frozenset(part for part in self.seen[task] if parts.uses(part))

    def notes(self, models: Sequence[str], tasks: Sequence[str]) -> list[str]:
        """Say what became of results that are not in the table of these models and tasks."""
        all_tasks = dict.fromkeys(task for _, task in self._scores)
        unscored_tasks = [task for task in all_tasks if task not in set(tasks)]
        notes = self._left_out_notes(unscored_tasks) if unscored_tasks else []
        notes += self._incomplete_notes(set(tasks))
        unscored = {model for model, _ in self._scores} - set(models)
        if unscored:
            notes.append(
                f"left out: {counted(len(unscored), 'model')} without a whole task: {listed(sorted(unscored))}"
            )
        if unknown_tasks := [task for task in tasks if task not in self.parts]:
            notes.append(
                f"MTEB {mteb_tasks().version} has no task {listed(unknown_tasks)}: averaged over all splits and "
                "subsets that some result has"
            )
        if self._in_several_revisions:
            notes.append(
                f"{counted(len(self._in_several_revisions), 'model')} with a task in several revisions, of which the "
                f"one by the latest version of mteb counts: {listed(sorted(self._in_several_revisions))}"
            )
        return notes

    def _incomplete_notes(self, tasks: set[str]) -> Iterator[str]:
        """Say how many results lack parts, and of which tasks most."""
        lacking = Counter(
            task
            for (_, task), score in self._scores.items()
            if task in tasks and not np.isfinite(self._mean_score(task, score))
        )
        if lacking:
            counts = (f"{task} ({count})" for task, count in lacking.most_common())
            yield (
                f"{lacking.total():,} of {len(self._scores):,} results lack a split or subset of their "
                f"task and count as missing, as on MTEB's leaderboard: {listed(counts)}"
            )

    def _mean_score(self, task: str, result: TaskScore) -> float:
        """Return the score of a result: of its splits and subsets, if it has some, the mean over all of the task's."""
        if result.parts is None:
            return result.score
        return _mean(result.parts, self._parts_of(task))

    def _left_out_notes(self, tasks: Sequence[str]) -> list[str]:
        """Say which tasks no model has whole, what there is of them, and how to have it averaged."""
        descriptions = listed(
            f"{task} ({self._describe_parts(task)})" for task in tasks
        )
        task = tasks[0]
        subset = ",".join(sorted({subset for _, subset in self.seen[task]})[:1])
        advice = f"choose with --subsets '{task}={subset}'"
        if self._fitting_benchmarks and not self.benchmark:
            best, _ = self._fitting_benchmarks.most_common(1)[0]
            advice = f"choose with --benchmark '{best}', or --subsets '{task}={subset}'"
        return [
            f"left out: {counted(len(tasks), 'task')} that no model has whole: {descriptions}; {advice}"
        ]

    def _describe_parts(self, task: str) -> str:
        """Say what results have of the splits and subsets of a task."""
        parts = self._parts_of(task)
        kinds = ("split", "subset")
        counts = [
            (
                len({part[at] for part in self.seen[task] & parts}),
                len({part[at] for part in parts}),
            )
            for at in (0, 1)
        ]
        shares = [
            f"{count} of {counted(total, kind)}"
            for (count, total), kind in zip(counts, kinds, strict=True)
            if count < total
        ]
        return ", ".join(shares) or "in parts"


def _benchmarks_with(task: str, scores: Mapping[Part, float]) -> Iterator[str]:
    """Name the benchmarks whose version of a task a result has whole."""
    for name, tasks in mteb_tasks().benchmarks.items():
        parts = tasks.get(task, _ALL_PARTS).pairs
        if parts is not None and parts <= scores.keys():
            yield name


def _mean(scores: Mapping[Part, float], parts: frozenset[Part]) -> float:
    """Return the mean over all parts, NaN if one is missing."""
    if not parts or not parts <= scores.keys():
        return np.nan
    return fmean(scores[part] for part in parts)
