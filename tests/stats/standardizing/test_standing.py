"""Systems among everybody's."""

import numpy as np

from irmeta.stats.standardizing.across import Estimate
from irmeta.stats.standardizing.standing import Everybody, stand


def test_percentiles_count_those_below_and_their_ends_those_that_differ():
    """Percentile, ends, and counts are those of comparing one by one."""
    rng = np.random.default_rng(0)
    value, error = rng.normal(size=(5, 40)), rng.uniform(0.2, 1.0, (5, 40))
    versus = Estimate(value, error, np.full((5, 40), 30.0))
    everybody = Everybody(rng.random(40), rng.random(40))
    found = stand(versus, everybody, 0.95)
    sure = versus.p <= 0.05
    for i in range(5):
        assert found.percentile[i] == 100 * np.mean(value[i] > 0)
        assert found.percentile_low[i] == 100 * np.mean(sure[i] & (value[i] > 0))
        assert found.percentile_high[i] == 100 - 100 * np.mean(sure[i] & (value[i] < 0))
        assert found.not_different[i] + found.surely_better[i] == 40 - np.sum(
            sure[i] & (value[i] > 0)
        )
    assert found.best[0] == everybody.standardized.max()
    assert found.best_score[0] == everybody.mean.max()


def test_a_system_equal_to_one_of_everybodys_beats_half_of_it():
    """A tie counts half."""
    versus = Estimate(np.array([[0.0, -1.0]]), np.ones((1, 2)), np.full((1, 2), 9.0))
    assert stand(
        versus, Everybody(np.array([0.1, 0.2]), np.array([0.3, 0.6]))
    ).percentile.tolist() == [25.0]


def test_without_everybodys_scores_nothing_is_said():
    """Where everybody's scores are of other topics, every figure is missing."""
    nothing = np.empty((2, 0))
    found = stand(
        Estimate(nothing, nothing, nothing), Everybody(np.empty(0), np.empty(0))
    )
    assert all(np.isnan(part).all() and part.shape == (2,) for part in found)
