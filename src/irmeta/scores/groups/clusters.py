"""Topics that come in clusters: turns of one conversation, questions on one document, translations of one question."""

import re
from collections.abc import Mapping, Sequence
from shlex import quote
from typing import Any, get_args

import numpy as np
import xarray as xr

from irmeta.choices import Level, MeanOver
from irmeta.errors import ScoresError, require_choice
from irmeta.measured.coverage import CLUSTERS, Held, held
from irmeta.scores.attributes import CLUSTER, OVER, REPEATS, UNUSED, about, recorded
from irmeta.scores.averages.means import additive, from_additive
from irmeta.scores.cube import check, cube
from irmeta.scores.groups.teams import STEM, stem
from irmeta.scores.notes import Act, Method
from irmeta.scores.tables.objects import Frame
from irmeta.stats.arrays import Bools, Floats, Ints
from irmeta.stats.halves import clusters as statistics
from irmeta.stats.halves.teams import means_of
from irmeta.words import counted, listed

SIZE = "cluster_size"
"""The coordinate of clusters in place of topics that says how many topics each has, where means are over topics."""
FEW = 5
"""With fewer clusters nothing can be claimed."""
NEED_ALL = "topics that come in clusters need every system on every topic"
"""What is said where some lack scores."""


def with_clusters(
    scores: xr.DataArray,
    clusters: Mapping[str, str] | Frame | str,
    *,
    mean_over: MeanOver = "topics",
) -> xr.DataArray:
    """Return a cube whose topics have clusters; studies then take clusters, not topics, as independent.

    scores : a cube.
    clusters : the cluster of each topic by name, or a data frame of the two columns; or "stem": a topic's name begins
        with its cluster (`stem_of_topic`).
    mean_over : "topics", where each topic counts alike, or "clusters", where each cluster does.
    Raises ScoresError for a topic without a cluster.

    >>> turns = cube([[[0.1], [0.3], [0.8]]], ["bm25"], ["31_1", "31_2", "32_1"], ["AP"])
    >>> with_clusters(turns, "stem")["cluster"].values.tolist()
    ['31', '31', '32']
    """
    require_choice("mean_over", mean_over, get_args(MeanOver))
    scores = check(scores)
    if isinstance(clusters, Frame):
        clusters = _of_each_topic(clusters)
    names = clusters_of([str(topic) for topic in scores.topic.values], clusters)
    named = scores.assign_coords({CLUSTER: ("topic", np.array(names, dtype=object))})
    return named.assign_attrs({OVER: mean_over})


def _of_each_topic(frame: Any) -> dict[str, str]:
    """Return the cluster of each topic by name from a data frame of both."""
    rows = frame.to_numpy().tolist()
    named = {str(row[0]): str(row[-1]) for row in rows if np.size(row) == 2}
    if len(named) < len(rows):
        raise ScoresError(
            "a data frame of clusters has two columns, topic and cluster, and each topic once"
        )
    return named


def clusters_of(topics: Sequence[str], clusters: Mapping[str, str] | str) -> list[str]:
    """Return the cluster of each topic, see `with_clusters`; a topic without one raises ScoresError."""
    if isinstance(clusters, str):
        if clusters != STEM:
            raise ScoresError(
                f"clusters={clusters!r}: expected the cluster of each topic by name, or {STEM!r}"
            )
        return [stem_of_topic(topic) for topic in topics]
    lacking = [topic for topic in topics if topic not in clusters]
    if lacking:
        raise ScoresError(
            f"no cluster for {len(lacking)} of {counted(len(topics), 'topic')}: "
            f"{listed(lacking)}; name one for each, its own for a topic that stands alone"
        )
    return [str(clusters[topic]) for topic in topics]


def stem_of_topic(name: str) -> str:
    """Return what a topic's name begins with: up to its last slash, hyphen, underscore or full stop, or a number's end.

    Numbers end in a name without these before letters: query variations n01p1 and n01p2 are of n01.

    >>> stem_of_topic("31_2"), stem_of_topic("n01p1"), stem_of_topic("12b"), stem_of_topic("q301")
    ('31', 'n01', '12', 'q301')
    >>> stem_of_topic("retrieval/nq-hard")
    'retrieval'
    """
    group, slash, _ = name.rpartition("/")
    if slash and group:
        return group
    numbered = re.fullmatch(r"([^-_.]*\d)[^\W\d_]+\d*", name)
    return numbered[1] if numbered else stem(name)


def in_clusters(scores: xr.DataArray) -> bool:
    """Say whether a cube's topics come in clusters, some of which have several topics."""
    if CLUSTER not in scores.coords:
        return False
    names = scores[CLUSTER].values
    return len(set(names)) < len(names)


