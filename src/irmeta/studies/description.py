"""What a cube holds: means with intervals, the ranks that systems may have, how topics differ."""

from collections.abc import Iterable
from typing import Any, get_args

import numpy as np
import polars as pl
import xarray as xr

from irmeta.attributes import about
from irmeta.choices import Missing, Sets
from irmeta.cube import (
    additive,
    default_by,
    from_additive,
    geometric,
    means,
    metric_of,
    prepare,
)
from irmeta.errors import ScoresError, require_choice
from irmeta.layout import first_rows, intervals, spans
from irmeta.names import highest, metric_names
from irmeta.parallel import seeded
from irmeta.result import frame, result
from irmeta.stats import descriptive
from irmeta.stats.arrays import Bools
from irmeta.stats.rankings.ranksets import RankSets, rank_sets
from irmeta.words import counted, listed

FEW_METRICS = 4
"""The means by this many metrics stand side by side; more are a table for programs."""
FEW_TOPICS = 25
"""With fewer topics t intervals of means are measured to be too short, as scores are skewed (docs/coverage.md)."""
MEASURED = {10: "80 to 93%", FEW_TOPICS: "87 to 93%"}
"""How often these intervals hold with fewer topics than these."""
EQUAL = 1e-12
"""Scores that differ by at most this are equal."""
PERCENTILES = (1, 10, 40, 75, 90)
SHARES = np.arange(101) / 100


def describe(
    scores: xr.DataArray,
    *,
    metrics: str | Iterable[str] | None = None,
    by: str | None = None,
    level: float = 0.95,
    sets: Sets = "simultaneous",
    top: float | None = None,
    missing: Missing = "error",
    rng: int | np.random.Generator = 0,
) -> xr.Dataset:
    """Describe a cube: systems' means with t intervals over topics and the ranks they may have; topics; scores.

    by : the metric that systems are listed and chosen by, which is described, too; AP, else the deepest AP@k, else the
    first.  level : of intervals and rank sets, in (0, 1).
    sets : "simultaneous" rank sets cover the true ranks of all systems at once; a "marginal" one that of a system named
    before anybody saw the scores.  rng : a seed or a generator.
    metrics, top, missing : what to use of the scores, as in `irmeta.cube.prepare`.

    Returns over (system, metric) mean, low, high, rank, rank_low, rank_high: the best and the worst rank it may have;
    over (metric) distinguished, the share of pairs of systems that the rank sets distinguish; over (topic,
    metric) topic_mean, topic_sd, reliability (correlation with the rest), and reversed, whether that is below 0 beyond
    chance (see `irmeta.stats.descriptive.surely_reversed`); over (share, metric) the quantiles of single scores; and
    score itself. The intervals are each system's own, cut to the scores that the metric can take: that two overlap does
    not say that the systems do not differ (see `significance`, which pairs by topic).
    Sources: Webber et al. (SIGIR 2008), section 3, Figures 1 to 3 and Table 1; Mogstad et al. (REStud 2024).

    >>> from irmeta.cube import cube
    >>> one = describe(cube([[[0.1], [0.3]], [[0.5], [0.8]]], ["a", "b"], ["301", "302"], ["AP"]))
    >>> one["rank"].values.ravel().tolist()
    [2, 1]
    """
    if not 0 < level < 1:
        raise ScoresError(
            f"the level of an interval is between 0 and 1, as in 0.95, not {level:g}"
        )
    require_choice("sets", sets, get_args(Sets))
    generator, seed = seeded(rng)
    if metrics is not None and by is not None:
        metrics = [*metric_names(metrics), by]
    scores, notes = prepare(
        scores,
        metrics=metrics,
        top=top,
        by=None if top is None else by,
        missing=missing,
    )
    if scores.sizes["topic"] < 2 or scores.sizes["system"] < 2:
        raise ScoresError(
            "describe needs at least 2 systems and 2 topics (a system-wise table has means only)"
        )
    names = [str(metric) for metric in scores.metric.values]
    by = metric_of(scores, by) if by is not None else _default_by(scores, names)

    averaged = additive(scores)  # on a scale on which scores can be averaged
    data = _of_systems(scores, averaged, level, sets, generator) | _of_topics(averaged)
    data["quantiles"] = (
        ("share", "metric"),
        np.quantile(scores.values, SHARES, axis=(0, 1)),
    )
    data["score"] = scores
    options = {
        "by": by,
        "level": level,
        "sets": sets,
        "top": top,
        "missing": missing,
        "seed": seed,
    }
    inputs = {scores.attrs.get("collection", "collection"): scores}
    outcome = result(
        "description",
        data,
        inputs=inputs,
        options=options,
        notes=notes + _notes(names, scores),
    )
    return outcome.assign_coords(share=SHARES)


