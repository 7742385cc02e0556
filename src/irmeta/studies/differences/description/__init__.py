"""What a cube holds: means with intervals, the ranks that systems may have, how topics differ."""

from irmeta.studies.differences.description.study import describe
from irmeta.studies.differences.description.summary import (
    PERCENTILES,
    findings,
    overview,
    tables,
)

__all__ = [
    "PERCENTILES",
    "describe",
    "findings",
    "overview",
    "tables",
]
