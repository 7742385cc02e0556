"""Correlation between systems' true means."""

import numpy as np
import pytest

from irmeta.stats.rankings.agreement import half_width
from irmeta.stats.rankings.disattenuated import true_correlation, without_topics


def test_only_products_of_different_topics_count():
    """The covariance is the mean over pairs of different topics of the products of centred scores."""
    scores = (
        np.random.default_rng(0).normal(size=(7, 5, 3)) + np.arange(7)[:, None, None]
    )
    centred = scores - scores.mean(axis=0)
    pairs = [
        centred[:, t].T @ centred[:, u] for t in range(5) for u in range(5) if t != u
    ]
    covariance = np.mean(pairs, axis=0)
    own = np.sqrt(np.diag(covariance))
    np.testing.assert_allclose(
        true_correlation([scores]), covariance / own / own[:, None]
    )


def test_a_metric_without_true_variance_has_no_correlation():
    """Where systems differ by luck alone and the estimate of their variance is below 0, r is unknown."""
    rng = np.random.default_rng(0)
    draws = [true_correlation([rng.normal(size=(5, 6, 2))])[0, 0] for _ in range(30)]
    assert np.isnan(draws).any()


def test_each_topic_is_left_out_of_its_part():
    """With two parts every topic of each is left out in turn."""
    rng = np.random.default_rng(1)
    parts = [
        rng.normal(size=(6, topics, 2)) + np.arange(6)[:, None, None]
        for topics in (5, 7)
    ]
    found = without_topics(parts)
    assert [len(one) for one in found] == [5, 7]
    np.testing.assert_allclose(
        found[1][2], true_correlation([parts[0], np.delete(parts[1], 2, axis=1)])
    )


@pytest.mark.parametrize("luck", [0.3, 1.2])
def test_luck_that_metrics_share_is_taken_off(luck):
    """R between true means has less bias than that of observed means, and 90% or more intervals hold it."""
    rng = np.random.default_rng(2)
    good = rng.normal(size=(30, 1, 2))
    good[..., 1] = 0.8 * good[..., 0] + 0.6 * good[..., 1]
    truth = np.corrcoef(good[:, 0].T)[0, 1]
    held, far = [], {"raw": [], "true": []}
    for _ in range(100):
        scores = (
            0.5 * good
            + luck * rng.normal(size=(30, 40, 1))
            + rng.normal(size=(30, 40, 2)) * [0.7, 1.0]
        )
        r, half = (
            true_correlation([scores])[0, 1],
            half_width(without_topics([scores]))[0, 1],
        )
        held.append(abs(r - truth) <= half)
        far["true"].append(r - truth)
        far["raw"].append(np.corrcoef(scores.mean(axis=1).T)[0, 1] - truth)
    assert np.mean(held) >= 0.9
    assert abs(np.mean(far["true"])) < abs(np.mean(far["raw"]))
