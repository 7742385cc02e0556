"""System means when few topics have human judgments and all have machine ones: with intervals, and what is gained."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import polars as pl
import xarray as xr

from irmeta.choices import Missing
from irmeta.errors import ScoresError
from irmeta.evaluation.sources import RunsLike
from irmeta.io.runs.trec import Reading
from irmeta.measured.coverage import CLUSTERS as MEASURED
from irmeta.measured.coverage import held
from irmeta.metrics.names import ESTIMATED
from irmeta.scores.attributes import about
from irmeta.scores.cube import cube
from irmeta.scores.figures import short, with_interval
from irmeta.scores.notes import Beside, Method
from irmeta.scores.result import ends, frame, result
from irmeta.stats import descriptive
from irmeta.stats.arrays import Floats
from irmeta.stats.judging import sampling
from irmeta.stats.judging.sampling import Estimates, Sample
from irmeta.stats.rankings.ranksets import rank_sets
from irmeta.stats.tests import multiplicity
from irmeta.studies.door import NamesByName, NumbersByName, study
from irmeta.studies.judges.sampled import (
    CLUSTERS,
    RUNS,
    SAMPLE,
    SCORED,
    Judged,
    Paired,
    cluster_notes,
    paired,
    weights,
)
from irmeta.studies.result import Result
from irmeta.words import counted, listed

BY_SAMPLE = "as the sample says"
"""How an estimate records that its topics were drawn with the probabilities of a sample."""
HELPS = 0.9
"""Where intervals keep this share of their width or more, the machine's scores hardly help."""


