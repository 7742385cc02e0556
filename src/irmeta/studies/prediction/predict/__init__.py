"""What would a metric that nobody reported have been? Predict it from those that were, with an interval."""

from irmeta.studies.prediction.predict.cells import OUTSIDE
from irmeta.studies.prediction.predict.study import predict
from irmeta.studies.prediction.predict.summary import (
    findings,
    in_csv,
    overview,
    tables,
    warnings,
)
from irmeta.studies.prediction.predict.typed import given

__all__ = [
    "OUTSIDE",
    "findings",
    "given",
    "in_csv",
    "overview",
    "predict",
    "tables",
    "warnings",
]
