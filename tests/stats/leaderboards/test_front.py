"""The front of quality against cost: by hand, and never without a model that is truly on it."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from irmeta.stats.leaderboards import front

VALUES = st.lists(st.integers(0, 4), min_size=6, max_size=6)


@given(VALUES, VALUES)
def test_the_front_by_its_definition(cost, value):
    """A model is on the front of values if no model beats it in one and is at least level in the other."""
    found = front.by_values(np.array(cost, float), np.array(value, float))
    for at in range(6):
        beaten = any(
            cost[other] <= cost[at]
            and value[other] >= value[at]
            and (cost[other] < cost[at] or value[other] > value[at])
            for other in range(6)
        )
        assert found[at] == (not beaten)


@given(VALUES, VALUES, st.integers(0, 1000))
def test_right_claims_never_lose_a_model_of_the_front(cost, value, seed):
    """If all claims are true, whichever they are, possible holds the true front, and the true front holds sure."""
    costs, values = np.array(cost, float), np.array(value, float)
    true = values[:, None] > values
    claimed = true & (np.random.default_rng(seed).random((6, 6)) < 0.6)
    on = front.by_values(costs, values)
    assert (on <= front.possible(costs, claimed)).all()
    assert (front.sure(costs, claimed) <= on).all()


@given(VALUES, VALUES)
def test_with_all_claims_the_front_is_known_but_for_ties(cost, value):
    """If every difference is claimed, who is possible and not on the front is level with a cheaper one."""
    costs, values = np.array(cost, float), np.array(value, float)
    better = values[:, None] > values
    rest = front.possible(costs, better) & ~front.by_values(costs, values)
    for at in np.flatnonzero(rest):
        assert ((costs < costs[at]) & (values == values[at])).any()


def test_who_beats_a_model_is_the_best_that_costs_no_more():
    """Of two cheaper models that are better the one of the larger value is named; nobody is -1."""
    better = np.zeros((3, 3), dtype=bool)
    better[0, 2] = better[1, 2] = True
    found = front.beaten_by(
        np.array([1.0, 2.0, 3.0]), better, np.array([0.7, 0.8, 0.1])
    )
    assert found.tolist() == [-1, -1, 1]
