"""Whether a collection is fair to a run that was not pooled: leave each group out, and learn what a new run loses."""

from irmeta.studies.reuse.study import reuse
from irmeta.studies.reuse.summary import findings, overview, tables

__all__ = ["findings", "overview", "reuse", "tables"]
