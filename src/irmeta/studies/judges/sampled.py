"""Scores of few topics by people beside scores of all topics by a machine, as samples."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from shlex import quote
from typing import Any

import numpy as np
import xarray as xr

from irmeta.choices import Missing
from irmeta.errors import IrmetaError, ScoresError
from irmeta.evaluation.notes import repetition_notes
from irmeta.evaluation.sets import JudgmentSets, evaluate_under
from irmeta.evaluation.sources import QrelsLike, RunsLike
from irmeta.io.formats.scores import OtherTableError, load_all
from irmeta.io.lists import LEAST
from irmeta.io.runs.trec import Reading
from irmeta.scores.attributes import OVER, about, recorded
from irmeta.scores.averages.means import additive
from irmeta.scores.cube import DIMS, check
from irmeta.scores.cubes import own_threshold_notes, prepare_together
from irmeta.scores.groups.clusters import (
    cluster_map,
    cluster_numbers,
    clustering_notes,
    few_clusters_clause,
    in_clusters,
    stem_of_topic,
    with_clusters,
)
from irmeta.scores.groups.teams import STEM
from irmeta.scores.notes import Act, Method
from irmeta.scores.result import no_result_notes
from irmeta.stats.arrays import Floats
from irmeta.stats.judging.sampling import Sample
from irmeta.studies.door import Given
from irmeta.studies.judges.partly import PartlyJudged, partly_judged
from irmeta.words import counted

Judged = xr.DataArray | QrelsLike
"""Scores of some topics, or the judgments to score runs with."""
SCORED = Given("FILE")
RUNS = Given("FILE|DIR", several=True)
SAMPLE = Given("FILE", "irmeta.io.lists.read_sample")
CLUSTERS = Given("FILE|stem", "irmeta.io.groups.clusters_or_stem")

UNLIKE = 0.001
"""Below this p of a difference in machine scores, a note asks whether the human topics were drawn at random."""


@dataclass(frozen=True)
class Paired:
    """Human and machine scores of the same systems and metrics; the human topics are among the machine's.

    parts : where people judged a part of each topic's pairs, all that is known of them.
    """

    human: xr.DataArray
    machine: xr.DataArray
    parts: PartlyJudged | None = None

    def sample(self, metric: int, weight: Floats) -> Sample:
        """Return one metric's scores as arrays."""
        errors = None if self.parts is None else self.parts.errors
        return self._sample(self.human, metric, weight, errors)

    def alone(self, metric: int, weight: Floats) -> Sample:
        """Return one metric's scores as arrays, those of people without the machine's help."""
        if self.parts is None:
            return self.sample(metric, weight)
        own = self.parts.alone.sel({dim: self.human[dim].values for dim in DIMS})
        return self._sample(own, metric, weight, self.parts.alone_errors)

    def _sample(
        self, scores: xr.DataArray, metric: int, weight: Floats, errors: Floats | None
    ) -> Sample:
        """Return one metric's human scores beside the machine's; errors : as of `PartlyJudged`."""
        # where the human topics stand among the machine's
        place = {topic: at for at, topic in enumerate(self.machine.topic.values)}
        drawn = np.array([place[topic] for topic in self.human.topic.values])
        human = additive(scores).values[..., metric]
        machine = additive(self.machine).values[..., metric]
        cluster = None
        if in_clusters(self.machine):
            cluster = cluster_numbers(self.machine)[1]
        if errors is None or self.parts is None:
            return Sample(human, machine, drawn, weight, cluster=cluster)
        every = self.parts.human.indexes
        column = every["metric"].get_loc(self.human.metric.values[metric])
        here = every["system"].get_indexer(self.human.system.values)
        own = errors[column][np.ix_(here, here)]
        return Sample(human, machine, drawn, weight, own, cluster)


def _both_scores(
    given: Mapping[str, Judged],
    runs: RunsLike | None,
    metrics: str | Iterable[str] | None,
    rel_llm: float | None,
    reading: Reading | None,
) -> tuple[dict[str, xr.DataArray], PartlyJudged | None]:
    """Return `human` and `machine` scores, given or of runs by given judgments, and what people judged in part."""
    paths = [Path(one) for one in given.values() if isinstance(one, str | Path)]
    if any(path.suffix == ".parquet" for path in paths):
        return {name: _one_cube(one, metrics) for name, one in given.items()}, None
    if runs is not None:
        rel = None if rel_llm is None else {"machine": rel_llm}
        wanted: Any = metrics or "nDCG@10"
        sets = JudgmentSets.of(given, reading)
        cubes = evaluate_under(sets, runs, wanted, rel=rel, reading=reading)
        parts = partly_judged(sets, runs, wanted, reading)
        return cubes if parts is None else {**cubes, "human": parts.human}, parts
    if paths:
        raise IrmetaError("scores by these judgments need runs; name them with --runs")
    return {name: check(one) for name, one in given.items()}, None


