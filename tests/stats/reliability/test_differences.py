"""Power, detectable differences and topic set sizes against statsmodels' figures, simulation and Sakai's tables."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_1samp

from irmeta.stats.reliability import differences, sizes


def test_power_is_the_share_of_significant_tests():
    """Of 4000 simulated samples the share significant is the power."""
    rng = np.random.default_rng(0)
    samples = rng.normal(0.4, 1, size=(4000, 30))
    assert (
        abs(
            (ttest_1samp(samples, 0, axis=1).pvalue < 0.05).mean()
            - differences.power(0.4, 30)
        )
        < 0.025
    )


def test_power_of_no_difference_is_the_level():
    """Where systems do not differ a test rejects at its level."""
    assert np.isclose(differences.power(0.0, 20, 0.01), 0.01)


@given(st.integers(2, 400), st.floats(0.001, 0.2), st.floats(0.3, 0.99))
def test_the_smallest_effect_has_the_power_wanted(topics, alpha, wanted):
    """At the smallest effect the power is as wanted."""
    effect = differences.smallest_effect(topics, alpha, wanted)
    assert np.isclose(differences.power(effect, topics, alpha), wanted, atol=1e-4)


@given(st.floats(0.02, 3), st.floats(0.6, 0.95))
def test_paired_topics_are_the_fewest(effect, wanted):
    """With the topics returned there is power enough, and with one fewer there is not."""
    topics = differences.paired_topics(effect, power_wanted=wanted)
    assert differences.power(effect, topics) >= wanted
    assert topics == 2 or differences.power(effect, topics - 1) < wanted


def test_power_far_beyond_the_limit_is_1():
    """A difference of many deviations is always shown, and its power a number."""
    assert differences.power(np.array([50.0, np.inf]), 10).tolist() == [1.0, 1.0]


@pytest.mark.parametrize(
    ("systems", "topics"),
    [(2, 80), (3, 98), (5, 121), (10, 158), (20, 207), (50, 301), (100, 405)],
)
def test_topic_set_sizes_of_sakai_by_anova(systems, topics):
    """Sakai (2016), one-way ANOVA: variance .05, difference .1, alpha .05, power .8."""
    assert sizes.by_anova(0.1, 0.05, systems) == topics


def test_an_interval_is_as_wide_as_promised():
    """The mean width of simulated intervals of a difference is at most the width asked for, and not much less."""
    topics = sizes.by_interval(0.3, 0.05)
    rng = np.random.default_rng(0)
    sample = rng.normal(0, np.sqrt(2 * 0.05), size=(4000, topics))
    ends = ttest_1samp(sample, 0, axis=1).confidence_interval(0.95)
    assert 0.285 < (ends.high - ends.low).mean() < 0.303
