"""Is this reproduction one: the same systems once more, on the same topics or on others, or month by month."""

from irmeta.studies.replication.study import replicate
from irmeta.studies.replication.summary import findings, overview, tables

__all__ = [
    "findings",
    "overview",
    "replicate",
    "tables",
]
