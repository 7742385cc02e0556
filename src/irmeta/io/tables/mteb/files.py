"""One file of MTEB's results: whose it is, and its main scores by split and subset, in the forms there have been."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from irmeta.errors import FileFormatError, IrmetaError
from irmeta.io.files import read_bytes
from irmeta.io.strictly import number, parsed
from irmeta.io.tables.mteb.tasks import Part, known
from irmeta.words import reason

META = "model_meta.json"


@dataclass(frozen=True)
class TaskResult:
    """One file: a model's main scores on a task, by split and subset; NaN where the file has null.

    revision : None if it is not known.  version : of mteb, larger for later ones; None if unknown.
    """

    path: Path
    model: str
    revision: str | None
    version: tuple[int, ...] | None
    task: str
    scores: tuple[tuple[Part, float], ...]


class Models:
    """Who the models of a folder of results are, by the folders of their revisions; notes files that cannot be read."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.unread: list[FileFormatError] = []
        self._known: dict[Path, tuple[str, str | None]] = {}

    def of(self, file: Path) -> tuple[str, str | None]:
        """Return model and revision of a file of results."""
        folder = file.parent
        if folder not in self._known:
            self._known[folder] = self._model(folder)
        return self._known[folder]

    def _model(self, folder: Path) -> tuple[str, str | None]:
        meta = folder / META
        held: Any = None
        try:
            held = parsed(read_bytes(meta)) if meta.is_file() else None
        except (ValueError, IrmetaError) as error:
            self.unread.append(FileFormatError(f"{meta}: not JSON ({error})"))
        model, revision = self._by_folders(folder)
        if isinstance(held, Mapping) and held.get("name"):
            model = str(held["name"])
            revision = held.get("revision")
        if revision in ("no_revision_available", "external"):
            revision = None
        return model.replace("__", "/"), revision

    def _by_folders(self, folder: Path) -> tuple[str, str | None]:
        """Name model and revision by MODEL/REVISION, or by MODEL; either may be the folder of the results itself."""
        above = [self.root.resolve().name, *folder.relative_to(self.root).parts]
        if len(above) > 2 or (len(above) == 2 and "__" in above[0]):
            return above[-2], above[-1]
        return above[-1], None


def task_result(path: Path, model: str, revision: str | None) -> TaskResult:
    """Read one file of results, of this form or of that before mteb 1.11."""
    try:
        held = parsed(read_bytes(path))
        if "mteb_dataset_name" in held:
            task, scores = _before_1_11(held)
        else:
            task = str(held["task_name"])
            scores = [
                ((split, str(one.get("hf_subset", "default"))), one["main_score"])
                for split, subsets in held["scores"].items()
                for one in subsets
            ]
        return TaskResult(
            path,
            model,
            revision,
            _version(held.get("mteb_version")),
            task,
            tuple((part, _number(score)) for part, score in scores),
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        lacking = isinstance(error, KeyError)
        why = f"it lacks {error}" if lacking else reason(error)
        raise FileFormatError(
            f"{path}: not a result of MTEB ({why}); expected task_name and scores, by split, with "
            "main_score"
        ) from error


def _number(score: object) -> float:
    return float("nan") if score is None else number(score)


_RENAMED = {
    "cosine": "cos_sim",
    "manhattan": "manhattan",
    "euclidean": "euclidean",
    "dot": "dot",
    "max": "max",
    "similarity": "similarity",
}
"""What the first word of a score's name was before mteb 1.11, as in {"cos_sim": {"spearman": 0.8}}."""
_ONLY_FRENCH = ("1.1.2.dev0", "1.1.3.dev0")
"""Versions in which the one subset of MLSUMClustering was French."""


def _before_1_11(held: Mapping[str, Any]) -> tuple[str, list[tuple[Part, object]]]:
    """Return the task, and its main scores, of a file whose splits hold scores or, by subset, dicts of scores."""
    about = {"dataset_revision", "mteb_dataset_name", "mteb_version"}
    tasks = known()
    task = tasks.current(str(held["mteb_dataset_name"]))
    if task not in tasks.main:
        raise ValueError(f"MTEB {tasks.version} has no task {task!r}")
    main = tasks.main[task]
    found: list[tuple[Part, object]] = []
    for split, scores in held.items():
        if split in about or not isinstance(scores, Mapping):
            continue
        plain = {*_RENAMED.values(), "v_measures"}
        subsets = {
            name: one
            for name, one in scores.items()
            if isinstance(one, Mapping) and name not in plain
        }
        found += [
            ((split, _subset(name, task, held)), _main(one, main))
            for name, one in (subsets or {"default": scores}).items()
        ]
    return task, found


def _subset(name: str, task: str, held: Mapping[str, Any]) -> str:
    """Return the name that a subset has now."""
    french = held.get("mteb_version") in _ONLY_FRENCH
    if task.startswith("MLSUMClustering") and name == "default" and french:
        return "fr"
    if task == "XPQARetrieval" and name == "fr":
        return "fra-fra"
    return name


def _main(scores: Mapping[str, Any], main: str) -> object:
    """Find the main score among scores of the old names; None if it is not there."""
    word, _, rest = main.partition("_")
    within = scores.get(_RENAMED.get(word, ""))
    inner = within.get(rest) if isinstance(within, Mapping) else None
    return scores.get("main_score", scores.get(main, inner))


def _version(text: object) -> tuple[int, ...] | None:
    """Return a version of mteb so that later ones are larger, None for what is not one.

    >>> _version("1.12.0") > _version("1.12.0.dev3") > _version("1.7.1"), _version("2.1.0-2.2.0")
    (True, None)
    """
    found = re.fullmatch(r"(\d+)\.(\d+)(?:\.(\d+))?(?:\.?(dev|a|b|rc)\d+)?", str(text))
    if not found:
        return None
    *release, early = found.groups()
    return (*(int(part or 0) for part in release), int(early is None))
