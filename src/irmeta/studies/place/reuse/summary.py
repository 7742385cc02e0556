"""What `reuse` tells: tables for programs, an overview and findings for people."""

from collections.abc import Mapping
from typing import Any

import polars as pl
import xarray as xr

from irmeta.metrics.names import highest, parse
from irmeta.scores.attributes import about
from irmeta.scores.figures import short
from irmeta.scores.groups.teams import taking
from irmeta.scores.result import frame, with_nulls
from irmeta.studies.place.reuse.study import unjudged_at
from irmeta.words import counted, listed

_FIGURES = (
    "score",
    "without",
    "loss",
    "rank",
    "rank_without",
    "unjudged",
    "expected",
    "low",
    "high",
    "covered",
)
_METRICS = (
    "mean_loss",
    "relative_loss",
    "most_ranks",
    "least_tau",
    "b",
    "c",
    "coverage",
)
_GROUPS = ("runs", "brought", "unique", "unique_relevant", "relevant_share")
_NEW = (
    "new_score",
    "new_unjudged",
    "penalty",
    "penalty_low",
    "penalty_high",
    "bound",
    "extrapolated",
)


def tables(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Tables `metrics`, `groups`, `rankings` (group and metric), `systems` (system and metric), and `new`."""
    least_first = pl.col("relative_loss").fill_nan(None)
    systems = frame(outcome, ("group_of", *_FIGURES), by=("system", "metric"))
    views = {
        "metrics": frame(outcome, _METRICS, by=("metric",)).sort(
            least_first, nulls_last=True, maintain_order=True
        ),
        "groups": frame(outcome, _GROUPS, by=("group",)),
        "rankings": frame(
            outcome, ("tau", "group_loss", "group_ranks"), by=("group", "metric")
        ),
        "systems": systems.rename({"group_of": "group"}),
    }
    if "run" in outcome.dims:
        views = {"new": _adjusted(outcome), **views}
    return {name: with_nulls(view) for name, view in views.items()}


def _adjusted(outcome: xr.Dataset) -> pl.DataFrame:
    """Return the scores of new runs, and with the expected penalty added."""
    found = frame(outcome, _NEW, by=("run", "metric"))
    found = found.rename({"new_score": "score", "new_unjudged": "unjudged"})
    penalties = ("penalty", "penalty_low", "penalty_high")
    return found.with_columns(
        (pl.col("score") + pl.col(name)).alias(name.replace("penalty", "adjusted"))
        for name in penalties
    )


def overview(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Show new runs' scores as they are and adjusted, what metrics lose, and the groups that brought most."""
    views = tables(outcome)
    shown = dict[str, pl.DataFrame]()
    if "new" in views:
        shown["new"] = views["new"].select(
            *("run", "metric", "score", "unjudged", "adjusted"),
            pl.format(
                "{} to {}",
                *(pl.col(f"adjusted_{end}").round(3) for end in ("low", "high")),
            ).alias("interval"),
            "bound",
        )
    shown["metrics"] = views["metrics"].select(
        "metric",
        pl.col("mean_loss").alias("loss"),
        pl.col("relative_loss").alias("in sd of systems"),
        pl.col("most_ranks").alias("ranks at most"),
        pl.col("least_tau").alias("tau at least"),
    )
    groups = views["groups"].sort(
        "unique_relevant", descending=True, maintain_order=True
    )
    brought = groups.select(
        *("group", "runs", "brought"),
        pl.col("unique").alias("alone"),
        pl.col("unique_relevant").alias("relevant alone"),
    )
    return shown | {"groups": brought}


def findings(outcome: xr.Dataset) -> list[str]:
    """Say by which metrics a new run loses least and most, what a given one pays, and who brought what."""
    options = about(outcome)["options"]
    level = options["level"]
    taken = taking(options)
    views = tables(outcome)
    metrics = views["metrics"]
    lines = []
    known = metrics.drop_nulls("relative_loss")
    if known.height == 1:
        only = known.row(0, named=True)
        lines.append(
            f"By {only['metric']} the pool favours old runs over a new one: {taken}groups that are left out lose "
            f"{_loss(only)}, and a run falls by up to {counted(int(only['most_ranks']), 'rank')}."
        )
    if known.height > 1:
        least = known.row(0, named=True)
        most = known.row(-1, named=True)
        lines.append(
            f"{taking(options, 'groups')} that are left out lose least by {least['metric']} ({_loss(least)}) "
            f"and most by {most['metric']} ({_loss(most)}); a run falls by up to "
            f"{int(outcome['most_ranks'].max())} ranks. {_advice(outcome, least['metric'])}"
        )
    if "new" in views:
        # the first asked for, and the fairest
        shown = (str(outcome["metric"].values[0]), metrics["metric"][0])
        rows = views["new"].filter(pl.col("metric").is_in(shown)).iter_rows(named=True)
        lines += [_of_new(row, level, options["depth"]) for row in rows][:6]
    groups = views["groups"].sort(
        "unique_relevant", descending=True, maintain_order=True
    )
    top = groups.row(0, named=True)
    lines.append(
        f"{groups['unique'].sum() / max(1, int(outcome['judged'])):.0%} of the judged documents, "
        f"and {groups['unique_relevant'].sum()} of the {int(outcome['relevant'])} relevant ones, "
        f"were contributed by one group alone; {top['group']} contributed most of these "
        f"({top['unique_relevant']})."
    )
    return lines


def _advice(outcome: xr.Dataset, metric: str) -> str:
    """Say what the least loss means for new runs; not for those that are unlike the runs that were left out."""
    if "run" in outcome.dims:
        extrapolated = outcome["extrapolated"].any("metric")
        if far := [str(run) for run in outcome["run"].values[extrapolated.values]]:
            return (
                f"Too few documents of {listed(far)} are judged to compare it with these; judge its "
                "first documents."
            )
    return f"So the pool favours old runs over a new one least by {metric}, which says nothing of what it measures."


def _of_new(row: Mapping[str, Any], level: float, depth: int | None) -> str:
    """Say of one new run and metric what it scores, and what it would if it had been pooled."""
    if row["bound"] < highest(row["metric"]) - 5e-4:
        bound = f"; it cannot exceed {short(row['bound'], 3)}"
    else:
        bound = ""
    low, high = row["adjusted_low"], row["adjusted_high"]
    interval = f"{level:.0%} interval {short(low, 3)} to {short(high, 3)}"
    if row["extrapolated"]:
        interval += ", extrapolated"
    return (
        f"{row['run']}: {row['metric']} {short(row['score'], 3)}, with {row['unjudged']:.1%} of its "
        f"{_first(row['metric'], depth)} unjudged. If it had been pooled, its expected score is "
        f"{short(row['adjusted'], 3)} ({interval}){bound}."
    )


def _first(metric: str, depth: int | None) -> str:
    """Say of how many first documents the unjudged are counted for a metric."""
    looked = parse(metric)
    number = unjudged_at(looked, depth).cutoff or 0
    first = f"first {counted(int(number), 'document')}"
    if number == depth and looked.cutoff != depth:
        return f"{first} (the pool's depth)"
    return first


def _loss(row: Mapping[str, Any]) -> str:
    return f"{short(row['mean_loss'], 3)}, {short(row['relative_loss'])} of the systems' standard deviation"
