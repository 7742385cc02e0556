import itertools

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from irmeta.stats.tests import paired

SEEDS = st.integers(0, 2**32 - 1)


def scores(seed, topics, decimals=None):
    drawn = np.random.default_rng(seed).beta(1, 2, size=(8, topics))
    return drawn if decimals is None else drawn.round(decimals)


def pairs(found, test):
    return np.array([test(one) for one in found])


@given(SEEDS, st.integers(2, 60))
def test_t_is_that_of_scipy(seed, topics):
    """The paired t test of every pair is scipy's, to 1e-12."""
    one = scores(seed, topics)
    left, right = np.triu_indices(len(one), 1)
    expected = scipy.stats.ttest_rel(one[left], one[right], axis=1).pvalue
    np.testing.assert_allclose(
        paired.t(paired.differences(one)), expected, rtol=0, atol=1e-12
    )


@pytest.mark.parametrize("decimals", [None, 1])
@pytest.mark.parametrize("topics", [2, 5, 12, 15, 30, 60])
@pytest.mark.parametrize("equal", [0.0, 0.6])
def test_wilcoxon_is_that_of_scipy(topics, decimals, equal):
    """The signed-rank test of a pair is scipy's, by its own choice of method, on the topics that differ."""
    found = paired.differences(scores(topics, topics, decimals))[::8].round(10)
    found[np.random.default_rng(topics).uniform(size=found.shape) < equal] = 0

    def expected(one):
        differing = one[one != 0]
        return scipy.stats.wilcoxon(differing).pvalue if differing.size else 1.0

    np.testing.assert_allclose(
        paired.wilcoxon(found), pairs(found, expected), rtol=0, atol=1e-12
    )


def test_wilcoxon_is_exact_where_few_topics_differ():
    """With ties the p of 8 topics that differ, among 50, is that of all ways to sign their ranks."""
    found = np.zeros((1, 50))
    found[0, 3:11] = [0.1, 0.1, -0.2, 0.2, 0.2, 0.3, -0.1, 0.5]
    ranks = scipy.stats.rankdata(np.abs(found[0, 3:11]))
    above = ranks[found[0, 3:11] > 0].sum()
    sums = [ranks @ signs for signs in itertools.product([0, 1], repeat=8)]
    expected = 2 * min(
        np.mean([one <= above for one in sums]), np.mean([one >= above for one in sums])
    )
    assert paired.wilcoxon(found).item() == pytest.approx(expected, abs=1e-15)


@given(SEEDS, st.integers(2, 60))
def test_sign_is_that_of_scipy(seed, topics):
    """The sign test of every pair is scipy's exact binomial test of its signs, zeros left out."""
    found = paired.differences(scores(seed, topics, 1))

    def expected(one):
        above, below = int((one > 0).sum()), int((one < 0).sum())
        return (
            scipy.stats.binomtest(above, above + below).pvalue if above + below else 1.0
        )

    np.testing.assert_allclose(
        paired.sign(found), pairs(found, expected), rtol=0, atol=1e-12
    )


@pytest.mark.parametrize("test", [paired.t, paired.wilcoxon, paired.sign])
def test_pairs_in_blocks_are_all_pairs(test):
    """60 systems on 300 topics fill more than one block; each pair has what it has among all of them."""
    one = np.random.default_rng(0).beta(1, 2, size=(60, 300)).round(3)
    assert len(list(paired.blocks(*one.shape))) > 1
    np.testing.assert_array_equal(
        paired.over_pairs(test, one), test(paired.differences(one))
    )


@pytest.mark.parametrize("test", [paired.t, paired.wilcoxon, paired.sign])
def test_equal_systems_have_p_one(test):
    """Two systems with the same scores, but for rounding, do not differ at all."""
    one = np.random.default_rng(0).uniform(size=10)
    assert test(paired.differences(np.stack([one, one + 1e-16]))).tolist() == [1.0]


