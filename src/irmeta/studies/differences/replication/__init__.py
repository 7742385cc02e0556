"""Is this reproduction one: the same systems once more, on the same topics or on others, or month by month."""

from irmeta.studies.differences.replication.study import replicate
from irmeta.studies.differences.replication.summary import findings, overview, tables

__all__ = [
    "findings",
    "overview",
    "replicate",
    "tables",
]
