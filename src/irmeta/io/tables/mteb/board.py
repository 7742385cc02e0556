"""A folder of MTEB's results (MODEL/REVISION/TASK.json) as a cube of models and tasks.

A task's score is the mean of its main score over the splits and subsets of the task, or of a benchmark's version of
it; a result that lacks one of them is missing, as on MTEB's leaderboard. Source: mteb, TaskResult and BenchmarkResults.
"""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path

import xarray as xr

from irmeta.errors import FileFormatError
from irmeta.io.files import list_files
from irmeta.io.places import require_reachable
from irmeta.io.tables.mteb.files import META, Models, task_result
from irmeta.io.tables.mteb.results import Results
from irmeta.io.tables.mteb.tasks import Chosen, parts_by_task
from irmeta.parallel import steps
from irmeta.scores.cube import cube
from irmeta.words import are, counted
from irmeta.words import listed as in_a_list

METRIC = "main_score"
_EXPERIMENTS = "experiments"
"""A folder within a revision: the same model with other settings, which MTEB's leaderboard leaves out."""


def import_mteb(
    folder: str | PathLike[str],
    *,
    benchmark: str | None = None,
    splits: Chosen | None = None,
    subsets: Chosen | None = None,
    collection: str | None = None,
) -> xr.DataArray:
    """Read a folder of MTEB results as a cube: systems are models, topics are tasks, the one metric is `main_score`.

    A task's score is the mean of `main_score` over the splits and subsets that mteb names for it; a result that lacks
    one is missing, as on MTEB's leaderboard. A task that irmeta's table of mteb lacks has all splits and subsets that
    its results have. Files of mteb before 1.11 are read; what cannot be read is left out, and a note lists it. A model
    is named by its model_meta.json, else by its folder (`__` stands for `/`). Where it has a task in several
    revisions, the one by the latest version of mteb counts.

    folder : the folder of results, with files MODEL/REVISION/TASK.json.
    benchmark : a benchmark of mteb, as "MTEB(eng, v2)": its tasks only, with its splits and subsets.
    splits, subsets : by task, what to average instead of what mteb does.
    collection : what to call the collection, by default as the folder.
    """
    root = require_reachable(Path(folder))
    if not root.is_dir():
        raise FileFormatError(
            f"{root}: not a folder; name the folder of MTEB's results (MODEL/REVISION/TASK.json)"
        )
    every = [
        file
        for file in list_files(root)
        if isinstance(file, Path) and file.suffix == ".json" and file.name != META
    ]
    files = [file for file in every if _EXPERIMENTS not in file.relative_to(root).parts]
    results = Results(parts_by_task(benchmark, splits, subsets), benchmark)
    models = Models(root)
    unread = list[FileFormatError]()
    for file in steps(files, "files"):
        try:
            results.add(task_result(file, *models.identify(file)))
        except FileFormatError as error:
            unread.append(error)
    if not results.seen:
        none = f"{root}: no results of MTEB in this folder (MODEL/REVISION/TASK.json)"
        raise unread[0] if unread else FileFormatError(none)
    results.require_seen({*(splits or {}), *(subsets or {})})
    scores, systems, tasks = results.table()
    notes = [
        *_unread_notes(models.unread + unread),
        *_experiment_notes(len(every) - len(files)),
        *results.notes(systems, tasks),
    ]
    return cube(
        scores[:, :, None],
        systems,
        tasks,
        [METRIC],
        collection=collection or root.resolve().name,
        provenance={"notes": notes} if notes else None,
    )


def _unread_notes(errors: Sequence[FileFormatError]) -> list[str]:
    if not errors:
        return []
    return [
        f"{counted(len(errors), 'file')} could not be read and {are(len(errors))} left out: {in_a_list(errors)}"
    ]


def _experiment_notes(files: int) -> list[str]:
    if not files:
        return []
    return [
        f"left out: {counted(files, 'file')} of experiments (a model with other settings), as on "
        "MTEB's leaderboard"
    ]
