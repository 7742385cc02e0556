"""Which systems differ significantly, pair by pair, and how many pairs a metric can distinguish."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, get_args

import numpy as np
import xarray as xr
from scipy.special import stdtrit

from irmeta.choices import Correction, Missing, Test
from irmeta.errors import ScoresError, require_choice, require_share
from irmeta.metrics.names import highest
from irmeta.parallel import seeded, steps
from irmeta.scores.limits import (
    at_once_notes,
    by_itself_notes,
    constant_notes,
    equivalence_notes,
    tied_notes,
    widest,
)
from irmeta.scores.means import additive, geometric, means
from irmeta.scores.result import result
from irmeta.scores.selection import prepare
from irmeta.stats import descriptive
from irmeta.stats.arrays import Bools, Floats
from irmeta.stats.halves.halving import halves, shuffles
from irmeta.stats.halves.replication import Replication, replication
from irmeta.stats.halves.swaps import EDGES, swaps
from irmeta.stats.tests import floors, multiplicity, paired, resampling, stepdown
from irmeta.studies.door import study

RESAMPLING: Mapping[str, Callable[[Floats, int, np.random.Generator], Floats]] = (
    MappingProxyType(
        {"permutation": resampling.permutation, "bootstrap": resampling.bootstrap}
    )
)
JOINT = ("max-t", "tukey")
"""Tests that correct for all pairs by themselves."""
CLOSED: Mapping[str, Callable[[Floats], Floats]] = MappingProxyType(
    {"t": paired.t, "wilcoxon": paired.wilcoxon, "sign": paired.sign}
)
DIRECTIONS: Mapping[str, Callable[[Floats], Floats]] = MappingProxyType(
    {"wilcoxon": paired.signed_ranks, "sign": paired.wins}
)
"""What says which system a test favours, where that is not the mean difference."""
ASKED: Mapping[str, str] = MappingProxyType(
    {
        "wilcoxon": "whether the differences lie symmetrically around 0",
        "sign": "which of two systems wins on more topics",
    }
)
SWAP_SIZES = (5, 10, 25, 50, 100)
"""Numbers of topics, below half of those there are, for which error rates are computed, too."""
SWAP_PAIRS = 4_000_000
"""Comparisons of systems on random sets of topics, about: more change no second digit of an error rate."""
MOST_LETTERS = 40
"""Above this number of systems letters are no help, and there may be thousands of them."""


@study
def significance(
    scores: xr.DataArray,
    *,
    metrics: str | Iterable[str] | None = None,
    test: Test = "max-t",
    correct: Correction | None = None,
    alpha: float = 0.05,
    margin: float | None = None,
    resamples: int | None = None,
    top: float | None = None,
    by: str | None = None,
    missing: Missing = "error",
    rng: int | np.random.Generator = 0,
) -> xr.Dataset:
    """Test every pair of systems for a difference, two-sided, paired by topic.

    t, permutation, bootstrap, tukey and max-t test the difference in mean. wilcoxon tests whether the differences lie
    symmetrically around 0, sign whether either system wins as often: both may favour the system with the lower mean.

    scores : a cube of at least 2 systems and 2 topics
    metrics : one or several; all by default. Each is corrected for its own pairs
    test : max-t (the largest t, step by step: `irmeta.stats.tests.stepdown`) and tukey (randomised Tukey HSD) correct
        for all pairs by themselves; t, wilcoxon, sign, permutation and bootstrap (studentised) do not. Systems that
        score the same on every topic have p = 1
    correct : of the others holm, the default, or bonferroni (any false rejection), bh (share of false rejections) or
        none
    alpha : the level of significance, in (0, 1); intervals have the level 1 - alpha
    margin : a difference in mean, above 0, that is too small to matter; adds the test that two systems differ by less
    resamples : at least 100; by default 1000 of max-t, 10 000 of permutation, bootstrap and tukey
    top, by, missing : what to use of the scores, as in `selection.prepare`
    rng : a seed or a generator, of all that is random

    Returns over (pair, metric) difference (system_a less system_b) with the interval low to high, of this
    pair by itself, of all at once by tukey and where `correct` is holm or bonferroni, cut to the differences that the
    metric can have, NaN where systems differ by the same on every topic; p, p_corrected, effect_size (mean difference
    over the standard deviation of differences), direction (1 where the test favours system_a, -1 system_b) and
    significant; with a margin p_equivalent, of two one-sided t tests with Holm's correction, and equivalent; over
    (metric) share_significant, the discriminative power, and what half of the topics shows of differences significant
    on the other half (`Replication`); over (system, metric) mean and rank.
    Sources: Smucker et al. (CIKM 2007), Sakai (SIGIR 2006), Carterette (2012), Westfall and Young (1993),
    Schuirmann (1987).

    >>> from irmeta.scores.cube import cube
    >>> topics = [[[0.1], [0.2], [0.3], [0.2]], [[0.4], [0.6], [0.5], [0.5]]]
    >>> significance(cube(topics, ["a", "b"], ["1", "2", "3", "4"], ["AP"]))["p"].item().__round__(5)
    0.00521
    """
    if resamples is None:
        resamples = stepdown.DRAWS if test == "max-t" else 10_000
    paired.check_correction(test, correct)
    correct = correct or "holm"
    _check(test, correct, alpha, margin, resamples)
    generator, seed = seeded(rng)
    scores, notes = prepare(scores, metrics=metrics, top=top, by=by, missing=missing)
    if scores.sizes["system"] < 2 or scores.sizes["topic"] < 2:
        raise ScoresError(
            "a paired test needs at least 2 systems and 2 topics (a system-wise table has means only)"
        )

    values = additive(scores).values
    columns = []
    for m in steps(range(scores.sizes["metric"]), "metrics"):
        of_metric = np.ascontiguousarray(values[..., m])
        columns.append(
            _tests(of_metric, test, correct, alpha, margin, resamples, generator)
        )
    data: dict[str, Any] = {}
    for name in columns[0]:
        figures = np.stack([column[name] for column in columns], axis=1)
        if name in ("low", "high"):
            figures = np.clip(figures, -widest(scores), widest(scores))
        data[name] = (("pair", "metric"), figures)
    notes += _notes(test, correct, alpha, resamples, scores)
    notes += _tied_notes(test, correct, alpha, values)
    notes += _opposed_notes(test, _opposed(data) & (data["p_corrected"][1] < alpha))
    notes += _interval_notes(test, correct, alpha, scores)
    notes += _log_notes(scores)
    notes += constant_notes(data["effect_size"][1], data["low"][1])
    notes += equivalence_notes(margin, scores)
    mean = means(scores)
    data["mean"] = mean
    data["rank"] = (("system", "metric"), descriptive.ranks(mean.values.T).T)

    options: dict[str, Any] = {
        "test": test,
        "correct": correct,
        "alpha": alpha,
        "margin": margin,
    }
    options |= {"top": top, "by": by, "missing": missing}
    if test in RESAMPLING or test in JOINT:
        options["resamples"] = resamples
    options["seed"] = (
        seed  # also of the random sets of topics that the swap rates are measured on
    )
    inputs = {scores.attrs.get("collection", "collection"): scores}
    outcome = result("significance", data, inputs=inputs, options=options, notes=notes)
    outcome = outcome.assign(_swapped(scores, generator))
    outcome = outcome.assign(_replicated(scores, alpha, correct, generator))
    outcome["significant"] = outcome["p_corrected"] < alpha
    if margin is not None:
        outcome["equivalent"] = outcome["p_equivalent"] < alpha
    outcome["share_significant"] = outcome["significant"].mean("pair")
    names = scores.system.values
    left, right = np.triu_indices(len(names), 1)
    return outcome.assign_coords(
        system_a=("pair", names[left]), system_b=("pair", names[right])
    )


def _swapped(scores: xr.DataArray, rng: np.random.Generator) -> xr.Dataset:
    """Count comparisons of two systems on random sets of topics, and those that other topics reverse.

    Over (half, swap_metric, step); the sets have as many topics as a half, and some smaller numbers of them. Metrics
    that may exceed 1, and geometric means, are left out: their differences have another scale.
    """
    topics = scores.sizes["topic"]
    systems = scores.sizes["system"]
    left_out = geometric(scores.metric.values)
    names = [
        str(m)
        for m in scores.metric.values
        if highest(str(m)) <= 1 and str(m) not in left_out
    ]
    halved = topics // 2
    if names:
        sizes = sorted({halved, *(size for size in SWAP_SIZES if size < halved)})
    else:
        sizes = []
    draws = int(np.clip(SWAP_PAIRS // (systems * systems), 2, 20))
    values = scores.sel(metric=names).values
    orders = shuffles(topics, draws, rng)
    counted = [swaps(values, halves(orders, (size, size))) for size in sizes]
    compared, swapped = zip(*counted, strict=True) if counted else ([], [])
    dims = ("half", "swap_metric", "step")
    shape = (len(sizes), len(names), EDGES.size)
    data = {
        "compared": (dims, np.reshape(compared, shape)),
        "swapped": (dims, np.reshape(swapped, shape)),
    }
    return xr.Dataset(
        data, {"half": sizes, "swap_metric": np.array(names, dtype=str), "step": EDGES}
    )


def _replicated(
    scores: xr.DataArray, alpha: float, correct: Correction, rng: np.random.Generator
) -> dict[str, Any]:
    """Return over (metric) what becomes of differences that are significant on half of the topics, on the other half.

    By the paired t test with the correction named; without at least 4 topics there are no halves to test on.
    """
    systems = scores.sizes["system"]
    half = scores.sizes["topic"] // 2
    draws = int(np.clip(SWAP_PAIRS // (systems * systems), 2, 20))
    drawn = halves(shuffles(scores.sizes["topic"], draws, rng), (half, half))
    values = additive(scores).values
    found = [Replication(*[np.nan] * 5) for _ in range(values.shape[2])]
    if half >= 2:
        found = [
            replication(values[..., m], drawn, alpha=alpha, correct=correct)
            for m in range(values.shape[2])
        ]
    figures = dict(zip(Replication._fields, np.array(found).T, strict=True))
    return {"half_topics": half} | {
        name: ("metric", column) for name, column in figures.items()
    }


def _check(
    test: Test, correct: Correction, alpha: float, margin: float | None, resamples: int
) -> None:
    require_choice("test", test, get_args(Test))
    require_choice("correct", correct, get_args(Correction))
    require_share("alpha", alpha, 0.05)
    paired.check_margin(margin)
    if resamples < 100:
        raise ScoresError(
            f"{resamples} resamples are too few for a test at any level; use 1000 or more"
        )


def _tests(
    scores: Floats,
    test: Test,
    correct: Correction,
    alpha: float,
    margin: float | None,
    resamples: int,
    rng: np.random.Generator,
) -> dict[str, Floats]:
    """Test all pairs of systems by one metric, from scores (system, topic): arrays (pair,)."""
    mean, effect, direction, error, *closed = paired.over_pairs(
        partial(_quantities, test), scores
    )
    topics = scores.shape[1]
    if test == "max-t":
        p = corrected = stepdown.of_pairs(scores, resamples, rng)
        half = _half(error, 1, alpha, topics)
    elif test == "tukey":
        p, half = resampling.tukey(scores, resamples, rng, 1 - alpha)
        corrected = p
    else:
        if closed:
            p = closed[0]
        else:
            p = RESAMPLING[test](scores, resamples, rng)
        corrected = multiplicity.CORRECTIONS[correct](p)
        together = error.size if correct in ("holm", "bonferroni") else 1
        half = _half(error, together, alpha, topics)
    found = {
        "difference": mean,
        "low": mean - half,
        "high": mean + half,
        "p": p,
        "p_corrected": corrected,
    }
    found |= {"effect_size": effect, "direction": direction}
    if margin is not None:
        equivalent = paired.equivalence(mean, error, scores.shape[1], margin)
        found["p_equivalent"] = multiplicity.holm(equivalent)
    return found


def _half(error: Floats, together: int, alpha: float, topics: int) -> Floats:
    """Return half the widths of Student's t intervals, of this number of pairs at once (Bonferroni)."""
    quantile = float(stdtrit(topics - 1, 1 - alpha / 2 / together))
    return paired.half_width(quantile, error)


