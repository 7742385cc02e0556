"""Covariance, correlation, normal scores; matrices that are no good."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from irmeta.stats.subsets.matrices import (
    correlation,
    covariance,
    dependent,
    normal_scores,
    smallest_eigenvalue,
    symmetrized,
)

seeds = st.integers(0, 2**32 - 1)


def test_covariance_and_correlation_are_numpys() -> None:
    """Both agree with NumPy's, and the diagonal of a correlation matrix is exactly 1."""
    rows = np.random.default_rng(1).normal(size=(40, 5)) * [1, 10, 0.1, 3, 1e-4]
    np.testing.assert_allclose(covariance(rows), np.cov(rows, rowvar=False))
    scaled = correlation(covariance(rows))
    np.testing.assert_allclose(scaled, np.corrcoef(rows, rowvar=False))
    assert (np.diag(scaled) == 1).all()


def test_one_column_has_a_matrix() -> None:
    """The covariance of a single variable is a matrix of one row."""
    assert covariance(np.array([[1.0], [3.0]])).tolist() == [[2.0]]


@given(seeds)
def test_normal_scores_do_not_see_increasing_transformations(seed: int) -> None:
    """Normal scores depend on ranks only, and are the normal quantiles of rank / (n + 1)."""
    rows = np.random.default_rng(seed).random((12, 3)).round(1)
    np.testing.assert_allclose(normal_scores(rows), normal_scores(np.exp(3 * rows)))
    column = stats.norm.ppf(stats.rankdata(rows[:, 0]) / 13)
    np.testing.assert_allclose(normal_scores(rows)[:, 0], column)


def test_scores_equal_but_for_rounding_are_ties() -> None:
    """Sums of the same numbers in another order share a normal score."""
    rows = np.array([[0.1 + 0.2], [0.3], [0.9]])
    assert rows[0] != rows[1]
    assert normal_scores(rows)[0] == normal_scores(rows)[1]


def test_an_asymmetric_matrix_becomes_the_mean_of_its_halves() -> None:
    """The largest difference between the halves is reported."""
    mean, off = symmetrized(np.array([[1.0, 0.5], [0.3, 1.0]]))
    assert mean.tolist() == [[1.0, 0.4], [0.4, 1.0]]
    assert np.isclose(off, 0.2)


def test_an_impossible_correlation_has_a_negative_eigenvalue() -> None:
    """Three variables cannot all be opposites of one another."""
    assert smallest_eigenvalue(np.full((3, 3), -0.9) + 1.9 * np.eye(3)) < -0.1


@given(seeds, st.integers(0, 4))
def test_a_combination_of_variables_is_named_with_its_parts(
    seed: int, copy: int
) -> None:
    """A copy of a variable is determined by it; a variable that stands alone is not."""
    rows = np.random.default_rng(seed).normal(size=(30, 5))
    sigma = covariance(np.column_stack([rows, 2 * rows[:, copy]]))
    assert dependent(covariance(rows)) == []
    assert dependent(sigma) == [(5, [copy])]
    assert dependent(sigma, [5]) == [(copy, [5])]


def test_a_sum_is_determined_by_its_terms() -> None:
    """Whichever of a sum and its terms is left out, the others determine it."""
    rows = np.random.default_rng(2).normal(size=(30, 3))
    ((left_out, parts),) = dependent(
        covariance(np.column_stack([rows, rows[:, 0] + rows[:, 1]]))
    )
    assert sorted([left_out, *parts]) == [0, 1, 3]
