"""Which systems differ significantly, pair by pair, and how many pairs a metric can distinguish."""

from irmeta.studies.differences.significance.study import significance
from irmeta.studies.differences.significance.summary import (
    findings,
    letters_of_best,
    overview,
    tables,
)

__all__ = [
    "findings",
    "letters_of_best",
    "overview",
    "significance",
    "tables",
]
