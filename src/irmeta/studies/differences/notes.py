"""Notes on tests of differences: what intervals hold, which p cannot be small, what a test asks."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import xarray as xr

from irmeta.measured.coverage import held
from irmeta.metrics.values import geometric
from irmeta.scores.attributes import REPEATS, about
from irmeta.scores.groups.clusters import (
    cluster_rejection_notes,
    contributions,
    coverage_of_means,
    right_or_wrong,
    unit_noun,
    unit_values,
)
from irmeta.scores.notes import Act, Method
from irmeta.stats.arrays import Bools, Floats
from irmeta.stats.tests import floors, multiplicity
from irmeta.stats.tests.comparing import Way
from irmeta.stats.tests.stepdown import FIXED
from irmeta.words import counted, listed

ASKED: Mapping[str, str] = {
    "wilcoxon": "whether the differences lie symmetrically around 0",
    "sign": "which of two systems wins on more {}s",
}
"""What a test asks that does not ask of means."""
LEVELS: Mapping[str, str] = {
    "t": "paired t test",
    "permutation": "permutation test",
    "max-t": "max-t test of all pairs",
}
"""Tests whose wrong rejections over clusters were measured, as they are listed there."""
OF_CLUSTERS: Mapping[str, Callable[[Floats, xr.DataArray], Floats]] = {
    "wilcoxon": unit_values,
    "sign": unit_values,
    "max-t": contributions,
    "permutation": contributions,
}
"""What tests take of clusters in the place of topics, but for values: their means, or sums, whose signs are random."""


def only_tests(figures: Mapping[str, Floats]) -> dict[str, Floats]:
    """Return p and corrected p alone: means and intervals are of clusters' values, not of what `OF_CLUSTERS` takes."""
    return {name: figures[name] for name in ("p", "p_corrected")}


def notes_on_tests(
    way: Way,
    scores: xr.DataArray,
    comparisons: int,
    differing: Sequence[Floats],
    called_so: Callable[[int], str] = str,
) -> list[str]:
    """Say what a test corrects and asks, and where no p can be small enough to be significant.

    comparisons : by one metric.  differing : by metric, on how many topics the systems of each comparison differ.
    called_so : gives the name of a comparison, by its place among them.
    """
    lines = _level_notes(way, scores)
    topics = scores.sizes["topic"]
    if way.least(topics, comparisons) >= way.needed(comparisons):
        lines.append(
            _few_topics_note(way, topics, comparisons, f"{unit_noun(scores)}s")
        )
    elif way.test in floors.SIGNED:
        metrics = [str(name) for name in scores.metric.values]
        lines += _tie_notes(way, dict(zip(metrics, differing, strict=False)), called_so)
    if way.test in ASKED:
        lines.append(
            f"{way.test} tests {ASKED[way.test].format(unit_noun(scores))}, not whether two means differ"
        )
    if logs := ", ".join(geometric(scores.metric.values)):
        lines.append(
            f"{logs}: means are geometric, so differences are between means of natural logarithms"
        )
    return lines


def at_bound(outcome: xr.Dataset) -> xr.DataArray:
    """Say of each comparison whether its p is the smallest that the resamples allow: p itself may be smaller.

    Where the test corrects, it is the corrected p; else its own p, however it is corrected.
    """
    facts = about(outcome)
    options = facts["options"]
    test = "dunnett" if options.get("correct") == "dunnett" else options["test"]
    p = outcome["p_corrected" if test in ("max-t", "tukey", "dunnett") else "p"]
    topics = min(size["topics"] for size in facts["inputs"]["collections"].values())
    # max-t of a comparison by itself draws none
    least = floors.of_resamples(test, options.get("resamples") or FIXED, topics)
    return abs(p - least) <= least * 1e-9


def _level_notes(way: Way, scores: xr.DataArray) -> list[str]:
    """Say how often Tukey's test, or one over clusters, rejects wrongly, where that was measured to be too often."""
    if way.test == "tukey":
        size = {"systems": scores.sizes["system"], "topics": scores.sizes["topic"]}
        found = held("randomised Tukey HSD", **size)
        said = f"Tukey's test called a difference of equal systems significant in {found} (5% promised); use max-t."
        return [said] * found.broken
    if way.test not in LEVELS:
        return []
    return cluster_rejection_notes(scores, LEVELS[way.test], f"{way.test} test")


