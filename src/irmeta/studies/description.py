"""What a cube holds: means with intervals, the ranks that systems may have, how topics differ."""

from collections.abc import Iterable
from typing import get_args

import numpy as np
import numpy.typing as npt
import polars as pl
import xarray as xr

from irmeta.attributes import about
from irmeta.choices import Missing, Sets
from irmeta.cube import additive, default_by, from_additive, geometric, means, studied
from irmeta.errors import ScoresError, require_choice
from irmeta.layout import first_rows, intervals, spans
from irmeta.names import canonical, metric_names, nearest
from irmeta.parallel import seeded
from irmeta.result import frame, result
from irmeta.stats import descriptive
from irmeta.stats.rankings.ranksets import RankSets, rank_sets

FEW_METRICS = 4
"""The means by this many metrics stand side by side; more are a table for programs."""
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
    metrics, top, missing : what to use of the scores, as in `irmeta.cube.studied`.

    Returns over (system, metric) mean, low, high, rank, rank_low, rank_high: the best and the worst rank it may have;
    over (metric) distinguished, the share of pairs of systems that the rank sets tell apart; over (topic,
    metric) topic_mean, topic_sd, reliability (correlation with the rest); over (share, metric) the quantiles of single
    scores; and score itself. The intervals are each system's own: that two overlap does not say that the systems do not
    differ (see `significance`, which pairs by topic).
    Sources: Webber et al. (SIGIR 2008), section 3, Figures 1 to 3 and Table 1; Mogstad et al. (REStud 2024).

    >>> from irmeta.cube import cube
    >>> one = describe(cube([[[0.1], [0.3]], [[0.5], [0.8]]], ["a", "b"], ["301", "302"], ["AP"]))
    >>> one["rank"].values.ravel().tolist()
    [2, 1]
    """
    if not 0 < level < 1:
        raise ScoresError(f"the level of an interval is between 0 and 1, as in 0.95, not {level:g}")
    require_choice("sets", sets, get_args(Sets))
    generator, chance = seeded(rng)
    if metrics is not None and by is not None:
        metrics = [*metric_names(metrics), by]
    scores, notes = studied(scores, metrics=metrics, top=top, by=None if top is None else by, missing=missing)
    if scores.sizes["topic"] < 2 or scores.sizes["system"] < 2:
        raise ScoresError("describe needs at least 2 systems and 2 topics (a system-wise table has means only)")
    names = [str(metric) for metric in scores.metric.values]
    by = canonical(by) if by is not None else _default_by(scores, names)
    if by not in names:
        raise ScoresError(f"no metric {by!r} to list systems by; {nearest(by, names)}")
    mean = means(scores)
    line = additive(scores)
    low, high = _intervals(line, level)
    ranks = descriptive.ranks(mean.values.T).T
    open_ranks = _rank_sets(line, level, sets, generator)
    reliability = np.stack([descriptive.item_total(line.values[..., m]) for m in range(len(names))], axis=1)
    over = ("system", "metric")
    return result(
        "description",
        {
            **{"mean": mean, "low": low, "high": high},
            "rank": (over, ranks),
            "rank_low": (over, np.stack([one.low for one in open_ranks], axis=1)),
            "rank_high": (over, np.stack([one.high for one in open_ranks], axis=1)),
            "distinguished": ("metric", [_distinguished(one) for one in open_ranks]),
            "topic_mean": from_additive(line.mean("system")),
            "topic_sd": line.std("system", ddof=1),
            "reliability": (("topic", "metric"), reliability),
            "quantiles": (("share", "metric"), np.quantile(scores.values, SHARES, axis=(0, 1))),
            "score": scores,
        },
        inputs={scores.attrs.get("collection", "collection"): scores},
        options={"by": by, "level": level, "sets": sets, "top": top, "missing": missing, "seed": chance},
        notes=notes + _notes(names),
    ).assign_coords(share=SHARES)


def tables(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Tables `means`, `topics`, `percentiles` (systems and topics that stand at them), `scores` (quantiles)."""
    by, metrics = about(outcome)["options"]["by"], outcome.metric.values
    systems = outcome.isel(system=np.argsort(outcome["rank"].sel(metric=by).values, kind="stable"))
    quartiles = frame(outcome.sel(share=[0.05, 0.25, 0.5, 0.75, 0.95]), ["quantiles"], by=["metric", "share"])
    columns = ("mean", "low", "high", "rank", "rank_low", "rank_high")
    return {
        "means": frame(systems, columns, by=["metric", "system"]).select("system", "metric", *columns),
        "topics": frame(outcome, ("topic_mean", "topic_sd", "reliability"), by=["metric", "topic"]).select(
            "topic", "metric", pl.col("topic_mean").alias("mean"), pl.col("topic_sd").alias("sd"), "reliability"
        ),
        "percentiles": pl.concat([_percentiles(outcome["score"].sel(metric=[metric])) for metric in metrics]),
        "scores": quartiles.with_columns(share=pl.format("p{}", (pl.col("share") * 100).round().cast(pl.Int64))).pivot(
            "share", index="metric", values="quantiles"
        ),
    }