def _quantities(test: Test, found: Floats) -> Floats:
    """Return mean, effect size, direction, standard error of differences (pair, topic), and p if it has a formula.

    Of shape (quantity, pair).
    """
    mean = found.mean(axis=1)
    statistic = DIRECTIONS[test](found) if test in DIRECTIONS else mean
    quantities = [
        mean,
        paired.effect_size(found),
        np.sign(statistic),
        paired.standard_error(found),
    ]
    if test in CLOSED:
        quantities.append(CLOSED[test](found))
    return np.stack(quantities)


def _notes(
    test: Test, correct: Correction, alpha: float, resamples: int, scores: xr.DataArray
) -> list[str]:
    """Say what correction Tukey's test has, and whether any p can be small enough to be significant."""
    systems = scores.sizes["system"]
    topics = scores.sizes["topic"]
    pairs = systems * (systems - 1) // 2
    lines = []
    if test in JOINT and correct != "none":
        lines.append(f"{test} corrects for all pairs itself; p_corrected equals p")
    corrects_pairs = test not in JOINT and correct in ("holm", "bonferroni")
    needed = _needed(test, correct, alpha, systems)
    of_resamples = floors.of_resamples(test, resamples, topics)
    of_topics = float(floors.of_topics(test, topics))
    floor = max(of_resamples, of_topics)
    if floor < needed:
        return lines
    why = f"for {test} on {topics} topics"
    better = f"use {_topics_for(needed)} topics or more, or --test t; more resamples do not help"
    if of_topics < needed:
        why = f"with {resamples} resamples"
        better = f"use {int(np.ceil(1 / needed))} resamples"
    elif test not in RESAMPLING and test not in JOINT:
        better = f"use {_topics_for(needed)} topics or more, or --test t"
    if corrects_pairs and floor < alpha:
        better += ", or --correct bh"
    if corrects_pairs:
        needs = f"{correct}'s correction for {pairs} {'pair' if pairs == 1 else 'pairs'} needs less than {needed:.2g}"
    else:
        needs = ""
    needs = needs or f"alpha is {alpha:g}"
    return [
        *lines,
        f"{why} no p is below {floor:.2g}, and {needs}: nothing can be significant; {better}",
    ]


