"""What `comparison` answers: tables for programs, an overview and findings for people."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl
import xarray as xr

from irmeta.scores.attributes import about
from irmeta.scores.figures import interval, intervals, short
from irmeta.scores.groups.clusters import unit_of
from irmeta.scores.result import ends, frame
from irmeta.studies.standardizing.comparison.study import _CHANCE, _ENDS
from irmeta.words import counted, joined

FEW_METRICS = 4
"""Up to this number, each metric has a finding of its own."""


def tables(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Tables `pairs` (one row for each pair, metric and kind), `forms`, `chance` and `systems`.

    forms : means over pairs: drmse, chance_drmse (of random splits), false_positive_rate, and the largest_rate.
    chance : of random splits, means drmse_mean and false_positive_rate_mean, and the 97.5th percentiles drmse_high and
    false_positive_rate_high.
    systems : a row for each pair, metric, kind and system: its difference from itself with low, high and p, the largest
    first.
    """
    names = ("collection_a", "collection_b", "metric", "kind")
    figures = (
        "drmse",
        "false_positives",
        "systems",
        "drmse_quantile",
        "false_positives_quantile",
    )
    more = ("rmse", "drmse_geometric", *_ENDS, *ends("tau"))
    pairs = frame(outcome, (*figures, *more), by=names).rename(
        {"drmse_quantile": "quantile"}
    )
    pairs = pairs.with_columns(pl.col("false_positives").cast(pl.Int64))
    chance = frame(outcome, _CHANCE, by=names)
    systems = int(outcome["systems"])
    by_form = pairs.with_columns(chance["drmse_mean"]).group_by(
        "metric", "kind", maintain_order=True
    )
    means = by_form.agg(
        pl.col("drmse").mean(),
        chance_drmse=pl.col("drmse_mean").mean(),
        false_positive_rate=pl.col("false_positives").mean() / systems,
        largest_rate=pl.col("false_positives").max() / systems,
    )
    labels = frame(outcome, ["form"], by=["metric", "kind"])
    forms = labels.join(means, on=["metric", "kind"], maintain_order="left")
    return {
        "pairs": pairs,
        "forms": forms,
        "chance": chance,
        "systems": _inconsistency(outcome),
    }


def _inconsistency(outcome: xr.Dataset) -> pl.DataFrame:
    """List every system's difference from itself, largest first within a pair, metric and kind."""
    names = ("collection_a", "collection_b", "metric", "kind", "system")
    alpha = about(outcome)["options"]["alpha"]
    figures = ("difference", "low", "high", "p")
    rows = frame(outcome, [f"own_{figure}" for figure in figures], by=names)
    rows.columns = [*names, *figures]
    case = pl.int_range(pl.len()) // outcome.sizes["system"]
    ordered = rows.with_columns(differs=pl.col("p") < alpha, case=case)
    return ordered.sort(
        "case", pl.col("difference").abs(), descending=[False, True]
    ).drop("case")


