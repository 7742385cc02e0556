"""Where systems stand among everybody's, on one collection or on several: by standardized scores."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Annotated, Any, NamedTuple

import numpy as np
import xarray as xr

from irmeta.choices import Missing
from irmeta.errors import ScoresError, require_share
from irmeta.evaluation.sources import QrelsLike
from irmeta.io.runs.trec import Reading
from irmeta.io.tables.published import read_published
from irmeta.parallel import seeded
from irmeta.scores import standardization
from irmeta.scores.groups.clusters import with_cluster_facts
from irmeta.scores.groups.repeats import with_other_runs
from irmeta.scores.result import ends, result
from irmeta.scores.selection import complete, select
from irmeta.stats.arrays import Floats
from irmeta.stats.rankings.ranksets import rank_sets_of
from irmeta.stats.standardizing import across, standing
from irmeta.stats.standardizing.across import Estimate
from irmeta.stats.standardizing.standing import Standing
from irmeta.studies.door import Given, study
from irmeta.studies.place import anchors, everybody, reported
from irmeta.studies.place.anchors import ANCHORED, DRIFT
from irmeta.studies.place.everybody import Collection, Known
from irmeta.studies.place.given import (
    ON,
    PLACED,
    PUBLISHED,
    Placed,
    baseline_of,
    cubes_of,
    matched_known,
    run_name,
    scored,
)

DRAWS = 2000
"""Draws that rank sets are made of."""
OWN = (
    "score",
    "standardized",
    "low",
    "high",
    *ends("rank"),
    "best_automatic",
    "score_rank",
    "ranked",
)
"""Figures of an entry, beside those of its standing among everybody's."""
PAIR = (*ends("difference"), "p", "raw_difference")
"""Figures of two entries."""


@study
def place(
    scores: Annotated[Placed | None, PLACED] = None,
    *,
    on: Annotated[Known | Mapping[str, Known] | None, ON] = None,
    published: Annotated[Any, PUBLISHED] = None,
    qrels: Annotated[QrelsLike | None, Given("FILE")] = None,
    metrics: str | Iterable[str] | None = None,
    systems: str | Iterable[str] | None = None,
    topics: str | Iterable[str] | None = None,
    baseline: str | None = None,
    anchor: str | Iterable[str] | None = None,
    level: float = 0.95,
    missing: Missing = "error",
    reading: Reading | None = None,
    rng: int | np.random.Generator = 0,
) -> xr.Dataset:
    """Place systems among all that ran on their collection; compare systems of different collections.

    Systems of different collections are compared by standardized scores, each among the systems of its collection, and
    by gains over anchors; intervals allow for the choice of the systems that standardize.

    scores : the systems to place: a cube, several by collection, or score files; with judgments their run files
    on : the systems to rank among, everybody's on this collection: factors that ship (irmeta datasets list), a factors
        file, or a score file of all systems, one for each collection, in the same order; or by collection factors, or
        a cube of scores, or of means under the topic `all` where the topics are not public: then there are no
        intervals and no tests; by default factors that ship under the collection's name
    published : means that papers report, without runs: a table (CSV, Parquet) or data frame with the columns system,
        metric and mean; for claims baseline (a system of the same paper, or its mean) or baseline and baseline_mean;
        and paper, year and collection, if there are several
    qrels : relevance judgments, to score run files with
    metrics : by default those that all scores and all factors have
    systems : those of the runs to use, by default all
    topics : those of the runs to use, by default all
    baseline : the system that others should improve on: its name, or with judgments a run file
    anchor : systems that ran unchanged on all collections, from which the others are measured: one name, or one for
        each collection in their order, as in bm25=BM25-title; several with commas
    level : level of intervals and rank sets; tests have level 1 - this
    missing : what to do with missing scores, of everybody's systems on these topics, too, as in `selection.complete`
    reading : what to accept in files beyond their format, as in `irmeta.evaluate`
    rng : a seed or a generator, of all that is random

    Returns over (entry, metric), an entry being a system on a collection: mean score and score_rank, its rank by that
    among `ranked` systems, everybody's and, where it is not one of them, itself; mean standardized score with low and
    high; rank among the entries with its rank set; `Standing` among everybody's. Over (pair, metric), pairs of entries:
    difference with low, high and p, which include that other systems might have standardized; on different collections
    gain_a and gain_b over the anchors, and `anchored`, their difference, with low, high and p. Over (fields, metric),
    pairs of collections: drift with low and high, how much lower the anchors, or without anchors the systems of one
    name in both, stand on the second; drift_systems counts them. Over (report) what `irmeta.studies.place.reported`
    says of published means: the percentile of each and of its baseline, with low and high for other topics, and the
    gain.
    Raises ScoresError for a collection without factors, for topics or metrics that the factors lack, and for scores
    that are standardized already. Sources: Webber, Moffat and Zobel (SIGIR 2008); Armstrong et al. (CIKM 2009).

    >>> from irmeta.scores.cube import cube
    >>> drawn, topics = np.random.default_rng(0).random((12, 8, 1)), [str(topic) for topic in range(8)]
    >>> everybody = cube(drawn, [f"s{i}" for i in range(12)], topics, ["AP"], collection="mine")
    >>> outcome = place(everybody.isel(system=[3]), on=everybody)
    >>> round(outcome["standardized"].item(), 3), round(outcome["percentile"].item(), 1)
    (0.614, 70.8)
    """
    require_share("the level", level, 0.95)
    generator, _ = seeded(rng)
    of_papers = None if published is None else read_published(published)
    if scores is None:
        if of_papers is None:
            raise ScoresError(
                "there is nothing to place; give scores, runs with --qrels, or published means with --published"
            )
        return _published_alone(of_papers, on, metrics, level, generator)
    if qrels is None:
        chosen = {"systems": systems, "topics": topics}
        cubes = {name: select(one, **chosen) for name, one in cubes_of(scores).items()}
    else:
        cubes = scored(scores, qrels, baseline, on, metrics, systems, topics, reading)
    if baseline is not None:
        name = baseline if qrels is None else run_name(baseline)
        baseline = baseline_of(name, cubes)
    placed = _among_everybody(cubes, on, metrics, missing)
    names = placed.metrics
    shared = everybody.shared_systems(placed.factors)
    named = anchors.names_of(anchor, list(placed.scores))
    places = anchors.places_of(named, placed.scores)
    figures = []
    for metric in names:
        found = placed.collections(metric)
        own = _figures(found, shared, level, generator)
        every = list(placed.factors.values())
        own |= anchors.figures(found, every, shared, places, level, metric)
        figures.append(own)
    # (entry, metric) or (pair, metric)
    data: dict[str, Any] = {
        name: (dim, np.stack([one[name] for one in figures], axis=1))
        for name, dim in _DIMS.items()
    }
    notes = placed.notes
    if of_papers is not None:
        reports, of_reports = reported.figures(
            of_papers, placed.known, metrics, level, generator
        )
        data |= reports
        notes = notes + of_reports
    options = {"baseline": baseline, "anchors": named, **placed.facts()}
    outcome = result(
        "place", data, inputs=placed.inputs(), options=options, notes=notes
    )
    return _labelled(outcome, placed.scores, names)


