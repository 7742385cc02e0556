"""Rank correlation against scipy, worked examples and what any such coefficient must satisfy."""

import itertools

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as drawn

from irmeta.errors import ScoresError
from irmeta.stats import arrays
from irmeta.stats.arrays import settled
from irmeta.stats.rankings import rank, topheavy

COEFFICIENTS = [
    rank.tau_a,
    rank.tau_b,
    rank.pearson,
    rank.spearman,
    topheavy.tau_ap_b,
    topheavy.weighted_tau,
    topheavy.rbo,
]
TIED = drawn.arrays(
    np.float64, 12, elements=st.integers(0, 4).map(lambda number: number / 4)
)
VARIED = TIED.filter(lambda x: np.ptp(x) > 0)
STRICT = st.permutations(range(9)).map(lambda order: np.array(order, dtype=float))

# The worked example of the R package ircor (Urbano and Marrero).
X = np.array([0.06, 0.2, 0.27, 0.37, 0.57, 0.63, 0.66, 0.9, 0.91, 0.94])
Y = np.array([0.37, 0.06, 0.2, 0.27, 0.57, 0.66, 0.63, 0.91, 0.9, 0.94])


def tied(x):
    return np.round(x * 5) / 5


@pytest.mark.parametrize(
    ("coefficient", "x", "y", "expected"),
    [
        (rank.tau_a, X, Y, 0.7777778),
        (topheavy.tau_ap, X, Y, 0.7491182),
        (rank.tau_a, X, tied(Y), 0.7111111),
        (topheavy.tau_ap_a, X, tied(Y), 0.6074515),
        (rank.tau_b, tied(X), tied(Y), 0.75),
        (topheavy.tau_ap_b, tied(X), tied(Y), 0.6269841),
    ],
)
def test_worked_example(coefficient, x, y, expected):
    """Every variant of tau and tau_AP gives the published value of the worked example."""
    assert coefficient(x, y) == pytest.approx(expected, abs=5e-8)


@settings(max_examples=30)
@given(VARIED, VARIED)
def test_equal_to_scipy(x, y):
    """tau-b, Pearson, Spearman and weighted tau equal scipy's, ties included."""
    assert rank.tau_b(x, y) == pytest.approx(
        scipy.stats.kendalltau(x, y).statistic, abs=1e-12
    )
    assert rank.pearson(x, y) == pytest.approx(
        scipy.stats.pearsonr(x, y).statistic, abs=1e-12
    )
    assert rank.spearman(x, y) == pytest.approx(
        scipy.stats.spearmanr(x, y).statistic, abs=1e-12
    )
    assert topheavy.weighted_tau(x, y) == pytest.approx(
        scipy.stats.weightedtau(x, y).statistic, abs=1e-12
    )


@settings(max_examples=30)
@given(TIED, TIED)
def test_concordance_by_counting(x, y):
    """Concordance is the sum of the products of the signs of all pairs' differences, and untied counts the pairs."""
    pairs = [(i, j) for i in range(12) for j in range(i)]
    assert rank.concordance(x, y) == sum(
        np.sign(x[i] - x[j]) * np.sign(y[i] - y[j]) for i, j in pairs
    )
    assert rank.untied(x) == sum(x[i] != x[j] for i, j in pairs)


@settings(max_examples=30)
@given(VARIED, VARIED)
def test_bounds_and_symmetry(x, y):
    """Every coefficient for rankings that may tie is symmetric, and at most 1 in absolute value."""
    for coefficient in COEFFICIENTS:
        assert coefficient(x, y) == pytest.approx(coefficient(y, x), abs=1e-12), (
            coefficient
        )
        assert abs(coefficient(x, y)) <= 1 + 1e-12, coefficient


@settings(max_examples=30)
@given(STRICT)
def test_a_ranking_with_itself(x):
    """A ranking without ties correlates 1 with itself, and -1 with its reverse, or for RBO less than with itself."""
    for coefficient in [*COEFFICIENTS, topheavy.tau_ap, topheavy.tau_ap_a]:
        assert coefficient(x, x) == pytest.approx(1, abs=1e-12), coefficient
        if coefficient is not topheavy.rbo:
            assert coefficient(x, -x) == pytest.approx(-1, abs=1e-12), coefficient
    assert topheavy.rbo(x, -x) < 0.99


