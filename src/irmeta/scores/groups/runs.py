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
    each = dict(zip(systems, counts.tolist(), strict=True))
    facts = {
        "systems": int((counts > 1).sum()),
        "runs": int(counts[counts > 1].sum()),
        "alone": [name for name, count in each.items() if count == 1],
        "each": each,
    }
    lacking = np.unique(system_of[np.isnan(scores).any(axis=(1, 2))])
    kept = ~np.isin(system_of, lacking)
    known, number = np.unique(system_of[kept], return_inverse=True)
    units = _unit_scores(scores[kept], cluster)
    if len(number) == len(known) or units.shape[1] < 2:
        return {**facts, "metrics": {}}
    spread = repeats.spread(units, number, judge)
    parts = _strata_by_source(scores[kept], number, cluster, judge)
    by_metric = {}
    for at, metric in enumerate(metrics):
        by_metric[metric] = {
            "run": float(spread.run[at]),
            "cell": float(spread.cell[at]),
            "freedom": spread.freedom,
            "topics": spread.topics,
            "parts": {
                who: {what: float(variance[at]) for what, variance in part.items()}
                for who, part in parts.items()
            },
        }
    return {**facts, "metrics": by_metric}


def spread_of(
    facts: Mapping[str, Any], metrics: Sequence[str]
) -> repeats.Spread | None:
    """Return how runs differ by some metrics; None where that is not known of each."""
    known = [facts["metrics"].get(name, {}) for name in metrics]
    if not known or not all("run" in of_metric for of_metric in known):
        return None
    run = np.array([of_metric["run"] for of_metric in known])
    cell = np.array([of_metric["cell"] for of_metric in known])
    return repeats.Spread(run, cell, known[0]["freedom"], known[0]["topics"])


def rescaled_run_facts(
    facts: Mapping[str, Any], slopes: Mapping[str, tuple[str, float]]
) -> dict[str, Any]:
    """Say how runs differ by metrics on another scale.

    slopes : by metric its new name, and how far its means move with its scores.
    """
    by_metric = {}
    for name, (new_name, slope) in slopes.items():
        known = facts["metrics"].get(name, {})
        if "run" in known:
            by_metric[new_name] = {
                **known,
                "run": known["run"] * slope**2,
                "cell": known["cell"] * slope**2,
                "parts": {
                    who: {what: slope**2 * variance for what, variance in part.items()}
                    for who, part in known.get("parts", {}).items()
                },
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
    known = [facts["metrics"].get(name, {}).get("parts") for name in metrics]
    if not all(known):
        return None
    every = [part for parts in known for part in parts.values()]
    if any(clusters != ("cluster" in part) for part in every):
        return None
    return {
        who: sources.Strata._make(
            np.array([parts[who].get(what, 0.0) for parts in known])
            for what in sources.Strata._fields
        )
        for who in known[0]
    }


def _strata_by_source(
    scores: Floats, system: Ints, cluster: Ints | None, judge: Ints | None
) -> dict[str, dict[str, Floats]]:
    """Return what runs of one system, or judges and systems before them, vary by: (run, topic, metric)."""
    with np.errstate(all="ignore"):  # of scores that no study takes
        if judge is None:
            strata = {"run": sources.of_runs(scores, system, cluster)}
        else:
            judges, both = sources.of_judges(scores, judge, system, cluster)
            strata = {"judge": judges, "system x judge": both}
    parts = {who: stratum._asdict() for who, stratum in strata.items()}
    if cluster is None:
        for variances in parts.values():
            del variances["cluster"]
    return parts


def _unit_scores(scores: Floats, cluster: Ints | None) -> Floats:
    """Return the scores (run, unit, metric) of what is independent: topics, or clusters of them."""
    if cluster is None:
        return scores
    values = clusters.pseudo_values(np.moveaxis(scores, 1, -1), cluster)
    return np.moveaxis(values, -1, 1)