def _of_systems(
    scores: xr.DataArray,
    averaged: xr.DataArray,
    level: float,
    sets: Sets,
    rng: np.random.Generator,
) -> dict[str, Any]:
    """Return means with intervals, ranks, and the ranks that systems may have."""
    mean = means(scores)
    low, high = _within_scale(scores, *_intervals(averaged, level))
    possible = _rank_sets(averaged, level, sets, rng)
    over = ("system", "metric")
    return {
        "mean": mean,
        "low": low,
        "high": high,
        "rank": (over, descriptive.ranks(mean.values.T).T),
        "rank_low": (over, np.stack([of_metric.low for of_metric in possible], axis=1)),
        "rank_high": (
            over,
            np.stack([of_metric.high for of_metric in possible], axis=1),
        ),
        "distinguished": (
            "metric",
            [_distinguished(of_metric) for of_metric in possible],
        ),
    }


def _of_topics(averaged: xr.DataArray) -> dict[str, Any]:
    """Return means, standard deviations and reliability of topics."""
    columns = [averaged.values[..., m] for m in range(averaged.sizes["metric"])]
    reliability = np.stack(
        [descriptive.item_total(column) for column in columns], axis=1
    )
    against = np.stack(
        [descriptive.surely_reversed(column) for column in columns], axis=1
    )
    return {
        "topic_mean": from_additive(averaged.mean("system")),
        "topic_sd": averaged.std("system", ddof=1),
        "reliability": (("topic", "metric"), reliability),
        "reversed": (("topic", "metric"), against),
    }


