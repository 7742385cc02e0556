"""Systems on two collections, measured from anchors."""

import numpy as np
import pytest
from scipy import stats

from irmeta.stats.standardizing import across, anchored

NONE = across.Spread(np.zeros((2, 2)), 1000)


def both(seed=0, systems=6, topics=(20, 30)):
    """Return systems on two collections."""
    rng = np.random.default_rng(seed)
    return [across.place(rng.normal(size=(systems, count))) for count in topics]


def test_one_anchor_is_welchs_test_of_gains():
    """Without what factors add, difference, interval and p are those of Welch's test of gains over the anchor."""
    placed = both()
    found = anchored.differences(placed, [NONE] * 2, np.eye(2), [np.array([5])] * 2)
    gains = [one.scores - one.scores[5] for one in placed]
    expected = stats.ttest_ind(gains[0][0], gains[1][3], equal_var=False)
    low, high = expected.confidence_interval()
    assert found.p[0, 3] == pytest.approx(expected.pvalue)
    assert (found.low[0, 3], found.high[0, 3]) == pytest.approx((low, high))


def test_several_anchors_widen_to_a_prediction_interval():
    """Where anchors move apart, the interval is Student's for one system more: S sqrt(1 + 1/k), k - 1 degrees."""
    first, second = both()
    shift = np.array([0.0, 0.0, 0.0, 0.4, -0.4, 0.1])[:, None]
    second = second._replace(scores=second.scores + shift)
    at = np.array([3, 4, 5])
    found = anchored.differences([first, second], [NONE] * 2, np.eye(2), [at] * 2)
    moved = first.scores[at].mean(axis=1) - second.scores[at].mean(axis=1)
    half = stats.t.ppf(0.975, 2) * moved.std(ddof=1) * np.sqrt(4 / 3)
    np.testing.assert_allclose(found.high - found.value, half)
    np.testing.assert_allclose(found.value - found.low, half)


def test_the_wider_interval_goes_with_the_larger_p():
    """An interval excludes 0 where p is below 5%, whichever of the two decides."""
    for seed in range(5):
        at = np.array([3, 4, 5])
        found = anchored.differences(both(seed), [NONE] * 2, np.eye(2), [at] * 2)
        excludes = (found.low > 0) | (found.high < 0)
        np.testing.assert_array_equal(excludes, found.p < 0.05)


def test_what_moves_a_whole_field_drops_out():
    """A constant added to all scores of one collection changes the drift by as much, and no gain."""
    first, second = both()
    moved = second._replace(scores=second.scores - 0.2)
    at = [np.array([1, 2])] * 2
    for function, change in ((anchored.differences, 0.0), (anchored.drift, 0.2)):
        before, after = (
            function([first, one], [NONE] * 2, np.eye(2), at) for one in (second, moved)
        )
        np.testing.assert_allclose(after.value - before.value, change, atol=1e-12)
        np.testing.assert_allclose(after.high - after.low, before.high - before.low)


def test_the_drift_varies_by_topics_and_by_anchors():
    """Its variance is Welch's of the anchors' means, and that of their moves over their number."""
    placed = both()
    at = np.arange(4)
    found = anchored.drift(placed, [NONE] * 2, np.eye(2), [at] * 2)
    first, second = (one.scores[at].mean(axis=0) for one in placed)
    test = stats.ttest_ind(first, second, equal_var=False)
    topics = ((test.statistic / (first.mean() - second.mean())) ** -2).item()
    moved = placed[0].scores[at].mean(axis=1) - placed[1].scores[at].mean(axis=1)
    anchors = moved.var(ddof=1) / 4
    df = (topics + anchors) ** 2 / (topics**2 / test.df + anchors**2 / 3)
    half = stats.t.ppf(0.975, df) * np.sqrt(topics + anchors)
    assert found.value.item() == pytest.approx(moved.mean())
    assert (found.high - found.low).item() / 2 == pytest.approx(half)
