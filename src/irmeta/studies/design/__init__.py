"""What the next collection should be: how many topics, judged how deep, by which metric and whom, for a budget."""

from irmeta.studies.design.study import design
from irmeta.studies.design.summary import findings, overview, tables

__all__ = ["design", "findings", "overview", "tables"]
