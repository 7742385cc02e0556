"""Orders of variables: Sheffield's example, and what each method has in common with others."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.linalg import lapack

from irmeta.papers.gupta2019.ranking import (
    SHEFFIELD,
    backward_as_printed,
    row_sums_updated,
)
from irmeta.stats.arrays import Floats
from irmeta.stats.subsets.branch_and_bound import best_subsets
from irmeta.stats.subsets.criteria import ExplainedVariance, LogDeterminant
from irmeta.stats.subsets.matrices import correlation, covariance, symmetrized
from irmeta.stats.subsets.orders import (
    explained_by_each,
    greedy,
    iterative_backward,
    log_determinant,
    row_sums,
    sheffield,
    unexplained,
)
from irmeta.stats.subsets.selection import ORDERS

seeds = st.integers(0, 2**32 - 1)
SIGMA = symmetrized(SHEFFIELD)[0]

PUBLISHED = {
    "ib": ([5, 4, 1, 7, 6, 3, 2], [1, 1, 1, 1, 1, 1]),
    "sheffield": ([5, 4, 1, 7, 6, 3, 2], [1, 1, 1, 1, 1, 1]),
    "pivot": ([5, 4, 1, 7, 6, 3, 2], [1, 1, 1, 1, 1, 1]),
    "gf": ([5, 1, 4, 7, 3, 6, 2], [1, 0.952, 1, 1, 0.99, 1]),
    "trace": ([5, 1, 4, 7, 3, 6, 2], [1, 0.952, 1, 1, 0.99, 1]),
    "gf-code": ([5, 4, 1, 6, 3, 2, 7], [1, 1, 1, 0.707, 0.672, 0.241]),
    "ib as printed": ([4, 5, 7, 1, 6, 3, 2], [0.625, 1, 0.188, 1, 1, 1]),
    "gf-code with update": ([5, 1, 4, 6, 7, 3, 2], [1, 0.952, 1, 0.707, 1, 1]),
}


def matrix(seed: int, n: int = 7) -> Floats:
    rng = np.random.default_rng(seed)
    return covariance(rng.normal(size=(n + 5, n)) @ rng.normal(size=(n, n)))


def order(method: str, sigma: Floats, include: list[int] | None = None) -> list[int]:
    return ORDERS[method](sigma, np.arange(len(sigma)), include or []).tolist()


@pytest.mark.parametrize("method", PUBLISHED)
def test_sheffields_bands(method: str) -> None:
    """Each method's order of Sheffield's bands, and its determinants over the largest, are those known for it."""
    special = {
        "ib as printed": backward_as_printed,
        "gf-code with update": row_sums_updated,
    }
    found = (
        special[method](SIGMA).tolist() if method in special else order(method, SIGMA)
    )
    bands, ratios = PUBLISHED[method]
    assert [band + 1 for band in found] == bands
    best = best_subsets(LogDeterminant(), SIGMA[None], range(1, 7))
    ours = [
        np.exp(log_determinant(SIGMA, found[:k]) - best[k].value) for k in range(1, 7)
    ]
    np.testing.assert_allclose(ours, ratios, atol=0.005)


def test_largest_determinants_of_sheffields_bands() -> None:
    """The optimum of each size is the known one."""
    best = best_subsets(LogDeterminant(), SIGMA[None], range(1, 7))
    assert [sorted(best[k].subset + 1) for k in range(1, 7)] == [
        [5], [4, 5], [1, 4, 5], [1, 4, 5, 7], [1, 4, 5, 6, 7], [1, 3, 4, 5, 6, 7],
    ]  # fmt: skip
    known = [210.83, 10439, 4.339e5, 3.272e6, 1.651e7, 7.87e7]
    np.testing.assert_allclose(
        np.exp([best[k].value for k in range(1, 7)]), known, rtol=5e-4
    )


@given(seeds, st.booleans())
def test_the_inverse_update_gives_sheffields_order(seed: int, scaled: bool) -> None:
    """Iterative backward drops what computing every sub-determinant would drop, where rounding decides no tie."""
    sigma = correlation(matrix(seed)) if scaled else matrix(seed)
    assume(np.linalg.cond(sigma) < 1e5)
    assert iterative_backward(sigma).tolist() == sheffield(sigma).tolist()
    assert (
        iterative_backward(sigma, [3, 5]).tolist() == sheffield(sigma, [3, 5]).tolist()
    )


@given(seeds)
def test_greedy_on_the_determinant_is_pivoted_cholesky(seed: int) -> None:
    """The order is that of LAPACK's Cholesky factorisation with complete pivoting."""
    sigma = matrix(seed)
    _, pivots, rank, _ = lapack.dpstrf(sigma, tol=0.0)
    assert rank == 7
    assert greedy(LogDeterminant(), sigma[None]).tolist() == (pivots - 1).tolist()