def _few_topics_note(way: Way, topics: int, comparisons: int, noun: str) -> str:
    """Say why nothing can be significant, and what to use instead."""
    test = way.joint or way.test
    needed = way.needed(comparisons)
    enough = f"use {_topics_for(needed)} {noun} or more, or --test t"
    least, drawn = way.least(topics, comparisons), way.drawn(comparisons)
    if floors.of_topics(test, topics) >= needed:
        why = f"for {test} on {topics} {noun}"
        drawing = test in floors.RESAMPLED
        better = f"{enough}; more resamples do not help" if drawing else enough
    elif drawn is None:
        why, better = f"with the {FIXED} signs of one comparison", "use --test t"
    else:
        why = f"with {drawn} resamples"
        better = f"use {int(np.ceil(1 / needed))} resamples"
    needs = f"alpha is {way.alpha:g}"
    if needed < way.alpha:
        needs = (
            f"{way.correct}'s correction for {counted(comparisons, 'comparison')} "
            f"needs less than {needed:.2g}"
        )
        if least < way.alpha:
            better += ", or --correct bh"
    return Act(
        f"{why} no p is below {least:.2g}, and {needs}: nothing can be significant; "
        f"{better}"
    )


def _topics_for(needed: float) -> int:
    """Return the smallest number n of topics with 2 / 2^n below what is needed."""
    return int(np.floor(np.log2(2 / needed))) + 1


def _tie_notes(
    way: Way, differing: Mapping[str, Floats], called_so: Callable[[int], str]
) -> list[str]:
    """Name the tests by signs of systems that differ on so few topics that p cannot be small enough."""
    blind = []
    for metric, counts in differing.items():
        # no p is below its floor, and then none is below the floor when both are corrected
        least = multiplicity.corrected(floors.of_topics(way.test, counts), way.correct)
        by = f" by {metric}" if len(differing) > 1 else ""
        # systems that are the same on every topic differ by no test
        too_few = (least >= way.alpha) & (np.asarray(counts) > 0)
        blind += [f"{called_so(at)}{by}" for at in np.flatnonzero(too_few).tolist()]
    if not blind:
        return []
    return [
        Act(
            f"{counted(len(blind), 'test')} cannot be significant ({listed(blind, 3)}): the two systems differ on so "
            f"few topics that {way.test} has no p that is small enough; --test t has no such limit"
        )
    ]


def notes_on_intervals(way: Way, scores: xr.DataArray, noun: str) -> list[str]:
    """Say that intervals hold each by itself, by what distribution, and how often such intervals held.

    noun : for what is compared, as in each pair.
    """
    binary = right_or_wrong(scores)
    lines: list[str] = [
        Method(
            f"{1 - way.alpha:.0%} intervals of the differences in mean are meant to hold for each {noun} by itself (by "
            f"{_distribution_name(binary)})"
        )
    ]
    promise = "a difference by itself"
    if binary.all():
        promise = "a difference of scores of 0 and 1"
    if {"standardization", "clusters"} <= about(scores).keys():
        promise = "difference of standardized scores"
    found = coverage_of_means(scores, promise, _run_promises(scores))
    return lines + found.said("Such a 95% interval")


def _distribution_name(binary: Bools) -> str:
    """Name what intervals of differences are by, of metrics some of which are 0 or 1 on all topics."""
    added = "a topic more, half of it to each system"
    if binary.all():
        return added
    if binary.any():
        return f"Student's t; {added}, where scores are 0 or 1"
    return "Student's t"


def _run_promises(scores: xr.DataArray) -> str:
    """Name what was measured of differences of means of runs, or of judges.

    Over clusters it is not known of standardized ones, nor of judges.
    """
    known = about(scores)
    standardized = "standardization" in known and "clusters" not in known
    if "judges" in known.get(REPEATS, {}) and "clusters" not in known:
        return "difference by several judges"
    kind = "standardized means" if standardized else "means"
    return f"difference of {kind} of runs"


def equivalence_notes(margin: float | None, scores: xr.DataArray) -> list[str]:
    """Say, where a margin is asked for, how often pairs are called equivalent wrongly if that is too often."""
    if margin is None:
        return []
    size = {"systems": scores.sizes["system"], "topics": scores.sizes["topic"]}
    promises = "equivalence of all pairs, Holm", "equivalence at the margin"
    called = held(*promises, **size)
    if not called.broken:
        return []
    return [
        f"Pairs that differ by more were called equivalent in {called} (5% promised)."
    ]


def constant_difference_notes(effect_size: Floats, low: Floats) -> list[str]:
    """Say in how many tests the differences are the same on every topic, and what there is in place of t.

    effect_size, low : of differences, of any shape; infinite, and NaN, where differences do not vary.

    >>> constant_difference_notes(np.array([0.5, 0.0]), np.array([-0.1, np.nan]))
    ['In 1 test the systems differ by the same amount on every topic, or not at all, so there is no interval.']
    """
    still = int(np.isnan(low).sum())
    constant = int(np.isinf(effect_size).sum())
    lines = []
    if still:
        lines.append(
            f"In {counted(still, 'test')} the systems differ by the same amount on every topic, "
            "or not at all, so there is no interval."
        )
    if constant:
        lines.append(
            f"In {counted(constant, 'test')} one system is better by the same amount on every "
            "topic: there t and the bootstrap are undefined and p is that of the sign test, 2/2^n "
            "for n topics; effect_size is infinite (null in JSON)."
        )
    return lines
