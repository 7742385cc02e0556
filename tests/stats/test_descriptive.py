import numpy as np
import pytest
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


def spread(line, bounded):
    """A system's variance, by mean (1 - mean) where scores are bounded."""
    return line.var(ddof=1) / (line.mean() * (1 - line.mean()) if bounded else 1)


def squared_error(of, scores):
    """Leave out each topic: the mean over systems of (n - 1)/n times the squares by which a figure moves."""
    n = scores.shape[1]
    left = np.array([of(np.delete(scores, at, axis=1)) for at in range(n)])
    return ((n - 1) / n * ((left - left.mean(axis=0)) ** 2).sum(axis=0)).mean()


@given(st.integers(0, 2**32 - 1), st.integers(2, 6), st.integers(4, 12), st.booleans())
def test_a_variance_is_moved_by_the_share_that_is_error(seed, systems, topics, bounded):
    """Between a system's own and the common one it lies where the errors of leaving out a topic say, by hand."""
    scores = np.random.default_rng(seed).beta(0.5, 2, size=(systems, topics))

    def own(scores):
        return np.array([spread(line, bounded) for line in scores])

    def moved(scores):
        mean = scores.mean(axis=1)
        divisors = mean * (1 - mean) if bounded else np.ones(systems)
        common = scores.var(axis=1, ddof=1).sum() / divisors.sum()
        return own(scores) + weight * (common - own(scores))

    weight = min(1, squared_error(own, scores) / own(scores).var(ddof=1))
    found, freedom = descriptive.shared(scores, bounded=bounded)
    np.testing.assert_allclose(found, moved(scores), rtol=1e-8)
    wanted = 2 * (moved(scores) ** 2).mean() / squared_error(moved, scores)
    fewest = topics - 1
    assert freedom == pytest.approx(np.clip(wanted, fewest, systems * fewest))


def test_a_variance_stays_its_own_where_nothing_says_otherwise():
    """Alone, over two topics, or where many topics show that systems vary unlike each other, it is hardly moved."""
    rng = np.random.default_rng(0)
    scores = rng.beta([[2.0], [20.0], [200.0]], [[2.0], [20.0], [200.0]], (3, 1000))
    found, freedom = descriptive.shared(scores)
    np.testing.assert_allclose(found, scores.var(axis=1, ddof=1), rtol=0.1)
    assert freedom >= 999
    for few in (scores[0], scores[:, :2], np.vstack([scores[0], scores[1] * np.nan])):
        found, freedom = descriptive.shared(few)
        np.testing.assert_array_equal(found, few.var(axis=-1, ddof=1))
        assert freedom == few.shape[-1] - 1


def test_a_system_of_zeros_is_moved_towards_the_others():
    """Of it nothing is seen: its variance is less than the largest, and its interval is shorter than alone."""
    scores = np.random.default_rng(0).beta(1, 3, size=(5, 10))
    scores[0] = 0
    alone = descriptive.bounded_interval(scores[0])
    low, high = descriptive.bounded_interval(scores)
    assert (low[0], alone[0]) == (0, 0)
    assert 0 < high[0] < alone[1]


def test_means_of_skewed_scores_hold_where_systems_share_a_variance():
    """Of 12 systems whose scores are mostly near 0, 10 topics: 95% of intervals hold, and 85% of their own spread."""
    rng, held = np.random.default_rng(1), []
    scale = np.linspace(0.02, 0.06, 12)[:, None]
    truth = np.minimum(scale * (rng.pareto(1.3, 200_000) + 0.2), 1).mean(axis=1)
    for _ in range(200):
        scores = np.minimum(scale * (rng.pareto(1.3, (12, 10)) + 0.2), 1)
        shared = descriptive.bounded_interval(scores)
        own = [descriptive.bounded_interval(line) for line in scores]
        held.append(
            [
                ((low <= truth) & (truth <= high)).mean()
                for low, high in (shared, np.transpose(own))
            ]
        )
    ours, alone = np.mean(held, axis=0)
    assert ours > 0.94
    assert alone < 0.85


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
