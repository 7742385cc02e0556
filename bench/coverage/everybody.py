"""Promises about systems among others: leaderboards, places across collections, what runs that were not pooled lose."""

from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from pathlib import Path

import numpy as np
import polars as pl

from bench import leaderboards, place
from bench.coverage.frame import AWAY, UNITS, Case, Entry
from bench.coverage.metrics import Kind, labelled
from bench.coverage.systems import within
from bench.coverage.worlds import SIZES, Check, Column, in_all, in_worlds, named
from bench.hard import Hard
from irmeta.datasets.like import World
from irmeta.io.tables.matrices import import_matrix
from irmeta.stats.arrays import settled
from irmeta.stats.leaderboards import completion
from irmeta.stats.prediction import penalty
from irmeta.stats.rankings.ranksets import rank_sets_of
from irmeta.stats.standardizing import across, anchored
from irmeta.studies.place import study as places
from irmeta.studies.standardizing.durability import durability

Draw = Callable[[np.random.Generator], Mapping[str, float]]
SYSTEMS = (
    "like TREC-8, AP",
    "like TREC-8, P@10",
    "like Web 2012, ERR@20",
    "heavy ties",
    "5 systems",
    "20 systems",
    "60 systems in teams of 4",
    "like a made cube",
)


@cache
def _standing(world: World | Column) -> np.ndarray:
    """Compute the true standardized means of a world's systems among each other, from many topics."""
    scores = world.scores(2000, np.random.default_rng(0))[..., 0]
    return settled(
        across.place(place.z_of(scores, scores)).scores.mean(axis=1).round(4)
    )


def _percentile(
    world: World | Column, scores: np.ndarray, rng: np.random.Generator
) -> Mapping[str, float]:
    """Place some systems among all; true percentiles count a tie as half."""
    true = _standing(world)
    some = rng.choice(len(scores), min(10, len(scores)), replace=False)
    everybody = named(scores[..., None], "AP")
    found = places.place(everybody.isel(system=some), on=everybody, rng=rng)
    own = true[some][:, None]
    percentile = 100 * ((true < own).mean(axis=1) + 0.5 * (true == own).mean(axis=1))
    low, high = (found[f"percentile_{end}"].values[:, 0] for end in ("low", "high"))
    return {
        "kept": ((low <= percentile) & (percentile <= high)).mean(),
        "width": (high - low).mean(),
        AWAY: found["percentile"].values[:, 0] - percentile,
    }


def _skewed(_: Path | None, check: Check = _percentile) -> Iterable[Case]:
    """Return skewed scores, of systems by themselves and in teams."""
    for team in (1, 4):
        world = Hard("pareto", "differ", 24, team)
        for topics in (10, 50):
            trial = partial(_in_column, check, Column(world), topics)
            yield Case(str(world), topics, trial, world.systems)


def _in_column(
    check: Check, world: Column, topics: int, rng: np.random.Generator
) -> Mapping[str, float]:
    return check(world, world.scores(topics, rng)[..., 0], rng)


LEFT_OUT = 0.05
"""Share of the systems whose means alone are known."""


def _reported(
    world: World | Column, scores: np.ndarray, rng: np.random.Generator
) -> Mapping[str, float]:
    """Place systems of which only the mean is known among the others."""
    return _by_mean(scores, _standing(world), rng)


def _by_mean(
    scores: np.ndarray, true: np.ndarray, rng: np.random.Generator
) -> Mapping[str, float]:
    """Place the means of some systems, to four decimals, among the others; by their true standing."""
    count = len(scores)
    some = rng.choice(count, max(1, round(LEFT_OUT * count)), replace=False)
    rest = np.setdiff1d(np.arange(count), some)
    means = scores[some].mean(axis=1).round(4)
    table = {"system": [*map(str, some)], "metric": "AP", "mean": [*map(str, means)]}
    everybody = named(scores[rest][..., None], "AP")
    found = places.place(on=everybody, published=pl.DataFrame(table), rng=rng)
    own, theirs = true[some][:, None], true[rest]
    percentile = 100 * (
        (theirs < own).mean(axis=1) + 0.5 * (theirs == own).mean(axis=1)
    )
    low, high = (found[f"reported_percentile_{end}"].values for end in ("low", "high"))
    return {
        "kept": ((low <= percentile) & (percentile <= high)).mean(),
        "width": (high - low).mean(),
        AWAY: found["reported_percentile"].values - percentile,
    }


