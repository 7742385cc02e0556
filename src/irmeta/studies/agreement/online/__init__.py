"""Which offline metric predicts the online outcome: how often users agree with each."""

from irmeta.studies.agreement.online.study import online
from irmeta.studies.agreement.online.summary import findings, overview, tables

__all__ = ["findings", "online", "overview", "tables"]
