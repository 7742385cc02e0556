"""How well anchors measure systems across collections: python -m bench.anchors DATA.

The 110 systems of TREC 2004 Robust ran unchanged on topics of TREC-7, TREC-8, Robust 2003 and Robust 2004. Each is left
out in turn and measured on one collection against itself on another: a claim that either stands higher is false. Two
different systems are measured the same way, whose true difference is known from all 249 topics. The anchors are systems
of other teams, each of another one. The company is that of the four years, or the weaker half of the teams on the first
collection and the stronger half on the second, on the same topics or on random halves of 100 of the 249. Means over
pairs of collections, with standard errors by leaving out teams and pairs of collections. A second table has runs that
changed little between rounds 1 and 3 of TREC-COVID, each measured from the four others.
"""

import sys
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

from bench.place import spread_of, z_of
from irmeta.evaluation.engine import evaluate
from irmeta.io.tables.matrices import import_matrix
from irmeta.stats.standardizing import across, anchored
from irmeta.studies.place.study import place

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
ROUNDS = (
    ("BITEM_BL", "BITEM_BL"),
    ("CSIROmedNIR", "CSIROmedNIR"),
    ("jlbase", "jlbasernd3"),
    ("sab20.1.meta.docs", "sab20.3.metadocs_m"),
    ("uogTrDPH_QE_QQ", "uogTrDPH_QE_QQN"),
)
"""Runs of one lab and, by name, one method on rounds 1 and 3 of TREC-COVID, none of which learned from judgments."""
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


def companies(
    data: Path, of: Robust
) -> Iterator[tuple[str, int, list[tuple[Side, Side]]]]:
    """Yield pairs of collections, by their company, and how many come before they repeat."""
    rng = np.random.default_rng(0)
    pairs = list(combinations(TOPICS, 2))
    at = {
        name: np.flatnonzero((of.topics >= low) & (of.topics <= high))
        for name, (low, high) in TOPICS.items()
    }
    yield "of the years", 6, [by_years(data, of, pair) for pair in pairs] * 4
    yield (
        "weaker, stronger",
        6,
        [by_company(of, (at[a], at[b])) for a, b in [*pairs, *(p[::-1] for p in pairs)]]
        * 2,
    )
    drawn = [rng.permutation(of.topics.size)[:100] for _ in range(24)]
    halves = [by_company(of, (one[:50], one[50:])) for one in drawn]
    yield "weaker, stronger, random topics", len(halves), halves


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


def rates(
    of: Robust, distinct: int, every: list[tuple[Side, Side]], count: int, seed: int
) -> str:
    """Say how often claims are false for unchanged systems, and right and wrong for others, by a number of anchors."""
    rng = np.random.default_rng(seed)
    same = np.zeros((len(every), len(of.team)))
    right, wrong = {b: [] for b in BANDS}, {b: [] for b in BANDS}
    for at, sides in enumerate(every):
        for x in range(len(of.team)):
            y = int(rng.integers(len(of.team)))
            gap = of.true[x] - of.true[y]
            band = next((b for b in BANDS if b[0] <= abs(gap) < b[1]), None)
            for other in (x, y):
                anchors = of_teams(
                    of, np.setdiff1d(of.team, of.team[[x, other]]), count, rng
                )
                value, p = measured(sides, x, other, anchors)
                if other == x:
                    same[at, x] = p < 0.05
                elif band is not None:
                    right[band].append(p < 0.05 and value * gap > 0)
                    wrong[band].append(p < 0.05 and value * gap < 0)
    pair = np.arange(len(every)) % distinct
    error = np.sqrt(left_out(same, pair) + left_out(same.T, of.team))
    found = [f"{100 * same.mean():.1f}% ({100 * error:.1f})"]
    found += [f"{np.mean(right[b]):.2f}, {np.mean(wrong[b]):.3f}" for b in BANDS]
    return " | ".join(found)


def of_teams(
    of: Robust, teams: np.ndarray, count: int, rng: np.random.Generator
) -> np.ndarray:
    """Draw systems, each of another one of these teams."""
    drawn = rng.choice(teams, count, replace=False)
    each = [rng.choice(np.flatnonzero(of.team == one)) for one in drawn]
    return np.array(each, dtype=int)


def left_out(values: np.ndarray, of: np.ndarray) -> float:
    """Return the variance of the mean of values (unit, ...) by leaving out one group of units after another."""
    means = np.array([values[of != one].mean() for one in np.unique(of)])
    return (len(means) - 1) * float(means.var())


def rounds(data: Path) -> None:
    """Print runs that changed little between two rounds: in their companies, and each from the four others."""
    folders = {f"trec-covid-{n}": data / "trec-covid" / f"round{n}" for n in (1, 3)}
    scores = {
        name: evaluate(folder / "qrels.txt", [folder / "runs"], ["nDCG@10", "AP"])
        for name, folder in folders.items()
    }
    print("| metric | run | in its company | from four anchors |")
    for metric in ("nDCG@10", "AP"):
        used = {
            name: cube.sel(system=[pair[at] for pair in ROUNDS], metric=[metric])
            for at, (name, cube) in enumerate(scores.items())
        }
        for run in ROUNDS:
            anchors = ["=".join(pair) for pair in ROUNDS if pair != run]
            found = place(used, on=list(used), anchor=anchors)
            said = [
                moved(found.tables[table], run, figure)
                for table, figure in (("pairs", "difference"), ("anchored", "anchored"))
            ]
            print(f"| {metric} | {run[0]} | {' | '.join(said)} |", flush=True)
        found = place(used, on=list(used), anchor=["=".join(pair) for pair in ROUNDS])
        print(f"drift of all five: {found.tables['drift'].row(0, named=True)}")


def moved(table: pl.DataFrame, run: tuple[str, str], figure: str) -> str:
    """Write how much lower a run stands on the second round, with its interval and p."""
    of = (pl.col("system_a") == run[0]) & (pl.col("system_b") == run[1])
    row = table.row(by_predicate=of, named=True)
    low, high = (row[f"{figure}_{end}"] for end in ("low", "high"))
    p = row["p" if figure == "difference" else f"{figure}_p"]
    return f"{row[figure]:+.3f} ({low:+.2f} to {high:+.2f}), p = {p:.2g}"


def main(data: Path) -> None:
    """Print the tables of the docs."""
    of = robust(data)
    bands = " | ".join(f"{low} to {high}" for low, high in BANDS)
    print(f"| company | anchors | unchanged | {bands} |")
    for company, distinct, every in companies(data, of):
        for count in COUNTS:
            found = rates(of, distinct, every, count, 1)
            print(f"| {company} | {count} | {found} |", flush=True)
    rounds(data)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
