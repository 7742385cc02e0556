"""Limits of nights against Student's t, a loop and their own draws; bounds of losses worked out by hand."""

import numpy as np
import pytest
from scipy import stats

from irmeta.stats.tests import nights

ALPHA = 0.05


def looks(topics, draws=8192):
    """Return a gate that has seen nothing."""
    return nights.Looks(topics, ALPHA, np.random.default_rng(0), draws)


def t_of(limit, topics):
    """Return Student's t of a limit of r."""
    return limit * np.sqrt((topics - 1) / (topics - limit**2))


def differences(count, topics, seed=0):
    """Draw nights of one comparison that have nothing in common."""
    return np.random.default_rng(seed).normal(size=(count, 1, topics))


@pytest.mark.parametrize("topics", [20, 60])
def test_one_look_has_the_limit_of_a_t_test(topics):
    """A single look at normal differences spends the whole level, one-sided."""
    (found,) = differences(1, topics)
    limit = looks(topics, 20_000).limit(found, single=True)
    assert t_of(limit, topics) == pytest.approx(stats.t.isf(ALPHA, topics - 1), 0.03)


def test_nights_with_nothing_in_common_have_about_bonferronis_limit():
    """In the middle of 200 independent nights the limit is that of t at a 200th of the level."""
    gate, topics = looks(40), 40
    limits = [gate.limit(one) for one in differences(100, topics)]
    bonferroni = stats.t.isf(ALPHA / nights.NIGHTS, topics - 1)
    assert np.mean([t_of(one, topics) for one in limits[50:]]) == pytest.approx(
        bonferroni, 0.06
    )


def test_no_more_draws_pass_than_the_level_allows():
    """Over 200 nights, alike and not, the draws that pass any limit are those of the level, and most of it is used."""
    gate, topics, rng = looks(30, 8192), 30, np.random.default_rng(1)
    night = rng.normal(size=(1, topics))
    for at in range(nights.NIGHTS):
        kept = 0.98 if at < 100 else 0.0
        night = kept * night + np.sqrt(1 - kept**2) * rng.normal(size=(1, topics))
        gate.limit(night)
    shares = [law._passed.mean() for law in gate._laws]
    assert max(shares) <= ALPHA
    assert max(shares) > ALPHA / 2


def test_the_same_night_again_costs_nothing():
    """Nights with the same differences have ever lower limits: there is only one look to pay for."""
    (found,) = differences(1, 25)
    gate = looks(25)
    limits = [gate.limit(found) for _ in range(20)]
    assert limits[1:] == sorted(limits[1:], reverse=True)
    assert limits[-1] < limits[0]


def test_limits_of_earlier_nights_stay_when_topics_are_added():
    """A topic that only later nights have leaves the first limit as it was."""
    (found,) = differences(1, 20)
    more = np.concatenate([found, np.full((1, 5), np.nan)], axis=1)
    assert looks(25).limit(more) == pytest.approx(looks(20).limit(found), 0.03)


def test_the_limit_is_that_of_a_loop():
    """A second limit is the smallest whose draws, passed, passing and to come, the level allows."""
    one, two = differences(2, 15, seed=4)
    gate = looks(15)
    lows = zip(*(law.lowest([one, two]) for law in gate._laws), strict=True)
    first, second = gate.limit(one), gate.limit(two)
    limits = []
    for before, now in zip(*lows, strict=True):
        passed = before < -first
        left = ALPHA * now.size - 1 - np.count_nonzero(passed)
        fitting = []
        for limit in sorted(-np.minimum(before, now))[::-1]:
            passing = 1 + np.count_nonzero(now[~passed] < -limit)
            either = np.count_nonzero(np.minimum(before, now) < -limit)
            a_night = either - np.count_nonzero(before < -limit)
            to_come = (nights.NIGHTS - 2) * max(a_night, 1)
            if passing > nights.MOST * ALPHA * now.size or passing + to_come > left:
                break
            fitting.append(limit)
        limits.append(fitting[-1] if fitting else np.inf)
    assert second == pytest.approx(max(limits), 1e-4)


