import numpy as np
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from irmeta.parallel import single_threaded
from irmeta.stats.standardizing import comparability

MEANS = arrays(
    np.float64,
    (2, 7),
    elements=st.integers(0, 10**6).map(lambda n: n / 10**6),
    unique=True,
)


def test_drmse_by_hand():
    """Two collections 0.1 apart on every system, whose means have the standard deviation 0.1: dRMSE 1."""
    assert np.isclose(
        comparability.drmse(np.array([0.1, 0.2, 0.3]), np.array([0.2, 0.3, 0.4])),
        1.0,
        atol=1e-12,
    )


@given(MEANS)
def test_drmse_is_symmetric(means):
    """It does not matter which collection is named first."""
    a, b = means
    assert comparability.drmse(a, b) == comparability.drmse(b, a)


@given(MEANS, st.floats(0.001, 1000))
def test_drmse_has_no_unit(means, scale):
    """Multiplying all scores by a positive number changes nothing."""
    a, b = means
    assert np.isclose(
        comparability.drmse(a, b), comparability.drmse(scale * a, scale * b), rtol=1e-9
    )


def test_drmse_is_missing_where_systems_do_not_differ():
    """Without differences between systems there is no unit to measure in."""
    assert np.isnan(comparability.drmse(np.array([0.5, 0.5]), np.array([0.6, 0.6])))


@given(st.integers(0, 2**32 - 1), st.integers(2, 30), st.integers(2, 30))
def test_false_positives_are_those_of_scipy(seed, n, m):
    """A system differs from itself exactly where scipy's two-sample t test says p < alpha."""
    rng = np.random.default_rng(seed)
    a, b = rng.uniform(size=(20, n)), rng.uniform(0.2, 1.2, size=(20, m))
    expected = scipy.stats.ttest_ind(a, b, axis=1).pvalue < 0.05
    np.testing.assert_array_equal(comparability.differs_from_itself(a, b), expected)


def test_a_constant_system_does_not_differ_from_itself():
    """The same score on every topic of both collections is no difference."""
    same = np.full((1, 10), 0.1)
    assert not comparability.differs_from_itself(same, same[:, :7]).any()


def test_repartitions_are_those_of_a_loop():
    """The batched figures equal dRMSE and scipy's test computed draw by draw from the same deals."""
    rng = np.random.default_rng(3)
    a, b = rng.beta(1, 3, size=(2, 15, 12))
    b = b[:, :9]
    errors, rates = comparability.repartition(a, b, 40, np.random.default_rng(7))
    pooled, again = np.hstack([a, b]), np.random.default_rng(7)
    order = again.random((40, 21)).argsort(axis=1)
    for deal, error, rate in zip(order, errors, rates, strict=True):
        one, other = pooled[:, deal[:12]], pooled[:, deal[12:]]
        assert np.isclose(
            error,
            comparability.drmse(one.mean(axis=1), other.mean(axis=1)),
            rtol=0,
            atol=1e-12,
        )
        assert rate == (scipy.stats.ttest_ind(one, other, axis=1).pvalue < 0.05).mean()


def test_many_pairs_are_dealt_block_by_block():
    """Each pair's deals are those of its own streams, however many blocks they are cut into."""
    rng = np.random.default_rng(4)
    scores = {
        name: rng.beta(1, 3, size=(300, topics))
        for name, topics in (("a", 8), ("b", 9), ("c", 7))
    }
    pairs = [("a", "b"), ("c", "a")]
    found = list(
        comparability.repartitions(scores, pairs, 500, np.random.default_rng(2))
    )
    children = [child.spawn(3) for child in np.random.default_rng(2).spawn(2)]
    counts = [218, 218, 64]  # of 300 systems, 65 536 numbers at once
    for pair, streams, parts in zip(pairs, children, found, strict=True):
        one, other = (scores[name] for name in pair)
        with single_threaded():  # as blocks are: others sum in another order
            dealt = [
                comparability.repartition(one, other, n, s)
                for s, n in zip(streams, counts, strict=True)
            ]
        np.testing.assert_array_equal(parts, np.concatenate(dealt, axis=1))


def test_systems_differ_from_themselves_as_often_as_alpha_says():
    """Over random deals of topics the share of false positives is the level of the test."""
    scores = np.random.default_rng(5).beta(1, 3, size=(60, 100))
    rates = comparability.repartition(
        scores[:, :50], scores[:, 50:], 2000, np.random.default_rng(1)
    )[1]
    assert abs(rates.mean() - 0.05) < 0.005


def test_quantile_counts_ties_half():
    """Among 1, 2, 2, 3 the value 2 stands in the middle."""
    assert comparability.quantile(np.array(2.0), np.array([1.0, 2.0, 2.0, 3.0])) == 0.5


def test_quantile_of_nothing_is_missing():
    """A dRMSE that is not defined stands nowhere among random ones."""
    assert np.isnan(comparability.quantile(np.array(np.nan), np.array([1.0, np.nan])))


def test_what_rounding_alone_tells_apart_has_no_drmse():
    """Systems whose means differ by rounding only have no spread to measure a difference in."""
    equal = np.full(5, 0.3) + np.array([0, 1, 0, 1, 0]) * 1e-16
    assert np.isnan(comparability.drmse(equal, equal + 0.2))


def test_the_interval_of_drmse_is_a_jackknife_over_the_topics_of_both_collections():
    """Each topic is left out of its collection in turn, by a loop; the variances of the logarithms add up."""
    rng = np.random.default_rng(0)
    a, b = rng.random((6, 8)), rng.random((6, 11)) + np.linspace(0, 0.5, 6)[:, None]
    variance = 0.0
    for one, other in ((a, b), (b, a)):
        logs = [
            np.log(
                comparability.drmse(
                    np.delete(one, topic, axis=1).mean(axis=1), other.mean(axis=1)
                )
            )
            for topic in range(one.shape[1])
        ]
        variance += (len(logs) - 1) ** 2 / len(logs) * np.var(logs, ddof=1)
    half = scipy.stats.t.ppf(0.975, 17) * np.sqrt(variance)
    expected = comparability.drmse(a.mean(axis=1), b.mean(axis=1)) * np.exp(
        [-half, half]
    )
    np.testing.assert_allclose(comparability.drmse_interval(a, b), expected)


def test_the_interval_of_drmse_holds_that_of_other_topics():
    """In four of five collections or more the interval holds the mean dRMSE of other topics of the same systems."""
    rng = np.random.default_rng(1)
    ability = np.linspace(0, 0.6, 15)[:, None]
    held, values = [], []
    for _ in range(200):
        a, b = (
            ability
            + rng.normal(size=(15, 25)) / 4
            + rng.normal(size=(1, 25)) / 4
            + shift
            for shift in (0, 0.2)
        )
        values.append(comparability.drmse(a.mean(axis=1), b.mean(axis=1)))
        held.append(comparability.drmse_interval(a, b))
    low, high = np.array(held).T
    truth = np.mean(values)
    assert ((low <= truth) & (truth <= high)).mean() > 0.85
