"""What `significance` answers: tables for programs, an overview and findings for people."""

import numpy as np
import polars as pl
import xarray as xr

from irmeta.scores.attributes import about
from irmeta.scores.figures import (
    ROWS,
    intervals,
    leading_metrics,
    p_value,
    row_limit,
    short,
    spans,
)
from irmeta.scores.groups.clusters import unit_of
from irmeta.scores.notes import Answer
from irmeta.scores.result import frame
from irmeta.stats.arrays import Bools
from irmeta.stats.halves.replication import Replication
from irmeta.stats.halves.swaps import least_difference
from irmeta.stats.tests.comparing import CORRECTED, JOINT
from irmeta.studies.differences.letters import MOST_LETTERS, in_letters
from irmeta.studies.differences.notes import at_bound
from irmeta.words import are, counted, listed

FEW_METRICS = 4
"""Systems are shown for at most this number of metrics; programs read all of them."""
FEW_PAIRS = 15
"""At most this number of tests is shown; programs read all of them."""
BY_PAIR = ("metric", "system_a", "system_b")
"""What names the rows of tests."""


def tables(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Tables `tests` (of each pair and metric), `systems` (that share a letter: not significantly different), `power`.

    `conflicts`: the pairs on which metrics contradict each other: for_a and for_b, the metrics for either system, and
    both_significant, whether there is a significant difference on both sides.
    """
    metrics = [str(metric) for metric in outcome.metric.values]
    fields = ["difference", "low", "high", "p", "p_corrected"]
    fields += ["effect_size", "direction", "significant"]
    if "equivalent" in outcome:
        fields += ["p_equivalent", "equivalent"]
    return {
        "tests": frame(outcome, fields, by=BY_PAIR).select(
            "system_a", "system_b", "metric", *fields
        ),
        "systems": pl.concat(
            [_systems(outcome.sel(metric=metric), metric) for metric in metrics]
        ),
        "power": frame(outcome, ["share_significant"]),
        "conflicts": _conflicts(outcome),
        "swaps": _swaps(outcome),
        "replication": frame(
            outcome, ["half_topics", *Replication._fields], by=["metric"]
        ),
    }


def overview(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Show discriminative power where there are many metrics; else the best systems with letters, and a few tests."""
    metrics = [str(metric) for metric in outcome.metric.values]
    if len(metrics) > FEW_METRICS:
        return {"": _metric_rows(outcome)}
    views: dict[str, pl.DataFrame] = {}
    for metric in metrics:
        views |= _letter_tables(outcome.sel(metric=metric), metric)
    if outcome.sizes["pair"] <= FEW_PAIRS:
        views["tests"] = _few_tests(outcome)
    return views


def _metric_rows(outcome: xr.Dataset) -> pl.DataFrame:
    """Return a row for each metric: the pairs that differ, and the best system with those not distinguished from it."""
    rows = []
    for metric in outcome.metric.values:
        one = outcome.sel(metric=metric)
        best = int(one["rank"].values.argmin())
        alike = int((~_confirmed_differences(one)[best]).sum()) - 1  # less itself
        rows.append(
            {
                "metric": str(metric),
                "pairs that differ": int(one["significant"].sum()),
                "share": f"{one['share_significant'].item():.0%}",
                "best": str(one.system.values[best]),
                "not different from it": alike,
            }
        )
    return pl.DataFrame(rows).sort(
        "pairs that differ", descending=True, maintain_order=True
    )


def _few_tests(outcome: xr.Dataset) -> pl.DataFrame:
    """Show the tests of few pairs: difference, interval and p, and whether they are equivalent, if that was asked."""
    tests = tables(outcome)["tests"]
    bound = frame(outcome.assign(bound=at_bound(outcome)), ["bound"], by=BY_PAIR)
    shown = tests.select(
        "metric",
        pl.col("system_a").alias("system"),
        pl.col("system_b").alias("other"),
        "difference",
        intervals(
            tests["low"].to_numpy(), tests["high"].to_numpy(), differences=True
        ).alias("interval"),
        pl.Series(
            "p", map(p_value, tests["p_corrected"], bound["bound"]), dtype=pl.String
        ),
    )
    if "equivalent" not in tests:
        return shown
    return shown.with_columns(tests["equivalent"])


def _letter_tables(one: xr.Dataset, metric: str) -> dict[str, pl.DataFrame]:
    """Show the systems by one metric, the best with letters: those that share one do not differ significantly."""
    systems = _systems(one, metric)
    shown = systems.select(
        "system",
        pl.col("mean").alias(metric),
        pl.col("rank").cast(pl.Int64),
        spans(systems["rank_low"], systems["rank_high"]).alias("possible ranks"),
        pl.col("letters").fill_null(""),
    )
    if systems.height <= MOST_LETTERS:
        return {f"systems by {metric}": shown}
    if row_limit() is None:
        return {f"systems by {metric}, with letters among the best {ROWS}": shown}
    title = f"systems by {metric}: the best {ROWS} of {systems.height}, with letters among these"
    return {title: shown.head(ROWS)}


def letters_of_best(one: xr.Dataset, count: int) -> dict[str, str]:
    """Return the letters of the best systems by one metric, from tests corrected for the pairs of all systems."""
    order = np.argsort(one["rank"].values, kind="stable")[:count]
    letters = in_letters(_differing_systems(one)[np.ix_(order, order)])
    return dict(zip(one.system.values[order].tolist(), letters, strict=True))


def findings(outcome: xr.Dataset) -> list[str]:
    """Say how many pairs differ, what that means for the best system, and what correction costs."""
    lines: list[str] = []
    for metric in leading_metrics(outcome, FEW_METRICS):
        one = outcome.sel(metric=metric)
        line = f"{differing_sentence(one)} {_best_system_sentence(one)}{_equivalence_sentence(one)}"
        lines.append(Answer(line))
    return (
        lines
        + _contradiction_sentences(outcome)
        + _reliable_difference_sentences(outcome)
        + replication_sentences(outcome)
    )


def differing_sentence(of_metric: xr.Dataset) -> str:
    """Say how many pairs differ by one metric, and what correction costs."""
    options = about(of_metric)["options"]
    pairs = of_metric.sizes["pair"]
    differ = "differs" if pairs == 1 else "differ"
    significant = int(of_metric["significant"].sum())
    test = options["test"]
    before = ""
    if options["correct"] != "none" and test not in (*JOINT, *CORRECTED):
        uncorrected = float((of_metric["p"] < options["alpha"]).mean())
        test = f"{test}, {options['correct']}"
        before = f"; {uncorrected:.1%} before correction"
    favours_lower = of_metric["direction"] * of_metric["difference"] < 0
    opposed = int((of_metric["significant"] & favours_lower).sum())
    against = ""
    if opposed:
        against = f", {opposed} of them in favour of the system with the lower mean"
    return (
        f"{of_metric.metric.item()}: {significant} of {counted(pairs, 'pair')} {differ} significantly{against} "
        f"({of_metric['share_significant'].item():.1%}; {test}, alpha {options['alpha']:g}{before})."
    )


def _best_system_sentence(of_metric: xr.Dataset) -> str:
    """Say how many systems are not significantly different from the best, or only against the means."""
    best = of_metric["rank"].values == 1
    names = of_metric.system.values[best]
    if len(names) > 1:
        tied = f"{len(names)} systems tie for the best mean ({listed(names)})"
        if best.all():
            return f"All {tied}."
        unlike = _confirmed_differences(of_metric)[best]
        alike = int((~unlike & ~best).any(axis=0).sum())
        if alike == 0:
            return f"{tied}; every other is significantly different from each of them."
        others = counted(alike, "other system")
        if _opposed_differences(of_metric)[best].any():
            return f"{tied}; {others} {are(alike)} not shown to be worse than each of them."
        return (
            f"{tied}; {others} cannot be distinguished from at least one of them"
            f"{_beaten_clause(of_metric)}."
        )
    alike = int((~_confirmed_differences(of_metric)[best]).sum()) - 1
    if alike == 0:
        return (
            f"The best system, {names[0]}, is significantly different from every other."
        )
    verb = "system is" if alike == 1 else "systems are"
    if _opposed_differences(of_metric)[best].any():
        return f"{alike} {verb} not shown to be worse than {names[0]}, which has the best mean."
    return (
        f"{alike} {verb} not significantly different from the best, {names[0]}"
        f"{_beaten_clause(of_metric)}."
    )


def _beaten_clause(of_metric: xr.Dataset) -> str:
    """Say how many of the systems that are not different from a best one cannot be the best: another is better."""
    rank, differs = of_metric["rank"].values, _confirmed_differences(of_metric)
    worse = (differs & (rank < rank[:, None])).any(axis=1)
    alike = (~differs[rank == 1]).any(axis=0)
    count = int((worse & alike).sum())
    return f"; {count} of these {are(count)} worse than another" if count else ""


def _equivalence_sentence(of_metric: xr.Dataset) -> str:
    """Say how many pairs are shown to differ by less than the margin, and how many are undecided."""
    if "equivalent" not in of_metric:
        return ""
    margin = about(of_metric)["options"]["margin"]
    equivalent = of_metric["equivalent"].values
    undecided = int((~equivalent & ~of_metric["significant"].values).sum())
    verb = "pair differs" if equivalent.sum() == 1 else "pairs differ"
    return f" {equivalent.sum()} {verb} by less than {margin:g}; for {undecided} neither is shown."


def replication_sentences(outcome: xr.Dataset) -> list[str]:
    """Say of the first metrics how many significant differences other topics show again, and how large they are."""
    lines = []
    for metric in outcome.metric.values[:FEW_METRICS]:
        one = outcome.sel(metric=metric)
        if not one["found"].item() > 0:
            continue
        count, noun = one["half_topics"].item(), unit_of(outcome)
        if one["found"].item() < 1:
            lines.append(
                f"{metric}: half of the {noun}s, {count}, hardly ever show a significant difference that the "
                "others could repeat."
            )
            continue
        lines.append(
            f"{metric}: of differences significant on {count} {noun}s, {one['again'].item():.0%} "
            f"are significant again on {count} others and {one['opposite'].item():.1%} have the "
            f"opposite sign; they keep {one['shrunk'].item():.0%} of their size."
        )
    return lines


def _swaps(outcome: xr.Dataset) -> pl.DataFrame:
    """List the error rate by number of topics, metric and difference; differences that no pair has are left out."""
    counted = frame(
        outcome, ["compared", "swapped"], by=["half", "swap_metric", "step"]
    )
    counted.columns = ["topics", "metric", "difference", "comparisons", "swaps"]
    rate = (pl.col("swaps") / pl.col("comparisons")).alias("error_rate")
    return counted.filter(pl.col("comparisons") > 0).with_columns(rate).drop("swaps")


def _reliable_difference_sentences(outcome: xr.Dataset) -> list[str]:
    """Say from which difference in mean on half of the topics the other half agrees in 95% of comparisons."""
    if not outcome.sizes["half"] or not outcome.sizes["swap_metric"]:
        return []
    half = outcome.isel(half=-1)
    least = least_difference(half["compared"].values, half["swapped"].values)
    names = half.swap_metric.values
    topics, noun = int(half["half"]), unit_of(outcome)
    on = (
        f"on {counted(topics, noun)} are reversed by {counted(topics, f'other {noun}')}"
    )
    # where it is 0, all differences are reversed that seldom: there is no limit to give
    limits = [
        f"{short(value)} ({name})"
        for name, value in zip(names, least, strict=True)
        if value > 0
    ]
    unknown = names[np.isnan(least) & half["compared"].values.any(axis=-1)]
    said = []
    if limits:
        more = " (table swaps)" if len(limits) > FEW_METRICS else ""
        said.append(
            f"Differences in mean of {listed(limits, FEW_METRICS)} or more {on} in at most 5% of "
            f"comparisons{more}."
        )
    if unknown.size:
        said.append(
            f"By {listed(unknown, FEW_METRICS)}, even the largest differences in mean {on} in more "
            "than 5% of comparisons."
        )
    return said


def _sides(outcome: xr.Dataset) -> tuple[Bools, Bools]:
    """Return which metrics are for system_a of each pair and which for system_b, both (pair, metric)."""
    difference = outcome["difference"].transpose("pair", "metric").values
    return difference > 1e-10, difference < -1e-10


def _conflicts(outcome: xr.Dataset) -> pl.DataFrame:
    """List the pairs of which some metric finds one system better, and another metric the other."""
    for_a, for_b = _sides(outcome)
    significant = outcome["significant"].transpose("pair", "metric").values
    at = np.flatnonzero(for_a.any(axis=1) & for_b.any(axis=1))
    metrics = np.array([str(metric) for metric in outcome.metric.values], dtype=object)
    both = (for_a & significant).any(axis=1) & (for_b & significant).any(axis=1)
    return pl.DataFrame(
        {
            "system_a": [str(name) for name in outcome.system_a.values[at]],
            "system_b": [str(name) for name in outcome.system_b.values[at]],
            "for_a": [metrics[for_a[pair]].tolist() for pair in at],
            "for_b": [metrics[for_b[pair]].tolist() for pair in at],
            "both_significant": both[at],
        },
        schema_overrides={
            "system_a": pl.String,
            "system_b": pl.String,
            "for_a": pl.List(pl.String),
            "for_b": pl.List(pl.String),
            "both_significant": pl.Boolean,
        },
    )


def _contradiction_sentences(outcome: xr.Dataset) -> list[str]:
    """Say on how many pairs the metrics contradict each other, and what to make of it."""
    if outcome.sizes["metric"] < 2:
        return []
    found = _conflicts(outcome)
    if not found.height:
        for_a, for_b = _sides(outcome)
        several = (for_a | for_b).sum(axis=1) > 1  # pairs
        if not several.any():
            return []
        return ["No metric contradicts another about which of two systems is better."]
    return [
        f"The metrics contradict each other on {found.height} of {outcome.sizes['pair']} pairs, on "
        f"{found['both_significant'].sum()} of them with significant differences on both sides "
        "(table conflicts): draw no conclusion about such a pair, or follow the metric that "
        "predicts new topics best (irmeta predictivity)."
    ]


def _differing_systems(of_metric: xr.Dataset) -> Bools:
    """Return which systems differ, as a symmetric matrix (system, system)."""
    return _symmetric(of_metric["significant"].values, of_metric.sizes["system"])


def _confirmed_differences(of_metric: xr.Dataset) -> Bools:
    """Return which systems differ and not against their means, as a symmetric matrix (system, system)."""
    of_means = of_metric["direction"] * of_metric["difference"] > 0
    return _symmetric(
        (of_metric["significant"] & of_means).values, of_metric.sizes["system"]
    )


def _opposed_differences(of_metric: xr.Dataset) -> Bools:
    """Return which systems differ against their means, as a symmetric matrix (system, system)."""
    return _differing_systems(of_metric) & ~_confirmed_differences(of_metric)


def _symmetric(pairs: Bools, size: int) -> Bools:
    """Turn flags of pairs of systems i < j into a symmetric matrix (system, system)."""
    matrix = np.zeros((size, size), dtype=np.bool_)
    matrix[np.triu_indices(size, 1)] = pairs
    return matrix | matrix.T


def _systems(of_metric: xr.Dataset, metric: str) -> pl.DataFrame:
    """List the systems, best first, with the ranks that they may have, and letters of groups, of many the best ones'.

    A system's rank is at least 1 + the number significantly better, at most all less the number significantly worse.
    A test that favours the system with the lower mean says nothing of ranks.
    """
    order = np.argsort(of_metric["rank"].values, kind="stable")
    differs = _differing_systems(of_metric)[np.ix_(order, order)]
    rank = of_metric["rank"].values[order]
    ordered = _confirmed_differences(of_metric)[np.ix_(order, order)]
    # (system, other): the other is significantly better
    better = ordered & (rank < rank[:, None])
    lettered = len(order) if len(order) <= MOST_LETTERS else ROWS
    letters: list[str | None] = [*in_letters(differs[:lettered, :lettered])]
    letters += [None] * (len(order) - lettered)
    return pl.DataFrame(
        {
            "system": of_metric.system.values[order].tolist(),
            "metric": [metric] * len(order),
            "mean": of_metric["mean"].values[order],
            "rank": rank,
            "rank_low": 1 + better.sum(axis=1),
            "rank_high": len(order) - better.sum(axis=0),
            "letters": letters,
        },
        schema_overrides={"letters": pl.String},
    )
