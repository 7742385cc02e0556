"""Pairs that people judged in part: unbiased whatever the machine says, and what judging others would add."""

import numpy as np
import pytest

from irmeta.stats.judging.pairs import chances, corrected, estimate, strata, unlike


def world(seed=0, systems=4, topics=30, documents=20):
    """All pairs: what systems weigh them, their topics, relevance, and grades of a machine that favours a system."""
    rng = np.random.default_rng(seed)
    topic = np.repeat(np.arange(topics), documents)
    relevant = (rng.random(topic.size) < 0.4).astype(float)
    weight = (rng.random((systems, topic.size)) < 0.5) / 10
    grade = np.clip(relevant + rng.integers(0, 2, topic.size) + (weight[0] > 0), 0, 3)
    return weight, topic, relevant, grade


def seen(relevant, share, rng):
    """Let people judge a share of the pairs."""
    return np.where(rng.random(relevant.size) < share, relevant, np.nan)


def test_all_pairs_judged_are_the_scores():
    """Where people judged every pair, scores are theirs and nothing is added."""
    weight, topic, relevant, grade = world()
    found = estimate(weight, topic, relevant, strata(grade), 30)
    wanted = [np.bincount(topic, one * relevant) for one in weight]
    np.testing.assert_allclose(found.scores, wanted)
    assert (found.errors == 0).all()


def test_a_part_is_unbiased_and_its_error_is_known():
    """Over many random parts means are the true ones, and their covariance is what `errors` says on average."""
    weight, topic, relevant, grade = world()
    rng = np.random.default_rng(1)
    means, errors = [], []
    for _ in range(600):
        part = seen(relevant, 0.2, rng)
        found = estimate(weight, topic, part, strata(grade), 30)
        means.append(found.scores.mean(axis=1))
        errors.append(found.errors)
    true = (weight * relevant).sum(axis=1) / 30
    error = np.std(means, axis=0) / np.sqrt(600)
    assert (np.abs(np.mean(means, axis=0) - true) < 4 * error).all()
    np.testing.assert_allclose(
        np.cov(np.transpose(means)), np.mean(errors, axis=0), rtol=0.25, atol=3e-6
    )


def test_as_many_pairs_of_each_topic():
    """Where people judged as many pairs of topics of unlike sizes, a topic has its own share; else all have one."""
    sizes = np.array([10, 20, 40, 80] * 5)
    topic = np.repeat(np.arange(20), sizes)
    rng = np.random.default_rng(2)
    same = np.zeros(topic.size, dtype=bool)
    for one in range(20):
        same[rng.permutation(np.flatnonzero(topic == one))[:5]] = True
    one = np.zeros(topic.size, dtype=int)
    np.testing.assert_allclose(chances(one, topic, same), 5 / sizes[topic])
    by_chance = rng.random(topic.size) < 0.2
    assert np.ptp(chances(one, topic, by_chance)) == 0


def test_grades_that_people_judged_more_often_count_less():
    """Each stratum has its own share of judged pairs."""
    stratum = np.array([0] * 8 + [1] * 4)
    judged = np.array([True] * 2 + [False] * 6 + [True] * 3 + [False])
    found = chances(stratum, np.zeros(12, dtype=int), judged)
    np.testing.assert_allclose(found, [0.25] * 8 + [0.75] * 4)


def test_a_grade_without_judged_pairs_is_between_its_neighbours():
    """A pair of a grade of which nobody judged any is as relevant as halfway between the grades beside it."""
    truth = np.array([0.0, np.nan, 1.0])
    found = corrected(truth, np.arange(3), np.array([1.0, 0.0, 1.0]))
    assert found.value.tolist() == [0, 0.5, 1]


@pytest.mark.parametrize("grades", [4, 50])
def test_strata_are_few(grades):
    """Many grades are put into at most six groups, in their order."""
    grade = np.random.default_rng(3).integers(0, grades, 500) / grades
    found = strata(grade)
    assert found.max() < 6
    assert found.max() == min(grades, 6) - 1
    assert (np.diff(found[np.argsort(grade, kind="stable")]) >= 0).all()


def test_pairs_that_were_judged_because_of_their_rank():
    """People who judged what runs rank first are noticed; those who judged at random are not."""
    rng = np.random.default_rng(4)
    rank, stratum = rng.integers(0, 10, 300), rng.integers(0, 3, 300)
    assert unlike(rank, stratum, rank < 4) < 1e-6
    assert unlike(rank, stratum, rng.random(300) < 0.4) > 0.001
