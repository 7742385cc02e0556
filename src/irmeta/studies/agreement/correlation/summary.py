"""What `correlation` answers: tables for programs, an overview and findings for people."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
import polars as pl
import xarray as xr

from irmeta.choices import Coefficient, Level
from irmeta.scores.attributes import about
from irmeta.scores.figures import WIDE, matrix_table, near_one, short
from irmeta.scores.result import ends, frame, pairs_once
from irmeta.stats.rankings.agreement import COEFFICIENTS
from irmeta.words import counted

EQUAL = 1e-9
"""Correlations that differ by at most this are equal."""


def tables(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Tables `correlation` (each pair once), `groups` and `components`; with `collection` where each has its own."""
    return {
        "correlation": _pairs(outcome),
        "groups": _groups(outcome),
        "components": _components(outcome),
    }


def _by_collection(outcome: xr.Dataset) -> Iterator[tuple[str, xr.Dataset]]:
    """Yield the name and the figures of each collection, or of all of them pooled."""
    if "collection" not in outcome.dims:
        yield ", ".join(about(outcome)["inputs"]["collections"]), outcome
        return
    for name in outcome["collection"].values:
        yield str(name), outcome.sel(collection=name)


def _names(outcome: xr.Dataset) -> list[str]:
    """Return the metrics."""
    return [str(name) for name in outcome["metric"].values]


def _pairs(outcome: xr.Dataset) -> pl.DataFrame:
    """Return a row for each pair of metrics, once: r with its interval, n, and r of true means where it is known."""
    of_true_means = ["true_r", "true_low", "true_high"] * ("true_r" in outcome)
    pairs = frame(outcome, ["r", "low", "high", "n", *of_true_means]).rename(
        {"metric": "metric_a", "metric_2": "metric_b"}
    )
    known = pl.selectors.ends_with("low", "high").fill_nan(None)
    return pairs_once(pairs.with_columns(known), outcome.sizes["metric"], diagonal=1)


def _groups(outcome: xr.Dataset) -> pl.DataFrame:
    """Return the groups' members, group by group, of one collection after the other."""
    collection = pl.int_range(pl.len()) // outcome.sizes["metric"]
    members = frame(outcome, ["group"]).sort(collection, "group", maintain_order=True)
    return members.select(pl.exclude("metric"), "metric")


def _members(outcome: xr.Dataset) -> pl.DataFrame:
    """List the groups, the metrics of each in one text."""
    metrics = pl.col("metric").str.join(", ").alias("metrics")
    return _groups(outcome).group_by("group", maintain_order=True).agg(metrics)


def _components(outcome: xr.Dataset) -> pl.DataFrame:
    """Return a row for each component and metric: the component's shares of variance, and the metric's loading."""
    shares = ["share", *ends("cumulated")]
    loadings = frame(outcome, [*shares, "loading"], by=["component", "metric"])
    return loadings.select(
        pl.exclude("metric", "loading"), "metric", "loading"
    ).with_columns(pl.selectors.ends_with("low", "high").fill_nan(None))


