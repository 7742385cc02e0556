"""The table of a leaderboard: models over tasks, from one cube whose topics are tasks, or from a cube for each task."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from irmeta.choices import Over
from irmeta.errors import ScoresError
from irmeta.scores.attributes import DOUBTS, REPEATS, about, is_trec
from irmeta.scores.groups.clusters import (
    SIZE,
    by_cluster,
    clustering_notes,
    in_clusters,
)
from irmeta.scores.groups.repeats import by_runs
from irmeta.scores.groups.runs import runs_of, spread_of
from irmeta.scores.notes import Method, with_subject
from irmeta.scores.result import no_result_notes
from irmeta.scores.selection import (
    main_metric,
    main_notes,
    require_by_topic,
    select,
)
from irmeta.stats.arrays import Bools, Floats, Ints, settled
from irmeta.stats.halves.clusters import cluster_means, totals
from irmeta.stats.halves.repeats import Spread, Widened, widened
from irmeta.stats.leaderboards import items
from irmeta.studies.result.labels import listed_with_slips
from irmeta.words import counted, joined, listed, shortened


class Nouns(NamedTuple):
    """What readers of these scores call a system, a topic or collection that is ranked over, and what is within it."""

    model: str = "model"
    task: str = "task"
    item: str = "item"


MODELS = Nouns()
TREC = Nouns("system", "topic", "item")
TRECS = Nouns("system", "collection", "topic")


class Repeats(NamedTuple):
    """What a cube says of its systems' runs, and how runs of one system differ."""

    facts: Mapping[str, Any]
    spread: Spread


@dataclass(frozen=True)
class Board:
    """The table that is ranked: scores (model, task), the items behind it where there are any, notes, and its words.

    sizes : of tasks that are clusters of topics, how many topics each has, where means are over topics.
    repeats : how runs differ, where models are means of several runs of all tasks.
    """

    models: list[str]
    tasks: list[str]
    scores: Floats
    items: Sequence[Floats] | None
    notes: list[str]
    nouns: Nouns = MODELS
    sizes: Ints | None = None
    repeats: Repeats | None = None

    def unit_scores(self) -> Floats:
        """Return what votes, ranks and standardized scores are made of: of clusters the mean of each."""
        if self.sizes is None:
            return self.scores
        return settled(cluster_means(self.scores, self.sizes))

    def contributions(self) -> Floats:
        """Return what means are made of: of clusters what each adds to the mean over topics, whose signs are random."""
        if self.sizes is None:
            return self.scores
        share = len(self.sizes) / self.sizes.sum()
        return totals(self.scores, self.sizes) * share

    def other_runs(self) -> Widened | None:
        """Return what other runs of the models would do to their means; None where nobody ran several times."""
        if self.repeats is None:
            return None
        facts, spread = self.repeats
        return widened(self.scores[..., None], runs_of(facts, self.models), spread)

    def kept(self, models: Bools, tasks: Bools) -> "Board":
        """Keep the models, (model,), and the tasks, (task,), that are marked."""
        parts = None
        if self.items is not None:
            parts = [part[models] for part in compress(self.items, tasks)]
        return replace(
            self,
            models=list(compress(self.models, models)),
            tasks=list(compress(self.tasks, tasks)),
            scores=self.scores[models][:, tasks],
            items=parts,
            sizes=None if self.sizes is None else self.sizes[tasks],
        )


def board_of(
    cubes: Mapping[str, xr.DataArray], metric: str | None, over: Over
) -> Board:
    """Make the table: of one cube its topics are the tasks, of several each is a task and its topics are items."""
    if not cubes:
        raise ScoresError("no metric has scores to rank models by")
    several = [one for one in cubes.values() if one.sizes["metric"] > 1]
    notes: list[str] = []
    if metric is None and several:
        metric = main_metric(several[0])
        notes += main_notes(several[0], "--metric")
    chosen = {
        name: _of_one_metric(name, scores, metric) for name, scores in cubes.items()
    }
    units, of_clusters = {}, {}
    for name, scores in chosen.items():
        units[name], of_clusters[name] = by_cluster(scores)
    notes += _by_collection(of_clusters)
    notes += _by_collection({name: _data_notes(unit) for name, unit in units.items()})
    if len(units) > 1:
        return _of_items(chosen, units, notes)
    if over != "tasks":
        raise ScoresError(
            f"over={over!r} needs scores of items within tasks: several collections, one for "
            "each task (a table with columns for task and item)"
        )
    [scores] = units.values()
    return _of_tasks(scores, [*notes, *clustering_notes(*chosen.values())])


