"""Subsets that may be as good as the best, against loops over every subset."""

from itertools import combinations

import numpy as np
import pytest

from irmeta.stats.subsets import rivals as study
from irmeta.stats.subsets.matrices import covariance
from irmeta.stats.subsets.orders import log_determinant, unexplained
from irmeta.stats.subsets.rivals import rivals
from irmeta.stats.tests.multiplicity import range_quantile


def matrices(seed, variables=5, blocks=6, noise=1.0):
    """Return covariances of rows, and the same without each block of rows."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(60, 1)) + noise * rng.normal(size=(60, variables))
    block = np.arange(60) % blocks
    return covariance(rows), [covariance(rows[block != at]) for at in range(blocks)]


@pytest.mark.parametrize("objective", ["unreported", "determinant"])
def test_losses_and_errors_are_those_of_a_loop(objective):
    """Each subset's loss is that of the objective, and its lower end that of the jackknife over blocks."""
    sigma, without = matrices(0)

    def loss(matrix, subset):
        if objective == "determinant":
            return -log_determinant(matrix, subset)
        return unexplained(matrix, subset)

    found = rivals(sigma, without, np.arange(5), np.array([1]), 3, objective)
    every = [(1, *pair) for pair in combinations([0, 2, 3, 4], 2)]
    best = min(every, key=lambda subset: loss(sigma, subset))
    expected = {}
    for subset in every:
        behind = loss(sigma, subset) - loss(sigma, best)
        moved = np.array([loss(one, subset) - loss(one, best) for one in without])
        error = np.sqrt(5 / 6 * ((moved - moved.mean()) ** 2).sum())
        low = behind - range_quantile(6, 5) * error
        if low <= 0:
            expected[tuple(sorted(subset))] = (behind, low)
    got = zip(found.subsets.tolist(), found.behind, found.low, strict=True)
    assert found.compared == 6
    assert len(found.subsets) == len(expected)
    for subset, behind, low in got:
        assert (behind, low) == pytest.approx(expected[tuple(subset)], abs=1e-10)


def test_the_best_comes_first():
    """The first set is the best, which is not behind itself, and no set is nearer than the one before."""
    sigma, without = matrices(1)
    found = rivals(sigma, without, np.arange(5), np.arange(0), 2, "unreported")
    assert found.behind[0] == found.low[0] == 0
    assert (np.diff(found.behind) >= 0).all()


def test_a_variable_that_explains_the_rest_is_alone():
    """Where one variable is all the others without their noise, it alone may be the best."""
    rng = np.random.default_rng(2)
    core = rng.normal(size=(300, 1))
    rows = np.concatenate([core, core + rng.normal(size=(300, 4))], axis=1)
    block = np.arange(300) % 10
    without = [covariance(rows[block != at]) for at in range(10)]
    found = rivals(
        covariance(rows), without, np.arange(5), np.arange(0), 1, "unreported"
    )
    assert found.subsets.tolist() == [[0]]


def test_too_many_sets_or_too_few_blocks_are_not_compared(monkeypatch):
    """Without an answer in a moment, or without an error, nothing is said."""
    sigma, without = matrices(3)
    every = np.arange(5), np.arange(0), 2, "unreported"
    assert rivals(sigma, without[:2], *every) is None
    monkeypatch.setattr(study, "MOST", 9)
    assert rivals(sigma, without, *every) is None
