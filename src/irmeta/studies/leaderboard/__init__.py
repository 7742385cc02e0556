"""Which ranks of a leaderboard are real: models over tasks, with holes, by several aggregates side by side."""

from irmeta.studies.leaderboard.study import leaderboard
from irmeta.studies.leaderboard.telling import (
    called,
    findings,
    label,
    order,
    overview,
    tables,
    varied,
)

__all__ = [
    "called",
    "findings",
    "label",
    "leaderboard",
    "order",
    "overview",
    "tables",
    "varied",
]
