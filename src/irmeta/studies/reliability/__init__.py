"""Is the collection big enough: how reliable the ranking of systems is, which differences show, how many topics do."""

from irmeta.studies.reliability.study import TOPICS, reliability
from irmeta.studies.reliability.summary import findings, overview, tables

__all__ = [
    "TOPICS",
    "findings",
    "overview",
    "reliability",
    "tables",
]
