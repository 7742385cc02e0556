"""Swap rates are those of a loop over pairs, and fall as differences grow."""

import numpy as np

from irmeta.stats.halves.halving import halves, shuffles
from irmeta.stats.halves.swaps import EDGES, least_difference, swaps


def by_loop(scores, drawn):
    compared, swapped = (np.zeros((scores.shape[2], EDGES.size)) for _ in range(2))
    for sets in drawn:
        for one, other in (sets, sets[::-1]):
            for metric in range(scores.shape[2]):
                here, there = (
                    scores[:, topics, metric].mean(axis=1).round(10)
                    for topics in (one, other)
                )
                for a in range(len(scores)):
                    for b in range(a):
                        d, e = (
                            round(here[a] - here[b], 10),
                            round(there[a] - there[b], 10),
                        )
                        if d != 0:
                            step = min(int(abs(d) * 100 + 1e-9), EDGES.size - 1)
                            compared[metric, step] += 1
                            swapped[metric, step] += 0.5 if e == 0 else d * e < 0
    return compared, swapped


def test_counts_are_those_of_a_loop_over_pairs():
    """With ties on either set, and differences in all steps, every count is that of the definition."""
    rng = np.random.default_rng(3)
    scores = (
        rng.integers(0, 3, size=(9, 12, 2)) / 4 + rng.random((9, 1, 2)).round(1) / 3
    )
    drawn = halves(shuffles(12, 4, rng), (5, 5))
    for found, expected in zip(
        swaps(scores, drawn), by_loop(scores, drawn), strict=True
    ):
        np.testing.assert_allclose(found, expected)


def test_error_rates_are_those_of_normal_scores():
    """Where systems differ by noise alone, half of all differences are reversed; else fewer, the larger they are."""
    rng = np.random.default_rng(1)
    # two small sets of many topics are nearly independent
    drawn = halves(shuffles(400, 60, rng), (20, 20))
    noise = 0.5 + 0.1 * rng.normal(size=(40, 400, 1))
    apart = noise + np.linspace(-0.1, 0.1, 40)[:, None, None]
    (compared, swapped), (n, turned) = swaps(noise, drawn), swaps(apart, drawn)
    assert abs(swapped.sum() / compared.sum() - 0.5) < 0.03
    assert np.isnan(least_difference(compared, swapped)).all()
    rate = turned[0, :8] / n[0, :8]
    assert (np.diff(rate) < 0.02).all()
    assert rate[0] > 0.35
    assert rate[7] < 0.08


def test_the_least_difference_takes_larger_ones_along():
    """A step counts with all larger ones; where even these are reversed too often there is none."""
    compared = np.array([[100, 50, 50], [10, 10, 10]])
    swapped = np.array([[40.0, 4.0, 0.0], [5.0, 5.0, 5.0]])
    np.testing.assert_array_equal(least_difference(compared, swapped), [0.01, np.nan])
