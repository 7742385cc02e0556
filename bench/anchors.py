"""How well anchors measure systems across collections: python -m bench.anchors DATA.

The 110 systems of TREC 2004 Robust ran unchanged on topics of TREC-7, TREC-8, Robust 2003 and Robust 2004. Each is left
out in turn and measured on one collection against itself on another: a claim that either stands higher is false. Two
different systems are measured the same way, whose true difference is known from all 249 topics. The anchors are systems
of other teams. The company is that of the four years, or the weaker half of the teams on the first collection and the
stronger half on the second, on the same topics or on random halves of 100 of the 249. Means over pairs of collections.
"""

import sys
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

from bench.place import spread_of, z_of
from irmeta.io.tables.matrices import import_matrix
from irmeta.stats.standardizing import across, anchored

COUNTS = (0, 1, 2, 3, 5, 10)
"""Anchors; without any, systems are compared among the systems of their collection each."""
BANDS = ((0.05, 0.1), (0.1, 0.2), (0.2, 0.4))
"""True standardized differences."""
TEAMS = [
    "apl",
    "fub",
    "hum",
    "icl",
    "juru",
    "mpi",
    "nlpr",
    "pirc",
    "poly",
    "sabir",
    "uic",
    "uog",
    "vtum",
    "wdo",
]
TOPICS = {"T7": (351, 400), "T8": (401, 450), "R03": (601, 650), "R04": (651, 700)}
YEARS = {"T7": ("trec7-adhoc", 0), "T8": ("trec8-adhoc", 0), "R03": ("robust2003", 50)}
"""Whose systems standardize, and the first of their topics; on R04 the 110 themselves do."""


class Robust(NamedTuple):
    """The 110 systems: scores (system, topic), team, true standardized means, and which are of stronger teams."""

    scores: np.ndarray
    topics: np.ndarray
    team: np.ndarray
    true: np.ndarray
    strong: np.ndarray


Side = tuple[across.Placed, across.Spread]
Draw = Callable[[], tuple[Side, Side]]


def robust(data: Path) -> Robust:
    """Read the 110 systems."""
    cube = import_matrix([data / "matrices/robust2004-249/AP.csv"], rows="systems")
    names = [str(name).lower() for name in cube.system.values]
    team = np.array([next(t for t in TEAMS if name.startswith(t)) for name in names])
    scores = cube.values[..., 0]
    true = across.place(z_of(scores, scores)).scores.mean(axis=1)
    of_team = [true[team == one].mean() for one in TEAMS]
    stronger = np.array(TEAMS)[np.argsort(of_team)[len(TEAMS) // 2 :]]
    topics = cube.topic.values.astype(int)
    return Robust(scores, topics, team, true, np.isin(team, stronger))


def side(scores: np.ndarray, standardizing: np.ndarray) -> Side:
    """Place systems by others, all (system, topic)."""
    own = z_of(standardizing, standardizing)
    teams = np.arange(len(own)).astype(str)
    return across.place(z_of(scores, standardizing)), spread_of(own, teams)


def by_years(data: Path, of: Robust, pair: tuple[str, str]) -> tuple[Side, Side]:
    """Place the systems on two years' topics by the systems of those years."""
    sides = []
    for name in pair:
        low, high = TOPICS[name]
        scores = of.scores[:, (of.topics >= low) & (of.topics <= high)]
        theirs = scores
        if name in YEARS:
            folder, start = YEARS[name]
            path = data / "matrices" / folder / "AP.csv"
            theirs = pl.read_csv(path).to_numpy().T[:, start : start + 50]
        sides.append(side(scores, theirs))
    return sides[0], sides[1]


def by_company(of: Robust, pair: tuple[np.ndarray, np.ndarray]) -> tuple[Side, Side]:
    """Place the systems by the weaker teams on some topics, and by the stronger ones on others."""
    first, second = (of.scores[:, at] for at in pair)
    return side(first, first[~of.strong]), side(second, second[of.strong])


def companies(data: Path, of: Robust) -> Iterator[tuple[str, list[tuple[Side, Side]]]]:
    """Yield pairs of collections, by their company."""
    rng = np.random.default_rng(0)
    pairs = list(combinations(TOPICS, 2))
    at = {
        name: np.flatnonzero((of.topics >= low) & (of.topics <= high))
        for name, (low, high) in TOPICS.items()
    }
    yield "of the years", [by_years(data, of, pair) for pair in pairs] * 4
    yield (
        "weaker, stronger",
        [by_company(of, (at[a], at[b])) for a, b in [*pairs, *(p[::-1] for p in pairs)]]
        * 2,
    )
    drawn = [rng.permutation(of.topics.size)[:100] for _ in range(24)]
    halves = [by_company(of, (one[:50], one[50:])) for one in drawn]
    yield "weaker, stronger, random topics", halves


def part(one: across.Placed, at: np.ndarray) -> across.Placed:
    """Return some of the systems placed."""
    return across.Placed(*(values[at] for values in one))


def measured(
    sides: tuple[Side, Side], x: int, y: int, anchors: np.ndarray
) -> tuple[float, float]:
    """Return difference and p of x on the first and y on the second collection."""
    (one, first), (other, second) = sides
    both = part(one, np.append(x, anchors)), part(other, np.append(y, anchors))
    spreads = [first, second]
    if not anchors.size:
        found = across.differences(both, spreads, np.eye(2))
        return found.value[0, 1], found.p[0, 1]
    here = np.arange(1, anchors.size + 1)
    by = anchored.differences(both, spreads, np.eye(2), [here, here])
    return by.value[0, 0], by.p[0, 0]


def rates(of: Robust, every: list[tuple[Side, Side]], count: int, seed: int) -> str:
    """Say how often claims are false for unchanged systems, and right and wrong for others, by a number of anchors."""
    rng = np.random.default_rng(seed)
    same, right, wrong = [], {b: [] for b in BANDS}, {b: [] for b in BANDS}
    for sides in every:
        for x in range(len(of.team)):
            y = int(rng.integers(len(of.team)))
            gap = of.true[x] - of.true[y]
            band = next((b for b in BANDS if b[0] <= abs(gap) < b[1]), None)
            for other in (x, y):
                free = ~np.isin(of.team, of.team[[x, other]])
                anchors = rng.choice(np.flatnonzero(free), count, replace=False)
                value, p = measured(sides, x, other, anchors)
                if other == x:
                    same.append(p < 0.05)
                elif band is not None:
                    right[band].append(p < 0.05 and value * gap > 0)
                    wrong[band].append(p < 0.05 and value * gap < 0)
    found = [f"{np.mean(same):.3f} of {len(same)}"]
    found += [f"{np.mean(right[b]):.2f}, {np.mean(wrong[b]):.3f}" for b in BANDS]
    return " | ".join(found)


def main(data: Path) -> None:
    """Print the table of the docs."""
    of = robust(data)
    bands = " | ".join(f"{low} to {high}" for low, high in BANDS)
    print(f"| company | anchors | unchanged | {bands} |")
    for company, every in companies(data, of):
        for count in COUNTS:
            print(f"| {company} | {count} | {rates(of, every, count, 1)} |", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
