"""Intervals of means: those of describe, and by hand."""

import numpy as np
import pytest
import scipy.stats

from irmeta.errors import ScoresError
from irmeta.scores.clusters import with_clusters
from irmeta.scores.cube import cube
from irmeta.scores.intervals import intervals
from irmeta.studies.differences.description import describe


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


def test_intervals_are_t_intervals() -> None:
    """An interval is Student's, as scipy has it."""
    scores = some()
    values = scores.sel(metric="AP").values
    low, high = scipy.stats.t.interval(
        0.95, 11, loc=values.mean(axis=1), scale=scipy.stats.sem(values, axis=1)
    )
    found = intervals(scores).sel(metric="AP")
    np.testing.assert_allclose(found["low"].values, low, atol=1e-14)
    np.testing.assert_allclose(found["high"].values, high, atol=1e-14)


def test_a_missing_score_leaves_no_interval() -> None:
    """A system that misses a score has no interval, others have theirs; one topic is refused."""
    scores = some()
    scores[0, 0, 0] = np.nan
    found = intervals(scores).sel(metric="AP")
    assert np.isnan(found["low"].values).tolist() == [True, False, False, False]
    with pytest.raises(ScoresError, match="at least 2 topics"):
        intervals(some(topics=1))
