"""Whether old standardization factors still serve new systems: the new systems' own factors beside them."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl
import xarray as xr

from irmeta.choices import Flat, Kind, Missing
from irmeta.errors import ScoresError
from irmeta.parallel import seeded
from irmeta.scores import standardization
from irmeta.scores.attributes import about
from irmeta.scores.cubes import by_name, common_metrics
from irmeta.scores.figures import short
from irmeta.scores.groups.teams import (
    EACH,
    Grouping,
    Teams,
    teams_needed,
    teams_of,
    teams_phrase,
    teams_prefix,
)
from irmeta.scores.result import frame, result
from irmeta.scores.selection import require_variation
from irmeta.stats.arrays import Floats, Ints, settled
from irmeta.stats.halves.teams import split
from irmeta.stats.rankings import rank, topheavy
from irmeta.stats.standardizing import comparability, standardizers
from irmeta.studies.door import Cube, Cubes, study
from irmeta.words import digits_beside_zero

FIGURES = ("pearson", "tau", "tau_ap")
CHANCE = ("chance_tau", "tau_quantile")
SIZES = ("topic_count", "old_systems", "new_systems")
"""What is told of each collection: how the new systems' scores by both factors correlate, what chance gives, sizes."""
PARTITIONS = 200
"""Random splits of the systems: the standard error of a quantile is at most .035, and .015 at a quantile of .05."""
AGED = 0.05
"""Below this share of random splits with a lower tau, old factors have aged beyond chance."""


@study
def durability(
    old: Cube | Cubes,
    new: Cube | Cubes,
    *,
    kind: Kind = "normal",
    flat: Flat = "half",
    teams: Grouping = None,
    missing: Missing = "error",
    rng: int | np.random.Generator = 0,
) -> xr.Dataset:
    """Score new systems by factors fitted on old systems and by factors fitted on themselves; correlate.

    old : scores of the old systems, whose factors are used
    new : scores of the new systems; each old collection meets the new one of its name, or the only new one, on the
        topics and metrics that both have
    kind : how scores are standardized
    flat : the score on a topic where all standardizing systems score alike, as in `irmeta.standardize.apply`
    teams : the teams of the systems, a table, "stem" of their names or "each" by itself; the systems that a team has
        among the old, or among the new, stay together in the splits. By default stems where many names share one, and
        else no verdict that needs teams
    missing : what to do with missing scores, as in `selection.complete`
    rng : a seed or a generator, of all that is random

    Returns over (topics, metric) the correlation of the new systems' mean standardized scores by the old factors with
    those by their own: Pearson's, Kendall's tau-b, and tau_AP,b. Few systems make factors that others do not share,
    whatever their age; so all systems are split at random into sets of these sizes: chance_tau is the mean tau of
    such splits, tau_quantile the share of them with a lower one (equal ones counted half).
    Source: Webber et al. (SIGIR 2008), Table 2; the splits are ours.
    """
    if not old:
        raise ScoresError("there is no old collection to take factors from")
    met = {}
    for name, scores in by_name(old).items():
        met[name] = standardization.on_common_topics(
            scores, standardization.counterpart(name, by_name(new)), missing
        )
    metrics = common_metrics({name: of_old for name, (of_old, _, _) in met.items()})
    generator = seeded(rng)[0]

    figures, sizes, notes = [], [], []
    used: dict[str, xr.DataArray] = {}
    unknown = ""
    for name, (of_old, of_new, more) in met.items():
        of_old, of_new = of_old.sel(metric=metrics), of_new.sel(metric=metrics)
        require_variation(of_new.mean("topic").values.T, metrics)
        team = _teams_by_side(of_old, of_new, teams)
        unknown = unknown or team.unknown
        found, flat_notes = _figures(of_old, of_new, kind, flat, team.of, generator)
        figures.append(found)
        systems = (of_old.sizes["system"], of_new.sizes["system"])
        sizes.append((of_old.sizes["topic"], *systems))
        notes += [f"{name}: {line}" for line in more + flat_notes]
        used |= {f"{name} old": of_old, f"{name} new": of_new}
    notes.append(
        f"Monte-Carlo standard error of the quantiles: at most {short(0.5 / PARTITIONS**0.5, 3)}"
    )

    by_figure = np.array(figures)  # (topics, metric, figure)
    data: dict[str, Any] = {}
    for at, name in enumerate((*FIGURES, *CHANCE)):
        data[name] = (("topics", "metric"), by_figure[..., at])
    for at, name in enumerate(SIZES):
        data[name] = ("topics", [counts[at] for counts in sizes])
    together = team._replace(unknown=unknown)
    notes.append(_assumption(together))
    options = {"partitions": PARTITIONS, **together.options}
    outcome = result("durability", data, inputs=used, options=options, notes=notes)
    return outcome.assign_coords(topics=list(met), metric=metrics)


def _teams_by_side(old: xr.DataArray, new: xr.DataArray, teams: Grouping) -> Teams:
    """Return the teams of the old systems, and after them those of the new."""
    of_old, of_new = (
        teams_of(one["system"].values, teams, one.values) for one in (old, new)
    )
    return Teams(
        of_old.names + of_new.names,
        np.concatenate([of_old.of, of_new.of + len(of_old.names)]),
        of_old.source or of_new.source,
        of_old.unknown or of_new.unknown,
    )


