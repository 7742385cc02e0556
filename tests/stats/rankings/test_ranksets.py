"""Rank sets against a plain reading of the step-down, their symmetries, and their coverage."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from irmeta.errors import ScoresError
from irmeta.parallel import watched_by
from irmeta.stats import arrays
from irmeta.stats.rankings import ranksets
from irmeta.stats.rankings.ranksets import (
    discovered,
    fewest_topics,
    rank_sets,
    rank_sets_of,
)
from irmeta.stats.tests import multiplicity, paired
from irmeta.stats.tests.stepdown import laws


def plain(scores, weights, level):
    """Read the step-down off its definition, a pair and a draw at a time: the ordered pairs claimed by all laws.

    weights : for each law (draw, topic), without the draw that changes nothing: the data themselves are that one.
    """
    systems = scores.shape[1]
    pairs = [(a, b) for a in range(systems) for b in range(systems) if a != b]
    difference = {(a, b): scores[:, a] - scores[:, b] for a, b in pairs}
    size = {pair: np.sqrt((d**2).sum()) or 1 for pair, d in difference.items()}
    observed = {pair: d.sum() / size[pair] for pair, d in difference.items()}
    claimed = set()
    while True:
        found = set(pairs)
        for law in weights:
            drawn = [
                law @ difference[pair] / size[pair]
                for pair in pairs
                if pair not in claimed
            ]
            largest = np.max(drawn, axis=0)
            found &= {
                pair
                for pair in pairs
                if 1 + (largest >= observed[pair] - 1e-6).sum()
                <= (1 - level) * (1 + len(law)) + 1e-9
            }
        if found == claimed:
            return claimed
        claimed = found


def claims(sets):
    """Name the ordered pairs claimed."""
    return {tuple(pair) for pair in np.argwhere(sets.better).tolist()}


@pytest.mark.parametrize("seed", range(5))
def test_simultaneous_claims_are_those_of_the_definition(seed):
    """The claims are those of a loop over pairs and draws that follows the definition."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(12, 6)) + np.arange(6) * 0.6
    sets = rank_sets(scores, np.random.default_rng(3), draws=200)
    claimed = plain(scores, laws(12, 200, np.random.default_rng(3)), 0.95)
    assert claimed
    assert claims(sets) == claimed


@pytest.mark.parametrize("marginal", [False, True])
@pytest.mark.parametrize("topics", [5, 6, 7, 8])
def test_few_topics_are_tested_exactly(topics, marginal):
    """With few topics all ways to reverse signs are counted, whatever the random numbers, and ties count as reached."""
    rng = np.random.default_rng(topics)
    signs = np.array(list(product([1.0, -1.0], repeat=topics)))[1:]
    some = 0
    for step in (0.0, 0.5, 1.0):
        scores = (rng.random((topics, 2 if marginal else 5)) < 0.3).astype(float)
        scores = scores + step * np.arange(scores.shape[1])
        for level in (0.8, 0.9, 0.95):
            sets = rank_sets(
                scores,
                np.random.default_rng(0),
                level=level,
                marginal=marginal,
                draws=255,
            )
            directions = laws(topics, 255, np.random.default_rng(0))[1]
            expected = plain(scores, (signs, directions), level)
            assert claims(sets) == expected
            some += len(expected)
    assert some


@settings(max_examples=60, deadline=None)
@given(
    st.integers(2, 5),
    st.integers(2, 6),
    st.integers(0, 10_000),
    st.sampled_from([0.0, 1e-6, 1e-3, 1.0]),
    st.booleans(),
    st.booleans(),
)
def test_up_to_five_topics_claim_nothing_at_95_percent(
    topics, systems, seed, noise, holes, marginal
):
    """Of 5 topics 2 of 32 ways to reverse signs reach any difference, the clearest one too: more than 5%."""
    rng = np.random.default_rng(seed)
    scores = np.arange(systems) + noise * rng.normal(size=(topics, systems))
    if holes:
        scores[rng.random(scores.shape) < 0.2] = np.nan
    sets = rank_sets(scores, rng, marginal=marginal)
    assert not sets.better.any()
    assert not sets.worse.any()


