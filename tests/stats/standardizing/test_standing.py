"""Systems among everybody's."""

import numpy as np
from scipy.special import ndtr

from irmeta.parallel import streams
from irmeta.stats.standardizing import standing
from irmeta.stats.standardizing.across import Estimate
from irmeta.stats.standardizing.standing import (
    DRAWS,
    Everybody,
    beaten,
    percentiles,
    stand,
)
from irmeta.stats.tests.multiplicity import holm


def test_percentiles_count_those_below():
    """Percentile, and the counts beside it, are those of comparing one by one."""
    rng = np.random.default_rng(0)
    own = Estimate(rng.random(5), np.full(5, 0.1), np.full(5, 30.0))
    everybody = Everybody(rng.random(40), rng.random(40), np.full(40, 0.1))
    value = own.value[:, None] - everybody.standardized
    error = rng.uniform(0.1, 0.5, (5, 40))
    versus = Estimate(value, error, np.full((5, 40), 30.0))
    found = stand(own, versus, everybody, 0.95)
    sure = np.array([holm(row) for row in versus.p]) <= 0.05
    assert sure.any()
    assert sure.sum() < (versus.p <= 0.05).sum()
    for i in range(5):
        assert found.percentile[i] == 100 * np.mean(value[i] > 0)
        assert found.surely_better[i] == np.sum(sure[i] & (value[i] < 0))
        assert found.not_different[i] == np.sum(~sure[i])
    assert found.best[0] == everybody.standardized.max()
    assert found.best_score[0] == everybody.mean.max()
    assert (found.percentile_low <= found.percentile).all()
    assert (found.percentile <= found.percentile_high).all()


def test_ends_of_a_percentile_without_errors_are_the_percentile():
    """Where neither a mean nor everybody's vary, the interval is the percentile itself."""
    means = np.linspace(0.1, 0.9, 41)
    own = Estimate(np.array([0.25, 0.71]), np.zeros(2), np.full(2, 9.0))
    difference = own.value[:, None] - means
    versus = Estimate(difference, np.zeros((2, 41)), np.full((2, 41), 9.0))
    found = stand(own, versus, Everybody(means, means, np.zeros(41)))
    for end in (found.percentile_low, found.percentile_high):
        np.testing.assert_allclose(end, found.percentile)


def test_the_share_below_is_of_true_means():
    """What everybody's means differ by error alone is not counted: with many systems the share is that of true ones."""
    rng = np.random.default_rng(1)
    true = rng.normal(0.5, 0.1, 4000)
    seen = true + rng.normal(0, 0.1, 4000)
    at = Estimate(np.array([0.65]), np.zeros(1), np.full(1, 9.0))
    others = Everybody(seen, seen, np.full(4000, 0.1))
    none = np.empty(0, int)
    shares = beaten(at, others, (none, none), rng) / 8000
    assert abs(np.mean(shares) - ndtr(1.5)) < 0.01
    assert np.mean(seen < 0.65) < ndtr(1.5) - 0.05


def test_ends_of_a_percentile_hold_the_true_one():
    """In 100 normal worlds of 30 systems, 95% intervals hold 92 to 98% of true percentiles."""
    rng = np.random.default_rng(2)
    kept = []
    for _ in range(100):
        true = rng.normal(0.5, 0.08, 30)
        seen = true + rng.normal(0, 0.06, 30)
        own = Estimate(seen[:5], np.full(5, 0.06), np.full(5, 1e6))
        versus = Estimate(
            seen[:5, None] - seen, np.full((5, 30), 0.085), np.full((5, 30), 1e6)
        )
        found = stand(own, versus, Everybody(seen, seen, np.full(30, 0.06)), rng=rng)
        below = (true < true[:5, None]).mean(axis=1) + 0.5 / 30
        kept.append(
            (found.percentile_low <= 100 * below + 1e-9)
            & (100 * below <= found.percentile_high + 1e-9)
        )
    assert 0.92 <= np.mean(kept) <= 0.98


def test_a_system_equal_to_one_of_everybodys_beats_half_of_it():
    """A tie counts half."""
    own = Estimate(np.array([0.3]), np.ones(1), np.full(1, 9.0))
    others = Everybody(np.array([0.1, 0.2]), np.array([0.3, 0.6]), np.ones(2))
    assert percentiles(own, others).percentile.tolist() == [25.0]


def test_the_beaten_are_counted_as_one_by_one():
    """Counts are those of comparing every drawn mean with every other; the same system counts as half of one."""
    means = np.array([0.2, 0.5, 0.5, 0.9, 0.4])
    own = Estimate(np.array([0.5, 0.7]), np.array([0.1, 0.2]), np.array([9.0, 5.0]))
    # all draw from their own means: errors this small move them no nearer to each other
    others = Everybody(means, means, np.full(5, 1e-9))
    ties = np.array([0, 0]), np.array([1, 2])
    found = beaten(own, others, ties, np.random.default_rng(3))
    assert found.shape == (2, DRAWS)
    [(rng, draws)] = streams(np.random.default_rng(3), DRAWS, DRAWS)
    rng.normal(size=(draws, 5))
    error = np.sqrt(5 / 4) * own.error
    mine = own.value + error * rng.standard_t(own.df, (draws, 2))
    twice = 2 * (means < mine[..., None])
    twice[:, 0, 1:3] = 1
    np.testing.assert_array_equal(found, twice.sum(axis=2).T)


def test_alike_systems_have_the_same_percentile(monkeypatch):
    """Equal systems share their draws; cut into blocks, percentiles are the same and their ends nearly so."""
    rng = np.random.default_rng(4)
    value = np.repeat(rng.random(20), 2)
    own = Estimate(value, np.full(40, 0.1), np.full(40, 9.0))
    others = Everybody(value, value, np.full(40, 0.1))
    found = percentiles(own, others)
    for one in found:
        np.testing.assert_array_equal(one[::2], one[1::2])
    monkeypatch.setattr(standing, "CELLS", 1000)
    share, *ends = percentiles(own, others)
    np.testing.assert_array_equal(share, found.percentile)
    for one, again in zip(found[1:], ends, strict=True):
        np.testing.assert_allclose(one, again, atol=5)


def test_without_everybodys_scores_nothing_is_said():
    """Where everybody's scores are of other topics, every figure is missing."""
    nothing = np.empty((2, 0))
    none = np.empty(0)
    found = stand(
        Estimate(*np.ones((3, 2))),
        Estimate(nothing, nothing, nothing),
        Everybody(none, none, none),
    )
    assert all(np.isnan(part).all() and part.shape == (2,) for part in found)
