"""The step-down test against a loop that follows its definition, exact cases, its level, and rank sets."""

from itertools import product

import numpy as np
import pytest
import scipy.stats
from bench.hard import Hard
from hypothesis import given
from hypothesis import strategies as st

from irmeta.stats import arrays
from irmeta.stats.rankings.ranksets import rank_sets
from irmeta.stats.tests import paired, stepdown
from irmeta.stats.tests.compared import Given


def scores(seed, systems, topics, apart=0.3):
    """Draw scores of systems that differ."""
    rng = np.random.default_rng(seed)
    ability = np.linspace(0, apart, systems)[:, None]
    return rng.beta(1, 2, size=(systems, topics)) + ability


def plain(found, weights):
    """P of differences by one law, read off the definition: the largest r of those left, a difference at a time."""
    size = np.sqrt((found**2).sum(axis=1))
    r = found.sum(axis=1) / size
    # both directions of each difference
    drawn = weights @ found.T / size
    either = np.concatenate([drawn * np.sign(r), -drawn * np.sign(r)], axis=1)
    left = set(range(either.shape[1]))
    p, least = np.empty(len(r)), 0.0
    for at in np.argsort(-np.abs(r)):
        largest = either[:, sorted(left)].max(axis=1)
        reached = (largest >= abs(r[at]) - 1e-6).sum()
        least = max(least, (1 + reached) / (1 + len(weights)))
        p[at] = least
        left.remove(at)
    return p


@pytest.mark.parametrize("seed", range(4))
def test_pairs_are_those_of_a_loop(seed):
    """P of all pairs is the larger one of both laws, each read off the definition."""
    one = scores(seed, 6, 14)
    weights = stepdown.laws(14, 150, np.random.default_rng(seed))
    expected = np.maximum(*(plain(paired.differences(one), law) for law in weights))
    found = stepdown.of_pairs(one, 150, np.random.default_rng(seed))
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    assert len(set(expected)) > 5


def test_given_differences_are_those_of_a_loop():
    """So is p of one system against the others."""
    one = scores(9, 6, 14)
    found = paired.less(one[5], one[:5])
    weights = stepdown.laws(14, 150, np.random.default_rng(1))
    expected = np.maximum(*(plain(found, law) for law in weights))
    p = stepdown.of_differences(found, 150, np.random.default_rng(1))
    np.testing.assert_allclose(p, expected, rtol=1e-12)


def test_a_difference_by_itself_has_the_laws_of_a_loop():
    """By itself its p by signs is read off the definition, and that by directions is Student's, of which the larger."""
    one = scores(9, 6, 14)
    found = paired.less(one[0], one[1:])
    every = stepdown.fixed_signs(14, range(1, stepdown.FIXED + 1))
    _, directions = stepdown.laws(14, 4000, np.random.default_rng(1))
    p = stepdown.alone(Given(found))
    for of, of_t, row in zip(p, paired.t(found), found, strict=True):
        sums = np.abs(every @ np.sort(np.abs(row)))
        reached = sums >= abs(row.sum()) - 1e-12
        by_signs = (1 + reached.sum()) / (1 + stepdown.FIXED)
        drawn = plain(row[None], directions).item()
        np.testing.assert_allclose(of, max(by_signs, of_t))
        assert abs(drawn - of_t) < 4 * np.sqrt(of_t / 4000) + 1 / 4000


@pytest.mark.parametrize("topics", [6, 13, 14, 40])
def test_fixed_signs_give_the_p_of_all_ways(topics):
    """P by fixed signs is that of all ways to sign the differences: exactly of few topics, else within its error."""
    found = np.random.default_rng(topics).normal(0.35, 1, (5, topics))
    total = np.abs(found.sum(axis=1)) - 1e-9
    if topics <= 14:
        ways = np.array(list(product([1.0, -1.0], repeat=topics)))
    else:
        ways = np.random.default_rng(0).choice([1.0, -1.0], (200_000, topics))
    expected = (np.abs(ways @ found.T) >= total).mean(axis=0)
    p = stepdown.alone(Given(found))
    exact = np.maximum(expected, paired.t(found))
    error = 0 if topics <= 13 else 4 * np.sqrt(expected / stepdown.FIXED)
    assert (np.abs(p - exact) <= error + 1e-12).all()


