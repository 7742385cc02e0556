import numpy as np
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from irmeta.stats import descriptive


@given(st.integers(0, 2**32 - 1), st.integers(2, 50), st.floats(0.5, 0.999))
def test_t_interval_is_that_of_scipy(seed, topics, level):
    """The interval of a mean is scipy's t confidence interval."""
    scores = np.random.default_rng(seed).uniform(size=(3, topics))
    expected = scipy.stats.ttest_1samp(scores, 0, axis=1).confidence_interval(level)
    low, high = descriptive.t_interval(scores, level)
    np.testing.assert_allclose(low, expected.low, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(high, expected.high, rtol=1e-12, atol=1e-12)


@given(st.integers(0, 2**32 - 1))
def test_reliability_is_the_correlation_with_the_other_topics(seed):
    """The corrected item-total correlation is Pearson's r of a topic with the sum of all others."""
    scores = np.random.default_rng(seed).uniform(size=(9, 5))
    expected = [
        np.corrcoef(scores[:, t], np.delete(scores, t, axis=1).sum(axis=1))[0, 1]
        for t in range(5)
    ]
    np.testing.assert_allclose(
        descriptive.item_total(scores), expected, rtol=1e-12, atol=1e-12
    )


def test_reliability_is_missing_where_all_systems_score_alike():
    """A topic that tells no systems apart has no reliability."""
    scores = np.array([[0.5, 0.1, 0.3], [0.5, 0.4, 0.2], [0.5, 0.2, 0.9]])
    assert np.isnan(descriptive.item_total(scores)).tolist() == [True, False, False]


def test_equal_means_share_the_better_rank():
    """Ranks count the systems that are better, plus one; rounding makes no ranks."""
    assert descriptive.ranks(np.array([0.1 + 0.2, 0.3, 0.5])).tolist() == [2, 2, 1]


@given(st.integers(0, 2**32 - 1))
def test_rank_intervals_hold_the_own_rank(seed):
    """A system's interval overlaps with itself, so its own rank lies between the two."""
    scores = np.random.default_rng(seed).uniform(size=(10, 6))
    means = scores.mean(axis=1)
    low, high = descriptive.rank_intervals(means, *descriptive.t_interval(scores))
    rank = descriptive.ranks(means)
    assert (low <= rank).all()
    assert (rank <= high).all()


def test_percentiles_count_from_the_highest():
    """The 1st percentile of 129 systems is the 2nd best, the 10th the 13th: position ceil(p n)."""
    values = np.arange(129.0)
    at = descriptive.at_percentiles(values, np.array([1, 10, 75, 100]))
    assert (129 - at).tolist() == [2, 13, 97, 129]
