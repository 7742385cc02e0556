import itertools

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from irmeta.stats.tests.flips import mcnemar, needed, power, smallest_seen


@given(wins=st.integers(0, 40), losses=st.integers(0, 40))
def test_p_is_that_of_the_binomial_test(wins, losses):
    """McNemar's exact test is the two-sided sign test of the topics that differ."""
    if wins + losses:
        expected = scipy.stats.binomtest(wins, wins + losses).pvalue
        assert mcnemar(wins, losses) == pytest.approx(expected)


@given(differ=st.integers(0, 60), alpha=st.sampled_from([0.01, 0.05, 0.1]))
def test_so_many_are_needed_and_no_fewer(differ, alpha):
    """With the topics needed p is below alpha, with one fewer it is not; where none suffice, all plus one are said."""
    least = int(needed(np.array([differ]), alpha)[0])
    if least <= differ:
        assert mcnemar(least, differ - least) < alpha
    assert least <= differ + 1
    fewer = least - 1
    if 2 * fewer >= differ:
        assert mcnemar(fewer, differ - fewer) >= alpha


def test_power_is_the_sum_over_all_outcomes():
    """Wins, losses and ties on six topics, one by one."""
    total = 0.0
    chances = {1: 0.55, -1: 0.15, 0: 0.3}
    for outcome in itertools.product(chances, repeat=6):
        wins, losses = outcome.count(1), outcome.count(-1)
        if mcnemar(wins, losses) < 0.1:
            total += np.prod([chances[one] for one in outcome])
    assert power(0.4, 0.7, 6, 0.1) == pytest.approx(total)


def test_smaller_differences_are_missed():
    """The smallest difference seen has the power asked for, one topic less has not."""
    smallest = smallest_seen(0.3, 60)
    assert power(smallest, 0.3, 60) >= 0.8
    assert power(smallest - 1 / 60, 0.3, 60) < 0.8
