"""Coverage: how often the intervals that irmeta prints hold the truth, and its tests reject what is true.

Worlds are score cubes whose truth is known, like real ones (`irmeta simulate --like`). A check is one line of ENTRIES:
a name, what is promised, and a function of a world and a drawn cube that says how often the promise was kept.

    python -m bench.coverage             the table of docs/coverage.md (minutes)
    python -m bench.coverage --short     the same with few draws (CI); exits with 1 where a promise is broken
"""

import argparse
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

import numpy as np
import xarray as xr

from irmeta.cube import cube
from irmeta.datasets.like import World, like
from irmeta.stats import descriptive
from irmeta.stats.rankings.rank import settled, tau_a
from irmeta.stats.rankings.ranksets import rank_sets
from irmeta.stats.reliability import components, expected
from irmeta.stats.tests import multiplicity, paired, resampling

Check = Callable[[World, np.ndarray, np.random.Generator], Mapping[str, float]]


@dataclass(frozen=True)
class Entry:
    """A promise to be checked.

    name : what it is of.  promised : the share of cases in which it should hold, or for a test be rejected.
    kept : from a world, a drawn cube's scores (system, topic) and a generator to figures: `kept`, the share of cases
    in which it held, and any other, as the width of an interval, that the table shows beside it.
    bound : what is tolerated in the worst world: an interval holds at least so often, a test rejects at most so often.
    worlds : the names of the worlds in which it is checked; all by default.  sizes : numbers of topics.
    """

    name: str
    promised: float
    kept: Check
    bound: float
    worlds: tuple[str, ...] = ()
    sizes: tuple[int, ...] = (10, 25, 50)


def _t_interval(world: World, scores: np.ndarray, _: np.random.Generator) -> Mapping[str, float]:
    low, high = descriptive.t_interval(scores)
    truth = world.means[:, 0]
    return {"kept": ((low <= truth) & (truth <= high)).mean(), "width": (high - low).mean()}


def _true_ranks(world: World) -> tuple[np.ndarray, np.ndarray]:
    """The ranks of each system by true means, the best and the worst where systems tie."""
    truth = settled(world.means[:, 0])
    ahead, behind = truth[None] > truth[:, None], truth[None] < truth[:, None]
    return 1 + ahead.sum(axis=1), len(truth) - behind.sum(axis=1)