def _of_tasks(scores: xr.DataArray, notes: list[str]) -> Board:
    """Make the table of one cube: its topics, or clusters of them, are the tasks."""
    require_by_topic(scores)
    first = scores.isel(metric=0)
    models, tasks = (
        [str(name) for name in first[dim].values] for dim in ("system", "topic")
    )
    return Board(
        models,
        tasks,
        first.values,
        None,
        notes,
        _nouns(first),
        first[SIZE].values if SIZE in first.coords else None,
        _repeats(first),
    )


def _of_items(
    chosen: Mapping[str, xr.DataArray],
    units: Mapping[str, xr.DataArray],
    notes: list[str],
) -> Board:
    """Make the table of several cubes: each is a task, and its topics, or clusters of them (units), are items."""
    _require_shared(units)
    names = (str(name) for one in units.values() for name in one.system.values)
    models = list(dict.fromkeys(names))
    parts = [
        by_runs(scores)[0].isel(metric=0).reindex(system=models).values
        for scores in units.values()
    ]
    trec = all(is_trec(scores.attrs, scores.topic.values) for scores in units.values())
    nouns = TRECS if trec else MODELS
    if any(in_clusters(scores) for scores in chosen.values()):
        nouns = nouns._replace(item="cluster")
    return Board(models, list(units), items.table(parts), parts, notes, nouns)


def _data_notes(scores: xr.DataArray) -> Sequence[str]:
    """Return what a board says of its scores: the notes of their source, and of runs what these models call for."""
    known = about(scores)
    if "scored" in known:
        return no_result_notes(scores)
    notes = [
        note for note in known.get("notes", []) if note not in known.get(DOUBTS, [])
    ]
    return [Method(note) for note in notes]


def _by_collection(notes: Mapping[str, Sequence[str]]) -> list[str]:
    """List the notes of all collections, each with its collection where there are several."""
    if len(notes) == 1:
        return [note for said in notes.values() for note in said]
    return [with_subject(name, note) for name, said in notes.items() for note in said]


def _repeats(scores: xr.DataArray) -> Repeats | None:
    """Return how runs of the systems differ, by the one metric of the scores; None where that is not known."""
    facts = about(scores).get(REPEATS)
    if facts is None:
        return None
    spread = spread_of(facts, [str(scores.metric.item())])
    return None if spread is None else Repeats(facts, spread)


def _nouns(scores: xr.DataArray) -> Nouns:
    """Return the words for one cube's systems and topics, or clusters in their place."""
    nouns = TREC if is_trec(scores.attrs, scores.topic.values) else MODELS
    if "clusters" in about(scores):
        return nouns._replace(task="cluster", item=nouns.task)
    return nouns


def _require_shared(cubes: Mapping[str, xr.DataArray]) -> None:
    """Raise ScoresError for a collection that has no model of the others: it is no task of theirs."""
    models = {name: set(map(str, one.system.values)) for name, one in cubes.items()}
    for name, own in models.items():
        others = set().union(*(models[other] for other in models if other != name))
        if own.isdisjoint(others):
            raise ScoresError(
                f"each of these {len(cubes)} collections is taken as a task, but {name!r} has no model of the others; "
                "rank by one of them alone"
            )


def _of_one_metric(name: str, scores: xr.DataArray, metric: str | None) -> xr.DataArray:
    """Return a collection's scores by the metric, if it is named; clusters with missing scores raise ScoresError."""
    if metric is not None:
        scores = select(scores, metrics=[metric])
    if in_clusters(scores) and scores.isnull().any():
        raise ScoresError(
            f"{name}: topics that come in clusters need every system on every topic; name those that have all "
            "(--systems, --topics)"
        )
    return scores


def complete(board: Board) -> Board:
    """Keep a part of the table without holes: see `whole_part`."""
    present = np.isfinite(board.scores)
    if present.all():
        return board
    models, tasks = whole_part(present)
    model, task, _ = board.nouns
    if models.sum() < 2 or tasks.sum() < 2:
        raise ScoresError(
            f"no 2 {model}s have all scores of 2 {task}s or more; use --holes bounds or --holes "
            "predict, or leave some out"
        )
    left = [
        f"{counted(int((~kept).sum()), noun)} of {kept.size}"
        for kept, noun in ((tasks, task), (models, model))
        if not kept.all()
    ]
    note = f"left out for missing scores: {joined(left)}"
    return replace(board.kept(models, tasks), notes=[*board.notes, note])


