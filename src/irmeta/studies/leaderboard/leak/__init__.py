"""How many hidden judgments the rules of a board give away, by attacks on it and by a bound."""

from irmeta.studies.leaderboard.leak.study import leak
from irmeta.studies.leaderboard.leak.summary import findings, overview, tables

__all__ = ["findings", "leak", "overview", "tables"]
