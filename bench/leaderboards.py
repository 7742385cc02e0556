"""What of a leaderboard's rank sets, bounds and predictions holds: scores are removed from tables, and looked at again.

python bench/leaderboards.py [TABLE.parquet]    (a long table as of MTEB; without it only simulated worlds)
"""

import sys
from collections.abc import Callable

import numpy as np

from irmeta.scores.cube import cube, from_frame
from irmeta.stats.leaderboards.aggregates import values
from irmeta.stats.leaderboards.bradley_terry import strengths
from irmeta.stats.leaderboards.standing import ranked
from irmeta.studies.leaderboard.study import leaderboard

SHARE = 0.3
REPEATS = 10


def simulated(
    rng: np.random.Generator, models: int = 80, tasks: int = 30
) -> np.ndarray:
    """Draw a table with two traits of models and some noise, scores within 0 and 1."""
    return scored(rng, rng.normal([1, 0], size=(models, 2)), tasks)


def scored(rng: np.random.Generator, traits: np.ndarray, tasks: int) -> np.ndarray:
    """Draw the scores of models with these traits on some tasks."""
    models = len(traits)
    loadings = np.abs(rng.normal(size=(tasks, 2))) * [1, 0.5]
    return np.clip(
        0.5 + 0.1 * (traits @ loadings.T + 0.5 * rng.normal(size=(models, tasks))), 0, 1
    )


def by_chance(table: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Remove scores at random."""
    return rng.random(table.shape) < SHARE


def by_size(table: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Remove more scores of some models than of others, none of the smallest, most of the largest."""
    return (
        rng.random(table.shape)
        < rng.permutation(np.linspace(0, 2 * SHARE, len(table)))[:, None]
    )


def if_bad(table: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Remove the scores that are worst for the model, given the task, with a high chance."""
    z = (table - table.mean(axis=0)) / table.std(axis=0)
    own = z - z.mean(axis=1, keepdims=True)
    worst = own < np.quantile(own, 1.2 * SHARE, axis=1, keepdims=True)
    return worst & (rng.random(table.shape) < 0.85)


def largest_most(table: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Remove most scores of the best models, as where large ones are costly to run."""
    place = table.mean(axis=1).argsort().argsort()
    return (
        rng.random(table.shape) < np.linspace(0, 2 * SHARE, len(table))[place][:, None]
    )


def if_bad_by_half(table: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Remove the worst scores of every other model."""
    return if_bad(table, rng) & (np.arange(len(table)) % 2 == 0)[:, None]


PATTERNS = {
    "at random": by_chance,
    "by model size, the best most": largest_most,
    "bad ones withheld by all": if_bad,
    "bad ones withheld by half": if_bad_by_half,
}


WORLDS: dict[str, Callable[[np.ndarray, np.random.Generator], np.ndarray]] = {
    "at random": by_chance,
    "by model size": by_size,
    "bad ones withheld": if_bad,
}


def share_held(
    table: np.ndarray, away: np.ndarray, holes: str, seed: int
) -> dict[str, float]:
    """Rank a table with holes; return by aggregate the share of true ranks within what the holes allow."""
    names = (
        [f"m{i}" for i in range(len(table))],
        [f"t{i}" for i in range(table.shape[1])],
    )
    full, seen = (
        cube(scores[:, :, None], *names, ["score"])
        for scores in (table, np.where(away, np.nan, table))
    )
    true = leaderboard(full, resamples=40, rng=seed)
    made = leaderboard(seen, resamples=40, holes=holes, rng=seed)
    lacking = away.any(axis=1)
    held = {}
    for kind in made.aggregate.values:
        rank = ranked(true["value"].sel(aggregate=kind).values)
        one = made.sel(aggregate=kind)
        inside = (one["best"].values <= rank) & (rank <= one["worst"].values)
        held[str(kind)] = float(inside[lacking].mean())
        held[f"{kind} width"] = float(
            (one["worst"] - one["best"]).values[lacking].mean() + 1
        )
    if "predicted" in made:
        inside = (made["predicted_low"].values <= table) & (
            table <= made["predicted_high"].values
        )
        held["cells"] = float(inside[away].mean())
        held["said"] = made["coverage"].item()
    return held


def sets_held(
    models: int, tasks: int, remove: Callable, holes: str, seed: int
) -> np.ndarray:
    """Rank a table with holes; say by aggregate whether all rank sets hold the ranks over very many tasks."""
    rng = np.random.default_rng(seed)
    traits = rng.normal([1, 0], 0.6, size=(models, 2))
    many, table = scored(rng, traits, 3000), scored(rng, traits, tasks)
    seen = np.where(remove(table, rng), np.nan, table)
    names = [f"m{i}" for i in range(models)], [f"t{i}" for i in range(tasks)]
    made = leaderboard(
        cube(seen[:, :, None], *names, ["score"]), resamples=200, holes=holes, rng=seed
    )
    held = []
    for kind in made.aggregate.values:
        true = ranked(strengths(many).value if kind == "bt" else values(many, kind))
        one = made.sel(aggregate=kind)
        held.append(((one["low"].values <= true) & (true <= one["high"].values)).all())
    return np.array(held)


def sets() -> None:
    """Print how often all rank sets of a table with holes hold."""
    for models, tasks, repeats in ((16, 25, 150), (24, 80, 60)):
        for pattern, remove in PATTERNS.items():
            for holes in ("bounds", "predict"):
                found = [
                    sets_held(models, tasks, remove, holes, seed)
                    for seed in range(repeats)
                ]
                print(
                    f"sets {models} x {tasks}, {pattern}, {holes}:",
                    np.mean(found, axis=0).round(3),
                    flush=True,
                )


def main() -> None:
    """Print a table for each policy."""
    tables = {"simulated": None}
    if len(sys.argv) > 1:
        import polars as pl

        scores = from_frame(pl.read_parquet(sys.argv[1])).values[:, :, 0]
        tables["given"] = scores[np.isfinite(scores).all(axis=1)]
    for name, given in tables.items():
        for holes in ("bounds", "predict"):
            for world, remove in WORLDS.items():
                found = []
                for seed in range(REPEATS):
                    rng = np.random.default_rng(seed)
                    table = simulated(rng) if given is None else given
                    found.append(share_held(table, remove(table, rng), holes, seed))
                mean = {key: np.mean([one[key] for one in found]) for key in found[0]}
                print(
                    name,
                    holes,
                    world,
                    " ".join(f"{key} {value:.3f}" for key, value in mean.items()),
                    flush=True,
                )


if __name__ == "__main__":
    main()
    sets()
