import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr

from irmeta.stats.standardizing import normal


@pytest.mark.parametrize("reach", [1, 10, 100])
def test_the_bound_of_the_error_holds(reach):
    """On and between all knots, and far outside them, the table is within its stated bound of scipy."""
    z = np.linspace(-reach, reach, 1_000_003)
    assert np.abs(normal.cdf(z) - ndtr(z)).max() <= normal.ERROR


@given(st.floats(allow_nan=False))
def test_every_number_has_a_probability(z):
    """Whatever the size of z, up to infinity, the result is scipy's within the bound."""
    assert abs(normal.cdf(np.array([z]))[0] - ndtr(z)) <= normal.ERROR


def test_the_bound_of_the_error_is_not_a_loose_one():
    """At the mean, where the third derivative is largest, the error comes near its bound."""
    z = np.linspace(-0.01, 0.01, 100_001)
    assert 0.9 * normal.ERROR < np.abs(normal.cdf(z) - ndtr(z)).max() <= normal.ERROR


def test_missing_stays_missing():
    """A NaN gives NaN and changes no other value; 0 gives one half exactly; the input stays what it was."""
    z = np.array([[0.0, np.nan, 1.0], [np.nan, -np.inf, np.inf]])
    before = z.copy()
    found = normal.cdf(z)
    assert found[0, 0] == 0.5
    np.testing.assert_allclose(found, ndtr(z), rtol=0, atol=normal.ERROR)
    np.testing.assert_array_equal(z, before)


def test_the_layout_in_memory_does_not_matter():
    """A transposed array and its copy give the same bits."""
    z = np.random.default_rng(0).normal(size=(7, 11)).T
    np.testing.assert_array_equal(normal.cdf(z), normal.cdf(z.copy()))


@given(st.floats(-20, 20))
def test_it_is_symmetric(z):
    """Opposite z add up to 1, but for rounding: means that tie by symmetry still tie."""
    assert abs(normal.cdf(np.array([z, -z])).sum() - 1) < 1e-15
