"""Differences between systems of different collections: oracles, what teams change, and the level of the test."""

import numpy as np
import pytest
from scipy import stats

from irmeta.stats.rankings.ranksets import rank_sets_of
from irmeta.stats.standardizing import across
from irmeta.stats.standardizing.across import Estimate, Placed, Spread

NONE = Spread(np.zeros((2, 2)), 10_000)


def z_of(scores, standardizing):
    return (scores - standardizing.mean(axis=0)) / standardizing.std(axis=0, ddof=1)


def world(rng, systems, topics, difficulty=-1.0):
    """Scores of systems of three abilities in one: good ones are good on most topics."""
    ability = rng.normal(0, 0.7, (systems, 1))
    hard = difficulty + rng.normal(size=topics)
    return 1 / (1 + np.exp(-(hard + ability + rng.normal(0, 0.6, (systems, topics)))))


def test_without_the_factors_the_test_across_collections_is_welchs():
    """On collections of their own, difference and p are those of scipy's test with unequal variances."""
    rng = np.random.default_rng(0)
    a, b = rng.random((3, 12)), rng.random((2, 30)) ** 2
    placed = [Placed(a, np.zeros((3, 2))), Placed(b, np.zeros((2, 2)))]
    found = across.differences(placed, [NONE, NONE], np.eye(2))
    for i, j in np.ndindex(3, 2):
        expected = stats.ttest_ind(a[i], b[j], equal_var=False)
        assert found.p[i, 3 + j] == pytest.approx(expected.pvalue, rel=1e-6)
        low, high = (end[i, 3 + j] for end in found.interval(0.95))
        assert (low, high) == pytest.approx(
            tuple(expected.confidence_interval(0.95)), rel=1e-6
        )


def test_without_the_factors_the_test_on_one_collection_is_paired():
    """On one collection, p is that of scipy's paired test."""
    scores = np.random.default_rng(1).random((4, 15))
    found = across.differences([Placed(scores, np.zeros((4, 2)))], [NONE], np.eye(1))
    assert found.p[0, 2] == pytest.approx(
        stats.ttest_rel(scores[0], scores[2]).pvalue, rel=1e-9
    )
    assert found.p[1, 1] == 1


def test_systems_known_by_mean_and_variance_are_tested_unpaired():
    """`apart` gives the p of scipy's test from summary statistics."""
    rng = np.random.default_rng(2)
    own, other = rng.random((2, 20)), rng.random((3, 20))
    means = across.means([Placed(own, np.zeros((2, 2)))], [NONE])
    found = across.beside_known_means(
        means, other.mean(axis=1), other.var(axis=1, ddof=1), 20
    )
    for i, j in np.ndindex(2, 3):
        assert found.p[i, j] == pytest.approx(
            stats.ttest_ind(own[i], other[j], equal_var=False).pvalue, rel=1e-6
        )


def test_the_factors_variance_is_that_of_resampled_standardizing_systems():
    """For good, middling and bad systems it is within 30% of the variance over bootstraps of standardizing systems."""
    rng = np.random.default_rng(3)
    scores = world(rng, 60, 400)
    some = scores[np.argsort(scores.mean(axis=1))[[2, 30, 57]]]
    placed = across.place(z_of(some, scores))
    spread = across.spread(z_of(scores, scores))
    analytic = np.einsum(
        "sa,ab,sb->s", placed.loadings, spread.covariance, placed.loadings
    )
    drawn = [
        across.place(z_of(some, scores[rng.integers(60, size=60)])).scores.mean(axis=1)
        for _ in range(1500)
    ]
    assert analytic == pytest.approx(np.var(drawn, axis=0), rel=0.3)


def test_two_runs_of_a_team_that_are_the_same_count_as_one():
    """Every system submitted twice by a team of its own moves the factors as far as if submitted once."""
    z = np.random.default_rng(4).normal(size=(9, 20))
    once, twice = (
        across.spread(z),
        across.spread(np.repeat(z, 2, axis=0), np.repeat(np.arange(9), 2)),
    )
    np.testing.assert_allclose(once.covariance, twice.covariance, rtol=1e-9)
    assert (once.units, twice.units) == (9, 9)


