"""Intervals of E rho2 and Phi by leaving out topics and systems: by brute force, by symmetry, by simulation."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.special import polygamma
from scipy.stats import f, norm, t

from irmeta.stats.reliability.components import (
    components,
    signal,
    signal_interval,
    stability,
)
from irmeta.stats.reliability.intervals import signal_ends

COEFFICIENTS = ("erho2", "phi")


def drawn(seed, systems=12, topics=15, apart=0.5):
    rng = np.random.default_rng(seed)
    return (
        rng.normal(size=(systems, topics))
        + rng.normal(size=topics)
        + apart * np.arange(systems)[:, None]
    )


def variances(scores, coefficient, team):
    """Leave out one topic, one team, and one score (that of a team), at a time, and compute everything again."""
    n, teams = scores.shape[1], range(team.max() + 1)
    groups = [np.delete(scores, np.flatnonzero(team == one), axis=0) for one in teams]
    topics = [np.delete(scores, at, axis=1) for at in range(n)]
    single = np.zeros((len(teams), n))
    for system, topic in np.ndindex(scores.shape):
        left = components(fitted(scores, system, topic))
        degrees = (len(scores) - 1) * (n - 1)
        left = replace(left, ms_e=left.ms_e * degrees / (degrees - 1))
        single[team[system], topic] += scaled(left, n, coefficient)
    by_topic, by_team = (
        squares([scaled(components(one), n, coefficient) for one in left])
        for left in (topics, groups)
    )
    by_score = squares(single.ravel())
    return max(by_team, by_score), by_topic - by_score


def fitted(scores, system, topic):
    """Put in the place of a score what a system's and a topic's effect, by least squares of the others, make of it."""
    systems, topics = scores.shape
    at = np.arange(scores.size)
    effects = np.eye(systems)[at // topics], np.eye(topics)[at % topics]
    design, other = np.hstack(effects), at != system * topics + topic
    effect = np.linalg.lstsq(design[other], scores.ravel()[other], rcond=None)[0]
    return np.where(other, scores.ravel(), design @ effect).reshape(scores.shape)


def scaled(left, topics, coefficient):
    return np.log1p(topics * float(signal(left, coefficient)))


def squares(values):
    values = np.asarray(values)
    return (values.size - 1) / values.size * ((values - values.mean()) ** 2).sum()


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
@pytest.mark.parametrize("teams", [12, 4])
def test_the_interval_is_that_of_leaving_out_by_hand(coefficient, teams):
    """1 + n L is a ratio of mean squares with as many degrees of freedom as leaving out finds; t / z widens it."""
    scores, team = drawn(0), np.arange(12) % teams
    degrees = np.array([teams - 1, (teams - 1) * 14])
    found = np.maximum(variances(scores, coefficient, team), polygamma(1, degrees / 2))
    nus = [
        brentq(lambda nu, v=one: polygamma(1, nu / 2) - v, 0.1, 1e4) for one in found
    ]
    shape = np.log(f.ppf([0.975, 0.025], *nus))
    stretch = t.ppf(0.975, teams - 1) / norm.ppf(0.975)
    ends = np.log1p(15 * np.array(signal_ends(scores, coefficient, team=team)))
    middle = scaled(components(scores), 15, coefficient)
    np.testing.assert_allclose(ends, middle - stretch * shape, rtol=1e-6)


@given(st.integers(0, 10_000), st.floats(0.1, 10), st.floats(-5, 5))
def test_ends_know_no_unit(seed, factor, shift):
    """Scores in another unit, or from another zero, have the same interval."""
    scores = drawn(seed)
    for coefficient in COEFFICIENTS:
        ours, other = (
            signal_ends(scores, coefficient),
            signal_ends(scores * factor + shift, coefficient),
        )
        np.testing.assert_allclose(ours, other, rtol=1e-6, atol=1e-9)


@given(st.integers(0, 10_000), st.integers(3, 20), st.integers(4, 20))
def test_the_estimate_lies_between_the_ends(seed, systems, topics):
    """The signal is inside its interval, and the ends are 0 or more."""
    scores = drawn(seed, systems, topics)
    for coefficient in COEFFICIENTS:
        low, high = signal_ends(scores, coefficient)
        assert 0 <= low <= signal(components(scores), coefficient) * (1 + 1e-9)
        assert signal(components(scores), coefficient) <= high * (1 + 1e-9)


def test_metrics_are_computed_side_by_side():
    """A further axis holds metrics: each has the interval that it has alone."""
    scores = np.random.default_rng(0).random((6, 9, 3))
    low, high = signal_ends(scores, "phi")
    for metric in range(3):
        np.testing.assert_allclose(
            (low[metric], high[metric]), signal_ends(scores[..., metric], "phi")
        )


def test_teams_of_one_system_are_systems():
    """Where each system is its own team, in any order of numbers, the interval is that without teams."""
    scores = drawn(0)
    order = np.random.default_rng(0).permutation(12)
    np.testing.assert_allclose(
        signal_ends(scores, "phi", team=order), signal_ends(scores, "phi")
    )


def test_of_two_systems_nothing_is_known():
    """Without one of 2 systems there is no spread of systems: the interval is everything."""
    low, high = signal_ends(drawn(0, systems=2), "erho2")
    assert (low, high) == (0, np.inf)


def test_scores_without_noise_have_no_interval():
    """Where topics move all systems alike the signal is infinite, and so are its ends."""
    scores = np.add.outer(np.arange(4.0), np.arange(5.0))
    assert [float(end) for end in signal_ends(scores, "erho2")] == [np.inf, np.inf]


def test_the_interval_holds_where_topics_move_systems_together():
    """Where two skewed factors move 60 systems on 10 topics 92% of the intervals hold; of Feldt's fewer than 80%."""
    rng = np.random.default_rng(1)
    apart = np.linspace(0, 4, 60)[:, None]
    loading = rng.normal(size=(60, 2))
    noise = loading.var(axis=0, ddof=1).sum() + 1  # factors and noise have variance 1
    truth = apart.var(ddof=1) / noise
    inside = []
    for _ in range(200):
        factors = rng.exponential(size=(2, 10)) - 1
        scores = apart + loading @ factors + rng.normal(size=(60, 10))
        both = (
            signal_ends(scores, "erho2"),
            signal_interval(components(scores), "erho2"),
        )
        inside.append([low <= truth <= high for low, high in both])
    ours, feldt = np.mean(inside, axis=0)
    assert ours > 0.91
    assert feldt < 0.8


@pytest.mark.parametrize(("coefficient", "truth"), [("erho2", 1 / 4), ("phi", 1 / 5)])
@pytest.mark.parametrize("shape", ["normal", "exponential"])
def test_the_interval_holds_with_few_systems(coefficient, truth, shape):
    """Of 5 systems the interval holds, normal or skewed; of normal ones it is at most 1.9 times as wide as Feldt's."""
    rng, inside, widths = np.random.default_rng(3), [], []
    for _ in range(200):
        able = -getattr(rng, f"standard_{shape}")(size=(5, 1))
        noise = rng.normal(size=50) + 2 * rng.normal(size=(5, 50))
        both = (
            signal_ends(able + noise, coefficient),
            signal_interval(components(able + noise), coefficient),
        )
        inside.append([low <= truth <= high for low, high in both])
        widths.append([np.diff(stability(np.array(one), 50)) for one in both])
    held, (ours, feldt) = np.mean(inside, axis=0), np.mean(widths, axis=0)
    assert held[0] > 0.95
    assert ours < 1.9 * feldt
    if shape == "exponential":
        assert held[1] < 0.9
