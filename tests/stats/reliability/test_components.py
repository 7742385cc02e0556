"""Variance components and both coefficients against gt4ireval and Brennan's book, and by their symmetries."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irmeta.stats.reliability.components import (
    components,
    signal,
    signal_interval,
    stability,
    topics_needed,
)

COEFFICIENTS = (("erho2", "Erho2"), ("phi", "Phi"))


def kept(path, drop):
    """Read scores (system, topic) without the systems below the quantile `drop` of means."""
    scores = np.genfromtxt(path, delimiter=",", skip_header=1).T
    means = scores.mean(axis=1)
    return scores[means >= np.quantile(means, drop)] if drop else scores


@pytest.mark.data
def test_all_studies_of_gt4ireval(data):
    """16 G and D studies: components, coefficients, their intervals and topics needed are those of the R package."""
    goldens = json.loads((data / "reliability" / "goldens.json").read_text())[
        "gt4ireval"
    ]["computed"]
    assert len(goldens) == 16
    for golden in goldens:
        found = components(kept(data / golden["data"], golden["drop"]))
        study, decision = golden["gstudy"], golden["dstudy"]
        assert (found.systems, found.topics) == (study["n.s"], study["n.q"])
        np.testing.assert_allclose(
            [*found.variances, found.ms_s, found.ms_q],
            [study[f"var.{k}"] for k in "sqe"] + [study["em.s"], study["em.q"]],
        )
        for ours, theirs in COEFFICIENTS:
            low, high = signal_interval(found, ours, 1 - 2 * golden["alpha"])
            for part, name in (
                (signal(found, ours), theirs),
                (low, f"{theirs}.lwr"),
                (high, f"{theirs}.upr"),
            ):
                np.testing.assert_allclose(
                    stability(part, golden["queries"]), decision[name], atol=1e-12
                )
                needed = topics_needed(part, golden["stability"]).tolist()
                assert needed == decision[name.replace(theirs, f"n.q_{theirs}")]


@pytest.mark.data
def test_the_table_in_the_readme_of_gt4ireval(data):
    """TREC-3 without the worst quarter: the published figures, digit by digit."""
    found = components(kept(data / "reliability" / "adhoc3.csv", 0.25))
    assert [float(f"{part:.5g}") for part in found.variances] == [
        0.0028117,
        0.028093,
        0.010152,
    ]
    for name, value, ends, topics, bounds in (
        ("erho2", 0.93265, [0.89311, 0.96287], 69, [114, 37]),
        ("phi", 0.78613, [0.66141, 0.88039], 259, [487, 130]),
    ):
        interval = signal_interval(found, name)
        assert round(float(stability(signal(found, name), 50)), 5) == value
        assert [round(float(stability(end, 50)), 5) for end in interval] == ends
        assert topics_needed(signal(found, name), 0.95) == topics
        assert [int(topics_needed(end, 0.95)) for end in interval] == bounds


@pytest.mark.data
@pytest.mark.parametrize(
    ("file", "rows", "coefficient", "needed"),
    [
        ("trec7-adhoc/AP.csv", "topics", 0.963, 37),
        ("trec8-adhoc/AP.csv", "topics", 0.971, 29),
        ("web2012/ERR@20.csv", "topics", 0.845, 174),
        ("robust2004-249/AP.csv", "systems", 0.986, 69),
    ],
)
def test_figures_of_known_collections(data, file, rows, coefficient, needed):
    """E rho2 of the topics there are, and the topics that .95 needs."""
    scores = np.genfromtxt(data / "matrices" / file, delimiter=",", skip_header=1)
    scores = scores.T if rows == "topics" else scores[:, 1:]
    found = components(scores)
    assert (
        round(float(stability(signal(found, "erho2"), scores.shape[1])), 3)
        == coefficient
    )
    assert topics_needed(signal(found, "erho2"), 0.95) == needed


def test_negative_components_are_0():
    """Systems that vary less than noise does have no variance, and no number of topics makes them reliable."""
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(5, 30))
    scores -= scores.mean(axis=1, keepdims=True)
    found = components(scores)
    assert found.raw[0] < 0
    assert found.variances[0] == 0
    assert np.isinf(topics_needed(signal(found, "erho2"), 0.9))
    assert stability(signal(found, "erho2"), 1000) == 0


@given(st.integers(0, 10_000), st.floats(0.1, 10), st.floats(-5, 5))
def test_coefficients_know_no_unit(seed, factor, shift):
    """Scores in another unit, or from another zero, have the same coefficients."""
    scores = np.random.default_rng(seed).random((6, 9)) + np.arange(6)[:, None] / 10
    ours, other = (components(one) for one in (scores, scores * factor + shift))
    for name, _ in COEFFICIENTS:
        np.testing.assert_allclose(
            signal(ours, name), signal(other, name), rtol=1e-6, atol=1e-9
        )


def test_metrics_are_computed_side_by_side():
    """A further axis holds metrics: each has the components that it has alone."""
    scores = np.random.default_rng(0).random((6, 9, 3))
    together = components(scores)
    for metric in range(3):
        alone = components(scores[..., metric])
        np.testing.assert_allclose([part[metric] for part in together.raw], alone.raw)


def test_topics_needed_give_the_coefficient():
    """With the topics needed the coefficient is reached, with one fewer it is not."""
    ratio = np.array([0.01, 0.1, 0.4])
    needed = topics_needed(ratio, 0.9)
    assert (stability(ratio, needed) >= 0.9 - 1e-9).all()
    assert (stability(ratio, needed - 1) < 0.9).all()


def test_the_interval_of_erho2_covers_the_truth():
    """Of normal scores with known variances, 95% of the intervals hold the true coefficient."""
    rng = np.random.default_rng(1)
    inside = []
    for _ in range(400):
        scores = (
            rng.normal(size=(30, 1))
            + rng.normal(size=(1, 25))
            + 2 * rng.normal(size=(30, 25))
        )
        low, high = signal_interval(components(scores), "erho2")
        inside.append(low <= 1 / 4 <= high)
    assert 0.92 < np.mean(inside) < 0.98
