"""What `reuse` tells: tables for programs, an overview and findings for people."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl
import xarray as xr

from irmeta.metrics.names import Metric, highest, parse
from irmeta.scores.attributes import about
from irmeta.scores.figures import (
    interval,
    intervals,
    leading_metrics,
    own_metric_names,
    short,
)
from irmeta.scores.groups.teams import teams_prefix
from irmeta.scores.result import ends, frame, with_nulls
from irmeta.studies.place.reuse.study import judged_at
from irmeta.words import counted, joined, listed

FEW = 3
"""New runs of which sentences tell; the table `new` has all."""
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
    "gap",
    "mean_ranks",
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
    "unjudged_below",
    *ends("penalty"),
    "bound",
    "extrapolated",
)


def tables(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Tables `metrics`, `groups`, `rankings` (group and metric), `systems` (system and metric), and `new`."""
    relative_loss = pl.col("relative_loss").fill_nan(None)
    systems = frame(outcome, ("group_of", *_FIGURES), by=("system", "metric"))
    views = {
        "metrics": frame(outcome, _METRICS, by=("metric",)).sort(
            relative_loss, nulls_last=True, maintain_order=True
        ),
        "groups": frame(outcome, _GROUPS, by=("group",)),
        "rankings": frame(
            outcome, ("tau", "group_loss", "group_ranks"), by=("group", "metric")
        ),
        "systems": systems.rename({"group_of": "group"}),
    }
    if "run" in outcome.dims:
        views = {"new": _adjusted_rows(outcome), **views}
    return {name: with_nulls(view) for name, view in views.items()}


def _adjusted_rows(outcome: xr.Dataset) -> pl.DataFrame:
    """Return the scores of new runs, and with the expected penalty added."""
    found = frame(outcome, _NEW, by=("run", "metric"))
    found = found.rename({"new_score": "score", "new_unjudged": "unjudged"})
    return found.with_columns(
        (pl.col("score") + pl.col(penalty)).alias(adjusted)
        for penalty, adjusted in zip(ends("penalty"), ends("adjusted"), strict=True)
    )


def _named(outcome: xr.Dataset, rows: pl.DataFrame) -> pl.DataFrame:
    """Return rows with a column of the metrics' own names, by which one knows how deep they look."""
    names = dict(zip(outcome["metric"].values, own_metric_names(outcome), strict=True))
    return rows.with_columns(pl.col("metric").replace(names).alias("named"))


