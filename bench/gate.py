"""False alarms of a gate over 200 nights, and what it finds, beside a fixed floor and another package's sequence.

python -m bench.gate --write          measure, and write the tables of docs/tasks/gate.md
python -m bench.gate --worlds 100     fewer worlds, printed

A world has a baseline, topics, and a build each night, which is the baseline's equal but for a loss. Builds share the
topics' difficulty with the baseline, and nearly all that is their own with the build of the night before.
"""

import argparse
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from functools import cache, partial
from itertools import product
from multiprocessing.pool import Pool
from pathlib import Path

import numpy as np
from scipy import stats
from scipy.optimize import brentq
from scipy.special import ndtr

from irmeta.stats.tests import nights

PAGE = Path("docs/tasks/gate.md")
BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"
ALPHA, MARGIN = 0.05, 0.02
NIGHTS = 200
SIZES = (20, 200)
DRAWS = 8192
"""Half of the gate's own, which makes it a little more careful, and is twice as fast."""
KINDS = ("0/1", "graded", "rare gains", "rare losses")
"""Scores: right or wrong; spread over 0 to 1; few high ones, of the build or of the baseline."""
KEPT = 0.95
"""How what is a build's own on a topic correlates with the build of the night before."""
SHARED = 0.7
"""How luck correlates with the topic's difficulty."""
MEANS = {"0/1": 0.6, "graded": 0.4, "rare gains": 0.25, "rare losses": 0.25}
TAILS = {"rare gains": (3.0, 0.8), "rare losses": (0.8, 3.0)}
"""Pareto tails of the baseline and of the builds: the lower, the rarer and higher are high scores."""
LOSSES = {20: (0.1, 0.2), 200: (0.04, 0.08)}
"""Losses that begin on a night."""
BEGINS, WITHIN = 30, 10
"""The night before which nothing is lost, and how many nights there are then to find it."""

WAYS = ("irmeta", "sequence", "floor")
HEADS = {
    "irmeta": "irmeta",
    "sequence": "a sequence",
    "floor": "a floor",
    "safe": "irmeta, safe",
}

SHARES = (*WAYS, "safe", "wrong", "found")

Found = Mapping[str, float]


@cache
def quantiles(kind: str, mean: float, build: bool) -> np.ndarray:
    """Return scores of this mean at 4001 ranks of luck."""
    luck = (np.arange(4001) + 0.5) / 4001
    if kind == "graded":
        return stats.beta.ppf(luck, 3 * mean, 3 * (1 - mean))
    tail = TAILS[kind][build]
    high = (1 - luck) ** (-1 / tail) - 1
    scale = brentq(lambda s: np.minimum(1, s * high).mean() - mean, 1e-9, 1e3)
    return np.minimum(1, scale * high)


def scores(kind: str, mean: float, luck: np.ndarray, *, build: bool) -> np.ndarray:
    """Return scores of a true mean from luck, standard normal."""
    share = ndtr(luck)
    if kind == "0/1":
        return (share > 1 - mean).astype(np.float64)
    table = quantiles(kind, round(mean, 6), build)
    return table[np.minimum((share * table.size).astype(int), table.size - 1)]


