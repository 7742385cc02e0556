"""Rankings without judgments: against counts document by document, all groups and all draws."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irmeta.stats.judging.unlabelled import (
    others,
    overlap,
    random_judgments,
    reference_counts,
)


def rankings(rng, systems=7, topics=3, depth=4, pool=9):
    """Rank documents at random, each at most once in a list, some lists shorter than others."""
    ranked = np.stack(
        [
            [rng.permutation(pool)[:depth] + pool * topic for topic in range(topics)]
            for _ in range(systems)
        ]
    )
    ended = np.arange(depth) >= rng.integers(0, depth + 1, (systems, topics, 1))
    return np.where(ended, -1, ranked)


def listed(ranked, system, topic):
    """Return the documents of a list."""
    return [one for one in ranked[system, topic].tolist() if one >= 0]


@given(st.integers(0, 10_000))
def test_others_are_counted_list_by_list(seed):
    """A document is found by as many others as have it in their lists of the topic; the sum of these is the count."""
    ranked = rankings(np.random.default_rng(seed))
    counts, score = others(ranked), reference_counts(ranked)
    for system, topic, rank in np.ndindex(*ranked.shape):
        one = ranked[system, topic, rank]
        rest = [other for other in range(7) if other != system]
        expected = sum(one in listed(ranked, other, topic) for other in rest)
        assert counts[system, topic, rank] == (expected if one >= 0 else -1)
    held = np.where(counts > 0, counts, 0).sum(axis=-1)
    np.testing.assert_allclose(score, held / (4 * 6))


@given(st.integers(0, 10_000))
def test_overlap_is_the_mean_over_all_groups_of_five(seed):
    """Over all groups of a system and four others, it is the share that all find less that it alone finds."""
    ranked = rankings(np.random.default_rng(seed))
    found = overlap(ranked)
    for system, topic in np.ndindex(7, 3):
        own = listed(ranked, system, topic)
        rest = [other for other in range(7) if other != system]
        apart = []
        for group in combinations(rest, 4):
            lists = [listed(ranked, other, topic) for other in group]
            held = [sum(one in each for each in lists) for one in own]
            apart.append(sum(n == 4 for n in held) - sum(n == 0 for n in held))
        share = np.mean(apart) / max(len(own), 1)
        assert found[system, topic] == pytest.approx((1 + share) / 2)


def test_of_one_document_random_judgments_are_its_average_precision():
    """Where one document is drawn, AP is one over its rank; documents that more systems rank are drawn more often."""
    ranked = np.array([[[0, 1, 2]], [[0, 2, 3]], [[4, 0, -1]]])
    found = random_judgments(ranked, np.random.default_rng(0), draws=40_000)[:, 0]
    # of 8 entries of the pool 0 has three, 2 has two, 1, 3 and 4 have one each
    drawn = np.array([3, 1, 2, 1, 1]) / 8
    rank = [[1, 2, 3, np.inf, np.inf], [1, np.inf, 2, 3, np.inf], [2, *[np.inf] * 3, 1]]
    np.testing.assert_allclose(
        found, [drawn @ (1 / np.array(one)) for one in rank], atol=0.01
    )


def test_random_judgments_are_average_precision_by_hand(monkeypatch):
    """Of one draw of half of a pool, AP is the mean precision at the ranks of the documents that were drawn."""
    monkeypatch.setattr("irmeta.stats.judging.unlabelled.SHARE", 0.5)
    ranked = rankings(np.random.default_rng(4), systems=5, topics=1, depth=6, pool=8)
    found = random_judgments(ranked, np.random.default_rng(9), draws=1)[:, 0]
    size = np.unique(ranked[ranked >= 0]).size
    entries = ranked[:, 0][ranked[:, 0] >= 0]
    order = np.random.default_rng(9).random((1, entries.size)).argsort()[0]
    relevant = set(entries[order[: round(size / 2)]].tolist())
    for system in range(5):
        own = listed(ranked, system, 0)
        precision = [
            len(relevant & set(own[: at + 1])) / (at + 1)
            for at, one in enumerate(own)
            if one in relevant
        ]
        assert found[system] == pytest.approx(sum(precision) / len(relevant))


def test_systems_that_retrieve_nothing_have_no_reference():
    """A list without documents counts 0 everywhere but in the overlap, where nothing is shared and nothing alone."""
    ranked = np.full((3, 2, 5), -1)
    assert (reference_counts(ranked) == 0).all()
    assert (overlap(ranked) == 0.5).all()
    assert (random_judgments(ranked, np.random.default_rng(0)) == 0).all()
