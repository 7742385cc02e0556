import numpy as np
import pytest
import scipy.stats

from irmeta.stats.tests import paired, resampling, stepdown
from irmeta.stats.tests.compared import Given, Pairs


def permutation(given, *options):
    return resampling.permutation(Pairs(given), *options)


def bootstrap(given, *options):
    return resampling.bootstrap(Pairs(given), *options)


def tukey(given, *options):
    return resampling.tukey(Pairs(given), *options)


ALL = (permutation, bootstrap, tukey, stepdown.of_pairs)


def first_stream(seed):
    """What the first block of resamples is drawn from."""
    return np.random.default_rng(seed).spawn(1)[0]


def scores(seed, systems, topics):
    rng = np.random.default_rng(seed)
    return (
        rng.beta(1, 2, size=(systems, topics)) + np.linspace(0, 0.3, systems)[:, None]
    )


@pytest.mark.parametrize("decimals", [6, 1])
def test_exact_permutation_is_that_of_scipy(decimals):
    """With few topics all swaps are gone through, and p is scipy's exact one to 1e-12, also where sums tie."""
    one = scores(1, 6, 9).round(decimals)
    left, right = np.triu_indices(6, 1)
    expected = [
        scipy.stats.permutation_test(
            (one[a] - one[b],),
            np.mean,
            permutation_type="samples",
            vectorized=True,
            axis=0,
        ).pvalue
        for a, b in zip(left, right, strict=True)
    ]
    found = permutation(one, 10_000, np.random.default_rng(0))
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


def test_sampled_permutation_agrees_with_the_exact_one():
    """A random sample of swaps gives the exact p within four Monte-Carlo standard errors."""
    one = scores(2, 5, 14)
    exact = permutation(one, 2**14, np.random.default_rng(0))
    sampled = permutation(one, 2**14 - 1, np.random.default_rng(0))
    error = np.sqrt(exact * (1 - exact) / 2**14)
    assert (np.abs(sampled - exact) < 4 * error + 2**-13).all()
    assert (sampled != exact).any()


def test_bootstrap_is_that_of_a_loop():
    """P is the share of resamples whose t, computed by scipy, is at least as far from 0 as the data's."""
    one = scores(3, 2, 10)
    found = paired.differences(one)[0]
    shifted, observed = (
        found - found.mean(),
        abs(scipy.stats.ttest_1samp(found, 0).statistic),
    )
    counts = first_stream(4).multinomial(10, np.full(10, 0.1), 500)
    beyond = sum(
        abs(scipy.stats.ttest_1samp(np.repeat(shifted, drawn), 0).statistic) >= observed
        for drawn in counts
    )
    assert bootstrap(one, 500, np.random.default_rng(4)).item() == (beyond + 1) / 501


def test_bootstrap_in_blocks_of_pairs_is_that_of_each_pair():
    """60 systems fill more than one block of pairs; each pair has the p that it has alone, from the same draws."""
    one = scores(4, 60, 30)
    assert len(list(paired.blocks(60, 300))) > 1
    found = bootstrap(one, 300, np.random.default_rng(3))
    left, right = np.triu_indices(60, 1)
    alone = [
        bootstrap(one[[left[i], right[i]]], 300, np.random.default_rng(3)).item()
        for i in (0, 900, -1)
    ]
    np.testing.assert_array_equal(found[[0, 900, -1]], alone)


def test_tukey_is_that_of_a_loop():
    """P is the share of resamples whose range of means is at least the pair's difference."""
    one = scores(5, 4, 8)
    dealt = first_stream(6).permuted(np.broadcast_to(one, (100, 4, 8)), axis=1)
    ranges = np.ptp(dealt.mean(axis=2), axis=1)
    means = one.mean(axis=1)
    left, right = np.triu_indices(4, 1)
    expected = [
        (np.sum(ranges >= abs(means[a] - means[b]) - 1e-12) + 1) / 101
        for a, b in zip(left, right, strict=True)
    ]
    np.testing.assert_allclose(tukey(one, 100, np.random.default_rng(6)), expected)


@pytest.mark.parametrize("test", ALL)
def test_equal_systems_have_p_one_and_others_do_not(test):
    """Two systems with the same scores have p = 1; the third, better on every topic, does not."""
    one = np.random.default_rng(0).uniform(size=20)
    p = test(np.stack([one, one, one + 0.5]), 2000, np.random.default_rng(1))
    assert p[0] == 1
    assert (p[1:] < 0.01).all()