@pytest.mark.parametrize("level", [0.5, 0.8, 0.9, 0.95, 0.96875, 0.99])
def test_fewest_topics_that_can_claim(level):
    """With the fewest topics the clearest differences are claimed, with one less none."""
    needed = fewest_topics(level)
    for topics in {max(2, needed - 1), needed}:
        scores = np.arange(3) + np.random.default_rng(0).normal(0, 0.1, (topics, 3))
        sets = rank_sets(scores, np.random.default_rng(0), level=level)
        assert sets.better.any() == (topics == needed)


def test_level_that_is_met_exactly_suffices():
    """At 90% 2 of 20 draws may reach a difference, its own one counted; 1 - .9 is a little less than .1."""
    estimates = [0.0, 1.0]
    drawn = np.zeros((19, 2))
    drawn[0, 1] = 2
    assert rank_sets_of(estimates, drawn, level=0.9).better[1, 0]
    drawn[1, 0] = 2
    assert not rank_sets_of(estimates, drawn, level=0.9).better[1, 0]


WORLDS = {
    "0 or 1": lambda rng, shape: rng.integers(0, 2, shape),
    "seldom 1": lambda rng, shape: rng.random(shape) < 0.1,
    "normal": lambda rng, shape: rng.normal(size=shape),
    "0 or 1, with holes": lambda rng, shape: np.where(
        rng.random(shape) < 0.3, np.nan, rng.integers(0, 2, shape)
    ),
}


@pytest.mark.parametrize("topics", [3, 7, 10])
@pytest.mark.parametrize("world", WORLDS)
def test_equal_systems_are_distinguished_in_no_more_worlds_than_promised(world, topics):
    """Where all systems tie, few topics and scores of few values do not claim oftener than in 5% of worlds."""
    rng = np.random.default_rng([topics, 1])
    worlds = 60
    wrong = sum(
        rank_sets(
            WORLDS[world](rng, (topics, 20)).astype(float), rng, draws=200
        ).better.any()
        for _ in range(worlds)
    )
    # 8 or more of 60 at 5% have a probability of 1%
    assert wrong <= 7


def test_marginal_set_of_one_pair_is_the_simultaneous_one():
    """With two systems there is one family, so both kinds of sets agree."""
    scores = np.random.default_rng(0).normal([0.0, 1.0], size=(30, 2))
    kinds = [
        rank_sets(scores, np.random.default_rng(1), marginal=marginal)
        for marginal in (False, True)
    ]
    assert kinds[0].low.tolist() == kinds[1].low.tolist() == [2, 1]


@pytest.mark.parametrize("marginal", [False, True])
def test_progress(marginal):
    """Whoever watches is told how many blocks of systems each step of the step-down has done, and how many it has."""
    scores = np.random.default_rng(0).normal(size=(20, 3))
    seen = []
    with watched_by(lambda *step: seen.append(step)):
        rank_sets(scores, np.random.default_rng(1), marginal=marginal, draws=100)
    assert seen[:2] == [("blocks of systems", 0, 1), ("blocks of systems", 1, 1)]


def test_marginal_sets_lie_within_simultaneous_ones():
    """A claim about all systems at once is a claim about each, made more carefully."""
    scores = np.random.default_rng(0).normal(size=(30, 12)) + np.arange(12) * 0.3
    every, one = (
        rank_sets(scores, np.random.default_rng(1), marginal=marginal)
        for marginal in (False, True)
    )
    assert (one.low >= every.low).all()
    assert (one.high <= every.high).all()
    assert (one.high - one.low).sum() < (every.high - every.low).sum()


def test_scores_with_holes_are_compared_on_shared_topics():
    """Where each pair misses the same topics, the sets are those without these topics."""
    rng = np.random.default_rng(2)
    whole = rng.normal(size=(20, 8)) + np.arange(8) * 0.5
    holes = np.concatenate([whole, np.where(np.arange(8) == 3, 1.0, np.nan)[None]])
    signs = rng.choice(np.array([-1.0, 1.0], dtype=np.float32), size=(300, 21))
    normal = rng.normal(size=(300, 21))

    class Known:
        """Draws the same weights, whatever the number of topics."""

        def choice(self, of, size):
            return signs[:, : size[1]]

        def normal(self, size):
            return normal[:, : size[1]]

    a, b = (rank_sets(scores, Known(), draws=300) for scores in (whole, holes))
    assert a.better.any()
    assert (a.better == b.better).all()


