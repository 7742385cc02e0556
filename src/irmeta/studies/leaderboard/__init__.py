"""Which ranks of a leaderboard are real: models over tasks, with holes, by several aggregates side by side."""
