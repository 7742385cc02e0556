"""Intervals of means: those of describe, and by hand."""

import numpy as np
import pytest
import scipy.stats

from irmeta.errors import ScoresError
from irmeta.scores.averages.intervals import intervals
from irmeta.scores.cube import cube
from irmeta.scores.groups.clusters import with_clusters
from irmeta.studies.differences.description.study import describe


def some(systems: int = 4, topics: int = 12):
    values = np.random.default_rng(3).beta(2, 3, size=(systems, topics, 2))
    names = [f"s{at}" for at in range(systems)]
    return cube(values, names, [str(at) for at in range(topics)], ["AP", "GMAP"])


@pytest.mark.parametrize("clustered", [False, True])
def test_intervals_are_those_of_describe(clustered: bool) -> None:
    """Means and intervals are those that describe gives, over topics and over clusters, to the last bit."""
    scores = some()
    if clustered:
        clusters = {name: str(int(name) // 3) for name in scores.topic.values}
        scores = with_clusters(scores, clusters)
    expected = describe(scores, level=0.9)
    found = intervals(scores, level=0.9)
    for name in ("mean", "low", "high"):
        np.testing.assert_array_equal(found[name].values, expected[name].values)


def test_without_bounds_intervals_are_t_intervals() -> None:
    """That of one system by a metric whose scores irmeta does not know is Student's, as scipy has it."""
    scores = some(systems=1).sel(metric=["AP"]).assign_coords(metric=["clicks"])
    values = scores.values[..., 0]
    low, high = scipy.stats.t.interval(
        0.95, 11, loc=values.mean(axis=1), scale=scipy.stats.sem(values, axis=1)
    )
    found = intervals(scores).sel(metric="clicks")
    np.testing.assert_allclose(found["low"].values, low, atol=1e-14)
    np.testing.assert_allclose(found["high"].values, high, atol=1e-14)


def test_within_bounds_the_variance_is_that_at_the_end() -> None:
    """At the ends of one system's interval within 0 and 1, t times the standard error at that mean is the distance."""
    values = some(systems=1).sel(metric="AP").values
    mean = values.mean(axis=1)
    variance = values.var(axis=1, ddof=1) / 12
    found = intervals(some(systems=1)).sel(metric="AP")
    for end in (found["low"].values, found["high"].values):
        there = variance * end * (1 - end) / (mean * (1 - mean))
        np.testing.assert_allclose(
            np.abs(end - mean), scipy.stats.t.ppf(0.975, 11) * np.sqrt(there)
        )


@pytest.mark.parametrize("metric", ["P@1", "correct"])
@pytest.mark.parametrize("right", [0, 3, 20])
def test_of_right_and_wrong_they_are_wilsons(metric: str, right: int) -> None:
    """Where all scores are 0 or 1 the interval is Wilson's, as scipy has it, also where all are 0."""
    values = (np.arange(20) < right).astype(float)
    found = intervals(
        cube(values[None, :, None], ["a"], [str(at) for at in range(20)], [metric]),
        level=0.9,
    )
    wanted = scipy.stats.binomtest(right, 20).proportion_ci(0.9, "wilson")
    assert found["low"].item() == pytest.approx(wanted.low, abs=1e-12)
    assert found["high"].item() == pytest.approx(wanted.high, abs=1e-12)


def test_clusters_of_zeros_have_an_interval() -> None:
    """Six clusters whose scores are all 0 leave open a mean as high as their largest variance allows."""
    scores = cube(
        np.zeros((1, 24, 1)), ["a"], [f"{at // 4}_{at}" for at in range(24)], ["AP"]
    )
    found = intervals(with_clusters(scores, "stem"))
    k = scipy.stats.t.ppf(0.975, 5) ** 2 / 5
    assert found["low"].item() == 0
    assert found["high"].item() == pytest.approx(k / (1 + k))


def test_a_missing_score_leaves_no_interval() -> None:
    """A system that misses a score has no interval, others have theirs; one topic is refused."""
    scores = some()
    scores[0, 0, 0] = np.nan
    found = intervals(scores).sel(metric="AP")
    assert np.isnan(found["low"].values).tolist() == [True, False, False, False]
    with pytest.raises(ScoresError, match="at least 2 topics"):
        intervals(some(topics=1))
