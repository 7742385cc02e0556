"""Which systems differ significantly, pair by pair, and how many pairs a metric can distinguish."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, get_args

import numpy as np
import xarray as xr

from irmeta.choices import Correction, Missing, Test
from irmeta.errors import require_choice
from irmeta.metrics.names import highest
from irmeta.metrics.values import geometric
from irmeta.parallel import again, seeded, steps
from irmeta.scores.attributes import about
from irmeta.scores.averages.limits import widest
from irmeta.scores.averages.means import additive, means
from irmeta.scores.groups.clusters import SIZE, right_or_wrong
from irmeta.scores.result import no_result_notes, result
from irmeta.scores.selection import prepare, require_size
from irmeta.stats import descriptive
from irmeta.stats.arrays import Floats, Ints
from irmeta.stats.halves.halving import halves, shuffles
from irmeta.stats.halves.replication import Replication, replication
from irmeta.stats.halves.swaps import EDGES, swaps
from irmeta.stats.tests import floors, paired
from irmeta.stats.tests.compared import Pairs
from irmeta.stats.tests.comparing import Way, compare
from irmeta.studies.differences.notes import (
    OF_CLUSTERS,
    constant_difference_notes,
    equivalence_notes,
    notes_on_intervals,
    notes_on_tests,
    only_tests,
)
from irmeta.studies.door import Cube, study

DIRECTIONS: Mapping[str, Callable[[Floats], Floats]] = {
    "wilcoxon": paired.signed_ranks,
    "sign": paired.wins,
}
"""What says which system a test favours, where that is not the mean difference."""
SWAP_SIZES = (5, 10, 25, 50, 100)
"""Numbers of topics, below half of those there are, for which error rates are computed, too."""
SWAP_PAIRS = 4_000_000
"""Comparisons of systems on random sets of topics, about: more change no second digit of an error rate."""
SWAP_DRAWS = (2, 20)
"""The fewest and the most random sets of topics, whatever the number of systems."""


@study
def significance(
    scores: Cube,
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
    test : the paired test: max-t (the largest t, step by step: `irmeta.stats.tests.stepdown`) and tukey (randomised
        Tukey HSD) correct for all pairs by themselves; t, wilcoxon, sign, permutation and bootstrap (studentised) do
        not. Systems that score the same on every topic have p = 1
    correct : how the other tests are corrected for all pairs: holm, the default, or bonferroni (any false rejection),
        bh (share of false rejections) or none; max-t may have none, for each pair by itself
    alpha : the level of significance, in (0, 1); intervals have the level 1 - alpha
    margin : a difference in mean, above 0, that is too small to matter; adds the test that two systems differ by less
    resamples : at least 100; by default 1000 of max-t of several systems, 10 000 of permutation, bootstrap and tukey
    top, by, missing : what to use of the scores, as in `selection.prepare`
    rng : a seed or a generator, of all that is random

    Returns over (pair, metric) difference (system_a less system_b) with the interval low to high, of this
    pair by itself, cut to the differences that the metric can have, NaN where systems differ by the same on every topic
    and scores are not all 0 or 1; p, p_corrected, effect_size (mean difference over the standard deviation of
    differences), direction (1 where the test favours system_a, -1 system_b) and significant; with a margin
    p_equivalent, of two one-sided t tests with Holm's correction, and equivalent; over (metric) share_significant, the
    discriminative power, and what half of the topics shows of differences significant on the other half
    (`Replication`); over (system, metric) mean and rank.
    Sources: Smucker et al. (CIKM 2007), Sakai (SIGIR 2006), Carterette (2012), Westfall and Young (1993),
    Schuirmann (1987).

    >>> from irmeta.scores.cube import cube
    >>> topics = [[[0.1], [0.2], [0.3], [0.2]], [[0.4], [0.6], [0.5], [0.5]]]
    >>> round(significance(cube(topics, ["a", "b"], ["1", "2", "3", "4"], ["AP"]), test="t")["p"].item(), 5)
    0.00521
    """
    require_choice("test", test, get_args(Test))
    require_choice("correct", correct or "holm", get_args(Correction))
    way = Way.of(test, correct, alpha, margin, resamples, of_pairs=True)
    correct = correct or "holm"
    generator, _ = seeded(rng)
    scores, notes = prepare(scores, metrics=metrics, top=top, by=by, missing=missing)
    notes += no_result_notes(scores)
    require_size(scores, "a paired test", 2)

    values = additive(scores).values
    binary = right_or_wrong(scores)
    columns = []
    for m in steps(range(scores.sizes["metric"]), "metrics"):
        of_metric = np.ascontiguousarray(values[..., m])
        one = _tests(of_metric, way, again(generator), binary=bool(binary[m]))
        if test in OF_CLUSTERS and SIZE in scores.coords:
            of_clusters = OF_CLUSTERS[test](of_metric, scores)
            alone = _tests(of_clusters, way, again(generator))
            one |= only_tests(alone) | {"direction": alone["direction"]}
        columns.append(one)
    figures = {
        name: np.stack([column[name] for column in columns], axis=1)
        for name in columns[0]
    }
    differing = figures.pop("differing")
    for end in ("low", "high"):
        figures[end] = np.clip(figures[end], -widest(scores), widest(scores))
    systems = scores.system.values
    first, second = (systems[at] for at in np.triu_indices(len(systems), 1))
    notes += notes_on_tests(
        way,
        scores,
        len(differing),
        list(differing.T),
        lambda at: f"{first[at]} and {second[at]}",
    )
    notes += notes_on_intervals(way, scores, "pair")
    notes += constant_difference_notes(figures["effect_size"], figures["low"])
    notes += equivalence_notes(margin, scores)
    data: dict[str, Any] = {
        name: (("pair", "metric"), values) for name, values in figures.items()
    }
    mean = means(scores)
    data["mean"] = mean
    data["rank"] = (("system", "metric"), descriptive.ranks(mean.values.T).T)

    options: dict[str, Any] = {"correct": way.correct, "by": by}
    if test in floors.RESAMPLED:
        options["resamples"] = way.drawn(len(differing))
    inputs = {scores.attrs.get("collection", "collection"): scores}
    outcome = result("significance", data, inputs=inputs, options=options, notes=notes)
    outcome = outcome.assign(_count_swaps(scores, generator))
    outcome = outcome.assign(_replication_figures(scores, alpha, correct, generator))
    outcome["significant"] = outcome["p_corrected"] < alpha
    if margin is not None:
        outcome["equivalent"] = outcome["p_equivalent"] < alpha
    outcome["share_significant"] = outcome["significant"].mean("pair")
    return outcome.assign_coords(system_a=("pair", first), system_b=("pair", second))


