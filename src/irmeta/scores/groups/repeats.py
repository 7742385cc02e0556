"""Systems that do not answer twice the same: several runs of one system, and what they add to the error of its mean."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr

from irmeta.errors import ScoresError
from irmeta.scores.attributes import REPEATS, about, recorded
from irmeta.scores.averages.means import additive, from_additive
from irmeta.scores.cube import check
from irmeta.scores.groups.clusters import cluster_numbers, in_clusters, unit_noun
from irmeta.scores.groups.runs import (
    mean_over_runs,
    numbered_systems,
    run_facts,
    runs_of,
    spread_of,
)
from irmeta.scores.groups.teams import STEM, stem
from irmeta.stats.arrays import Floats
from irmeta.stats.halves import repeats
from irmeta.words import are, counted, listed


def with_repeats(scores: xr.DataArray, runs: Mapping[str, str] | str) -> xr.DataArray:
    """Return a cube of systems, each the mean of its runs by topic; intervals then allow for other runs, too.

    scores : a cube whose systems are runs. Intervals are narrower if the clusters of its topics are named before
    (`with_clusters`).
    runs : the system of each run by name, or "stem": a run's name begins with its system, up to its last hyphen,
    underscore or full stop (e5_1 and e5_2 are of e5). A run that is not named is a system by itself.
    A topic's score is the mean of the runs that have one. A system of one run counts as one that never varies.
    Raises ScoresError where no system has several runs.

    >>> from irmeta.scores.cube import cube
    >>> made = cube([[[0.1], [0.3]], [[0.3], [0.5]], [[0.2], [0.4]]], ["e5_1", "e5_2", "bm25"], ["1", "2"], ["AP"])
    >>> both = with_repeats(made, "stem")
    >>> both.system.values.tolist(), both.sel(system="e5").values.ravel().round(3).tolist()
    (['e5', 'bm25'], [0.2, 0.4])
    """
    scores = check(scores)
    if REPEATS in about(scores):
        raise ScoresError("these systems are means of several runs already")
    names = [str(name) for name in scores.system.values]
    if isinstance(runs, str):
        if runs != STEM:
            raise ScoresError(
                f"repeats={runs!r}: expected a table of runs and systems, or {STEM!r}"
            )
        systems = [stem(name) for name in names]
    else:
        systems = [str(runs.get(name, name)) for name in names]
    order, system_of = numbered_systems(systems)
    line = additive(scores)
    firsts = np.unique(system_of, return_index=True)[1]
    made = line.isel(system=firsts).copy(data=mean_over_runs(line.values, system_of))
    cluster = cluster_numbers(scores)[1] if in_clusters(scores) else None
    metrics = [str(name) for name in scores.metric.values]
    facts = run_facts(line.values, system_of, order, metrics, cluster)
    return (
        from_additive(made)
        .assign_coords(system=np.array(order, dtype=object))
        .assign_attrs(recorded({REPEATS: facts}))
    )


def with_judges(cubes: Mapping[str, xr.DataArray]) -> xr.DataArray:
    """Return the mean of several judges' scores; intervals of differences then allow for another judge, too.

    cubes : by judge, at least 2, the scores of the same systems on the same topics by the same metrics. What a judge
    does to all systems alike is in no difference, and intervals of means do not allow for it.
    Raises ScoresError where a judge lacks a system, a topic, a metric or a score.

    >>> from irmeta.scores.cube import cube
    >>> seen = {"a": [[[0.1], [0.3]], [[0.2], [0.6]]], "b": [[[0.3], [0.5]], [[0.2], [0.6]]]}
    >>> made = with_judges({name: cube(one, ["bm25", "e5"], ["1", "2"], ["AP"]) for name, one in seen.items()})
    >>> made.sel(system="bm25").values.ravel().round(3).tolist()
    [0.2, 0.4]
    """
    if len(cubes) < 2:
        raise ScoresError("a mean over judges takes the scores of at least 2 judges")
    checked = {str(name): check(scores) for name, scores in cubes.items()}
    _require_same_cells(checked)
    first = next(iter(checked.values()))
    lines = [additive(scores.sel(first.coords)).values for scores in checked.values()]
    judges, systems = len(lines), first.sizes["system"]
    cluster = cluster_numbers(first)[1] if in_clusters(first) else None
    facts = run_facts(
        np.concatenate(lines),
        np.tile(np.arange(systems), judges),
        [str(name) for name in first.system.values],
        [str(name) for name in first.metric.values],
        cluster,
        np.repeat(np.arange(judges), systems),
    )
    made = from_additive(first.copy(data=np.mean(lines, axis=0)))
    of_judges = {**facts, "judges": list(checked)}
    named = {"collection": f"{judges} judges", REPEATS: of_judges}
    return made.assign_attrs(recorded(named))


def _require_same_cells(cubes: Mapping[str, xr.DataArray]) -> None:
    """Raise ScoresError unless all judges, by name, score every cell of the same systems, topics and metrics."""
    first_name, first = next(iter(cubes.items()))
    for name, scores in cubes.items():
        if REPEATS in about(scores):
            raise ScoresError(f"{name}: its systems are means of several runs already")
        for dim in first.dims:
            lacking = first.indexes[dim].symmetric_difference(scores.indexes[dim])
            if len(lacking):
                raise ScoresError(
                    f"{first_name} and {name} do not have the same {dim}s: {listed(lacking)} only one of them has"
                )
        if scores.isnull().any():
            raise ScoresError(f"{name} lacks scores; a mean over judges needs all")


def run_facts_of(parts: Sequence[xr.DataArray], made: xr.DataArray) -> dict[str, Any]:
    """Return as attributes what to say of runs where cubes became one: what one said, if all its scores are as before.

    Its systems then have the intervals that they had, and those of the others count as never varying. Otherwise
    intervals do not know of runs.
    """
    told = [scores for scores in parts if REPEATS in about(scores)]
    if not told:
        return {}
    facts = [about(scores)[REPEATS] for scores in told]
    first = facts[0]
    several = set(told[0].system.values) - set(first["alone"])
    alone = [str(name) for name in made.system.values if name not in several]
    known = len(told) == 1 and "judges" not in first
    if known and _unchanged(told[0], made):
        return recorded({REPEATS: {**first, "alone": alone}})
    both = {
        "systems": sum(part["systems"] for part in facts),
        "runs": sum(part["runs"] for part in facts),
        "each": {name: runs for part in facts for name, runs in part["each"].items()},
        "metrics": {},
    }
    return recorded({REPEATS: {**first, **both}})


def _unchanged(scores: xr.DataArray, made: xr.DataArray) -> bool:
    """Return whether a larger cube has the same topics and, of these systems, the same scores."""
    if set(scores.topic.values) != set(made.topic.values):
        return False
    return bool(scores.equals(made.sel(scores.coords)))


def by_runs(units: xr.DataArray) -> tuple[xr.DataArray, list[str]]:
    """Move scores by topic, or by cluster, so that intervals hold for other runs, too; other cubes stay as they are.

    Means of systems and of topics stay, too. Returns a note on what would make intervals narrower.
    """
    facts = about(units).get(REPEATS)
    if facts is None or facts.get("in_intervals") or units.isnull().any():
        return units, []
    metrics = [str(name) for name in units.metric.values]
    systems = [str(name) for name in units.system.values]
    spread = spread_of(facts, metrics)
    line = additive(units).transpose("system", "topic", "metric").values
    if spread is None or line.shape[1] < 2:
        return units, []
    found = repeats.widened(line, runs_of(facts, systems), spread)
    common = _additive_fit(line)
    moved = found.factor[:, None] * (line - common)
    made = _with_additive_scores(units, common + moved - moved.mean(axis=0))
    by_name = {}
    for metric, factors in zip(metrics, found.factor.T.tolist(), strict=True):
        by_name[metric] = dict(zip(systems, factors, strict=True))
    nouns = ("system", unit_noun(units))
    told = recorded({REPEATS: {**facts, "in_intervals": by_name}})
    return made.assign_attrs(told), [runs_sentence(facts, found, metrics[0], nouns)]


def with_other_runs(scores: xr.DataArray) -> xr.DataArray:
    """Return a cube that says that intervals allow for other runs, if it says how runs differ."""
    facts = about(scores).get(REPEATS)
    if not facts or not facts["metrics"]:
        return scores
    return scores.assign_attrs(recorded({REPEATS: {**facts, "in_intervals": True}}))


def unmoved_scores(units: xr.DataArray) -> xr.DataArray:
    """Return the scores by topic, or by cluster, as they were before `by_runs` moved them."""
    moved_by = about(units).get(REPEATS, {}).get("in_intervals")
    if not moved_by:
        return units
    systems = [str(name) for name in units.system.values]
    by_metric = [moved_by[str(name)] for name in units.metric.values]
    factors = [[by_system[name] for by_system in by_metric] for name in systems]
    factor = np.array(factors)[:, None]
    line = additive(units).transpose("system", "topic", "metric").values
    common = _additive_fit(line)
    moved = line - common
    # what was taken away on each topic, so that the sum over systems is 0
    taken = -(moved / factor).sum(axis=0) / (1 / factor).sum(axis=0)
    return _with_additive_scores(units, common + (moved + taken) / factor)


def _additive_fit(line: Floats) -> Floats:
    """Return what systems' and topics' means make up of additive scores, (system, topic, metric)."""
    common: Floats = line.mean(axis=1, keepdims=True)
    if len(line) > 1:
        common = common + line.mean(axis=0) - line.mean(axis=(0, 1))
    return common


def _with_additive_scores(units: xr.DataArray, line: Floats) -> xr.DataArray:
    """Return a cube with other additive scores, (system, topic, metric)."""
    in_order = units.transpose("system", "topic", "metric")
    return from_additive(in_order.copy(data=line)).transpose(*units.dims)


def runs_sentence(
    facts: Mapping[str, Any],
    widened: repeats.Widened,
    what: str,
    nouns: tuple[str, str],
) -> str:
    """Say what a system is the mean of, what runs do to differences, and what would make intervals narrower.

    what : the metric, the first of `widened`.  nouns : what systems and topics are called.
    """
    share = 100 * widened.share[0]
    runs = 100 * (1 - widened.more_runs[0])
    topics = 100 * (1 - widened.more_topics[0])
    who = "judge" if "judges" in facts else "run"
    return (
        f"{_sources_phrase(facts, nouns[0])}. Other {who}s cause {share:.0f}% of the variance of differences by "
        f"{what}: twice as many {who}s would make intervals {runs:.0f}% narrower; twice as many {nouns[1]}s, over "
        f"which what a {who} does on one {nouns[1]} averages out, too, {topics:.0f}%."
    )


def _sources_phrase(facts: Mapping[str, Any], system: str) -> str:
    """Say whose runs or judgments a mean is of, and what intervals allow for."""
    if "judges" in facts:
        judges = counted(len(facts["judges"]), "judge")
        return f"Scores are means over {judges}, and intervals of differences allow for other judges"
    alone = facts["alone"]
    several = facts["systems"]
    text = (
        f"{counted(several, system)} {'has' if several == 1 else 'have'} several runs ({facts['runs']} in all): each "
        "is the mean of its runs, and intervals allow for other runs"
    )
    if not alone:
        return text
    counts = "counts" if len(alone) == 1 else "count"
    return f"{text}; {listed(alone)}, of one run, {counts} as never varying"


def notes_on_runs(described: Mapping[str, Any]) -> list[str]:
    """Note that intervals do not know of runs, where a result says of a cube that its systems are means of several."""
    facts = described.get(REPEATS)
    if facts is None or facts.get("in_intervals"):
        return []
    if "judges" in facts:
        judges = counted(len(facts["judges"]), "judge")
        return [
            f"Scores are means over {judges}; intervals do not know that other judges would differ."
        ]
    return [
        f"{counted(facts['systems'], 'system')} {are(facts['systems'])} the mean of several runs; "
        "intervals do not know that other runs would differ."
    ]
