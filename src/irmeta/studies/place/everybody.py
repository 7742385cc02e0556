"""What is known of everybody's systems on a collection: factors, the scores of all of them, or their means only."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from irmeta.choices import Missing
from irmeta.errors import ScoresError
from irmeta.measured.coverage import held
from irmeta.metrics.names import nearest
from irmeta.scores import standardization
from irmeta.scores.attributes import OVER, REPEATS, about
from irmeta.scores.averages.means import means
from irmeta.scores.cube import check
from irmeta.scores.cubes import by_name
from irmeta.scores.groups.clusters import (
    by_cluster,
    cluster_map,
    cluster_numbers,
    clustering_notes,
    in_clusters,
    with_clusters,
)
from irmeta.scores.groups.repeats import by_runs
from irmeta.scores.names import are_numbers, bare_name
from irmeta.scores.selection import complete, select
from irmeta.scores.tables.objects import is_table
from irmeta.scores.tables.roles import ALL
from irmeta.stats.arrays import Bools, Floats
from irmeta.stats.standardizing import across
from irmeta.stats.standardizing.across import Estimate, Placed, Spread
from irmeta.stats.standardizing.standing import Everybody
from irmeta.words import counted

Factors = xr.Dataset
Known = xr.Dataset | xr.DataArray
"""What is known of everybody's systems on a collection: its factors, or the scores of all of them."""
FEWEST = 3
"""With fewer standardizing systems every one of them has the same score on each topic, but for its sign."""
ENOUGH = 40
"""Standardizing systems, or teams, with which intervals hold what they promise."""
MEAN = "mean over topics"
"""The one topic of everybody's systems of whom only means are known."""


Versus = Callable[[], Estimate]
"""Returns the differences of systems from everybody's, (system, other)."""


class Collection(NamedTuple):
    """One collection by one metric: the systems to place, and everybody's; `automatic` is the best automatic score.

    own : their means, without what other standardizing systems would move.
    joins : (system,), whether a system is not one of everybody's, by its name, so that it is one more.
    """

    scores: Floats
    automatic: float
    placed: Placed
    spread: Spread
    everybody: Everybody
    versus: Versus
    own: Estimate
    joins: Bools

    @property
    def standardized(self) -> Estimate:
        """Their means, with what other standardizing systems would move."""
        if not self.spread.units:
            return self.own
        return across.means([self.placed], [self.spread])


def known_by_collection(
    on: Known | Mapping[str, Known], names: Sequence[str]
) -> dict[str, Known]:
    """Return what is known of everybody's systems, by the collections of the systems to place."""
    given: Any = on
    known: Mapping[str, Any]
    if isinstance(on, xr.Dataset):
        known = dict.fromkeys(names, on)
    elif isinstance(on, Mapping) and not is_table(on):
        known = {str(name): one for name, one in given.items()}
    else:
        known = by_name(given)
        if len(known) == 1:
            known = dict.fromkeys(names, *known.values())
    found = {}
    for name in names:
        if name not in known:
            raise ScoresError(
                f"there are no factors for the collection {name!r}; {nearest(name, known)}; fit them "
                "on all of its systems (irmeta standardize fit)"
            )
        found[name] = known[name]
        if not isinstance(known[name], xr.Dataset):
            found[name] = _means_on_a_topic(check(known[name]))
    return found


def without_holes(
    scores: xr.DataArray, known: Known, metrics: Sequence[str], missing: Missing
) -> tuple[xr.DataArray, Known, list[str]]:
    """Cut the systems to place and everybody's, where these have holes, to what everybody has; say what was left out.

    metrics : those by which systems are placed; holes of others do not matter
    missing : what to do with holes of everybody's scores on the topics of the systems to place, as in
        `selection.complete`
    """
    if isinstance(known, xr.Dataset) or not known.isnull().any():
        return scores, known, []
    asked = known.isel(metric=known.metric.isin(metrics))
    if not has_only_means(known):
        asked = asked.isel(topic=known.topic.isin(scores.topic))
    if not asked.size:
        return scores, known, []
    try:
        kept, said = complete(asked, missing)
    except ScoresError as error:
        raise ScoresError(f"of everybody's systems, {error}") from error
    dropped = asked.indexes["topic"].difference(kept.indexes["topic"])
    told = [f"of everybody's systems, {line}" for line in said]
    return scores.drop_sel(topic=dropped), kept, told


