"""Scores that compare between collections: factors fitted and applied, and what they are worth."""

from irmeta.datasets.factors import load, save
from irmeta.scores.standardization import apply, fit

__all__ = ["apply", "fit", "load", "save"]
