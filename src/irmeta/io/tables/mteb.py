"""Results of MTEB, as its evaluations write them (MODEL/REVISION/TASK.json), as a cube of models and tasks."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from irmeta.errors import FileFormatError
from irmeta.io.files import listed, read_bytes
from irmeta.io.places import reachable
from irmeta.io.strictly import number, parsed
from irmeta.scores.cube import cube

METRIC = "main_score"
_META = "model_meta.json"


class TaskScore(NamedTuple):
    """One file: a model's score on a task."""

    path: Path
    model: str
    task: str
    score: float
    subsets: int


def import_mteb(
    folder: str | PathLike[str], *, split: str = "test", collection: str | None = None
) -> xr.DataArray:
    """Read a folder of MTEB results as a cube: systems are models, topics are tasks, the one metric is `main_score`.

    A task's score is the mean of `main_score` over its subsets, as in MTEB's leaderboard, on `split`, or on the only
    split that there is. A model is named by its model_meta.json, else by its folder (`__` stands for `/`). A task that
    a model has in two revisions raises FileFormatError.

    collection : what to call the collection, by default as the folder.
    folder : the folder of results, with files MODEL/REVISION/TASK.json.  split : the split to use, where a task has
    several.
    """
    root = reachable(Path(folder))
    if not root.is_dir():
        raise FileFormatError(
            f"{root}: not a folder; name the folder of MTEB's results (MODEL/REVISION/TASK.json)"
        )
    files = [
        file
        for file in listed(root)
        if isinstance(file, Path) and file.suffix == ".json" and file.name != _META
    ]
    outcomes = [_outcome(file, root, split) for file in files]
    if not outcomes:
        raise FileFormatError(
            f"{root}: no results of MTEB in this folder (MODEL/REVISION/TASK.json)"
        )
    models = list(dict.fromkeys(one.model for one in outcomes))
    tasks = list(dict.fromkeys(one.task for one in outcomes))
    row, column = (
        {name: at for at, name in enumerate(names)} for names in (models, tasks)
    )
    scores = np.full((len(models), len(tasks)), np.nan)
    seen: dict[tuple[str, str], Path] = {}
    for one in outcomes:
        if before := seen.get((one.model, one.task)):
            raise FileFormatError(
                f"{one.path}: {one.model} has results of {one.task} also in {before}; keep one "
                "revision"
            )
        seen[one.model, one.task] = one.path
        scores[row[one.model], column[one.task]] = one.score
    notes = _notes(outcomes)
    about = {"notes": notes} if notes else None
    name = collection or root.resolve().name
    return cube(
        scores[:, :, None], models, tasks, [METRIC], collection=name, provenance=about
    )


def _outcome(path: Path, root: Path, split: str) -> TaskScore:
    """Read one file of results."""
    try:
        held = parsed(read_bytes(path))
        task = held["task_name"]
        splits = held["scores"]
        if split in splits:
            chosen = splits[split]
        else:
            chosen = next(iter(splits.values()))
        scores = [
            float("nan") if one["main_score"] is None else number(one["main_score"])
            for one in chosen
        ]
    except (ValueError, KeyError, TypeError, AttributeError, StopIteration) as error:
        raise FileFormatError(
            f"{path}: not a result of MTEB (it lacks {error}); expected task_name and scores, by "
            "split, with main_score (MTEB 1.12 or later)"
        ) from error
    if split not in splits and len(splits) > 1:
        raise FileFormatError(
            f"{path}: no split {split!r}; choose one of {', '.join(splits)} with split="
        )
    return TaskScore(
        path,
        _model(path, root),
        str(task),
        fmean(scores) if scores else float("nan"),
        len(scores),
    )


def _model(path: Path, root: Path) -> str:
    """Name the model of a file of results."""
    meta = path.parent / _META
    try:
        named: Any = parsed(read_bytes(meta)) if meta.is_file() else None
    except ValueError as error:
        raise FileFormatError(f"{meta}: not JSON ({error})") from error
    if isinstance(named, Mapping) and named.get("name"):
        return str(named["name"])
    # MODEL/REVISION/TASK.json, MODEL/TASK.json, or the files of one model
    above = path.relative_to(root).parts[:-1]
    folder = root.resolve().name
    if len(above) > 1:
        folder = above[-2]
    elif above:
        folder = above[0]
    return folder.replace("__", "/")


def _notes(outcomes: Sequence[TaskScore]) -> list[str]:
    """Say which tasks were run on different numbers of subsets: their means are over different things."""
    counts: dict[str, set[int]] = defaultdict(set)
    for one in outcomes:
        counts[one.task].add(one.subsets)
    odd = [
        f"{task} ({min(found)} to {max(found)})"
        for task, found in counts.items()
        if len(found) > 1
    ]
    if odd:
        return [f"models were run on different numbers of subsets of {', '.join(odd)}"]
    return []