def with_cutoff_served(
    known: Known, metrics: Iterable[object]
) -> tuple[Known, list[str]]:
    """Return what is known, its factors of AP serving AP@1000 if that is among the metrics, and a note if they do."""
    if isinstance(known, xr.DataArray):
        return known, []
    return standardization.with_cutoff(known, metrics)


def has_only_means(known: Known) -> bool:
    """Say whether nothing but everybody's means is known, as of a leaderboard whose topics are not public."""
    return isinstance(known, xr.DataArray) and known.topic.values.tolist() == [MEAN]


def _means_on_a_topic(scores: xr.DataArray) -> xr.DataArray:
    """Return scores with means, if they are no more than that, as those of one topic."""
    if scores.topic.values.tolist() == [ALL]:
        return scores.assign_coords(topic=[MEAN])
    return scores


def as_known(scores: xr.DataArray, known: Known) -> xr.DataArray:
    """Return scores as everybody's are known: by topic, or their means as those of one topic."""
    if not has_only_means(known):
        return scores
    own = scores.isel(topic=[0]).copy(data=means(scores).values[:, None, :])
    return own.assign_coords(topic=[MEAN])


def factors_of(known: Known) -> Factors:
    """Return factors that say how their systems vary together; those of old files do not."""
    if isinstance(known, xr.DataArray):
        factors = standardization.fit(known)
    else:
        factors = known
    if "spread" not in factors.attrs and not has_only_means(known):
        raise ScoresError(
            f"the factors of {factors.attrs.get('collection', 'this collection')} do not say how "
            "their systems vary together, which intervals of differences need; fit them again on "
            "scores without holes (--missing common), on 2 topics or more"
        )
    if factors.attrs.get("spread") and _has_few_systems(factors):
        raise ScoresError(
            f"the factors of {factors.attrs.get('collection', 'this collection')} come from fewer than {FEWEST} "
            f"systems or teams, which says nothing of others; standardize by {FEWEST} or more"
        )
    return factors


def _has_few_systems(factors: Factors) -> bool:
    """Say whether factors come from so few systems or teams that they say nothing of others."""
    units = (int(found["units"]) for found in about(factors)["spread"].values())
    return min(units) < FEWEST


def shared_metrics(
    cubes: Mapping[str, xr.DataArray],
    factors: Mapping[str, Known],
    metrics: str | Iterable[str] | None,
) -> list[str]:
    """Return the metrics wanted, or those that all scores and all factors, or everybody's scores, have."""
    first = next(iter(cubes.values()))
    if metrics is not None:
        return [str(metric) for metric in select(first, metrics=metrics).metric.values]
    held = [one.indexes["metric"] for one in (*cubes.values(), *factors.values())]
    found = [
        str(metric)
        for metric in first.metric.values
        if all(metric in one for one in held)
    ]
    if not found:
        theirs = "; ".join(
            f"{name} has {', '.join(map(str, one.metric.values[:8]))}"
            for name, one in factors.items()
        )
        raise ScoresError(f"scores and factors have no metric in common; {theirs}")
    return found