def by_cluster(scores: xr.DataArray) -> tuple[xr.DataArray, list[str]]:
    """Return a cube of clusters in place of topics, and a note on what intervals assume; others stay as they are.

    The values of clusters are those whose plain statistics are the cluster-robust ones (`stats.halves.clusters`): their
    mean over clusters is the mean over topics. For means over clusters they are the clusters' means.
    Missing scores raise ScoresError.
    """
    if not in_clusters(scores):
        return scores, []
    if scores.isnull().any():
        raise ScoresError(f"{NEED_ALL} (--missing common, topics or systems)")
    names, number = cluster_numbers(scores)
    if len(names) < 2:
        raise ScoresError(
            f"all topics are of one cluster, {names[0]}; intervals need at least 2 clusters"
        )
    line = additive(scores).transpose("system", "metric", "topic").values
    over = str(scores.attrs.get(OVER, "topics"))
    if over == "clusters":
        values = np.moveaxis(means_of(np.moveaxis(line, -1, 0), number), 0, -1)
    else:
        values = statistics.pseudo_values(line, number)
    facts = about(scores)
    provenance = {key: facts[key] for key in facts if key not in ("collection", OVER)}
    made = cube(
        np.moveaxis(values, 2, 1),
        [str(name) for name in scores.system.values],
        names,
        [str(name) for name in scores.metric.values],
        collection=str(scores.attrs.get("collection", "collection")),
        provenance=provenance | cluster_facts(scores),
    )
    metric = str(scores.metric.values[0])
    if over == "topics":
        made = made.assign_coords({SIZE: ("topic", np.bincount(number))})
    return from_additive(made), [_note(line[:, 0], number, over, metric)]


def cluster_facts(scores: xr.DataArray) -> dict[str, Any]:
    """Return what results say of a cube's clusters: how many there are, of how many topics, and what means are over."""
    if not in_clusters(scores):
        return {}
    facts: dict[str, Any] = {
        "clusters": len(set(unit_names(scores))),
        "topics": scores.sizes["topic"],
        "mean_over": str(scores.attrs.get(OVER, "topics")),
    }
    binary = _binary_metrics(scores)
    if binary:
        facts["of_0_and_1"] = binary
    return {"clusters": facts}


def is_binary(scores: xr.DataArray) -> Bools:
    """Say by which metrics all topics have the score 0 or 1, also those of clusters in their place: (metric,)."""
    facts = about(scores)
    if "clusters" in facts:
        names = facts["clusters"].get("of_0_and_1", [])
    else:
        names = _binary_metrics(scores)
    return np.isin(scores.metric.values, names)


def right_or_wrong(scores: xr.DataArray) -> Bools:
    """Say by which metrics each topic has a score of 0 or 1, or none: (metric,).

    Values of clusters are no scores.
    """
    return is_binary(scores) & ("clusters" not in about(scores))


def _binary_metrics(scores: xr.DataArray) -> list[str]:
    """Return the metrics whose scores are all 0 or 1, or missing."""
    values = scores.transpose("metric", "system", "topic").values
    every = (np.isin(values, (0.0, 1.0)) | np.isnan(values)).all(axis=(1, 2))
    return [str(name) for name in scores.metric.values[every]]


def with_cluster_facts(scores: xr.DataArray) -> xr.DataArray:
    """Return a cube whose attributes say what there is to say of its clusters, as results keep it."""
    return scores.assign_attrs(recorded(cluster_facts(scores)))


def contributions(values: Floats, scores: xr.DataArray) -> Floats:
    """Return what each topic, or each cluster in place of topics, adds to the sum that a mean is of.

    values : of any shape, the topics of the scores last, linear in the scores, as a difference of two systems is.
    """
    if SIZE not in scores.coords:
        return values
    return statistics.totals(values, scores[SIZE].values)


def unit_values(values: Floats, scores: xr.DataArray) -> Floats:
    """Return values of each topic, or of each cluster in place of topics the mean of its topics' values.

    values : as in `contributions`.
    """
    if SIZE not in scores.coords:
        return values
    return statistics.cluster_means(values, scores[SIZE].values)


def unit_scores(units: xr.DataArray) -> xr.DataArray:
    """Return the scores of each topic, or the mean of each cluster in place of topics."""
    if SIZE not in units.coords:
        return units
    line = additive(units).transpose(..., "topic")
    means = line.copy(data=unit_values(line.values, units))
    return from_additive(means).transpose(*units.dims)


def whole_clusters(scores: xr.DataArray) -> xr.DataArray:
    """Return the mean of each cluster in place of topics, NaN where a system lacks a score on one of them."""
    names, number = cluster_numbers(scores)
    line = additive(scores).transpose("topic", ...)
    places = {dim: line[dim].values for dim in line.dims} | {"topic": names}
    made = xr.DataArray(means_of(line.values, number), places, line.dims)
    return from_additive(made)


