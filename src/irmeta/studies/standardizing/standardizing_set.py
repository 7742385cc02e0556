"""How many systems standardization factors need: random parts of the standardizing systems against all of them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
import xarray as xr

from irmeta.choices import Kind, Missing
from irmeta.errors import ScoresError
from irmeta.parallel import seeded, steps
from irmeta.scores import standardization
from irmeta.scores.cubes import by_name
from irmeta.scores.figures import short
from irmeta.scores.groups.teams import EACH, Grouping, Teams, teams_of, teams_phrase
from irmeta.scores.result import frame, result
from irmeta.scores.selection import require_variation
from irmeta.stats.arrays import Floats, Ints, settled
from irmeta.stats.rankings import rank
from irmeta.stats.standardizing.partial import partial_means
from irmeta.studies.door import Cube, Cubes, study

SIZES = (2, 3, 5, 10, 15, 20, 30, 40, 50)
PERCENTILES = {"p50": 0.5, "p5": 0.05, "p1": 0.01}
"""Columns, and the share of draws below each."""


@study
def standardizing_set(
    old: Cube,
    new: Cube | Cubes,
    *,
    sizes: Sequence[int] | None = None,
    resamples: int = 1500,
    kind: Kind = "normal",
    teams: Grouping = None,
    missing: Missing = "error",
    rng: int | np.random.Generator = 0,
) -> xr.Dataset:
    """Draw some of the old systems, standardize the new ones by them, and measure how far that changes their ranking.

    old : scores of the old systems, of which some standardize
    new : scores of the new systems on the same topics; of several collections, the one of the old one's name
    sizes : numbers of old systems to draw, as in 2,3,5,10,20; by default 2 to 50, as far as there are as many
    resamples : number of random samples of each size, at least 100
    kind : how scores are standardized, as in `irmeta.standardize.apply`
    missing : what to do with missing scores, as in `selection.complete`
    rng : a seed or a generator, of all that is random
    teams : the teams of the old systems, a table, "stem" of their names or "each" by itself; whole teams are drawn, so
        that fewer independent systems make a set; by default stems where many names share one

    Returns over (systems, metric) p50, p5 and p1, the percentiles over draws of tau-b with the ranking by all old
    systems, each with its Monte-Carlo standard error; over (metric) raw, the tau of the ranking by raw scores with the
    same. Source: Webber et al. (SIGIR 2008), section 4, Figure 4.
    """
    generator = seeded(rng)[0]
    name = str(old.attrs.get("collection", "collection"))
    new = standardization.counterpart(name, by_name(new))
    old, new, notes = standardization.on_common_topics(old, new, missing)
    names = [str(metric) for metric in new.metric.values]
    sizes = _sizes(sizes, old.sizes["system"])
    if resamples < 100:
        raise ScoresError(
            f"{resamples} resamples are too few for a 1st percentile; use 1000 or more"
        )
    require_variation(new.mean("topic").values.T, names)
    full = standardization.apply(new, standardization.fit(old), kind)
    notes += standardization.flat_topics(full)
    team = teams_of(old["system"].values, teams)
    taus, raw = _taus(old, new, full, sizes, resamples, kind, team.of, generator)
    notes += _tie_notes(taus, sizes, old)
    notes.append(_sampling_note(team))
    over = ("systems", "metric")
    data: dict[str, Any] = {}
    for name, share in PERCENTILES.items():
        data[name] = (over, _quantiles(taus, [share])[0])
    for name, share in PERCENTILES.items():
        data[f"{name}_se"] = (over, _quantile_error(taus, share))
    data["raw"] = ("metric", raw)
    outcome = result(
        "standardizing_set",
        data,
        inputs={"old": old, "new": new},
        options={"sizes": sizes},
        notes=notes,
    )
    return outcome.assign_coords(systems=sizes, metric=names)


def _sizes(wanted: Sequence[int] | None, limit: int) -> list[int]:
    """Return the numbers of systems to draw from this many, by default those of `SIZES` that are smaller."""
    sizes = [size for size in SIZES if size < limit]
    if wanted is not None:
        sizes = list(wanted)
    if not sizes:
        raise ScoresError(
            f"random sets need at least 3 old systems; there are {limit} (with --sizes 2 are "
            "enough)"
        )
    wrong = [size for size in sizes if not 2 <= size <= limit]
    if wrong:
        raise ScoresError(
            f"sizes must be between 2 and {limit}, the number of old systems, not "
            f"{', '.join(map(str, wrong))}"
        )
    return sizes


def _taus(
    old: xr.DataArray,
    new: xr.DataArray,
    full: xr.DataArray,
    sizes: Sequence[int],
    resamples: int,
    kind: Kind,
    team: Ints,
    rng: np.random.Generator,
) -> tuple[Floats, list[float]]:
    """Return tau with the ranking by all old systems: of each draw (draw, size, metric), of raw scores (metric,)."""
    standardized = settled(full.mean("topic").values)  # (system, metric)
    by_raw = settled(new.mean("topic").values)
    taus = np.empty((resamples, len(sizes), old.sizes["metric"]))
    raw = []
    for at in steps(range(old.sizes["metric"]), "metrics"):
        by_size = partial_means(
            old.values[..., at], new.values[..., at], sizes, resamples, kind, rng, team
        )
        for column, means in enumerate(by_size):
            taus[:, column, at] = rank.tau_b(settled(means), standardized[:, at])
        raw.append(float(rank.tau_b(by_raw[:, at], standardized[:, at])))
    return taus, raw


def tables(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Table `sample`: systems, metric, p50, p5, p1 and their standard errors; `raw`: the tau of raw scores."""
    return {
        "sample": frame(
            outcome,
            (*PERCENTILES, *(f"{name}_se" for name in PERCENTILES)),
            by=["systems", "metric"],
        ),
        "raw": frame(outcome, ["raw"]).rename({"raw": "tau"}),
    }