def notes(scores: xr.DataArray, factors: Factors, known: Known) -> list[str]:
    """Say what to know of scores standardized by factors: of these, of flat topics, clusters and intervals."""
    if has_only_means(known):
        return [
            "only the means of everybody's systems are known; they are standardized as scores on "
            "one topic, without intervals and tests"
        ]
    standardized = standardization.apply(scores, factors, "z")
    lines = [
        *about(standardized)["standardization"]["notes"],
        *standardization.flat_topics(standardized),
        *_unit_scores(standardization.apply(scores, factors))[1],
        *clustering_notes(scores, of_means=True),
    ]
    if isinstance(known, xr.DataArray):
        lines += _twice_notes(scores, known)
    if in_clusters(scores) and isinstance(known, xr.Dataset):
        lines.append(
            "the means of everybody's systems, of which factors keep no scores on topics, are taken as of independent "
            "topics; differences from them are less certain if topics of a cluster are alike"
        )
    lines += _coverage_notes(scores)
    lines += _interval_notes(scores, factors, known)
    if isinstance(known, xr.DataArray):
        return lines
    topics = scores.sizes["topic"]
    if topics < factors.sizes["topic"]:
        lines.append(
            f"{topics} of the factors' {factors.sizes['topic']} topics have scores; "
            "the systems are not placed among everybody's systems, whose means are over all topics"
        )
    else:
        lines.append(
            "differences from everybody's systems are tested unpaired, because factors keep "
            "their means but not their scores on topics"
        )
    return lines


def _interval_notes(scores: xr.DataArray, factors: Factors, known: Known) -> list[str]:
    """Say how often intervals beside this number of standardizing systems held, where that is too seldom."""
    topics = scores.sizes["topic"]
    units = _spread(factors, str(scores.metric.values[0])).units
    found = held("percentile among everybody", systems=units, topics=topics)
    lines = found.said("95% intervals of percentiles")
    if units < ENOUGH:
        found = held("difference across collections", systems=units, topics=topics)
        who = _few_standardizing_systems(factors, known, units)
        lines.append(f"{who}: 95% intervals across collections held in {found}")
    return lines


def _few_standardizing_systems(factors: Factors, known: Known, units: int) -> str:
    """Say how few standardizing systems, or teams of them, there are."""
    every = len(about(factors)["systems"])
    if units == every:
        return f"only {counted(units, 'standardizing system')}"
    if isinstance(known, xr.Dataset):
        return f"the factors take the {every} standardizing systems as {units} teams"
    return (
        f"the {every} standardizing systems are taken as {units} teams, stems of their names; name them with "
        "irmeta standardize fit --teams"
    )


def _twice_notes(scores: xr.DataArray, everybody: xr.DataArray) -> list[str]:
    """Say which systems have the scores of one of everybody's by another name, and so count twice."""
    theirs = everybody.sel(topic=scores.topic, metric=scores.metric)
    of_theirs = _rows(theirs)
    called = {row: name for name, row in of_theirs.items()}
    same = {name: called.get(row) for name, row in _rows(scores).items()}
    known = set(map(bare_name, of_theirs))
    return [
        f"{own} has the scores of {other} on every topic: if it is the same run, call it {other}, so that it does not "
        "count twice"
        for own, other in same.items()
        if other is not None and bare_name(own) not in known
    ]


def _rows(scores: xr.DataArray) -> dict[str, bytes]:
    """Return the scores of each system as bytes, which are the same where scores are."""
    values = scores.transpose("system", "topic", "metric").values
    named = zip(scores.system.values, values, strict=True)
    return {str(name): row.tobytes() for name, row in named}


def _coverage_notes(scores: xr.DataArray) -> list[str]:
    """Say how often intervals held over clusters, or of means of runs, where that is too seldom."""
    topics = scores.sizes["topic"]
    if in_clusters(scores):
        name = "difference of placed systems, clusters"
        topics = len(cluster_numbers(scores)[0])
    elif about(scores).get(REPEATS, {}).get("metrics"):
        name = "difference of placed means of runs"
    else:
        return []
    found = held(name, systems=scores.sizes["system"], topics=topics)
    return found.said("Such 95% intervals of differences")


