"""Whether old standardization factors still serve new systems: the new systems' own factors beside them."""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
import polars as pl
import xarray as xr

from irmeta import standardization
from irmeta.cube import Missing
from irmeta.errors import ScoresError
from irmeta.names import nearest
from irmeta.result import frame, result
from irmeta.standardization import Flat, Kind
from irmeta.stats import rank, topheavy

FIGURES = ("pearson", "tau", "tau_ap")


def durability(
    old: Mapping[str, xr.DataArray],
    new: Mapping[str, xr.DataArray],
    *,
    kind: Kind = "normal",
    flat: Flat = "half",
    missing: Missing = "error",
) -> xr.Dataset:
    """Score new systems by factors fitted on old systems and by factors fitted on themselves; correlate.

    old, new : cubes by collection name. Each old collection meets the new one of its name, or the only new one, on the
    topics and metrics that both have.

    Returns over (topics, metric) the correlation of the new systems' mean standardized scores by the old factors with
    those by their own: Pearson's, Kendall's tau-b, and tau_AP,b. Source: Webber et al. (SIGIR 2008), Table 2.
    """
    if not old:
        raise ScoresError("no old collection to take factors from")
    met = {name: standardization.common(scores, _counterpart(name, new), missing) for name, scores in old.items()}
    metrics = [
        m
        for m in next(iter(met.values()))[0].metric.values
        if all(m in a.indexes["metric"] for a, _, _ in met.values())
    ]
    if not metrics:
        raise ScoresError(f"the old collections ({', '.join(old)}) have no metric in common; choose one (--metrics)")
    notes, figures = [], []
    for name, (by, scores, told) in met.items():
        by, scores = by.sel(metric=metrics), scores.sel(metric=metrics)
        ways = [standardization.apply(scores, standardization.fit(one), kind, flat=flat) for one in (by, scores)]
        notes += [
            f"{name}: {line}" for line in (*told, *(flat for way in ways for flat in standardization.flat_topics(way)))
        ]
        figures.append(_correlations(*(way.mean("topic").values.T for way in ways)))
    sizes = {"topic_count": [by.sizes["topic"] for by, _, _ in met.values()]}
    sizes |= {"old_systems": [by.sizes["system"] for by, _, _ in met.values()]}
    sizes |= {"new_systems": [scores.sizes["system"] for _, scores, _ in met.values()]}
    numbers = np.array(figures)
    return result(
        "durability",
        {
            **{name: (("topics", "metric"), numbers[..., at]) for at, name in enumerate(FIGURES)},
            **{name: ("topics", sizes[name]) for name in sizes},
        },
        inputs={
            f"{name} {age}": one
            for name, pair in met.items()
            for age, one in zip(("old", "new"), pair[:2], strict=True)
        },
        options={"kind": kind, "flat": flat, "missing": missing},
        notes=notes,
    ).assign_coords(topics=list(met), metric=metrics)


def tables(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Table `durability`: topics (the old collection), metric, pearson, tau, tau_ap, and how many of each."""
    columns = (*FIGURES, "topic_count", "old_systems", "new_systems")
    return {"durability": frame(outcome, ("topics", "metric"), columns)}


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


def _counterpart(name: str, new: Mapping[str, xr.DataArray]) -> xr.DataArray:
    if name in new:
        return new[name]
    if len(new) == 1:
        return next(iter(new.values()))
    raise ScoresError(f"there is no new collection {name!r} to go with the old one; {nearest(name, new)}")