def test_systems_that_share_no_topic_are_not_compared():
    """Without two shared topics nothing is claimed of a pair."""
    scores = np.full((12, 3), np.nan)
    scores[:6, 0], scores[6:, 1] = 1 + np.arange(6) / 100, np.arange(6) / 100
    scores[:, 2] = 5 + np.random.default_rng(0).random(12)
    sets = rank_sets(scores, np.random.default_rng(0))
    assert not sets.better[0, 1]
    assert not sets.better[1, 0]


def test_equal_systems_are_never_distinguished():
    """Two systems with the same scores claim nothing of each other, and share their set."""
    one = np.random.default_rng(0).random((25, 5))
    sets = rank_sets(
        np.concatenate([one, one[:, :1]], axis=1), np.random.default_rng(0)
    )
    assert not sets.better[0, 5]
    assert (sets.low[0], sets.high[0]) == (sets.low[5], sets.high[5])


def test_a_difference_without_spread_is_sure():
    """A system that is better by the same amount on every topic is surely better."""
    one = np.random.default_rng(0).random((30, 4))
    sets = rank_sets(
        np.concatenate([one, one[:, :1] + 0.125], axis=1), np.random.default_rng(0)
    )
    assert sets.better[4, 0]


def test_systems_that_differ_by_rounding_are_equal():
    """Differences in the last digits of single precision claim nothing, however often they agree in sign."""
    one = 0.3 + np.random.default_rng(0).random((40, 5))
    sets = rank_sets(
        np.concatenate([one, one[:, :1] + 1e-7], axis=1), np.random.default_rng(0)
    )
    assert not sets.better[5, 0]