def cluster_numbers(scores: xr.DataArray) -> tuple[list[str], Ints]:
    """Return the names of the clusters, in the order of their first topics, and the number of each topic's cluster."""
    return number_names([str(name) for name in scores[CLUSTER].values])


def number_names(names: Sequence[str]) -> tuple[list[str], Ints]:
    """Return the names in the order of their first places, each once, and the number of the name at each place.

    >>> order, number = number_names(["32", "31", "32"])
    >>> order, number.tolist()
    (['32', '31'], [0, 1, 0])
    """
    order = list(dict.fromkeys(names))
    place = {name: at for at, name in enumerate(order)}
    return order, np.array([place[name] for name in names], dtype=np.int64)


def independent_topics(scores: Floats, number: Ints) -> tuple[float, float] | None:
    """Return how many independent topics these are worth for a mean, and for a difference of two systems.

    scores : (system, topic).  number : of each topic's cluster.  Their number over the design effect. None where a
    system scores the same on all topics, or all systems are as far apart on all of them.
    """
    apart = scores - scores.mean(axis=0)
    if np.ptp(scores, axis=1).min() == 0 or np.ptp(apart, axis=1).max() <= 1e-12:
        return None
    means, differences = (
        len(number) / statistics.wider(part, number) ** 2 for part in (scores, apart)
    )
    return means, differences


def _note(scores: Floats, number: Ints, over: str, metric: str) -> str:
    """Say what counts as independent, what a mean is over, and what topics are worth by a metric, (system, topic).

    A mean of topics in clusters is as certain as that of fewer independent topics: their number over the design effect.
    """
    sizes = np.bincount(number)
    each = "each" if np.ptp(sizes) == 0 else f"to {sizes.max()}"
    note = (
        f"{len(number)} topics come in {len(sizes)} clusters (of {sizes.min()} {each}): clusters, not topics, count as "
        f"independent, and a mean is over {over}."
    )
    if too_few := few_clusters_clause(number):
        return note + too_few
    if over == "topics" and (worths := independent_topics(scores, number)):
        means, differences = worths
        note += (
            f" By {metric} the topics are worth {means:.0f} independent ones for a mean (design effect "
            f"{len(number) / means:.2f}), {differences:.0f} for the difference of a typical pair "
            f"({len(number) / differences:.2f})."
        )
    return note


def few_clusters_clause(number: Ints) -> str:
    """Say what clusters are worth, by the number of each topic's, if that is little."""
    worth = statistics.effective(number)
    if worth >= FEW:
        return ""
    return f" They are worth {worth:.1f} of one size, too few to claim anything."


def clustering_notes(scores: xr.DataArray, *, of_means: bool = False) -> list[str]:
    """Note that topics look clustered, by their names and by their scores, where nobody said so; else nothing.

    of_means : intervals are of means, too, so that scores that are alike matter, not differences of systems alone.
    The scores of the first metric are looked at, first as differences from each topic's mean.
    """
    if CLUSTER in scores.coords or scores.isnull().any():
        return []
    first = additive(scores).isel(metric=0)
    metric = str(first.metric.item())
    values = first.transpose("system", "topic").values
    looked = {
        (f"differences between systems by {metric}", ""): values - values.mean(axis=0)
    }
    if of_means:
        looked[f"scores by {metric}", " of means"] = values
    return clustering_notes_of([str(topic) for topic in scores.topic.values], looked)


def correlation_clustering_notes(scores: xr.DataArray, unit: Level) -> list[str]:
    """Note that topics look clustered, by their names and by what they add to correlations of metrics over scores.

    unit : as in `irmeta.correlate`; correlations over means of systems are not of topics.
    """
    if unit == "system" or CLUSTER in scores.coords or scores.isnull().any():
        return []
    values = additive(scores).transpose("system", "topic", "metric").values
    if unit == "within-topic":
        values = values - values.mean(axis=0)
    varied = values[..., np.ptp(values, axis=(0, 1)) > 0]
    if varied.shape[-1] < 2:
        return []
    looked = {
        ("contributions of topics to correlations", ""): statistics.added_to_r(varied)
    }
    return clustering_notes_of([str(topic) for topic in scores.topic.values], looked)


