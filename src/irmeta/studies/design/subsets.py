"""Fewer topics of those there are: which rank systems as all do, and whether they serve systems that did not choose."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import polars as pl
import xarray as xr

from irmeta.errors import ScoresError
from irmeta.parallel import in_order, streams
from irmeta.scores.attributes import LEFT_OUT, about
from irmeta.scores.figures import intervals, short, with_interval
from irmeta.scores.result import ends, frame, readers_nouns, with_nulls
from irmeta.stats.arrays import Floats, Ints
from irmeta.stats.halves.teams import split
from irmeta.stats.subsets.topics import (
    Held,
    agreement,
    best_subset,
    held_out,
    kendall,
    random_subsets,
)
from irmeta.words import counted, listed

KINDS = ("best", "random", "worst")
KIND_FIGURES = ("tau", "chosen", *ends("new"))
FIGURES = (*ends("gain"), "survives", "beats")
"""What is told of subsets of a size, of each kind and of the best beside random ones."""
SPLITS = 30
"""Random halves of the systems: one chooses topics, the other says what they are worth."""
DRAWS = 100
"""Random subsets beside each chosen one."""
FEWEST = 3
"""Systems that rank topics, or are ranked by them, at least."""


def subset_taus(
    scores: xr.DataArray,
    team: Ints,
    sizes: Sequence[int],
    level: float,
    rng: np.random.Generator,
) -> dict[str, Any]:
    """Return over (subset, kind) tau with the ranking over all topics, on systems that chose the topics and on others.

    scores : (system, topic), of one metric.  team : (system,), a team's systems are on one side of every split
    Raises ScoresError for a size that leaves no topic out, and for too few systems to split.
    """
    sizes = list(dict.fromkeys(sizes))
    _require(scores, sizes)
    parts = [_figures_of_size(scores.values, team, size, level, rng) for size in sizes]
    kinds = {
        f"subset_{name}": (("subset", "kind"), np.array([part[name] for part in parts]))
        for name in KIND_FIGURES
    }
    compared = {
        f"subset_{name}": ("subset", [part[name] for part in parts]) for name in FIGURES
    }
    return {
        **kinds,
        **compared,
        "subset_topics": (("subset", "topic"), [part["topics"] for part in parts]),
        "subset": sizes,
        "kind": list(KINDS),
        "topic": scores.topic.values.astype(str),
    }


def _require(scores: xr.DataArray, sizes: Sequence[int]) -> None:
    """Raise ScoresError for a size that leaves no topic out, and for too few systems to split."""
    topics, systems = scores.sizes["topic"], scores.sizes["system"]
    outside = [size for size in sizes if not 1 <= size < topics]
    if outside or not sizes:
        wrong = f"{outside[0]} is not" if outside else "no number is"
        left_out = about(scores).get(LEFT_OUT)
        why = f": {left_out}" if left_out else ""
        raise ScoresError(
            f"--subset: {wrong} from 1 to {topics - 1}; {topics} topics are there to choose from{why}"
        )
    if systems < 2 * FEWEST:
        raise ScoresError(
            f"--subset needs at least {2 * FEWEST} systems, of which a half chooses topics for the others, "
            f"not {systems}"
        )


def _figures_of_size(
    scores: Floats, team: Ints, size: int, level: float, rng: np.random.Generator
) -> dict[str, Any]:
    """Return what topics of one size reach, by kind: chosen by all systems, and by a half of them at a time."""
    goal = kendall(scores)
    best = best_subset(goal, size, rng, sign=1)
    worst = best_subset(goal, size, rng, sign=-1)
    random = random_subsets(scores.shape[1], size, DRAWS, rng)
    drawn = agreement(scores, random)
    tau = agreement(scores, np.array([best, worst]))
    work = partial(_held_out_taus, scores, team, size)
    halves = list(in_order(work, streams(rng, SPLITS, 1), "halves of the systems"))
    topics = np.isin(np.arange(scores.shape[1]), best)
    own = {"topics": topics, "tau": [tau[0], drawn.mean(), tau[1]]}
    return own | _figures(halves, level)


def _held_out_taus(
    scores: Floats, team: Ints, size: int, stream: tuple[np.random.Generator, int]
) -> Held:
    """Choose topics by one random half of the systems, teams whole, and test them on the other."""
    rng, _ = stream
    return held_out(scores, split(team, len(scores) // 2, rng), size, DRAWS, rng)


def _figures(halves: Sequence[Held], level: float) -> dict[str, Any]:
    """Summarize splits: means, quantiles, how much of the gain over random topics is left, and how many it beats."""
    chosen = np.array([half.chosen for half in halves])  # (split, kind, draw)
    new = np.array([half.new for half in halves])
    shares = [(1 - level) / 2, (1 + level) / 2]
    low, high = np.quantile(new, shares, axis=(0, 2))
    gain = new[:, 0].mean(axis=1) - new[:, 1].mean(axis=1)  # (split,)
    own = chosen[:, 0].mean() - chosen[:, 1].mean()
    gain_low, gain_high = np.quantile(gain, shares)
    return {
        "chosen": chosen.mean(axis=(0, 2)),
        "new": new.mean(axis=(0, 2)),
        "new_low": low,
        "new_high": high,
        "gain": gain.mean(),
        "gain_low": gain_low,
        "gain_high": gain_high,
        "survives": gain.mean() / own if own > 0 else np.nan,
        "beats": (new[:, 0] > new[:, 1]).mean(),
    }


def tables(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Return `subsets` (a row for each size and kind), `gains` (for each size) and `chosen` (the best topics)."""
    chosen = frame(outcome, ["subset_topics"], by=["subset", "topic"])
    return {
        "subsets": _by_topics(outcome, KIND_FIGURES, ["subset", "kind"]),
        "gains": _by_topics(outcome, FIGURES, ["subset"]),
        "chosen": chosen.filter("subset_topics").select(
            pl.col("subset").alias("topics"), "topic"
        ),
    }