class _Placed(NamedTuple):
    """Scores to place among everybody's, whole and in one order, by collection.

    known : everybody's, as they were given.  factors : the same, as factors.
    alarms : why standardized scores may mislead.
    """

    metrics: list[str]
    scores: dict[str, xr.DataArray]
    known: dict[str, Known]
    factors: dict[str, xr.Dataset]
    notes: list[str]
    alarms: list[str]

    def collections(self, metric: str) -> list[Collection]:
        """Return the scores of each collection by a metric, beside everybody's."""
        return [
            everybody.collection_of(one, self.factors[name], self.known[name], metric)
            for name, one in self.scores.items()
        ]

    def inputs(self) -> dict[str, xr.DataArray]:
        """Return the scores with what intervals allow for: clusters, and runs where everybody's have topics."""
        by_topic = {
            name: with_other_runs(one)
            for name, one in self.scores.items()
            if not everybody.has_only_means(self.known[name])
        }
        used = self.scores | by_topic
        return {name: with_cluster_facts(one) for name, one in used.items()}

    def facts(self) -> dict[str, Any]:
        """Return what a result tells of everybody's systems."""
        factors = self.factors
        return {
            "factors": {name: one.attrs["digest"] for name, one in factors.items()},
            "alarms": self.alarms,
            "fields": {name: anchors.field_facts(one) for name, one in factors.items()},
            "on_both": anchors.count_on_both(factors),
        }


def _among_everybody(
    cubes: Mapping[str, xr.DataArray],
    on: Known | Mapping[str, Known] | None,
    metrics: str | Iterable[str] | None,
    missing: Missing,
) -> _Placed:
    """Put the scores of each collection beside everybody's on the same topics, without holes."""
    topics_of = {name: {*map(str, one.topic.values)} for name, one in cubes.items()}
    matched_on = matched_known(topics_of, on)
    for one in cubes.values():
        standardization.require_raw(one)
    given_on = everybody.known_by_collection(matched_on, list(cubes))
    every = {
        name: everybody.with_cutoff_served(one, cubes[name].metric.values)[0]
        for name, one in given_on.items()
    }
    names = everybody.shared_metrics(cubes, every, metrics)
    known, used, factors = dict[str, Known](), dict[str, xr.DataArray](), {}
    notes, alarms = list[str](), list[str]()
    for name, given in cubes.items():
        own, field, left_out = everybody.without_holes(
            given, every[name], names, missing
        )
        whole, said = complete(select(own, metrics=names), missing)
        one = everybody.as_known(whole, field)
        of_field = everybody.factors_of(field)
        said += left_out
        said += everybody.notes(one, of_field, field)
        said += everybody.with_cutoff_served(given_on[name], names)[1]
        notes += [f"{name}: {line}" for line in said]
        doubts = standardization.topic_doubts(one, of_field)
        alarms += [f"{name}: {line}" for line in doubts]
        known[name], used[name], factors[name] = field, one, of_field
    return _Placed(names, used, known, factors, notes, alarms)