def overview(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Show the pairs, narrower than as a table for programs, and the forms."""
    views = tables(outcome)
    low, high = (views["pairs"][end].to_numpy() for end in _ENDS)
    pairs = views["pairs"].select(
        pl.format("{} / {}", "collection_a", "collection_b").alias("collections"),
        *("metric", "kind", "tau", "drmse"),
        intervals(low, high, 2).alias("interval"),
        "quantile",
        pl.format("{} of {}", "false_positives", "systems").alias("false positives"),
        pl.col("false_positives_quantile").alias("their quantile"),
    )
    words = {
        "chance_drmse": "drmse by chance",
        "false_positive_rate": "false positives",
        "largest_rate": "most",
    }
    return {"pairs": pairs, "forms": views["forms"].rename(words)}


def findings(outcome: xr.Dataset) -> list[str]:
    """Say how far rankings agree; then for each metric and form, or form of many metrics, whether scores do."""
    return [*_agreement_sentences(outcome), *_score_sentences(outcome)]


def _agreement_sentences(outcome: xr.Dataset) -> list[str]:
    """Say by each metric, or as a range over many, with which tau collections rank the systems that all have."""
    rows = tables(outcome)["pairs"].filter(kind=outcome.kind.values[0])
    if outcome.sizes["metric"] > FEW_METRICS:
        return [
            _ranking_sentence(rows, outcome, f"the {outcome.sizes['metric']} metrics")
        ]
    by_metric = rows.partition_by("metric", maintain_order=True)
    return [_ranking_sentence(one, outcome, one["metric"][0]) for one in by_metric]


def _ranking_sentence(rows: pl.DataFrame, outcome: xr.Dataset, by: str) -> str:
    """Say how far rankings agree: of one pair and metric with the interval of tau, else the lowest and highest tau."""
    systems = int(outcome["systems"])
    there = outcome["systems_there"].values
    which = f"the same {systems} systems"
    if there.max() > systems:
        each = joined([str(number) for number in there])
        shared = int(outcome["systems_shared"])
        these = f"{systems} of" if systems < shared else ""
        which = f"{these} the {shared} systems that they share (of {each})".lstrip()
    names = [str(name) for name in outcome.collection.values]
    who = joined(names) if len(names) == 2 else f"{len(names)} collections"
    lowest, highest = (rows.sort("tau").row(at, named=True) for at in (0, -1))
    tau = short(lowest["tau"])
    if rows.height > 1:
        tau += f" ({_row_phrase(lowest, outcome)}) to {short(highest['tau'])} ({_row_phrase(highest, outcome)})"
    elif np.isfinite(lowest["tau_low"]):
        tau += f" ({interval(lowest['tau_low'], lowest['tau_high'], 2)})"
    return f"By {by}, {who} rank {which} with tau {tau}."


def _row_phrase(row: Mapping[str, Any], outcome: xr.Dataset) -> str:
    """Name what a row is of, where there are several: the pair, the metric."""
    parts = []
    if outcome.sizes["pair"] > 1:
        parts.append(f"{row['collection_a']} and {row['collection_b']}")
    if outcome.sizes["metric"] > FEW_METRICS:
        parts.append(row["metric"])
    return ", ".join(parts)


def _score_sentences(outcome: xr.Dataset) -> list[str]:
    """Say for each metric and form, or for each form of many metrics, whether scores agree as chance has it."""
    views = tables(outcome)
    limit = _chance_limit(outcome)
    differing = views["pairs"].filter(
        (pl.col("quantile") > limit) | (pl.col("false_positives_quantile") > limit)
    )
    if outcome.sizes["metric"] > FEW_METRICS:
        kinds = views["forms"].partition_by("kind", maintain_order=True)
        return [_kind_sentence(forms, differing, limit, outcome) for forms in kinds]
    sentences = []
    for row in views["forms"].iter_rows(named=True):
        own = differing.filter(metric=row["metric"], kind=row["kind"])
        sentences.append(_metric_sentence(row, own, limit, outcome))
    return sentences


def _chance_limit(outcome: xr.Dataset) -> float:
    """Return the quantile beyond which a pair differs more than chance gives any of the pairs, with 5%.

    A pair has two figures, which Bonferroni's correction counts, too. p of a quantile q of R splits is
    (1 + (1 - q) R) / (R + 1), as the collections themselves count as one split; so p <= level where

        q >= 1 - (level (R + 1) - 1) / R.
    """
    level = 0.05 / (2 * outcome.sizes["pair"])
    splits = about(outcome)["options"]["partitions"]
    return 1 - (level * (splits + 1) - 1) / splits - 1e-9


def _metric_sentence(
    row: Mapping[str, Any], differing: pl.DataFrame, limit: float, outcome: xr.Dataset
) -> str:
    """Say whether collections agree in one metric and form, which pairs do not, and how far."""
    by = row["metric"]
    if row["form"].startswith("standardized"):
        kind = "" if row["kind"] == "raw" else f", {row['kind']}"
        by = f"{by} ({row['form']}{kind})"
    elif outcome.sizes["kind"] > 1:
        by = f"{by} (raw)"
    pairs = differing.select("collection_a", "collection_b").iter_rows()
    names = joined([f"{a} and {b}" for a, b in pairs], "as do")
    if names:
        answer = f"Scores do not compare: by {by}, {names} differ by more than chance explains."
    else:
        answer = _within_chance_sentence(by, limit, outcome)
    split = unit_of(outcome)
    if np.isfinite([row["drmse"], row["chance_drmse"]]).all():
        figures = (
            f"mean dRMSE is {short(row['drmse'], 3)}, and that of random splits of the {split}s "
            f"{short(row['chance_drmse'], 3)}"
        )
    else:
        figures = f"dRMSE is undefined, because systems' scores do not differ enough in every split of the {split}s"
    return f"{answer} {_changed_clause(outcome, row['largest_rate'])}; {figures}."


def _changed_clause(outcome: xr.Dataset, rate: float) -> str:
    """Count the systems that score otherwise on another collection, at most where there are several pairs."""
    systems = int(outcome["systems"])
    number = round(rate * systems)
    verb = "scores" if number == 1 else "score"
    most = "" if outcome.sizes["pair"] == 1 else "In a pair at most "
    return f"{most}{number} of {counted(systems, 'system')} {verb} significantly differently on one than on the other"


def _within_chance_sentence(by: str, limit: float, outcome: xr.Dataset) -> str:
    """Say that no pair differs more than chance would make it, or that the splits are too few to show it."""
    if limit >= 1:
        return (
            f"Whether scores compare is open: by {by}, the random splits are too few to say whether a pair differs by "
            "more than chance; add --partitions 2000."
        )
    which = "no pair differs by more"
    if outcome.sizes["pair"] == 1:
        both = (str(outcome[f"collection_{end}"].item()) for end in "ab")
        which = f"{' and '.join(both)} differ by no more"
    return f"Scores compare, as far as these topics show: by {by}, {which} than chance explains."


def _kind_sentence(
    forms: pl.DataFrame, differing: pl.DataFrame, limit: float, outcome: xr.Dataset
) -> str:
    """Say whether collections agree in one form of many metrics, by which they do not, and how far."""
    known = np.isfinite(forms["drmse"].to_numpy())
    kind = forms["kind"][0]
    if not known.all():
        lacking = ", ".join(forms["metric"].filter(~known))
        return (
            f"{kind}: dRMSE of {lacking} is undefined, because systems differ too "
            "little by it; leave it out."
        )
    own = differing.filter(kind=kind)
    metrics = own["metric"].unique(maintain_order=True).to_list()
    drmse = forms["drmse"].to_list()
    most = max(forms["largest_rate"].to_list())
    every = f"the {forms.height} metrics ({kind})"
    if metrics:
        answer = (
            f"Scores do not compare: by {len(metrics)} of {every}, some pair differs by more than chance explains: "
            f"{', '.join(metrics)}."
        )
    else:
        answer = _within_chance_sentence(f"each of {every}", limit, outcome)
    span = f"{short(min(drmse), 3)} to {short(max(drmse), 3)}"
    return f"{answer} {_changed_clause(outcome, most)}, by the metric that has most; mean dRMSE is {span}."