def whole_part(present: Bools) -> tuple[Bools, Bools]:
    """Choose models and tasks without holes: the models that have all tasks, or the tasks that all models have.

    Where these keep less than half of the scores that a part of both could keep, as one task that nobody has does, it
    is the tasks that most models have, with the models that have them all.
    """
    every_model = np.ones(present.shape[0], dtype=bool)
    every_task = np.ones(present.shape[1], dtype=bool)
    sides = [
        (np.asarray(present.all(axis=1)), every_task),
        (every_model, np.asarray(present.all(axis=0))),
    ]
    best = max(sides, key=_count_cells)
    # the k tasks that most models have, and the models that have them all, for every k
    most_first = np.argsort(-present.sum(axis=0), kind="stable")
    has_first = np.logical_and.accumulate(present[:, most_first], axis=1)
    cells = has_first.sum(axis=0) * np.arange(1, present.shape[1] + 1)
    k = int(cells.argmax())
    if _count_cells(best) >= cells[k] / 2:
        return best
    tasks = np.isin(np.arange(present.shape[1]), most_first[: k + 1])
    return np.asarray(has_first[:, k]), tasks


def _count_cells(part: tuple[Bools, Bools]) -> int:
    """Return how many scores a part of the table has: its models times its tasks."""
    return int(part[0].sum() * part[1].sum())


def with_tasks(board: Board, least: int) -> Board:
    """Keep the models that have scores on at least this number of tasks; a note says how many go, or who has none."""
    model, task, _ = board.nouns
    kept = np.isfinite(board.scores).sum(axis=1) >= least
    if kept.all():
        return board
    if kept.sum() < 2:
        on = f"{counted(least, task)} or more; lower --min-tasks"
        if least == 1:
            on = f"any of the {task}s chosen"
        raise ScoresError(f"fewer than 2 {model}s have scores on {on}")
    few = counted(int((~kept).sum()), model)
    which = f"fewer than {counted(least, task)}"
    if least == 1:
        which = f"none of the {task}s chosen: {listed(compress(board.models, ~kept))}"
    note = f"left out: {few} of {kept.size} with scores on {which}"
    part = board.kept(kept, np.ones(len(board.tasks), dtype=bool))
    return replace(part, notes=[*board.notes, note])


def predictable(board: Board, least: int) -> Board:
    """Keep the tasks that this number of models have, or more, and the models that have some of these; with a note."""
    model, task, _ = board.nouns
    present = np.isfinite(board.scores)
    tasks = present.sum(axis=0) >= least
    if tasks.all():
        return board
    if tasks.sum() < 2:
        require_comparison(board)
        raise ScoresError(
            f"scores can be predicted on {task}s that at least {least} {model}s have, and fewer than 2 are such; use "
            "--holes bounds"
        )
    models = np.asarray(present[:, tasks].any(axis=1))
    rare = list(compress(board.tasks, ~tasks))
    bare = list(compress(board.models, ~models))
    note = (
        f"left out: {counted(len(rare), task)} that fewer than {least} {model}s have, too few to "
        f"predict from: {listed(rare)}"
    )
    if bare:
        note += (
            f"; and {counted(len(bare), model)} without another {task}: {listed(bare)}"
        )
    return replace(board.kept(models, tasks), notes=[*board.notes, note])


def require_comparison(board: Board) -> None:
    """Raise ScoresError unless there are 2 models and 2 tasks or more, each with a score."""
    models, tasks = board.scores.shape
    model, task, _ = board.nouns
    if models < 2 or tasks < 2:
        raise ScoresError(
            f"a leaderboard needs at least 2 {model}s and 2 {task}s; this table has "
            f"{counted(models, model)} and {counted(tasks, task)}"
        )
    kinds = ((1, board.models, model, "--systems"), (0, board.tasks, task, "--topics"))
    for axis, names, what, option in kinds:
        empty = ~np.isfinite(board.scores).any(axis=axis)
        if not empty.any():
            continue
        lacking = [names[at] for at in np.flatnonzero(empty)]
        if board.items is not None and axis:
            lack = "lacks" if len(lacking) == 1 else "lack"
            raise ScoresError(
                f"each of these {tasks} collections is taken as a {task}, and {counted(len(lacking), what)} of "
                f"{models} {lack} some scores in each ({listed(lacking, 3)}); rank by one of them alone"
            )
        first = shortened(lacking[0])
        raise ScoresError(
            f"the {what} {first} has no scores; remove it from the table, or name the others with {option}"
        )


def types_of(
    tasks: Sequence[str], groups: Mapping[str, str] | None
) -> tuple[Ints, list[str]]:
    """Return the type of each task as a number, (task,), and by name. groups : types by name of the task."""
    known_types = groups or {}
    lacking = [task for task in tasks if task not in known_types]
    if lacking:
        others = [name for name in known_types if name not in tasks]
        raise ScoresError(
            f"--types gives no type for {counted(len(lacking), 'task')}: {listed_with_slips(lacking, others)}; add a "
            f"row for each, as in {lacking[0]},TYPE"
        )
    named = [known_types[task] for task in tasks]
    known = list(dict.fromkeys(named))
    return np.array([known.index(name) for name in named]), named