def shared_systems(factors: Mapping[str, Factors]) -> Floats:
    """Return how many standardizing systems two collections share, over the root of the product of their numbers."""
    names = [distinct_names(one) for one in factors.values()]
    shared = np.eye(len(names))
    for a, b in combinations(range(len(names)), 2):
        size = np.sqrt(len(names[a]) * len(names[b]))
        share = len(names[a] & names[b]) / max(size, 1.0)
        shared[a, b] = share
        shared[b, a] = share
    return shared


def distinct_names(factors: Factors) -> set[str]:
    """Return the names of standardizing systems; such as tell nothing, as numbers, are made the collection's own."""
    names = [str(name) for name in about(factors).get("systems", ())]
    if are_numbers(names):
        return {f"{factors.attrs['collection']}: {name}" for name in names}
    return set(names)


def collection_of(
    scores: xr.DataArray, factors: Factors, known: Known, metric: str
) -> Collection:
    """Gather what is known of one collection by one metric."""
    one = scores.sel(metric=[metric])
    placed = _placed_systems(one, factors)
    spread = _spread(factors, metric)
    if isinstance(known, xr.Dataset):
        others, versus = _compare_with_kept(one, factors, placed, spread)
    elif has_only_means(known):
        others, versus = _compare_means(one, factors, known, placed)
    else:
        others, versus = _compare_by_topic(one, factors, known, placed, spread)
    return Collection(
        scores=by_cluster(one)[0].values[..., 0].mean(axis=1),
        automatic=_best_automatic(factors, others),
        placed=placed,
        spread=spread,
        everybody=others,
        versus=versus,
        own=_own_means(placed, spread),
        joins=_joins(scores, factors),
    )


def _joins(scores: xr.DataArray, factors: Factors) -> Bools:
    """Say which systems are not among everybody's by their names, (system,)."""
    theirs = {bare_name(str(name)) for name in about(factors).get("systems", ())}
    return np.array(
        [bare_name(str(name)) not in theirs for name in scores.system.values]
    )


def _own_means(placed: Placed, spread: Spread) -> Estimate:
    """Return the means of systems; without errors where nothing but means is known."""
    if not spread.units:
        value = placed.scores[:, 0]
        return Estimate(value, *np.full((2, value.size), np.nan))
    return across.means([placed], [_without_error(spread)])


def _without_error(spread: Spread) -> Spread:
    """Return the spread of factors that nothing moves: among everybody's, all systems are moved alike."""
    return Spread(np.zeros((2, 2)), max(spread.units, 2))


def _spread(factors: Factors, metric: str) -> Spread:
    """Return how the standardizing systems vary together; unknown where they have means only."""
    if "spread" not in factors.attrs:
        return Spread(np.full((2, 2), np.nan), 0)
    found = about(factors)["spread"][metric]
    return Spread(np.array(found["covariance"]), int(found["units"]))


def _compare_means(
    scores: xr.DataArray, factors: Factors, known: xr.DataArray, placed: Placed
) -> tuple[Everybody, Versus]:
    """Return everybody's means and the differences of systems from them, all without errors."""
    everybody = _everybody_by_means(known.sel(metric=scores.metric.values), factors)
    difference = placed.scores - everybody.standardized
    unknown = np.full(difference.shape, np.nan)
    return everybody, partial(Estimate, difference, unknown, unknown)


def _everybody_by_means(theirs: xr.DataArray, factors: Factors) -> Everybody:
    """Return everybody's figures where nothing but their means is known: without errors."""
    others = _placed_systems(theirs, factors).scores[:, 0]
    return Everybody(theirs.values[:, 0, 0], others, np.full(others.shape, np.nan))


def _best_automatic(factors: Factors, everybody: Everybody) -> float:
    """Return the best score of the automatic systems; NaN where factors do not say which these are."""
    types = about(factors).get("types", [])
    scores = [
        score
        for score, kind in zip(everybody.mean, types, strict=False)
        if kind == "automatic"
    ]
    return max(scores, default=np.nan)


