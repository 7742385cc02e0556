"""Which metrics predict results on new topics: predictive power from random halves of the topics."""

from irmeta.studies.agreement.predictivity.study import (
    best_predictor,
    predictivity,
    stands_for,
)
from irmeta.studies.agreement.predictivity.summary import (
    findings,
    overview,
    rivals_of_best,
    tables,
)

__all__ = [
    "best_predictor",
    "findings",
    "overview",
    "predictivity",
    "rivals_of_best",
    "stands_for",
    "tables",
]