@pytest.mark.parametrize("test", ALL)
def test_the_scale_of_the_scores_does_not_matter(test):
    """Scores a thousand times as large give the same p."""
    one = scores(7, 5, 30)
    small, large = (
        test(one * scale, 300, np.random.default_rng(2)) for scale in (1, 1024)
    )
    np.testing.assert_array_equal(small, large)


@pytest.mark.parametrize("resamples", [1, 999, 1000, 1001, 2500])
@pytest.mark.parametrize("test", ALL)
def test_p_is_never_zero(test, resamples):
    """The data count as one resample, so that p is at least 1 / (resamples + 1), however many chunks there are."""
    one = np.stack([np.linspace(0, 0.1, 30), np.linspace(0.8, 0.95, 30)])
    assert test(one, resamples, np.random.default_rng(0)).min() >= 1 / (resamples + 1)


def test_a_constant_difference_is_no_rarer_than_resamples_can_tell():
    """On 30 topics the p of signs is 2^-29; of 99 resamples the bootstrap says no less than 1 / 100."""
    one = np.stack([np.linspace(0, 0.5, 30), np.linspace(0, 0.5, 30) + 0.1])
    p = bootstrap(one, 99, np.random.default_rng(0))
    assert p.tolist() == [0.01]
    found = paired.differences(one)
    p = resampling.bootstrap(Given(found), 99, np.random.default_rng(0))
    assert p.tolist() == [0.01]


@pytest.mark.parametrize("name", ["t", "wilcoxon", "sign"])
def test_type_one_error(name):
    """Of 4000 pairs of systems that do not differ, a test at 0.05 rejects no more than 5%, within Monte-Carlo error.

    The sign test rejects less, because a count of signs has few values. The table of measured coverage has all tests.
    """
    rng = np.random.default_rng(8)
    topics = rng.beta(1, 2, size=(4000, 1, 40))
    datasets = np.clip(topics + rng.normal(0, 0.1, size=(4000, 2, 40)), 0, None)
    p = getattr(paired, name)(datasets[:, 0] - datasets[:, 1])
    rate, error = (p <= 0.05).mean(), np.sqrt(0.05 * 0.95 / 4000)
    assert rate < 0.05 + 3 * error
    assert rate > (0.02 if name == "sign" else 0.05 - 3 * error)


@pytest.mark.parametrize("test", ALL)
def test_level_of_one_pair(test):
    """Of 400 pairs of systems that do not differ, a test at 0.05 rejects 5%, within three Monte-Carlo errors."""
    rng = np.random.default_rng(12)
    topics = rng.uniform(size=(400, 1, 30))
    datasets = topics + rng.normal(0, 0.1, size=(400, 2, 30))
    p = np.array([test(one, 99, rng).item() for one in datasets])
    assert abs((p <= 0.05).mean() - 0.05) < 3 * np.sqrt(0.05 * 0.95 / 400)


def test_tukey_holds_its_level_for_the_family():
    """Among 8 systems that do not differ, any pair is called significant in 5% of 500 collections, not more."""
    rng = np.random.default_rng(9)
    any_pair = [
        tukey(
            rng.uniform(size=(1, 20)) + rng.normal(0, 0.1, size=(8, 20)), 199, rng
        ).min()
        <= 0.05
        for _ in range(500)
    ]
    assert abs(np.mean(any_pair) - 0.05) < 3 * np.sqrt(0.05 * 0.95 / 500)


def test_max_t_holds_its_level_where_systems_have_unequal_spread():
    """Of 2 noisy and 10 quiet systems, all equal, Tukey's range rejects in over 10% of collections, max-t does not."""
    rng = np.random.default_rng(10)
    spread = np.array([1.0, 1.0, *[0.1] * 10])[:, None]
    wrong = {"tukey": 0, "max-t": 0}
    for _ in range(200):
        one = rng.normal(size=(12, 15)) * spread
        wrong["tukey"] += tukey(one, 199, rng).min() <= 0.05
        wrong["max-t"] += stepdown.of_pairs(one, 199, rng).min() <= 0.05
    assert wrong["tukey"] > 20
    assert wrong["max-t"] < 20