def _one_cube(given: Judged, metrics: str | Iterable[str] | None) -> xr.DataArray:
    """Return scores, of a file its one collection."""
    if not isinstance(given, str | Path):
        return check(given)
    try:
        cubes = load_all(given, metrics=metrics)
    except OtherTableError as error:
        raise IrmetaError(
            f"{given} is not a score file, and human and machine must both be scores or both judgments; make scores of "
            f"judgments: `irmeta evaluate {quote(str(given))} RUNS -o SCORES`"
        ) from error
    if len(cubes) > 1:
        raise IrmetaError(
            f"{given} holds {len(cubes)} collections, {', '.join(cubes)}; --human and --llm each "
            "need a file of one collection, as irmeta evaluate writes it"
        )
    return next(iter(cubes.values()))


def paired(
    human: Judged,
    llm: Judged,
    runs: RunsLike | None,
    metrics: str | Iterable[str] | None,
    rel_llm: float | None,
    missing: Missing,
    reading: Reading | None,
    clusters: Mapping[str, str] | str | None = None,
) -> tuple[Paired, list[str]]:
    """Bring human and machine scores to the same systems; what does not fit raises ScoresError.

    clusters : those of the machine's topics, see `with_clusters`; by default those that the scores have.
    """
    cubes, parts = _both_scores(
        {"human": human, "machine": llm}, runs, metrics, rel_llm, reading
    )
    used, notes = prepare_together(
        cubes, metrics=metrics, missing=missing, by_topic=True
    )
    people = used["human"]
    machine = _with_any_clusters(used["machine"], people, clusters)
    systems = people.indexes["system"]
    common = systems[systems.isin(machine.system.values)].tolist()
    if not common:
        raise ScoresError(
            "human and machine scores have no system in common; did both judge the same runs?"
        )
    lost = systems.union(machine.indexes["system"]).size - len(common)
    if lost:
        notes.append(f"{lost} systems lack human or machine scores and are left out")
    _require_topics(people, machine)
    both = Paired(people.sel(system=common), machine.sel(system=common), parts)
    if parts is not None:
        notes += parts.notes
    _require_scores(both.machine)
    estimated = recorded({"estimated": {"human": people.sizes["topic"]}})
    notes += no_result_notes(both.machine.assign_attrs(estimated), common)
    notes += repetition_notes(about(machine).get("notes") or [])
    return both, [*notes, *own_threshold_notes(used)]


def _require_topics(people: xr.DataArray, machine: xr.DataArray) -> None:
    """Raise ScoresError for human topics that the machine did not judge, and for fewer than 2 of them."""
    topics, known = people.indexes["topic"], machine.indexes["topic"]
    stray = topics[~topics.isin(known)]
    if stray.size:
        hint = "let the machine judge them, too"
        if known.isin(topics).all():
            hint = "are --human and --llm swapped?"
        raise ScoresError(
            f"{len(stray)} of {len(topics)} human topics have no machine judgments, such as {stray[0]}; {hint}"
        )
    if len(topics) < 2:
        raise ScoresError("estimates with intervals need at least 2 human topics")


def _with_any_clusters(
    machine: xr.DataArray, human: xr.DataArray, clusters: Mapping[str, str] | str | None
) -> xr.DataArray:
    """Return the machine's scores with clusters of topics, those that are named or that either scores have."""
    if clusters is not None:
        return with_clusters(machine, clusters)
    named = next((one for one in (machine, human) if in_clusters(one)), None)
    if named is None:
        return machine
    if named.attrs.get(OVER) == "clusters":
        raise ScoresError(
            "these scores ask for means over clusters, and estimates are of means over topics; name the clusters "
            "again to have these (--clusters)"
        )
    return with_clusters(machine, cluster_map(named))


