"""Gains add up to the criterion's value, and bounds bound it."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irmeta.stats.arrays import Floats
from irmeta.stats.subsets.criteria import (
    Criterion,
    ExplainedVariance,
    LogDeterminant,
    choose,
    diagonals,
)
from irmeta.stats.subsets.matrices import covariance

seeds = st.integers(0, 2**32 - 1)
both = pytest.mark.parametrize("criterion", [LogDeterminant(), ExplainedVariance()])


def matrix(seed: int, n: int = 6) -> Floats:
    rng = np.random.default_rng(seed)
    return covariance(rng.normal(size=(n + 4, n)) @ rng.normal(size=(n, n)))


def plain(criterion: Criterion, sigma: Floats, subset: tuple[int, ...]) -> float:
    """The criterion by its definition."""
    chosen = list(subset)
    if isinstance(criterion, LogDeterminant):
        return float(np.log(np.linalg.det(sigma[np.ix_(chosen, chosen)])))
    residual = (
        sigma
        - sigma[:, chosen]
        @ np.linalg.pinv(sigma[np.ix_(chosen, chosen)])
        @ sigma[chosen]
    )
    return float(np.trace(sigma) - np.trace(residual))


@both
@given(seed=seeds)
def test_gains_add_up_to_the_value(criterion: Criterion, seed: int) -> None:
    """Choosing variables one after the other, in any order, gains the value of the subset in all."""
    sigma = matrix(seed)
    order = np.random.default_rng(seed).permutation(6)[:4]
    layers, total = criterion.layers(sigma), 0.0
    for variable in order:
        total += float(criterion.gains(diagonals(layers))[variable])
        layers = choose(layers, int(variable))
    np.testing.assert_allclose(total, plain(criterion, sigma, tuple(order)), rtol=1e-6)
    np.testing.assert_allclose(
        layers[..., order, :], 0, atol=1e-8 * np.abs(criterion.layers(sigma)).max()
    )


@both
@given(seed=seeds)
def test_no_subset_is_better_than_a_bound(criterion: Criterion, seed: int) -> None:
    """Every bound is at least the best subset's value at every size, and exact for all variables together."""
    sigma = matrix(seed)
    best = [0.0] + [
        max(plain(criterion, sigma, s) for s in combinations(range(6), m))
        for m in range(1, 7)
    ]
    for bound in criterion.bounds:
        upper = bound(criterion.layers(sigma)[None])[0]
        assert (upper >= np.array(best) - 1e-7 * np.abs(best)).all()
    tight = np.min(
        [bound(criterion.layers(sigma)[None])[0] for bound in criterion.bounds], axis=0
    )
    np.testing.assert_allclose(tight[6], best[6], rtol=1e-6, atol=1e-9)


@both
def test_bounds_hold_after_some_variables_are_chosen_and_others_dropped(
    criterion: Criterion,
) -> None:
    """Below a node of the search the bounds hold for what may still be chosen."""
    for seed in range(30):
        sigma = matrix(seed)
        layers = choose(criterion.layers(sigma), 2)[
            :, [[0], [1], [4], [5]], [0, 1, 4, 5]
        ]
        base = plain(criterion, sigma, (2,))
        for m in (1, 2, 3):
            best = (
                max(
                    plain(criterion, sigma, (2, *s))
                    for s in combinations((0, 1, 4, 5), m)
                )
                - base
            )
            assert all(
                bound(layers[None])[0, m] >= best - 1e-7 * abs(best)
                for bound in criterion.bounds
            )


def test_batches_are_chosen_from_at_once() -> None:
    """Choosing a variable in a batch of layers is choosing it in each."""
    criterion = ExplainedVariance()
    batch = np.stack([criterion.layers(matrix(seed)) for seed in range(3)])
    np.testing.assert_allclose(choose(batch, 1)[2], choose(batch[2], 1))
