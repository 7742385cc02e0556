"""Ranks of values along the last axis are scipy's."""

import numpy as np
import pytest
from scipy.stats import rankdata

from irmeta.stats.rankings.ranks import dense_ranks, tied_ranks


@pytest.mark.parametrize("ties", ["average", "min", "max"])
@pytest.mark.parametrize("shape", [(7,), (1,), (3, 40), (2, 5, 12), (4, 1)])
@pytest.mark.parametrize("values", [2, 10, 10**6])
def test_ranks_are_those_of_scipy(ties, shape, values):
    """With many ties, with few, with none."""
    x = np.random.default_rng(5).integers(0, values, shape) / 7
    np.testing.assert_array_equal(tied_ranks(x, ties), rankdata(x, ties, axis=-1))
    np.testing.assert_array_equal(
        dense_ranks(x), rankdata(x, "dense", axis=-1).astype(int) - 1
    )


def test_infinite_values_have_ranks():
    """They come first and last."""
    assert tied_ranks(np.array([np.inf, 0.0, -np.inf, np.inf])).tolist() == [
        3.5,
        2,
        1,
        3.5,
    ]


@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 3)])
def test_no_values_have_no_ranks(shape):
    """Of nothing there are no ranks, in the same shape."""
    assert tied_ranks(np.empty(shape)).shape == shape
    assert dense_ranks(np.empty(shape)).shape == shape