def findings(outcome: xr.Dataset) -> list[str]:
    """Say from how many systems on the factors change the ranking less than standardizing at all does."""
    lines = []
    for metric in outcome.metric.values:
        of_metric = outcome.sel(metric=metric)
        raw = of_metric["raw"].item()
        often = [
            f"{_enough_clause(of_metric, name)} in {share} of draws"
            for name, share in (("p5", "95%"), ("p1", "99%"))
        ]
        lines.append(
            f"{metric}: to rank new systems closer to the ranking by all standardizing systems than "
            f"raw scores do (tau {short(raw, 3)}), {' and '.join(often)}."
        )
    return lines


def _enough_clause(of_metric: xr.Dataset, percentile: str) -> str:
    """Say how many systems reach the tau of raw scores at a percentile of the draws."""
    enough = (of_metric[percentile] >= of_metric["raw"]).values
    reached = of_metric.systems.values[enough]
    if not reached.size:
        return "no tried size is enough"
    return f"{reached[0]} systems are enough"


def _sampling_note(team: Teams) -> str:
    """Say whether systems were drawn one by one, or whole teams."""
    if team.source is None:
        return (
            "Systems are drawn one by one; if yours come from few teams, you need more of them: "
            "name the teams (--teams)."
        )
    if team.source == EACH:
        return "Systems are drawn one by one."
    return (
        f"Whole teams are drawn, from {len(team.names)} (teams: {teams_phrase(team.options)}); of the last team "
        "some systems may be left out."
    )


def _tie_notes(taus: Floats, sizes: Sequence[int], old: xr.DataArray) -> list[str]:
    """Note the draws by which all new systems are tied, so that tau is undefined."""
    draws = len(taus)
    counts = np.isnan(taus).sum(axis=0)  # (size, metric)
    lines = []
    for metric, size in np.argwhere(counts.T):
        lines.append(
            f"{old.metric.values[metric]}: in {counts[size, metric]} of {draws} draws of "
            f"{sizes[size]} systems all new systems tie; percentiles are of the other draws"
        )
    return lines


def _quantiles(taus: Floats, shares: Sequence[float]) -> Floats:
    """Return quantiles over the draws in which tau is defined, NaN where it is in none: (share, size, metric)."""
    undefined = np.isnan(taus).all(axis=0)
    quantiles = np.nanquantile(np.where(undefined, 0.0, taus), shares, axis=0)
    return np.where(undefined, np.nan, quantiles)


def _quantile_error(taus: Floats, share: float) -> Floats:
    """Return the Monte-Carlo standard error of a quantile: half the distance of those one binomial error apart."""
    error = np.sqrt(share * (1 - share) / len(taus))
    low, high = _quantiles(taus, [max(share - error, 0), share + error])
    return np.asarray((high - low) / 2)
