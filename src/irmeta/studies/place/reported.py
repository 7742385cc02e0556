"""Means that papers report, among everybody: where each stands, and how strong the baseline of a claim is."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from irmeta.errors import ScoresError
from irmeta.io.tables.published import Published, Reported
from irmeta.metrics.names import found_as, metric_names
from irmeta.scores.result import ends
from irmeta.stats.arrays import Floats
from irmeta.stats.standardizing import reported as alone
from irmeta.stats.standardizing.standing import Everybody
from irmeta.studies.place import everybody
from irmeta.studies.place.everybody import Known
from irmeta.studies.place.given import InOrder, matched_known
from irmeta.words import counted, listed

PREFIX = "reported_"
"""How the figures of reports are called in a result, beside those of systems."""
NAMES = ("paper", "year", "system", "collection", "metric")
FIGURES = (
    "mean",
    *ends("percentile"),
    "others",
    "median_score",
    "best_score",
    "reaches_best",
    "baseline_mean",
    *ends("baseline_percentile"),
    "baseline_below_median",
    "gain",
)
"""Figures of a report; NaN where it has no baseline."""


def fields(
    published: Published, on: Known | Mapping[str, Known] | None
) -> dict[str, Known]:
    """Return what is known of everybody's systems on the collections that papers report of."""
    named = list(dict.fromkeys(row.collection for row in published.rows))
    if on is None and not all(named):
        raise ScoresError(
            "the published means do not name their collection; name its systems with --on, or fill in a column "
            "collection"
        )
    given: Any = on
    if on is None:
        given = matched_known({name: set() for name in named}, None)
    if isinstance(given, InOrder):
        given = {Path(name).stem: one for name, one in given.items()}
    names = list(given) if isinstance(given, Mapping) else ["collection"]
    if not isinstance(given, dict):
        names = [str(given.attrs.get("collection", "collection"))]
    return everybody.known_by_collection(given, names)


def figures(
    published: Published,
    known: Mapping[str, Known],
    metrics: str | Iterable[str] | None,
    level: float,
    rng: np.random.Generator,
) -> tuple[dict[str, Any], list[str]]:
    """Return the figures of all reports, (report,), and notes on those left out; a baseline stands as its system does.

    The best system of the time is the best of the collection's and of those that papers of earlier years report.
    """
    rows, notes = _usable_reports(published, known, metrics)
    columns: dict[str, list[Any]] = {
        name: [getattr(row, name) for row in rows] for name in (*NAMES, "baseline")
    }
    values = np.full((len(rows), len(FIGURES)), np.nan)
    for name, one in known.items():
        served, _ = everybody.with_cutoff_served(one, {row.metric for row in rows})
        factors = everybody.factors_of(served)
        topics = factors.sizes["topic"]
        for metric in dict.fromkeys(row.metric for row in rows):
            at = [
                place
                for place, row in enumerate(rows)
                if (row.collection, row.metric) == (name, metric)
            ]
            if at:
                every = everybody.everybody_of(factors, served, metric)
                own = [rows[place] for place in at]
                values[at] = _placed_reports(own, every, topics, level, rng)
    data: dict[str, Any] = {
        PREFIX + name: ("report", np.array(column, dtype=object))
        for name, column in columns.items()
        if name != "year"
    }
    data[f"{PREFIX}year"] = ("report", np.array(columns["year"], dtype=np.float64))
    data |= {
        PREFIX + name: ("report", values[:, at]) for at, name in enumerate(FIGURES)
    }
    return data, notes


def _usable_reports(
    published: Published,
    known: Mapping[str, Known],
    metrics: str | Iterable[str] | None,
) -> tuple[list[Reported], list[str]]:
    """Return the reports on these collections by metrics that are known there, by the names that they have there."""
    nameless = sum(not row.collection for row in published.rows)
    if nameless and len(known) > 1:
        raise ScoresError(
            f"{counted(nameless, 'published mean')} without a collection, and there are {len(known)} "
            f"({', '.join(known)}); fill in the column collection"
        )
    wanted = None if metrics is None else set(metric_names(metrics))
    rows, notes = list[Reported](), list(published.notes)
    strange = Counter[str]()  # reports by why they are left out
    for row in published.rows:
        name = _collection(row, known)
        if name is None:
            what = f"on {row.collection}, whose systems --on does not name"
        else:
            served, _ = everybody.with_cutoff_served(known[name], [row.metric])
            metric = found_as(row.metric, map(str, served.metric.values))
            if wanted is not None and not {row.metric, metric} & wanted:
                continue
            if metric is not None:
                rows.append(row._replace(collection=name, metric=metric))
                continue
            what = f"by {row.metric}, which {name} lacks"
        strange[what] += 1
    lacks = [
        f"{counted(n, 'published mean')} left out: {what}"
        for what, n in strange.items()
    ]
    if not rows:
        held = {str(one) for there in known.values() for one in there.metric.values}
        raise ScoresError(
            f"no published mean is on {listed(known)} by a metric asked for and known there, {listed(sorted(held))}"
            + "".join(f"; {line}" for line in lacks)
        )
    notes += lacks
    return rows, notes


def _collection(row: Reported, known: Mapping[str, Known]) -> str | None:
    """Return the collection that a mean is reported of, by either of its names; None for one that is not known."""
    if not row.collection and len(known) == 1:
        return next(iter(known))
    for name, one in known.items():
        if row.collection and row.collection in (name, one.attrs.get("collection")):
            return name
    return None


def _placed_reports(
    rows: Sequence[Reported],
    every: Everybody,
    topics: int,
    level: float,
    rng: np.random.Generator,
) -> Floats:
    """Return the figures of reports on one collection by one metric, (report, figure), in the order of `FIGURES`."""
    mean, theirs, within = (
        np.array([getattr(row, name) for row in rows])
        for name in ("mean", "baseline_mean", "within")
    )
    both, twice = np.concatenate([mean, theirs]), np.tile(within, 2)
    known = ~np.isnan(both)
    claimed = known[len(rows) :]
    placed = np.full((3, both.size), np.nan)  # percentiles and their ends
    placed[:, known] = alone.placed(
        both[known], twice[known], every, topics, level, rng
    )
    own, baselines = np.split(placed, 2, axis=1)
    median = np.full(len(rows), np.median(every.mean))
    best = _best_known_means(rows, every)
    below = np.where(claimed, theirs < median - within, np.nan)
    others = np.full(len(rows), every.mean.size)
    columns = [mean, *own, others, median, best, mean >= best - within]
    return np.stack([*columns, theirs, *baselines, below, mean - theirs], axis=1)


def _best_known_means(rows: Sequence[Reported], every: Everybody) -> Floats:
    """Return the best mean that was known when each paper appeared."""
    start = float(every.mean.max())
    earlier = [[one.mean for one in rows if one.year < row.year] for row in rows]
    return np.array([max([start, *means]) for means in earlier])