def _placed_systems(scores: xr.DataArray, factors: Factors) -> Placed:
    """Return systems as they are placed, over what is independent; means of runs scatter as other runs would, too."""
    placed = across.place(standardization.apply(scores, factors, "z").values[..., 0])
    units, notes = _unit_scores(standardization.apply(scores, factors))
    return placed._replace(scores=units.values[..., 0]) if notes else placed


def _unit_scores(scores: xr.DataArray) -> tuple[xr.DataArray, list[str]]:
    """Return scores over what is independent, clusters of topics where there are some, moved by what runs add."""
    units, of_clusters = by_cluster(scores)
    units, of_runs = by_runs(units)
    return units, of_clusters + of_runs


def _compare_by_topic(
    scores: xr.DataArray,
    factors: Factors,
    known: xr.DataArray,
    placed: Placed,
    spread: Spread,
) -> tuple[Everybody, Versus]:
    """Return everybody's figures and the differences of systems from them, by scores on the same topics."""
    theirs = known.sel(metric=scores.metric.values, topic=scores.topic.values)
    if in_clusters(scores):
        theirs = with_clusters(
            theirs, cluster_map(scores), mean_over=scores.attrs.get(OVER, "topics")
        )
    others = _placed_systems(theirs, factors)

    def versus() -> Estimate:
        """Compare all with all, and keep the differences of systems from everybody's."""
        pairs = zip(placed, others, strict=True)
        both = Placed(*(np.concatenate(pair) for pair in pairs))
        own = len(placed.scores)
        every = across.differences([both], [spread], np.eye(1))
        return Estimate(*(part[:own, own:] for part in every))

    return _from_topics(theirs, others, spread), versus


def _from_topics(theirs: xr.DataArray, others: Placed, spread: Spread) -> Everybody:
    """Return everybody's figures from their scores on topics."""
    of_others = across.means([others], [_without_error(spread)])
    mean = by_cluster(theirs)[0].values[..., 0].mean(axis=1)
    return Everybody(mean, of_others.value, of_others.error)


def _compare_with_kept(
    scores: xr.DataArray, factors: Factors, placed: Placed, spread: Spread
) -> tuple[Everybody, Versus]:
    """Return everybody's figures and the differences of systems from them, by what factors keep, over all topics.

    On a part of the topics there is nothing to compare with.
    """
    topics, metric = scores.sizes["topic"], str(scores.metric.item())
    if topics < factors.sizes["topic"]:
        nothing = np.empty((len(placed.scores), 0))
        none = np.empty(0)
        return Everybody(none, none, none), partial(Estimate, *[nothing] * 3)
    kept = about(factors)["standing"][metric]
    # what the factors add, both have
    own = across.means([placed], [_without_error(spread)])
    standardized, variance = (
        np.array(kept[name]) for name in ("standardized", "variance")
    )
    versus = partial(across.beside_known_means, own, standardized, variance, topics)
    return _everybody_kept(factors, metric), versus


def _everybody_kept(factors: Factors, metric: str) -> Everybody:
    """Return everybody's figures as factors keep them, over all of their topics."""
    kept = about(factors)["standing"][metric]
    error = np.sqrt(np.array(kept["variance"]) / factors.sizes["topic"])
    return Everybody(np.array(kept["mean"]), np.array(kept["standardized"]), error)


def everybody_of(factors: Factors, known: Known, metric: str) -> Everybody:
    """Return everybody's figures on a collection by one metric, over all of its topics."""
    if isinstance(known, xr.Dataset):
        return _everybody_kept(factors, metric)
    theirs = known.sel(metric=[metric])
    if has_only_means(known):
        return _everybody_by_means(theirs, factors)
    return _from_topics(
        theirs, _placed_systems(theirs, factors), _spread(factors, metric)
    )