@settings(max_examples=30)
@given(VARIED, VARIED)
def test_only_the_order_counts(x, y):
    """A rank coefficient does not change when scores are transformed keeping their order."""
    for coefficient in COEFFICIENTS:
        if coefficient is not rank.pearson:
            assert coefficient(np.exp(x) * 3 - 1, y) == pytest.approx(
                coefficient(x, y), abs=1e-12
            ), coefficient


@settings(max_examples=30)
@given(VARIED, VARIED)
def test_reversal_changes_the_sign(x, y):
    """Reversing one ranking changes the sign of tau-a, tau-b, Pearson and Spearman."""
    for coefficient in COEFFICIENTS[:4]:
        assert coefficient(-x, y) == pytest.approx(-coefficient(x, y), abs=1e-12), (
            coefficient
        )


@settings(max_examples=20)
@given(STRICT, st.lists(st.integers(0, 2), min_size=4, max_size=4))
def test_tau_ap_a_is_the_mean_over_ways_to_break_ties(x, groups):
    """tau_AP,a and RBO,a of a ranking with ties are the means of tau_AP and RBO over every order of the tied items."""
    x, y = x[:4], np.array(groups, dtype=float)
    broken = y + np.array(list(itertools.permutations(range(4)))) / 100
    for coefficient, strict in (
        (topheavy.tau_ap_a, topheavy.tau_ap),
        (topheavy.rbo, topheavy.rbo),
    ):
        assert coefficient(x, y) == pytest.approx(strict(x, broken).mean(), abs=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_many_at_once_equal_one_at_a_time(seed):
    """A batch gives for every pair of rankings what the pair gives alone, whatever the size of the blocks."""
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, 6, (2, 2, 9)) / 6.0, rng.integers(0, 6, (2, 3, 9)) / 6.0
    for coefficient in COEFFICIENTS:
        batch = coefficient(x, y)
        assert batch.shape == (2, 2, 3)
        alone = [
            [[coefficient(a, b) for b in ys] for a in xs]
            for xs, ys in zip(x, y, strict=True)
        ]
        np.testing.assert_allclose(batch, alone, atol=1e-12)


def test_small_blocks(monkeypatch):
    """Results do not depend on how many comparisons are held at once."""
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 20, (4, 3, 40)) / 20, rng.integers(0, 20, (4, 2, 40)) / 20
    whole = [coefficient(x, y) for coefficient in COEFFICIENTS]
    for block in (1, 100, 3000):
        monkeypatch.setattr(rank, "BLOCK", block)
        monkeypatch.setattr(topheavy, "BLOCK", block)
        for coefficient, expected in zip(COEFFICIENTS, whole, strict=True):
            np.testing.assert_allclose(coefficient(x, y), expected, atol=1e-12)


def test_rbo_published_variants():
    """RBO counts agreement depth by depth: worked by hand for ties in the ways w, a and b."""
    x, y = [3, 2, 1], [3, 2, 2]
    # depth 1: both hold the first item. depth 2: y holds half of each tied item, or (w) both of them at once.
    depth_2 = {"w": 2 / 2.5, "a": (1 + 0.5) / 2, "b": 1.5 / (np.sqrt(2) * np.sqrt(1.5))}
    for ties, agreement in depth_2.items():
        expected = 0.1 * (1 + 0.9 * agreement + 0.81) + 0.9**3
        assert topheavy.rbo(x, y, p=0.9, ties=ties) == pytest.approx(
            expected, abs=1e-12
        )


@settings(max_examples=30)
@given(VARIED)
def test_rbo_b_with_itself(x):
    """RBO,b and RBO,w of a ranking with itself are 1, ties or not; RBO,a is less where it ties."""
    assert topheavy.rbo(x, x, ties="b") == pytest.approx(1)
    assert topheavy.rbo(x, x, ties="w") == pytest.approx(1)
    assert topheavy.rbo(x, x, ties="a") < 1


@settings(max_examples=30)
@given(TIED, TIED, drawn.arrays(np.int64, 12, elements=st.integers(0, 11)))
def test_leaving_groups_out(x, y, group):
    """Tau without each group of items is the tau of the rankings from which its items are deleted."""
    group = np.unique(group, return_inverse=True)[1]
    for ties, coefficient in (("a", rank.tau_a), ("b", rank.tau_b)):
        taus = rank.tau_without_each(x[None, None], y[None, None], group, ties=ties)
        for number, tau in enumerate(taus[0, :, 0, 0]):
            rest = group != number
            expected = coefficient(x[rest], y[rest]) if rest.sum() > 1 else np.nan
            np.testing.assert_equal(tau, expected)


