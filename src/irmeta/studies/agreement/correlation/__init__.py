"""How far metrics agree: correlation between metrics over topics and systems, or over system means."""

from irmeta.studies.agreement.correlation.study import correlate
from irmeta.studies.agreement.correlation.summary import findings, overview, tables

__all__ = [
    "correlate",
    "findings",
    "overview",
    "tables",
]
