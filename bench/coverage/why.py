"""Decisions that say why intervals of a promise are shorter than promised in some worlds, or wider than they need."""

import re
from collections.abc import Mapping
from pathlib import Path

DECISIONS = Path(__file__).parents[2] / "docs" / "decisions"
WHY: Mapping[int, str] = {
    10: "gain in phi.*|advantage of a metric.*|phi of halves",
    30: "predicted score",
    95: "tau, (good|bad) judge.*|tau of (two collections|a judge, means of runs)|difference of tau.*",
    110: "(E rho2|Phi)(, .*)?",
    131: "difference by several judges|(difference|rank sets) of .*means of runs.*",
    152: "(r|rho|tau) over (means|scores).*|r of true means",
    154: "tau with the true ranking.*",
    155: "soft pairwise accuracy.*",
    166: "(mean|difference) by few human topics.*|planned width.*",
    172: "percentile.*",
    183: ".* (of|in) a reproduction",
    195: "agreement of users with a metric|lead of a metric in agreement",
    204: "an unchanged system by anchors",
    231: "change without .* topics",
    263: "interval of a mean.*",
    259: "a difference (by itself|of scores).*",
    258: "(kappas|alphas|leniency) of labels.*",
}
"""Patterns of the whole names of promises, by the number of the decision."""

NEEDLESS: Mapping[str, str] = {
    "rank sets, ranks by false discovery rate, the front": "sets have no one width around an estimate",
    "E rho2, Phi": "the promise is for other systems, too, and needs more than those at hand, of which these rows are; "
    "rows of *other systems*, of teams and of clusters draw systems, and have it",
    "tau of a design": "so is this promise, of which no rows draw systems",
    "effect ratio, delta relative improvement": "an interval of a ratio may have no end, and "
    "one of few topics that differ may be missing",
    "ways behind the best of a design": "a claim of *at least* has one end",
    "lead by several judges and by those left out": "two intervals are held against each other, not against a truth",
}
"""Promises of which no width is needed that a measured one can be compared with, and why."""


def why(of: str) -> str:
    """Link the decision about a promise; nothing where there is none."""
    for number, promises in WHY.items():
        if re.fullmatch(promises, of):
            (file,) = DECISIONS.glob(f"{number:04}-*.md")
            return f"[decision {number}](decisions/{file.name})"
    return ""
