"""irmeta: meta-evaluation for information retrieval. Importing it is cheap; each name loads its module on first use."""

import sys
from functools import cache
from importlib import import_module
from types import FunctionType, ModuleType
from typing import Any

from irmeta.errors import extras
from irmeta.studies import STUDIES

_PUBLIC = {
    study.public: f"irmeta.studies.{study.home}.{study.function}"
    for study in STUDIES.values()
    if study.function
} | {
    "IrmetaError": "irmeta.errors.IrmetaError",
    "JudgmentSets": "irmeta.evaluation.sets.JudgmentSets",
    "Reading": "irmeta.io.runs.trec.Reading",
    "Result": "irmeta.studies.result.Result",
    "about": "irmeta.scores.attributes.about",
    "best_of": "irmeta.scores.averages.best.best_of",
    "commitment": "irmeta.evaluation.commitment.commitment",
    "evaluate": "irmeta.evaluation.engine.evaluate",
    "evaluate_under": "irmeta.evaluation.sets.evaluate_under",
    "evaluate_run": "irmeta.evaluation.engine.evaluate_run",
    "evaluate_to": "irmeta.evaluation.archive.writing.evaluate_to",
    "export_eee": "irmeta.studies.differences.eee.export_eee",
    "from_frame": "irmeta.scores.cube.from_frame",
    "from_frame_all": "irmeta.scores.cube.from_frame_all",
    "import_deepeval": "irmeta.io.items.deepeval.import_deepeval",
    "import_eee": "irmeta.io.items.eee.import_eee",
    "import_helm": "irmeta.io.items.helm.import_helm",
    "import_inspect": "irmeta.io.items.inspect.import_inspect",
    "import_ir_measures": "irmeta.io.tables.lines.import_ir_measures",
    "import_jsonl": "irmeta.io.tables.lines.import_jsonl",
    "import_lm_eval": "irmeta.io.items.lm_eval.import_lm_eval",
    "import_labels": "irmeta.io.items.labels.import_labels",
    "import_matrix": "irmeta.io.tables.matrices.import_matrix",
    "import_mteb": "irmeta.io.tables.mteb.import_mteb",
    "import_nuggets": "irmeta.io.items.nuggets.import_nuggets",
    "import_promptfoo": "irmeta.io.items.promptfoo.import_promptfoo",
    "import_support": "irmeta.io.items.support.import_support",
    "import_systemwise": "irmeta.io.tables.matrices.import_systemwise",
    "import_table": "irmeta.io.tables.spreadsheet.import_table",
    "import_tot": "irmeta.io.tables.lines.import_tot",
    "import_trec_eval": "irmeta.io.tables.matrices.import_trec_eval",
    "intervals": "irmeta.scores.averages.intervals.intervals",
    "load": "irmeta.io.formats.scores.load",
    "load_all": "irmeta.io.formats.scores.load_all",
    "load_model": "irmeta.io.formats.model_file.load_model",
    "means": "irmeta.scores.averages.means.means",
    "on_cluster": "irmeta.workers.on_cluster",
    "read_clusters": "irmeta.io.groups.read_clusters",
    "read_groups": "irmeta.io.groups.read_groups",
    "read_repeats": "irmeta.io.groups.read_repeats",
    "reference_model": "irmeta.datasets.reference.reference_model",
    "release": "irmeta.stats.hidden.release.release",
    "save": "irmeta.io.formats.scores.save",
    "save_model": "irmeta.io.formats.model_file.save_model",
    "select": "irmeta.scores.selection.select",
    "JudgeModel": "irmeta.datasets.judges.JudgeModel",
    "simulate": "irmeta.datasets.simulate.simulate",
    "simulate_judge": "irmeta.datasets.judges.simulate_judge",
    "standing": "irmeta.studies.place.standing.standing",
    "to_pandas": "irmeta.report.tables.to_pandas",
    "top_systems": "irmeta.scores.selection.top_systems",
    "watched_by": "irmeta.parallel.watched_by",
    "with_clusters": "irmeta.scores.groups.clusters.with_clusters",
    "with_judges": "irmeta.scores.groups.repeats.with_judges",
    "with_repeats": "irmeta.scores.groups.repeats.with_repeats",
    "wide": "irmeta.io.tables.spreadsheet.wide",
    "write_leaderboard": "irmeta.report.page.leaderboard.write_leaderboard",
    "write_report": "irmeta.report.page.writing.write_report",
    "judges.estimated_scores": "irmeta.studies.judges.estimate.estimated_scores",
    "predict.fit": "irmeta.studies.prediction.prediction_model.prediction_model",
    "standardize.apply": "irmeta.scores.standardization.apply",
    "standardize.fit": "irmeta.scores.standardization.fit",
    "standardize.load": "irmeta.datasets.factors.load",
    "standardize.save": "irmeta.datasets.factors.save",
}
"""Where each public name lives, those of a group with its name; of studies by the registry. Types stand in *.pyi."""


class _Group(ModuleType):
    """A public module, as irmeta.judges: the words behind that of the command are its functions."""

    def __init__(self, name: str) -> None:
        named = [
            one.removeprefix(f"{name}.")
            for one in _PUBLIC
            if one.startswith(f"{name}.")
        ]
        super().__init__(f"irmeta.{name}", f"irmeta {name}: {', '.join(named)}.")
        self.__all__ = named

    def __getattr__(self, name: str) -> Any:
        if name not in self.__all__:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        return _found(f"{self.__name__.removeprefix('irmeta.')}.{name}")

    def __dir__(self) -> list[str]:
        return self.__all__


_GROUPS = {
    name: _Group(name)
    for name in sorted({one.partition(".")[0] for one in _PUBLIC if "." in one})
}
"""The public modules; they can be imported, too."""
sys.modules |= {group.__name__: group for group in _GROUPS.values()}
__all__ = ["__version__", *_GROUPS, *sorted(one for one in _PUBLIC if "." not in one)]


@cache
def _found(public: str) -> Any:
    """Return what a public name stands for; a function that is no study gets the door that studies have."""
    module, _, name = _PUBLIC[public].rpartition(".")
    with extras():
        found = getattr(import_module(module), name)
    if isinstance(found, FunctionType) and not hasattr(found, "door"):
        return import_module("irmeta.studies.door").public(public, found)
    return found


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return import_module("importlib.metadata").version("irmeta")
    if name in _GROUPS:
        return _GROUPS[name]
    if name not in _PUBLIC:
        see = [
            f"irmeta.{public}"
            for public, home in _PUBLIC.items()
            if name in (public.rpartition(".")[2], home.rpartition(".")[2])
        ]
        other = f"; see {', '.join(see)}" if see else ""
        raise AttributeError(f"module 'irmeta' has no attribute {name!r}{other}")
    return _found(name)


def __dir__() -> list[str]:
    return __all__
