"""irmeta: meta-evaluation for information retrieval. Importing it is cheap; each name loads its module on first use."""

from importlib import import_module
from typing import Any

from irmeta.studies import STUDIES

_HOME = {
    study.function: f"irmeta.studies.{name}"
    for name, study in STUDIES.items()
    if study.function
} | {
    "IrmetaError": "irmeta.errors",
    "JudgmentSets": "irmeta.evaluation.sets",
    "Reading": "irmeta.io.trec",
    "about": "irmeta.attributes",
    "evaluate": "irmeta.evaluation.engine",
    "evaluate_under": "irmeta.evaluation.sets",
    "evaluate_run": "irmeta.evaluation.engine",
    "evaluate_to": "irmeta.evaluation.archive",
    "from_frame": "irmeta.cube",
    "from_frame_all": "irmeta.cube",
    "import_ir_measures": "irmeta.io.lines",
    "import_jsonl": "irmeta.io.lines",
    "import_matrix": "irmeta.io.importers",
    "import_mteb": "irmeta.io.mteb",
    "import_systemwise": "irmeta.io.importers",
    "import_table": "irmeta.io.tables",
    "import_tot": "irmeta.io.lines",
    "import_trec_eval": "irmeta.io.importers",
    "load": "irmeta.io.scores",
    "load_all": "irmeta.io.scores",
    "load_model": "irmeta.io.model_file",
    "means": "irmeta.cube",
    "on_cluster": "irmeta.cluster",
    "prediction_model": "irmeta.studies.prediction_model",
    "read_groups": "irmeta.io.groups",
    "reference_model": "irmeta.datasets.reference",
    "save": "irmeta.io.scores",
    "save_model": "irmeta.io.model_file",
    "select": "irmeta.cube",
    "JudgeModel": "irmeta.datasets.judges",
    "simulate": "irmeta.datasets.simulate",
    "simulate_judge": "irmeta.datasets.judges",
    "tables": "irmeta.report.tables",
    "to_pandas": "irmeta.report.tables",
    "top_systems": "irmeta.cube",
    "watched_by": "irmeta.parallel",
    "wide": "irmeta.io.tables",
    "write_leaderboard": "irmeta.report.page.leaderboard",
    "write_report": "irmeta.report.page.writing",
}
"""The module of each public name; the functions of studies come from the registry. Types stand in __init__.pyi."""
_MODULES = ("standardization",)
__all__ = ["__version__", *_MODULES, *sorted(_HOME)]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return import_module("importlib.metadata").version("irmeta")
    if name in _MODULES:
        return import_module(f"irmeta.{name}")
    if name not in _HOME:
        verbs = {one.verb.rpartition(" ")[2]: one.function for one in STUDIES.values()}
        other = f"; the function is irmeta.{verbs[name]}" if verbs.get(name) else ""
        raise AttributeError(f"module 'irmeta' has no attribute {name!r}{other}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return __all__