def _needed(test: Test, correct: Correction, alpha: float, systems: int) -> float:
    """Return what the smallest p has to be below, to be significant once corrected."""
    corrects_pairs = test not in JOINT and correct in ("holm", "bonferroni")
    if corrects_pairs:
        return alpha / (systems * (systems - 1) // 2)
    return alpha


def _tied_notes(
    test: Test, correct: Correction, alpha: float, values: Floats
) -> list[str]:
    """Count the tests of systems that score alike so often that p cannot be small; values : (system, topic, metric)."""
    systems, topics, metrics = values.shape
    needed = _needed(test, correct, alpha, systems)
    if test not in floors.SIGNED or floors.of_topics(test, topics) >= needed:
        return []
    differing = [
        paired.over_pairs(_differing, np.ascontiguousarray(values[..., metric]))
        for metric in range(metrics)
    ]
    return tied_notes(test, "none" if test in JOINT else correct, alpha, differing)


def _differing(found: Floats) -> Floats:
    """Count the topics on which systems differ, from differences (pair, topic)."""
    return np.asarray((found != 0).sum(axis=1), dtype=np.float64)


def _topics_for(needed: float) -> int:
    """Return the smallest number n of topics with 2 / 2^n below what is needed."""
    return int(np.floor(np.log2(2 / needed))) + 1


BY_T = "all differences at once, Bonferroni's t"
AT_ONCE = {
    "tukey": ("all differences at once, Tukey",),
}
BY_DEFAULT = (
    BY_T,
    "those of the best three quarters of the systems (--top 0.75)",
    f"{BY_T}, best 75%",
)
"""What is measured of the intervals of all pairs at once, by test, and what holds more often."""


def _interval_notes(
    test: Test, correct: Correction, alpha: float, scores: xr.DataArray
) -> list[str]:
    """Say of how many differences the intervals hold together, and by what distribution."""
    systems = scores.sizes["system"]
    by_correction = test not in JOINT and correct in ("holm", "bonferroni")
    together = test == "tukey" or by_correction
    if together and systems > 2:
        held = "all pairs of a metric at once"
    else:
        held = "each pair by itself"
    by = "tukey" if test == "tukey" else "Student's t"
    lines = [
        f"{1 - alpha:.0%} intervals of the differences in mean are meant to hold for {held} (by {by})"
    ]
    if together and systems > 2:
        promise, *better = AT_ONCE.get(test, BY_DEFAULT)
        lines += at_once_notes(promise, scores, *better)
    else:
        lines += by_itself_notes(scores)
    if systems > 2:
        lines.append(
            "the share of pairs that differ significantly describes these topics and has no "
            "interval"
        )
    return lines


def _opposed_notes(test: Test, opposed: Bools) -> list[str]:
    """Say what a test asks that does not ask of means, and how many significant tests contradict the means."""
    if test not in ASKED:
        return []
    lines = [f"{test} tests {ASKED[test]}, not whether two means differ"]
    count = int(opposed.sum())
    if count:
        if count == 1:
            tests = "1 significant test favours"
        else:
            tests = f"{count} significant tests favour"
        lines.append(
            f"{tests} the system with the lower mean (direction and difference have opposite signs "
            "in table tests), because a few topics with large differences decide the mean; do not "
            "report these as differences in mean"
        )
    return lines


def _opposed(data: Mapping[str, Any]) -> Bools:
    """Return which tests favour the system with the lower mean, from (dimensions, values) by name."""
    return np.asarray(data["direction"][1] * data["difference"][1] < 0)


def _log_notes(scores: xr.DataArray) -> list[str]:
    """Say which differences are not of scores."""
    logs = ", ".join(geometric(scores.metric.values))
    if not logs:
        return []
    return [
        f"{logs}: means are geometric, so differences are between means of natural logarithms"
    ]
