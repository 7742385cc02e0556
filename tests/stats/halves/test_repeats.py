import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irmeta.stats.descriptive import t_interval
from irmeta.stats.halves.repeats import spread, widened
from irmeta.stats.halves.teams import means_of

SEEDS = st.integers(0, 2**32 - 1)


def _runs(rng, runs=(3, 3, 3), topics=30, level=0.5):
    """Scores (run, topic, 1) of systems that each run several times, and the number of each run's system."""
    of = np.repeat(np.arange(len(runs)), runs)
    topic = rng.normal(size=topics)
    own = rng.normal(size=(len(runs), topics))[of]
    levels = level * rng.normal(size=(len(of), 1))
    once = 0.5 * rng.normal(size=(len(of), topics))
    return (topic + own + levels + once)[..., None], of


def _widened(scores, of):
    """What intervals of the means of these runs need."""
    runs = np.bincount(of).astype(np.float64)
    return widened(means_of(scores, of), runs, spread(scores, of))


@given(seed=SEEDS)
def test_mean_squares_are_those_added_up_one_by_one(seed):
    """Mean squares are sums over systems, runs and topics, each over its degrees of freedom."""
    scores, of = _runs(np.random.default_rng(seed), runs=(2, 1, 4), topics=5)
    between = within = 0.0
    for system in range(3):
        own = scores[of == system, :, 0]
        for run in own:
            between += 5 * (run.mean() - own.mean()) ** 2
            for topic in range(5):
                beside = run[topic] - run.mean() - own[:, topic].mean() + own.mean()
                within += beside**2
    found = spread(scores, of)
    assert found.freedom == 1 + 0 + 3
    assert found.run[0] == pytest.approx(between / 4)
    assert found.cell[0] == pytest.approx(within / (4 * 4))


def test_the_variance_of_levels_is_found():
    """On average over draws the estimate is the true variance of levels, .25."""
    rng = np.random.default_rng(1)
    found = [spread(*_runs(rng)) for _ in range(400)]
    estimates = [float((one.run - one.cell)[0]) / 30 for one in found]
    error = np.std(estimates) / 20
    assert abs(np.mean(estimates) - 0.25) < 4 * error


def test_runs_that_do_not_differ_move_nothing():
    """Runs that answer the same every time leave scores as they are, and more of them bring nothing."""
    rng = np.random.default_rng(2)
    scores = np.repeat(rng.random((4, 20, 2)), 3, axis=0)
    found = _widened(scores, np.repeat(np.arange(4), 3))
    np.testing.assert_array_equal(found.factor, 1.0)
    np.testing.assert_allclose(found.more_runs, 1.0)
    np.testing.assert_allclose(found.more_topics, np.sqrt(0.5))


def test_a_system_of_one_run_is_not_moved():
    """Only systems with several runs are moved, others count as ones that never vary."""
    scores, of = _runs(np.random.default_rng(3), runs=(5, 1, 5), level=2.0)
    factor = _widened(scores, of).factor[:, 0]
    assert factor[1] == 1.0
    assert (factor[[0, 2]] > 1.5).all()


def test_levels_that_dwarf_topics_cannot_be_had_from_topics():
    """Where runs differ most in level, twice as many runs halve the variance, and more topics hardly help."""
    found = _widened(*_runs(np.random.default_rng(4), runs=(10,) * 6, level=5.0))
    assert found.more_runs[0] == pytest.approx(np.sqrt(0.5), abs=0.01)
    assert found.more_topics[0] > 0.98


def test_the_share_of_runs_is_what_no_more_topics_take_away():
    """Of a difference's variance runs cause what 10 times as many runs leave a tenth of, on levels and on topics."""
    rng = np.random.default_rng(5)
    shares = [
        _widened(*_runs(rng, runs=(4,) * 5, level=0.5)).share[0] for _ in range(200)
    ]
    # a mean of 4 runs, 30 topics: (.25 + .25 / 30) / 4 of runs, 1 / 30 of topics
    of_runs = (0.25 + 0.25 / 30) / 4
    assert np.mean(shares) == pytest.approx(of_runs / (of_runs + 1 / 30), abs=0.03)


def test_two_judges_are_paid_for_by_their_one_degree_of_freedom():
    """A difference of two systems by two judges holds in 9 of 10, though levels may seem small by chance."""
    rng = np.random.default_rng(7)
    of, judge = np.tile([0, 1], 2), np.repeat([0, 1], 2)
    held = []
    for _ in range(2000):
        scores = rng.normal(size=(2, 50))[of] + rng.normal(size=(4, 1)) / 2
        scores = (scores + rng.normal(size=(4, 50)) / 2)[..., None]
        means = means_of(scores, of)
        found = widened(means, np.array([2.0, 2.0]), spread(scores, of, judge))
        moved = found.factor * (means - means.mean(axis=1, keepdims=True))[..., 0]
        low, high = t_interval(moved[0] - moved[1])
        held.append(low < means[0].mean() - means[1].mean() < high)
    assert np.mean(held) > 0.91


def test_missing_scores_count_for_nothing():
    """A system that lacks topics is widened by its own topics; the others by theirs, as if nothing were missing."""
    scores, of = _runs(np.random.default_rng(6), runs=(3,) * 30, level=0.5)
    means, found = means_of(scores, of), spread(scores, of)
    runs = np.full(30, 3.0)
    whole = widened(means, runs, found)
    means[0, :15] = np.nan
    part = widened(means, runs, found)
    np.testing.assert_allclose(part.added[1:], whole.added[1:], rtol=0.15)
    # with half of the topics the variance over them doubles, and what runs add does not
    assert part.factor[0] < whole.factor[0]
    assert part.added[0] == pytest.approx(whole.added[0], rel=0.5)
