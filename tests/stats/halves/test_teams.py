"""Systems that come in teams."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from irmeta.stats.halves.teams import split, sums

TEAMS = st.lists(st.integers(0, 5), min_size=2, max_size=20).filter(
    lambda of: len(set(of)) > 1
)


@given(TEAMS, st.integers(0, 1000))
def test_splits_keep_teams_together(labels, seed):
    """Every system is in one of both sets, and no team in both."""
    team = np.unique(labels, return_inverse=True)[1]
    one, other = split(team, len(team) // 2, np.random.default_rng(seed))
    assert sorted([*one, *other]) == list(range(len(team)))
    assert not set(team[one]) & set(team[other])


def test_teams_of_one_are_split_as_systems():
    """Where each system is a team, the first set has as many systems as asked for, in the order of a permutation."""
    one, other = split(np.arange(9), 4, np.random.default_rng(3))
    assert [*one, *other] == np.random.default_rng(3).permutation(9).tolist()
    assert len(one) == 4


def test_sums_along_any_axis():
    """Values are added up by team, along the axis named."""
    values = np.arange(6.0).reshape(2, 3)
    assert sums(values, np.array([1, 0, 1]), axis=1).tolist() == [
        [1.0, 2.0],
        [4.0, 8.0],
    ]
