"""Several collections at once: a mapping from name to cube, their common metrics, their system-level tables."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import get_args

import numpy as np
import xarray as xr

from irmeta.choices import Level, Missing, MissingOfPairs, Scale, Unit
from irmeta.errors import MetricError, ScoresError, require_choice
from irmeta.metrics.names import found_as, highest, metric_names, nearest
from irmeta.metrics.values import require_possible
from irmeta.scores.attributes import OVER, about
from irmeta.scores.averages.means import means
from irmeta.scores.cube import check, cube, from_frame_all
from irmeta.scores.groups.clusters import (
    cluster_numbers,
    correlation_clustering_notes,
    few_clusters_clause,
    in_clusters,
    unit_names,
    with_cluster_facts,
)
from irmeta.scores.notes import Act, Method, with_subject
from irmeta.scores.selection import deeper_metrics, prepare
from irmeta.scores.tables.objects import is_table
from irmeta.scores.tables.roles import ALL
from irmeta.stats.arrays import Ints
from irmeta.words import counted, listed


def by_name(
    cubes: xr.DataArray | Mapping[str, xr.DataArray], what: str = "collections"
) -> dict[str, xr.DataArray]:
    """Return cubes by collection name, each as `check` returns it; a cube alone goes by the name of its collection.

    A table of scores gives the collections that it holds, as `irmeta.from_frame_all` does. No collection at all raises
    ScoresError.

    what : what the error calls the collections.
    """
    if is_table(cubes):
        return from_frame_all(cubes)
    if isinstance(cubes, Mapping) and not isinstance(cubes, xr.Dataset):
        if not cubes:
            raise ScoresError(f"there are no {what}; give one or more")
        return {str(name): check(scores) for name, scores in cubes.items()}
    scores = check(cubes)
    return {str(scores.attrs.get("collection", "collection")): scores}


def with_roles(
    **roles: xr.DataArray | Mapping[str, xr.DataArray] | None,
) -> tuple[dict[str, xr.DataArray], dict[str, str]]:
    """Return the collections of all roles (train=..., test=...) by name, and the role of each.

    None is a role without collections. A collection in two roles raises ScoresError.
    """
    cubes: dict[str, xr.DataArray] = {}
    role_of: dict[str, str] = {}
    for role, given in roles.items():
        if given is None:
            continue
        for name, scores in by_name(given, f"{role} collections").items():
            if name in cubes:
                raise ScoresError(
                    f"a collection cannot be both {role_of[name]} and {role}: {name}"
                )
            cubes[name] = scores
            role_of[name] = role
    return cubes, role_of


def common_metrics(
    cubes: Mapping[str, xr.DataArray], metrics: str | Iterable[str] | None = None
) -> list[str]:
    """Return the metrics that every collection has, in the first one's order.

    metrics : return these instead, if every collection has them. Collections without a common metric, and a named
    metric that some collection lacks, raise ScoresError.
    """
    held = {
        name: [str(metric) for metric in scores.metric.values]
        for name, scores in cubes.items()
    }
    if not held:
        raise ScoresError("there are no collections; give one or more")
    first, *others = held.values()
    shared = [metric for metric in first if all(metric in here for here in others)]
    if not shared:
        raise ScoresError(
            f"{listed(cubes)} have no metric in common; evaluate them with the same metrics, or study each by itself"
        )
    wanted = shared if metrics is None else metric_names(metrics)
    if not wanted:
        raise ScoresError("the list of metrics is empty; name one or more")
    names = [found_as(name, shared) or name for name in wanted]
    for name in names:
        lacking = [collection for collection, here in held.items() if name not in here]
        if lacking:
            raise ScoresError(
                f"no metric {name!r} in {listed(lacking)}; {nearest(name, shared)}"
            )
    return names


def prepare_together(
    cubes: Mapping[str, xr.DataArray],
    *,
    metrics: str | Iterable[str] | None = None,
    top: float | None = None,
    by: str | None = None,
    missing: MissingOfPairs = "error",
    pairs: bool = False,
    by_topic: bool = False,
) -> tuple[dict[str, xr.DataArray], list[str]]:
    """Return the part of each collection that a study of all is about, and notes on what was left out.

    metrics : by default those that every collection has; the others are left out.
    top, by, missing, pairs, by_topic : as in `selection.prepare`.
    """
    names = common_metrics(cubes, metrics)
    used = {}
    notes = deeper_metrics(metrics, names)
    held = {str(metric) for scores in cubes.values() for metric in scores.metric.values}
    lost = sorted(held.difference(names))
    if lost and metrics is None:
        notes.append(
            f"metrics left out because not all collections have them: {', '.join(lost)}"
        )
    for name, scores in cubes.items():
        used[name], more = prepare(
            scores,
            metrics=names,
            top=top,
            by=by,
            missing=missing,
            pairs=pairs,
            by_topic=by_topic,
        )
        notes += [with_subject(name, note) for note in more]
    return used, notes


def shared_topics(cubes: Mapping[str, xr.DataArray]) -> list[str]:
    """Say of every two collections how many topics they share, that is, how many names; nothing if they share none.

    >>> one = cube(np.zeros((1, 2, 1)), ["bm25"], ["301", "302"], ["AP"])
    >>> shared_topics({"human": one, "machine": one, "first": one[:, :1]})[0]
    'human and machine share 2 topics'
    """
    topics = {name: {*scores.topic.values} - {ALL} for name, scores in cubes.items()}
    sentences = []
    for first, second in combinations(cubes, 2):
        shared = topics[first] & topics[second]
        if shared:
            count = counted(len(shared), "topic")
            sentences.append(f"{first} and {second} share {count}")
    return sentences


def dependence_notes(cubes: Mapping[str, xr.DataArray]) -> list[str]:
    """Note that collections share topics, where a study leaves out one collection and learns from the others."""
    shared = shared_topics(cubes)
    if not shared:
        return []
    return [
        Act(
            f"{listed(shared)} by name; if these are the same topics, the collections are not independent, so that "
            "errors look too small and intervals are too narrow: keep one of the collections"
        )
    ]


def unit_numbers(cubes: Mapping[str, xr.DataArray]) -> list[Ints]:
    """Number what is independent in each collection, for each topic its cluster or itself.

    Topics of one name have one number, in whichever collection they are, and so have all topics of their clusters.
    Clusters of one name are others in another collection, unless they share a topic.
    """
    known: dict[str, str] = {}  # of each topic another of its unit, and of one itself

    def first(topic: str) -> str:
        while known.setdefault(topic, topic) != topic:
            topic = known[topic]
        return topic

    for scores in cubes.values():
        of_unit: dict[str, str] = {}
        for topic, unit in zip(scores.topic.values, unit_names(scores), strict=True):
            known[first(topic)] = first(of_unit.setdefault(unit, topic))
    number: dict[str, int] = {}
    numbers = []
    for scores in cubes.values():
        own = [
            number.setdefault(first(name), len(number)) for name in scores.topic.values
        ]
        numbers.append(np.array(own))
    return numbers


def side_by_side(
    cubes: Mapping[str, xr.DataArray],
) -> tuple[dict[str, xr.DataArray], list[str]]:
    """Put the topics of a unit (`unit_numbers`) side by side; note which collections have clusters of topics.

    A collection without clusters may hold topics that another has in one. Cubes with clusters say how many they have.
    """
    arranged, notes = {}, []
    for (name, scores), own in zip(cubes.items(), unit_numbers(cubes), strict=True):
        arranged[name] = scores
        if len(np.unique(own)) < len(own):
            arranged[name] = scores.isel(topic=np.argsort(own, kind="stable"))
        if in_clusters(scores):
            arranged[name] = with_cluster_facts(arranged[name])
            names, number = cluster_numbers(scores)
            notes.append(
                f"{name}: {len(number)} topics come in {len(names)} clusters: clusters, not topics, count as "
                f"independent.{few_clusters_clause(number)}"
            )
    return arranged, notes


def notes_on_topics(cubes: Mapping[str, xr.DataArray], unit: Level) -> list[str]:
    """Note, where scores on topics are correlated, that means over clusters play no part, and what looks clustered."""
    if unit == "system":
        return []
    notes: list[str] = []
    if any(scores.attrs.get(OVER) == "clusters" for scores in cubes.values()):
        notes.append(
            Act(
                "Every topic counts alike here: scores on topics are no means; --mean-over clusters is of --unit "
                "system."
            )
        )
    for name, scores in cubes.items():
        noticed = correlation_clustering_notes(scores, unit)
        if len(cubes) > 1:
            noticed = [with_subject(name, note) for note in noticed]
        notes += noticed
    return notes


def topics_halved(
    cubes: Mapping[str, xr.DataArray], rng: np.random.Generator
) -> tuple[dict[str, xr.DataArray], dict[str, xr.DataArray]] | None:
    """Split the topics of each collection at random into halves; a topic that several have is in the same half of all.

    So are the topics of a cluster.
    A system-wise table has no topics to split, and is whole in both. None where a half has no topic of a collection, as
    may happen with few topics.
    """
    numbers = unit_numbers(cubes)
    holders: dict[int, list[str]] = {}  # by topic or cluster
    for name, own in zip(cubes, numbers, strict=True):
        for topic in dict.fromkeys(own.tolist()):
            holders.setdefault(topic, []).append(name)
    # the topics by the collections that have them
    alike: dict[tuple[str, ...], list[int]] = {}
    for topic, names in holders.items():
        alike.setdefault(tuple(names), []).append(topic)
    first = set[int]()
    for topics in alike.values():
        # the odd topic goes to either half
        extra = int(rng.integers(2)) * (len(topics) % 2)
        drawn = rng.permutation(len(topics))[: len(topics) // 2 + extra]
        first |= {topics[at] for at in drawn}
    halves: tuple[dict[str, xr.DataArray], dict[str, xr.DataArray]] = ({}, {})
    for (name, scores), own in zip(cubes.items(), numbers, strict=True):
        inside = np.isin(own, list(first))
        if list(scores.topic.values) == [ALL]:
            halves[0][name] = halves[1][name] = scores
            continue
        if inside.all() or not inside.any():
            return None
        halves[0][name] = scores.isel(topic=inside)
        halves[1][name] = scores.isel(topic=~inside)
    return halves


def targets_and_candidates(
    cubes: Mapping[str, xr.DataArray],
    targets: str | Iterable[str] | None,
    metrics: str | Iterable[str] | None,
) -> tuple[list[str], list[str], list[str]]:
    """Return the metrics to work on, then those of them to predict and those to predict from.

    Both are by default all that every collection has; a target among the candidates is no predictor of itself.
    """
    candidates = common_metrics(cubes, metrics)
    if targets is None:
        wanted = candidates
    else:
        wanted = common_metrics(cubes, targets)
    if all(candidates == [target] for target in wanted):
        raise ScoresError(
            f"there is no other metric to predict {', '.join(wanted)} from"
        )
    return list(dict.fromkeys([*candidates, *wanted])), wanted, candidates


def check_sizes(
    sizes: Sequence[int], targets: Sequence[str], candidates: Sequence[str]
) -> None:
    """Raise ScoresError if a set of predictors is larger than the candidates for some target."""
    most = len(candidates) - any(target in candidates for target in targets)
    if not sizes or not all(1 <= size <= most for size in sizes):
        raise ScoresError(
            f"a target can have 1 to {most} predictors with these metrics, not "
            f"{', '.join(map(str, sizes)) or 'none'}"
        )


def check_scale(metrics: Sequence[str], scale: Scale) -> None:
    """Raise MetricError if scale is "logit" and some metric can exceed 1, where log odds are undefined."""
    wrong = [metric for metric in metrics if highest(metric) > 1]
    if scale == "logit" and wrong:
        raise MetricError(
            f"--scale logit needs metrics between 0 and 1; {listed(wrong)} can exceed 1: use --scale raw"
        )


def system_level(
    cubes: Mapping[str, xr.DataArray],
    metrics: str | Iterable[str] | None = None,
    *,
    missing: Missing = "error",
) -> tuple[dict[str, xr.DataArray], list[str]]:
    """Return each collection's (system, metric) means over the same metrics, and notes on what to know of them.

    metrics : as in `common_metrics`.  missing : as in `complete`.
    """
    used, notes = prepare_together(cubes, metrics=metrics, missing=missing)
    notes += dependence_notes(used)
    return {name: in_range(means(scores)) for name, scores in used.items()}, notes


ONE_COLLECTION = Method(
    "tau, R2 and RMSE hold for these systems on these collections and have no interval: "
    "collections differ more than resampling the systems of one would show"
)
"""The note of studies that measure how well scores of a collection are predicted."""


def at_unit(cubes: Mapping[str, xr.DataArray], unit: Unit) -> dict[str, xr.DataArray]:
    """Return cubes whose rows are what is to be predicted: systems, or with "topic" every system on every topic.

    A score on a topic then stands as a system-wise table has it, on the one topic `all`, under the name SYSTEM TOPIC.
    """
    require_choice("unit", unit, get_args(Unit))
    return {
        name: by_topic(scores) if unit == "topic" else scores
        for name, scores in cubes.items()
    }


def by_topic(scores: xr.DataArray) -> xr.DataArray:
    """Return a cube in which every system on every topic is a system of its own.

    >>> scores = cube([[[0.1], [0.3]]], ["bm25"], ["301", "302"], ["AP"])
    >>> by_topic(scores).system.values.tolist()
    ['bm25 301', 'bm25 302']
    """
    names = [
        f"{system} {topic}"
        for system in scores.system.values
        for topic in scores.topic.values
    ]
    rows = scores.values.reshape(-1, 1, scores.sizes["metric"])
    return cube(rows, names, [ALL], scores.metric.values).assign_attrs(scores.attrs)


def in_range(table: xr.DataArray) -> xr.DataArray:
    """Return a (system, metric) table; raise ScoresError if a score is one that its metric cannot take."""
    require_possible(
        table.values, table.metric.values, lambda row: str(table.system.values[row])
    )
    return table


def own_threshold_notes(cubes: Mapping[str, xr.DataArray]) -> list[str]:
    """Say by which judges a metric is computed with a lowest relevant grade of the judge's own."""
    return [
        f"for {name}, {asked} is computed as {computed}, by the lowest relevant grade given for it"
        for name, scores in cubes.items()
        for asked, computed in about(scores).get("computed", {}).items()
        if asked in scores.metric.values
    ]


def distinctly_named(
    read: Sequence[Sequence[tuple[Path, Mapping[str, xr.DataArray]]]],
) -> list[dict[str, xr.DataArray]]:
    """Name the collections of groups of files: a name that two files use is replaced by the files' names."""
    names = [name for group in read for _, cubes in group for name in cubes]
    named = [
        [
            (name if names.count(name) == 1 else path.stem, cube)
            for path, cubes in group
            for name, cube in cubes.items()
        ]
        for group in read
    ]
    once = [name for group in named for name, _ in group]
    if twice := sorted({name for name in once if once.count(name) > 1}):
        raise ScoresError(
            f"two collections are named {twice[0]!r}; name each file once, and give each collection "
            "its own name with --collection of irmeta evaluate or import"
        )
    return [dict(group) for group in named]
