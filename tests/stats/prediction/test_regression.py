"""Least squares from moments against numpy's solver on the data themselves."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from irmeta.errors import ScoresError
from irmeta.stats.prediction.regression import (
    Moments,
    least_squares,
    moments,
    pool,
    residual_moments,
)


def correlated(seed, count=40, variables=5):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(count, variables)) @ rng.normal(
        size=(variables, variables)
    ) + rng.normal(size=variables)


def solved(data, predictors, target):
    """Coefficients and intercept by numpy.linalg.lstsq."""
    design = np.column_stack([data[:, list(predictors)], np.ones(len(data))])
    found = np.linalg.lstsq(design, data[:, target], rcond=None)[0]
    return found[:-1], found[-1]


@given(seed=st.integers(0, 10**6))
def test_coefficients_and_intercepts_are_those_of_lstsq(seed):
    """All subsets and targets solved at once equal numpy's solution of each."""
    data = correlated(seed)
    subsets = list(combinations(range(4), 2))
    slopes, intercepts = least_squares(moments(data), subsets, [4, 3])
    for at, subset in enumerate(subsets):
        for t, target in enumerate([4, 3]):
            if target not in subset:
                expected = solved(data, subset, target)
                assert_allclose(slopes[at, :, t], expected[0], rtol=1e-6, atol=1e-9)
                assert_allclose(intercepts[at, t], expected[1], rtol=1e-6, atol=1e-9)


def test_line_through_three_points_is_found_by_hand():
    """The line y = 1 + 2x has the slope 2 and the intercept 1."""
    slopes, intercepts = least_squares(
        moments([[0.0, 1.0], [1.0, 3.0], [2.0, 5.0]]), [0], [1]
    )
    assert_allclose([slopes[0, 0], intercepts[0]], [2.0, 1.0])


def test_collinear_predictor_gets_no_weight_and_changes_no_prediction():
    """A predictor that is the sum of two before it has the coefficient 0; predictions are those without it."""
    data = correlated(3)
    data[:, 2] = data[:, 0] + data[:, 1]
    slopes, intercepts = least_squares(moments(data), [0, 1, 2], [4])
    expected = solved(data, (0, 1), 4)
    assert slopes[2, 0] == 0
    assert_allclose(slopes[:2, 0], expected[0], rtol=1e-7)
    assert_allclose(intercepts[0], expected[1], rtol=1e-7)


def test_constant_predictor_gets_no_weight():
    """A predictor that never varies has the coefficient 0 and the intercept is the target's mean."""
    data = correlated(4)
    data[:, 0] = 0.3
    slopes, intercepts = least_squares(moments(data), [0], [4])
    assert slopes[0, 0] == 0
    assert_allclose(intercepts[0], data[:, 4].mean())


def test_too_few_observations_are_an_error():
    """Three predictors and an intercept take five systems; four raise ScoresError with both numbers."""
    with pytest.raises(ScoresError, match="4 systems are too few to fit 3 predictors"):
        least_squares(moments(correlated(0)[:4]), [0, 1, 2], [4])


@given(cut=st.integers(1, 39), seed=st.integers(0, 10**6))
def test_pooled_moments_are_those_of_all_rows(cut, seed):
    """Pooling the moments of two parts gives the moments of the whole."""
    data = correlated(seed)
    whole, parts = moments(data), pool([moments(data[:cut]), moments(data[cut:])])
    assert parts.n == whole.n
    assert_allclose(parts.mean, whole.mean, atol=1e-12)
    assert_allclose(parts.cov, whole.cov, atol=1e-10)


def test_taken_moments_are_those_of_the_columns_taken():
    """Taking variables keeps their means and covariances in the order asked for."""
    data = correlated(5)
    taken, expected = moments(data).take([3, 1]), moments(data[:, [3, 1]])
    assert isinstance(taken, Moments)
    assert_allclose(taken.mean, expected.mean)
    assert_allclose(taken.cov, expected.cov)


@given(seed=st.integers(0, 10**6))
def test_residual_moments_are_those_of_the_residuals(seed):
    """The mean and variance told from moments are those of the residuals of other data, one by one."""
    data, other = correlated(seed), correlated(seed + 1)
    slopes, intercepts = least_squares(moments(data), [0, 2], [4, 1])
    mean, variance = residual_moments(
        moments(other), [0, 2], [4, 1], slopes, intercepts
    )
    residuals = other[:, [4, 1]] - other[:, [0, 2]] @ slopes - intercepts
    assert_allclose(mean, residuals.mean(axis=0), rtol=1e-7, atol=1e-9)
    assert_allclose(variance, residuals.var(axis=0), rtol=1e-6, atol=1e-9)