@study
def estimate(
    human: Annotated[Judged, SCORED],
    llm: Annotated[Judged, SCORED],
    *,
    runs: Annotated[RunsLike | None, RUNS] = None,
    metrics: str | Iterable[str] | None = None,
    rel_llm: float | None = None,
    sample: Annotated[NumbersByName | None, SAMPLE] = None,
    clusters: Annotated[NamesByName | str | None, CLUSTERS] = None,
    these_topics: bool = False,
    missing: Missing = "error",
    reading: Reading | None = None,
) -> xr.Dataset:
    """Estimate system means, with intervals, from a few topics that people judged and all topics that a machine judged.

    The topics that people judged must be drawn at random, as irmeta judges sample does. With -o official.parquet the
    estimate is written there as scores, for irmeta leaderboard, table and report.

    human : judgments (qrels) by people, of some topics, or of a part of each topic's pairs for P@k; or scores
        made with them, as a cube or a file
    llm : judgments (qrels) by a machine, of all topics; or scores made with them
    runs : the runs, where judgments are given: a folder, a glob or a file; can be repeated
    metrics : metrics to estimate, as in 'nDCG@10 AP(rel=2)'; of scores by default those that both have
    rel_llm : the lowest grade of the machine that counts as relevant, where it differs from the metric's: as for
        AP(rel=2) if the machine never gives 2; by default the metric's
    sample : the drawn topics and their probabilities, as irmeta judges sample writes them. Without it all had the same,
        and a note says where the machine's scores of human topics differ clearly from the others'
    clusters : clusters of the topics, as turns of one conversation: a table with columns topic and cluster; or "stem",
        if a name begins with its cluster, as 31_1 and 31_2 or 31a and 31b do; by default each topic by itself, or as
        the scores have them. Where people judged topics of some clusters, clusters vary, not topics
    these_topics : estimate means over these topics only, not over topics like them
    missing : what to do with missing scores, as in `selection.complete`
    reading : what to accept in files beyond their format, as in `irmeta.evaluate`

    Returns over (system, metric) mean, low, high (95%) and rank, from both; human, human_low, human_high, from the
    human scores alone; machine, the machine's mean; over (pair, metric) difference with interval and p_corrected
    (Holm); over (metric) rho, the correlation of human and machine scores over topics, and gain, the width of the
    intervals as a share of the human-only ones. Where scores are within 0 and 1 a mean beyond is that bound; ranks and
    differences are of the means before that. Method: docs/tasks/judges.md.

    >>> from irmeta.scores.cube import cube
    >>> draw = np.random.default_rng(0)
    >>> all_topics = cube(draw.random((3, 20, 1)), list("abc"), [str(t) for t in range(20)], ["AP"])
    >>> estimate(all_topics[:, :8], all_topics)["mean"].shape
    (3, 1)
    """
    new_topics = not these_topics
    both, notes = paired(human, llm, runs, metrics, rel_llm, missing, reading, clusters)
    notes += cluster_notes(both, new_topics)
    weight, of_weights = weights(both, sample)
    samples = [both.sample(at, weight) for at in range(both.human.sizes["metric"])]
    parts = [
        _metric_figures(sample, both.alone(at, weight), new_topics)
        for at, sample in enumerate(samples)
    ]
    data: dict[str, Any] = {
        name: ((*dims, "metric"), np.stack([part[name][1] for part in parts], axis=-1))
        for name, (dims, _) in parts[0].items()
    }
    systems = both.human.system.values
    left, right = np.triu_indices(systems.size, 1)
    n = both.human.sizes["topic"]
    total = both.machine.sizes["topic"]
    target = "topics like these" if new_topics else f"these {total} topics"
    units = samples[0].freedom(new_topics) + 1
    freedom = f"Student's t with {units - 1} degrees of freedom"
    clustered = samples[0].clustered(new_topics) is not None
    if not clustered:
        freedom += ", of means within 0 and 1 at least, as systems share variances"
    if clustered:
        paid = "leaving out each cluster"
    elif both.parts is None:
        paid = "leaving out each human topic"
    else:
        paid = "topics and by which pairs people judged"
    lines = [
        Method(
            f"{n} of {total} topics have human judgments; means are over {target}; variances by {paid}, intervals by "
            f"{freedom}"
        ),
        *map(Method, _coverage_notes(systems.size, units, both, clustered)),
    ]
    drawn = BY_SAMPLE if sample else "at random"
    outcome = result(
        "estimate",
        {**data, "metric": both.human.metric.values, "system": systems},
        inputs={"human": both.human, "machine": both.machine},
        options={
            "new_topics": new_topics,
            "drawn": drawn,
            "judged": "whole topics" if both.parts is None else "a part of the pairs",
        },
        notes=[*notes, *of_weights, *lines],
    )
    if new_topics and not clustered:
        added = list(map(sampling.contributions, samples))
        outcome["contribution"] = (("system", "topic", "metric"), np.stack(added, -1))
        outcome["topic"] = both.human.topic.values
        outcome = outcome.assign(_rank_set_figures(added))
    return outcome.assign_coords(
        system_a=("pair", systems[left]), system_b=("pair", systems[right])
    )


def estimated_scores(outcome: Result) -> xr.DataArray:
    """Return an estimate as scores that studies take, (system, topic, metric), of the topics that people judged.

    A topic's score is what it and its share of the machine's topics add to the mean, so that means are the estimate's
    (before the cut to 0 and 1), and errors of differences on average; intervals are by each system's own variance. It
    says nothing of the topic itself. Metrics are named as in "nDCG@10 (est.)".

    outcome : a result of `irmeta.judges.estimate`; where clusters vary, not topics, and with these_topics it raises
        ScoresError, as scores are read as of topics like them

    >>> from irmeta.scores.cube import cube
    >>> draw = np.random.default_rng(0)
    >>> all_topics = cube(draw.random((3, 20, 1)), list("abc"), [str(t) for t in range(20)], ["AP"])
    >>> outcome = estimate(all_topics[:, :8], all_topics)
    >>> scores = estimated_scores(outcome)
    >>> bool(np.allclose(scores.mean("topic"), outcome["mean"]))
    True
    """
    if outcome.data.attrs["study"] != "estimate":
        raise ScoresError("estimated_scores takes what irmeta.judges.estimate returned")
    if "contribution" not in outcome.data:
        over = "over clusters"
        if not outcome.method["options"]["new_topics"]:
            over = "of these topics alone (--these-topics)"
        raise ScoresError(
            f"an estimate {over} cannot be written as scores; its tables have means and intervals (-o FILE.csv)"
        )
    added = outcome.data["contribution"].transpose("system", "topic", "metric")
    judged = about(outcome.data)["inputs"]["collections"]
    return cube(
        added.values,
        added.system.values.tolist(),
        added.topic.values.tolist(),
        [f"{name}{ESTIMATED}" for name in added.metric.values],
        collection="estimate",
        provenance={
            "estimated": {who: judged[who]["topics"] for who in ("human", "machine")},
            "scored": judged["human"]["topics"],
            "lacking": judged["human"].get("lacking", {}),
        },
    )


