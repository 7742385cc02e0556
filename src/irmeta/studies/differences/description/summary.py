"""What `description` answers: tables for programs, an overview and findings for people."""

from collections.abc import Sequence

import numpy as np
import polars as pl
import xarray as xr

from irmeta.metrics.values import geometric
from irmeta.scores.attributes import LEFT_OUT, about
from irmeta.scores.averages.means import additive, from_additive
from irmeta.scores.figures import (
    WHOLE,
    interval,
    intervals,
    own_metric_names,
    short,
    spans,
)
from irmeta.scores.groups.clusters import unit_of
from irmeta.scores.groups.teams import teams_needed, teams_prefix
from irmeta.scores.result import frame, is_estimated, topics_phrase
from irmeta.stats import descriptive
from irmeta.stats.rankings.first import few
from irmeta.studies.differences.description.study import EQUAL, LEFT
from irmeta.studies.differences.without import CHANGE, change_interval, without_clause
from irmeta.words import are, counted, listed

FEW_METRICS = 4
"""The means by this many metrics stand side by side; more are a table for programs."""
SPREAD = 5
"""Systems from which it means something how much a topic spreads them."""
FOUND = ("found_low", "found_high")
"""Rank sets by false discovery rate."""
PERCENTILES = (1, 10, 40, 75, 90)


