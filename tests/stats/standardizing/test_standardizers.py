from typing import get_args

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from irmeta.choices import Kind
from irmeta.stats.standardizing import standardizers
from irmeta.stats.standardizing.standardizers import KINDS, Factors, fit, standardize

SCORES = arrays(
    np.float64,
    st.tuples(st.integers(3, 12), st.integers(1, 6)),
    elements=st.integers(0, 1000).map(float),
)


@given(SCORES)
def test_z_is_that_of_scipy(scores):
    """On its own standardizing systems z is scipy's zscore with the divisor n - 1."""
    varied = scores[:, np.ptp(scores, axis=0) > 0]
    expected = scipy.stats.zscore(varied, axis=0, ddof=1)
    np.testing.assert_allclose(
        standardizers.z(varied, fit(varied)), expected, rtol=0, atol=1e-12
    )


@given(SCORES, st.data())
@pytest.mark.parametrize("kind", ["z", "normal", "uniform"])
def test_positive_affine_maps_of_a_topic_change_nothing(kind, scores, data):
    """z, normal and uniform forget the scale and the origin that each topic's scores had."""
    topics = scores.shape[1]
    slope = np.array(
        data.draw(st.lists(st.floats(0.01, 100), min_size=topics, max_size=topics))
    )
    shift = np.array(
        data.draw(st.lists(st.floats(-100, 100), min_size=topics, max_size=topics))
    )
    mapped = slope * scores + shift
    before, after = (standardize(one, fit(one), kind) for one in (scores, mapped))
    np.testing.assert_allclose(after, before, atol=1e-7)


@given(SCORES)
@pytest.mark.parametrize("grow", [np.sqrt, np.exp2, lambda x: x**3 - 5])
def test_rising_maps_of_a_topic_change_nothing_for_empirical(grow, scores):
    """The empirical kind sees only the order of a topic's scores."""
    scores = scores / 50
    mapped = grow(scores)
    np.testing.assert_array_equal(
        standardize(mapped, fit(mapped), "empirical"),
        standardize(scores, fit(scores), "empirical"),
    )


@given(SCORES)
def test_empirical_is_the_distribution_function_of_scipy(scores):
    """The empirical kind is scipy's ecdf of the standardizing scores, ties counted as not above."""
    found = standardizers.empirical(scores, fit(scores))
    for topic in range(scores.shape[1]):
        expected = scipy.stats.ecdf(scores[:, topic]).cdf.evaluate(scores[:, topic])
        np.testing.assert_allclose(found[:, topic], expected, rtol=0, atol=1e-12)


@given(SCORES, st.randoms(use_true_random=False))
def test_the_order_of_the_systems_changes_no_bit(scores, random):
    """Factors are computed from the sorted scores, so that two labs get the same numbers."""
    order = list(range(len(scores)))
    random.shuffle(order)
    for one, other in zip(fit(scores), fit(scores[order]), strict=True):
        np.testing.assert_array_equal(one, other)


def test_formulas_by_hand():
    """Each kind is its formula, worked by hand on three systems with mean 0.3 and standard deviation 0.2."""
    scores = np.array([[0.1], [0.5], [0.3]])
    factors = fit(scores)
    expected = {
        "z": [-1, 1, 0],
        "normal": [0.158655253931457, 0.841344746068543, 0.5],
        "uniform": [0.35, 0.65, 0.5],
        "empirical": [1 / 3, 1, 2 / 3],
        "max": [0.2, 1, 0.6],
        "center": [-0.2, 0.2, 0],
    }
    assert set(expected) == set(KINDS)
    for kind, values in expected.items():
        np.testing.assert_allclose(
            standardize(scores, factors, kind)[:, 0], values, atol=1e-12
        )


def test_uniform_is_cut_to_the_unit_interval():
    """Scores more than 0.5 / 0.15 standard deviations from the mean get 0 or 1."""
    factors = Factors(np.array([0.0]), np.array([1.0]), np.array([[-1.0, 1.0]]))
    assert standardize(
        np.array([[-4.0], [4.0]]), factors, "uniform"
    ).ravel().tolist() == [0, 1]


@pytest.mark.parametrize(
    ("kind", "middle"),
    [("z", 0), ("normal", 0.5), ("uniform", 0.5), ("empirical", 0.5)],
)
def test_a_topic_without_spread_gives_the_middle_or_the_raw_score(kind, middle):
    """Where all standardizing systems score alike a score means nothing: half gives the middle, raw leaves it."""
    # alike but for rounding
    factors = fit(np.full((4, 1), 0.1) * np.array([[1], [1], [1], [1 + 1e-15]]))
    new = np.array([[0.7], [np.nan]])
    assert standardize(new, factors, kind)[0, 0] == middle
    assert standardize(new, factors, kind, flat="raw")[0, 0] == 0.7
    assert np.isnan(standardize(new, factors, kind)[1, 0])


def test_max_has_no_meaning_where_the_best_score_is_zero_and_center_always_has():
    """Dividing by a best score of 0 is undefined; a mean can always be subtracted."""
    factors = fit(np.zeros((3, 1)))
    assert standardize(np.array([[0.2]]), factors, "max").item() == 0.5
    assert standardize(np.array([[0.2]]), factors, "center").item() == 0.2


@pytest.mark.parametrize("kind", list(KINDS))
def test_missing_scores_stay_missing(kind):
    """NaN goes in and NaN comes out, whatever the kind."""
    factors = fit(np.array([[0.1], [0.5], [0.3]]))
    assert np.isnan(standardize(np.array([[np.nan]]), factors, kind)).all()


def test_every_name_that_an_option_may_have_is_a_standardizer():
    """The names in the signature and the records are the same."""
    assert set(get_args(Kind)) == set(KINDS)
