"""Urbano, Lima and Hanjalic, "A new perspective on score standardization", SIGIR 2019: means of 10 000 trials."""

import numpy as np
import pytest
from scipy.special import stdtr

from irmeta.io.tables.matrices import import_matrix
from irmeta.stats.arrays import settled
from irmeta.stats.rankings import rank, topheavy
from irmeta.stats.standardizing import standardizers
from irmeta.stats.tests import paired

TRIALS = 200
KINDS = ("raw", "normal", "uniform", "z", "empirical")
BETWEEN = {
    "tau": (0.7845, 0.7909, 0.7835, 0.7826, 0.7886),
    "tau_ap": (0.6762, 0.6975, 0.6795, 0.6787, 0.6952),
    "power": (0.4213, 0.6384, 0.6336, 0.6304, 0.6371),
    "type_one": (0.0496, 0.0498, 0.0495, 0.0492, 0.0499),
}
WITHIN = {
    "tau": (1, 0.9301, 0.9341, 0.9329, 0.9157),
    "tau_ap": (1, 0.8811, 0.8918, 0.8903, 0.8612),
    "power": (0.6432, 0.6457, 0.6377, 0.6343, 0.6412),
}

pytestmark = [pytest.mark.data, pytest.mark.slow]


@pytest.fixture(scope="module")
def forms(data):
    """AP of 110 systems on 99 topics, raw and standardized by their own factors, each (system, topic)."""
    raw = import_matrix(
        data / "matrices" / "robust2004" / "AP.csv", rows="topics"
    ).values[..., 0]
    factors = standardizers.fit(raw)
    return {"raw": raw} | {
        kind: standardizers.standardize(raw, factors, kind) for kind in KINDS[1:]
    }


@pytest.fixture(scope="module")
def deals():
    return np.random.default_rng(2019).random((TRIALS, 99)).argsort(axis=1)


def _unpaired(a, b):
    """P of Student's two-sample t test of every system on one half with every system on the other."""
    error = np.sqrt(
        (a.var(axis=1, ddof=1)[:, None] + b.var(axis=1, ddof=1)) / a.shape[1]
    )
    return 2 * stdtr(
        2 * a.shape[1] - 2, -np.abs((a.mean(axis=1)[:, None] - b.mean(axis=1)) / error)
    )


def _correlations(x, y):
    x, y = (settled(np.array(side))[:, None, :] for side in (x, y))
    return {"tau": rank.tau_b(x, y).ravel(), "tau_ap": topheavy.tau_ap_b(x, y).ravel()}


def _agree(samples, golden):
    error = np.std(samples, ddof=1) / np.sqrt(len(samples))
    assert abs(np.mean(samples) - golden) <= 3 * error + 1e-4


@pytest.mark.parametrize("kind", KINDS)
def test_two_halves_of_the_topics(forms, deals, kind):
    """Between disjoint halves of 49 topics tau, tau_AP,b, power and type I errors are the published means."""
    scores = forms[kind]
    halves = [(scores[:, deal[:49]], scores[:, deal[49:98]]) for deal in deals]
    found = _correlations(
        [a.mean(axis=1) for a, _ in halves], [b.mean(axis=1) for _, b in halves]
    )
    p = np.array([_unpaired(a, b) for a, b in halves])
    others = ~np.eye(p.shape[1], dtype=bool)
    found |= {
        "power": (p[:, others] < 0.05).mean(axis=1),
        "type_one": (p[:, ~others] < 0.05).mean(axis=1),
    }
    for name, golden in BETWEEN.items():
        _agree(found[name], golden[KINDS.index(kind)])


@pytest.mark.parametrize("kind", KINDS)
def test_one_sample_of_the_topics(forms, deals, kind):
    """On 50 topics the tau and tau_AP,b of raw and standardized rankings, and power, are the published means."""
    samples = [
        (forms["raw"][:, deal[:50]], forms[kind][:, deal[:50]]) for deal in deals
    ]
    found = _correlations(
        [a.mean(axis=1) for a, _ in samples], [b.mean(axis=1) for _, b in samples]
    )
    found["power"] = np.array(
        [(paired.t(paired.differences(b)) < 0.05).mean() for _, b in samples]
    )
    for name, golden in WITHIN.items():
        _agree(found[name], golden[KINDS.index(kind)])
