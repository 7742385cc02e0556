"""Worth of designs: what is measured, the curve beyond, and errors that hold on topics kept apart."""

import numpy as np
import pytest

from irmeta.stats.halves.halving import split_half
from irmeta.stats.reliability.curve import Curve, fit
from irmeta.stats.reliability.design_taus import design_taus, predicted


def made(systems=30, topics=40, seed=0):
    """Make a good metric and a noisy one of the same systems."""
    rng = np.random.default_rng(seed)
    good = np.linspace(0, 2, systems)[:, None] + rng.normal(size=(systems, topics))
    return np.stack([good, good + 2 * rng.normal(size=(systems, topics))], axis=-1)


def test_it_is_the_predictive_power_of_split_halves():
    """Mean tau is phi of the metric with the target, within Monte-Carlo error."""
    scores = made()
    found = design_taus(scores, scores[..., 0], [5, 20], np.random.default_rng(0), 2000)
    for size, row, error in zip((5, 20), found.tau, found.error, strict=True):
        phi = split_half(scores, [(size, size)], 2000, np.random.default_rng(1))[0].phi[
            :, 0
        ]
        assert (np.abs(row - phi) < 5 * error + 0.005).all()


def test_a_curve_is_found_again():
    """Points on a curve give back its two numbers, and its topics are its tau read the other way round."""
    curve = Curve(np.array([0.9, 0.7]), np.array([12.0, 30.0]))
    sizes = [3, 8, 20]
    found = fit(sizes, np.stack([curve.tau(n) for n in sizes]))
    np.testing.assert_allclose(found.a, curve.a)
    np.testing.assert_allclose(found.k, curve.k)
    np.testing.assert_allclose(curve.topics(curve.tau(50)), 50)
    assert np.isinf(curve.topics(0.99)).all()


def test_inside_the_measured_sizes_points_are_kept():
    """At a measured size the promise is what was measured; beyond, the curve."""
    scores = made()
    found = design_taus(
        scores, scores[..., 0], [5, 10, 20], np.random.default_rng(0), 100
    )
    np.testing.assert_allclose(
        predicted(found, [10, 20])[0], [found.tau[1, 0], found.tau[2, 1]]
    )
    beyond = fit(found.sizes, found.tau).tau(80)
    np.testing.assert_allclose(predicted(found, [80, 80])[0], beyond)


def test_nothing_jumps_where_measuring_ends():
    """With a topic more than was measured, tau and its error are nearly what they are with the most measured."""
    scores = made()
    found = design_taus(
        scores, scores[..., 0], [5, 10, 20], np.random.default_rng(0), 100
    )
    now, moves = predicted(found, [20, 20])
    more, moves_more = predicted(found, [20.01, 20.01])
    np.testing.assert_allclose(more, now, atol=1e-3)
    np.testing.assert_allclose(moves_more, moves, atol=1e-3)


@pytest.mark.slow
def test_the_errors_are_those_of_other_samples():
    """The standard error is what repeated samples of systems and topics show, within a third."""
    taus, variances = [], []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        scores = (rng.normal(size=(30, 1)) + 2 * rng.normal(size=(30, 40)))[..., None]
        found = design_taus(scores, scores[..., 0], [10], rng, 200)
        taus.append(found.tau[0, 0])
        variances.append(found.variance()[0, 0])
    assert 0.67 < np.sqrt(np.mean(variances)) / np.std(taus) < 1.5


@pytest.mark.data
def test_predictive_power_of_trec8(data):
    """AP on n topics of TREC-8 (best 96 systems): .320, .444 and .621 for 5, 10 and 25, here within .02."""
    scores = np.genfromtxt(
        data / "matrices" / "trec8-adhoc" / "AP.csv", delimiter=",", skip_header=1
    ).T
    best = scores[np.argsort(-scores.mean(axis=1))[:96]]
    found = design_taus(
        best[..., None], best, [5, 10, 25], np.random.default_rng(0), 1000
    )
    np.testing.assert_allclose(found.tau[:, 0], [0.320, 0.444, 0.621], atol=0.02)