def _within(world: World, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    best, worst = _true_ranks(world)
    return (low <= best) & (worst <= high)


def _ranks(marginal: bool, world: World, scores: np.ndarray, rng: np.random.Generator) -> Mapping[str, float]:
    sets = rank_sets(scores.T, rng, marginal=marginal, draws=400)
    inside = _within(world, sets.low, sets.high)
    return {"kept": inside.mean() if marginal else inside.all(), "width": (sets.high - sets.low + 1).mean()}


def _claims(world: World, scores: np.ndarray, rng: np.random.Generator) -> Mapping[str, float]:
    """No system claimed better that is not: what rank sets promise, where ranks may hide an error."""
    truth = settled(world.means[:, 0])
    sets = rank_sets(scores.T, rng, draws=400)
    return {"kept": not (sets.better & (truth[:, None] <= truth)).any()}


def _overlap(world: World, scores: np.ndarray, _: np.random.Generator) -> Mapping[str, float]:
    low, high = descriptive.rank_intervals(scores.mean(axis=1), *descriptive.t_interval(scores))
    return {"kept": _within(world, low, high).all(), "width": (high - low + 1).mean()}


def _expected_tau(world: World, scores: np.ndarray, rng: np.random.Generator) -> Mapping[str, float]:
    tau = float(tau_a(settled(world.means[:, 0]), settled(scores.mean(axis=1))))
    low, high = expected.tau_interval(scores, rng)
    error = expected.expected(expected.pairs(scores)).tau - tau
    return {"kept": low <= tau <= high, "width": high - low, "bias": error}


@cache
def _true_signals(world: World) -> dict[str, float]:
    """The true signal of both coefficients, from 4000 topics of the world."""
    found = components.components(world.scores(4000, np.random.default_rng(0))[..., 0])
    return {name: float(components.signal(found, name)) for name in ("erho2", "phi")}


def _coefficient(
    name: components.Coefficient, world: World, scores: np.ndarray, _: np.random.Generator
) -> Mapping[str, float]:
    topics = scores.shape[1]
    low, high = components.signal_interval(components.components(scores), name)
    ends = [float(components.stability(end, topics)) for end in (low, high)]
    return {"kept": low <= _true_signals(world)[name] <= high, "width": ends[1] - ends[0]}


def _tied_pairs(world: World, systems: int) -> np.ndarray:
    truth = settled(world.means[:, 0])
    left, right = np.triu_indices(systems, 1)
    return truth[left] == truth[right]


def _test(
    p: Callable[[np.ndarray, np.random.Generator], np.ndarray],
    familywise: bool,
    world: World,
    scores: np.ndarray,
    rng: np.random.Generator,
) -> Mapping[str, float]:
    """Rejections at 5% of pairs whose true means are equal: the share of them, or whether there is any."""
    rejected = p(scores, rng)[_tied_pairs(world, len(scores))] < 0.05
    return {"kept": rejected.any() if familywise else rejected.mean()}


TESTS: Mapping[str, Callable[[np.ndarray, np.random.Generator], np.ndarray]] = {
    "paired t": lambda scores, _: paired.t(paired.differences(scores)),
    "Wilcoxon": lambda scores, _: paired.wilcoxon(paired.differences(scores)),
    "sign": lambda scores, _: paired.sign(paired.differences(scores)),
    "permutation": lambda scores, rng: resampling.permutation(scores, 400, rng),
    "bootstrap": lambda scores, rng: resampling.bootstrap(scores, 400, rng),
}


def _holm(scores: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return multiplicity.holm(TESTS["paired t"](scores, rng))


def _tukey(scores: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return resampling.tukey(scores, 400, rng)


SKEWED = ("like TREC-8, AP", "like TREC-8, P@10", "like Web 2012, ERR@20", "like a made cube")
"""Worlds without exact ties."""

ENTRIES: list[Entry] = [
    Entry("t interval of a mean", 0.95, _t_interval, 0.84),
    Entry("rank sets, simultaneous", 0.95, partial(_ranks, False), 0.94),
    Entry("rank sets, marginal", 0.95, partial(_ranks, True), 0.94),
    Entry("claims of simultaneous sets", 0.95, _claims, 0.94),
    Entry("overlap of t intervals as ranks", 0.95, _overlap, 0.0),
    Entry("tau with the true ranking", 0.95, _expected_tau, 0.80, SKEWED),
    Entry("E rho2", 0.95, partial(_coefficient, "erho2"), 0.70),
    Entry("Phi", 0.95, partial(_coefficient, "phi"), 0.80),
    *(Entry(f"{name} test", 0.05, partial(_test, test, False), 0.06, ("all tie",)) for name, test in TESTS.items()),
    Entry("paired t test, Holm", 0.05, partial(_test, _holm, True), 0.06, ("all tie",)),
    Entry("randomised Tukey HSD", 0.05, partial(_test, _tukey, True), 0.20, ("all tie",)),
]
"""Every promise. To check another interval or test, add a line."""


def worlds(folder: Path | None) -> dict[str, World]:
    """The worlds by name: like real collections where they are at hand, else like a made one."""
    rng = np.random.default_rng(0)
    if folder is None:
        made = rng.beta(1, 3, size=(30, 50, 1)) * np.linspace(0.3, 1, 30)[:, None, None]
        one = like(_named(made, "AP"), rng)
        return {"like a made cube": one, "heavy ties": one.tied(5), "all tie": one.tied(1)}
    found = {
        "like TREC-8, AP": like(_matrix(folder / "trec8-adhoc" / "AP.csv"), rng),
        "like TREC-8, P@10": like(_matrix(folder / "trec8-adhoc" / "P@10.csv"), rng),
        "like Web 2012, ERR@20": like(_matrix(folder / "web2012" / "ERR@20.csv"), rng),
    }
    few = like(_matrix(folder / "trec8-adhoc" / "AP.csv"), rng, systems=40)
    return found | {"heavy ties": found["like TREC-8, AP"].tied(8), "all tie": few.tied(1)}


def _matrix(path: Path) -> xr.DataArray:
    from irmeta.io.importers import import_matrix

    return import_matrix(path, rows="topics")


def _named(scores: np.ndarray, metric: str) -> xr.DataArray:
    systems, topics = ([str(number) for number in range(count)] for count in scores.shape[:2])
    return cube(scores, systems, topics, [metric])


@dataclass(frozen=True)
class Row:
    """What was measured of one promise in one world with a number of topics."""

    entry: Entry
    world: str
    topics: int
    draws: int
    figures: Mapping[str, float]
    error: float

    @property
    def holds(self) -> bool:
        """Whether the bound is kept, but for what so few draws may miss by."""
        beyond = self.figures["kept"] - self.entry.bound
        wrong = beyond if self.entry.promised < 0.5 else -beyond
        return wrong <= 3 * self.error


def measure(entry: Entry, name: str, world: World, topics: int, draws: int) -> Row:
    """Draw cubes from a world, and count how often a promise is kept, with its standard error."""
    rng = np.random.default_rng([topics, draws])
    drawn = [entry.kept(world, np.ascontiguousarray(world.scores(topics, rng)[..., 0]), rng) for _ in range(draws)]
    figures = {key: float(np.mean([one[key] for one in drawn])) for key in drawn[0]}
    kept = np.array([float(one["kept"]) for one in drawn])
    return Row(entry, name, topics, draws, figures, float(kept.std(ddof=1) / np.sqrt(draws)))


def table(entries: Iterable[Entry], places: Mapping[str, World], draws: int) -> Iterable[Row]:
    """Measure every promise in every world that it is for, and every number of topics."""
    for entry in entries:
        for name, world in places.items():
            if not entry.worlds or name in entry.worlds:
                for topics in entry.sizes:
                    yield measure(entry, name, world, topics, draws)


def markdown(row: Row) -> str:
    """Write a line of the table."""
    more = ", ".join(f"{key} {value:.3g}" for key, value in row.figures.items() if key != "kept")
    kept = f"{row.figures['kept']:.3f} ± {row.error:.3f}"
    return f"| {row.entry.name} | {row.world} | {row.topics} | {row.entry.promised:g} | {kept} | {more} |"


def run(arguments: list[str] | None = None) -> int:
    """Print the table; say which promises are broken."""
    parser = argparse.ArgumentParser(description="measure the coverage of every interval and test")
    parser.add_argument("--short", action="store_true", help="few draws from a made cube, which needs no data")
    parser.add_argument("--data", type=Path, help="the folder with trec8-adhoc/ and web2012/")
    parser.add_argument("--draws", type=int, default=200)
    chosen = parser.parse_args(sys.argv[1:] if arguments is None else arguments)
    places = worlds(None if chosen.short else chosen.data)
    broken = []
    print("| of | world | topics | promised | measured | beside |\n|---|---|---|---|---|---|")
    for row in table(ENTRIES, places, 60 if chosen.short else chosen.draws):
        print(markdown(row), flush=True)
        broken += [] if row.holds else [row]
    for row in broken:
        print(f"broken: {row.entry.name}, {row.world}, {row.topics} topics", file=sys.stderr)
    return bool(broken)


if __name__ == "__main__":
    sys.exit(run())