def _count_swaps(scores: xr.DataArray, rng: np.random.Generator) -> xr.Dataset:
    """Count comparisons of two systems on random sets of topics, and those that other topics reverse.

    Over (half, swap_metric, step); the sets have as many topics as a half, and some smaller numbers of them. Metrics
    that may exceed 1, and geometric means, are left out: their differences have another scale. Of estimated scores
    none are counted: topics weigh there as people judged them or not.
    """
    topics = scores.sizes["topic"]
    left_out = geometric(scores.metric.values)
    names = [
        str(m)
        for m in scores.metric.values
        if highest(str(m)) <= 1 and str(m) not in left_out
    ]
    halved = topics // 2
    if names and "estimated" not in about(scores):
        sizes = sorted({halved, *(size for size in SWAP_SIZES if size < halved)})
    else:
        sizes = []
    values = scores.sel(metric=names).values
    orders = _orders_of_topics(scores, rng)
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


def _orders_of_topics(scores: xr.DataArray, rng: np.random.Generator) -> Ints:
    """Draw random orders of the topics, (draw, topic): as many as `SWAP_PAIRS` allows, within `SWAP_DRAWS`."""
    draws = int(np.clip(SWAP_PAIRS // scores.sizes["system"] ** 2, *SWAP_DRAWS))
    return shuffles(scores.sizes["topic"], draws, rng)


def _replication_figures(
    scores: xr.DataArray, alpha: float, correct: Correction, rng: np.random.Generator
) -> dict[str, Any]:
    """Return over (metric) what becomes of differences that are significant on half of the topics, on the other half.

    By the paired t test with the correction named; without at least 4 topics there are no halves to test on, nor have
    estimated scores any.
    """
    half = scores.sizes["topic"] // 2
    drawn = halves(_orders_of_topics(scores, rng), (half, half))
    values = additive(scores).values
    found = [Replication(*[np.nan] * 5) for _ in range(values.shape[2])]
    if half >= 2 and "estimated" not in about(scores):
        found = [
            replication(values[..., m], drawn, alpha=alpha, correct=correct)
            for m in range(values.shape[2])
        ]
    figures = dict(zip(Replication._fields, np.array(found).T, strict=True))
    return {"half_topics": half} | {
        name: ("metric", column) for name, column in figures.items()
    }


def _tests(
    scores: Floats, way: Way, rng: np.random.Generator, *, binary: bool = False
) -> dict[str, Floats]:
    """Test all pairs of systems by one metric, from scores (system, topic): arrays (pair,)."""
    pairs = Pairs(scores)
    found = compare(pairs, way, rng, binary=binary)
    direction, differing = pairs.over(partial(_directions, way.test))
    return found | {"direction": direction, "differing": differing}


def _directions(test: str, differences: Floats) -> Floats:
    """Return which system a test favours, and on how many topics they differ, from (pair, topic): (2, pair)."""
    statistic = DIRECTIONS.get(test, paired.mean_difference)(differences)
    return np.stack([np.sign(statistic), (differences != 0).sum(axis=1)])