def overview(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Show the upper triangle of the matrix and the groups; of many metrics, what each agrees with most and least."""
    views = {}
    for name, one in _by_collection(outcome):
        of = f" ({name})" if "collection" in outcome.dims else ""
        metrics = _names(one)
        if len(metrics) > WIDE:
            views[f"metrics by group{of}"] = _neighbours(one)
        else:
            cells = [
                [near_one(r, 3) if j >= i else "" for j, r in enumerate(row)]
                for i, row in enumerate(one["r"].values)
            ]
            views[f"correlation{of}"] = matrix_table(metrics, cells)
            views[f"groups{of}"] = _members(one)
    return views


def _neighbours(one: xr.Dataset) -> pl.DataFrame:
    """Return a row for each metric: its group, and the metrics that it agrees with most and least."""
    metrics = np.array(_names(one))
    r = one["r"].values
    others = r.copy()
    np.fill_diagonal(others, np.nan)
    most = np.nanargmax(others, axis=1)
    least = np.nanargmin(others, axis=1)
    each = np.arange(len(metrics))
    frame = pl.DataFrame(
        {
            "group": one["group"].values,
            "metric": metrics,
            "agrees most with": metrics[most],
            "r": [near_one(value) for value in r[each, most]],
            "least with": metrics[least],
            "r ": [near_one(value) for value in r[each, least]],
        }
    )
    return frame.sort("group", maintain_order=True)


def findings(outcome: xr.Dataset) -> list[str]:
    """Name the pairs that agree most and least, the groups above the threshold, and the number of components."""
    options = about(outcome)["options"]
    lines = []
    for name, part in _by_collection(outcome):
        if options["unit"] == "system" and part["n"].values.max() < 3:
            lines.append(
                f"On {name} there are 2 systems, and the means of any two metrics correlate at 1 or -1: that says "
                "nothing of the metrics; take more systems, or --unit topic."
            )
            continue
        lines.append(_extremes_sentence(name, part, options["unit"]))
        lines.append(_groups_sentence(part, options["threshold"], options["method"]))
        if part.sizes["metric"] > 2:
            lines.append(_components_sentence(part, options["method"]))
    return lines


def _extremes_sentence(name: str, part: xr.Dataset, level: Level) -> str:
    """Name the pair of metrics that agrees most, and the one that agrees least."""
    pairs = _pairs(part)
    most = pairs.sort("r", descending=True, maintain_order=True).row(0, named=True)
    least = pairs.sort("r", maintain_order=True).row(0, named=True)
    sentence = partial(_pair, sizes=part["n"].ndim > 0)
    if pairs.height == 1:
        return f"On {name}, at {level} level, {sentence(most)} are the two metrics compared."
    if most["r"] - least["r"] <= EQUAL:
        return f"On {name}, at {level} level, all {pairs.height} pairs of metrics correlate at {near_one(most['r'])}."
    rivals, others = 0, ""
    if most["low"] is not None:
        rivals = pairs.filter(pl.col("high") >= most["low"]).height - 1
    if rivals > 0:
        others = (
            f" Of {pairs.height} pairs, {counted(rivals, 'other')} may agree as much as the "
            "first."
        )
    return (
        f"On {name}, at {level} level, {sentence(most)} agree most; {sentence(least)} agree least."
        f"{others}"
    )


def _groups_sentence(part: xr.Dataset, threshold: float, method: Coefficient) -> str:
    """List the groups of metrics that correlate at the threshold or above."""
    digits = len(f"{threshold:.10f}".rstrip("0").partition(".")[2])
    level = short(threshold, max(2, digits))
    groups = [metrics for metrics in _members(part)["metrics"] if ", " in metrics]
    if not groups:
        return f"No two metrics correlate at {level} or more."
    shared = ""
    if method == "pearson" and threshold > 0:
        shared = f" ({_shared_variance(threshold)} shared variance in these scores)"
    least, interval = _least_within(part), ""
    if not np.isnan(least):
        interval = f" The lowest end of their intervals is {near_one(least)}."
    return (
        f"Within each group every pair of metrics correlates at {level} or more{shared}: "
        f"{'; '.join(groups)}.{interval}"
    )


def _least_within(part: xr.Dataset) -> float:
    """Return the lowest end of the intervals of all pairs within a group; NaN without intervals."""
    group = part["group"].values
    within = np.equal.outer(group, group) & ~np.eye(len(group), dtype=np.bool_)
    return float(part["low"].values[within].min())


def _components_sentence(part: xr.Dataset, method: Coefficient) -> str:
    """Say how many principal components carry 95% of the variance; of a rank coefficient there is no variance."""
    count = int(np.searchsorted(part["cumulated"].values, 0.95 - 1e-9)) + 1
    verb = "explains" if count == 1 else "explain"
    what = "variance of the metrics"
    if method != "pearson":
        what = f"eigenvalues of the matrix of {COEFFICIENTS[method][0]}, which is not a share of variance"
    share, low, high = (float(part[name][count - 1]) for name in ends("cumulated"))
    figures = f"{share:.1%}"
    if not np.isnan(low):
        figures = f"{share:.1%}, 95% interval {low:.1%} to {high:.1%}"
    return f"{count} of {part.sizes['component']} principal components {verb} 95% of the {what} ({figures})."


def _shared_variance(r: float) -> str:
    """Say what share of variance two metrics share at least that correlate at r or more."""
    share = 100 * r**2
    if share == 100:
        return "100%"
    return f"at least {np.floor(share + 1e-9):.0f}%"


def _pair(row: Mapping[str, Any], *, sizes: bool) -> str:
    """Name a pair of metrics with its correlation and interval. sizes : with the number of values, too."""
    figures = near_one(row["r"]) + _interval_clause(row["low"], row["high"])
    count = f", n = {row['n']}" if sizes else ""
    true = ""
    of_true = row.get("true_r", np.nan)
    if row["low"] is not None and not np.isnan(of_true):
        between = _interval_clause(row["true_low"], row["true_high"])
        true = f"; of true means {near_one(of_true)}{between}"
    return f"{row['metric_a']} and {row['metric_b']} ({figures}{count}{true})"


def _interval_clause(low: float | None, high: float | None) -> str:
    """Write the ends of an interval of a correlation; nothing where there is none."""
    if low is None or high is None or np.isnan(low):
        return ""
    return f", 95% interval {near_one(low)} to {near_one(high)}"
