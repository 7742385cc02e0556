"""One file of MTEB's results: whose it is, and its main scores by split and subset, in the forms there have been."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from irmeta.errors import FileFormatError, IrmetaError
from irmeta.io.files import read_bytes
from irmeta.io.strictly import number, parse_json
from irmeta.io.tables.mteb.tasks import Part, mteb_tasks
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

    def identify(self, file: Path) -> tuple[str, str | None]:
        """Return model and revision of a file of results."""
        folder = file.parent
        if folder not in self._known:
            self._known[folder] = self._model(folder)
        return self._known[folder]

    def _model(self, folder: Path) -> tuple[str, str | None]:
        """Return model and revision by the metadata in a folder, else by its name; None for an unknown revision."""
        file = folder / META
        metadata: Any = None
        try:
            metadata = parse_json(read_bytes(file)) if file.is_file() else None
        except (ValueError, IrmetaError) as error:
            self.unread.append(FileFormatError(f"{file}: not JSON ({error})"))
        model, revision = self._by_folders(folder)
        if isinstance(metadata, Mapping) and metadata.get("name"):
            model = str(metadata["name"])
            revision = metadata.get("revision")
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
        document = parse_json(read_bytes(path))
        if "mteb_dataset_name" in document:
            task, scores = _scores_before_1_11(document)
        else:
            task = str(document["task_name"])
            scores = [
                (
                    (split, str(subset_scores.get("hf_subset", "default"))),
                    subset_scores["main_score"],
                )
                for split, subsets in document["scores"].items()
                for subset_scores in subsets
            ]
        return TaskResult(
            path,
            model,
            revision,
            _version(document.get("mteb_version")),
            task,
            tuple((part, _number(score)) for part, score in scores),
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        lacking = isinstance(error, KeyError)
        problem = f"it lacks {error}" if lacking else reason(error)
        raise FileFormatError(
            f"{path}: not a result of MTEB ({problem}); expected task_name and scores, by split, with "
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


def _scores_before_1_11(
    document: Mapping[str, Any],
) -> tuple[str, list[tuple[Part, object]]]:
    """Return the task, and its main scores, of a file whose splits hold scores or, by subset, dicts of scores."""
    fields = {"dataset_revision", "mteb_dataset_name", "mteb_version"}
    tasks = mteb_tasks()
    task = tasks.current(str(document["mteb_dataset_name"]))
    if task not in tasks.main:
        raise ValueError(f"MTEB {tasks.version} has no task {task!r}")
    main = tasks.main[task]
    results: list[tuple[Part, object]] = []
    for split, scores in document.items():
        if split in fields or not isinstance(scores, Mapping):
            continue
        score_names = {*_RENAMED.values(), "v_measures"}
        subsets = {
            name: subset_scores
            for name, subset_scores in scores.items()
            if isinstance(subset_scores, Mapping) and name not in score_names
        }
        results += [
            (
                (split, _current_subset(name, task, document)),
                _main_score(subset_scores, main),
            )
            for name, subset_scores in (subsets or {"default": scores}).items()
        ]
    return task, results


def _current_subset(name: str, task: str, document: Mapping[str, Any]) -> str:
    """Return the name that a subset has now."""
    french = document.get("mteb_version") in _ONLY_FRENCH
    if task.startswith("MLSUMClustering") and name == "default" and french:
        return "fr"
    if task == "XPQARetrieval" and name == "fr":
        return "fra-fra"
    return name


def _main_score(scores: Mapping[str, Any], main: str) -> object:
    """Find the main score among scores of the old names; None if it is not there."""
    word, _, rest = main.partition("_")
    nested = scores.get(_RENAMED.get(word, ""))
    inner = nested.get(rest) if isinstance(nested, Mapping) else None
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
