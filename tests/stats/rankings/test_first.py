"""The fewest topics of a first place against all sets of topics."""

from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from irmeta.stats.rankings.first import NONE, fewest, turning


def brute(scores):
    """The least number of topics whose absence leaves the leader not alone in front, from all sets of topics."""
    topics = scores.shape[1]
    leader = scores.mean(axis=1).argmax()
    for count in range(topics):
        for gone in combinations(range(topics), count):
            sums = np.delete(scores, gone, axis=1).sum(axis=1)
            others = np.delete(sums, leader)
            if (others >= sums[leader] - 1e-9).any():
                return count
    return None


@settings(max_examples=80, deadline=None)
@given(st.integers(2, 5), st.integers(2, 7), st.integers(0, 10_000), st.booleans())
def test_the_fewest_topics_are_those_of_all_sets(systems, topics, seed, few):
    """Their number is the least over all sets of topics, and without them another system is level or ahead."""
    scores = np.random.default_rng(seed).random((systems, topics))
    if few:
        scores = scores.round(1)
    scores[0] += 0.2
    found, expected = fewest(scores), brute(scores)
    if expected is None:
        assert found is None
        return
    assert len(found.topics) == expected
    sums = np.delete(scores, found.topics, axis=1).sum(axis=1)
    leader = scores.mean(axis=1).round(12).argmax()
    assert found.system != leader
    assert sums[found.system] >= sums[leader] - 1e-9


def test_of_several_the_one_that_is_then_farthest_ahead_is_named():
    """Two systems need one topic each; the later one is ahead by more without its own, so it is nearer the lead."""
    leader = np.full(6, 0.5)
    first, second = leader + 0.01, leader + 0.02
    first[1], second[4] = 0.0, 0.0
    found = fewest(np.array([leader, first, second]))
    assert (found.system, found.topics.tolist()) == (2, [4])


def test_a_leader_that_is_ahead_on_all_topics_cannot_be_unseated():
    """No topics can go so that a system that is ahead on each is behind."""
    one = np.random.default_rng(0).random((3, 8))
    one[1] = one.max(axis=0) + 0.1
    assert fewest(one) is None


@settings(max_examples=80, deadline=None)
@given(st.integers(1, 7), st.integers(0, 10_000), st.booleans(), st.booleans())
def test_the_fewest_topics_of_a_sum_are_those_of_all_sets(topics, seed, few, absent):
    """No smaller set of topics takes a sum to 0 or below, whichever topics lack a value; one topic always stays."""
    rng = np.random.default_rng(seed)
    row = rng.normal(0.3, 1, topics)
    if few:
        row = row.round(0)
    if absent:
        row[rng.random(topics) < 0.3] = np.nan
    known = np.flatnonzero(np.isfinite(row))
    expected = next(
        (
            count
            for count in range(len(known))
            for gone in combinations(known, count)
            if np.nansum(np.delete(row, gone)) <= 1e-9
        ),
        NONE,
    )
    found = turning(row[None])
    assert found.counts.tolist() == [expected]
    assert found.topics.sum() == max(expected, 0)
    if expected >= 0:
        assert np.nansum(row[~found.topics[0]]) <= 1e-9