def _on_other_topics(
    scores: np.ndarray, topics: int, rng: np.random.Generator
) -> Mapping[str, float]:
    """Know means over some topics, and take the plain percentile by all of the others for the truth."""
    order = rng.permutation(scores.shape[1])
    other = scores[:, order[topics:]].mean(axis=1)
    return _by_mean(scores[:, order[:topics]], other, rng)


def _left_out(folder: Path | None) -> Iterable[Case]:
    """Return real systems, on other topics of theirs."""
    if folder is None:
        return
    matrix = folder / "matrices" / "robust2004-249" / "AP.csv"
    scores = import_matrix(matrix, rows="systems").values[..., 0]
    for topics in SIZES:
        trial = partial(_on_other_topics, scores, topics)
        yield Case("Robust 2004, by the other topics", topics, trial, len(scores))


PAIRS = (
    ((60, 50, -0.5), (40, 40, -2.5)),
    ((129, 50, 0.0), (110, 99, -1.5)),
    ((20, 10, -1.0), (15, 25, -3.0)),
    ((60, 25, -0.5), (40, 25, -1.5)),
    ((60, 10, -0.5), (60, 10, -1.5)),
)
"""Two collections each: systems that standardize, topics, and how easy topics are."""
ABILITIES = np.array([-1.0, -0.3, 0.5, 0.8, 1.2])


def _rounded(scores: np.ndarray, step: float) -> np.ndarray:
    """Round scores to multiples of a step, so that systems tie."""
    return np.round(scores / step) * step if step else scores


@cache
def _true(level: float, step: float) -> np.ndarray:
    """Compute the mean standardized score of each ability over many topics, by many standardizing systems."""
    rng, parts = np.random.default_rng(1), []
    for _ in range(4):
        about = place.topics(rng, 800, level)
        every = place.everybody(rng, 800)
        standardizing = _rounded(place.drawn(rng, every, *about), step)
        own = _rounded(place.drawn(rng, ABILITIES.repeat(10), *about), step)
        scores = across.place(place.z_of(own, standardizing)).scores
        parts.append(scores.mean(axis=1).reshape(-1, 10).mean(axis=1))
    return np.mean(parts, axis=0)