def test_a_night_that_is_like_the_last_does_not_use_up_the_level():
    """After two nights that differ on one topic nothing seems to come; other nights follow, and need the level."""
    first, other = differences(2, 20)
    found = np.sign(first) * (np.abs(first) > 1)  # 0/1 scores
    alike = found.copy()
    alike[0, 0] += 1
    gate = looks(20)
    for one in (found, alike, alike, other):
        before = [law._spent for law in gate._laws]
        gate.limit(one)
        for law, spent in zip(gate._laws, before, strict=True):
            assert law._spent - spent <= 0.1 * law._allowed


def test_nights_to_come_are_expected_to_be_as_of_late():
    """After nights with other scores, nights that are all alike have lower limits than if all counted the same."""
    apart, alike = differences(6, 25), differences(1, 25)
    gate = looks(25)
    for one in apart:
        gate.limit(one)
    limits = [gate.limit(alike[0]) for _ in range(12)]
    assert limits[-1] < 0.97 * limits[0]
    [law, _] = gate._laws
    assert (law._past[-1] == law._past[-5]).all()


def test_a_bound_is_the_mean_and_so_many_standard_errors():
    """Where topics are not skewed, the loss shown is the mean loss less t standard errors."""
    loss = np.array([0.1, 0.2, 0.3, 0.4] * 5)
    limit = 2.0
    found = nights.bounds(-loss[None], limit, 0.02, np.ones(1))
    error = stats.sem(loss)
    assert found.shown[0] == pytest.approx(loss.mean() - t_of(limit, 20) * error)
    reach = t_of(limit, 20) + stats.norm.ppf(0.8)
    assert found.visible[0] == pytest.approx(0.02 + reach * error)


def test_the_upper_bound_has_one_topic_more_that_is_lost():
    """A system that is equal on all of 20 topics may lose on others; on 2000 there are few such."""
    few = nights.bounds(np.zeros((1, 20)), 2.5, 0.02, np.ones(1))
    many = nights.bounds(np.zeros((1, 2000)), 2.5, 0.02, np.ones(1))
    assert few.possible[0] > 0.02 > many.possible[0]


def test_skew_widens_the_side_that_it_makes_too_certain():
    """Johnson's t of what is returned is the limit; topics that are skewed to the other side change nothing."""
    q, topics = np.array([2.5]), np.array([50.0])
    skew = np.array([1.5])
    wider = nights._adjusted(q, skew, topics)
    a = (skew - np.sqrt(6 / topics)) / (6 * np.sqrt(topics))
    assert wider > q
    assert -wider + a * (1 + 2 * wider**2) == pytest.approx(-q)
    assert nights._adjusted(q, -skew, topics) == pytest.approx(q)
    assert np.isinf(nights._adjusted(q, np.array([4.0]), np.array([20.0])))


def test_three_topics_show_nothing():
    """On three topics no limit can be passed, and no loss can be seen."""
    found = np.full((1, 3), -0.5)
    limit = looks(3).limit(found + 0.02)
    bounds = nights.bounds(found, limit, 0.02, np.ones(1))
    assert bounds.shown[0] == -1
    assert np.isinf(bounds.possible[0])
    assert np.isinf(bounds.visible[0])


def test_skew_that_no_bound_allows_for_has_none():
    """Where one topic is much worse than all others a strict limit excludes no loss, and says none."""
    loss = np.full((1, 50), 0.01)
    loss[0, :2] = [0.5, -0.02]
    bounds = nights.bounds(-loss, 4.5, 0.02, np.ones(1))
    assert np.isinf(bounds.possible[0])


def test_a_metric_without_limits_takes_the_largest_difference_that_was_seen():
    """Where a metric has no largest score, the topic that is lost is lost by as much as any other was."""
    loss = np.array([[0.5, -2.0, 0.3, 0.1] * 10])
    infinite = nights.bounds(-loss, 2.0, 0.1, np.array([np.inf]))
    known = nights.bounds(-loss, 2.0, 0.1, np.array([2.0]))
    assert infinite.possible == pytest.approx(known.possible)