def clustering_notes_of(
    topics: Sequence[str], looked: Mapping[tuple[str, str], Floats]
) -> list[str]:
    """Note that topics look clustered, by their names and by the first of some values, (several, topic), that does.

    looked : the values by what they are, and of what intervals are then too short, "" of all.
    """
    stems = [stem_of_topic(topic) for topic in topics]
    names, number = number_names(stems)
    if not _several(len(names), len(stems)):
        return []
    for (what, which), line in looked.items():
        alike = statistics.alike(line, number)
        if alike.low > 0:
            times = statistics.wider(line, number)
            return [
                Act(
                    f"Topics look clustered: {len(stems)} names have {len(names)} stems (such as {stems[0]}), and "
                    f"{what} are alike within them (intraclass correlation {alike.icc:.2f}, 95% {alike.low:.2f} to "
                    f"{alike.high:.2f}). Ignoring it makes intervals{which} {times:.1f} times too short "
                    "(--clusters stem)."
                )
            ]
    return []


def _several(clusters: int, topics: int) -> bool:
    """Say whether there are enough clusters to claim anything, and few enough that most topics are not alone."""
    return FEW <= clusters < 2 / 3 * topics


def unused_column_notes(facts: Mapping[str, Any]) -> list[str]:
    """Say which columns a table has that no study uses, and how to say so if topics of one value belong together.

    facts : what a cube says of itself, with its number of topics.
    """
    unused: Mapping[str, int] = facts.get(UNUSED, {})
    if not unused:
        return []
    notes: list[str] = [Method(f"unused columns: {listed(unused)}")]
    topics = facts["topics"]
    grouping = {
        name: groups for name, groups in unused.items() if _several(groups, topics)
    }
    if grouping and "clusters" not in facts:
        name = max(grouping, key=grouping.__getitem__)
        notes.append(
            Act(
                f"The unused column {name!r} puts topics into {grouping[name]} groups: if topics of one {name} belong "
                f"together, intervals are too short, and --cluster {quote(name)} says so (irmeta import table, "
                "irmeta.from_frame)."
            )
        )
    return notes


def promise_names(scores: xr.DataArray, *promises: str) -> list[str]:
    """Name what was measured of promises where clusters are in place of topics; else the promises."""
    if "clusters" in about(scores):
        return [name + CLUSTERS for name in promises]
    return list(promises)


def coverage_of_means(scores: xr.DataArray, promise: str, of_runs: str = "") -> Held:
    """Return how often intervals over topics held in collections like this one, or over clusters in their place.

    promise : what of intervals over topics was measured.  of_runs : the same where they allow for other runs, too.
    """
    sizes = {"systems": scores.sizes["system"], "topics": scores.sizes["topic"]}
    if of_runs and about(scores).get(REPEATS, {}).get("in_intervals"):
        promise = of_runs
    return held(*promise_names(scores, promise), **sizes)


def cluster_coverage_notes(
    used: Mapping[str, xr.DataArray], promise: str, intervals: str
) -> list[str]:
    """Say how often intervals over clusters held, of collections by name, where that is clearly less than promised.

    intervals : what they are called.
    """
    clustered = [scores for scores in used.values() if in_clusters(scores)]
    if not clustered:
        return []
    systems = max(scores.sizes["system"] for scores in clustered)
    clusters = min(len(set(unit_names(scores))) for scores in clustered)
    coverage = held(promise + CLUSTERS, systems=systems, topics=clusters)
    return coverage.said(intervals)


def cluster_rejection_notes(units: xr.DataArray, promise: str, test: str) -> list[str]:
    """Say how often a test at 5% rejects what is true of clusters in place of topics, where that is clearly more often.

    test : what it is called.
    """
    if unit_noun(units) == "topic":
        return []
    sizes = {"systems": units.sizes["system"], "topics": units.sizes["topic"]}
    rejected = held(promise + CLUSTERS, **sizes)
    if not rejected.broken:
        return []
    return [f"A {test} at 5% rejected in {rejected} although systems were equal."]


def unit_of(outcome: xr.Dataset) -> str:
    """Return what a study took as independent, "topic" or "cluster", as its sentences and tables call it."""
    collections = about(outcome)["inputs"]["collections"].values()
    if any("clusters" in described for described in collections):
        return CLUSTER
    return "topic"


def unit_noun(scores: xr.DataArray) -> str:
    """Return what a cube has in the place of topics, "topic" or "cluster", as sentences call it."""
    return CLUSTER if "clusters" in about(scores) else "topic"


def unit_names(scores: xr.DataArray) -> list[str]:
    """Return for each topic what is drawn independently: the name of its cluster, or its own."""
    if CLUSTER in scores.coords:
        return [str(name) for name in scores[CLUSTER].values]
    return [str(topic) for topic in scores.topic.values]


def cluster_map(scores: xr.DataArray) -> dict[str, str]:
    """Return the cluster of each topic by name, as files keep it; nothing where topics have none."""
    if CLUSTER not in scores.coords:
        return {}
    topics = map(str, scores.topic.values)
    return dict(zip(topics, unit_names(scores), strict=True))