def overview(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Show new runs' scores as they are and adjusted, what metrics lose, and the groups that brought most."""
    views = tables(outcome)
    shown = dict[str, pl.DataFrame]()
    if "new" in views:
        new = _named(outcome, views["new"])
        depth = about(outcome)["options"]["depth"]
        unjudged = [
            f"{row['unjudged']:.1%} of first {judged_at(parse(row['named']), depth).cutoff}"
            for row in new.iter_rows(named=True)
        ]
        shown["new"] = new.select(
            *("run", "metric", "score"),
            pl.Series("unjudged", unjudged, dtype=pl.String),
            "adjusted",
            intervals(
                new["adjusted_low"].to_numpy(), new["adjusted_high"].to_numpy()
            ).alias("interval"),
            "bound",
        )
    shown["metrics"] = views["metrics"].select(
        "metric",
        pl.col("mean_loss").alias("loss"),
        pl.col("relative_loss").alias("in sd"),
        pl.col("gap").alias("gap"),
        pl.Series("ranks", [short(one, 1) for one in views["metrics"]["mean_ranks"]]),
        pl.col("most_ranks").alias("at most"),
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
    """Say what given new runs pay, what any run that is not pooled loses, and who brought what."""
    options = about(outcome)["options"]
    views = tables(outcome)
    metrics = views["metrics"]
    lines = []
    if "new" in views:
        # the first asked for, and the fairest
        shown = (str(outcome["metric"].values[0]), metrics["metric"][0])
        rows = _named(outcome, views["new"]).filter(pl.col("metric").is_in(shown))
        for of_run in rows.partition_by("run", maintain_order=True)[:FEW]:
            lines += _new_run_sentences(of_run, options["level"], options["depth"])
        lines += _extrapolation_sentences(outcome)
    known = metrics.drop_nulls("relative_loss")
    if known.height:
        lines += _any_run_sentences(outcome, known)
    groups = views["groups"].sort(
        "unique_relevant", descending=True, maintain_order=True
    )
    top = groups.row(0, named=True)
    alone = groups["unique"].sum() / max(1, int(outcome["judged"]))
    lines.append(
        f"{alone:.0%} of the judged documents that the groups brought, "
        f"and {groups['unique_relevant'].sum()} of the {int(outcome['relevant'])} relevant ones, "
        f"came from one group alone; {top['group']} contributed most of these "
        f"({top['unique_relevant']})."
    )
    return lines


def warnings(outcome: xr.Dataset) -> list[str]:
    """Warn of losses that look too small or too large."""
    return list(about(outcome)["options"]["alarms"])


def _any_run_sentences(outcome: xr.Dataset, known: pl.DataFrame) -> list[str]:
    """Say what a run that was not pooled would lose, beside the gap to the next rank; then by which metrics."""
    metrics = [str(name) for name in outcome["metric"].values]
    shown = [name for name in metrics if name in known["metric"]]
    [metric] = leading_metrics(outcome.sel(metric=shown), 1)
    row = known.row(by_predicate=pl.col("metric") == metric, named=True)
    pooled = np.unique(outcome["group_of"].values[outcome["pooled"].values])
    verb, sign = ("lose", 1) if row["mean_loss"] >= 0 else ("gain", -1)
    moved = sign * outcome["group_loss"].sel(metric=metric, group=pooled).values
    size, low, high, gap = (
        short(float(one), 3)
        for one in (abs(row["mean_loss"]), moved.min(), moved.max(), row["gap"])
    )
    subject = teams_prefix(about(outcome)["options"], "a run that was not pooled would")
    lines = [
        f"{subject} {verb} {size} by {metric} (between groups {low} to {high}; {pooled.size} left out in turn), "
        f"where neighbours in the ranking are {gap} apart, and fall by {_fall_clause(row, outcome.sizes['system'])}."
    ]
    least, most = known.row(0, named=True), known.row(-1, named=True)
    if known.height > 1:
        lines.append(
            f"The loss is largest by {most['metric']}, {_loss_text(most)}, and least by {least['metric']}, "
            f"{_loss_text(least)}."
        )
    return lines


def _fall_clause(row: Mapping[str, Any], runs: int) -> str:
    """Say by how many ranks runs fall."""
    most = int(row["most_ranks"])
    if most <= 0:
        return f"no rank of {runs}"
    if row["mean_ranks"] < 0.05:  # most rise, as where unjudged documents do not count
        return f"at most {most} of {runs} ranks"
    return f"{short(row['mean_ranks'], 1)} of {runs} ranks on average, {most} at most"


def _extrapolation_sentences(outcome: xr.Dataset) -> list[str]:
    """Say which new runs are unlike the runs that were left out."""
    far = outcome["run"].values[outcome["extrapolated"].any("metric").values]
    if not far.size:
        return []
    return [
        f"Too few documents of {listed(far)} are judged to compare it with these; judge its first documents."
    ]


def _new_run_sentences(
    rows: pl.DataFrame, level: float, depth: int | None
) -> list[str]:
    """Say what a new run would score if it had been pooled, by some metrics; by others it is judged as if it had."""
    lines = [
        _adjusted_sentence(row, level, depth)
        for row in rows.filter(pl.col("unjudged") > 0).iter_rows(named=True)
    ]
    at_top = rows.filter(unjudged=0).to_dicts()
    lines += [_deeper_sentence(row, depth) for row in at_top if _is_open(row)]
    judged = [row for row in at_top if not _is_open(row)]
    if judged:
        looked_at = [
            judged_at(parse(row["named"]), depth).cutoff or 0 for row in judged
        ]
        deepest = judged[looked_at.index(max(looked_at))]["named"]
        scores = joined([f"{row['metric']} {short(row['score'], 3)}" for row in judged])
        need = "needs" if len(judged) == 1 else "need"
        lines.append(
            f"{rows['run'][0]}: all of its {_first_documents_phrase(deepest, depth)} are judged, so {scores} {need} no "
            "adjustment."
        )
    return lines


def _adjusted_sentence(row: Mapping[str, Any], level: float, depth: int | None) -> str:
    """Say of one new run and metric what it would score if it had been pooled, and what it does."""
    bound = below = ""
    if row["bound"] < highest(row["named"]) - 5e-4:  # also as it is printed
        bound = f"; it cannot exceed {short(row['bound'], 3)}"
    if row["unjudged_below"] > 0:
        below = f" The interval leaves out that {_below_clause(row, depth)}."
    low, high = row["adjusted_low"], row["adjusted_high"]
    between = f"{level:.0%} interval {interval(low, high)}"
    if row["extrapolated"]:
        between += ", extrapolated"
    return (
        f"{row['run']}: {row['metric']} would be {short(row['adjusted'], 3)} if it had been pooled ({between}), and "
        f"is {short(row['score'], 3)} with {row['unjudged']:.1%} of its "
        f"{_first_documents_phrase(row['named'], depth)} unjudged{bound}.{below}"
    )


def _is_open(row: Mapping[str, Any]) -> bool:
    """Say whether unjudged documents below the top may change a score as it is printed."""
    return row["unjudged_below"] > 0 and short(row["bound"], 3) != short(
        row["score"], 3
    )


def _deeper_sentence(row: Mapping[str, Any], depth: int | None) -> str:
    """Say of one new run and metric that it looks deeper than where all documents are judged, and what is not there."""
    return (
        f"{row['run']}: {row['metric']} is {short(row['score'], 3)} with all of its "
        f"{_first_documents_phrase(row['named'], depth)} judged, but {_below_clause(row, depth)}."
    )


def _below_clause(row: Mapping[str, Any], depth: int | None) -> str:
    """Say how much is unjudged of the ranks below those where unjudged documents are counted."""
    looked = parse(row["named"])
    below = int(judged_at(looked, depth).cutoff or 0) + 1
    ranks = f"ranks {below} {_depth_phrase(looked)}"
    if looked.cutoff == below:
        ranks = f"rank {below}"
    unreached = "" if depth is None else ", which the pool does not reach,"
    return f"{row['unjudged_below']:.1%} of {ranks}{unreached} are unjudged"


def _depth_phrase(metric: Metric) -> str:
    """Say down to which rank a metric looks."""
    if isinstance(metric.cutoff, int):
        return f"to {metric.cutoff}"
    return "and below"


def _first_documents_phrase(metric: str, depth: int | None) -> str:
    """Say of how many first documents the unjudged are counted for a metric."""
    looked = parse(metric)
    number = judged_at(looked, depth).cutoff or 0
    first = f"first {counted(int(number), 'document')}"
    if number == depth and looked.cutoff != depth:
        return f"{first} (the pool's depth)"
    return first


def _loss_text(row: Mapping[str, Any]) -> str:
    """Write the mean loss by a metric, also in standard deviations of systems."""
    return f"{short(row['mean_loss'], 3)} ({short(row['relative_loss'])} of the systems' standard deviation)"
