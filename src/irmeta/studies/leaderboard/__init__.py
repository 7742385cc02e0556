"""Which ranks of a leaderboard are real: models over tasks, with holes, by several aggregates side by side."""

from irmeta.studies.leaderboard.study import leaderboard
from irmeta.studies.leaderboard.summary import (
    column,
    findings,
    label,
    nouns,
    order,
    overview,
    tables,
    varied,
)

__all__ = [
    "column",
    "findings",
    "label",
    "leaderboard",
    "nouns",
    "order",
    "overview",
    "tables",
    "varied",
]