def scored(
    _: Path, given: dict[str, Any]
) -> tuple[dict[str, Any], Callable[[Result], xr.DataArray]]:
    """Return the arguments, and how the result becomes scores to write."""
    return given, estimated_scores


def _coverage_notes(
    systems: int, topics: int, both: Paired, clustered: bool
) -> list[str]:
    """Say how often intervals held with as many human topics, or clusters, where that may be too seldom."""
    size = {"systems": systems, "topics": topics}
    if clustered:
        by = f"few human topics and a machine{MEASURED}"
        least = "clusters are few, of different sizes, and scores skewed"
    elif both.parts is not None:
        by, least = "a part of the pairs", "few documents are relevant"
    else:
        by, least = "few human topics and a machine", "scores are skewed"
    means, pairs = (held(f"{of} by {by}", **size) for of in ("mean", "difference"))
    if not (means.broken or pairs.broken):
        return []
    return [
        f"Such 95% intervals of differences held in {pairs.share}, and of means in {means}, least where "
        f"{least}"
    ]


def _metric_figures(
    sample: Sample, people: Sample, new_topics: bool
) -> dict[str, tuple[tuple[str, ...], Any]]:
    """Return the variables of `estimate` by one metric with their dimensions; people : the human scores alone."""
    freedom = sample.freedom(new_topics)
    means = sampling.estimate_means(sample, new_topics=new_topics)
    alone = sampling.estimate_means(people, 0.0, new_topics=new_topics)
    pairs = sampling.estimate_differences(sample, new_topics=new_topics)
    pairs_alone = sampling.estimate_differences(people, 0.0, new_topics=new_topics)
    above = np.triu_indices(sample.human.shape[0], 1)
    machine = sample.machine.mean(axis=1)
    of_systems = _named_estimates("mean", "", means, freedom) | _named_estimates(
        "human", "human_", alone, freedom
    )
    ranks = {"rank": means.value, "human_rank": alone.value, "machine_rank": machine}
    found: dict[str, tuple[tuple[str, ...], Any]] = {
        **{name: (("system",), values) for name, values in of_systems.items()},
        **{
            name: (("system",), descriptive.ranks(values))
            for name, values in ranks.items()
        },
        "machine": (("system",), machine),
        "rho": ((), sampling.correlation(sample)),
        "rho_pairs": ((), sampling.correlation(sample, pairs=True)),
        "slope": ((), means.slope),
        "slope_pairs": ((), pairs.slope),
        "gain": ((), _relative_width(means, alone, freedom)),
        "gain_pairs": ((), _relative_width(pairs, pairs_alone, freedom)),
    }
    differences = _named_estimates("difference", "difference_", pairs, freedom)
    found |= {name: (("pair",), values[above]) for name, values in differences.items()}
    for prefix, estimates in (("", pairs), ("human_", pairs_alone)):
        p = estimates.p(freedom)[above]
        found[f"{prefix}p_corrected"] = (
            ("pair",),
            multiplicity.holm(p) if p.size else p,
        )
    return found


def _rank_set_figures(added: Iterable[Floats]) -> dict[str, Any]:
    """Return what `irmeta leaderboard` claims of these scores by default, over (metric).

    added : by metric what each topic adds to each mean, (system, topic).
    """
    sets = [rank_sets(one.T, np.random.default_rng(0)) for one in added if len(one) > 1]
    return (
        {
            "possible_first": ("metric", [int((one.low == 1).sum()) for one in sets]),
            "distinguished": ("metric", [int(one.better.sum()) for one in sets]),
        }
        if sets
        else {}
    )


