"""The interval of a change when flagged topics go: scipy's, simulation, and what must not matter."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats

from irmeta.stats.tests.flagged import half_width


def drawn(seed, flagged, others):
    """Values of one system's differences, of which the first are flagged and vary more, and which they are."""
    rng = np.random.default_rng(seed)
    values = rng.normal(0, 1, flagged + others)
    values[:flagged] *= 3
    return values, np.arange(flagged + others) < flagged


def test_flagged_topics_that_come_out_alike_have_an_interval_by_hand():
    """Five zeros beside five zeros and five ones: V = 1/60 + 1/36, of which a third of the topics are flagged."""
    values = np.array([0.0] * 5 + [0.0, 1.0] * 5)
    # s_o² = 5/18; s_f² = 1.5 s_o² / 5 = 1/12
    of_flagged, of_others = 1 / 60, 1 / 36
    variance = of_flagged + of_others
    freedom = variance**2 / (of_flagged**2 / 4 + of_others**2 / 9)
    expected = stats.t.ppf(0.975, freedom) * np.sqrt(variance) / 3
    assert_allclose(half_width(values, np.arange(15) < 5), expected)


@given(st.integers(0, 999))
def test_with_many_topics_the_interval_is_welchs(seed):
    """With 2000 topics of each kind one more is nothing: the interval is scipy's of Welch's test."""
    values, flagged = drawn(seed, 2000, 2000)
    kinds = values[flagged], values[~flagged]
    low, high = stats.ttest_ind(*kinds, equal_var=False).confidence_interval(0.95)
    assert_allclose(half_width(values, flagged), (high - low) / 4, rtol=1e-3)


def test_a_missing_value_is_left_out():
    """Values of which one is missing have the interval of the others, beside values that are all there."""
    values, flagged = drawn(0, 6, 11)
    absent = values.copy()
    absent[[2, 7]] = np.nan
    both = half_width(np.stack([values, absent]), flagged)
    there = ~np.isnan(absent)
    assert_allclose(both[0], half_width(values, flagged))
    # the share is that of the topics that are there
    assert_allclose(both[1], half_width(values[there], flagged[there]))


@pytest.mark.parametrize(("count", "others"), [(4, 9), (9, 4), (5, 9)])
def test_what_has_no_interval(count, others):
    """Four topics say too little of others like them, and values that do not vary nothing: NaN, without a warning."""
    values, flagged = drawn(0, count, others)
    if count == 5:
        values = np.where(flagged, 0.1, 0.3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isnan(half_width(values, flagged))


@given(st.integers(0, 999), st.floats(-5, 5), st.floats(0.1, 5))
def test_only_differences_between_topics_matter(seed, shift, scale):
    """What is added to all topics changes nothing, a factor scales the interval, and the order of topics is nothing."""
    values, flagged = drawn(seed, 5, 12)
    order = np.random.default_rng(seed).permutation(values.size)
    found = half_width(shift + scale * values[order], flagged[order])
    assert_allclose(found, scale * half_width(values, flagged), rtol=1e-7)


def test_it_holds_where_flagged_topics_are_others():
    """Of 1000 draws with 6 flagged topics, which differ more and lower, about 95% of the intervals have the truth."""
    rng = np.random.default_rng(1)
    flagged = np.arange(40) < 6
    values = rng.normal(0, 1, (1000, 40))
    values[:, flagged] = 3 * values[:, flagged] - 2
    change = values[:, ~flagged].mean(axis=1) - values.mean(axis=1)
    held = np.abs(change - flagged.mean() * 2) <= half_width(values, flagged)
    assert 0.93 < held.mean() < 0.97
