"""What scores can show: the values that a metric can take, and what differences that do not vary, or hardly, cannot."""

from collections.abc import Sequence

import numpy as np
import xarray as xr

from irmeta.measured.coverage import Held, held
from irmeta.metrics.names import highest
from irmeta.scores.attributes import about
from irmeta.scores.means import geometric
from irmeta.stats.arrays import Floats
from irmeta.stats.tests import floors, multiplicity
from irmeta.words import counted


def limits(scores: xr.DataArray) -> tuple[Floats, Floats]:
    """Return the lowest and the highest score that each metric can take: (metric,), infinite where it has no bound.

    Metrics that irmeta does not know have none, nor have standardized scores, nor a metric some of whose scores lie
    beyond its own bounds.

    >>> from irmeta.scores.cube import cube
    >>> low, high = limits(cube([[[0.1, 3.0]]], ["a"], ["301"], ["AP", "DCG@20"]))
    >>> low.tolist(), high.tolist()
    ([0.0, -inf], [1.0, inf])
    """
    most = np.array([highest(str(metric)) for metric in scores.metric.values])
    values = scores.transpose(..., "metric").values
    beyond = ((values < 0) | (values > most)).any(axis=(0, 1))
    known = np.isfinite(most) & ~beyond & ("standardization" not in about(scores))
    return np.where(known, 0.0, -np.inf), np.where(known, most, np.inf)


def widest(scores: xr.DataArray) -> Floats:
    """Return the largest difference that two means by each metric can have: (metric,), infinite without bounds.

    Differences of geometric means are of logarithms, which have none.

    >>> from irmeta.scores.cube import cube
    >>> widest(cube([[[0.1, 0.3]]], ["a"], ["301"], ["AP", "GMAP"])).tolist()
    [1.0, inf]
    """
    least, most = limits(scores)
    logs = np.isin(scores.metric.values, geometric(scores.metric.values))
    return np.where(logs, np.inf, most - least)


def equivalence_notes(margin: float | None, scores: xr.DataArray) -> list[str]:
    """Say, where a margin is asked for, how often pairs are called equivalent wrongly if that is too often.

    margin : of equivalence; None for no test.  scores : a cube.
    """
    if margin is None:
        return []
    called = _held_of("equivalence of all pairs, Holm", scores)
    if not called.broken:
        return []
    return [
        f"Pairs that differ by more were called equivalent in {called} (5% promised; docs/coverage.md)."
    ]


def shapes_notes(noun: str, systems: int, topics: int) -> list[str]:
    """Say what rank sets by signs suppose of equal systems, or models, if they do not hold where it is not so.

    >>> shapes_notes("model", 20, 5)
    []
    >>> shapes_notes("model", 20, 25)[0][:59]
    'Rank sets suppose that equal models have scores of one shap'
    """
    found = held("rank sets where shapes differ", systems=systems, topics=topics)
    if not found.broken:
        return []
    return [
        f"Rank sets suppose that equal {noun}s have scores of one shape: where shapes differ much, all held at "
        f"once in {found}."
    ]


def at_once_notes(
    promise: str, scores: xr.DataArray, instead: str = "", other: str = ""
) -> list[str]:
    """Say how often intervals held that should all hold at once, where that is clearly less often than promised.

    promise : what is measured of them.  instead, other : intervals that hold more often, and what is measured of them.
    """
    found = _held_of(promise, scores)
    if not found.broken:
        return []
    better = f"; {instead} in {_held_of(other, scores).share}" if other else ""
    return [
        f"Such 95% intervals all held at once in {found}{better} (docs/coverage.md)."
    ]


def by_itself_notes(scores: xr.DataArray) -> list[str]:
    """Say how often the interval of a difference held, where that is clearly less often than promised."""
    found = _held_of("a difference by itself", scores)
    if not found.broken:
        return []
    return [f"Such a 95% interval held in {found} (docs/coverage.md)."]


def _held_of(promise: str, scores: xr.DataArray) -> Held:
    return held(promise, systems=scores.sizes["system"], topics=scores.sizes["topic"])


def constant_notes(effect_size: Floats, low: Floats) -> list[str]:
    """Say in how many tests the differences are the same on every topic, and what there is in place of t.

    effect_size, low : of differences, of any shape; infinite, and NaN, where differences do not vary.

    >>> constant_notes(np.array([0.5, 0.0]), np.array([-0.1, np.nan]))
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


def tied_notes(
    test: str, correct: str, alpha: float, differing: Sequence[Floats]
) -> list[str]:
    """Count the tests by signs of systems that differ on so few topics that p cannot be small enough.

    differing : by metric, on how many topics the systems of each pair differ.  correct : over the pairs of a metric.

    >>> tied_notes("sign", "holm", 0.05, [np.array([5.0, 20.0])])[0][:29]
    '1 test cannot be significant:'
    """
    blind = 0
    for counts in differing:
        # no p is below its floor, and then none is below the floor when both are corrected
        least = multiplicity.CORRECTIONS[correct](floors.of_topics(test, counts))
        blind += int((least >= alpha).sum())
    if not blind:
        return []
    return [
        f"{counted(blind, 'test')} cannot be significant: the two systems score the same so often "
        f"that {test} has no p that is small enough; --test t has no such limit"
    ]
