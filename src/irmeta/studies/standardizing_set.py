"""How many systems standardization factors need: random parts of the standardizing systems against all of them."""

from collections.abc import Sequence

import numpy as np
import polars as pl
import xarray as xr

from irmeta import standardization
from irmeta.choices import Kind, Missing
from irmeta.cube import require_variation
from irmeta.errors import ScoresError
from irmeta.parallel import seeded, steps
from irmeta.result import frame, result
from irmeta.stats.arrays import Floats
from irmeta.stats.rankings import rank
from irmeta.stats.standardizing.partial import partial_means

SIZES = (2, 3, 5, 10, 15, 20, 30, 40, 50)
PERCENTILES = {"p50": 0.5, "p5": 0.05, "p1": 0.01}
"""Columns, and the share of draws below each."""


def standardizing_set(
    old: xr.DataArray,
    new: xr.DataArray,
    *,
    sizes: Sequence[int] | None = None,
    draws: int = 1500,
    kind: Kind = "normal",
    missing: Missing = "error",
    rng: int | np.random.Generator = 0,
) -> xr.Dataset:
    """Draw some of the old systems, standardize the new ones by them, and see how far that changes their ranking.

    old, new : the standardizing and the evaluated systems, on the topics and metrics that both have.
    sizes : how many old systems to draw; by default 2 to 50 as far as there are so many.

    Returns over (systems, metric) p50, p5 and p1, the percentiles over draws of tau-b with the ranking by all old
    systems, each with its Monte-Carlo standard error; over (metric) raw, the tau of the ranking by raw scores with the
    same. Source: Webber et al. (SIGIR 2008), section 4, Figure 4.
    """
    generator, chance = seeded(rng)
    old, new, notes = standardization.common(old, new, missing)
    limit = old.sizes["system"]
    sizes = [size for size in SIZES if size < limit] if sizes is None else list(sizes)
    wrong = [size for size in sizes if not 2 <= size <= limit]
    if wrong or not sizes:
        raise ScoresError(f"sizes to draw lie between 2 and the {limit} old systems; not {', '.join(map(str, wrong))}")
    if draws < 100:
        raise ScoresError(f"{draws} draws give no 1st percentile; use 1000 or more")
    require_variation(new.mean("topic").values.T, [str(metric) for metric in new.metric.values])
    full = standardization.apply(new, standardization.fit(old), kind)
    notes += standardization.flat_topics(full)
    taus = np.empty((draws, len(sizes), old.sizes["metric"]))
    by_metric = list(zip(old.values.T, new.values.T, full.mean("topic").values.T, strict=True))
    for at, (one, other, reference) in enumerate(steps(by_metric, "metrics")):
        by_size = partial_means(one.T, other.T, sizes, draws, kind, generator)
        for column, means in enumerate(by_size):
            taus[:, column, at] = rank.tau_b(rank.settled(means), rank.settled(reference))
    over = ("systems", "metric")
    notes += _tied(taus, sizes, old)
    figures = {name: (over, _quantiles(taus, [share])[0]) for name, share in PERCENTILES.items()}
    errors = {f"{name}_se": (over, _quantile_error(taus, share)) for name, share in PERCENTILES.items()}
    raw, standardized = (rank.settled(scores.mean("topic").values.T) for scores in (new, full))
    against_raw = [float(rank.tau_b(a, b)) for a, b in zip(raw, standardized, strict=True)]
    return result(
        "standardizing_set",
        {**figures, **errors, "raw": ("metric", against_raw)},
        inputs={"old": old, "new": new},
        options={"sizes": sizes, "draws": draws, "kind": kind, "missing": missing, "seed": chance},
        notes=notes,
    ).assign_coords(systems=sizes, metric=[str(metric) for metric in old.metric.values])


def tables(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Table `sample`: systems, metric, p50, p5, p1 and their standard errors; `raw`: the tau of raw scores."""
    return {
        "sample": frame(outcome, ("systems", "metric"), (*PERCENTILES, *(f"{name}_se" for name in PERCENTILES))),
        "raw": frame(outcome, ("metric",), ("raw",)).rename({"raw": "tau"}),
    }


def findings(outcome: xr.Dataset) -> list[str]:
    """Say from how many systems on the factors change the ranking less than standardizing at all does."""
    told = []
    for metric in outcome.metric.values:
        one = outcome.sel(metric=metric)
        raw = one["raw"].item()
        enough = {name: outcome.systems.values[(one[name] >= raw).values] for name in ("p5", "p1")}
        words = {"p5": "95%", "p1": "99%"}
        parts = [
            f"{enough[name][0]} systems do in {words[name]} of draws"
            if enough[name].size
            else f"none of the sizes tried does in {words[name]} of draws"
            for name in enough
        ]
        told.append(
            f"{metric}: raw and standardized scores rank the systems with tau {raw:.3f}; to rank more like all "
            f"standardizing systems than that, {' and '.join(parts)}."
        )
    return told


def _tied(taus: Floats, sizes: Sequence[int], old: xr.DataArray) -> list[str]:
    """Note the draws by which all new systems are tied, so that tau is undefined."""
    counts = np.isnan(taus).sum(axis=0)
    return [
        f"{old.metric.values[metric]}: by {counts[size, metric]} of {len(taus)} draws of {sizes[size]} systems all new "
        "systems are tied; percentiles are of the others"
        for metric, size in np.argwhere(counts.T)
    ]


def _quantiles(taus: Floats, shares: Sequence[float]) -> Floats:
    """Give quantiles over the draws in which tau is defined, NaN where it is in none: (share, size, metric)."""
    undefined = np.isnan(taus).all(axis=0)
    return np.where(undefined, np.nan, np.nanquantile(np.where(undefined, 0.0, taus), shares, axis=0))


def _quantile_error(taus: Floats, share: float) -> Floats:
    """Give the Monte-Carlo standard error of a quantile: half the distance of those one binomial error apart."""
    error = np.sqrt(share * (1 - share) / taus.shape[0])
    low, high = _quantiles(taus, [max(share - error, 0), share + error])
    return np.asarray((high - low) / 2)
