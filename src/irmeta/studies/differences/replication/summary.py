"""What `replicate` tells: tables for programs, an overview and findings for people."""

from collections import Counter

import numpy as np
import polars as pl
import xarray as xr

from irmeta.scores.attributes import about
from irmeta.scores.figures import (
    interval,
    intervals,
    leading_metrics,
    p_in_sentence,
    p_value,
    short,
    signed,
    with_interval,
)
from irmeta.scores.groups.clusters import unit_of
from irmeta.scores.result import ends, frame, with_nulls
from irmeta.studies.differences.replication.figures import (
    EASIER,
    GAINS,
    HARDER,
    LOSES,
    UNSHOWN,
)
from irmeta.words import capitalized, counted, joined, listed

FEW = 3
"""Verdicts that are each spoken of; of more there is a count first."""
NONE = "no effect"
"""The verdict where the original shows no lead, so that there is nothing to reproduce."""
SPOKEN = 2
"""Metrics that other sentences are about."""


def tables(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Return the tables of the JSON contract.

    experiments : experiment, metric, verdict, ratio with low and high (null where there is no interval), topics (of the
    experiment that has fewer), together (whether these are the original's), topics_needed (null where no number does);
    with a baseline original_lead, lead, lead_change and delta_ri, each with low and high, collection and drift.
    runs : run, experiment, metric, first (mean in the original), mean and change, each with low and high, p and rmse.
    lists, topics : run, experiment, tau_union and rbo, with low and high, or by topic; of run files only.
    """
    names = ["verdict", *ends("ratio"), "topics", "together", "topics_needed"]
    if "lead" in outcome:
        names += ends("original_lead", "lead", "lead_change", "delta_ri")
        names += ["collection", "drift"]
    of_runs = [*ends("first"), "mean", *ends("change"), "p", "rmse"]
    views = {
        "experiments": frame(outcome, names, by=["experiment", "metric"]).with_columns(
            pl.col("topics_needed").replace(np.inf, None)
        ),
        "runs": frame(outcome, of_runs, by=["run", "experiment", "metric"]),
    }
    if "rbo" in outcome:
        views["lists"] = frame(
            outcome, ends("tau_union", "rbo"), by=["run", "experiment"]
        )
        by_topic = frame(
            outcome, ["topic_tau_union", "topic_rbo"], by=["run", "experiment", "topic"]
        )
        views["topics"] = by_topic.rename(
            {"topic_tau_union": "tau_union", "topic_rbo": "rbo"}
        )
    return {name: with_nulls(view) for name, view in views.items()}


def overview(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Show what is there again by each metric, then each run by itself, and how alike its lists are."""
    views = {}
    for metric in _metrics_in_findings(outcome):
        views[f"by {metric}"] = _effects(outcome.sel(metric=metric))
    for metric in _metrics_in_findings(outcome):
        views[f"each system by {metric}"] = _runs(outcome.sel(metric=metric))
    if "rbo" in outcome and outcome["rbo"].notnull().any():
        views["ranked lists"] = _lists(outcome)
    return views


def _level(outcome: xr.Dataset) -> str:
    """Say of which level intervals are, as in 95% interval."""
    return f"{1 - about(outcome)['options']['alpha']:.0%} interval"


def _effects(one: xr.Dataset) -> pl.DataFrame:
    """Return a row for each experiment by one metric."""
    columns = {"experiment": one.experiment.values.astype(str).tolist()}
    if "lead" in one:
        columns |= {
            "lead": signed(one["lead"].values),
            "was": signed(one["original_lead"].values),
        }
    columns |= {
        "ratio": [short(value) for value in one["ratio"].values],
        _level(one): intervals(
            one["ratio_low"].values, one["ratio_high"].values, 2
        ).to_list(),
    }
    if "lead" in one:
        columns["ΔRI"] = signed(one["delta_ri"].values)
    return pl.DataFrame(columns | {"verdict": one["verdict"].values.tolist()})


def _each_run(outcome: xr.Dataset) -> list[xr.Dataset]:
    """Return the figures of each system in each experiment, one after another."""
    return [
        outcome.sel(run=run, experiment=name)
        for name in outcome.experiment.values
        for run in outcome.run.values
    ]


def _runs(one: xr.Dataset) -> pl.DataFrame:
    """Return a row for each system and experiment by one metric."""
    rows = _each_run(one)
    columns = {
        "system": [str(row.run.item()) for row in rows],
        "experiment": [str(row.experiment.item()) for row in rows],
        "mean": [short(float(row["mean"]), 3) for row in rows],
        "change": signed(row["change"] for row in rows),
        _level(one): [
            interval(float(row["change_low"]), float(row["change_high"]), sign=True)
            for row in rows
        ],
        "p": [p_value(float(row["p"])) for row in rows],
    }
    if one["rmse"].notnull().any():
        columns["RMSE"] = [short(float(row["rmse"]), 3) for row in rows]
    return pl.DataFrame(columns)


def _lists(outcome: xr.Dataset) -> pl.DataFrame:
    """Return a row for each system and experiment: how alike its lists are."""
    rows = _each_run(outcome)
    cells = {
        title: [with_interval(*(row[end] for end in ends(name))) for row in rows]
        for title, name in (("RBO", "rbo"), ("tau union", "tau_union"))
    }
    return pl.DataFrame(
        {
            "system": [str(row.run.item()) for row in rows],
            "experiment": [str(row.experiment.item()) for row in rows],
            **cells,
        }
    )


def findings(outcome: xr.Dataset) -> list[str]:
    """Say whether the experiment was reproduced, by each metric; then what moved, systems or collection."""
    pairs = [
        outcome.sel(experiment=name, metric=metric)
        for name in outcome.experiment.values
        for metric in _metrics_in_findings(outcome)
    ]
    sentences = []
    if outcome["verdict"].size > FEW:
        sentences.append(_count_sentence(outcome))
        sentences += [
            _over_time_sentence(outcome.sel(metric=one))
            for one in _metrics_in_findings(outcome)
        ]
    sentences += [_verdict_sentence(one, outcome) for one in pairs]
    sentences += [_cause_sentence(one) for one in pairs]
    return list(dict.fromkeys(filter(None, sentences)))


def _metrics_in_findings(outcome: xr.Dataset) -> list[str]:
    """Return the metrics that sentences are about, those by which the original shows an effect first."""
    names = outcome.metric.values.astype(str)
    verdict = outcome["verdict"]
    shows = [name for name in names if (verdict.sel(metric=name) != NONE).any()]
    chosen = leading_metrics(outcome, SPOKEN)
    if shows and not set(chosen) & set(shows):
        return leading_metrics(outcome.sel(metric=shows), 1)
    return sorted(chosen, key=lambda name: name not in shows)


def _count_sentence(outcome: xr.Dataset) -> str:
    """Count the verdicts over all experiments and metrics."""
    verdicts = sorted(outcome["verdict"].values.ravel().tolist())
    counts = Counter(verdicts).most_common()
    parts = [f"{name} in {number}" for name, number in counts]
    return f"Of {counted(len(verdicts), 'comparison')} with {_original(outcome)}: {joined(parts)}."


def _original(outcome: xr.Dataset) -> str:
    """Return the name of the original experiment."""
    return str(about(outcome)["options"]["original"])


def _verdict_sentence(one: xr.Dataset, outcome: xr.Dataset) -> str:
    """Say of one experiment, by one metric, whether it was reproduced."""
    verdict = str(one["verdict"].item())
    if verdict == NONE:
        return _no_effect_sentence(outcome.sel(metric=one.metric.item()))
    said = (
        _lead_sentence(one, verdict) if "lead" in one else _mean_sentence(one, verdict)
    )
    return f"{capitalized(verdict)}: by {one.metric.item()}, {said}"


def _no_effect_sentence(every: xr.Dataset) -> str:
    """Say that the original shows no lead by a metric, and which experiments do."""
    system, baseline = (str(name) for name in every.run.values)
    where, metric = _original(every), every.metric.item()
    lead = _figure(every.isel(experiment=0), "original_lead")
    said = (
        f"No effect to reproduce: by {metric}, {where} itself does not show that {system} and {baseline} "
        f"differ (lead {lead})"
    )
    own = [
        f"{name} shows {_figure(every.sel(experiment=name), 'lead')}"
        for name in every.experiment.values
        if _excludes_zero(every.sel(experiment=name), "lead")
    ]
    return f"{said}{'; ' if own else ''}{joined(own)}."


def _lead_sentence(one: xr.Dataset, verdict: str) -> str:
    """Say how much of a lead is there again."""
    where, again = _original(one), str(one.experiment.item())
    keep = about(one)["options"]["keep"]
    old = _original_lead_clause(one)
    if verdict == "reproduced":
        return (
            f"{old} in {where}, and {_times(one)} of that lead is there in {again} "
            f"({_range(one)}); {keep:g} was asked for."
        )
    if verdict == "not reproduced":
        return (
            f"{old} in {where}, and at most {short(float(one['ratio_high']))} of that lead is there "
            f"in {again} (ratio {_times(one)}, {_range(one)}); {keep:g} was asked for."
        )
    return (
        f"{old} in {where}, and {_times(one)} of that lead is there in {again}"
        f"{_interval_clause(one)}; {keep:g} was asked for.{_topics_needed_sentence(one)}"
    )


def _mean_sentence(one: xr.Dataset, verdict: str) -> str:
    """Say whether a system scores the same again."""
    [system] = (str(name) for name in one.run.values)
    within = about(one)["options"]["within"]
    first, again = (short(float(one[name].item()), 3) for name in ("first", "mean"))
    said = (
        f"{system} has {again} in {one.experiment.item()} and {first} in {_original(one)}, a ratio of "
        f"{_times(one)}"
    )
    if verdict == "cannot tell":
        return f"{said}{_interval_clause(one)}; within {within:.0%} was asked for.{_topics_needed_sentence(one)}"
    inside = "within" if verdict == "reproduced" else "not within"
    return f"{said} ({_range(one)}), {inside} {within:.0%}."


def _original_lead_clause(one: xr.Dataset) -> str:
    """Say by how much the system led in the original, or was behind."""
    system, baseline = (str(name) for name in one.run.values)
    lead = float(one["original_lead"])
    size = short(abs(lead), 3)
    if lead < 0:
        return f"{system} is {size} behind {baseline}"
    return f"{system} leads {baseline} by {size}"


def _times(one: xr.Dataset) -> str:
    """Write how many times the original's lead, or mean, is there."""
    return short(float(one["ratio"]))


def _range(one: xr.Dataset) -> str:
    """Write the interval of a ratio; there is none where it is the same on every topic."""
    low, high = float(one["ratio_low"]), float(one["ratio_high"])
    if high - low <= 1e-9:
        return f"the same on every {unit_of(one)}"
    return f"{_level(one)} {interval(low, high, 2)}"


def _interval_clause(one: xr.Dataset) -> str:
    """Write the interval of a ratio in brackets, or that means alone have none."""
    if np.isnan(float(one["ratio_low"])):
        return ", without an interval"
    return f" ({_range(one)})"


def _topics_needed_sentence(one: xr.Dataset) -> str:
    """Say how many topics would show that the lead, or the mean, is there again."""
    needed, topics = float(one["topics_needed"]), unit_of(one)
    if np.isnan(float(one["ratio_low"])):
        return ""
    if np.isinf(needed):
        return f" No number of {topics}s would show it: {_original(one)} has too few."
    more = f"{float(f'{needed:.2g}'):.0f}"
    return f" If all is there again, about {more} {topics}s would show it."


def _figure(one: xr.Dataset, name: str) -> str:
    """Write a figure of that name with its sign and interval."""
    value, low, high = (float(one[end]) for end in ends(name))
    if np.isnan(low):
        return short(value, 3, sign=True)
    between = interval(low, high, sign=True)
    return f"{short(value, 3, sign=True)}, {_level(one)} {between}"


def _over_time_sentence(every: xr.Dataset) -> str:
    """Say what moved in any of several experiments on other topics; nothing of fewer than 2, or without a baseline."""
    apart = every.isel(experiment=~every["together"].values)
    if apart.sizes["experiment"] < 2 or "drift" not in every:
        return ""
    system, baseline = (str(name) for name in every.run.values)
    moved = _experiments_that_moved(apart, "collection", EASIER, HARDER)
    drifted = _experiments_that_moved(apart, "drift", GAINS, LOSES)
    collection = "no change of the collection is shown"
    if moved:
        collection = f"the collection is {moved}"
    own = f"no drift of {system} against {baseline} is shown"
    if drifted:
        own = f"{system} {drifted}, against {baseline}"
    return (
        f"In {apart.sizes['experiment']} experiments after {_original(every)}, by {every.metric.item()}: {collection}; "
        f"{own}."
    )


def _experiments_that_moved(apart: xr.Dataset, name: str, *ways: str) -> str:
    """List the experiments whose figure of that name is one of these ways, as in harder."""
    told = {
        way: apart.experiment.values[apart[name].values == way].astype(str)
        for way in ways
    }
    return joined(
        [f"{way} in {listed(names)}" for way, names in told.items() if names.size]
    )


def _cause_sentence(one: xr.Dataset) -> str:
    """Say what moved since the original: on the same topics the systems, on others the collection or the system."""
    if bool(one["together"]):
        each = joined([_run_sentence(one.sel(run=run)) for run in one.run.values])
        return f"By {one.metric.item()} on the same {unit_of(one)}s: {each}."
    if "lead" not in one:
        return _no_baseline_sentence(one)
    return _drift_sentence(one)


def _run_sentence(run: xr.Dataset) -> str:
    """Say how near the scores of one system, and its lists, are to those of the original."""
    name = str(run.run.item())
    if float(run["rmse"]) <= 1e-12:
        said = f"{name} has the original's score on every {unit_of(run)}"
    else:
        said = (
            f"{name} changes by {_figure(run, 'change')} ({p_in_sentence(float(run['p']))}), RMSE "
            f"{short(float(run['rmse']), 3)}"
        )
    if "rbo" in run and np.isfinite(float(run["rbo"])):
        said += f", RBO of its lists {short(float(run['rbo']), 3)}"
    return said


def _no_baseline_sentence(one: xr.Dataset) -> str:
    """Say that without a baseline nobody can know what moved."""
    return (
        f"By {one.metric.item()}, {one.run.values[0]} changes by {_figure(one.isel(run=0), 'change')}; on "
        "other topics only a baseline (--against) shows whether the system or the collection moved."
    )


def _drift_sentence(one: xr.Dataset) -> str:
    """Say whether the collection moved, by the baseline, and whether the system did, by its lead."""
    system, baseline = (str(name) for name in one.run.values)
    base = one.isel(run=1)
    where = f"From {_original(one)} to {one.experiment.item()}, by {one.metric.item()}"
    moved, drifted = str(one["collection"].item()), str(one["drift"].item())
    collection = f"the collection becomes {moved}"
    if moved == UNSHOWN:
        collection = "no change of the collection is shown"
    own = f"{system} {'gains on' if drifted == GAINS else 'loses to'} {baseline}"
    if drifted == UNSHOWN:
        own = f"no drift of {system} against {baseline} is shown"
    return (
        f"{where}: {collection} ({baseline} "
        f"{_figure(base, 'change')}{_single_interval_clause(moved, base, 'change')}); {own} (lead "
        f"{_figure(one, 'lead_change')}{_single_interval_clause(drifted, one, 'lead_change')})."
    )


def _single_interval_clause(moved: str, one: xr.Dataset, name: str) -> str:
    """Say that an interval that excludes 0 is by itself, where nothing is shown for all experiments at once."""
    return " by itself" if moved == UNSHOWN and _excludes_zero(one, name) else ""


def _excludes_zero(one: xr.Dataset, name: str) -> bool:
    """Say whether an interval excludes 0."""
    low, high = float(one[f"{name}_low"]), float(one[f"{name}_high"])
    return low > 0 or high < 0
