"""Whether old standardization factors still serve new systems: the new systems' own factors beside them."""

from collections.abc import Mapping

import numpy as np
import polars as pl
import xarray as xr

from irmeta import standardization
from irmeta.choices import Flat, Kind, Missing
from irmeta.cube import require_variation
from irmeta.cubes import by_name, common_metrics
from irmeta.errors import ScoresError
from irmeta.parallel import seeded
from irmeta.result import frame, result
from irmeta.stats.arrays import Floats
from irmeta.stats.rankings import rank, topheavy
from irmeta.stats.standardizing import comparability, standardizers

FIGURES = ("pearson", "tau", "tau_ap")
CHANCE = ("chance_tau", "quantile")
SIZES = ("topic_count", "old_systems", "new_systems")
DEALS = 200
"""Random deals of the systems: the standard error of a quantile is at most .035, and .015 at a quantile of .05."""


def durability(
    old: xr.DataArray | Mapping[str, xr.DataArray],
    new: xr.DataArray | Mapping[str, xr.DataArray],
    *,
    kind: Kind = "normal",
    flat: Flat = "half",
    missing: Missing = "error",
    rng: int | np.random.Generator = 0,
) -> xr.Dataset:
    """Score new systems by factors fitted on old systems and by factors fitted on themselves; correlate.

    old, new : a cube, or cubes by collection name. Each old collection meets the new one of its name, or the only new
    one, on the topics and metrics that both have.

    Returns over (topics, metric) the correlation of the new systems' mean standardized scores by the old factors with
    those by their own: Pearson's, Kendall's tau-b, and tau_AP,b. Few systems make factors that others do not share,
    whatever their age; so all systems are dealt anew at random, in sets of these sizes: chance_tau is the mean tau of
    such deals, quantile the share of them with a lower one (equal ones counted half).
    Source: Webber et al. (SIGIR 2008), Table 2; the deals are ours.
    """
    old, new = by_name(old), by_name(new)
    if not old:
        raise ScoresError("no old collection to take factors from")
    met = {
        name: standardization.common(scores, standardization.counterpart(name, new), missing)
        for name, scores in old.items()
    }
    metrics = common_metrics({name: by for name, (by, _, _) in met.items()})
    figures, sizes, notes = [], [], []
    generator, chance = seeded(rng)
    used: dict[str, xr.DataArray] = {}
    for name, (by, scores, told) in met.items():
        by, scores = by.sel(metric=metrics), scores.sel(metric=metrics)
        require_variation(scores.mean("topic").values.T, metrics)
        ways = [standardization.apply(scores, standardization.fit(one), kind, flat=flat) for one in (by, scores)]
        found = _correlations(*(way.mean("topic").values.T for way in ways))
        dealt = _dealt(by.values, scores.values, kind, flat, generator)
        below = comparability.quantile(found[:, FIGURES.index("tau")], dealt)
        figures.append(np.column_stack([found, dealt.mean(axis=0), below]))
        sizes.append((by.sizes["topic"], by.sizes["system"], scores.sizes["system"]))
        told += [line for way in ways for line in standardization.flat_topics(way)]
        notes += [f"{name}: {line}" for line in told]
        used |= {f"{name} old": by, f"{name} new": scores}
    return result(
        "durability",
        {
            **{
                name: (("topics", "metric"), part)
                for name, part in zip((*FIGURES, *CHANCE), np.moveaxis(np.array(figures), 2, 0), strict=True)
            },
            **{name: ("topics", list(part)) for name, part in zip(SIZES, zip(*sizes, strict=True), strict=True)},
        },
        inputs=used,
        options={"kind": kind, "flat": flat, "missing": missing, "deals": DEALS, "seed": chance},
        notes=[*notes, f"Monte-Carlo standard error of the quantiles: at most {0.5 / DEALS**0.5:.3f}"],
    ).assign_coords(topics=list(met), metric=metrics)


def tables(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Table `durability`: topics (the old collection), metric, the figures, and how many of each."""
    return {"durability": frame(outcome, ("topics", "metric"), (*FIGURES, *CHANCE, *SIZES))}


def findings(outcome: xr.Dataset) -> list[str]:
    """Say how far the old factors still order the new systems as their own factors do."""
    return [
        f"{row['topics']}, {row['metric']}: by the factors of {row['old_systems']} old systems, the "
        f"{row['new_systems']} new ones rank with tau {row['tau']:.3f} (scores: Pearson {row['pearson']:.3f}) "
        f"to their ranking by their own; {row['chance_tau']:.3f} where old and new are dealt at random, and less than "
        f"this in {row['quantile']:.0%} of deals: {_verdict(row['tau'], row['quantile'])}."
        for row in tables(outcome)["durability"].iter_rows(named=True)
    ]


def _verdict(tau: float, quantile: float) -> str:
    if tau >= 0.9:
        return "the old factors still serve"
    if quantile < 0.05:
        return "the old factors have aged; fit new ones"
    return "so few systems cannot tell whether the old factors have aged"


def _correlations(a: Floats, b: Floats) -> Floats:
    """Give each of FIGURES for each row of scores by two ways: (metric, figure)."""
    a, b = rank.settled(a), rank.settled(b)
    return np.array(
        [[float(of(x, y)) for of in (rank.pearson, rank.tau_b, topheavy.tau_ap_b)] for x, y in zip(a, b, strict=True)]
    )


def _dealt(
    old: Floats,
    new: Floats,
    kind: Kind,
    flat: Flat,
    rng: np.random.Generator,
) -> Floats:
    """Give tau of random deals of the systems in sets of the old sizes: (deal, metric); 0 where a set is tied."""
    pooled = np.concatenate([old, new])
    taus = []
    for _ in range(DEALS):
        order = rng.permutation(len(pooled))
        by, scores = pooled[order[: len(old)]], pooled[order[len(old) :]]
        ways = [rank.settled(_means(scores, one, kind, flat))[:, None] for one in (by, scores)]
        taus.append(rank.tau_b(*ways)[:, 0, 0])
    return np.nan_to_num(np.array(taus))


def _means(scores: Floats, by: Floats, kind: Kind, flat: Flat) -> Floats:
    """Give mean standardized scores (metric, system) of scores (system, topic, metric), by the factors of others."""
    factors = standardizers.fit(by)
    standardized = standardizers.standardize(scores, factors, kind, flat="raw" if flat == "raw" else "half")
    if flat == "drop":
        standardized = standardized[:, ~standardizers.KINDS[kind].undefined(factors).any(axis=1)]
    return np.asarray(standardized.mean(axis=1).T)
