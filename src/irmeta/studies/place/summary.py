"""What `place` tells: tables for programs, an overview and findings for people."""

from collections.abc import Mapping
from typing import Any

import polars as pl
import xarray as xr

from irmeta.scores.attributes import about
from irmeta.scores.figures import interval, short
from irmeta.scores.result import ends, frame, with_nulls
from irmeta.stats.standardizing.standing import Standing
from irmeta.studies.place import between, claims
from irmeta.studies.place.rows import (
    figure,
    first,
    interval_of,
    most_of,
    percentile_text,
)
from irmeta.studies.place.study import OWN, PAIR
from irmeta.words import are, counted

_STAND = ("standardized", "percentile", "median", "best")


def tables(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Tables `systems` (an entry and metric), `pairs`, `drift`; `anchored`, `baseline` and `published` if named."""
    views = _system_tables(outcome) if "entry" in outcome.sizes else {}
    if "report" in outcome.sizes:
        views["published"] = claims.report_rows(outcome)
    return views


def _system_tables(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Return the tables of systems that have scores."""
    own = frame(
        outcome, (*OWN, *Standing._fields), by=("collection", "system", "metric")
    )
    own = own.with_columns(
        pl.col("score_rank", "ranked", "rank", "rank_low", "rank_high")
        .fill_nan(None)
        .cast(pl.Int64)
    )
    views = {"systems": own}
    if outcome.sizes["pair"]:
        views["pairs"] = frame(outcome, PAIR, by=between.SIDES)
    if outcome.sizes["fields"]:
        views["drift"] = between.drifts(outcome)
    if about(outcome)["options"]["anchors"]:
        views["anchored"] = between.anchored_pairs(outcome)
    if about(outcome)["options"]["baseline"] is not None:
        views["baseline"] = _improvements(outcome)
    return {name: with_nulls(view) for name, view in views.items()}


def overview(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Show the best entries with their place among everybody's, the clearest pairs, and what papers report."""
    views = tables(outcome)
    shown = _system_overview(outcome, views) if "systems" in views else {}
    if "published" in views:
        shown |= claims.overview(views["published"])
    return shown


def _system_overview(
    outcome: xr.Dataset, views: Mapping[str, pl.DataFrame]
) -> dict[str, pl.DataFrame]:
    """Show the tables of systems that have scores."""
    several = views["systems"]["collection"].n_unique() > 1
    name = pl.col("system")
    if several:
        name = pl.format("{} on {}", "system", "collection")
    ordered = views["systems"].sort("rank", nulls_last=True, maintain_order=True)
    systems, heading = most_of(ordered, "systems", by="rank")
    own = pl.format("{} ({})", figure("standardized"), interval_of("low", "high"))
    shown = {
        heading: systems.select(
            name.alias("system"),
            *(["metric"] if outcome.sizes["metric"] > 1 else []),
            "score",
            pl.col("score_rank").alias("rank"),
            pl.coalesce(own, figure("standardized")).alias("standardized"),
            percentile_text("percentile"),
        )
    }
    if "anchored" in views:
        shown |= between.overview(views["anchored"])
    elif "pairs" in views and (several or "baseline" not in views):
        shown |= _pairs(views["pairs"], several=several)
    if "baseline" in views:
        gains, heading = most_of(views["baseline"], "baseline", by="p")
        shown[heading] = gains.select(
            "system",
            "metric",
            _baseline_side(about(outcome)["options"]["baseline"]).alias("baseline"),
            "gain",
            interval_of("gain_low", "gain_high").alias("interval"),
        )
    return shown


def _baseline_side(baseline: str) -> pl.Expr:
    """Name the baseline, and the side of the median on which it is itself."""
    below, above = (
        pl.lit(f"{baseline} ({side} median)") for side in ("below", "not below")
    )
    return pl.when("baseline_below_median").then(below).otherwise(above)


def _pairs(pairs: pl.DataFrame, *, several: bool) -> dict[str, pl.DataFrame]:
    """Show the pairs of entries: those of different collections where there are several, else those that differ."""
    asked, sides = pairs.drop_nulls("p"), ["system"]
    if several:
        asked = asked.filter(pl.col("collection_a") != pl.col("collection_b"))
        sides.append("collection")
    if not asked.height:
        return {}
    names = [f"{side}_{end}" for end in "ab" for side in sides]
    kept, heading = most_of(asked, "pairs", by="p")
    form = "{} on {} / {} on {}" if several else "{} / {}"
    return {
        heading: kept.select(
            pl.format(form, *names).alias("pair"),
            *("metric", "difference"),
            interval_of("difference_low", "difference_high").alias("interval"),
            "p",
        )
    }


def findings(outcome: xr.Dataset) -> list[str]:
    """Say which system stands higher, on several collections, where each stands, and what becomes of the baseline."""
    views = tables(outcome)
    lines = _findings(outcome, views) if "systems" in views else []
    if "published" in views:
        lines += claims.sentences(outcome, views["published"])
    return lines


def _findings(outcome: xr.Dataset, views: Mapping[str, pl.DataFrame]) -> list[str]:
    """Say of systems that have scores which stands higher, where the first stand, and what improves on the baseline."""
    level = about(outcome)["options"]["level"]
    metric = str(outcome["metric"].values[0])
    # who asks about several collections asks which system stands higher
    lines = list(between.sentences(outcome, views, metric))
    collections = set[str]()
    entries = between.without_anchors(outcome, views["systems"], [""])
    for row in first(entries, metric, by="rank"):
        new = row["collection"] not in collections
        lines.append(_entry_sentence(row, level, everybody=new))
        collections.add(row["collection"])
    if "baseline" in views:
        gains = views["baseline"].drop_nulls(["share_of_way", "p"])
        lines += [
            _baseline_sentence(row, level) for row in first(gains, metric, by="p")
        ]
    return lines


def warnings(outcome: xr.Dataset) -> list[str]:
    """Warn of topics that may be other topics of the same numbers: then no figure means anything."""
    return list(about(outcome)["options"]["alarms"])


def _improvements(outcome: xr.Dataset) -> pl.DataFrame:
    """Return what each entry gains over the baseline of its collection, also as a share of the way to the best.

    The way is from everybody's median to their best system.
    """
    baseline = str(about(outcome)["options"]["baseline"])
    systems = frame(outcome, _STAND, by=("collection", "system", "metric"))
    base = systems.filter(system=baseline).rename(
        {name: f"baseline_{name}" for name in ("standardized", "percentile")}
    )
    pairs = frame(outcome, PAIR, by=between.SIDES)
    pairs = pairs.filter(pl.col("collection_a") == pl.col("collection_b"))
    forward = pairs.filter(system_b=baseline).select("metric", "p", *_gains("a", 1))
    backward = pairs.filter(system_a=baseline).select("metric", "p", *_gains("b", -1))
    way = pl.col("best") - pl.col("median")
    found = pl.concat([forward, backward]).join(
        base.drop("system").rename({"baseline_standardized": "baseline"}),
        on=["collection", "metric"],
    )
    shares = [
        (pl.col(gain) / way).alias(share)
        for gain, share in zip(_GAIN, ends("share_of_way"), strict=True)
    ]
    below = pl.col("baseline") < pl.col("median") - 1e-12
    return found.with_columns(*shares, baseline_below_median=below).select(
        *("collection", "system", "metric"),
        *("baseline", "baseline_percentile", "baseline_below_median"),
        *(*_GAIN, "p", *ends("share_of_way")),
    )


_GAIN = ends("gain")


def _gains(side: str, sign: int) -> list[pl.Expr]:
    """Name a pair's difference as what the system of one side gains over the other, which is the baseline.

    sign : 1 where the difference is that gain, -1 where it is the loss, so that its ends change places.
    """
    low, high = ("difference_low", "difference_high")[::sign]
    columns = (sign * pl.col(name) for name in ("difference", low, high))
    return [
        pl.col(f"collection_{side}").alias("collection"),
        pl.col(f"system_{side}").alias("system"),
        *(column.alias(name) for column, name in zip(columns, _GAIN, strict=True)),
    ]


def _entry_sentence(row: Mapping[str, Any], level: float, *, everybody: bool) -> str:
    """Say where a system stands, in a sentence for a paper. everybody : say what everybody's systems score, too."""
    own = f"{row['system']} on {row['collection']}: {row['metric']} {short(row['score'], 3)}"
    if row["score_rank"] is not None:
        own += f" (rank {row['score_rank']} of {row['ranked']})"
    own += f", standardized {short(row['standardized'], 3)}"
    if row["low"] is not None:
        own += f" ({level:.0%} interval {interval(row['low'], row['high'])})"
    if row["percentile"] is None:
        return f"{own}."
    own += f"; by standardized scores, {_rank_clause(row)}."
    if everybody:
        return f"{own} {_plain_scores(row)}."
    return own


def _rank_clause(row: Mapping[str, Any]) -> str:
    """Say where a system stands among everybody's, by standardized scores."""
    between = ""
    if row["percentile_low"] is not None:
        between = f" ({row['percentile_low']:.0f} to {row['percentile_high']:.0f})"
    place_among = f"percentile {row['percentile']:.0f}{between} of {counted(int(row['others']), 'system')}"
    if row["surely_better"] is None:
        return place_among
    better = int(row["surely_better"])
    same = int(row["not_different"])
    return (
        f"{place_among}: {better} {are(better)} significantly better (t tests, Holm's correction) and {same} not "
        "significantly different"
    )


def _plain_scores(row: Mapping[str, Any]) -> str:
    """Say what everybody's systems score, not standardized."""
    automatic = row["best_automatic"]
    best = ""
    if automatic is not None:
        best = f" (of the automatic ones {short(automatic, 3)})"
    return (
        f"By plain {row['metric']}, their median is {short(row['median_score'], 3)}, "
        f"their best {short(row['best_score'], 3)}{best}"
    )


def _baseline_sentence(row: Mapping[str, Any], level: float) -> str:
    """Say what a system improves on, and how far."""
    side = "below" if row["baseline_below_median"] else "at or above"
    gain = short(row["gain"], 3, sign=True)
    span = interval(row["gain_low"], row["gain_high"], sign=True)
    sure = "" if row["p"] <= 1 - level else ", not significant"
    if row["gain"] > 0:
        verb, to = "gains", "over"
        way = f"; from the median to the best it is {short(row['gain'] / row['share_of_way'], 3)}"
    else:
        verb, to = "differs by", "from"
        way = ""
    return (
        f"{row['system']} {verb} {gain} standardized ({span}){sure} {to} the baseline, which is {side} the median of "
        f"everybody's systems (percentile {row['baseline_percentile']:.0f}){way}."
    )
