"""Agreement of labels against scikit-learn and the krippendorff package."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from irmeta.stats.judging.labels import (
    alpha,
    coincidences,
    cooccurrences,
    kappa,
    leniency,
    over_topics,
)

GRADES = np.arange(4.0)
APART = np.abs(GRADES[:, None] - GRADES)


@st.composite
def labels(draw: st.DrawFn, sets: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw grades of so many sets on the same pairs, and the pairs' topics."""
    pairs = draw(st.integers(8, 30))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    return rng.integers(0, 4, (sets, pairs)), rng.integers(0, 3, pairs)


@given(labels(2))
def test_kappas_are_those_of_scikit_learn(drawn: tuple[np.ndarray, np.ndarray]) -> None:
    """Kappa without weights, with linear and with quadratic ones equals scikit-learn's."""
    (one, other), topic = drawn
    table = cooccurrences(one, other, topic, (3, 4, 4)).sum(axis=0)
    for weights, name in (
        (1.0 * (APART > 0), None),
        (APART, "linear"),
        (APART**2, "quadratic"),
    ):
        theirs = cohen_kappa_score(one, other, labels=list(range(4)), weights=name)
        assert float(kappa(table, weights)) == pytest.approx(theirs, nan_ok=True)


@given(labels(5), st.floats(0, 0.7))
def test_alpha_is_that_of_the_krippendorff_package(
    drawn: tuple[np.ndarray, np.ndarray], missing: float
) -> None:
    """Alpha of five sets, some labels missing, equals the package's at every level of measurement."""
    krippendorff = pytest.importorskip("krippendorff")
    codes, topic = drawn
    codes = np.where(np.random.default_rng(0).random(codes.shape) < missing, -1, codes)
    table = coincidences(codes, topic, 3, 4).sum(axis=0)
    if (table.sum(axis=1) > 0).sum() < 2:
        return  # all labels equal: alpha is not defined
    data = np.where(codes < 0, np.nan, codes)
    for scale in ("nominal", "ordinal", "interval"):
        theirs = krippendorff.alpha(
            data, level_of_measurement=scale, value_domain=list(range(4))
        )
        assert float(alpha(table, GRADES, scale)) == pytest.approx(theirs)


def test_two_sets_meet_both_ways_round() -> None:
    """The coincidences of two sets are their table and its mirror image."""
    one, other, topic = (
        np.array([0, 1, 2, 2]),
        np.array([0, 2, 2, 3]),
        np.array([0, 0, 1, 1]),
    )
    table = cooccurrences(one, other, topic, (2, 4, 4))
    both = coincidences(np.stack([one, other]), topic, 2, 4)
    np.testing.assert_allclose(both, table + table.transpose(0, 2, 1))


def test_leniency_is_the_difference_of_mean_grades() -> None:
    """A judge that gives one grade more to half of the pairs is more lenient by half a grade."""
    one, other = np.array([0, 1, 2, 0]), np.array([1, 1, 3, 0])
    table = cooccurrences(one, other, np.zeros(4, int), (1, 4, 4))
    assert leniency(table[0], GRADES) == pytest.approx(0.5)


def test_the_interval_is_that_of_a_mean_over_topics() -> None:
    """Where all topics have as many pairs, the jackknife interval of leniency is Student's over topics."""
    rng = np.random.default_rng(1)
    one, other = rng.integers(0, 4, (2, 120))
    topic = np.repeat(np.arange(12), 10)
    found = over_topics(
        lambda table: leniency(table, GRADES),
        cooccurrences(one, other, topic, (12, 4, 4)),
    )
    by_topic = (other - one).reshape(12, 10).mean(axis=1)
    # t quantile of 11 degrees of freedom
    half = 2.200985 * by_topic.std(ddof=1) / np.sqrt(12)
    assert (found.low, found.high) == pytest.approx(
        (by_topic.mean() - half, by_topic.mean() + half)
    )


def test_no_table_no_figure() -> None:
    """Sets that share no judged pair have no agreement, which is NaN and not 0."""
    found = over_topics(lambda table: kappa(table, APART), np.zeros((5, 4, 4)))
    assert np.isnan([found.value, found.low, found.high]).all()
