"""A difference that is the same on every topic has the p of signs by every test, however scores are rounded."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from irmeta.stats.tests import paired, resampling, stepdown
from irmeta.stats.tests.compared import Given, Pairs
from irmeta.stats.tests.comparing import TESTS, Way, compare

TOPICS = 5
OF_SIGNS = 2 / 2**TOPICS


@st.composite
def constant(draw):
    """Scores (system, topic) of three systems: the second is above the first by the same on every topic."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    scale = draw(st.sampled_from([1, 100]))
    by = draw(st.floats(1e-6, 1))
    first, third = scale * rng.uniform(size=(2, TOPICS)).round(5)
    return np.stack([first, first + by, third])


SIXTIES = np.linspace(41, 60, TOPICS)
PRINTED = example(np.stack([SIXTIES, SIXTIES + 0.001, SIXTIES[::-1]]))
"""Scores in percent, of which a difference of .001 is rounded in its twelfth digit."""


@PRINTED
@given(constant())
@pytest.mark.parametrize("test", [paired.t, paired.wilcoxon, paired.sign])
def test_of_all_pairs(test, scores):
    """A test of all pairs gives 2 / 2^n."""
    assert paired.over_pairs(test, scores)[0] == OF_SIGNS


@PRINTED
@given(constant())
@pytest.mark.parametrize("test", [resampling.permutation, resampling.bootstrap])
def test_by_resampling(test, scores):
    """Gone through all ways, or by the rule of signs, resampling gives 2 / 2^n."""
    assert test(Pairs(scores), 100, np.random.default_rng(0))[0] == OF_SIGNS


@PRINTED
@given(constant())
def test_tukey(scores):
    """Of this pair alone p is 2 / 2^n but for chance."""
    alone = resampling.tukey(Pairs(scores[:2]), 200, np.random.default_rng(0))
    assert alone == pytest.approx(OF_SIGNS, abs=0.04)


@PRINTED
@given(constant())
def test_max_t(scores):
    """Of this pair alone p is 2 / 2^n by max-t, which lists all ways to set signs."""
    alone = stepdown.of_pairs(scores[:2], 200, np.random.default_rng(0))
    assert alone == pytest.approx(OF_SIGNS)


@PRINTED
@given(constant())
def test_max_t_beside_others(scores):
    """Corrected for other pairs by max-t, p is no smaller than 2 / 2^n."""
    p = stepdown.of_pairs(scores, 200, np.random.default_rng(0))
    assert p[0] >= OF_SIGNS * (1 - 1e-9)


@PRINTED
@given(constant())
@pytest.mark.parametrize("test", ["t", "wilcoxon", "sign", "permutation", "bootstrap"])
def test_against_others(test, scores):
    """One system against another has 2 / 2^n by every test."""
    found = paired.less(scores[0], scores[1:])
    p = TESTS[test](Given(found), 100, np.random.default_rng(0))
    assert p[0] == OF_SIGNS


@PRINTED
@given(constant())
def test_dunnett(scores):
    """One comparison, tested as one of several, has 2 / 2^n but for chance."""
    found = paired.less(scores[0], scores[1:2])
    together = resampling.dunnett(Given(found), 200, np.random.default_rng(0))
    assert together == pytest.approx(OF_SIGNS, abs=0.04)


@PRINTED
@given(constant())
def test_no_interval(scores):
    """There is no standard error, no interval, an effect without bound; equivalence is by signs."""
    found = paired.differences(scores)[:1]
    error = paired.standard_error(found)
    assert error.tolist() == [0.0]
    assert np.isnan(paired.half_width(2.0, error)).all()
    way = Way("t", "none", 0.05, None, 100)
    assert np.isnan(compare(Given(found), way, np.random.default_rng(0))["low"]).all()
    assert paired.effect_size(found).tolist() == [-np.inf]
    inside = paired.equivalence(found.mean(axis=1), error, TOPICS, 1.1)
    assert inside.tolist() == [OF_SIGNS / 2]


def test_differences_on_other_topics_stay():
    """Where a topic is not scored the others are the same, and it is not filled; a difference that varies is kept."""
    one = np.array([41.3, 52.1, 60.7])
    others = np.stack([one - 0.001, [41.3, np.nan, 60.6], one + np.array([0, 0, 1e-6])])
    others[0, 1] = np.nan
    found = paired.less(one, others)
    assert np.isnan(found).tolist() == [[False, True, False]] * 2 + [[False] * 3]
    assert found[0, 0] == found[0, 2] == pytest.approx(0.001)
    np.testing.assert_array_equal(found[1:, 0], 0)
    assert found[2, 2] == pytest.approx(-1e-6)
