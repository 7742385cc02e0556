"""Intervals: by hand, by simulation of the model they assume, and on data that break it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats

from irmeta.stats.prediction.intervals import (
    LEVELS,
    HeldOut,
    band,
    expected_coverage,
    from_line,
    leave_one_out,
    leverage,
    mahalanobis,
    reach,
    tails,
)
from irmeta.stats.prediction.regression import Moments, least_squares, moments, pool


def collections(rng, count=6, systems=40, offset=0.1, error=0.05):
    """Collections whose second variable is 0.5 times the first, plus an offset of the collection, plus an error."""
    first = rng.random((count, systems))
    second = (
        0.5 * first
        + rng.normal(0, offset, (count, 1))
        + rng.normal(0, error, (count, systems))
    )
    return np.stack([first, second], axis=-1)


def test_held_out_errors_are_those_of_fits_without_the_collection():
    """Offset and variance of each collection are those of its residuals under a fit on the rows of all others."""
    data = collections(np.random.default_rng(1))
    held = leave_one_out([moments(part) for part in data], [0], [1])
    for i, part in enumerate(data):
        slope, intercept = np.polyfit(*np.delete(data, i, axis=0).reshape(-1, 2).T, 1)
        residuals = part[:, 1] - slope * part[:, 0] - intercept
        assert held.offset[i, 0] == pytest.approx(residuals.mean())
        assert held.variance[i, 0] == pytest.approx(residuals.var())


def test_intervals_hold_their_level_under_the_model_they_assume():
    """Over 400 simulated sets of 6 collections, 90% intervals hold 88% to 94% of the systems of a seventh.

    The errors of systems alone, without the collections' offsets, would hold under 80% of them.
    """
    rng = np.random.default_rng(2)
    inside, narrow = [], []
    for _ in range(400):
        *seen, new = collections(rng, count=7, systems=25)
        data = [moments(part) for part in seen]
        slopes, intercept = least_squares(pool(data), [0], [1])
        errors = np.abs(new[:, 1] - new[:, 0] * slopes[0, 0] - intercept[0])
        inside.append(errors <= band(leave_one_out(data, [0], [1]), 0.9).half)
        narrow.append(errors <= stats.norm.ppf(0.95) * 0.05)
    assert 0.88 < np.mean(inside) < 0.94
    assert np.mean(narrow) < 0.8


def test_known_systems_move_and_narrow_the_interval():
    """With many known systems the shift is their mean error and the half width that of their own scatter."""
    held = HeldOut(np.array([0.1, -0.1, 0.1, -0.1]), np.full(4, 0.02**2))
    scatter = np.tile([0.29, 0.31], 5000)
    blind, few, many = (
        band(held, 0.9, known=scatter[:known]) for known in (0, 4, 10_000)
    )
    assert blind.shift == 0
    assert 0 < few.shift < many.shift
    assert many.shift == pytest.approx(0.3, abs=1e-4)
    assert few.half < blind.half
    assert many.half == pytest.approx(stats.norm.ppf(0.95) * 0.01, rel=1e-3)


def test_one_collection_and_known_systems_hold():
    """A line of one collection, moved by known systems of another, holds: intervals are at most 2.5 times too wide."""
    rng = np.random.default_rng(11)
    for known in (2, 3, 5, 10):
        inside, half, needed = [], [], []
        for _ in range(300):
            data = collections(rng, count=2, systems=40)
            found = from_line(moments(data[0]), [0], [1])
            slopes, intercept = least_squares(moments(data[0]), [0], [1])
            errors = data[1][:, 1] - data[1][:, 0] * slopes[0, 0] - intercept[0]
            one = band(found, 0.9, known=errors[:known])
            off = np.abs(errors[known:] - one.shift).ravel()
            inside.append((off <= one.half).mean())
            half.append(one.half.item())
            needed.append(np.quantile(off, 0.9))
        assert np.mean(inside) > 0.88
        assert np.mean(half) < 2.5 * np.mean(needed)


@given(level=st.floats(0.05, 0.98), seed=st.integers(0, 10**6))
def test_higher_levels_have_wider_intervals(level, seed):
    """The half width grows with the level."""
    data = [moments(part) for part in collections(np.random.default_rng(seed))]
    held = leave_one_out(data, [0], [1])
    assert band(held, level + 0.01).half > band(held, level).half


def test_perfect_predictions_have_intervals_of_no_width():
    """Collections on one line, all predicted without error, leave nothing between the ends."""
    rng = np.random.default_rng(3)
    data = [moments(np.column_stack([x := rng.random(10), 2 * x])) for _ in range(3)]
    assert_allclose(band(leave_one_out(data, [0], [1]), 0.9).half, 0, atol=1e-7)


def test_tails_of_normal_residuals_are_those_of_the_normal():
    """For normal data the residuals reach, at each level, as far as a normal does; `reach` is then 1."""
    data = np.random.default_rng(4).normal(size=(20_000, 3))
    found = tails(data)
    assert_allclose(
        found, np.tile(stats.norm.ppf((1 + np.array(LEVELS)) / 2), (3, 1)), rtol=0.03
    )
    assert_allclose(reach(found, 0.9), 1, rtol=0.03)


def test_reach_is_interpolated_between_levels_and_1_without_residuals():
    """Between two known levels reach lies between theirs; a variable without residuals has reach 1."""
    normal = stats.norm.ppf((1 + np.array(LEVELS)) / 2)
    heavy = normal * np.array([1.0, 1.0, 1.2, 1.4, 2.0])
    found = reach(np.stack([heavy, np.full(5, np.nan)]), 0.93)
    assert 1.2 < found[0] < 1.4
    assert found[1] == 1
    assert_allclose(reach(heavy, 0.95), 1.4)


def test_constant_variable_has_no_tails():
    """A variable that never varies leaves no residuals to tell tails from."""
    data = np.column_stack([np.full(10, 0.2), np.random.default_rng(5).random(10)])
    assert np.isnan(tails(data)[0]).all()
    assert np.isfinite(tails(data)[1]).all()


def test_distance_of_the_data_themselves_is_1_on_average():
    """The mean square distance of the data from themselves is 1, by the definition of the covariance."""
    data = np.random.default_rng(6).normal(size=(50, 3)) @ np.array(
        [[1, 0.5, 0], [0, 1, 0.2], [0, 0, 3]]
    )
    distance = mahalanobis(moments(data), data, [0, 1, 2])
    assert np.mean(distance**2) == pytest.approx(1)
    assert (
        mahalanobis(moments(data), data.mean(axis=0)[None] + [100, 0, 0], [0, 1, 2])[0]
        > 50
    )


def test_distance_ignores_directions_without_variance():
    """A collinear variable changes no distance in the plane where the data lie."""
    rng = np.random.default_rng(7)
    data = rng.normal(size=(30, 2))
    wide = np.column_stack([data, data.sum(axis=1)])
    # the square of three variables of rank two is a mean over the two directions that vary
    assert_allclose(
        mahalanobis(moments(wide), wide, [0, 1, 2]),
        mahalanobis(moments(data), data, [0, 1]),
        rtol=1e-6,
    )


def test_leverage_of_a_known_collection_mean_is_that_of_regression():
    """Where systems hardly vary within collections, leverage is the hat value of a regression on collection means."""
    rng = np.random.default_rng(4)
    means = rng.normal(size=(7, 2))
    parts = [Moments(50, mean, 1e-6 * np.eye(2)) for mean in means]
    new = np.array([[0.3, -1.2], [2.0, 2.0]])
    design = np.column_stack([np.ones(7), means])
    rows = np.column_stack([np.ones(2), new])
    expected = np.einsum("si,ij,sj->s", rows, np.linalg.inv(design.T @ design), rows)
    assert_allclose(leverage(parts, new, [0, 1]), expected, rtol=1e-4)


def test_leverage_of_one_system_says_little_of_its_collection():
    """Where systems vary much more than collections, any system has the mean leverage (1 + predictors / (C - 1))."""
    parts = [
        Moments(50, np.array([mean, -mean]), np.eye(2) * 1e6)
        for mean in (-0.1, 0.0, 0.3, 0.2)
    ]
    found = leverage(parts, np.array([[0.0, 0.0], [2.0, 1.0]]), [0, 1])
    assert_allclose(found, 1 / 4 + 2 / 3, atol=1e-3)


def test_copies_of_a_predictor_change_no_leverage_but_their_rank():
    """Two predictors that are the same are no trouble: the direction in which they do not vary is left out."""
    data = [
        moments(part[:, [0, 0, 1]]) for part in collections(np.random.default_rng(5))
    ]
    found = leverage(data, np.array([[0.4, 0.4]]), [0, 1])
    assert np.isfinite(found).all()
    assert (found > 0).all()


def test_far_collections_are_held_that_were_not():
    """Of collections whose offset grows with their distance, intervals with leverage hold far more."""
    rng = np.random.default_rng(6)
    shares = {True: [], False: []}
    for _ in range(150):
        centre = rng.normal(0, 1, 8)
        # collections differ in slope: an offset that grows with distance
        slope = rng.normal(0.5, 0.3, 8)
        x = centre[:, None] + rng.normal(0, 0.3, (8, 25))
        data = np.stack([x, slope[:, None] * x + rng.normal(0, 0.05, (8, 25))], axis=-1)
        far = int(np.abs(centre).argmax())
        seen = [moments(part) for part in np.delete(data, far, axis=0)]
        slopes, intercept = least_squares(pool(seen), [0], [1])
        errors = np.abs(data[far, :, 1] - data[far, :, 0] * slopes[0, 0] - intercept[0])
        away = leverage(seen, data[far, :, :1], [0])[:, None]
        for used in (True, False):
            half = band(
                leave_one_out(seen, [0], [1]), 0.9, leverage=away if used else 0.0
            ).half
            shares[used].append(float(np.mean(errors <= half.ravel())))
    assert np.mean(shares[True]) > np.mean(shares[False]) + 0.05


def test_expected_coverage_is_the_coverage_counted():
    """The coverage to expect of normal errors is the share of systems of each collection that intervals hold."""
    data = collections(np.random.default_rng(7), count=6, systems=3000)
    parts = [moments(part) for part in data]
    expected = expected_coverage(parts, [0], [1], 0.9, np.ones((6, 1)))
    for i, part in enumerate(data):
        others = [*parts[:i], *parts[i + 1 :]]
        slopes, intercept = least_squares(pool(others), [0], [1])
        away = leverage(others, parts[i].mean[None, :1], [0])
        half = band(leave_one_out(others, [0], [1]), 0.9, leverage=away).half
        counted = np.mean(
            np.abs(part[:, 1] - part[:, 0] * slopes[0, 0] - intercept[0]) <= half
        )
        assert expected[i, 0] == pytest.approx(counted, abs=0.03)
