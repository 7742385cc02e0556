"""Soft pairwise accuracy: against counts pair by pair, all signs and worlds where the truth is known."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irmeta.stats.judging.soft import p_values, soft_accuracy


def scores(
    rng: np.random.Generator, noises: tuple[float, ...], systems: int = 16
) -> np.ndarray:
    """Draw a truth and judges that add noise to it: (set, system, 25 topics)."""
    truth = rng.normal(0, 0.08, (systems, 1)) + rng.normal(0, 0.15, (systems, 25))
    judges = [truth + rng.normal(0, noise, truth.shape) for noise in noises]
    return np.stack([truth, *judges])


@given(st.integers(0, 2**32), st.integers(1, 8))
def test_p_is_that_of_all_signs_a_pair_at_a_time(seed: int, decimals: int) -> None:
    """With all signs p is the share of them by which a pair is further apart, those by which it is as far by half."""
    rng = np.random.default_rng(seed)
    made = rng.normal(size=(2, 4, 6)).round(decimals)
    signs = np.array(list(product((1.0, -1.0), repeat=6)))
    found = p_values(made, signs)
    for which, a, b in product(range(2), range(4), range(4)):
        apart = made[which, a] - made[which, b]
        beyond = (signs @ apart - apart.sum()).round(10)
        assert found[which, a, b] == np.mean((beyond > 0) + (beyond == 0) / 2)


def test_without_ties_it_is_the_measure_of_the_metrics_task() -> None:
    """Of the same signs it is 1 less the mean difference of the shares of nulls that are at least what is observed."""
    rng = np.random.default_rng(0)
    made = scores(rng, (0.2,), systems=9)
    signs = rng.choice([-1.0, 1.0], size=(300, 25))
    p = p_values(made, signs)
    shares = np.array(
        [
            [
                np.mean(signs @ (one[i] - one[j]) >= (one[i] - one[j]).sum())
                for i, j in zip(*np.triu_indices(9, 1), strict=True)
            ]
            for one in made
        ]
    )
    wanted = 1 - np.abs(shares[0] - shares[1]).mean()
    upper = np.triu_indices(9, 1)
    assert 1 - np.abs(p[0] - p[1])[upper].mean() == pytest.approx(wanted)


def test_the_order_of_systems_does_not_count() -> None:
    """Systems in another order have the same figure, with ties, too."""
    made = scores(np.random.default_rng(1), (0.1, 0.3)).round(1)
    each = np.arange(16)
    found, turned = (
        soft_accuracy(one, np.random.default_rng(0), each, draws=4)
        for one in (made, made[:, ::-1])
    )
    np.testing.assert_allclose(found.tau, turned.tau)
    np.testing.assert_allclose(found.kernel.sum(axis=(1, 2)), 0, atol=1e-9)


def test_a_judge_that_is_the_truth_agrees_wholly_and_its_reverse_not_at_all() -> None:
    """The truth itself has 1; one that reverses clear differences has hardly more than 0."""
    rng = np.random.default_rng(2)
    truth = np.arange(6)[:, None] + rng.normal(0, 0.1, (6, 25))
    found = soft_accuracy(np.stack([truth, truth, -truth]), rng, np.arange(6))
    assert found.tau[0] == 1
    assert found.tau[1] < -0.99
    interval = found.interval()
    assert (interval.low <= found.tau).all()
    assert (found.tau <= interval.high).all()


def test_its_interval_is_no_shorter_than_of_independent_pairs_and_knows_that_they_add_fractions() -> (
    None
):
    """The least variance is that of a mean of what pairs add, and not of 1 and -1, which is wider for a good judge."""
    made = scores(np.random.default_rng(3), (0.02,), systems=10)
    found = soft_accuracy(made, np.random.default_rng(0), np.arange(10))
    each = found.tau + found.kernel[0][np.triu_indices(10, 1)]
    pairs = each.size
    # one pair more adds 1 or -1
    wanted = (each.var() / (1 - found.tau**2) * pairs + 1) / (pairs + 1)
    np.testing.assert_allclose(found.spread, wanted)
    least = 2 * 1.96 * np.sqrt(each.var() / pairs)
    own = found.interval()
    width = own.high - own.low
    assert width > least
    as_tau = replace(found, spread=np.ones(1)).interval()
    assert as_tau.high - as_tau.low > 1.2 * width


def test_a_worse_judge_is_found_and_an_equal_one_is_not() -> None:
    """Of 40 draws two equal judges differ in at most 6; a clearly noisier one is found in more than half."""
    found = np.zeros(2)
    for seed in range(40):
        rng = np.random.default_rng(seed)
        made = soft_accuracy(scores(rng, (0.1, 0.1, 0.5)), rng, np.arange(16), 50)
        found += made.differences().p[0, 1:] < 0.05
    assert found[0] <= 6  # of 40 at 5% more happens three times in a thousand
    assert found[1] > 20
