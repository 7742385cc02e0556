"""Tests of what other numbers of topics are worth where runs' levels do not average out over them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irmeta.stats.reliability import components
from irmeta.stats.reliability.differences import paired_topics, power
from irmeta.stats.reliability.worth import ALL_FALLS, Worth

SHARES = st.floats(0.05, 1.0)
TOPICS = st.integers(2, 500)


@given(share=SHARES, topics=TOPICS, count=TOPICS)
def test_the_error_is_that_of_its_two_parts(share: float, topics: int, count: int):
    """With n topics the part that falls is share topics / n as large, the other as it is."""
    worth = Worth(topics, np.array(share))
    error = topics / worth.of(count)
    assert error == pytest.approx(share * topics / count + 1 - share)
    assert worth.needed(worth.of(count)) == pytest.approx(count, rel=1e-6)


def test_topics_are_worth_themselves_where_all_errors_fall():
    """The number there is is worth itself; without runs each number is, to the last bit."""
    assert Worth(50, np.array([0.3])).of(50).tolist() == pytest.approx([50])
    assert [float(ALL_FALLS.of(count)) for count in (3, 7, 101)] == [3, 7, 101]
    assert ALL_FALLS.needed([3.7, np.inf]).tolist() == [3.7, np.inf]


def test_what_runs_add_sets_a_limit_to_any_number_of_topics():
    """E rho2 of .8 needs 60 topics where half of the error by 40 stays, and .9 cannot be reached."""
    worth = Worth(40, np.array(0.5))
    signal = np.array(0.1)
    needed = components.topics_needed(signal, 0.8, worth)
    assert components.stability(signal, worth.of(float(needed))) >= 0.8
    assert components.stability(signal, worth.of(float(needed) - 1)) < 0.8
    assert components.topics_needed(signal, 0.9, worth) == np.inf


def test_no_number_of_topics_shows_what_runs_hide():
    """A test by so many topics has the power wanted, one fewer has not; of a smaller difference no number has."""
    worth = Worth(40, np.array(0.5))
    count = paired_topics(0.4, worth=worth)
    seen = 0.4 * np.sqrt(worth.of(count) / count)
    assert power(seen, int(count)) >= 0.8
    assert paired_topics(0.2, worth=worth) == np.inf
    assert paired_topics(0.2) < 300
