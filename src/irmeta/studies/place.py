"""Where systems stand among everybody's, on one collection or on several: by standardized scores."""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import xarray as xr

from irmeta import standardization
from irmeta.attributes import about
from irmeta.choices import Missing
from irmeta.cube import check, complete, select
from irmeta.cubes import by_name
from irmeta.errors import ScoresError
from irmeta.frames import is_table
from irmeta.names import nearest
from irmeta.parallel import seeded
from irmeta.result import frame, result
from irmeta.stats.arrays import Floats
from irmeta.stats.rankings.ranksets import rank_sets_of
from irmeta.stats.standardizing import across, standing
from irmeta.stats.standardizing.across import Estimate, Placed, Spread
from irmeta.stats.standardizing.standing import Everybody, Standing

Factors = xr.Dataset
Known = xr.Dataset | xr.DataArray
"""What is known of everybody's systems on a collection: its factors, or the scores of all of them."""
DRAWS = 2000
"""Draws that rank sets are made of."""
FEW = 4
"""Systems, and pairs of them, that are each spoken of."""
_OWN = ("score", "standardized", "low", "high", "rank", "rank_low", "rank_high", "best_automatic")
_STAND = ("standardized", "percentile", "median", "best")
_PLACE = ("percentile", "percentile_low", "percentile_high")
_PAIR = ("difference", "difference_low", "difference_high", "p", "raw_difference")


class _Collection(NamedTuple):
    """One collection by one metric: the systems to place, and everybody's; `automatic` is the best automatic score."""

    scores: Floats
    automatic: float
    placed: Placed
    spread: Spread
    everybody: Everybody
    versus: Estimate


def place(
    scores: xr.DataArray | Mapping[str, xr.DataArray],
    *,
    on: Known | Mapping[str, Known],
    metrics: str | Iterable[str] | None = None,
    baseline: str | None = None,
    level: float = 0.95,
    missing: Missing = "error",
    rng: int | np.random.Generator = 0,
) -> xr.Dataset:
    """Place systems among everybody's on their collection, and compare them across collections.

    scores : the systems to place, a cube or several by collection.
    on : everybody's systems, for several collections by name: factors, or a cube of their scores.
    metrics : by default those that all scores and all factors have.
    baseline : a system that the others are to improve on, where it has scores.
    level : of intervals, tests and rank sets, in (0, 1).

    Returns over (entry, metric), an entry being a system on a collection: mean score; mean standardized score with low
    and high; rank among the entries with its rank set; `Standing` among everybody's. Over (pair, metric), pairs of
    entries: difference with low, high and p. All include that other systems might have standardized.
    Raises ScoresError for a collection without factors, for topics or metrics that the factors lack, and for scores
    that are standardized already. Sources: Webber, Moffat and Zobel (SIGIR 2008); Armstrong et al. (CIKM 2009).

    >>> from irmeta.cube import cube
    >>> drawn, topics = np.random.default_rng(0).random((12, 8, 1)), [str(topic) for topic in range(8)]
    >>> everybody = cube(drawn, [f"s{i}" for i in range(12)], topics, ["AP"], collection="mine")
    >>> outcome = place(everybody.isel(system=[3]), on=everybody)
    >>> round(outcome["standardized"].item(), 3), outcome["percentile"].item().__round__(1)
    (0.614, 70.8)
    """
    if not 0 < level < 1:
        raise ScoresError(f"the level is between 0 and 1, as in 0.95, not {level:g}")
    generator, chance = seeded(rng)
    cubes = by_name(scores)
    known = _known(on, list(cubes))
    factors = {name: _factors(one) for name, one in known.items()}
    names = _metrics(cubes, factors, metrics)
    notes, used = list[str](), dict[str, xr.DataArray]()
    for name, given in cubes.items():
        used[name], told = complete(select(given, metrics=names), missing)
        notes += [f"{name}: {line}" for line in [*told, *_told(used[name], factors[name], known[name])]]
    shared = _shared(factors)
    figures = []
    for metric in names:
        found = [_collection(used[name], factors[name], known[name], metric) for name in used]
        figures.append(_figures(found, shared, level, generator))
    outcome = result(
        "place",
        {name: (dim, np.stack([one[name] for one in figures], axis=1)) for name, dim in _DIMS.items()},
        inputs=used,
        options={
            **{"level": level, "baseline": baseline, "missing": missing, "seed": chance},
            "factors": {name: one.attrs["digest"] for name, one in factors.items()},
        },
        notes=notes,
    )
    outcome = _labelled(outcome, used, names)
    if baseline is not None and baseline not in outcome["system"].values:
        raise ScoresError(
            f"no scores of the baseline {baseline!r}; {nearest(baseline, map(str, outcome.system.values))}"
        )
    return outcome


