"""Whether other judgments rank systems as the true ones do: agreement, what they miss and invent, whom they favour."""

from irmeta.studies.judges.compare.study import compare_judges
from irmeta.studies.judges.compare.summary import findings, overview, tables

__all__ = ["compare_judges", "findings", "overview", "tables"]