def cluster_notes(both: Paired, new_topics: bool) -> list[str]:
    """Say what counts as independent where topics come in clusters, or look so."""
    sample = both.sample(0, np.ones(both.human.sizes["topic"]))
    if sample.cluster is None:
        return _unnamed_cluster_notes(both, new_topics)
    if sample.clustered(new_topics) is None:
        return []
    judged = np.unique(sample.cluster[sample.drawn], return_inverse=True)[1]
    seen = judged.max() + 1
    if seen < 2:
        raise ScoresError(
            "people judged topics of one cluster only; intervals need topics of at least 2"
        )
    every = sample.cluster.max() + 1
    what = "all topics of" if sample.whole else "topics of"
    return [
        f"{len(sample.cluster)} topics come in {every} clusters, and people judged {what} {seen}: clusters, not "
        f"topics, count as independent.{few_clusters_clause(judged)}"
    ]


def _unnamed_cluster_notes(both: Paired, new_topics: bool) -> list[str]:
    """Note where people seem to have judged whole clusters that nobody named, or where topics look clustered."""
    named = replace(both, machine=with_clusters(both.machine, STEM))
    sample = named.sample(0, np.ones(both.human.sizes["topic"]))
    people, every = sample.human.shape[1], sample.machine.shape[1]
    if sample.whole and people < every:
        seen = [stem_of_topic(str(topic)) for topic in both.human.topic.values]
        return [
            Act(
                f"people judged all topics of {counted(len(set(seen)), 'stem')} (such as {seen[0]}), and none of any "
                "other: if stems were drawn, not topics, intervals are too short (--clusters stem)"
            )
        ]
    return clustering_notes(both.machine, of_means=True) if new_topics else []


def _require_scores(machine: xr.DataArray) -> None:
    """Raise ScoresError for a metric by which the machine scores every system the same on every topic."""
    same = np.ptp(machine.values, axis=(0, 1)) == 0
    if not same.any():
        return
    metric = machine.metric.values[same][0]
    score = float(machine.values[0, 0, same][0])
    raise ScoresError(
        f"by the machine every system has {metric} {score:g} on every topic, so that {metric} "
        "cannot distinguish systems: the machine did not judge these documents, or never gives a "
        f"grade that {metric} counts; lower its threshold (--rel-llm 1), or leave {metric} out"
    )


def weights(
    both: Paired, sample: Mapping[str, float] | None
) -> tuple[Floats, list[str]]:
    """Return each human topic its weight n / (N probability), and notes: whether topics seem chosen, too."""
    topics = [str(topic) for topic in both.human.topic.values]
    n = len(topics)
    total = both.machine.sizes["topic"]
    if sample is None and n == total:
        return np.ones(n), []
    if sample is None:
        return np.ones(n), [
            *_chosen_topic_notes(both),
            Method(
                "assumed to be drawn at random; confirm it with --sample FILE, as irmeta judges "
                "sample writes it"
            ),
        ]
    if set(topics) != set(sample):
        unlike = {
            ("judged", "outside"): set(topics) - set(sample),
            ("did not judge", "of"): set(sample) - set(topics),
        }
        said = [
            f"people {verb} {counted(len(some), 'topic')} {where} the sample, such as {min(some)}"
            for (verb, where), some in unlike.items()
            if some
        ]
        raise ScoresError(
            f"{'; '.join(said)}: estimates need all drawn topics and no others (irmeta judges sample --judged "
            "draws more beside those judged)"
        )
    chances = np.array([sample[topic] for topic in topics])
    if not ((chances >= LEAST) & (chances <= 1)).all():
        raise ScoresError(
            f"the probabilities of a sample must be at least {LEAST:g} and at most 1"
        )
    return n / (total * chances), []


def _chosen_topic_notes(both: Paired) -> list[str]:
    """Say which metric the human topics' machine scores differ in from the others', if one clearly does."""
    from scipy.stats import mannwhitneyu

    level = additive(both.machine).values.mean(axis=0)
    drawn = np.isin(both.machine.topic.values, both.human.topic.values)
    if min(drawn.sum(), (~drawn).sum()) < 3:
        return []
    p = [
        mannwhitneyu(one[drawn], one[~drawn]).pvalue * level.shape[1] for one in level.T
    ]
    which = int(np.argmin(p))
    if p[which] >= UNLIKE:
        return []
    metric = both.machine.metric.values[which]
    return [
        Act(
            f"the {int(drawn.sum())} human topics do not look random: the machine's {metric} differs between them "
            f"and the other {int((~drawn).sum())}, as it does in {_share_text(p[which])} of random samples. If people "
            "chose them, the intervals are wrong: draw topics with irmeta judges sample"
        )
    ]


def _share_text(p: float) -> str:
    """Write a small share as 1 in a number, which is rounded down to one digit."""
    times = 1 / max(p, 1e-9)
    unit = 10 ** math.floor(math.log10(times))
    return f"1 in {int(times // unit) * unit:,}".replace(",", " ")
