"""Whether old standardization factors still serve new systems: the new systems' own factors beside them."""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
import polars as pl
import xarray as xr

from irmeta import standardization
from irmeta.cube import Missing, require_variation
from irmeta.cubes import by_name, common_metrics
from irmeta.errors import ScoresError
from irmeta.result import frame, result
from irmeta.standardization import Flat, Kind
from irmeta.stats import rank, topheavy

FIGURES = ("pearson", "tau", "tau_ap")
SIZES = ("topic_count", "old_systems", "new_systems")


def durability(
    old: xr.DataArray | Mapping[str, xr.DataArray],
    new: xr.DataArray | Mapping[str, xr.DataArray],
    *,
    kind: Kind = "normal",
    flat: Flat = "half",
    missing: Missing = "error",
) -> xr.Dataset:
    """Score new systems by factors fitted on old systems and by factors fitted on themselves; correlate.

    old, new : a cube, or cubes by collection name. Each old collection meets the new one of its name, or the only new
    one, on the topics and metrics that both have.

    Returns over (topics, metric) the correlation of the new systems' mean standardized scores by the old factors with
    those by their own: Pearson's, Kendall's tau-b, and tau_AP,b. Source: Webber et al. (SIGIR 2008), Table 2.
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
    used: dict[str, xr.DataArray] = {}
    for name, (by, scores, told) in met.items():
        by, scores = by.sel(metric=metrics), scores.sel(metric=metrics)
        require_variation(scores.mean("topic").values.T, metrics)
        ways = [standardization.apply(scores, standardization.fit(one), kind, flat=flat) for one in (by, scores)]
        figures.append(_correlations(*(way.mean("topic").values.T for way in ways)))
        sizes.append((by.sizes["topic"], by.sizes["system"], scores.sizes["system"]))
        told += [line for way in ways for line in standardization.flat_topics(way)]
        notes += [f"{name}: {line}" for line in told]
        used |= {f"{name} old": by, f"{name} new": scores}
    return result(
        "durability",
        {
            **{
                name: (("topics", "metric"), part)
                for name, part in zip(FIGURES, np.moveaxis(np.array(figures), 2, 0), strict=True)
            },
            **{name: ("topics", list(part)) for name, part in zip(SIZES, zip(*sizes, strict=True), strict=True)},
        },
        inputs=used,
        options={"kind": kind, "flat": flat, "missing": missing},
        notes=notes,
    ).assign_coords(topics=list(met), metric=metrics)


def tables(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Table `durability`: topics (the old collection), metric, pearson, tau, tau_ap, and how many of each."""
    return {"durability": frame(outcome, ("topics", "metric"), (*FIGURES, *SIZES))}


def findings(outcome: xr.Dataset) -> list[str]:
    """Say how far the old factors still order the new systems as their own factors do."""
    return [
        f"{row['topics']}, {row['metric']}: by the factors of {row['old_systems']} old systems, the "
        f"{row['new_systems']} new ones rank with tau {row['tau']:.3f} (scores: Pearson {row['pearson']:.3f}) "
        "to their ranking by their own: "
        + ("the old factors still serve." if row["tau"] >= 0.9 else "the old factors have aged; fit new ones.")
        for row in tables(outcome)["durability"].iter_rows(named=True)
    ]


def _correlations(a: npt.NDArray[np.float64], b: npt.NDArray[np.float64]) -> list[list[float]]:
    a, b = rank.settled(a), rank.settled(b)
    return [
        [float(of(x, y)) for of in (rank.pearson, rank.tau_b, topheavy.tau_ap_b)] for x, y in zip(a, b, strict=True)
    ]