def differences(
    kind: str, topics: int, losses: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Draw the differences (night, topic) of builds that lose this much of the mean each night."""
    difficulty = SHARED * rng.normal(size=topics)
    own = np.sqrt(1 - SHARED**2)
    mean = MEANS[kind]
    baseline = difficulty + own * rng.normal(size=topics)
    base = scores(kind, mean, baseline, build=False)
    luck = rng.normal(size=topics)
    found = np.empty((losses.size, topics))
    for night, loss in enumerate(losses):
        new = np.sqrt(1 - KEPT**2) * rng.normal(size=topics)
        luck = KEPT * luck + new if night else luck
        found[night] = scores(kind, mean - loss, difficulty + own * luck, build=True)
    return found - base


@cache
def unseen(topics: int, draws: int) -> nights.Looks:
    """Return a gate that has seen nothing; as in irmeta the draws are always the same."""
    return nights.Looks(topics, ALPHA, np.random.default_rng(0), draws)


def limits(found: np.ndarray) -> np.ndarray:
    """Return the gate's limit of each night."""
    looks = deepcopy(unseen(found.shape[1], DRAWS))
    return np.array(looks.limits([one[None] + MARGIN for one in found]))


def half_width(topics: int) -> float:
    """Return half the width, in standard errors, of the sequence of evalsig 0.1.2 after so many items (rho = 1)."""
    seen = topics + 1
    return float(np.sqrt(2 * seen * np.log(np.sqrt(seen) / ALPHA) / topics))


def fails(found: np.ndarray) -> Mapping[str, np.ndarray]:
    """Return on which nights each way fails a build, and on which ours calls it safe."""
    one = np.ones(len(found))
    bounds = nights.bounds(found, limits(found), MARGIN, one)
    mean = found.mean(axis=1)
    error = np.maximum(found.std(axis=1, ddof=1), 1e-12) / np.sqrt(found.shape[1])
    return {
        "irmeta": bounds.shown > MARGIN,
        "sequence": mean + MARGIN < -half_width(found.shape[1]) * error,
        "floor": mean < -MARGIN,
        "safe": bounds.possible < MARGIN,
    }


def false(kind: str, topics: int, world: int) -> Found:
    """Return who is wrong in any night of a world in which each build loses just the margin."""
    rng = np.random.default_rng([91, world, topics])
    found = differences(kind, topics, np.full(NIGHTS, MARGIN), rng)
    return {name: float(one.any()) for name, one in fails(found).items()}


def power(kind: str, topics: int, loss: float, world: int) -> Found:
    """Return who finds a loss within some nights of its begin."""
    rng = np.random.default_rng([92, world, topics])
    losses = np.repeat([0.0, loss], [BEGINS, WITHIN])
    found = differences(kind, topics, losses, rng)
    return {name: float(one[BEGINS:].any()) for name, one in fails(found).items()}


def averaged(work: Callable[[int], Found], worlds: int, pool: Pool) -> Found:
    """Return shares of worlds."""
    rows = list(pool.imap_unordered(work, range(worlds), chunksize=5))
    return {name: float(np.mean([row[name] for row in rows])) for name in rows[0]}


def measured(worlds: int, pool: Pool) -> Iterator[Mapping[str, object]]:
    """Measure each row of both tables, the second in two fifths of the worlds."""
    few = 2 * worlds // 5
    for kind, topics in product(KINDS, SIZES):
        work = partial(false, kind, topics)
        row = {"scores": kind, "topics": topics, "worlds": worlds}
        yield {**row, **averaged(work, worlds, pool)}
    for kind, topics in product(KINDS, SIZES):
        for loss in LOSSES[topics]:
            work = partial(power, kind, topics, loss)
            row = {"scores": kind, "topics": topics, "loss": loss, "worlds": few}
            yield {**row, **averaged(work, few, pool)}


def tables(rows: Sequence[Mapping[str, object]]) -> str:
    """Return both tables in Markdown: who is wrong, and who finds what is lost."""
    wrong = [row for row in rows if "loss" not in row]
    found = [row for row in rows if "loss" in row]
    parts = [
        table(wrong, ("scores", "topics", "worlds", *WAYS, "safe")),
        table(found, ("scores", "topics", "loss", "worlds", *WAYS)),
    ]
    return "\n\n".join(parts)


def table(rows: Sequence[Mapping[str, object]], columns: Sequence[str]) -> str:
    """Return rows as a table in Markdown, shares with three decimals."""
    lines = [
        f"| {' | '.join(HEADS.get(name, name) for name in columns)} |",
        f"|{'---|' * len(columns)}",
    ]
    for row in rows:
        cells = [_cell(name, row[name]) for name in columns]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _cell(name: str, value: object) -> str:
    return f"{value:.3f}" if name in SHARES else str(value)


def parsed(name: str, arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the arguments of a measurement."""
    parser = argparse.ArgumentParser(prog=name)
    parser.add_argument("--worlds", type=int, default=500)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--write", action="store_true", help=f"write {PAGE}")
    return parser.parse_args(arguments)


def run(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print the rows or write them into the page."""
    chosen = parsed("bench.gate", arguments)
    rows = printed(chosen, measured)
    if chosen.write:
        write(tables(rows), BEGIN, END)


def printed(
    chosen: argparse.Namespace, measured: Callable[..., Iterator[Mapping[str, object]]]
) -> list[Mapping[str, object]]:
    """Measure in processes, and print each row as it comes."""
    rows = []
    with Pool(chosen.workers) as pool:
        for row in measured(chosen.worlds, pool):
            print(json.dumps(row), flush=True)
            rows.append(row)
    return rows


def write(text: str, begin: str, end: str) -> None:
    """Write tables into the page, between two marks."""
    before, rest = PAGE.read_text(encoding="utf-8").split(begin)
    _, after = rest.split(end)
    page = f"{before}{begin}\n\n{text}\n\n{end}{after}"
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    run()
