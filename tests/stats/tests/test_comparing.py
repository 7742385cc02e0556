"""Tests of given differences: against scipy, against enumeration, and their level over many comparisons."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from irmeta.stats.tests import multiplicity, paired, resampling
from irmeta.stats.tests.compared import Given, Pairs
from irmeta.stats.tests.comparing import TESTS, Way, compare


def drawn(comparisons=6, topics=20, seed=0):
    return np.random.default_rng(seed).normal(0.1, 0.3, (comparisons, topics)).round(3)


def half(found, correct):
    """Half the widths of Student's t intervals."""
    way = Way("t", correct, 0.05, None, 100)
    tested = compare(Given(found), way, np.random.default_rng(0))
    return (tested["high"] - tested["low"]) / 2


def test_permutation_is_exact_where_topics_are_few():
    """With 2^n ways to choose signs, p is the share of ways that reach the observed sum, as scipy enumerates."""
    found = drawn(topics=9)
    ours = resampling.permutation(Given(found), 1000, np.random.default_rng(0))
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
    ours = resampling.permutation(Given(found), 20_000, np.random.default_rng(0))
    theirs = resampling.permutation(Pairs(scores), 20_000, np.random.default_rng(1))
    assert_allclose(ours, theirs, atol=0.02)


def test_bootstrap_is_near_that_of_all_pairs():
    """The studentised bootstrap of differences is the one of all pairs but for chance."""
    scores = (
        np.random.default_rng(2).normal(0, 1, (4, 25)) + np.linspace(0, 0.6, 4)[:, None]
    )
    ours = resampling.bootstrap(
        Given(paired.differences(scores)), 20_000, np.random.default_rng(0)
    )
    theirs = resampling.bootstrap(Pairs(scores), 20_000, np.random.default_rng(1))
    assert_allclose(ours, theirs, atol=0.02)


def test_intervals_are_students():
    """Each comparison has scipy's interval, whatever p is corrected for."""
    found = drawn()
    low, high = stats.ttest_1samp(found, 0, axis=1).confidence_interval(0.95)
    for correct in ("none", "bonferroni", "dunnett"):
        assert_allclose(half(found, correct), (high - low) / 2, rtol=1e-12)


def test_an_interval_is_the_same_whatever_is_compared_beside_it():
    """To the last bit, and however the differences lie in memory: pages of one state are the same bytes."""
    found = np.asfortranarray(drawn(comparisons=27, topics=50))
    alone = [half(one[None], "none").item() for one in found]
    assert half(found, "none").tolist() == alone


def test_one_comparison_has_nothing_to_correct_for():
    """The joint test of one comparison is its permutation test."""
    found = drawn(comparisons=1, topics=12)
    together = resampling.dunnett(Given(found), 20_000, np.random.default_rng(0))
    alone = resampling.permutation(Given(found), 20_000, np.random.default_rng(1))
    assert_allclose(together, alone, atol=0.01)


def test_the_joint_p_counts_the_data_as_one_resample():
    """A difference that no resample reaches has p = 1 / (resamples + 1), not 0."""
    found = drawn(topics=30)
    found[0] += 5
    together = resampling.dunnett(Given(found), 99, np.random.default_rng(0))
    assert together[0] == 1 / 100


def test_equal_systems_have_p_1():
    """A comparison with no difference on any topic has p = 1 by every test, and does not disturb the others."""
    found = np.stack([np.zeros(12), drawn(1, 12)[0]])
    for test in ("t", "wilcoxon", "sign", "permutation", "bootstrap"):
        p = TESTS[test](Given(found), 5000, np.random.default_rng(0))
        assert p[0] == 1
        assert p[1] < 1
    assert resampling.dunnett(Given(found), 5000, np.random.default_rng(0))[0] == 1


@pytest.mark.parametrize("test", ["t", "wilcoxon", "sign", "permutation", "bootstrap"])
def test_a_constant_difference_has_the_p_of_signs_by_every_test(test):
    """Of n topics with the same difference every test gives 2 / 2^n, and no interval."""
    found = np.full((1, 5), 0.1)
    p = TESTS[test](Given(found), 5000, np.random.default_rng(0))
    assert p.tolist() == [2 / 2**5]
    assert np.isnan(half(found, "none")).all()


def worlds(draws, comparisons, topics, seed):
    """Differences of a system from others that are as good: all share the system's own scores, so they depend."""
    rng = np.random.default_rng(seed)
    for _ in range(draws):
        own = rng.beta(1, 2, topics)
        yield own - rng.beta(1, 2, (comparisons, topics))


@pytest.mark.parametrize(("comparisons", "topics"), [(5, 25), (40, 25), (40, 50)])
def test_the_joint_test_keeps_its_level(comparisons, topics):
    """With no true difference a 5% joint test rejects anything in 2 to 8% of worlds.

    Of 300 worlds 6 to 25 are within three standard errors of 15.
    """
    rejected = 0
    for found in worlds(300, comparisons, topics, seed=comparisons):
        together = resampling.dunnett(Given(found), 400, np.random.default_rng(0))
        rejected += bool((together < 0.05).any())
    assert 4 <= rejected <= 26


def test_comparisons_on_their_own_topics_are_those_alone():
    """Where comparisons lack topics, each has the figures that it has alone on its topics; p is corrected for all."""
    found = drawn(comparisons=3, topics=12)
    found[1, :4] = np.nan
    kept = found[1:2, 4:]
    parts = [
        (np.array([0, 2]), Given(found[[0, 2]])),
        (np.array([1]), Given(kept)),
    ]
    way = Way("t", "holm", 0.05, 0.2, 100)
    together = compare(Given(found), way, np.random.default_rng(0), parts)
    alone = compare(Given(kept), way, np.random.default_rng(0))
    for name in ("difference", "low", "high", "p", "effect_size"):
        assert_allclose(together[name][1], alone[name][0], rtol=1e-12)
    assert_allclose(together["p_corrected"], multiplicity.holm(together["p"]))


def test_one_against_others_is_a_part_of_all_pairs():
    """The pairs of the first system are its comparisons with the others, by every test but for chance."""
    scores = np.random.default_rng(3).normal(0, 1, (4, 25))
    pairs, given = Pairs(scores), Given(paired.differences(scores, 0, 1))
    for name, test in TESTS.items():
        ours = test(given, 20_000, np.random.default_rng(0))
        theirs = test(pairs, 20_000, np.random.default_rng(1))[:3]
        assert_allclose(ours, theirs, atol=0.02, err_msg=name)