@given(seeds)
def test_the_greedy_criterion_is_the_drop_in_residual_variance(seed: int) -> None:
    """Each variable that the trace criterion adds leaves less unexplained than any other would have."""
    sigma = matrix(seed)
    found = greedy(ExplainedVariance(), ExplainedVariance().layers(sigma)).tolist()
    for k in range(6):
        left = [unexplained(sigma, [*found[:k], other]) for other in found[k:]]
        assert left[0] <= min(left) + 1e-9


@given(seeds, st.permutations(range(7)))
def test_orders_follow_their_variables(seed: int, shuffled: list[int]) -> None:
    """Without ties, the order of variables in the matrix does not matter."""
    sigma = matrix(seed)
    for method in ORDERS:
        found = order(method, sigma[np.ix_(shuffled, shuffled)])
        assert [shuffled[i] for i in found] == order(method, sigma)


@given(seeds, st.floats(1e-6, 1e6))
def test_the_unit_does_not_matter(seed: int, unit: float) -> None:
    """Measuring every variable in another common unit changes no order."""
    sigma = matrix(seed)
    for method in ORDERS:
        assert order(method, unit * sigma) == order(method, sigma)


@given(seeds, st.lists(st.integers(0, 6), min_size=1, max_size=6, unique=True))
def test_included_variables_come_first(seed: int, include: list[int]) -> None:
    """Every method begins with the included variables."""
    for method in ORDERS:
        found = order(method, matrix(seed), sorted(include))
        assert sorted(found[: len(include)]) == sorted(include)
        assert sorted(found) == list(range(7))


@pytest.mark.parametrize("method", ORDERS)
def test_among_equals_the_first_is_better(method: str) -> None:
    """Independent variables of one variance keep their order."""
    assert order(method, np.eye(5)) == [0, 1, 2, 3, 4]


def test_row_sums_are_of_covariances_with_sign() -> None:
    """The released code adds covariances with their sign, so a strong opposite counts against a variable."""
    sigma = np.array([[1.0, -0.9, 0.0], [-0.9, 1.0, 0.0], [0.0, 0.0, 0.5]])
    assert row_sums(sigma).tolist() == [2, 0, 1]


@pytest.mark.slow
def test_determinants_beyond_floating_point() -> None:
    """The determinant of 500 variables of tiny variance has a logarithm, and every order runs."""
    rng = np.random.default_rng(3)
    sigma = 1e-4 * correlation(covariance(rng.normal(size=(2000, 500))))
    value = log_determinant(sigma, range(500))
    assert value < np.log(np.finfo(float).tiny)
    assert np.isfinite(value)
    for method in ("ib", "pivot", "gf", "gf-code"):
        assert sorted(order(method, sigma)) == list(range(500))


def test_singular_subsets_have_no_volume() -> None:
    """The log determinant of a variable and its copy is minus infinity."""
    assert log_determinant(np.ones((2, 2)), [0, 1]) == -np.inf


@given(seeds)
def test_unexplained_is_the_residual_of_least_squares(seed: int) -> None:
    """The share left is that of regressing every variable on the chosen ones."""
    rows = np.random.default_rng(seed).normal(size=(20, 5))
    rows -= rows.mean(axis=0)
    residual = rows - rows[:, [1, 3]] @ np.linalg.lstsq(rows[:, [1, 3]], rows)[0]
    expected = (residual**2).sum() / (rows**2).sum()
    np.testing.assert_allclose(
        unexplained(covariance(rows), [1, 3]), expected, rtol=1e-9
    )
    assert unexplained(covariance(rows), []) == 1


@given(seeds)
def test_what_each_explains_sums_to_what_all_explain(seed: int) -> None:
    """The criterion of an order is the fall of unexplained variance at each step, and the trace in all."""
    sigma = matrix(seed)
    order = np.random.default_rng(seed).permutation(len(sigma))
    explained = explained_by_each(sigma, order)
    left = np.array(
        [unexplained(sigma, order[:size]) for size in range(len(sigma) + 1)]
    ) * np.trace(sigma)
    np.testing.assert_allclose(explained, -np.diff(left), atol=1e-8 * np.trace(sigma))
