"""How far metrics agree: correlation between metrics over topics and systems, or over system means."""

from irmeta.studies.agreement.correlation.study import correlation
from irmeta.studies.agreement.correlation.summary import (
    each,
    findings,
    overview,
    tables,
)

__all__ = [
    "correlation",
    "each",
    "findings",
    "overview",
    "tables",
]