def _collections(
    pair: tuple[tuple[int, int, float], ...],
    team: int,
    step: float,
    rng: np.random.Generator,
) -> tuple[list[across.Placed], list[across.Spread]]:
    """Draw scores of the same abilities on each collection, and what its standardizing systems move.

    team : how many of those are of one team, and alike in ability.  step : what scores are rounded to; 0 for none.
    """
    placed, spreads = [], []
    for systems, count, level in pair:
        about = place.topics(rng, count, level)
        able = place.everybody(rng, systems // team).repeat(team)
        standardizing = _rounded(place.drawn(rng, able, *about), step)
        own = _rounded(place.drawn(rng, ABILITIES, *about), step)
        placed.append(across.place(place.z_of(own, standardizing)))
        of = np.arange(len(able)) // team
        spreads.append(across.spread(place.z_of(standardizing, standardizing), of))
    return placed, spreads


def _across(
    pair: tuple[tuple[int, int, float], ...],
    team: int,
    step: float,
    rng: np.random.Generator,
) -> Mapping[str, float]:
    """Hold differences between two collections to the truth; beside them means, and the rank sets of all entries."""
    placed, spreads = _collections(pair, team, step, rng)
    true = np.array([_true(level, step) for _, _, level in pair])
    count, every = len(ABILITIES), true.ravel()
    found = across.differences(placed, spreads, np.eye(2))
    low, high = (end[:count, count:] for end in found.interval())
    gap = true[0][:, None] - true[1]
    own_low, own_high = across.means(placed, spreads).interval()
    draws = across.drawn(placed, spreads, np.eye(2), 300, rng)
    sets = rank_sets_of(across.means(placed, spreads).value, draws)
    return {
        "kept": ((low <= gap) & (gap <= high)).mean(),
        "width": (high - low).mean(),
        AWAY: found.value[:count, count:] - gap,
        "means": ((own_low <= every) & (every <= own_high)).mean(),
        "rank sets": within(every, sets.low, sets.high).all(),
    }


def _in_pairs(folder: Path | None) -> Iterable[Case]:
    """Return pairs of collections without and with teams, and one whose scores are few values, as those of P@10."""
    kinds = [(pair, team, 0.0) for pair in PAIRS for team in (1, 4)]
    kinds.append((PAIRS[0], 1, 0.1))
    for pair, team, step in kinds if folder is not None else [(PAIRS[2], 1, 0.0)]:
        (one, n, _), (other, _, _) = pair
        teams = f" in teams of {team}" if team > 1 else ""
        values = ", few values" if step else ""
        world = f"{one} and {other} systems{teams}{values}"
        # of the collection with fewer; a team counts as one
        units = min(systems // team for systems, _, _ in pair)
        yield Case(world, n, partial(_across, pair, team, step), units)


def _ranked(
    models: int, tasks: int, holes: str, rng: np.random.Generator
) -> Mapping[str, float]:
    """Say by how many aggregates all rank sets hold, 30% of the scores being missing at random."""
    seed = int(rng.integers(1 << 30))
    held = leaderboards.sets_held(models, tasks, leaderboards.by_chance, holes, seed)
    return {"kept": held.mean()}


def _boards(folder: Path | None) -> Iterable[Case]:
    every = ((10, 10), (20, 10), (20, 50), (60, 25))
    for models, tasks in every if folder is not None else every[:1]:
        # of 10 models too few may have a task for the others' scores to be predicted
        for holes in ("bounds", "predict") if models > 10 else ("bounds",):
            yield Case(
                f"{models} models, 30% missing, {holes}",
                tasks,
                partial(_ranked, models, tasks, holes),
                models,
            )


def _cells(models: int, tasks: int, rng: np.random.Generator) -> Mapping[str, float]:
    """Predict scores that were removed at random."""
    table = leaderboards.simulated(rng, models, tasks)
    away = leaderboards.by_chance(table, rng)
    found = completion.predict(np.where(away, np.nan, table), rng)
    inside = (found.low <= table) & (table <= found.high)
    return {"kept": inside[away].mean(), "said": found.coverage}


def _tables(folder: Path | None) -> Iterable[Case]:
    for models, tasks in (
        ((20, 10), (20, 25), (60, 25), (60, 50)) if folder is not None else ((20, 10),)
    ):
        trial = partial(_cells, models, tasks)
        yield Case(f"{models} models, 30% missing", tasks, trial, models)


def _losses(groups: int, rng: np.random.Generator) -> Mapping[str, float]:
    """Learn from groups what their runs lose, and predict 15 new groups; groups err by a skewed factor of their own."""
    group = np.repeat(np.arange(groups + 15), 3)
    unjudged, score = (
        rng.uniform(0.05, 0.6, group.size),
        rng.uniform(0.1, 0.7, group.size),
    )
    factor = rng.gamma(4, 0.25, groups + 15)[group] + rng.normal(0, 0.2, group.size)
    loss, old = (0.02 + 0.2 * score) * unjudged * factor, group < groups
    learned = penalty.fit(loss[old], unjudged[old], score[old], group[old])
    found = penalty.band(learned, unjudged[~old], score[~old])
    held = penalty.coverage(loss[~old], found, group[~old] - groups)
    return {
        "kept": held,
        "width": (found.high - found.low).mean() / loss.std(),
        AWAY: (found.expected - loss[~old]) / loss.std(),
    }


def _pools(_: Path | None) -> Iterable[Case]:
    for groups in (6, 10, 30, 60):
        yield Case(f"{groups} groups of 3 runs", 1, partial(_losses, groups))


def _aged(kind: Kind, rng: np.random.Generator) -> Mapping[str, float]:
    """Say of how many metrics old factors seem to have aged where old and new systems are drawn from the same ones."""
    drawn = labelled(kind.draw(rng))
    half = kind.systems // 2
    groups = kind.teams if kind.team > 1 else None
    old, new = drawn[:half], drawn[half:]
    found = durability(old, new, teams=groups, rng=rng)
    return {"kept": (found["tau_quantile"].values < 0.05).mean()}


OLD_AND_NEW = (
    Kind(10, 25),
    *(Kind(40, topics) for topics in SIZES),
    Kind(120, 25),
    Kind(40, 25, few=True),
    Kind(80, 25, team=4),
)
"""Half of the systems are old, half are new."""


def _years(folder: Path | None) -> Iterable[Case]:
    for kind in OLD_AND_NEW if folder is not None else OLD_AND_NEW[:1]:
        yield Case(str(kind), kind.topics, partial(_aged, kind), kind.systems)


SUITED = 0.2
"""Standard deviation of how much better or worse a collection suits a system than others do."""
STRONGER = 0.6
"""How much more able all systems of the second collection are."""


def _fields(
    topics: int, able: np.ndarray, rng: np.random.Generator
) -> tuple[list[across.Placed], list[across.Spread]]:
    """Draw unchanged systems on two collections of 60 systems, the second of stronger ones."""
    placed, spreads = [], []
    for level, more in ((-0.5, 0.0), (-1.5, STRONGER)):
        about = place.topics(rng, topics, level)
        standardizing = place.drawn(rng, place.everybody(rng, 60) + more, *about)
        here = able + rng.normal(0, SUITED, able.size)
        own = place.drawn(rng, here, *about)
        placed.append(across.place(place.z_of(own, standardizing)))
        spreads.append(across.spread(place.z_of(standardizing, standardizing)))
    return placed, spreads


@cache
def _fall() -> float:
    """Compute how much lower unchanged systems stand among the stronger ones, over many of them and many topics."""
    rng = np.random.default_rng(1)
    falls = []
    for _ in range(20):
        placed, _ = _fields(400, place.everybody(rng, 200), rng)
        falls.append(placed[0].scores.mean() - placed[1].scores.mean())
    return float(np.mean(falls))


def _anchored(count: int, topics: int, rng: np.random.Generator) -> Mapping[str, float]:
    """Measure an unchanged system from anchors: its gain has not changed; beside it the fall of unchanged systems."""
    placed, spreads = _fields(topics, place.everybody(rng, count + 1), rng)
    at = [np.arange(1, count + 1)] * 2
    found = anchored.differences(placed, spreads, np.eye(2), at)
    low, high = found.low[0, 0], found.high[0, 0]
    moved = anchored.drift(placed, spreads, np.eye(2), at)
    return {
        "kept": float(low <= 0 <= high),
        "width": high - low,
        AWAY: found.value[0, 0],
        UNITS: count,
        "drift": float(moved.low.item() <= _fall() <= moved.high.item()),
    }


def _from_anchors(folder: Path | None) -> Iterable[Case]:
    for count in (2, 3, 5, 10) if folder is not None else (5,):
        for topics in (25, 50):
            world = f"{count} anchors, stronger systems on the second collection"
            yield Case(world, topics, partial(_anchored, count, topics), 60)


_PLACED = in_all(in_worlds(_percentile, SYSTEMS), _skewed)
_REPORTED = in_all(
    in_worlds(_reported, [name for name in SYSTEMS if name != "5 systems"]),
    partial(_skewed, check=_reported),
    _left_out,
)

ENTRIES = [
    Entry("percentile among everybody", 0.95, 0.90, _PLACED, 60, 20),
    Entry("percentile of a reported mean", 0.95, 0.90, _REPORTED, 60, 20),
    Entry("difference across collections", 0.95, 0.90, _in_pairs, 400, 20),
    Entry("an unchanged system by anchors", 0.95, 0.90, _from_anchors, 600, 60),
    Entry("old factors that have not aged", 0.05, 0.08, _years, 200, 10),
    Entry("rank sets of a leaderboard", 0.95, 0.90, _boards, 60, 10),
    Entry("predicted score of a leaderboard", 0.90, 0.85, _tables, 60, 10),
    Entry("loss of a run that was not pooled", 0.90, 0.85, _pools, 400, 40),
]
