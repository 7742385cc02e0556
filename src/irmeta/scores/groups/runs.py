"""Several runs of one system as arrays: their means by topic, and how runs differ."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from irmeta.errors import ScoresError
from irmeta.stats.arrays import Floats, Ints
from irmeta.stats.halves import clusters, repeats
from irmeta.stats.reliability import sources
from irmeta.words import counted, listed


def numbered_systems(systems: Sequence[str]) -> tuple[list[str], Ints]:
    """Return the systems of runs, each once, and the number of each run's; ScoresError where none has several runs.

    >>> numbered_systems(["e5", "bm25", "e5"])
    (['e5', 'bm25'], array([0, 1, 0]))
    """
    order = list(dict.fromkeys(systems))
    if len(order) == len(systems):
        raise ScoresError(
            f"no system has several runs: {counted(len(order), 'run')} are of as many systems, such as "
            f"{listed(order)}"
        )
    place = {name: at for at, name in enumerate(order)}
    return order, np.array([place[name] for name in systems])


def mean_over_runs(scores: Floats, system_of: Ints) -> Floats:
    """Average scores (run, topic, metric) over the runs of each system that have one; NaN where none has."""
    shape = (int(system_of.max()) + 1, *scores.shape[1:])
    held = ~np.isnan(scores)
    counts, sums = np.zeros(shape), np.zeros(shape)
    np.add.at(counts, system_of, held)
    np.add.at(sums, system_of, np.where(held, scores, 0.0))
    means = np.full(shape, np.nan)
    np.divide(sums, counts, out=means, where=counts > 0)
    return means


def run_facts(
    scores: Floats,
    system_of: Ints,
    systems: Sequence[str],
    metrics: Sequence[str],
    cluster: Ints | None = None,
    judge: Ints | None = None,
) -> dict[str, Any]:
    """Say what systems are means of, and by metric how runs of one system differ.

    scores : (run, topic, metric).  system_of : (run,), the number of each run's system.
    cluster : (topic,), if they have any.  judge : (run,), where runs are answers as several judges see them; none then
    lacks a score.
    What runs add is learned from systems that lack no score; nothing is said by metric where each of these has one run.
    """
    counts = np.bincount(system_of)
    facts = {
        "systems": int((counts > 1).sum()),
        "runs": int(counts[counts > 1].sum()),
        "alone": [
            name for name, count in zip(systems, counts, strict=True) if count == 1
        ],
        "each": dict(zip(systems, counts.tolist(), strict=True)),
    }
    lacking = np.unique(system_of[np.isnan(scores).any(axis=(1, 2))])
    kept = ~np.isin(system_of, lacking)
    known, number = np.unique(system_of[kept], return_inverse=True)
    units = _unit_scores(scores[kept], cluster)
    if len(number) == len(known) or units.shape[1] < 2:
        return {**facts, "metrics": {}}
    found = repeats.spread(units, number, judge)
    parts = _strata_by_source(scores[kept], number, cluster, judge)
    by_metric = {
        metric: {
            "run": float(found.run[at]),
            "cell": float(found.cell[at]),
            "freedom": found.freedom,
            "topics": found.topics,
            "parts": {
                who: {what: float(one[at]) for what, one in part.items()}
                for who, part in parts.items()
            },
        }
        for at, metric in enumerate(metrics)
    }
    return {**facts, "metrics": by_metric}


def spread_of(
    facts: Mapping[str, Any], metrics: Sequence[str]
) -> repeats.Spread | None:
    """Return how runs differ by some metrics; None where that is not known of each."""
    found = [facts["metrics"].get(name) for name in metrics]
    if not found or not all(one and "run" in one for one in found):
        return None
    run, cell = (np.array([one[name] for one in found]) for name in ("run", "cell"))
    return repeats.Spread(run, cell, found[0]["freedom"], found[0]["topics"])


def rescaled_run_facts(
    facts: Mapping[str, Any], slopes: Mapping[str, tuple[str, float]]
) -> dict[str, Any]:
    """Say how runs differ by metrics on another scale.

    slopes : by metric its new name, and how far its means move with its scores.
    """
    by_metric = {
        named: {
            **one,
            "run": one["run"] * slope**2,
            "cell": one["cell"] * slope**2,
            "parts": {
                who: {what: slope**2 * variance for what, variance in part.items()}
                for who, part in one.get("parts", {}).items()
            },
        }
        for name, (named, slope) in slopes.items()
        if "run" in (one := facts["metrics"].get(name, {}))
    }
    return {**facts, "metrics": by_metric}


def runs_of(facts: Mapping[str, Any], systems: Sequence[str]) -> Floats:
    """Return how many runs each system is the mean of."""
    return np.array([facts["each"].get(name, 1) for name in systems], dtype=np.float64)


def strata_of(
    facts: Mapping[str, Any], metrics: Sequence[str], *, clusters: bool
) -> dict[str, sources.Strata] | None:
    """Return what runs, or judges, vary by, of some metrics; None where that is not known of each.

    clusters : topics come in clusters, which must have been named before the runs were.
    """
    found = [facts["metrics"].get(name, {}).get("parts") for name in metrics]
    if not all(found):
        return None
    if any(clusters != ("cluster" in part) for one in found for part in one.values()):
        return None
    return {
        who: sources.Strata._make(
            np.array([one[who].get(what, 0.0) for one in found])
            for what in sources.Strata._fields
        )
        for who in found[0]
    }


def _strata_by_source(
    scores: Floats, system: Ints, cluster: Ints | None, judge: Ints | None
) -> dict[str, dict[str, Floats]]:
    """Return what runs of one system, or judges and systems before them, vary by: (run, topic, metric)."""
    with np.errstate(all="ignore"):  # of scores that no study takes
        if judge is None:
            found = {"run": sources.of_runs(scores, system, cluster)}
        else:
            judges, both = sources.of_judges(scores, judge, system, cluster)
            found = {"judge": judges, "system x judge": both}
    return {
        who: {
            what: one
            for what, one in part._asdict().items()
            if what != "cluster" or cluster is not None
        }
        for who, part in found.items()
    }


def _unit_scores(scores: Floats, cluster: Ints | None) -> Floats:
    """Return the scores (run, unit, metric) of what is independent: topics, or clusters of them."""
    if cluster is None:
        return scores
    values = clusters.pseudo_values(np.moveaxis(scores, 1, -1), cluster)
    return np.moveaxis(values, -1, 1)
