"""What would a metric that nobody reported have been? Predict it from those that were, with an interval."""

from irmeta.studies.prediction.cells import OUTSIDE
from irmeta.studies.prediction.study import predict
from irmeta.studies.prediction.summary import findings, overview, tables, warnings
from irmeta.studies.prediction.typed import given

__all__ = [
    "OUTSIDE",
    "findings",
    "given",
    "overview",
    "predict",
    "tables",
    "warnings",
]
