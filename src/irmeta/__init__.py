"""irmeta: meta-evaluation for information retrieval. Importing it is cheap; each name loads its module on first use."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from irmeta import standardization as standardization
    from irmeta.cluster import on_cluster as on_cluster
    from irmeta.cube import means as means
    from irmeta.cube import select as select
    from irmeta.cube import top_systems as top_systems
    from irmeta.datasets.reference import reference_model as reference_model
    from irmeta.datasets.simulate import simulate as simulate
    from irmeta.errors import IrmetaError as IrmetaError
    from irmeta.evaluation.archive import evaluate_to as evaluate_to
    from irmeta.evaluation.engine import evaluate as evaluate
    from irmeta.io.importers import import_matrix as import_matrix
    from irmeta.io.importers import import_systemwise as import_systemwise
    from irmeta.io.importers import import_trec_eval as import_trec_eval
    from irmeta.io.model_file import load_model as load_model
    from irmeta.io.model_file import save_model as save_model
    from irmeta.io.scores import load as load
    from irmeta.io.scores import load_all as load_all
    from irmeta.io.scores import save as save
    from irmeta.io.trec import Reading as Reading
    from irmeta.report.page.writing import write_report as write_report
    from irmeta.report.tables import tables as tables
    from irmeta.studies.accuracy import accuracy as accuracy
    from irmeta.studies.comparison import compare as compare
    from irmeta.studies.correlation import correlation as correlation
    from irmeta.studies.coverage import coverage as coverage
    from irmeta.studies.description import describe as describe
    from irmeta.studies.durability import durability as durability
    from irmeta.studies.lowcost import lowcost as lowcost
    from irmeta.studies.models import models as models
    from irmeta.studies.prediction import predict as predict
    from irmeta.studies.prediction_model import prediction_model as prediction_model
    from irmeta.studies.predictivity import predictivity as predictivity
    from irmeta.studies.predictors import predictors as predictors
    from irmeta.studies.ranking import rank_metrics as rank_metrics
    from irmeta.studies.significance import significance as significance
    from irmeta.studies.standardizing_set import standardizing_set as standardizing_set
    from irmeta.studies.validation import validate as validate

_HOME = {
    "IrmetaError": "irmeta.errors",
    "Reading": "irmeta.io.trec",
    "accuracy": "irmeta.studies.accuracy",
    "compare": "irmeta.studies.comparison",
    "correlation": "irmeta.studies.correlation",
    "coverage": "irmeta.studies.coverage",
    "describe": "irmeta.studies.description",
    "durability": "irmeta.studies.durability",
    "evaluate": "irmeta.evaluation.engine",
    "evaluate_to": "irmeta.evaluation.archive",
    "import_matrix": "irmeta.io.importers",
    "import_systemwise": "irmeta.io.importers",
    "import_trec_eval": "irmeta.io.importers",
    "load": "irmeta.io.scores",
    "load_all": "irmeta.io.scores",
    "load_model": "irmeta.io.model_file",
    "lowcost": "irmeta.studies.lowcost",
    "means": "irmeta.cube",
    "models": "irmeta.studies.models",
    "on_cluster": "irmeta.cluster",
    "predict": "irmeta.studies.prediction",
    "prediction_model": "irmeta.studies.prediction_model",
    "predictivity": "irmeta.studies.predictivity",
    "predictors": "irmeta.studies.predictors",
    "rank_metrics": "irmeta.studies.ranking",
    "reference_model": "irmeta.datasets.reference",
    "save": "irmeta.io.scores",
    "save_model": "irmeta.io.model_file",
    "select": "irmeta.cube",
    "significance": "irmeta.studies.significance",
    "simulate": "irmeta.datasets.simulate",
    "standardizing_set": "irmeta.studies.standardizing_set",
    "tables": "irmeta.report.tables",
    "top_systems": "irmeta.cube",
    "validate": "irmeta.studies.validation",
    "write_report": "irmeta.report.page.writing",
}
_MODULES = ("standardization",)
__all__ = ["__version__", *_MODULES, *sorted(_HOME)]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return import_module("importlib.metadata").version("irmeta")
    if name in _MODULES:
        return import_module(f"irmeta.{name}")
    if name not in _HOME:
        raise AttributeError(f"module 'irmeta' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return __all__
