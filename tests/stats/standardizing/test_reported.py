"""Where a system stands of which only the mean is known."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from irmeta.stats.standardizing.reported import placed, standardized
from irmeta.stats.standardizing.standing import Everybody


def everybody(systems=40, error=0.03, noise=0.05, seed=0):
    """Systems whose probits lie near a line in their plain means."""
    rng = np.random.default_rng(seed)
    mean = np.sort(rng.uniform(0.05, 0.5, systems))
    probit = 4 * mean - 1.1 + noise * rng.normal(size=systems)
    return Everybody(mean, stats.norm.cdf(probit), np.full(systems, error))


def test_the_estimate_is_the_prediction_of_a_regression():
    """Value and error are those of a prediction by least squares on probits, with the error over topics added."""
    every, at = everybody(), 0.42
    line = stats.linregress(every.mean, stats.norm.ppf(every.standardized))
    middle = line.intercept + line.slope * at
    left = stats.norm.ppf(every.standardized) - line.intercept - line.slope * every.mean
    far = (at - every.mean.mean()) ** 2 / ((every.mean - every.mean.mean()) ** 2).sum()
    off = np.sqrt((left**2).sum() / 38 * (1 + 1 / 40 + far)) * stats.norm.pdf(middle)
    found = standardized(np.array([at]), every, 50)
    np.testing.assert_allclose(found.value, stats.norm.cdf(middle))
    np.testing.assert_allclose(found.error, np.hypot(off, 0.03))
    assert found.df == 38
    assert standardized(np.array([at]), every, 20).df == 19


@given(st.floats(0, 1), st.floats(0, 1))
def test_a_larger_mean_never_stands_lower(one, other):
    """Percentiles rise with the mean, and lie within their intervals, beyond the best and the worst, too."""
    means = np.array(sorted([one, other]))
    found = placed(means, np.full(2, 5e-5), everybody(), 50)
    assert found.percentile[0] <= found.percentile[1]
    assert (found.low <= found.percentile).all()
    assert (found.percentile <= found.high).all()
    assert ((found.low >= 0) & (found.high <= 100)).all()


def test_means_that_round_to_the_reported_one_tie():
    """A mean with two decimals ties with everybody's that it may be, each of which counts a half."""
    every = Everybody(
        np.array([0.1, 0.246, 0.4]), np.array([0.2, 0.5, 0.8]), np.ones(3)
    )
    coarse, fine = (
        placed(np.array([0.25]), np.array([within]), every, 50).percentile.item()
        for within in (0.005, 0.00005)
    )
    np.testing.assert_allclose([coarse, fine], [50, 200 / 3])


def test_few_systems_or_means_without_errors_have_no_interval():
    """With nine systems, or where everybody's means have no errors, ends are not known, and the percentile is."""
    for every in (everybody(9), everybody(error=np.nan)):
        found = placed(np.array([0.3]), np.array([5e-5]), every, 50)
        assert np.isnan([found.low, found.high]).all()
        assert 0 < found.percentile < 100