def test_what_moves_both_alike_drops_out():
    """With the same standardizing systems, and the same loadings on both collections, the error is that of Welch."""
    rng = np.random.default_rng(5)
    scores, loadings = rng.random((2, 10)), np.array([[-0.3, -0.1]])
    placed = [Placed(scores[:1], loadings), Placed(scores[1:], loadings)]
    spread = Spread(np.array([[0.01, 0.0], [0.0, 0.02]]), 40)
    same = across.differences(placed, [spread, spread], np.ones((2, 2)))
    other = across.differences(placed, [spread, spread], np.eye(2))
    assert same.error[0, 1] == pytest.approx(
        across.differences(placed, [NONE, NONE], np.eye(2)).error[0, 1]
    )
    assert other.error[0, 1] > same.error[0, 1]


def test_draws_vary_as_squares_and_factors_say():
    """Drawn differences vary by the mean square of a topic, on one collection and across two, and by the factors."""
    rng = np.random.default_rng(6)
    scores = [world(rng, 30, topics) for topics in (40, 60)]
    z = [z_of(one, one) for one in scores]
    placed, spreads = (
        [across.place(one[:3]) for one in z],
        [across.spread(one) for one in z],
    )
    draws = across.drawn(placed, spreads, np.eye(2), 20_000, rng)
    errors = across.differences(placed, spreads, np.eye(2)).error
    topics = across.differences(placed, [NONE, NONE], np.eye(2)).error
    one, other = (each.scores for each in placed)
    middle = np.concatenate([one.mean(axis=1), other.mean(axis=1)]).mean()

    def squared(scores):
        return (scores**2).sum() / scores.size**2

    expected = {
        (0, 1): squared(one[0] - one[1]),
        (0, 4): squared(one[0] - middle) + squared(other[1] - middle),
        (2, 5): squared(one[2] - middle) + squared(other[2] - middle),
    }
    for (i, j), from_topics in expected.items():
        factors = errors[i, j] ** 2 - topics[i, j] ** 2
        assert (draws[:, i] - draws[:, j]).std() == pytest.approx(
            np.sqrt(from_topics + factors), rel=0.03
        )


@pytest.mark.parametrize("topics", [[5], [10], [6, 8]])
def test_equal_systems_have_rank_sets_of_all_ranks(topics):
    """Entries that are equally good are not distinguished by few topics, of one collection or of two."""
    claimed = 0
    for seed in range(30):
        rng = np.random.default_rng([seed, *topics])
        placed = [
            across.Placed(rng.normal(size=(8, count)), np.zeros((8, 2)))
            for count in topics
        ]
        none = [NONE] * len(topics)
        draws = across.drawn(placed, none, np.eye(len(topics)), 400, rng)
        means = across.means(placed, none).value
        claimed += rank_sets_of(means, draws).better.any()
    # 5 or more of 30 at 5% have a probability of 2%
    assert claimed <= 4


def test_a_figure_that_is_sure_has_no_p_and_a_constant_difference_is_beyond_chance():
    """Without error p is 1 where there is no difference, else 0."""
    found = Estimate(np.array([0.0, 0.1]), np.zeros(2), np.ones(2))
    assert found.p.tolist() == [1.0, 0.0]


def test_systems_that_do_not_differ_are_found_different_in_5_percent():
    """A system on two halves of the topics, each standardized by other systems, differs from itself at the level.

    Without the factors' own uncertainty the test rejects more than twice as often.
    """
    rng = np.random.default_rng(7)
    with_factors, without = [], []
    for _ in range(60):
        scores = world(rng, 60, 100)
        halves = [
            z_of(scores[:, t], scores[s][:, t])
            for t, s in ((slice(50), slice(30)), (slice(50, None), slice(30, None)))
        ]
        placed = [across.place(half) for half in halves]
        spreads = [across.spread(halves[0][:30]), across.spread(halves[1][30:])]
        for found, its in ((with_factors, spreads), (without, [NONE, NONE])):
            p = across.differences(placed, its, np.eye(2)).p
            found.append((np.diag(p[:60, 60:]) < 0.05).mean())
    assert 0.02 < np.mean(with_factors) < 0.08
    assert np.mean(without) > 2 * np.mean(with_factors)