def _by_topics(
    outcome: xr.Dataset, figures: Sequence[str], by: list[str]
) -> pl.DataFrame:
    """Return figures of subsets as a table, with the size of each as its topics. by : "subset" first."""
    table = frame(outcome, [f"subset_{name}" for name in figures], by=by)
    table.columns = ["topics", *by[1:], *figures]
    return with_nulls(table)


def overview(outcome: xr.Dataset) -> pl.DataFrame:
    """Show tau of the best, random and worst topics of each size, on the systems that chose and on others."""
    _, systems = readers_nouns(outcome)
    table = tables(outcome)["subsets"]
    between = intervals(table["new_low"].to_numpy(), table["new_high"].to_numpy(), 2)
    tau, chosen, new = (
        [short(value) for value in table[name]] for name in ("tau", "chosen", "new")
    )
    return table.select(
        "topics",
        pl.col("kind").alias("chosen"),
        pl.Series(f"by all {systems}", tau),
        pl.Series("by half", chosen),
        pl.Series("on the other half", new),
        between.alias("interval"),
    )


def findings(outcome: xr.Dataset) -> list[str]:
    """Say of each size which topics are best, and what they reach on the systems that chose them and on others."""
    if "subset" not in outcome:
        return []
    return [
        _size_sentence(outcome.isel(subset=at)) for at in range(outcome.sizes["subset"])
    ]


def _size_sentence(one: xr.Dataset) -> str:
    """Say of one size which topics are best, and what they reach on the systems that chose them and on others."""
    best, random = (one.sel(kind=kind) for kind in KINDS[:2])
    noun, systems = readers_nouns(one)
    facts = about(one)
    target = facts["options"]["target"]
    many = max(part["systems"] for part in facts["inputs"]["collections"].values())
    tau = short(best["subset_tau"].item())
    new, low, high = (short(best[name].item()) for name in ends("subset_new"))
    other = short(random["subset_new"].item())
    names = one["topic"].values[one["subset_topics"].values]
    return (
        f"The best {len(names)} of {counted(one.sizes['topic'], noun)} are {listed(names, 30)}: by {target} "
        f"they rank the {many} {systems} as all {noun}s do with tau {tau}. Of {systems} that had no part in such a "
        f"choice tau is {new} ({low} to {high} over halves of the {systems}), and {other} by as many random {noun}s: "
        f"{_gain_clause(one, noun)}."
    )


def _gain_clause(one: xr.Dataset, noun: str) -> str:
    """Say what choosing gains for other systems, or that random topics may do as well."""
    gain = with_interval(*(one[name] for name in ends("subset_gain")), sign=True)
    if float(one["subset_gain_low"]) > 0:
        return f"choosing gains {gain}"
    return f"choosing gains {gain}, nothing for sure, so that random {noun}s may do as well"
