"""Is the collection big enough: how reliable the ranking of systems is, which differences show, how many topics do."""

from irmeta.studies.design.reliability.study import TOPICS, reliability
from irmeta.studies.design.reliability.summary import findings, overview, tables

__all__ = [
    "TOPICS",
    "findings",
    "overview",
    "reliability",
    "tables",
]
