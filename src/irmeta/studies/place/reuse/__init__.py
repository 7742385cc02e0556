"""Whether a collection is fair to a run that was not pooled: leave each group out, and learn what a new run loses."""

from irmeta.studies.place.reuse.study import reuse
from irmeta.studies.place.reuse.summary import findings, overview, tables

__all__ = ["findings", "overview", "reuse", "tables"]
