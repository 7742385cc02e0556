"""Accuracy against scikit-learn, scipy and its own identities."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.stats import kendalltau, pearsonr
from sklearn.metrics import r2_score, root_mean_squared_error

from irmeta.stats.prediction.accuracy import accuracy


@given(seed=st.integers(0, 10**6))
def test_measures_are_those_of_scikit_learn_and_scipy(seed):
    """R2 and RMSE equal scikit-learn's, r and tau scipy's, for every prediction of a batch."""
    rng = np.random.default_rng(seed)
    actual = rng.random(12).round(2)
    predicted = actual + rng.normal(0.1, 0.2, (3, 12))
    found = accuracy(actual, predicted)
    for i, one in enumerate(predicted):
        assert found.r2[i] == pytest.approx(r2_score(actual, one))
        assert found.rmse[i] == pytest.approx(root_mean_squared_error(actual, one))
        assert found.r[i] == pytest.approx(pearsonr(actual, one).statistic)
        assert found.tau[i] == pytest.approx(kendalltau(actual, one).statistic)


@given(shift=st.floats(-1, 1), seed=st.integers(0, 10**6))
def test_offset_changes_r2_only(shift, seed):
    """Adding a constant to all predictions leaves tau, r and the R2 with the offset removed as they were."""
    rng = np.random.default_rng(seed)
    actual, predicted = rng.random(10), rng.random(10)
    before, after = accuracy(actual, predicted), accuracy(actual, predicted + shift)
    assert_allclose(after.r2_offset_removed, before.r2_offset_removed, atol=1e-9)
    assert_allclose(after.r, before.r, atol=1e-9)
    assert after.tau == before.tau
    assert after.r2_offset_removed >= after.r2 - 1e-12


def test_share_of_the_offset_splits_the_squared_error():
    """Errors 1 and 3 have the squared mean 4 of the mean square 5: a share of 0.8."""
    assert accuracy([0.0, 1.0], [-1.0, -2.0]).bias_share == pytest.approx(0.8)


def test_training_mean_as_the_rival_of_the_prediction():
    """Errors of .1 beside those of predicting .5 where the scores are .1 and .3: R2 is 1 - .01 / .1."""
    assert accuracy(
        [0.1, 0.3], [0.2, 0.4], training_mean=0.5
    ).r2_training_mean == pytest.approx(0.9)
    assert np.isnan(accuracy([0.1, 0.3], [0.2, 0.4]).r2_training_mean)


def test_constant_scores_have_no_r2_and_no_order():
    """Where all actual scores are equal, R2, r and tau are NaN and RMSE is not."""
    found = accuracy([0.5, 0.5, 0.5], [0.4, 0.5, 0.6])
    assert np.isnan([found.r2, found.r, found.tau]).all()
    assert found.rmse == pytest.approx(np.sqrt(0.02 / 3))
