"""What is said of how often intervals hold: asked of the worlds that are like a collection."""

import pytest

from irmeta.measured.coverage import held, rows

MEAN = "interval of a mean"


@pytest.mark.parametrize(
    ("topics", "asked"),
    [(3, (5, 5)), (10, (10, 10)), (12, (10, 25)), (50, (50, 50)), (400, (50, 50))],
)
def test_the_nearest_numbers_of_topics_are_asked(topics, asked):
    """A number of topics that was measured is asked alone, between two both are, and beyond all the last one is."""
    assert held(MEAN, systems=20, topics=topics).topics == asked


@pytest.mark.parametrize(
    ("systems", "asked"),
    [(2, (5, 5)), (5, (5, 20)), (40, (20, 129)), (2000, (129, 129))],
)
def test_worlds_with_about_as_many_systems_are_asked(systems, asked):
    """Up to four times as many systems, or a quarter, are about as many; where none has that, the nearest number is."""
    assert held(MEAN, systems=systems, topics=10).systems == asked


def test_the_range_is_that_of_the_rows():
    """The least and the largest share are those of the rows of this promise, number of topics and of systems."""
    kept = [
        row.kept
        for row in rows()
        if row.of == MEAN and row.topics == 10 and 3 <= row.systems <= 48
    ]
    found = held(MEAN, systems=12, topics=10)
    assert (found.low, found.high) == (min(kept), max(kept))


def test_several_promises_are_asked_together():
    """Of two promises the range has the least and the largest share of either."""
    each = [held(of, systems=20, topics=25) for of in ("E rho2", "Phi")]
    both = held("E rho2", "Phi", systems=20, topics=25)
    assert both.low == min(one.low for one in each)
    assert both.high == max(one.high for one in each)


def test_a_promise_that_was_not_measured_is_an_error():
    """A name that is in no row, as after a promise was renamed, is an error and no empty note."""
    with pytest.raises(LookupError, match="no such promise"):
        held("no such interval", systems=20, topics=25)
