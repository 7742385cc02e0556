"""What is told of means that papers report: where they stand, what claims improve on, and whether these add up."""

from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl
import xarray as xr

from irmeta.scores.attributes import about
from irmeta.scores.figures import short
from irmeta.scores.result import ends, with_nulls
from irmeta.studies.place.reported import FIGURES, NAMES, PREFIX
from irmeta.studies.place.rows import FEW, figure, most_of, percentile_text
from irmeta.words import counted

FLAGS = ("baseline_below_median", "reaches_best")
DIGITS = 3
"""Decimals of means."""
_MIDDLE = 50
"""The percentile of the median."""


def report_rows(outcome: xr.Dataset) -> pl.DataFrame:
    """Tell of each mean that a paper reports where it stands; of a claim, where its baseline does."""
    columns = (*NAMES, "baseline", *FIGURES)
    view = pl.DataFrame(
        {name: outcome[PREFIX + name].values.tolist() for name in columns},
        schema_overrides=dict.fromkeys(FIGURES, pl.Float64),
    )
    return with_nulls(view).with_columns(
        pl.col("year", "others").cast(pl.Int64),
        pl.col("baseline").replace("", None),
        *(pl.col(name).cast(pl.Boolean) for name in FLAGS),
    )


def overview(view: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Show the reports with their places, and the baselines of claims with theirs; the weakest of many first."""
    kept, heading = most_of(view, "published", by="baseline_percentile")
    unnamed = pl.col("paper") == ""
    of_paper = pl.format("{} ({})", "system", "paper")
    several = [one for one in ("collection", "metric") if view[one].n_unique() > 1]
    columns = [
        pl.when(unnamed).then("system").otherwise(of_paper),
        *map(pl.col, several),
        pl.col("mean"),
        percentile_text("percentile"),
    ]
    if view["baseline"].count():
        baseline = pl.format("{} {}", "baseline", figure("baseline_mean"))
        columns.append(baseline.alias("baseline"))
        columns.append(percentile_text("baseline_percentile").alias("its percentile"))
    return {heading: kept.select(*columns)}


def sentences(outcome: xr.Dataset, view: pl.DataFrame) -> Iterator[str]:
    """Say of all claims by a metric what they improve on, and of the first reports where each stands."""
    level = about(outcome)["options"]["level"]
    claims = view.drop_nulls("baseline_mean")
    for (collection, metric), some in claims.group_by(
        "collection", "metric", maintain_order=True
    ):
        if some.height > 1:
            every = view.filter(collection=collection, metric=metric)
            yield _claims_sentence(some, every, level)
    first = claims if claims.height else view
    for row in first.head(FEW).to_dicts():
        yield _claim_sentence(row) if claims.height else _report_sentence(row)


def _claims_sentence(claims: pl.DataFrame, every: pl.DataFrame, level: float) -> str:
    """Say how many baselines are below the median, how many claims reach the best, and what gains add up to."""
    row, count = claims.row(0, named=True), claims.height
    below = int(claims["baseline_below_median"].sum())
    highest = claims["baseline_percentile_high"]
    surely = ""
    if not highest.null_count():
        wholly = int((highest < _MIDDLE).sum())
        surely = f", {wholly} of them with the whole {level:.0%} interval"
    reach = int(claims["reaches_best"].sum())
    stand = "stands" if below == 1 else "stand"
    come = "reaches" if reach == 1 else "reach"
    return (
        f"{row['collection']}, {row['metric']}: {below} of {count} baselines {stand} below the median of "
        f"{counted(row['others'], 'system')} ({short(row['median_score'], DIGITS)}){surely}; {reach} of {count} claims "
        f"{come} the best{' of the time' if row['year'] else ''}. {_total_gain_clause(claims, every)}"
    )


def _total_gain_clause(claims: pl.DataFrame, every: pl.DataFrame) -> str:
    """Say what the gains add up to, and how far the best mean reported is above the collection's best system."""
    gains = short(float(claims["gain"].sum()), DIGITS, sign=True)
    # before the first paper
    best = every.select(pl.col("best_score").min()).item()
    rise = every.select(pl.col("mean").max()).item() - best
    systems = f"the best of these systems ({short(best, DIGITS)})"
    if rise <= 0:
        return f"The gains are {gains} together, but no mean is above {systems}: they do not add up."
    above = short(rise, DIGITS, sign=True)
    return f"The gains are {gains} together; the best mean reported is {above} above {systems}."


def _claim_sentence(row: Mapping[str, Any]) -> str:
    """Say where a claim begins, and where it ends."""
    gain = short(row["gain"], DIGITS, sign=True)
    return (
        f"{_system(row)} claims {gain} {row['metric']} over {row['baseline']} ({short(row['baseline_mean'], DIGITS)}), "
        f"which stands at {_percentile_phrase(row, 'baseline_')} of {counted(row['others'], 'system')} on "
        f"{row['collection']}, {_median_side_clause(row, 'baseline_')}. The gain ends at "
        f"{_percentile_phrase(row, '')}, {_reached_clause(row)}."
    )


def _report_sentence(row: Mapping[str, Any]) -> str:
    """Say where a system stands of which a paper reports a mean."""
    return (
        f"{_system(row)}: {row['metric']} {short(row['mean'], DIGITS)} stands at {_percentile_phrase(row, '')} of "
        f"{counted(row['others'], 'system')} on {row['collection']}, {_reached_clause(row)}."
    )


def _system(row: Mapping[str, Any]) -> str:
    """Name a system with its paper."""
    if row["paper"]:
        return f"{row['system']} ({row['paper']})"
    return str(row["system"])


def _percentile_phrase(row: Mapping[str, Any], prefix: str) -> str:
    """Write a percentile with its interval."""
    middle, low, high = (row[name] for name in ends(f"{prefix}percentile"))
    interval = "" if low is None else f" ({low:.0f} to {high:.0f})"
    return f"percentile {middle:.0f}{interval}"


def _median_side_clause(row: Mapping[str, Any], prefix: str) -> str:
    """Say on which side of everybody's median a system stands, or that it cannot be said."""
    median = f"their median ({short(row['median_score'], DIGITS)})"
    middle, low, high = (row[name] for name in ends(f"{prefix}percentile"))
    low = middle if low is None else low
    high = middle if high is None else high
    if high < _MIDDLE:
        return f"below {median}"
    if low > _MIDDLE:
        return f"above {median}"
    return f"not distinguished from {median}"


def _reached_clause(row: Mapping[str, Any]) -> str:
    """Say what a system reaches: the best of the time, or on which side of the median it stays."""
    best = f"the best {'of the time' if row['year'] else 'of them'}"
    score = short(row["best_score"], DIGITS)
    if row["reaches_best"]:
        return f"and reaches {best} ({score})"
    return f"{_median_side_clause(row, '')}; {best} has {score}"