def _named_estimates(
    name: str, prefix: str, estimates: Estimates, freedom: int
) -> dict[str, Floats]:
    """Return estimates under their name, and the ends of their 95% intervals as low and high behind a prefix."""
    low, high = estimates.interval(freedom)
    # a score interval has nothing beyond 0 and 1, where a machine may lead the mean
    value = estimates.value
    if estimates.spread is not None:
        value = np.clip(value, 0, 1)
    return {name: value, f"{prefix}low": low, f"{prefix}high": high}


def _relative_width(both: Estimates, alone: Estimates, freedom: int) -> float:
    """Return the mean width of intervals as a share of the human-only ones."""
    width, wide = (
        float((high - low).mean())
        for low, high in (each.interval(freedom) for each in (both, alone))
    )
    return width / wide if wide > 0 else np.nan


def tables(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Tables `means` (by system and metric), `pairs` (by pair and metric) and `gain` (by metric).

    means : with human_rank and machine_rank, by either alone; pairs with human_p_corrected, by people alone.
    gain : rho, slope (lambda) and gain of means, and rho_pairs, slope_pairs, gain_pairs of differences.
    """
    systems = ("mean", "low", "high", "rank", *ends("human"), "human_rank", "machine")
    pairs = (*ends("difference"), "p_corrected", "human_p_corrected")
    gain = ("rho", "rho_pairs", "slope", "slope_pairs", "gain", "gain_pairs")
    means = frame(outcome, (*systems, "machine_rank"), by=("system", "metric"))
    metrics = pl.Enum([str(name) for name in outcome.metric.values])
    return {
        "means": means.sort(
            pl.col("metric").cast(metrics), "rank", maintain_order=True
        ),
        "pairs": frame(outcome, pairs, by=("metric", "system_a", "system_b")),
        "gain": frame(outcome, gain, by=("metric",)),
    }


def overview(outcome: xr.Dataset) -> dict[str, pl.DataFrame]:
    """Show the best systems with their means from both, from people alone and from the machine alone."""
    shown = {}
    size = about(outcome)["inputs"]["collections"]
    people, machine = (size[side]["topics"] for side in ("human", "machine"))
    for metric in outcome.metric.values:
        one = outcome.sel(metric=metric)
        order = np.argsort(one["rank"].values, kind="stable")
        both, alone = (
            list(map(with_interval, *(one[name].values[order] for name in names)))
            for names in (("mean", "low", "high"), ends("human"))
        )
        title = f"{metric}: means (95%), {people} human and {machine} machine topics"
        shown[title] = pl.DataFrame(
            {
                "system": one.system.values[order].astype(str),
                "rank": one["rank"].values[order],
                "both": both,
                "people alone": alone,
                "machine": [short(value, 3) for value in one["machine"].values[order]],
            }
        )
    return shown


def findings(outcome: xr.Dataset) -> list[str]:
    """Say how much narrower the machine makes the intervals, which system is best, and how many pairs differ."""
    of_weights = []
    differ = "differs" if outcome.sizes["pair"] == 1 else "differ"
    for metric in outcome.metric.values:
        one = outcome.sel(metric=metric)
        clear, alone = (
            int((one[name] < 0.05).sum())
            for name in ("p_corrected", "human_p_corrected")
        )
        of_weights += [
            f"{metric}: {_gain_sentence(one)}",
            f"{metric}: {best_systems_sentence(one)}",
            f"{metric}: {clear} of {counted(one.sizes['pair'], 'pair')} of systems {differ} significantly (Holm, .05), "
            f"{alone} by the human topics alone.{_rank_set_sentence(one, clear)}",
        ]
    if outcome.sizes["pair"]:
        of_weights.append(
            Beside(
                "Differences have a lambda of their own (slope_pairs in table gain), so they are not exactly those of "
                "the means.",
                "pairs",
            )
        )
    return of_weights


def _gain_sentence(one: xr.Dataset) -> str:
    """Say what the machine's scores add to those of people."""
    size = about(one)["inputs"]["collections"]
    n, total = (size[side]["topics"] for side in ("human", "machine"))
    gains = float(one["gain"]), float(one["gain_pairs"])
    rho = short(float(one["rho"]))
    rho_pairs = short(float(one["rho_pairs"]))
    if np.isnan(gains).all():
        if n == total:
            why = "people judged all of these topics"
        else:
            why = "every system scores the same on all topics"
        return f"{why}, and intervals have no width: the machine adds nothing."
    if about(one)["options"]["judged"] != "whole topics":
        return (
            f"people judged a part of the pairs of {n} topics, and the machine's grades of all make intervals of means "
            f"{_change_text(gains[0])} and of differences {_change_text(gains[1])} on average than these judgments "
            "alone would."
        )
    answer = (
        f"compared with the human topics alone, {n} human and {total} machine topics make intervals "
        f"of means {_change_text(gains[0])} and of differences {_change_text(gains[1])} on average (scores of "
        f"people and machine correlate over topics with rho {rho}, differences of systems with "
        f"{rho_pairs})."
    )
    if np.nanmin(gains) < HELPS:
        return answer
    if n == total:
        return f"{_limit_sentence(one, n, total)}."
    return f"{_limit_sentence(one, n, total)}: {answer}"


def _limit_sentence(one: xr.Dataset, n: int, total: int) -> str:
    """Say why the machine narrows little, by sqrt(1 - rho^2 (1 - n / N)), and what would narrow more."""
    rho = max(abs(float(one["rho"])), abs(float(one["rho_pairs"])))
    # what is left of the width where n / N is near 0, and with the n / N there is if lambda were known
    at_best, expected = (
        float(np.sqrt(1 - rho**2 * (1 - share))) for share in (0, n / total)
    )
    if expected < HELPS:
        return (
            f"people judged only {counted(n, 'topic')}, which hardly show how far the machine is to be believed; judge "
            "more topics by people"
        )
    if at_best >= HELPS or 2 * n < total:
        return (
            "the machine's labels hardly help, because scores by them correlate too little with those by people; judge "
            "more topics by people, not by machine"
        )
    narrower = f"can make intervals up to {round(100 * (1 - at_best))}% narrower"
    if n == total:
        return f"people judged all {total} topics, so the machine adds nothing; topics that only it judges {narrower}"
    return (
        f"the machine's labels hardly help here, because people judged {n} of the {total} topics; "
        f"more topics that only it judges {narrower}"
    )


def best_systems_sentence(one: xr.Dataset) -> str:
    """Name the systems with the highest mean, and say how many may be first, or are not clearly lower."""
    names = one.system.values
    rank = one["rank"].values
    first = int(rank.argmin())
    mean, *between = (one[name].values[first] for name in ("mean", "low", "high"))
    leaders = listed(names[rank == 1])
    others = int((rank > 1).sum())
    if not others:
        return f"all systems have the mean {short(mean, 3)}."
    has = "has" if (rank == 1).sum() == 1 else "share"
    said = f"{leaders} {has} the highest mean, {with_interval(mean, *between)}"
    if "possible_first" in one:
        may = counted(int(one["possible_first"]), "system")
        return f"{said}; by rank sets (irmeta leaderboard) {may} may be first."
    of_first = (one["system_a"].values == names[first]) | (
        one["system_b"].values == names[first]
    )
    lower = int((one["p_corrected"].values[of_first] < 0.05).sum())
    verb = "is" if others - lower == 1 or others == 1 else "are"
    return f"{said}; {others - lower} of {counted(others, 'other system')} {verb} not clearly lower (Holm, .05)."


def _rank_set_sentence(one: xr.Dataset, clear: int) -> str:
    """Say what rank sets claim of these scores, where that is another number of pairs than this."""
    if "distinguished" not in one or int(one["distinguished"]) == clear:
        return ""
    pairs = counted(int(one["distinguished"]), "pair")
    return f" By rank sets (irmeta leaderboard) {pairs} differ."


def _change_text(gain: float) -> str:
    """Write a width as a share of the human-only one in words, as "12% narrower"."""
    if np.isnan(gain):
        return "as wide"
    percent = round(100 * (1 - gain))
    if percent >= 0:
        return f"{percent}% narrower"
    return f"{-percent}% wider"