@given(st.integers(0, 2**32 - 1), st.integers(14, 60), st.integers(2, 9))
def test_the_p_of_a_difference_by_itself_does_not_depend_on_the_order_of_topics(
    seed, topics, values
):
    """Nor on which of the two systems is the first, ties or not."""
    rng = np.random.default_rng(seed)
    found = rng.integers(-values, values + 2, (1, topics)) / values
    p = stepdown.alone(Given(found)).item()
    for other in (rng.permutation(found, axis=1), -found):
        assert stepdown.alone(Given(other)).item() == pytest.approx(p, rel=1e-9)


def test_more_fixed_signs_are_nearer_to_all_ways():
    """Asked for, more signs are taken; fewer than the fixed ones are not."""
    found = Given(np.random.default_rng(2).normal(0.6, 1, (1, 30)))
    flips = np.random.default_rng(0).choice([1.0, -1.0], (400_000, 30))
    sizes = np.abs(found.differences[0])
    expected = (np.abs(flips @ sizes) >= abs(found.differences.sum())).mean()
    p = stepdown.alone(found, 400_000).item()
    assert p > paired.t(found.differences).item()
    assert abs(p - expected) < 4 * np.sqrt(2 * expected / 400_000)
    assert stepdown.alone(found, 100) == stepdown.alone(found)


def test_fixed_signs_are_balanced_and_independent():
    """Each topic is turned in half of the draws, each pair of topics together in half, and no draw comes twice."""
    flips = stepdown.fixed_signs(200, range(1, stepdown.FIXED + 1))
    together = flips.T @ flips / len(flips)
    assert np.abs(flips.mean(axis=0)).max() < 0.045
    assert np.abs(together - np.eye(200)).max() < 0.055
    assert len(np.unique(flips, axis=0)) == len(flips)


def test_topics_that_a_comparison_lacks_do_not_count():
    """A comparison on 20 of 30 topics, alone, has the p of these 20 topics, within Monte-Carlo error."""
    rng = np.random.default_rng(0)
    found = rng.normal(0.35, 1, (1, 30))
    found[0, 20:] = np.nan
    p = stepdown.of_differences(found, 4000, np.random.default_rng(1)).item()
    alone = stepdown.of_differences(
        found[:, :20], 4000, np.random.default_rng(2)
    ).item()
    assert 0.02 < alone < 0.5
    assert abs(p - alone) < 4 * np.sqrt(2 * alone / 4000)


def test_one_difference_by_directions_has_the_p_of_t():
    """By directions a single difference has the p of Student's t, within four Monte-Carlo errors."""
    found = np.random.default_rng(3).normal(0.3, 1, (1, 12))
    directions = stepdown.laws(12, 20_000, np.random.default_rng(4))[1]
    p = stepdown.differences_by(directions, found).item()
    expected = scipy.stats.ttest_1samp(found[0], 0).pvalue
    assert abs(p - expected) < 4 * np.sqrt(expected / 20_000)


def test_claims_are_those_of_rank_sets():
    """With the same random numbers the pairs with p of at most .05 are those that rank sets claim."""
    one = scores(5, 12, 30, 0.6)
    p = stepdown.of_pairs(one, 400, np.random.default_rng(7))
    sets = rank_sets(one.T, np.random.default_rng(7), draws=400)
    either = (sets.better | sets.worse)[np.triu_indices(12, 1)]
    assert either.any()
    assert not either.all()
    np.testing.assert_array_equal(p <= 0.05, either)


def test_rank_sets_of_two_systems_are_by_their_one_difference():
    """Where t is near its limit, too, two systems are distinguished where p of their difference by itself says so."""
    noise = np.random.default_rng(0).normal(size=(40, 30))
    noise -= noise.mean(axis=1, keepdims=True)
    limit = scipy.stats.t.ppf(0.975, 29) * paired.standard_error(noise)
    found = noise + (limit * np.linspace(0.95, 1.05, 40))[:, None]
    p = stepdown.alone(Given(found))
    claimed = [
        rank_sets(of, np.random.default_rng(7)).better.tolist()
        for of in np.stack([found, np.zeros_like(found)], axis=2)
    ]
    assert 0 < (p <= 0.05).sum() < 40
    assert claimed == [[[False, bool(one <= 0.05)], [False, False]] for one in p]


