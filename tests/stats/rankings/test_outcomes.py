"""Agreement of users with a metric: without noise by scipy's noncentral t, with noise by what must not change it."""

import numpy as np
import pytest
from scipy.stats import nct

from irmeta.stats.rankings.outcomes import (
    Outcomes,
    agreement,
    correlation,
    lead,
    posterior,
    ratio,
    reliability,
    scaled,
    without_noise,
)

LEVELS = np.array([0.025, 0.5, 0.975])


def made(systems=12, noise=0.0, seed=1, slope=1.0):
    """Draw scaled scores, and outcomes of systems around a line in them."""
    rng = np.random.default_rng(seed)
    scores = scaled(rng.normal(size=systems))
    true = slope * scores + rng.normal(size=systems)
    error = np.full(systems, noise)
    return scores, Outcomes(
        true + error * rng.normal(size=systems), error, np.eye(systems)
    )


@pytest.mark.parametrize("systems", [6, 30])
def test_without_noise_ends_are_those_of_noncentral_t(systems):
    """Where outcomes have no noise, quantiles of slope / spread are those that scipy's noncentral t gives."""
    scores, outcomes = made(systems)
    slope, level = np.polyfit(scores, outcomes.value, 1)
    left = outcomes.value - level - slope * scores
    root = np.sqrt(systems - 1)
    t = slope * root / np.sqrt((left**2).sum() / (systems - 2))
    found = ratio(posterior(outcomes, scores[:, None]), LEVELS)
    for level, one in zip(LEVELS, found, strict=True):
        assert nct.sf(t, systems - 2, one * root) == pytest.approx(level, abs=0.004)


def test_the_other_way_round():
    """A metric that orders systems the other way round has the other sign, and agrees on the other pairs."""
    scores, outcomes = made(noise=0.5)
    one, other = (
        ratio(posterior(outcomes, sign * scores[:, None]), LEVELS) for sign in (1, -1)
    )
    np.testing.assert_allclose(one, -other[::-1], atol=1e-6)
    shares = agreement(one, scores) + agreement(-one, scores)
    np.testing.assert_allclose(shares, 1)


def test_agreement_is_that_of_normal_scores():
    """With normal scores users agree on 1/2 + asin(r) / pi of pairs, r the correlation."""
    scores = scaled(np.random.default_rng(0).normal(size=1500))
    found = agreement(np.array([0.75]), scores)[0]
    r = correlation(np.array([0.75]))[0]
    assert r == pytest.approx(0.6)
    assert found == pytest.approx(0.5 + np.arcsin(r) / np.pi, abs=0.005)


def test_differences_say_what_outcomes_say():
    """Exact differences along a chain of all systems say the same as their outcomes, whose level is of no interest."""
    scores, outcomes = made(noise=0.3)
    pairs = (np.eye(12) - np.roll(np.eye(12), 1, axis=1))[:11]
    differences = Outcomes(pairs @ outcomes.value, np.full(11, 1e-9), pairs)
    exact = outcomes._replace(error=np.zeros(12))
    one, other = (
        ratio(posterior(given, scores[:, None]), LEVELS)
        for given in (exact, differences)
    )
    np.testing.assert_allclose(one, other, atol=0.02)


def test_noise_is_taken_out_and_paid_for():
    """Noise that is known does not lower agreement, and widens its interval; noise that nobody states lowers it."""
    ends = []
    for seed in range(30):
        scores, outcomes = made(40, noise=1.0, seed=seed)
        silent = outcomes._replace(error=np.zeros(40))
        ends.append(
            [
                agreement(ratio(posterior(given, scores[:, None]), LEVELS), scores)
                for given in (outcomes, silent)
            ]
        )
    known, silent = np.mean(ends, axis=0)
    assert known[1] == pytest.approx(0.75, abs=0.03)
    assert silent[1] < 0.71
    assert known[2] - known[0] > silent[2] - silent[0]


def test_a_metric_leads_another_by_the_difference_of_their_shares():
    """The lead's middle is near the difference of both agreements; a metric leads itself by nothing."""
    scores, outcomes = made(30, noise=0.2, slope=2.0)
    rng = np.random.default_rng(0)
    other = scaled(rng.normal(size=30))
    drawn = lead(outcomes, scores, other, rng)
    each = [
        agreement(ratio(posterior(outcomes, x[:, None]), LEVELS), x)[1]
        for x in (scores, other)
    ]
    assert np.median(drawn) == pytest.approx(each[0] - each[1], abs=0.02)
    assert not lead(outcomes, scores, scores, rng).any()
    reverse = lead(outcomes, scores, -scores, rng)
    assert np.median(reverse) == pytest.approx(2 * each[0] - 1, abs=0.02)


def test_without_noise_leaves_less():
    """Outcomes that show the same without noise have a narrower interval around it."""
    scores, outcomes = made(12, noise=1.5, slope=2.0)
    found = ratio(posterior(outcomes, scores[:, None]), LEVELS)
    sharp = without_noise(float(found[1]), scores, LEVELS)
    assert found[0] < sharp[0] < found[1] < sharp[2] < found[2]


def test_reliability():
    """What is left of the variance is not noise, and nothing where noise makes all of it."""
    value = np.array([1.0, 2.0, 3.0])
    error = np.full(3, 0.5)
    assert reliability(Outcomes(value, error, np.eye(3))) == pytest.approx(0.75)
    assert reliability(Outcomes(value, 9 * error, np.eye(3))) == 0
    pairs = np.eye(3) - np.roll(np.eye(3), 1, axis=1)
    assert reliability(Outcomes(value, error, pairs)) == pytest.approx(
        1 - 0.25 / (14 / 3)
    )
