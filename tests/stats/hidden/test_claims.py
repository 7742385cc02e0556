"""What claims of documents are worth."""

import numpy as np
import pytest
import scipy.stats

from irmeta.stats.hidden.claims import known


def test_claims_by_hand_and_by_fisher() -> None:
    """Shares, p and bits of twelve claims are those of their table, and p is Fisher's."""
    claimed = np.array([1] * 5 + [0] * 7, dtype=bool)
    relevant = np.array([1, 1, 1, 1, 0, 1, 0, 0, 0, 0, 0, 0], dtype=bool)
    found = known(claimed, relevant)
    assert (found.claims, found.right) == (12, 10)
    assert found.guessed == pytest.approx((5 * 5 + 7 * 7) / 144)
    p = scipy.stats.fisher_exact([[4, 1], [1, 6]], alternative="greater").pvalue
    assert found.p == pytest.approx(p)
    entropy = scipy.stats.entropy
    of_claims = entropy([5 / 12, 7 / 12], base=2)
    given = 5 / 12 * entropy([0.8, 0.2], base=2) + 7 / 12 * entropy(
        [6 / 7, 1 / 7], base=2
    )
    assert found.bits == pytest.approx(12 * (of_claims - given))


def test_guesses_are_worth_nothing() -> None:
    """Claims that all say the same have no bits and a p of 1; no claims have none."""
    relevant = np.array([1, 0, 0, 1, 0], dtype=bool)
    same = known(np.ones(5, dtype=bool), relevant)
    assert (same.right, same.p, same.bits) == (2, 1.0, 0.0)
    assert same.guessed == pytest.approx(0.4)
    none = np.zeros(0, dtype=bool)
    assert known(none, none)[:2] == (0, 0)


def test_p_of_guesses_is_uniform_or_more() -> None:
    """Of 400 series of random claims at most 5% have a p below .05, with three standard errors."""
    rng = np.random.default_rng(0)
    low = [
        known(rng.random(60) < 0.4, rng.random(60) < 0.3).p <= 0.05 for _ in range(400)
    ]
    assert np.mean(low) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 400)
