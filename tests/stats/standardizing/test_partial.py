import pickle
from itertools import combinations

import numpy as np
import pytest
import scipy.stats

from irmeta.parallel import in_worker, working_on
from irmeta.scores import standardization
from irmeta.scores.cube import cube
from irmeta.stats.standardizing import standardizers
from irmeta.stats.standardizing.partial import partial_means


def by_subset(old, new, size):
    """Standardize by every subset of the old systems, topic by topic with scipy; without spread all get one half."""
    means = []
    for subset in combinations(old, size):
        standardized = np.full_like(new, 0.5)
        for topic, scores in enumerate(np.transpose(subset)):
            if np.ptp(scores) > 0:
                z = (new[:, topic] - np.mean(scores)) / np.std(scores, ddof=1)
                standardized[:, topic] = scipy.stats.norm.cdf(z)
        means.append(np.where(np.isnan(new), np.nan, standardized).mean(axis=1))
    return np.array(means)


@pytest.mark.parametrize("kind", standardizers.KINDS)
def test_drawing_all_systems_gives_the_full_factors(kind):
    """A draw of every standardizing system leaves nothing to chance; sizes come in their order."""
    rng = np.random.default_rng(0)
    old, new = rng.uniform(size=(6, 4)), rng.uniform(size=(5, 4))
    expected = standardizers.standardize(new, standardizers.fit(old), kind).mean(axis=1)
    _, found = partial_means(old, new, [2, 6], 3, kind, rng)
    np.testing.assert_allclose(
        found, np.broadcast_to(expected, (3, 5)), rtol=0, atol=1e-12
    )


@pytest.mark.parametrize("size", [2, 3, 5])
@pytest.mark.parametrize("decimals", [1, 16])
def test_draws_are_subsets_each_as_often_as_the_others(size, decimals):
    """Every draw is what scipy gives for one of the subsets, with ties and topics without spread or with none."""
    rng = np.random.default_rng(1)
    old, new = (rng.uniform(size=(systems, 80)).round(decimals) for systems in (6, 90))
    expected = by_subset(old, new, size)
    (found,) = partial_means(old, new, [size], 1000, "normal", np.random.default_rng(2))
    distance = np.abs(found[:, None] - expected).max(axis=-1)
    assert distance.min(axis=1).max() < 1e-12
    times = np.bincount(distance.argmin(axis=1), minlength=len(expected))
    assert scipy.stats.chisquare(times).pvalue > 0.01


def test_a_topic_on_which_the_drawn_systems_score_alike_decides_nothing():
    """With two equal old systems the topic gives every new system one half."""
    old = np.array([[0.2, 0.1], [0.2, 0.3]])
    (found,) = partial_means(
        old,
        np.array([[0.9, 0.2], [0.0, 0.2]]),
        [2],
        1,
        "normal",
        np.random.default_rng(0),
    )
    assert found.tolist() == [[0.5, 0.5]]


@pytest.mark.parametrize("kind", standardizers.KINDS)
def test_alike_but_for_rounding_is_alike(kind):
    """Old scores that differ in the sixteenth digit only make a topic without spread, as in the full factors."""
    old = np.array([[0.1 + 0.2, 0.1], [0.3, 0.4]])
    new = np.array([[0.9, 0.2], [0.0, 0.3]])
    expected = standardizers.standardize(new, standardizers.fit(old), kind).mean(axis=1)
    (found,) = partial_means(old, new, [2], 1, kind, np.random.default_rng(0))
    np.testing.assert_allclose(found, [expected], rtol=0, atol=1e-12)


@pytest.fixture
def median(monkeypatch):
    """A further standardizer, which needs the scores between the ends; no function knows it by its name."""

    def less_the_median(scores, factors):
        return scores - np.median(factors.quantiles, axis=-1)

    one = standardizers.Standardizer(less_the_median, middle=0.0)
    monkeypatch.setattr(standardizers, "KINDS", {**standardizers.KINDS, "median": one})
    return "median"


def test_a_standardizer_that_needs_all_quantiles_gets_them(median):
    """Scores less the median of the drawn systems: every draw is what numpy gives for one of the subsets."""
    rng = np.random.default_rng(7)
    old, new = rng.uniform(size=(6, 9)), rng.uniform(size=(5, 9))
    expected = np.array(
        [
            (new - np.median(subset, axis=0)).mean(axis=1)
            for subset in combinations(old, 4)
        ]
    )
    (found,) = partial_means(old, new, [4], 50, median, np.random.default_rng(0))
    assert np.abs(found[:, None] - expected).max(axis=-1).min(axis=1).max() < 1e-12


def test_standardizing_by_all_systems_is_what_the_study_and_the_cube_agree_on(median):
    """A standardizer that was only registered serves `standardization.apply` and random parts alike."""
    rng = np.random.default_rng(8)
    old, new = rng.uniform(size=(6, 4)), rng.uniform(size=(5, 4))
    topics = ["1", "2", "3", "4"]
    before, after = (
        cube(one[..., None], [f"s{i}" for i in range(len(one))], topics, ["AP"])
        for one in (old, new)
    )
    applied = standardization.apply(after, standardization.fit(before), median)
    np.testing.assert_allclose(
        applied.values[..., 0], new - np.median(old, axis=0), rtol=0, atol=1e-12
    )
    (drawn,) = partial_means(old, new, [6], 1, median, rng)
    np.testing.assert_allclose(
        drawn[0], applied.values[..., 0].mean(axis=1), rtol=0, atol=1e-12
    )


def test_a_missing_score_makes_its_system_missing_alone():
    """The mean of a new system that lacks a score is NaN; the others are as without it."""
    rng = np.random.default_rng(3)
    old, new = rng.uniform(size=(5, 4)), rng.uniform(size=(3, 4))
    (whole,) = partial_means(old, new, [3], 20, "normal", np.random.default_rng(0))
    new[1, 2] = np.nan
    (found,) = partial_means(old, new, [3], 20, "normal", np.random.default_rng(0))
    assert np.isnan(found[:, 1]).all()
    np.testing.assert_array_equal(found[:, [0, 2]], whole[:, [0, 2]])


class Elsewhere:
    """An engine to which everything travels."""

    def in_order(self, work, items):
        work = pickle.dumps(work)
        for item in items:
            yield pickle.loads(work)(pickle.loads(pickle.dumps(item)))


def test_who_does_the_work_changes_no_bit():
    """The threads of this machine, one core and another process draw and compute the same."""
    rng = np.random.default_rng(4)
    old, new = rng.uniform(size=(20, 40)), rng.uniform(size=(90, 40))

    def means(_=None):
        return np.stack(
            list(
                partial_means(old, new, [5, 2], 300, "normal", np.random.default_rng(5))
            )
        )

    here = means()
    np.testing.assert_array_equal(in_worker(means, None), here)
    with working_on(Elsewhere()):
        np.testing.assert_array_equal(means(), here)