def test_of_two_systems_with_one_topic_in_common_nothing_is_known():
    """Two systems that share one topic, or none, may both have either rank."""
    for shared in (0, 1):
        one = scores(0, 2, 12)
        one[0, 6:] = one[1, : 6 - shared] = np.nan
        sets = rank_sets(one.T, np.random.default_rng(0))
        assert (sets.low.tolist(), sets.high.tolist()) == ([1, 1], [2, 2])


@pytest.mark.parametrize("topics", [2, 5, 8])
def test_no_p_is_below_that_of_signs(topics):
    """With n topics no p is below 2 / 2^n, however clear the difference, for p is that of signs at least."""
    one = np.arange(3.0)[:, None] + scores(0, 3, topics) / 100
    p = stepdown.of_pairs(one, 1000, np.random.default_rng(0))
    assert p.min() == pytest.approx(2.0 ** (1 - topics))


def test_what_is_claimed_leaves_the_family():
    """A difference is no less significant beside clear ones than the largest of all allows, and oftener more."""
    one = scores(2, 8, 25, 0.9)
    law = stepdown.laws(25, 500, np.random.default_rng(0))[0]
    found = paired.differences(one)
    size = np.sqrt((found**2).sum(axis=1))
    largest = np.abs(law @ found.T / size).max(axis=1)
    r = np.abs(found.sum(axis=1)) / size
    at_once = np.array([(1 + (largest >= each - 1e-6).sum()) / 501 for each in r])
    p = stepdown.pairs_by(law, one)
    assert (p <= at_once).all()
    assert (p < at_once).any()


def test_equal_systems_have_p_one_and_others_do_not():
    """Two systems with the same scores have p = 1; the third, better on every topic, does not."""
    one = np.random.default_rng(0).uniform(size=20)
    better = one + 0.5 + np.linspace(0, 0.1, 20)
    p = stepdown.of_pairs(np.stack([one, one, better]), 999, np.random.default_rng(1))
    assert p.tolist() == [1, 0.001, 0.001]


def test_systems_of_one_mean_and_shapes_of_their_own_are_not_distinguished():
    """Of such collections both laws together claim a difference in 7% at most, and signs alone in more."""
    world = Hard("pareto", "shapes", seed=3)
    rng = np.random.default_rng(0)
    wrong = np.zeros(2)
    for _ in range(150):
        one = world.scores(25, rng)
        drawn = stepdown.laws(25, 199, rng)
        signs, directions = (stepdown.pairs_by(law, one) for law in drawn)
        wrong += signs.min() <= 0.05, np.maximum(signs, directions).min() <= 0.05
    # of 150 at 7% 19 or more have a probability of 1%
    assert wrong[1] < 19
    assert wrong[1] < wrong[0]


@pytest.mark.skipif(arrays.core is None, reason="the core is not compiled")
@pytest.mark.parametrize("draws", [100, 1001])
@pytest.mark.parametrize("systems", [2, 3, 40])
def test_the_core_counts_what_numpy_counts(monkeypatch, draws, systems):
    """Figures of scores with ties, and of differences with holes, have the same bits, whoever counts."""
    values = scores(systems, systems, 12, apart=1.0).round(1)
    found = values - values.mean()
    found[:, :2] = np.nan
    found[0, 5] = np.nan

    def both():
        rng = np.random.default_rng(1)
        pairs = stepdown.of_pairs(values, draws, rng)
        return np.concatenate([pairs, stepdown.of_differences(found, draws, rng)])

    ours = both()
    monkeypatch.setattr(arrays, "core", None)
    assert ours.tobytes() == both().tobytes()
    assert ours.min() < 1


@pytest.mark.skipif(arrays.core is None, reason="the core is not compiled")
def test_the_core_refuses_arrays_of_other_lengths():
    """Arrays that do not belong together are refused, not read beyond their ends."""
    one = np.zeros(1)
    pair = np.zeros(1, dtype=np.int64)
    for wrong in range(5):
        given = [pair, pair, one, one, pair.copy()]
        given[wrong] = np.repeat(given[wrong], 2)
        with pytest.raises(ValueError, match="other lengths"):
            arrays.core.reached(np.zeros((3, 2)), 2, *given)
    with pytest.raises(ValueError, match="other lengths"):
        arrays.core.reached(np.zeros((3, 2)), 0, pair, pair, one, one, pair.copy())
