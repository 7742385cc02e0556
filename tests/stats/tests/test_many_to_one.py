"""Tests of given differences: against scipy, against enumeration, and their level over many comparisons."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from irmeta.stats.tests import many_to_one, paired, resampling


def drawn(comparisons=6, topics=20, seed=0):
    return np.random.default_rng(seed).normal(0.1, 0.3, (comparisons, topics)).round(3)


def test_permutation_is_exact_where_topics_are_few():
    """With 2^n ways to choose signs, p is the share of ways that reach the observed sum, as scipy enumerates."""
    found = drawn(topics=9)
    ours = many_to_one.permutation(found, 1000, np.random.default_rng(0))
    theirs = [
        stats.permutation_test(
            (row,), np.mean, permutation_type="samples", n_resamples=np.inf
        ).pvalue
        for row in found
    ]
    assert_allclose(ours, theirs, rtol=1e-12)


def test_permutation_of_many_topics_is_near_that_of_all_pairs():
    """On more topics than can be enumerated p agrees with the test of all pairs of systems but for chance."""
    scores = (
        np.random.default_rng(1).normal(0, 1, (5, 30)) + np.linspace(0, 0.6, 5)[:, None]
    )
    found = paired.differences(scores)
    ours = many_to_one.permutation(found, 20_000, np.random.default_rng(0))
    theirs = resampling.permutation(scores, 20_000, np.random.default_rng(1))
    assert_allclose(ours, theirs, atol=0.02)


def test_bootstrap_is_near_that_of_all_pairs():
    """The studentised bootstrap of differences is the one of all pairs but for chance."""
    scores = (
        np.random.default_rng(2).normal(0, 1, (4, 25)) + np.linspace(0, 0.6, 4)[:, None]
    )
    ours = many_to_one.bootstrap(
        paired.differences(scores), 20_000, np.random.default_rng(0)
    )
    theirs = resampling.bootstrap(scores, 20_000, np.random.default_rng(1))
    assert_allclose(ours, theirs, atol=0.02)


def test_intervals_are_students():
    """An interval for one comparison is scipy's; for several it is as wide as Bonferroni's."""
    found = drawn()
    low, high = stats.ttest_1samp(found, 0, axis=1).confidence_interval(0.95)
    assert_allclose(many_to_one.half_widths(found, 0.95), (high - low) / 2, rtol=1e-12)
    low, high = stats.ttest_1samp(found, 0, axis=1).confidence_interval(1 - 0.05 / 6)
    assert_allclose(
        many_to_one.half_widths(found, 0.95, 6), (high - low) / 2, rtol=1e-12
    )


def test_one_comparison_has_nothing_to_correct_for():
    """The joint test of one comparison is its permutation test."""
    found = drawn(comparisons=1, topics=12)
    together = many_to_one.joint(found, 0.95, 20_000, np.random.default_rng(0))
    alone = many_to_one.permutation(found, 20_000, np.random.default_rng(1))
    assert_allclose(together.p, alone, atol=0.01)


def test_the_joint_p_counts_the_data_as_one_resample():
    """A difference that no resample reaches has p = 1 / (resamples + 1), not 0."""
    found = drawn(topics=30)
    found[0] += 5
    together = many_to_one.joint(found, 0.95, 99, np.random.default_rng(0))
    assert together.p[0] == 1 / 100


def test_equal_systems_have_p_1():
    """A comparison with no difference on any topic has p = 1 by every test, and does not disturb the others."""
    found = np.stack([np.zeros(12), drawn(1, 12)[0]])
    for test in ("t", "wilcoxon", "sign", "permutation", "bootstrap"):
        p = many_to_one.p_values(found, test, 5000, np.random.default_rng(0))
        assert p[0] == 1
        assert p[1] < 1
    assert many_to_one.joint(found, 0.95, 5000, np.random.default_rng(0)).p[0] == 1


@pytest.mark.parametrize("test", ["t", "wilcoxon", "sign", "permutation", "bootstrap"])
def test_a_constant_difference_has_the_p_of_signs_by_every_test(test):
    """Of n topics with the same difference every test gives 2 / 2^n, and no interval."""
    found = np.full((1, 5), 0.1)
    p = many_to_one.p_values(found, test, 5000, np.random.default_rng(0))
    assert p.tolist() == [2 / 2**5]
    assert np.isnan(many_to_one.half_widths(found, 0.95)).all()


def worlds(draws, comparisons, topics, seed):
    """Differences of a system from others that are as good: all share the system's own scores, so they depend."""
    rng = np.random.default_rng(seed)
    for _ in range(draws):
        own = rng.beta(1, 2, topics)
        yield own - rng.beta(1, 2, (comparisons, topics))


@pytest.mark.parametrize(("comparisons", "topics"), [(5, 25), (40, 25), (40, 50)])
def test_the_joint_test_keeps_its_level(comparisons, topics):
    """With no true difference a 5% joint test rejects anything in 2 to 8% of worlds, and its intervals hold 0 as often.

    Of 300 worlds 6 to 25 are within three standard errors of 15.
    """
    rejected = missed = 0
    for found in worlds(300, comparisons, topics, seed=comparisons):
        together = many_to_one.joint(found, 0.95, 400, np.random.default_rng(0))
        rejected += bool((together.p < 0.05).any())
        half = together.quantile * paired.standard_error(found)
        missed += bool((np.abs(found.mean(axis=1)) > half).any())
    assert 4 <= rejected <= 26
    assert 4 <= missed <= 28
