"""Where systems stand among everybody's, on one collection or on several: by standardized scores."""

from irmeta.studies.place.study import place
from irmeta.studies.place.summary import findings, overview, tables, warnings

__all__ = ["findings", "overview", "place", "tables", "warnings"]
