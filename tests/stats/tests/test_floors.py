"""The smallest p of a test is what it gives for the most extreme data."""

import numpy as np
import pytest

from irmeta.stats.tests import floors
from irmeta.stats.tests.compared import Given
from irmeta.stats.tests.comparing import TESTS


@pytest.mark.parametrize("test", ["sign", "wilcoxon", "permutation"])
@pytest.mark.parametrize("topics", [3, 6, 10])
def test_the_most_extreme_differences_have_the_smallest_p(test, topics):
    """Differences that all favour one system have the p that so many topics allow, ties left out."""
    found = np.concatenate([np.arange(1.0, topics + 1), np.zeros(2)])[None]
    p = TESTS[test](Given(found), 100_000, np.random.default_rng(0))
    np.testing.assert_allclose(p, floors.of_topics(test, topics))


def test_resamples_have_a_floor_of_their_own():
    """A resampled p counts the data as one resample; a test with a formula, or of all ways, has no such floor."""
    found = np.full((1, 30), 0.5) + np.linspace(0, 0.01, 30)
    p = TESTS["permutation"](Given(found), 200, np.random.default_rng(0))
    np.testing.assert_allclose(p, floors.of_resamples("permutation", 200, 30))
    assert (
        floors.of_resamples("permutation", 200, 7)
        == floors.of_resamples("t", 200, 30)
        == 0
    )