def tables(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Tables `systems` (an entry and metric), `pairs` of entries, and `baseline` where one is named."""
    own = frame(outcome, (*_OWN, *Standing._fields), by=("collection", "system", "metric"))
    views = {"systems": own}
    if outcome.sizes["pair"]:
        names = ("collection_a", "system_a", "collection_b", "system_b", "metric")
        views["pairs"] = frame(outcome, _PAIR, by=names)
    if about(outcome)["options"]["baseline"] is not None:
        views["baseline"] = _improvements(outcome)
    return {name: view.with_columns(pl.selectors.float().fill_nan(None)) for name, view in views.items()}


def overview(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Show each entry with its interval and its place among everybody's, and the pairs across collections."""
    views = tables(outcome)
    several = views["systems"]["collection"].n_unique() > 1
    name = pl.format("{} on {}", "system", "collection") if several else pl.col("system")
    shown = {
        "systems": views["systems"].select(
            name.alias("system"),
            "metric",
            "score",
            pl.format("{} {}", pl.col("standardized").round(3), _interval("low", "high")).alias("standardized"),
            pl.format("{} [{}, {}]", *(pl.col(one).round(0).cast(pl.Int64) for one in _PLACE)).alias("percentile"),
        )
    }
    if "pairs" in views and (several or "baseline" not in views):
        pair = [pl.format("{} on {}", f"system_{side}", f"collection_{side}") for side in "ab"]
        names = pair if several else [pl.col("system_a"), pl.col("system_b")]
        shown["pairs"] = views["pairs"].select(
            pl.format("{} / {}", *names).alias("pair"),
            *("metric", "difference"),
            _interval("difference_low", "difference_high").alias("interval"),
            "p",
        )
    if "baseline" in views:
        shown["baseline"] = views["baseline"].select(
            *("system", "metric", "gain", _interval("gain_low", "gain_high").alias("interval"), "share_of_way"),
            pl.when("baseline_below_median").then(pl.lit("below")).otherwise(pl.lit("at or above")).alias("the median"),
        )
    return shown


def findings(outcome: xr.Dataset) -> list[str]:
    """Say where each system stands, which is better across collections, and what becomes of the baseline."""
    views, level = tables(outcome), about(outcome)["options"]["level"]
    metric = str(outcome["metric"].values[0])
    told = [_of_entry(row, level) for row in _first(views["systems"], metric)]
    told += [_of_pair(row, level) for row in _first(_across(views.get("pairs")), metric)]
    if "baseline" in views:
        told += [_of_baseline(row, level) for row in _first(views["baseline"].drop_nulls("share_of_way"), metric)]
    return told


def _across(pairs: pl.DataFrame | None) -> pl.DataFrame | None:
    """Keep the pairs of systems on different collections."""
    return None if pairs is None else pairs.filter(pl.col("collection_a") != pl.col("collection_b"))


_DIMS = {
    **dict.fromkeys((*_OWN, *Standing._fields), ("entry", "metric")),
    **dict.fromkeys(_PAIR, ("pair", "metric")),
}
"""The dimensions of each figure."""


def _known(on: Known | Mapping[str, Known], names: Sequence[str]) -> dict[str, Known]:
    """Return what is known of everybody's systems, by the collections of the systems to place."""
    if isinstance(on, xr.Dataset):
        on = dict.fromkeys(names, on)
    elif isinstance(on, xr.DataArray) or is_table(on):
        every: Any = by_name(on)  # type: ignore[arg-type]  # not a mapping with factors
        on = every if len(every) > 1 else dict.fromkeys(names, next(iter(every.values())))
    for name in names:
        if name not in on:
            raise ScoresError(
                f"no factors for the collection {name!r}; {nearest(name, on)}; fit them on all of its systems "
                "(irmeta standardize fit): without factors its scores compare with nothing"
            )
    return {name: one if isinstance(one := on[name], xr.Dataset) else check(one) for name in names}


def _factors(known: Known) -> Factors:
    """Return factors that say how their systems vary together; those of old files do not."""
    factors = standardization.fit(known) if isinstance(known, xr.DataArray) else known
    if "spread" not in factors.attrs:
        raise ScoresError(
            f"the factors of {factors.attrs.get('collection', 'this collection')} do not say how their systems vary "
            "together, so that differences would have no interval; fit them again, on 2 topics or more"
        )
    return factors


def _metrics(
    cubes: Mapping[str, xr.DataArray], factors: Mapping[str, Factors], metrics: str | Iterable[str] | None
) -> list[str]:
    """Name the metrics wanted, or those that all scores and all factors have."""
    first = next(iter(cubes.values()))
    if metrics is not None:
        return [str(metric) for metric in select(first, metrics=metrics).metric.values]
    held = [one.indexes["metric"] for one in (*cubes.values(), *factors.values())]
    found = [str(metric) for metric in first.metric.values if all(metric in one for one in held)]
    if not found:
        theirs = "; ".join(f"{name} has {', '.join(map(str, one.metric.values[:8]))}" for name, one in factors.items())
        raise ScoresError(f"scores and factors have no metric in common; of the factors, {theirs}")
    return found


def _told(scores: xr.DataArray, factors: Factors, known: Known) -> list[str]:
    """Say what is to be known of a collection's factors."""
    standardized = standardization.apply(scores, factors, "z")
    told = [*about(standardized)["standardization"]["notes"], *standardization.flat_topics(standardized)]
    fewer = scores.sizes["topic"] < factors.sizes["topic"]
    if isinstance(known, xr.Dataset) and fewer:
        told.append(
            f"{scores.sizes['topic']} of the factors' {factors.sizes['topic']} topics have scores: not placed among "
            "everybody's systems, whose means are over all topics"
        )
    elif isinstance(known, xr.Dataset):
        told.append("differences from everybody's systems are tested unpaired: factors keep means, no scores of topics")
    return told


def _shared(factors: Mapping[str, Factors]) -> Floats:
    """Return how many standardizing systems two collections share, over the root of the product of their numbers."""
    names = [_distinct(one) for one in factors.values()]
    shared = np.eye(len(names))
    for a, b in combinations(range(len(names)), 2):
        size = np.sqrt(len(names[a]) * len(names[b]))
        shared[a, b] = shared[b, a] = len(names[a] & names[b]) / max(size, 1.0)
    return shared


def _distinct(factors: Factors) -> set[str]:
    """Name the standardizing systems; names that tell nothing, as numbers, are made the collection's own."""
    names = [str(name) for name in about(factors).get("systems", ())]
    anonymous = all(re.fullmatch(r"(run|sys|system)?[-_ ]?\d+", name, re.IGNORECASE) for name in names)
    return {f"{factors.attrs['collection']}: {name}" for name in names} if anonymous else set(names)


def _collection(scores: xr.DataArray, factors: Factors, known: Known, metric: str) -> _Collection:
    """Gather what is known of one collection by one metric."""
    one = scores.sel(metric=[metric])
    found = about(factors)["spread"][metric]
    spread = Spread(np.array(found["covariance"]), int(found["units"]))
    placed = _placed(one, factors)
    others = (
        _paired(one, factors, known, placed, spread)
        if isinstance(known, xr.DataArray)
        else _unpaired(one, factors, placed, spread)
    )
    return _Collection(one.values[..., 0].mean(axis=1), _best_automatic(factors, others[0]), placed, spread, *others)


def _best_automatic(factors: Factors, everybody: Everybody) -> float:
    """Return the best score of the automatic systems; NaN where factors do not say which these are."""
    types = about(factors).get("types", [])
    scores = [score for score, kind in zip(everybody.mean, types, strict=False) if kind == "automatic"]
    return max(scores, default=np.nan)


def _placed(scores: xr.DataArray, factors: Factors) -> Placed:
    return across.place(standardization.apply(scores, factors, "z").values[..., 0])


def _paired(
    scores: xr.DataArray, factors: Factors, known: xr.DataArray, placed: Placed, spread: Spread
) -> tuple[Everybody, Estimate]:
    """Compare with everybody's scores on the same topics."""
    theirs = known.sel(metric=scores.metric.values, topic=scores.topic.values)
    others = _placed(theirs, factors)
    both = Placed(*(np.concatenate(pair) for pair in zip(placed, others, strict=True)))
    own = len(placed.scores)
    versus = Estimate(*(part[:own, own:] for part in across.differences([both], [spread], np.eye(1))))
    return Everybody(theirs.values[..., 0].mean(axis=1), others.scores.mean(axis=1)), versus


def _unpaired(scores: xr.DataArray, factors: Factors, placed: Placed, spread: Spread) -> tuple[Everybody, Estimate]:
    """Compare with what factors keep of everybody's systems: mean and variance over all topics."""
    if scores.sizes["topic"] < factors.sizes["topic"]:
        nothing = np.empty((len(placed.scores), 0))
        return Everybody(np.empty(0), np.empty(0)), Estimate(nothing, nothing, nothing)
    kept = about(factors)["standing"][str(scores.metric.item())]
    mean, standardized, variance = (np.array(kept[name]) for name in ("mean", "standardized", "variance"))
    exact = Spread(np.zeros((2, 2)), spread.units)  # what the factors add, both have
    own = across.means([placed], [exact])
    versus = across.apart(own, standardized, variance, scores.sizes["topic"])
    return Everybody(mean, standardized), versus


def _figures(found: Sequence[_Collection], shared: Floats, level: float, rng: np.random.Generator) -> dict[str, Any]:
    """Compute all figures of one metric, (entry,) or (pair,)."""
    placed, spreads = [one.placed for one in found], [one.spread for one in found]
    means, every = across.means(placed, spreads), across.differences(placed, spreads, shared)
    low, high = means.interval(level)
    raw = np.concatenate([one.scores for one in found])
    left, right = np.triu_indices(len(raw), 1)
    pairs = Estimate(*(part[left, right] for part in every))
    pair_low, pair_high = pairs.interval(level)
    stands = [standing.stand(one.versus, one.everybody, level) for one in found]
    return {
        **{"score": raw, "standardized": means.value, "low": low, "high": high},
        **_ranks(means.value, across.drawn(placed, spreads, shared, DRAWS, rng), every.error, level),
        **{name: np.concatenate([getattr(one, name) for one in stands]) for name in Standing._fields},
        **{"difference": pairs.value, "difference_low": pair_low, "difference_high": pair_high, "p": pairs.p},
        "raw_difference": raw[left] - raw[right],
        "best_automatic": np.repeat([one.automatic for one in found], [len(one.scores) for one in found]),
    }


def _ranks(means: Floats, draws: Floats, errors: Floats, level: float) -> dict[str, Any]:
    """Rank the entries, each with its rank set."""
    rank = 1 + (means[:, None] < means - 1e-10).sum(axis=1)
    if len(means) < 2:
        return {"rank": rank, "rank_low": rank, "rank_high": rank}
    sets = rank_sets_of(means, draws, errors, level=level)
    return {"rank": rank, "rank_low": sets.low, "rank_high": sets.high}


def _labelled(outcome: xr.Dataset, used: Mapping[str, xr.DataArray], metrics: Sequence[str]) -> xr.Dataset:
    """Name entries and pairs."""
    entries = [(name, str(system)) for name, one in used.items() for system in one.system.values]
    pairs = list(combinations(entries, 2))
    sides: Any = {
        f"{what}_{side}": ("pair", np.array([pair[at][part] for pair in pairs], dtype=object))
        for at, side in enumerate("ab")
        for part, what in enumerate(("collection", "system"))
    }
    return outcome.assign_coords(
        metric=list(metrics),
        collection=("entry", [name for name, _ in entries]),
        system=("entry", [system for _, system in entries]),
        **sides,
    )


def _improvements(outcome: xr.Dataset) -> pl.DataFrame:
    """Compare entries with the baseline on its collection, and with the way from everybody's median to the best."""
    baseline = str(about(outcome)["options"]["baseline"])
    systems = frame(outcome, _STAND, by=("collection", "system", "metric"))
    base = systems.filter(system=baseline).rename({name: f"baseline_{name}" for name in ("standardized", "percentile")})
    names = ("collection_a", "system_a", "collection_b", "system_b", "metric")
    pairs = frame(outcome, _PAIR, by=names)
    pairs = pairs.filter(pl.col("collection_a") == pl.col("collection_b"))
    forward = pairs.filter(system_b=baseline).select("metric", "p", *_gain("a", 1))
    backward = pairs.filter(system_a=baseline).select("metric", "p", *_gain("b", -1))
    way = pl.col("best") - pl.col("median")
    found = pl.concat([forward, backward]).join(
        base.drop("system").rename({"baseline_standardized": "baseline"}), on=["collection", "metric"]
    )
    shares = [(pl.col(name) / way).alias(name.replace("gain", "share_of_way")) for name in _GAIN]
    below = (pl.col("baseline") < pl.col("median") - 1e-12).alias("baseline_below_median")
    return found.with_columns(*shares, below).select(
        *("collection", "system", "metric", "baseline", "baseline_percentile", "baseline_below_median"),
        *(*_GAIN, "p", *(name.replace("gain", "share_of_way") for name in _GAIN)),
    )


_GAIN = ("gain", "gain_low", "gain_high")


def _gain(side: str, sign: int) -> list[pl.Expr]:
    """Name a pair's difference as what the system of one side gains over the other, which is the baseline."""
    low, high = ("difference_low", "difference_high")[::sign]
    columns = (sign * pl.col(name) for name in ("difference", low, high))
    return [
        pl.col(f"collection_{side}").alias("collection"),
        pl.col(f"system_{side}").alias("system"),
        *(column.alias(name) for column, name in zip(columns, _GAIN, strict=True)),
    ]


def _first(view: pl.DataFrame | None, metric: str) -> list[dict[str, Any]]:
    """Return the first rows of a table that are of one metric."""
    return [] if view is None else view.filter(metric=metric).head(FEW).to_dicts()


def _of_pair(row: Mapping[str, Any], level: float) -> str:
    """Say which of two systems is better, on collections of their own or on one."""
    a, b = (f"{row[f'system_{side}']} on {row[f'collection_{side}']}" for side in "ab")
    ends = f"[{row['difference_low']:+.3f}, {row['difference_high']:+.3f}], p = {row['p']:.2g}"
    if row["p"] > 1 - level:
        verdict = f"{a} and {b} do not differ"
    else:
        verdict = f"{a} is better than {b}" if row["difference"] > 0 else f"{b} is better than {a}"
    return f"{row['metric']}: {verdict}: standardized difference {row['difference']:+.3f} {ends}."


def _of_entry(row: Mapping[str, Any], level: float) -> str:
    """Say where a system stands, in a sentence for a paper."""
    own = (
        f"{row['system']} on {row['collection']}: {row['metric']} {row['score']:.4f}, standardized "
        f"{row['standardized']:.3f} [{row['low']:.3f}, {row['high']:.3f}] ({level:.0%} interval)"
    )
    if row["percentile"] is None:
        return f"{own}."
    automatic = row["best_automatic"]
    best = "" if automatic is None else f" (of the automatic ones {automatic:.4f})"
    return (
        f"{own}: percentile {row['percentile']:.0f} [{row['percentile_low']:.0f}, {row['percentile_high']:.0f}] of "
        f"{row['others']:.0f} systems; {row['surely_better']:.0f} are significantly better, {row['not_different']:.0f} "
        f"not different. Their median scores {row['median_score']:.4f}, the best {row['best_score']:.4f}{best}."
    )


def _of_baseline(row: Mapping[str, Any], level: float) -> str:
    """Say what a system improves on, and how far."""
    side = "below" if row["baseline_below_median"] else "at or above"
    ends = f"[{row['gain_low']:+.3f}, {row['gain_high']:+.3f}]"
    sure = "" if row["p"] <= 1 - level else ", which may be chance"
    return (
        f"{row['system']} against the baseline, which is {side} the median of everybody's systems (standardized; "
        f"percentile {row['baseline_percentile']:.0f}): {row['gain']:+.3f} {ends}{sure}. "
        f"That is {row['share_of_way']:.0%} of the way from the median to the best."
    )


def _interval(low: str, high: str) -> pl.Expr:
    return pl.format("[{}, {}]", pl.col(low).round(3), pl.col(high).round(3))