def tables(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Tables `means`, `topics`, `percentiles` (systems and topics that stand at them), `scores` (quantiles)."""
    by = about(outcome)["options"]["by"]
    order = np.argsort(outcome["rank"].sel(metric=by).values, kind="stable")
    columns = ("mean", "low", "high", "rank", "rank_low", "rank_high")
    means = frame(outcome.isel(system=order), columns, by=["metric", "system"])
    topics = frame(
        outcome,
        ("topic_mean", "topic_sd", "reliability", "reversed"),
        by=["metric", "topic"],
    )
    percentiles = [
        _percentiles(outcome["score"].sel(metric=[metric]))
        for metric in outcome.metric.values
    ]
    return {
        "means": means.select("system", "metric", *columns),
        "topics": topics.select(
            "topic",
            "metric",
            pl.col("topic_mean").alias("mean"),
            pl.col("topic_sd").alias("sd"),
            "reliability",
            "reversed",
        ),
        "percentiles": pl.concat(percentiles),
        "scores": _quantiles(outcome),
    }


def _quantiles(outcome: xr.Dataset) -> pl.DataFrame:
    """List quantiles of single scores, a column for each."""
    quantiles = frame(
        outcome.sel(share=[0.05, 0.25, 0.5, 0.75, 0.95]),
        ["quantiles"],
        by=["metric", "share"],
    )
    percent = (pl.col("share") * 100).round().cast(pl.Int64)
    return quantiles.with_columns(share=pl.format("p{}", percent)).pivot(
        "share", index="metric", values="quantiles"
    )


def overview(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Show the best systems: their means with the interval and the ranks by one metric, and their means by others."""
    by = about(outcome)["options"]["by"]
    metrics = [str(metric) for metric in outcome.metric.values]
    order = np.argsort(outcome["rank"].sel(metric=by).values, kind="stable")
    shown = outcome.isel(system=order)
    one = shown.sel(metric=by)
    columns = {
        "system": pl.Series(one.system.values.tolist(), dtype=pl.String),
        by: one["mean"].values,
        "interval": intervals(one["low"].values, one["high"].values),
        "rank": one["rank"].values.astype(int),
        "possible ranks": spans(one["rank_low"].values, one["rank_high"].values),
    }
    others = [metric for metric in metrics if metric != by]
    if len(others) < FEW_METRICS:
        columns |= {
            metric: shown["mean"].sel(metric=metric).values for metric in others
        }
    return first_rows("means", pl.DataFrame(columns))


def findings(outcome: xr.Dataset) -> list[str]:
    """Say how wide the intervals are, how many ranks they leave open, and which topics decide."""
    by = about(outcome)["options"]["by"]
    of_metric = outcome.sel(metric=by)
    best = of_metric.isel(system=int(of_metric["rank"].values.argmin()))
    lines = [
        f"{by}: {_best_mean(outcome, of_metric, best)}; {_best_ranks(outcome, of_metric, best)}"
    ]
    sd = of_metric["topic_sd"].values
    if (sd > 0).all() and sd.max() > 3 * sd.min():
        lines.append(_uneven(by, outcome.topic.values, sd))
    against = outcome.topic.values[of_metric["reversed"].values]
    if len(against):
        topics = f"{counted(len(against), 'topic')} ({listed(against)})"
        lines.append(
            f"{by}: on {topics} the better systems score worse (reliability below 0; all topics tested at once at 5%, "
            "with systems as independent of each other)."
        )
    return lines


def _best_mean(outcome: xr.Dataset, of_metric: xr.Dataset, best: xr.Dataset) -> str:
    """Say who has the largest mean, alone or with others, and the interval of that mean."""
    level, topics = about(outcome)["options"]["level"], outcome.sizes["topic"]
    name, mean, low, high = (
        best.system.item(),
        *(best[figure].item() for figure in ("mean", "low", "high")),
    )
    tied = of_metric.system.values[of_metric["rank"].values == 1]
    who = f"the best system, {name}, scores"
    if len(tied) > 1:
        who = (
            f"{len(tied)} systems tie for the best mean ({listed(tied)}); {name} scores"
        )
    if np.ptp(of_metric["score"].sel(system=name).values) <= EQUAL:
        return (
            f"{who} {mean:.3f} on each of {topics} topics, so that there is no interval"
        )
    return f"{who} {mean:.3f} [{low:.3f}, {high:.3f}] ({level:.0%} interval over {topics} topics)"


def _uneven(by: str, topics: Any, sd: Any) -> str:
    """Say how much more one topic weighs in comparisons of means than another."""
    most = topics[sd.argmax()]
    least = topics[sd.argmin()]
    if geometric([by]):
        advice = ""
    else:
        advice = "; irmeta standardize gives all topics the same weight"
    return (
        f"{by}: the topic that spreads systems most ({most}) does so {sd.max() / sd.min():.1f} times as much as the "
        f"one that does least ({least}), and weighs as much more in every comparison of means{advice}."
    )


def _best_ranks(outcome: xr.Dataset, of_metric: xr.Dataset, best: xr.Dataset) -> str:
    """Say which ranks are open: those of the best system, or how many systems may be the best."""
    level = about(outcome)["options"]["level"]
    if about(outcome)["options"]["sets"] == "marginal":
        low = best["rank_low"].item()
        high = best["rank_high"].item()
        ranks = f"{low}" if low == high else f"from {low} to {high}"
        return f"its true rank is {ranks} (marginal, {level:.0%}: of this one system, if you named it in advance)."
    first = int((of_metric["rank_low"] == 1).sum())
    which = f"{first} systems may be the best, so that the largest mean is probably too high"
    if first == 1:
        which = "no other system may be the best"
    return (
        f"{which}, and {of_metric['distinguished'].item():.0%} of the pairs of systems are distinguished "
        f"(simultaneous rank sets, {level:.0%}: all true ranks at once)."
    )


def _rank_sets(
    averaged: xr.DataArray, level: float, sets: Sets, rng: np.random.Generator
) -> list[RankSets]:
    """Compute the rank sets of each metric."""
    found = []
    for m in range(averaged.sizes["metric"]):
        column = np.ascontiguousarray(averaged.values[..., m].T)  # (topic, system)
        found.append(rank_sets(column, rng, level=level, marginal=sets == "marginal"))
    return found


def _distinguished(found: RankSets) -> float:
    """Return the share of pairs of systems of which one is surely better."""
    either: Bools = found.better | found.worse
    systems = len(either)
    return float((either | either.T).sum() / (systems * (systems - 1)))


def _notes(names: list[str], scores: xr.DataArray) -> list[str]:
    """Say of which metrics the means are geometric, and where intervals are too short or have no width."""
    lines = []
    topics = scores.sizes["topic"]
    if logs := ", ".join(geometric(names)):
        lines.append(
            f"{logs}: means are geometric; standard deviations and reliability are of logarithms"
        )
    if topics < FEW_TOPICS:
        few, measured = next(
            (few, measured) for few, measured in MEASURED.items() if topics < few
        )
        lines.append(
            f"With fewer than {few} topics a 95% interval of a mean holds the truth in {measured} of simulated "
            "collections; rank sets hold as they say."
        )
    constant = np.argwhere(
        np.ptp(scores.values, axis=1) <= EQUAL
    )  # (row, (system, metric))
    if len(constant):
        which = listed(
            f"{scores.system.values[system]} by {names[metric]}"
            for system, metric in constant
        )
        lines.append(
            f"Scores that are equal on every topic give an interval without width, which says nothing of other topics: "
            f"{which}."
        )
    return lines


def _within_scale(
    scores: xr.DataArray, low: xr.DataArray, high: xr.DataArray
) -> tuple[xr.DataArray, xr.DataArray]:
    """Cut intervals to the scores that a metric can take, as the true mean is one; unless its scores leave that range.

    Standardized scores have another range.
    """
    if "standardization" in about(scores):
        return low, high
    most = np.array([highest(str(metric)) for metric in scores.metric.values])
    known = (
        np.isfinite(most)
        & (scores.values.min(axis=(0, 1)) >= 0)
        & (scores.values.max(axis=(0, 1)) <= most)
    )
    least = np.where(known, 0.0, -np.inf)
    most = np.where(known, most, np.inf)
    return low.clip(least, most), high.clip(least, most)


def _default_by(scores: xr.DataArray, names: list[str]) -> str:
    """Return AP, else the deepest AP@k, else the first metric."""
    try:
        return default_by(scores)
    except ScoresError:
        return names[0]


def _intervals(
    averaged: xr.DataArray, level: float
) -> tuple[xr.DataArray, xr.DataArray]:
    """Return the ends of the intervals of the means over topics: (system, metric)."""
    by_topic = averaged.transpose("system", "metric", "topic")
    low, high = descriptive.t_interval(by_topic.values, level)
    shape = by_topic[..., 0].drop_vars("topic")
    return from_additive(shape.copy(data=low)), from_additive(shape.copy(data=high))


def _percentiles(scores: xr.DataArray) -> pl.DataFrame:
    """Return the systems and topics of one metric, (system, topic, metric), that stand at the percentiles."""
    averaged = additive(scores)
    parts = []
    for dim, other, order in (
        ("system", "topic", "mean"),
        ("topic", "system", "mean"),
        ("topic", "system", "sd"),
    ):
        mean = from_additive(averaged.mean(other)).values[:, 0]
        sd = averaged.std(other, ddof=1).values[:, 0]
        at = descriptive.at_percentiles(
            mean if order == "mean" else sd, np.array(PERCENTILES)
        )
        columns = {
            "of": [f"{dim}s"] * len(at),
            "ordered_by": [order] * len(at),
            "metric": [str(scores.metric.item())] * len(at),
            "percentile": PERCENTILES,
            "name": scores[dim].values[at].tolist(),
            "mean": mean[at],
            "sd": sd[at],
        }
        parts.append(pl.DataFrame(columns))
    return pl.concat(parts)