def _published_alone(
    of_papers: Any,
    on: Known | Mapping[str, Known] | None,
    metrics: str | Iterable[str] | None,
    level: float,
    rng: np.random.Generator,
) -> xr.Dataset:
    """Place published means where there are no scores."""
    known = reported.fields(of_papers, on)
    placed, notes = reported.figures(of_papers, known, metrics, level, rng)
    options: dict[str, Any] = {"baseline": None, "alarms": [], "anchors": {}}
    return result("place", placed, inputs={}, options=options, notes=notes)


_DIMS = {
    **dict.fromkeys((*OWN, *Standing._fields), ("entry", "metric")),
    **dict.fromkeys((*PAIR, *ANCHORED), ("pair", "metric")),
    **dict.fromkeys(DRIFT, ("fields", "metric")),
}
"""The dimensions of each figure."""


def _figures(
    collections: Sequence[Collection],
    shared: Floats,
    level: float,
    rng: np.random.Generator,
) -> dict[str, Any]:
    """Compute all figures of one metric, (entry,) or (pair,). shared : as of `shared_systems`."""
    means, every, draws = _estimates(collections, shared, rng)
    low, high = np.clip(means.interval(level), 0, 1)  # as standardized scores are
    raw = np.concatenate([one.scores for one in collections])
    left, right = np.triu_indices(len(raw), 1)
    pairs = Estimate(*(part[left, right] for part in every))
    pair_low, pair_high = pairs.interval(level)
    stands = [
        standing.stand(one.own, one.versus(), one.everybody, level, rng)
        for one in collections
    ]
    automatic = [np.full(len(one.scores), one.automatic) for one in collections]
    places = [
        standing.ranks(one.scores, one.everybody, one.joins) for one in collections
    ]
    score_rank, ranked = np.concatenate(places, axis=1)
    return {
        "score": raw,
        "score_rank": score_rank,
        "ranked": ranked,
        "standardized": means.value,
        "low": low,
        "high": high,
        **_ranks(means.value, draws, level),
        **{
            name: np.concatenate([getattr(one, name) for one in stands])
            for name in Standing._fields
        },
        "difference": pairs.value,
        "difference_low": pair_low,
        "difference_high": pair_high,
        "p": pairs.p,
        "raw_difference": raw[left] - raw[right],
        "best_automatic": np.concatenate(automatic),
    }


def _estimates(
    collections: Sequence[Collection], shared: Floats, rng: np.random.Generator
) -> tuple[Estimate, Estimate, Floats | None]:
    """Return the means of all entries, their differences, and draws of the means; means alone have no errors."""
    placed = [one.placed for one in collections]
    spreads = [one.spread for one in collections]
    if all(spread.units for spread in spreads):
        draws = across.drawn(placed, spreads, shared, DRAWS, rng)
        return (
            across.means(placed, spreads),
            across.differences(placed, spreads, shared),
            draws,
        )
    if len(collections) > 1:
        raise ScoresError(
            "for one collection only the means of everybody's systems are known, which cannot be "
            "compared across collections; place the systems of each collection separately"
        )
    value = placed[0].scores[:, 0]
    difference = value[:, None] - value
    means, every = (
        Estimate(known, *np.full((2, *known.shape), np.nan))
        for known in (value, difference)
    )
    return means, every, None


def _ranks(means: Floats, draws: Floats | None, level: float) -> dict[str, Any]:
    """Rank the entries, each with its rank set; without draws of the means there are no sets."""
    rank = 1.0 + (means[:, None] < means - 1e-10).sum(axis=1)
    if draws is None:
        unknown = np.full(len(means), np.nan)
        return {"rank": rank, "rank_low": unknown, "rank_high": unknown}
    if len(means) < 2:
        return {"rank": rank, "rank_low": rank, "rank_high": rank}
    sets = rank_sets_of(means, draws, level=level)
    return {"rank": rank, "rank_low": sets.low, "rank_high": sets.high}


def _labelled(
    outcome: xr.Dataset, used: Mapping[str, xr.DataArray], metrics: Sequence[str]
) -> xr.Dataset:
    """Name entries, their pairs, and the pairs of fields."""
    entries = [
        (name, str(system))
        for name, one in used.items()
        for system in one.system.values
    ]
    names: Any = {
        "metric": list(metrics),
        "collection": ("entry", [name for name, _ in entries]),
        "system": ("entry", [system for _, system in entries]),
    }
    pairs = list(combinations(entries, 2))
    fields = list(combinations(used, 2))
    for at, side in enumerate("ab"):
        for part, what in enumerate(("collection", "system")):
            named = np.array([pair[at][part] for pair in pairs], dtype=object)
            names[f"{what}_{side}"] = ("pair", named)
        field = np.array([pair[at] for pair in fields], dtype=object)
        names[f"field_{side}"] = ("fields", field)
    return outcome.assign_coords(names)