def _assumption(team: Teams) -> str:
    """Say what the random splits assume."""
    if team.source in (None, EACH):
        return "The splits take systems as independent of each other."
    return (
        f"The splits keep the systems of a team together (teams: {teams_phrase(team.options)}): teams, not systems, "
        "are treated as independent."
    )


def _figures(
    old: xr.DataArray,
    new: xr.DataArray,
    kind: Kind,
    flat: Flat,
    team: Ints,
    rng: np.random.Generator,
) -> tuple[Floats, list[str]]:
    """Return FIGURES and CHANCE of one collection, (metric, figure), and notes on flat topics."""
    by_old = standardization.apply(new, standardization.fit(old), kind, flat=flat)
    by_own = standardization.apply(new, standardization.fit(new), kind, flat=flat)
    found = _correlations(by_old.mean("topic").values.T, by_own.mean("topic").values.T)
    # (split, metric)
    splits = _split_taus(old.values, new.values, kind, flat, team, rng)
    below = comparability.quantile(found[:, FIGURES.index("tau")], splits)
    notes = standardization.flat_topics(by_old) + standardization.flat_topics(by_own)
    return np.column_stack([found, splits.mean(axis=0), below]), notes


def tables(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Table `durability`: topics (a collection), metric, the figures, topic_count, old_systems, new_systems."""
    figures = frame(outcome, (*FIGURES, *CHANCE, *SIZES), by=["topics", "metric"])
    return {"durability": figures.rename({"tau_quantile": "quantile"})}


def findings(outcome: xr.Dataset) -> list[str]:
    """Say how far the old factors still order the new systems as their own factors do."""
    options = about(outcome)["options"]
    return [
        _sentence(row, options)
        for row in tables(outcome)["durability"].iter_rows(named=True)
    ]


def _sentence(row: Mapping[str, Any], options: Mapping[str, Any]) -> str:
    """Say of one collection and metric how far the old factors serve, and beside it what chance gives."""
    if not np.isfinite(row["tau"]):
        return (
            f"{row['topics']}, {row['metric']}: tau is undefined, because the old factors or their "
            f"own factors give all {row['new_systems']} new systems the same score; use more "
            "systems that differ."
        )
    digits = digits_beside_zero(2, row["quantile"] - AGED) - 2
    return (
        f"{row['topics']}, {row['metric']}: the ranking of {row['new_systems']} new systems by the "
        f"factors of {row['old_systems']} old ones has tau {short(row['tau'], 3)} with the ranking by "
        f"their own factors (tau_AP {short(row['tau_ap'], 3)}; scores: Pearson {short(row['pearson'], 3)}): "
        f"{_verdict(row, options)}. Random splits into old and new systems reach "
        f"{short(row['chance_tau'], 3)} on average, and less than that tau (ties count half) in "
        f"{row['quantile']:.{digits}%} of splits."
    )


def _verdict(row: Mapping[str, Any], options: Mapping[str, Any]) -> str:
    """Say whether old factors have aged beyond chance; how much that matters, tau and that of random splits say.

    Where random splits stay below .9, factors of so few systems do not order others as their own do, whatever their
    age: a higher tau is then luck.
    """
    if row["quantile"] < AGED:
        unsaid = teams_needed(options, "whether the old factors have aged")
        if unsaid:
            return unsaid.removesuffix(".")
        return f"{teams_prefix(options)}the old factors have aged beyond chance"
    if row["tau"] >= 0.9 and row["chance_tau"] >= 0.9:
        return "nothing shows that the old factors have aged"
    return "there are too few systems to show whether the old factors have aged"


def _correlations(a: Floats, b: Floats) -> Floats:
    """Return each of FIGURES for each row of scores by two ways: (metric, figure)."""
    ways = rank.pearson, rank.tau_b, topheavy.tau_ap_b
    pairs = zip(settled(a), settled(b), strict=True)
    return np.array([[float(way(x, y)) for way in ways] for x, y in pairs])


def _split_taus(
    old: Floats,
    new: Floats,
    kind: Kind,
    flat: Flat,
    team: Ints,
    rng: np.random.Generator,
) -> Floats:
    """Return tau of random splits of the systems into sets of the old sizes, of whole teams: (split, metric).

    It is 0 where a set is tied.
    """
    pooled = np.concatenate([old, new])
    taus = []
    for _ in range(PARTITIONS):
        by, scores = (pooled[systems] for systems in split(team, len(old), rng))
        by_others = settled(_means(scores, by, kind, flat))  # (metric, system)
        by_own = settled(_means(scores, scores, kind, flat))
        taus.append(rank.tau_b(by_others[:, None], by_own[:, None])[:, 0, 0])
    return np.nan_to_num(np.array(taus))


def _means(scores: Floats, by: Floats, kind: Kind, flat: Flat) -> Floats:
    """Return mean standardized scores (metric, system) of scores (system, topic, metric), by the factors of others."""
    factors = standardizers.fit(by)
    standardized = standardizers.standardize(
        scores, factors, kind, flat="raw" if flat == "raw" else "half"
    )
    if flat == "drop":
        is_flat = standardizers.KINDS[kind].undefined(factors).any(axis=1)
        standardized = standardized[:, ~is_flat]
    return np.asarray(standardized.mean(axis=1).T)
