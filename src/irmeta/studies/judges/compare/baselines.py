"""Rankings of systems without any judgment, which a judge has to beat: how far they agree with the truth."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
import xarray as xr

from irmeta.choices import JudgedTopics, Missing
from irmeta.evaluation.lists import first_documents
from irmeta.evaluation.sources import RunsLike
from irmeta.io.runs.trec import Reading
from irmeta.metrics.names import is_known, parse
from irmeta.scores.figures import interval, short
from irmeta.scores.result import ends, frame, with_nulls
from irmeta.stats.arrays import Bools, Floats, Ints
from irmeta.stats.judging import unlabelled
from irmeta.stats.tests import multiplicity
from irmeta.studies.judges.compare.agreement import agreement_on_pairwise_topics
from irmeta.studies.judges.compare.aligned import Aligned, aligned
from irmeta.words import are, counted, listed

DEPTH = 100
"""Ranks that are compared at most, and those of a metric without a cutoff."""
OWN = ends("tau", "soft")
"""What is told of a baseline."""
BESIDE = [
    *ends("baseline_difference"),
    "baseline_difference_p",
    "baseline_difference_p_corrected",
]
"""What is told of a judge beside a baseline."""
NAMED = 3
"""How many judges that no baseline is clearly behind are named."""


def beside_baselines(
    together: Aligned,
    cubes: Mapping[str, xr.DataArray],
    runs: RunsLike,
    topics: JudgedTopics,
    missing: Missing,
    team: Ints,
    rngs: Sequence[np.random.Generator],
    reading: Reading | None,
) -> dict[str, Any]:
    """Return over (metric, baseline) tau and soft accuracy, and by judge, too, how much more it has.

    rngs : one for each metric.
    """
    metrics = [str(metric) for metric in together.first.metric.values]
    made = _baselines(runs, cubes[together.truth], metrics, rngs, reading)
    every = aligned({**cubes, **made}, together.truth, metrics, topics, missing)
    judges = len(together.judges)
    parts = [
        _baseline_figures(agreement_on_pairwise_topics(every, which, team, rng), judges)
        for which, rng in enumerate(rngs)
    ]
    data: dict[str, Any] = {
        name: (("metric", *dims), np.stack([part[name][1] for part in parts]))
        for name, (dims, _) in parts[0].items()
    }
    return data | {"baseline": list(made)}


def _baselines(
    runs: RunsLike,
    truth: xr.DataArray,
    metrics: list[str],
    rngs: Sequence[np.random.Generator],
    reading: Reading | None,
) -> dict[str, xr.DataArray]:
    """Score the runs without judgments, each metric's column by as many ranks as the metric sees."""
    topics = [str(topic) for topic in truth.topic.values]
    depths = [_depth(metric) for metric in metrics]
    systems, ranked = first_documents(runs, topics, max(depths), reading)
    # in the truth's clusters, if it has some
    kept = [str(name) for name in truth.system.values if str(name) in systems]
    like = truth.sel(system=kept, metric=metrics)
    place = [systems.index(name) for name in kept]
    seen = [ranked[..., :depth] for depth in depths]
    columns = {
        "reference counts": map(unlabelled.reference_counts, seen),
        "overlaps": map(unlabelled.overlap, seen),
        "random judgments": map(unlabelled.random_judgments, seen, rngs),
    }
    return {
        name: like.copy(data=np.stack(list(scores), axis=-1)[place])
        for name, scores in columns.items()
    }


def _depth(metric: str) -> int:
    """Return how many ranks a metric sees, at most those that are compared."""
    cutoff = parse(metric).cutoff if is_known(metric) else None
    # a cutoff below 1 is a recall
    return int(cutoff) if cutoff and 1 <= cutoff < DEPTH else DEPTH


def _baseline_figures(
    found: Mapping[str, tuple[tuple[str, ...], Any]], judges: int
) -> dict[str, tuple[tuple[str, ...], Floats]]:
    """Take what is of the baselines, which come after the judges, and of judges beside each, corrected by Holm."""
    own = {f"baseline_{name}": (("baseline",), found[name][1][judges:]) for name in OWN}
    beside = {
        f"baseline_{name}": found[f"soft_{name}"][1][:judges, judges:]
        for name in (*ends("difference"), "difference_p")
    }
    # a judge that ties all systems ranks nothing
    tied = np.isnan(found["tau"][1][:judges])
    beside = {
        name: np.where(tied[:, None], np.nan, one) for name, one in beside.items()
    }
    beside["baseline_difference_p_corrected"] = np.stack(
        [_holm(p) for p in beside["baseline_difference_p"].T], axis=-1
    )
    return own | {
        name: (("judge", "baseline"), values) for name, values in beside.items()
    }


def _holm(p: Floats) -> Floats:
    """Correct p of judges beside one baseline; the best baseline is the hardest to beat, so the choice needs none."""
    known = ~np.isnan(p)
    corrected = np.full_like(p, np.nan)
    corrected[known] = multiplicity.holm(p[known])
    return corrected


def tables(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Return `baselines`, their tau and soft accuracy, and `beside_baselines`, how much more judges have."""
    if "baseline" not in outcome.coords:
        return {}
    own = [f"baseline_{name}" for name in OWN]
    made = {
        "baselines": frame(outcome, own, by=("baseline", "metric")),
        "beside_baselines": frame(outcome, BESIDE, by=("judge", "baseline", "metric")),
    }
    return {
        name: with_nulls(table.rename(_column_title)) for name, table in made.items()
    }


def _column_title(column: str) -> str:
    """Return what a figure is called in a table of baselines."""
    return column.removeprefix("baseline_").removeprefix("difference_")


def rows(outcome: xr.Dataset) -> pl.DataFrame:
    """Return the baselines as rows of a table of judges, in parentheses; what is not computed of them is null."""
    made = tables(outcome).get("baselines", pl.DataFrame({"baseline": []}))
    named = pl.format("({})", pl.col("baseline").cast(pl.String))
    return made.with_columns(judge=named).drop("baseline", "metric", strict=False)


def _clearly_better(one: xr.Dataset) -> Bools:
    """Mark which judges are clearly better than which baselines: (judge, baseline)."""
    more: Bools = one["baseline_difference"].values > 0
    return more & (one["baseline_difference_p_corrected"].values < 0.05)


def baseline_sentences(one: xr.Dataset, metric: str) -> list[str]:
    """Say which judges are not shown to be better than the best ranking without judgments."""
    if "baseline" not in one.coords:
        return []
    best = int(np.nanargmax(one["baseline_soft"].values))
    name = str(one["baseline"].values[best])
    tau, low, high = (one[name].values[best].item() for name in ends("baseline_tau"))
    ranks = ~np.isnan(one["baseline_difference"].values[:, best])
    worse = one["judge"].values[ranks & ~_clearly_better(one)[:, best]].astype(str)
    judges = int(ranks.sum())
    if judges == 1:
        not_ = "not " if worse.size else ""
        verdict = f"{one['judge'].values[ranks][0]} is {not_}clearly better"
    elif worse.size:
        some = f"{worse.size} of {counted(judges, 'judge')} {are(worse.size)}"
        verdict = f"{some} not clearly better: {listed(worse, NAMED)}"
    else:
        verdict = f"all {judges} judges are clearly better"
    return [
        f"{metric}: without any judgment, {name} rank the systems with tau {short(tau)} ({interval(low, high, 2)}); "
        f"{verdict} (soft pairwise accuracy; Holm, .05)."
    ]
