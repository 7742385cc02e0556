"""How well judgment sets predict the truth on other topics: against a plain loop, with intervals."""

import numpy as np
import pytest
import scipy.stats
from scipy.stats import kendalltau

from irmeta.stats.halves.halving import halves, shuffles
from irmeta.stats.halves.jackknife import variances
from irmeta.stats.halves.phi import phi, phi_interval


def scores(
    rng: np.random.Generator, sets: int = 3, systems: int = 12, topics: int = 20
) -> np.ndarray:
    """Draw a truth and judges that add noise to it: (set, system, topic)."""
    truth = (
        rng.normal(0, 0.1, (systems, 1))
        + rng.normal(0, 0.2, topics)
        + rng.normal(0, 0.15, (systems, topics))
    )
    judges = [
        truth + rng.normal(0, 0.1 * which, truth.shape) for which in range(1, sets)
    ]
    return np.stack([truth, *judges])


def test_phi_is_the_mean_tau_of_disjoint_halves() -> None:
    """Phi is the mean tau of the truth on one half of the topics and each set on the other, as a plain loop has it."""
    made = scores(np.random.default_rng(10), sets=2)
    rng, loop = np.random.default_rng(1), []
    for _ in range(300):
        order = rng.permutation(20)
        first, second = (
            made[0][:, order[:10]].mean(axis=1),
            made[:, :, order[10:]].mean(axis=2),
        )
        loop.append([kendalltau(first, one).statistic for one in second])
    np.testing.assert_allclose(
        phi(made, np.random.default_rng(0), 300), np.mean(loop, axis=0), atol=0.02
    )


def test_phi_of_a_judge_less_the_truths_own() -> None:
    """A judge that is the truth gains nothing, and has no interval; a noisy one loses, and its interval says so."""
    made = scores(np.random.default_rng(12), sets=3, systems=20, topics=30)
    made[1] = made[0]
    made[2] += np.random.default_rng(13).normal(0, 0.5, made[2].shape)
    found, low, high = phi_interval(made, np.random.default_rng(0), 200)
    np.testing.assert_array_equal(found, phi(made, np.random.default_rng(0), 200))
    gain = found[1:] - found[0]
    assert gain[0] == pytest.approx(0)
    assert np.isnan([low[0], high[0]]).all()
    assert low[1] < gain[1] < high[1] < 0


@pytest.mark.parametrize("team", [None, np.arange(12) // 2])
def test_the_interval_is_students(team: np.ndarray | None) -> None:
    """Half the interval of a gain is scipy's quantile of t times the jackknife's error, over teams where there are."""
    made = scores(np.random.default_rng(15), sets=3)
    rng = np.random.default_rng(0)
    found, low, high = phi_interval(made, np.random.default_rng(0), 100, team=team)
    phi(made, rng, 100)
    drawn = halves(shuffles(20, 100, rng), (10, 10))
    pairs = [np.stack([made[0], judge], axis=-1) for judge in made[1:]]
    variance = [variances(pair, drawn, team=team).advantage[1, 0] for pair in pairs]
    freedom = 11 if team is None else 5
    half = scipy.stats.t.ppf(0.975, freedom) * np.sqrt(variance)
    np.testing.assert_allclose(found[1:] - found[0] - low, half)
    np.testing.assert_allclose(high - (found[1:] - found[0]), half)


def test_intervals_of_teams_are_wider() -> None:
    """Where systems come in teams of clones the interval is wider than if each was by itself."""
    rng = np.random.default_rng(14)
    made = np.repeat(scores(rng, sets=2, systems=8), 3, axis=1) + rng.normal(
        0, 0.02, (2, 24, 20)
    )
    team = np.repeat(np.arange(8), 3)
    (_, low, high), (_, lower, higher) = (
        phi_interval(made, np.random.default_rng(0), 100, team=each)
        for each in (None, team)
    )
    assert higher - lower > 1.2 * (high - low)
