import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from irmeta.stats.halves.clusters import (
    added_to_r,
    alike,
    effective,
    pseudo_values,
    totals,
    wider,
)

SEEDS = st.integers(0, 2**32 - 1)


def _drawn(rng, clusters, sizes, icc, systems=1):
    """Scores (system, topic) whose clusters have an intraclass correlation, and the cluster of each topic."""
    size = rng.integers(1, 21, clusters) if sizes == "1 to 20" else [5] * clusters
    cluster = np.repeat(np.arange(clusters), size)
    common = rng.normal(size=(systems, clusters))[:, cluster]
    own = rng.normal(size=(systems, len(cluster)))
    return np.sqrt(icc) * common + np.sqrt(1 - icc) * own, cluster


def test_values_of_equal_clusters_are_their_means():
    """Clusters of one size have their means as values."""
    scores, cluster = _drawn(np.random.default_rng(0), 7, "5", 0.3, systems=2)
    means = scores.reshape(2, 7, 5).mean(axis=-1)
    np.testing.assert_allclose(pseudo_values(scores, cluster), means, atol=1e-12)


@given(seed=SEEDS)
def test_error_is_that_of_leaving_out_each_cluster(seed):
    """The mean is that over topics, and the standard error is the jackknife's, cluster by cluster."""
    scores, cluster = _drawn(np.random.default_rng(seed), 6, "1 to 20", 0.3)
    values = pseudo_values(scores, cluster)[0]
    assert values.mean() == pytest.approx(scores.mean(), abs=1e-12)
    without = np.array([scores[0, cluster != c].mean() for c in range(6)])
    jackknife = np.sqrt(5 / 6 * ((without - without.mean()) ** 2).sum())
    assert values.std(ddof=1) / np.sqrt(6) == pytest.approx(jackknife)


@given(seed=SEEDS)
def test_value_of_a_difference_is_the_difference_of_values(seed):
    """Values are linear in the scores."""
    scores, cluster = _drawn(np.random.default_rng(seed), 5, "1 to 20", 0.3, systems=2)
    one, other = pseudo_values(scores, cluster)
    both = pseudo_values(scores[0] - scores[1], cluster)
    np.testing.assert_allclose(one - other, both, atol=1e-12)


@given(seed=SEEDS)
def test_sums_of_clusters_come_back_from_their_values(seed):
    """From pseudo-values and sizes follows the sum of each cluster's topics."""
    scores, cluster = _drawn(np.random.default_rng(seed), 5, "1 to 20", 0.3, systems=2)
    found = totals(pseudo_values(scores, cluster), np.bincount(cluster))
    sums = [scores[:, cluster == number].sum(axis=1) for number in range(5)]
    np.testing.assert_allclose(found.T, sums, atol=1e-10)


def test_agrees_with_cluster_robust_errors_of_statsmodels():
    """With clusters of one size the standard error is the cluster-robust one of least squares on a constant."""
    from statsmodels import api

    scores, cluster = _drawn(np.random.default_rng(1), 12, "5", 0.5)
    fitted = api.OLS(scores[0], np.ones(60)).fit(
        cov_type="cluster", cov_kwds={"groups": cluster}
    )
    values = pseudo_values(scores, cluster)[0]
    assert values.std(ddof=1) / np.sqrt(12) == pytest.approx(fitted.bse[0])


def test_intraclass_correlation_by_hand():
    """Two clusters of two: MSB = .16, MSW = .02, so (.16 - .02) / (.16 + .02)."""
    found = alike(np.array([[0.1, 0.3, 0.5, 0.7]]), np.array([0, 0, 1, 1]))
    # means .2 and .6 about .4: 2 (.04 + .04) / 1 = .16; within 4 times .01 / 2 = .02
    assert found.icc == pytest.approx((0.16 - 0.02) / (0.16 + 0.02))
    assert np.isnan(found.low)


@pytest.mark.parametrize("icc", [0.0, 0.3, 0.6])
def test_interval_of_the_intraclass_correlation_holds(icc):
    """The 95% interval holds the truth in 89% of 200 draws or more, whatever the sizes."""
    rng = np.random.default_rng(2)
    held = []
    for _ in range(200):
        found = alike(*_drawn(rng, 30, "1 to 20", icc, systems=5))
        held.append(found.low <= icc <= found.high)
    assert np.mean(held) > 0.89


@pytest.mark.parametrize("sizes", ["5", "1 to 20"])
@pytest.mark.parametrize("clusters", [5, 12, 30])
def test_t_test_keeps_its_level(clusters, sizes):
    """Over clusters the t test rejects a true null in about 5% of draws; over topics in 15% or more."""
    rng = np.random.default_rng([clusters, len(sizes)])
    found = []
    for _ in range(600):
        scores, cluster = _drawn(rng, clusters, sizes, 0.3)
        for one in (pseudo_values(scores, cluster)[0], scores[0]):
            error = one.std(ddof=1) / np.sqrt(one.size)
            found.append((abs(one.mean() / error), one.size - 1))
    p = 2 * scipy.stats.t.sf(*np.transpose(found))
    by_cluster, by_topic = (p.reshape(-1, 2) < 0.05).mean(axis=0)
    assert 0.02 <= by_cluster <= 0.085
    assert by_topic > 0.15


def test_width_follows_the_design_effect():
    """Equal clusters widen intervals by the root of 1 + (size - 1) ICC."""
    scores, cluster = _drawn(np.random.default_rng(3), 2000, "5", 0.3)
    assert wider(scores, cluster) == pytest.approx(np.sqrt(1 + 4 * 0.3), rel=0.05)


def test_one_large_cluster_is_worth_few():
    """Nine single topics and a cluster of 91 are worth hardly more than one cluster."""
    assert effective(np.repeat(np.arange(10), [91] + [1] * 9)) == pytest.approx(
        100**2 / (91**2 + 9)
    )


def test_what_topics_add_to_r_is_what_leaving_them_out_takes():
    """With many topics (n - 1) (r - r without a topic) is what the topic adds, which adds up to 0."""
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(5, 400, 3)) + rng.normal(size=(5, 400, 1))
    added = added_to_r(scores)

    def r(kept):
        return np.corrcoef(kept.reshape(-1, 3).T)[np.triu_indices(3, 1)]

    left = [399 * (r(scores) - r(np.delete(scores, at, axis=1))) for at in range(400)]
    np.testing.assert_allclose(added.T, left, atol=0.1)
    assert np.corrcoef(added.ravel(), np.ravel(np.transpose(left)))[0, 1] > 0.999
    np.testing.assert_allclose(added.sum(axis=1), 0, atol=1e-9)