@given(st.integers(2, 12), st.sampled_from([0.1, -0.25, 1 / 3]))
def test_a_constant_difference_has_the_p_of_signs(topics, by):
    """Better by the same amount on every topic: no standard error, the p of the sign test, an effect without bound."""
    found = np.linspace(0, 0.5, topics) + by - np.linspace(0, 0.5, topics)
    error = paired.standard_error(found[None])
    np.testing.assert_array_equal(paired.t(found[None]), paired.sign(found[None]))
    assert paired.effect_size(found[None]).tolist() == [np.copysign(np.inf, by)]
    assert error.tolist() == [0.0]
    assert np.isnan(paired.half_width(2.0, error)).all()


def test_equivalence_of_constant_differences_is_by_signs():
    """Inside the margin on all n topics p is 2^-n, as of a one-sided sign test; at the margin or beyond it is 1."""
    means = np.array([0.0, 0.01, 0.02, 0.03])
    p = paired.equivalence(means, np.zeros(4), 5, 0.02)
    assert p.tolist() == [1 / 32, 1 / 32, 1.0, 1.0]


def test_effect_size_by_hand():
    """Differences 1, 2, 3: mean 2 over standard deviation 1."""
    assert paired.effect_size(np.array([[1.0, 2.0, 3.0]])).tolist() == [2.0]


@given(SEEDS)
def test_exchanging_the_systems_turns_the_effect_and_keeps_p(seed):
    """The tests are two-sided: the sign of the difference does not matter to p."""
    found = paired.differences(scores(seed, 20))
    for test in (paired.t, paired.wilcoxon, paired.sign):
        np.testing.assert_allclose(test(-found), test(found), rtol=0, atol=1e-12)
    np.testing.assert_allclose(
        paired.effect_size(-found), -paired.effect_size(found), atol=1e-12
    )


def test_a_difference_of_0_and_1_has_the_interval_of_a_topic_more():
    """With 3 of 5 topics one way, 1/2 -/+ z sqrt((4/6 - 1/4) / 6), worked out by hand."""
    low, high = paired.discordant_interval(np.array([3]), np.array([0]), 5, 1.96)
    assert_allclose([low[0], high[0]], 0.5 + 1.96 * np.sqrt(5 / 72) * np.array([-1, 1]))


@pytest.mark.parametrize("topics", [5, 10])
def test_intervals_of_0_and_1_hold_where_students_do_not(topics):
    """Summed over every outcome, with systems that are seldom right, and differ on few topics."""
    better, worse = np.array(
        [(b, c) for b in range(topics + 1) for c in range(topics + 1 - b)]
    ).T
    p, q = 0.12, 0.05
    chance = scipy.stats.multinomial.pmf(
        np.stack([better, worse, topics - better - worse], axis=1),
        topics,
        [p, q, 1 - p - q],
    )
    low, high = paired.discordant_interval(
        better, worse, topics, scipy.stats.norm.ppf(0.975)
    )
    assert 0.95 <= chance[(low <= p - q) & (p - q <= high)].sum() <= 1
    found = np.stack(
        [
            np.repeat([1.0, -1.0, 0.0], [b, c, topics - b - c])
            for b, c in zip(better, worse, strict=True)
        ]
    )
    mean = found.mean(axis=1)
    half = scipy.stats.t.ppf(0.975, topics - 1) * paired.standard_error(found)
    assert chance[np.abs(mean - (p - q)) <= half].sum() < 0.9


@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.1])
def test_where_mcnemars_exact_test_claims_a_difference_its_interval_excludes_0(alpha):
    """Of every outcome on up to 60 topics."""
    for topics in range(2, 61):
        better, worse = np.array(
            [(b, c) for b in range(topics + 1) for c in range(min(b, topics - b + 1))]
        ).T
        p = 2 * scipy.stats.binom.cdf(worse, better + worse, 0.5)
        low, _ = paired.discordant_interval(
            better, worse, topics, scipy.stats.norm.ppf(1 - alpha / 2)
        )
        assert (low[p <= alpha] > 0).all()