def tables(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Tables `means`, `topics`, `percentiles` (systems and topics that stand at them), `scores` (quantiles).

    Of estimated scores `means` alone: what a topic adds to an estimate is not its score.

    without : with flagged topics, by system and metric: rank and lead (of the best system over it) with all topics;
    without_lead, _mean, _rank, _rank_low and _rank_high; change, of the lead, change_low, change_high.
    """
    by = about(outcome)["options"]["by"]
    order = np.argsort(outcome["rank"].sel(metric=by).values, kind="stable")
    columns = ("mean", "low", "high", "rank", "rank_low", "rank_high", *FOUND)
    means = frame(outcome.isel(system=order), columns, by=["metric", "system"])
    topics = frame(
        outcome,
        ("topic_mean", "topic_sd", "reliability", "reversed", "decides"),
        by=["metric", "topic"],
    )
    if about(outcome)["options"]["teams_unknown"]:
        topics = topics.with_columns(reversed=pl.lit(None, dtype=pl.Boolean))
    names = own_metric_names(outcome)
    named = outcome["score"].assign_coords(metric=names)
    percentiles = [
        _percentiles(named.sel(metric=[name]), str(label))
        for name, label in zip(names, outcome.metric.values, strict=True)
    ]
    views = {"means": means.select("system", "metric", *columns)}
    if not is_estimated(outcome):
        views |= {
            "topics": topics.select("topic", pl.exclude("topic")).rename(
                {"topic_mean": "mean", "topic_sd": "sd"}
            ),
            "percentiles": pl.concat(percentiles),
            "scores": _quantiles(outcome),
        }
    if "change" in outcome:
        fields = ["rank", "lead", *(f"without_{name}" for name in LEFT), *CHANGE]
        left = frame(outcome.isel(system=order), fields, by=["metric", "system"])
        views["without"] = left.select("system", "metric", *fields)
    return views


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
    low = one["low"].where(one["high"] - one["low"] > EQUAL)  # else there is none
    columns = {
        "system": pl.Series(one.system.values.tolist(), dtype=pl.String),
        by: one["mean"].values,
        "interval": intervals(low.values, one["high"].values),
        "rank": one["rank"].values.astype(int),
        "possible ranks": spans(one["rank_low"].values, one["rank_high"].values),
    }
    others = [metric for metric in metrics if metric != by]
    if len(others) < FEW_METRICS or WHOLE.get():
        columns |= {
            metric: shown["mean"].sel(metric=metric).values for metric in others
        }
    left = _tables_without_flagged(one) if "change" in one else {}
    return left | {"means": pl.DataFrame(columns)}


def _tables_without_flagged(one: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Show the ranks by one metric without the flagged topics, and the lead of the best system with all topics."""
    one = one.sortby("without_rank")
    ranks = zip(one["without_rank"].values, one["rank"].values, strict=True)
    columns = {
        "system": one.system.values.tolist(),
        "rank": [
            f"{new:.0f}" if new == old else f"{new:.0f} (was {old:.0f})"
            for new, old in ranks
        ],
        "possible ranks": spans(
            one["without_rank_low"].values, one["without_rank_high"].values
        ),
        "lead": [short(value, 3, sign=True) for value in one["without_lead"].values],
        "change": [short(value, 3, sign=True) for value in one["change"].values],
        "its interval": intervals(
            one["change_low"].values, one["change_high"].values, differences=True
        ),
    }
    best = one.system.values[one["rank"].values.argmin()]
    return {
        f"{without_clause(one)}: the lead of {best} over each": pl.DataFrame(columns)
    }


def findings(outcome: xr.Dataset) -> list[str]:
    """Say how wide the intervals are, how many ranks they leave open, and which topics decide."""
    by = about(outcome)["options"]["by"]
    of_metric = outcome.sel(metric=by)
    best = of_metric.isel(system=int(of_metric["rank"].values.argmin()))
    lines = [_survival_sentence(of_metric)] if "change" in outcome else []
    lines += [
        f"{by}: {_best_mean_sentence(outcome, of_metric, best)}; {_open_ranks_sentence(outcome, of_metric)}"
    ]
    lines += _named_system_sentences(outcome, of_metric)
    lines += _discovery_sentences(outcome, of_metric)
    if is_estimated(outcome):
        return lines
    lines += _deciding_topics_sentences(of_metric)
    sd = of_metric["topic_sd"].values
    spread = of_metric.sizes["system"] >= SPREAD and (sd > EQUAL).all()
    if spread and sd.max() > 3 * sd.min():
        lines.append(_uneven_topics_sentence(of_metric))
    against = outcome.topic.values[of_metric["reversed"].values]
    if len(against):
        lines.append(_reversed_sentence(outcome, by, against))
    return lines


def _survival_sentence(one: xr.Dataset) -> str:
    """Say whether the best system stays it without the flagged topics, how its lead changes, and which pairs stay."""
    level = f"{about(one)['options']['level']:.0%}"
    at = int(one["rank"].values.argmin())
    best, others = str(one.system[at].item()), one.drop_isel(system=at)
    rival = others.isel(system=int(others["without_rank"].values.argmin()))
    name, by = rival.system.item(), one.metric.item()
    lead, change = (
        short(float(rival[figure]), 3, sign=True)
        for figure in ("without_lead", "change")
    )
    stays = float(rival["without_lead"]) > 0
    first = f"{best} is still" if stays else f"{best} is no longer"
    stay, pairs, now = (
        int(one[name]) for name in ("pairs_stay", "pairs", "without_pairs")
    )
    survive = "No pair of systems is distinguished, with them or without."
    if pairs or now:
        fresh = f"{now - stay} {are(now - stay)} new"
        survive = f"Of {counted(pairs, 'distinguished pair')} {stay} stay, and {fresh}."
    return (
        f"{without_clause(one)}, {first} the best by {by}: its lead over {name} changes to {lead}, by {change}"
        f"{change_interval(rival, level)}. {survive}"
    )


def _reversed_sentence(outcome: xr.Dataset, by: str, against: Sequence[str]) -> str:
    """Say on which topics the better systems score worse, where their teams are known."""
    options = about(outcome)["options"]
    topics = f"{counted(len(against), unit_of(outcome))} ({listed(against)})"
    if options["teams_unknown"]:
        unsaid = teams_needed(options, "whether that is more than chance")
        return f"{by}: on {topics} better systems tend to score lower; {unsaid}"
    return (
        f"{by}: {teams_prefix(options)}on {topics} the better systems score worse (negative reliability; tested at 5% "
        f"for all {unit_of(outcome)}s at once)."
    )


def _best_mean_sentence(
    outcome: xr.Dataset, of_metric: xr.Dataset, best: xr.Dataset
) -> str:
    """Say who has the largest mean, alone or with others, and the interval of that mean."""
    level = about(outcome)["options"]["level"]
    topics = topics_phrase(outcome)
    name = best.system.item()
    mean, low, high = (best[figure].item() for figure in ("mean", "low", "high"))
    tied = of_metric.system.values[of_metric["rank"].values == 1]
    who = f"the best system, {name}, scores"
    if len(tied) > 1:
        who = (
            f"{len(tied)} systems tie for the best mean ({listed(tied)}); {name} scores"
        )
    if high - low <= EQUAL:
        return f"{who} {short(mean, 3)} on each of {topics}, so there is no interval"
    between = f"{level:.0%} interval {interval(low, high)}"
    return f"{who} {short(mean, 3)} ({between}, over {topics})"


def _uneven_topics_sentence(of_metric: xr.Dataset) -> str:
    """Say how much more one topic weighs in comparisons of means than another."""
    by, topics = str(of_metric.metric.item()), of_metric.topic.values
    sd, noun = of_metric["topic_sd"].values, unit_of(of_metric)
    most, least = topics[sd.argmax()], topics[sd.argmin()]
    advice = "; irmeta standardize gives all topics the same weight"
    if geometric(own_metric_names(of_metric)):
        advice = ""
    return (
        f"{by}: {noun} {most} spreads systems most, {sd.max() / sd.min():.1f} times as much as {noun} "
        f"{least}, and has that much more weight in every comparison of means{advice}."
    )


def _open_ranks_sentence(outcome: xr.Dataset, of_metric: xr.Dataset) -> str:
    """Say which ranks are open: those of the best system, or how many systems may be the best."""
    level = about(outcome)["options"]["level"]
    if about(outcome)["options"]["sets"] == "marginal":
        return (
            f"these scores picked it, so no marginal set holds for it (marginal, {level:.0%}: of one "
            "system, named in advance; --system names one)."
        )
    first = int((of_metric["rank_low"] == 1).sum())
    tied = int((of_metric["rank"] == 1).sum())
    share = _share_compared(outcome)
    which = f"any of {first} systems{share} may be the best, so the largest mean is probably too high"
    if first == tied:
        which = f"no other system{share} can be the best"
    if tied == outcome.sizes["system"]:
        which = "any of them may be the best"
    return (
        f"{which}. {of_metric['distinguished'].item():.0%} of the pairs of systems are distinguished ({level:.0%}, "
        "all ranks at once)."
    )


def _share_compared(outcome: xr.Dataset) -> str:
    """Say of how many systems the outcome is, where some were left out: " of the 22 compared"."""
    collections = about(outcome)["inputs"]["collections"].values()
    some = any("systems (" in one.get(LEFT_OUT, "") for one in collections)
    return f" of the {outcome.sizes['system']} compared" if some else ""


def _named_system_sentences(outcome: xr.Dataset, of_metric: xr.Dataset) -> list[str]:
    """Say which ranks a system may have that was named in advance."""
    options = about(outcome)["options"]
    if options["system"] is None:
        return []
    low, high = int(of_metric["own_low"]), int(of_metric["own_high"])
    ranks = f"{low}" if low == high else f"from {low} to {high}"
    return [
        f"{options['by']}: the true rank of {options['system']} is {ranks} ({options['level']:.0%}, for "
        "this one system, if you named it before you saw the scores)."
    ]


def _discovery_sentences(outcome: xr.Dataset, of_metric: xr.Dataset) -> list[str]:
    """Say how many pairs are distinguished if a small share of the claims may be wrong, where these are more."""
    options = about(outcome)["options"]
    share = of_metric["distinguished_found"].item()
    if share <= of_metric["distinguished"].item():
        return []
    return [
        f"{options['by']}: {share:.0%} of the pairs are distinguished if {1 - options['level']:.0%} of such claims "
        "may be wrong on average (false discovery rate)."
    ]


def _deciding_topics_sentences(of_metric: xr.Dataset) -> list[str]:
    """Say without which topics, the fewest, the first place changes."""
    decides = of_metric["decides"].values
    other = of_metric["runner_up"].item()
    if not few(int(decides.sum()), decides.size):
        return []
    topics = counted(int(decides.sum()), unit_of(of_metric))
    which = listed(of_metric.topic.values[decides])
    return [
        f"{of_metric.metric.item()}: without {topics} of {decides.size} ({which}) {other} would be level with "
        "the best system or ahead."
    ]


def _percentiles(scores: xr.DataArray, label: str) -> pl.DataFrame:
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
            "metric": [label] * len(at),
            "percentile": PERCENTILES,
            "name": scores[dim].values[at].tolist(),
            "mean": mean[at],
            "sd": sd[at],
        }
        parts.append(pl.DataFrame(columns))
    return pl.concat(parts)
