"""Is this system better than others, by how much, and on which topics: one system against those asked for."""

from irmeta.studies.differences.versus.study import versus
from irmeta.studies.differences.versus.summary import findings, overview, tables

__all__ = [
    "findings",
    "overview",
    "tables",
    "versus",
]
