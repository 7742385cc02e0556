"""Whether the same systems score alike on several collections: dRMSE and false positives, beside what chance gives."""

from irmeta.studies.standardizing.comparison.study import compare
from irmeta.studies.standardizing.comparison.summary import findings, overview, tables

__all__ = [
    "compare",
    "findings",
    "overview",
    "tables",
]
