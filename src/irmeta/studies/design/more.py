"""More runs of each system, more topics, more clusters of them: how many narrow intervals, and what they cost."""

from typing import Any, NamedTuple

import numpy as np
import polars as pl
import xarray as xr

from irmeta.errors import ScoresError
from irmeta.scores.attributes import REPEATS, about
from irmeta.scores.averages.means import additive
from irmeta.scores.groups.clusters import cluster_numbers, in_clusters
from irmeta.scores.groups.runs import runs_of, spread_of
from irmeta.scores.result import with_nulls
from irmeta.stats.halves.more import parts
from irmeta.words import joined

NARROWER = (0.1, 0.25)
"""Shares by which intervals are to be narrower."""


class Costs(NamedTuple):
    """What a topic costs with its judgments, a cluster beside its topics, and another run of every system, if known."""

    topic: float
    cluster: float
    run: float | None


def more_of(scores: xr.DataArray, target: str, costs: Costs) -> dict[str, Any]:
    """Return over (spend, narrower) how many more are needed, and their cost.

    scores : without missing scores, by topic. Where topics stand alone and nobody ran several times: nothing.
    """
    facts = about(scores).get(REPEATS)
    spread = spread_of(facts, [target]) if facts else None
    cluster = cluster_numbers(scores)[1] if in_clusters(scores) else None
    if cluster is None and costs.cluster:
        raise ScoresError("clusters have a cost, but the scores have no clusters")
    if spread is None and costs.run is not None:
        raise ScoresError(
            "runs have a cost, but no system has several; say which runs are of one system (--repeats)"
        )
    if spread is None and cluster is None:
        return {}
    line = additive(scores.sel(metric=[target])).isel(metric=0).values
    systems = [str(name) for name in scores.system.values]
    runs = runs_of(facts, systems) if facts and spread else None
    found = parts(line, cluster, runs, spread)
    now: dict[str, float] = {"topics": line.shape[1]}
    prices = {"topics": costs.topic}
    if cluster is not None:
        now["clusters"] = cluster.max() + 1
        prices["clusters"] = (
            costs.cluster + now["topics"] / now["clusters"] * costs.topic
        )
    kinds = {kind: kind for kind in now}  # as `Parts.times` calls them
    if facts and runs is not None:
        who = "judges" if "judges" in facts else "runs"
        kinds[who] = "runs"
        now[who] = runs[runs > 1].mean()
        prices[who] = np.nan if costs.run is None else costs.run
    # (spend, narrower)
    times = np.array(
        [[found.times(kind, share) for share in NARROWER] for kind in kinds.values()]
    )
    there, price = (np.array([*part.values()])[:, None] for part in (now, prices))
    more = np.ceil((times - 1) * there - 1e-9)
    more = np.where(np.isfinite(more), more, np.nan)
    return {
        "more": (("spend", "narrower"), more),
        "more_cost": (("spend", "narrower"), more * price),
        "more_now": ("spend", [*now.values()]),
        "spend": [*now],
        "narrower": list(NARROWER),
    }


def more_sentences(outcome: xr.Dataset) -> list[str]:
    """Say what makes intervals of differences a tenth narrower, each with its cost, the cheapest first."""
    if "more" not in outcome:
        return []
    first = outcome.isel(narrower=0)
    cost = np.nan_to_num(first["more_cost"].values, nan=np.inf)
    can = np.isfinite(first["more"].values)
    ways = [
        _way_phrase(first.isel(spend=at))
        for at in np.argsort(cost, kind="stable")
        if can[at]
    ]
    cannot = [str(name) for name in first["spend"].values[~can]]
    target = about(outcome)["options"]["target"]
    share = f"{100 * float(first['narrower']):.0f}%"
    text = f"Intervals of differences by {target} are {share} narrower with {joined(ways, 'or')}"
    if not ways:
        text = f"Intervals of differences by {target} cannot be {share} narrower"
    if cannot:
        text += f"; more {joined(cannot)} alone cannot do it"
    return [f"{text}."]


def _way_phrase(one: xr.Dataset) -> str:
    """Say how many more of what, and their cost if it is known."""
    more, kind = int(one["more"]), str(one["spend"].item())
    what = kind.removesuffix("s") if more == 1 else kind
    of = " of each system" if kind == "runs" else ""
    price = float(one["more_cost"])
    paid = "" if np.isnan(price) else f" ({price:.0f})"
    return f"{more} more {what}{of}{paid}"


def table(outcome: xr.Dataset) -> pl.DataFrame:
    """List for each way, and each share, how many there are, how many more are needed, and their cost."""
    rows = [
        {
            "spend": str(kind),
            "narrower": float(share),
            "now": float(outcome["more_now"].sel(spend=kind)),
            "more": float(outcome["more"].sel(spend=kind, narrower=share)),
            "cost": float(outcome["more_cost"].sel(spend=kind, narrower=share)),
        }
        for kind in outcome["spend"].values
        for share in outcome["narrower"].values
    ]
    return with_nulls(pl.DataFrame(rows))