def test_small_differences_that_agree_are_seen_beside_large_scores():
    """A system .0001 better on every topic is surely better, even beside one with scores in the millions."""
    one = np.random.default_rng(0).random((40, 5))
    scores = np.concatenate([one, one[:, :1] + 1e-4, 1e6 * one[:, 1:2]], axis=1)
    assert rank_sets(scores, np.random.default_rng(0)).better[5, 0]


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 1000), st.booleans())
def test_hard_topics_change_nothing(seed, holes):
    """What is added to all scores of a topic leaves the sets as they are."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(12, 6)) + np.arange(6) / 2
    if holes:
        scores[rng.random(scores.shape) < 0.2] = np.nan
    moved = scores + rng.normal(size=(12, 1))
    a, b = (
        rank_sets(each, np.random.default_rng(0), draws=100) for each in (scores, moved)
    )
    assert claims(a) == claims(b)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 1000), st.permutations(range(7)))
def test_sets_do_not_depend_on_the_order_of_systems(seed, order):
    """Systems in another order have the same sets."""
    scores = np.random.default_rng(seed).normal(size=(15, 7)) + np.arange(7)
    sets = rank_sets(scores, np.random.default_rng(0), draws=100)
    moved = rank_sets(scores[:, order], np.random.default_rng(0), draws=100)
    assert (sets.low[list(order)] == moved.low).all()
    assert (sets.high[list(order)] == moved.high).all()


@pytest.mark.slow
@pytest.mark.parametrize("marginal", [False, True])
def test_sets_cover_the_ranks_of_systems_that_all_tie(marginal):
    """Where all systems are equally good, the hardest case, 95% of the sets say so."""
    rng = np.random.default_rng(5)
    covered = []
    for _ in range(300):
        sets = rank_sets(
            rng.gamma(0.5, size=(25, 10)), rng, draws=300, marginal=marginal
        )
        covered.append((~sets.better & ~sets.worse).all(axis=1))
    share = np.mean(covered) if marginal else np.mean(np.all(covered, axis=1))
    assert 0.92 < share < 0.99


def test_blocks_of_systems_change_nothing(monkeypatch):
    """The sets do not depend on how many systems are compared at a time."""
    scores = np.random.default_rng(0).normal(size=(20, 30)) + np.arange(30) / 10
    whole = rank_sets(scores, np.random.default_rng(0), draws=50)
    monkeypatch.setattr(ranksets, "BLOCK", 16 * 30 * 4)
    assert (
        rank_sets(scores, np.random.default_rng(0), draws=50).better == whole.better
    ).all()


def drawn_with_holes(systems, topics, draws):
    """Return what the core takes: scores (system, topic), which are known, weights of pairs, and those of topics."""
    rng = np.random.default_rng(systems + topics)
    known = rng.random((systems, topics)) < 0.6
    # ties, and a system that shares no topic with others
    values = np.where(known, rng.normal(size=known.shape).round(1), 0)
    known[-1] = False
    unclaimed = rng.random((systems, systems)) < 0.9
    weight = np.where(unclaimed, rng.uniform(0.5, 2, (systems, systems)), 0)
    signs, directions = laws(topics, draws, rng)
    weights = np.concatenate([signs, directions])
    return (
        values.astype(np.float32),
        known,
        weight.astype(np.float32),
        weights,
        len(signs),
    )


@pytest.mark.skipif(arrays.core is None, reason="the core is not compiled")
@pytest.mark.parametrize(
    ("systems", "topics", "draws"),
    [(2, 1, 1), (3, 5, 31), (9, 7, 100), (30, 40, 67), (12, 200, 33)],
)
def test_the_core_finds_the_largest_of_all_pairs(systems, topics, draws):
    """Of each draw it is that of all ordered pairs of the systems asked for and later ones, one pair at a time."""
    values, known, weight, weights, signs = drawn_with_holes(systems, topics, draws)
    first = systems // 3
    most = np.empty(len(weights), dtype=np.float32)
    pairs = np.empty((len(weights), 2), dtype=np.int64)
    given = values, known, weight, weights, signs
    arrays.core.largest(*given, first, systems - 1, most, pairs)
    for draw, w in enumerate(weights.astype(float)):
        found = np.zeros((systems, systems))
        for a, b in product(range(systems), repeat=2):
            shared = known[a] & known[b]
            if min(a, b) >= first and a != b and shared.any():
                size = 1 if draw < signs else np.sqrt((w[shared] ** 2).mean())
                d = values[a, shared] - values[b, shared]
                found[a, b] = w[shared] @ d / size * weight[a, b]
        assert most[draw] == pytest.approx(found.max(), abs=1e-4)
        assert found[tuple(pairs[draw])] == pytest.approx(found.max(), abs=1e-4)


@pytest.mark.skipif(arrays.core is None, reason="the core is not compiled")
@pytest.mark.parametrize("missing", [0, 0.3])
@pytest.mark.parametrize(("topics", "systems"), [(6, 4), (25, 30), (60, 12)])
def test_sets_are_the_same_without_the_core(monkeypatch, topics, systems, missing):
    """The core and NumPy claim the same differences, with ties and where claims leave the family."""
    rng = np.random.default_rng(topics)
    scores = (rng.normal(size=(topics, systems)) + np.arange(systems) / 3).round(1)
    scores[rng.random(scores.shape) < missing] = np.nan
    ours = rank_sets(scores, np.random.default_rng(1), draws=203)
    monkeypatch.setattr(arrays, "core", None)
    plainly = rank_sets(scores, np.random.default_rng(1), draws=203)
    assert (ours.better == plainly.better).all()
    assert (ours.worse == plainly.worse).all()


@pytest.mark.skipif(arrays.core is None, reason="the core is not compiled")
def test_the_core_finds_the_largest_difference_of_means():
    """Where means were drawn, of systems that are their own topics, it is that of the clearest pair."""
    means = np.random.default_rng(0).normal(size=(37, 9)).astype(np.float32)
    weight = np.random.default_rng(1).uniform(0.5, 2, (9, 9)).astype(np.float32)
    most = np.empty(len(means), dtype=np.float32)
    pairs = np.empty((len(means), 2), dtype=np.int64)
    none = np.empty((0, 0), dtype=np.float32), np.empty((0, 0), dtype=np.bool_)
    arrays.core.largest(*none, weight, means, len(means), 2, 8, most, pairs)
    for draw, of in enumerate(means[:, 2:]):
        found = (of[:, None] - of) * weight[2:, 2:]
        assert most[draw] == found.max()
        assert found[tuple(pairs[draw] - 2)] == found.max()


@pytest.mark.skipif(arrays.core is None, reason="the core is not compiled")
def test_the_core_refuses_arrays_that_do_not_belong_together():
    """Arrays of other lengths, and systems or signs that are not there, are refused, not read beyond their ends."""
    given = drawn_with_holes(3, 4, 5)
    most = np.empty(len(given[3]), dtype=np.float32)
    pairs = np.empty((len(most), 2), dtype=np.int64)

    def refused(change, first=0, last=2):
        arguments = list(given)
        for at, value in change.items():
            arguments[at] = value
        with pytest.raises(ValueError, match="other lengths"):
            arrays.core.largest(*arguments, first, last, most, pairs)

    for at in range(4):
        refused({at: given[at][1:].copy()})
    refused({4: len(most) + 1})
    refused({4: -1})
    refused({}, first=-1)
    refused({}, last=4)
    refused({}, first=2, last=1)


def test_independent_estimates_have_sets_from_their_errors():
    """Of estimates with normal errors, two are told apart where z exceeds the quantile of the largest."""
    estimates, error = np.array([0.0, 2.0, 4.5]), 1.0
    drawn = np.random.default_rng(0).normal(0, error, (20_000, 3))
    sets = rank_sets_of(estimates, drawn)
    # Tukey's range of 3 normal values at 5% is 3.31, for a difference of 3.31: only 4.5 - 0 exceeds it
    assert np.argwhere(sets.better).tolist() == [[2, 0]]


def test_estimates_that_nothing_moves_are_sure():
    """Differences that no draw moves are sure, and equal estimates stay equal."""
    sets = rank_sets_of([0.5, 0.5, 0.7], np.zeros((100, 3)))
    assert sets.low.tolist() == [2, 2, 1]
    assert sets.high.tolist() == [3, 3, 1]


@pytest.mark.parametrize("shape", [(1, 5), (5, 1), (5,)])
def test_one_system_or_topic_is_an_error(shape):
    """Too few systems or topics are named in the error."""
    with pytest.raises(ScoresError, match="at least 2 systems and 2 topics"):
        rank_sets(np.zeros(shape), np.random.default_rng(0))


def test_a_level_is_a_share():
    """A level outside (0, 1) is an error."""
    with pytest.raises(ScoresError, match="between 0 and 1"):
        rank_sets(
            np.random.default_rng(0).random((5, 5)), np.random.default_rng(0), level=95
        )


def test_estimates_that_differ_by_rounding_are_equal():
    """Estimates without spread that only rounding keeps apart are not distinguished; others are."""
    sets = rank_sets_of([0.1 + 0.2, 0.3, 0.4], np.zeros((100, 3)))
    assert sets.low.tolist() == [2, 2, 1]
    assert sets.high.tolist() == [3, 3, 1]


@pytest.mark.parametrize("seed", range(3))
def test_discovered_claims_are_those_of_bh(seed):
    """The pairs claimed by false discovery rate are those of the paired t test with Benjamini and Hochberg's p."""
    rng = np.random.default_rng(seed)
    scores = rng.beta(1, 2, (12, 25)) + np.linspace(0, 0.4, 12)[:, None]
    p = multiplicity.bh(paired.over_pairs(paired.t, scores))
    sets = discovered(scores.T)
    pairs = np.triu_indices(12, 1)
    np.testing.assert_array_equal((sets.better | sets.worse)[pairs], p <= 0.05)
    means = scores.mean(axis=1)
    np.testing.assert_array_equal(sets.better & (means[:, None] <= means), False)
    assert sets.better.any()
    assert (sets.worse == sets.better.T).all()


def test_discovered_claims_with_holes_are_those_of_shared_topics():
    """A pair is claimed by the topics that both have; a difference that is the same on each has the p of signs."""
    scores = np.full((12, 3), np.nan)
    scores[:, 0] = np.linspace(0, 1, 12)
    scores[2:, 1] = scores[2:, 0] + 0.5
    scores[:5, 2] = scores[:5, 0] + 0.5
    sets = discovered(scores)
    # 2 / 2^10 of 10 topics, 2 / 2^5 of 5, 1 of the 3 that the others share
    assert np.argwhere(sets.better).tolist() == [[1, 0]]
