import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irmeta.stats.halves.repeats import spread, widened

SEEDS = st.integers(0, 2**32 - 1)


def _runs(rng, runs=(3, 3, 3), topics=30, level=0.5):
    """Scores (run, topic, 1) of systems that each run several times, and the number of each run's system."""
    of = np.repeat(np.arange(len(runs)), runs)
    topic = rng.normal(size=topics)
    own = rng.normal(size=(len(runs), topics))[of]
    levels = level * rng.normal(size=(len(of), 1))
    once = 0.5 * rng.normal(size=(len(of), topics))
    return (topic + own + levels + once)[..., None], of


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
    found = widened(scores, np.repeat(np.arange(4), 3))
    np.testing.assert_array_equal(found.factor, 1.0)
    np.testing.assert_allclose(found.more_runs, 1.0)
    np.testing.assert_allclose(found.more_topics, np.sqrt(0.5))


def test_a_system_of_one_run_is_not_moved():
    """Only systems with several runs are moved, others count as ones that never vary."""
    scores, of = _runs(np.random.default_rng(3), runs=(5, 1, 5), level=2.0)
    factor = widened(scores, of).factor[:, 0]
    assert factor[1] == 1.0
    assert (factor[[0, 2]] > 1.5).all()


def test_levels_that_dwarf_topics_cannot_be_had_from_topics():
    """Where runs differ most in level, twice as many runs halve the variance, and more topics hardly help."""
    found = widened(*_runs(np.random.default_rng(4), runs=(10,) * 6, level=5.0))
    assert found.more_runs[0] == pytest.approx(np.sqrt(0.5), abs=0.01)
    assert found.more_topics[0] > 0.98