def overview(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Show the best systems: their means with the interval and the ranks by one metric, and their means by others."""
    by, metrics = about(outcome)["options"]["by"], [str(metric) for metric in outcome.metric.values]
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
        columns |= {metric: shown["mean"].sel(metric=metric).values for metric in others}
    return first_rows("means", pl.DataFrame(columns))


def findings(outcome: xr.Dataset) -> list[str]:
    """Say how wide the intervals are, how many ranks they leave open, and which topics decide."""
    by, level = (about(outcome)["options"][name] for name in ("by", "level"))
    one = outcome.sel(metric=by)
    best = one.isel(system=int(one["rank"].values.argmin()))
    sd, reliability = one["topic_sd"].values, one["reliability"].values
    told = [
        f"{by}: the best system, {best.system.item()}, scores {best['mean'].item():.3f} "
        f"[{best['low'].item():.3f}, {best['high'].item():.3f}] "
        f"({level:.0%} interval over {outcome.sizes['topic']} topics); {_best_ranks(outcome, one, best)}"
    ]
    if (sd > 0).all() and sd.max() > 3 * sd.min():
        told.append(
            f"{by}: the topic that spreads systems most ({outcome.topic.values[sd.argmax()]}) does so "
            f"{sd.max() / sd.min():.1f} times as much as the one that does least "
            f"({outcome.topic.values[sd.argmin()]}), and weighs as much more in every comparison of means"
            + ("." if by in geometric([by]) else "; irmeta standardize gives all topics the same weight.")
        )
    against = [str(topic) for topic in outcome.topic.values[reliability < 0]]
    if against:
        told.append(f"{by}: on {_counted(against, 'topic')} the better systems score worse (reliability below 0).")
    return told


def _best_ranks(outcome: xr.Dataset, one: xr.Dataset, best: xr.Dataset) -> str:
    """Say which ranks are open: those of the best system, or how many systems may be the best."""
    level = about(outcome)["options"]["level"]
    if about(outcome)["options"]["sets"] == "marginal":
        low, high = best["rank_low"].item(), best["rank_high"].item()
        ranks = f"{low}" if low == high else f"from {low} to {high}"
        return f"its true rank is {ranks} (marginal, {level:.0%}: of this one system, if you named it in advance)."
    first = int((one["rank_low"] == 1).sum())
    which = "no other system may be the best" if first == 1 else f"{first} systems may be the best"
    return (
        f"{which}, and {one['distinguished'].item():.0%} of the pairs of systems are distinguished "
        f"(simultaneous rank sets, {level:.0%}: all true ranks at once)."
    )


def _rank_sets(line: xr.DataArray, level: float, sets: Sets, rng: np.random.Generator) -> list[RankSets]:
    """Compute the rank sets of each metric."""
    columns = [np.ascontiguousarray(line.values[..., m].T) for m in range(line.sizes["metric"])]
    return [rank_sets(column, rng, level=level, marginal=sets == "marginal") for column in columns]


def _distinguished(found: RankSets) -> float:
    """Return the share of pairs of systems of which one is surely better."""
    either: npt.NDArray[np.bool_] = found.better | found.worse
    systems = len(either)
    return float((either | either.T).sum() / (systems * (systems - 1)))


def _notes(names: list[str]) -> list[str]:
    logs = ", ".join(geometric(names))
    return [f"{logs}: means are geometric; standard deviations and reliability are of logarithms"] if logs else []


def _default_by(scores: xr.DataArray, names: list[str]) -> str:
    try:
        return default_by(scores)
    except ScoresError:
        return names[0]


def _intervals(line: xr.DataArray, level: float) -> tuple[xr.DataArray, xr.DataArray]:
    line = line.transpose("system", "metric", "topic")
    low, high = (line[..., 0].copy(data=end) for end in descriptive.t_interval(line.values, level))
    return from_additive(low.drop_vars("topic")), from_additive(high.drop_vars("topic"))


def _percentiles(scores: xr.DataArray) -> pl.DataFrame:
    """Give the systems and topics of one metric, (system, topic, metric), that stand at the percentiles."""
    line, parts = additive(scores), []
    for dim, other, order in (("system", "topic", "mean"), ("topic", "system", "mean"), ("topic", "system", "sd")):
        mean, sd = from_additive(line.mean(other)).values[:, 0], line.std(other, ddof=1).values[:, 0]
        at = descriptive.at_percentiles(mean if order == "mean" else sd, np.array(PERCENTILES))
        parts.append(
            pl.DataFrame(
                {
                    "of": [f"{dim}s"] * len(at),
                    "ordered_by": [order] * len(at),
                    "metric": [str(scores.metric.item())] * len(at),
                    "percentile": PERCENTILES,
                    "name": scores[dim].values[at].tolist(),
                    "mean": mean[at],
                    "sd": sd[at],
                }
            )
        )
    return pl.concat(parts)


def _counted(names: list[str], what: str) -> str:
    listed = f"{', '.join(names[:5])}{', ...' if len(names) > 5 else ''}"
    return f"{len(names)} {what}{'s' if len(names) > 1 else ''} ({listed})"