def test_leaving_items_out():
    """By default every item is a group of its own."""
    x, y = np.random.default_rng(0).random((2, 3, 2, 7))
    np.testing.assert_array_equal(
        rank.tau_without_each(x, y), rank.tau_without_each(x, y, np.arange(7))
    )


@settings(max_examples=30)
@given(TIED, TIED)
def test_concordance_by_group(x, y):
    """Over groups of items the first sums add up to twice the concordance; within a group it is the group's own."""
    group = np.arange(12) // 5
    any_part, within = rank.concordance_by_group(np.stack([x, y]), group)
    assert any_part[:, 0, 1].sum() == 2 * rank.concordance(x, y)
    for one in range(3):
        assert within[one, 0, 1] == 2 * rank.concordance(
            x[group == one], y[group == one]
        )


def test_noise_of_addition_does_not_break_ties():
    """Means of the same scores in another order tie once settled."""
    x = np.array([0.1 + 0.2 + 0.3, 0.3 + 0.2 + 0.1, 0.9])
    assert x[0] != x[1]
    assert rank.tau_b(settled(x), [1, 2, 3]) == pytest.approx(
        scipy.stats.kendalltau([0.6, 0.6, 0.9], [1, 2, 3])[0]
    )


def test_constant_ranking_is_nan():
    """A ranking that ties everything has no tau-b, Pearson or Spearman; tau-a is 0."""
    for coefficient in (rank.tau_b, rank.pearson, rank.spearman, topheavy.tau_ap_b):
        assert np.isnan(coefficient([1, 1, 1], [1, 2, 3])), coefficient
    assert rank.tau_a([1, 1, 1], [1, 2, 3]) == 0


@pytest.mark.parametrize(
    ("coefficient", "x", "y", "says"),
    [
        (rank.tau_b, [1.0], [1.0], "at least two"),
        (rank.tau_b, [1.0, 2.0], [1.0, 2.0, 3.0], "same items"),
        (rank.tau_b, [1.0, np.nan], [1.0, 2.0], "a score for every item"),
        (topheavy.tau_ap, [1, 2, 3], [1, 2, 2], "not defined for rankings with ties"),
        (topheavy.tau_ap_a, [1, 2, 2], [1, 2, 3], "use tau_AP,b"),
        (lambda x, y: topheavy.rbo(x, y, p=1.0), [1, 2], [1, 2], "between 0 and 1"),
    ],
)
def test_errors(coefficient, x, y, says):
    """Rankings that a coefficient is not defined for raise an error that says so."""
    with pytest.raises(ScoresError, match=says):
        coefficient(x, y)


@pytest.mark.skipif(arrays.core is None, reason="the core is not compiled")
@pytest.mark.parametrize("n", [2, 3, 64, 65, 66, 130, 300])
@pytest.mark.parametrize("decimals", [0, 1, 8])
def test_the_core_counts_what_products_count(monkeypatch, n, decimals):
    """Concordance of rankings of any length, with many ties and without, is that of products of signs."""
    rng = np.random.default_rng(n)
    x, y = rng.normal(size=(2, 3, 4, n)).round(decimals)
    ours = rank.concordance(x, y[:, :2])
    monkeypatch.setattr(arrays, "core", None)
    np.testing.assert_array_equal(ours, rank.concordance(x, y[:, :2]))


@pytest.mark.skipif(arrays.core is None, reason="the core is not compiled")
@pytest.mark.parametrize(
    ("batch", "items", "counts"),
    [(0, 3, 4), (1, 0, 4), (1, 3, 5), (2, 3, 4), (1, 4, 4)],
)
def test_the_core_refuses_arrays_that_do_not_fit(batch, items, counts):
    """Rankings of other lengths are refused, not read beyond their ends."""
    two = np.zeros((1, 2, 3))
    arrays.core.concordance(two, two, 1, 3, np.zeros(4))
    with pytest.raises(ValueError, match="no rankings|other lengths"):
        arrays.core.concordance(two, two, batch, items, np.zeros(counts))
