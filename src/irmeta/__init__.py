"""irmeta: meta-evaluation for information retrieval. Importing it is cheap; each name loads its module on first use."""

from importlib import import_module
from typing import Any

from irmeta.studies import STUDIES

_HOME = {
    study.function: f"irmeta.studies.{study.home}"
    for study in STUDIES.values()
    if study.function
} | {
    "IrmetaError": "irmeta.errors",
    "JudgmentSets": "irmeta.evaluation.sets",
    "Reading": "irmeta.io.runs.trec",
    "Result": "irmeta.studies.result",
    "about": "irmeta.scores.attributes",
    "evaluate": "irmeta.evaluation.engine",
    "evaluate_under": "irmeta.evaluation.sets",
    "evaluate_run": "irmeta.evaluation.engine",
    "evaluate_to": "irmeta.evaluation.archive",
    "export_eee": "irmeta.report.eee",
    "from_frame": "irmeta.scores.cube",
    "from_frame_all": "irmeta.scores.cube",
    "import_deepeval": "irmeta.io.items.deepeval",
    "import_eee": "irmeta.io.items.eee",
    "import_helm": "irmeta.io.items.helm",
    "import_inspect": "irmeta.io.items.inspect",
    "import_ir_measures": "irmeta.io.tables.lines",
    "import_jsonl": "irmeta.io.tables.lines",
    "import_lm_eval": "irmeta.io.items.lm_eval",
    "import_labels": "irmeta.io.items.labels",
    "import_matrix": "irmeta.io.tables.matrices",
    "import_mteb": "irmeta.io.tables.mteb",
    "import_nuggets": "irmeta.io.items.nuggets",
    "import_promptfoo": "irmeta.io.items.promptfoo",
    "import_support": "irmeta.io.items.support",
    "import_systemwise": "irmeta.io.tables.matrices",
    "import_table": "irmeta.io.tables.spreadsheet",
    "import_tot": "irmeta.io.tables.lines",
    "import_trec_eval": "irmeta.io.tables.matrices",
    "intervals": "irmeta.scores.intervals",
    "load": "irmeta.io.scores",
    "load_all": "irmeta.io.scores",
    "load_model": "irmeta.io.model_file",
    "means": "irmeta.scores.means",
    "on_cluster": "irmeta.workers",
    "prediction_model": "irmeta.studies.prediction.prediction_model",
    "read_clusters": "irmeta.io.groups",
    "read_groups": "irmeta.io.groups",
    "reference_model": "irmeta.datasets.reference",
    "save": "irmeta.io.scores",
    "save_model": "irmeta.io.model_file",
    "select": "irmeta.scores.selection",
    "JudgeModel": "irmeta.datasets.judges",
    "simulate": "irmeta.datasets.simulate",
    "simulate_judge": "irmeta.datasets.judges",
    "to_pandas": "irmeta.report.tables",
    "top_systems": "irmeta.scores.selection",
    "watched_by": "irmeta.parallel",
    "with_clusters": "irmeta.scores.clusters",
    "wide": "irmeta.io.tables.spreadsheet",
    "write_leaderboard": "irmeta.report.page.leaderboard",
    "write_report": "irmeta.report.page.writing",
}
"""The module of each public name; the functions of studies come from the registry. Types stand in __init__.pyi."""
_MODULES = {"standardize": "irmeta.studies.standardizing"}
"""Public modules: their public names and where they live."""
__all__ = ["__version__", *_MODULES, *sorted(_HOME)]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return import_module("importlib.metadata").version("irmeta")
    if name in _MODULES:
        return import_module(_MODULES[name])
    if name not in _HOME:
        see = [
            f"irmeta.{study.function}"
            for study in STUDIES.values()
            if study.function and name in study.verb.split()
        ]
        other = f"; see {', '.join(see)}" if see else ""
        raise AttributeError(f"module 'irmeta' has no attribute {name!r}{other}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return __all__
