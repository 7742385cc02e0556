"""Models by one signature are those of scikit-learn, and collections left out are those of a loop."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.svm import SVR

from irmeta.stats.prediction.intervals import leave_one_out
from irmeta.stats.prediction.learners import held_out, learner
from irmeta.stats.prediction.regression import moments


@pytest.fixture
def rows():
    rng = np.random.default_rng(2)
    x = rng.random((40, 2))
    return np.column_stack([x, x @ [0.4, 0.3] + 0.05 * rng.normal(size=40)])


def test_least_squares_and_the_kernel_are_those_of_scikit_learn(rows):
    """The kernel of size s is exp(-d^2 / (2 s^2)), on the scores as they are or standardized."""
    x, y = rows[:, :-1], rows[:, -1]
    expected = LinearRegression().fit(x, y).predict(x)
    np.testing.assert_allclose(learner("ols")(x, y)(x), expected)
    for size in (0.5, 2.0):
        machine = SVR(C=1.0, epsilon=0.01, gamma=1 / (2 * size**2))
        found = learner("svr", kernel=size, standardize=False)(x, y)(x)
        np.testing.assert_allclose(found, machine.fit(x, y).predict(x))
        z = (x - x.mean(axis=0)) / x.std(axis=0)
        np.testing.assert_allclose(
            learner("svr", kernel=size)(x, y)(x), machine.fit(z, y).predict(z)
        )


def test_errors_of_collections_left_out_are_those_of_the_moments(rows):
    """Computed from scores, least squares has the offsets and variances that its sufficient statistics give."""
    parts = [rows[:12], rows[12:25] + 0.02, rows[25:]]
    found = held_out(parts, learner("ols"))
    expected = leave_one_out([moments(part) for part in parts], [0, 1], [2])
    np.testing.assert_allclose(found.offset, expected.offset, atol=1e-12)
    np.testing.assert_allclose(found.variance, expected.variance, atol=1e-12)


def test_boosting_is_the_same_with_the_same_seed(rows):
    """What is random in a model comes from the seed."""
    x, y = rows[:, :-1], rows[:, -1]
    one, same = (learner("boosting", rng=7)(x, y)(x) for _ in range(2))
    np.testing.assert_array_equal(one, same)
