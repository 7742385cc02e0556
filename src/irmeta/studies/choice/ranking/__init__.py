"""Which few metrics to report: those that say most and repeat each other least, or that predict the others best."""

from irmeta.studies.choice.ranking.study import is_reported, rank
from irmeta.studies.choice.ranking.summary import (
    TRUST,
    findings,
    overview,
    tables,
    warnings,
)

__all__ = [
    "TRUST",
    "findings",
    "is_reported",
    "overview",
    "rank",
    "tables",
    "warnings",
]
