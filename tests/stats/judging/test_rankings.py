"""Tau of judges: against scipy, its variance against simulation, and how often its intervals hold."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau, ttest_1samp
from scipy.stats import t as student

from irmeta.stats.judging.favour import favour
from irmeta.stats.judging.rankings import (
    Taus,
    by_systems,
    by_topics,
    pair_kernel,
    taus,
    taus_on_own_topics,
)


def scores(
    rng: np.random.Generator, sets: int = 3, systems: int = 12, topics: int = 20
) -> np.ndarray:
    """Draw a truth and judges that add noise to it: (set, system, topic)."""
    truth = (
        rng.normal(0, 0.1, (systems, 1))
        + rng.normal(0, 0.2, topics)
        + rng.normal(0, 0.15, (systems, topics))
    )
    judges = [
        truth + rng.normal(0, 0.1 * which, truth.shape) for which in range(1, sets)
    ]
    return np.stack([truth, *judges])


@given(st.integers(0, 2**32), st.integers(0, 2))
def test_tau_is_that_of_scipy(seed: int, decimals: int) -> None:
    """Tau of each judge, ties or not, is scipy's tau-b of the means."""
    made = scores(np.random.default_rng(seed)).round(decimals + 1)
    found = taus(made, np.random.default_rng(0), 4)
    means = made.mean(axis=-1).round(10)
    wanted = [kendalltau(means[0], judge).statistic for judge in means[1:]]
    np.testing.assert_allclose(found.tau, wanted)


def test_the_kernel_averages_to_nothing() -> None:
    """What pairs of systems add to tau has the mean 0 over pairs, with ties and without."""
    means = np.random.default_rng(1).integers(0, 6, (4, 15)) / 10
    _, kernel = pair_kernel(means)
    np.testing.assert_allclose(kernel.sum(axis=(1, 2)), 0, atol=1e-10)


def test_the_variance_of_sums_is_that_of_a_mean() -> None:
    """Of a kernel that adds up what two systems bring, the unbiased variance is that of twice a mean over systems."""
    x = np.random.default_rng(2).normal(size=30)
    x -= x.mean()
    kernel = x[:, None] + x
    np.fill_diagonal(kernel, 0)
    unbiased, jackknife = by_systems(kernel)
    assert unbiased == pytest.approx(4 * x.var(ddof=1) / 30)
    # r_i = (m - 2) x_i, of m - 1 pairs
    assert jackknife == pytest.approx(4 * x.var() / 30 * (28 / 29) ** 2)


def test_the_unbiased_variance_is_that_of_its_definition() -> None:
    """The variance without bias is the squared mean less the mean product of pairs without a system in common."""
    rng = np.random.default_rng(11)
    signs = rng.choice([-1.0, 1.0], (6, 6))
    kernel = np.triu(signs, 1) + np.triu(signs, 1).T
    kernel -= kernel.sum() / 30
    np.fill_diagonal(kernel, 0)
    products = [kernel[i, j] * kernel[k, m] for i, j, k, m in permutations(range(6), 4)]
    assert by_systems(kernel)[0] == pytest.approx(0 - np.mean(products))


def test_six_teams_of_near_clones_do_not_seem_to_vary_little() -> None:
    """Though the variance without bias may come out below 0 where teams are few, tau holds in 9 of 10 intervals."""
    rng = np.random.default_rng(12)
    team = np.arange(24) // 4

    def drawn() -> np.ndarray:
        apart = rng.normal(size=(2, 6))[:, team] + rng.normal(size=(2, 24)) / 4
        means = np.stack([apart[0], apart.sum(axis=0)])[..., None]
        return means + rng.normal(size=(2, 24, 8)) / 4

    true = np.mean([pair_kernel(drawn().mean(axis=-1))[0] for _ in range(3000)])
    found = [taus(drawn(), rng, 4, team).interval() for _ in range(300)]
    held = [one.low[0] <= true <= one.high[0] for one in found]
    assert np.mean(held) > 0.9


def test_halves_vary_as_their_mean_would() -> None:
    """The variance over random halves, rescaled, is that of a mean over all topics."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=21)
    drawn = rng.random((20_000, 21)).argsort(axis=1) < 10
    on_halves = (drawn * x).sum(axis=1) / 10
    assert by_topics(on_halves, 21) == pytest.approx(x.var(ddof=1) / 21, rel=0.05)


def test_a_judge_does_not_differ_from_itself() -> None:
    """Two judges that give the same scores differ by 0, with p = 1 and an interval of no width."""
    made = scores(np.random.default_rng(4))
    found = taus(made[[0, 1, 1]], np.random.default_rng(0)).differences()
    assert found.value[0, 1] == found.low[0, 1] == found.high[0, 1] == 0
    assert found.p[0, 1] == 1


def test_differences_are_antisymmetric() -> None:
    """A less B is minus B less A, and p is the same."""
    found = taus(
        scores(np.random.default_rng(5), sets=4), np.random.default_rng(0)
    ).differences()
    np.testing.assert_allclose(found.value, -found.value.T)
    np.testing.assert_allclose(found.low, -found.high.T)
    np.testing.assert_allclose(found.p, found.p.T)


def error_and_quantile(found: Taus, kernel: np.ndarray, *halves: np.ndarray):
    """Return the standard error by Satterthwaite's formula, and scipy's quantile of t for its degrees of freedom."""
    systems, topics = kernel.shape[-1], found.topics
    unbiased, jackknife = by_systems(kernel)
    together, separate = (by_topics(half, topics) for half in halves)
    of_topics = np.maximum(together - separate, 0)
    one_pair = 2 / (systems * (systems - 1) / 2)
    of_systems = np.maximum(unbiased, jackknife / 2)
    variance = np.maximum(of_systems + of_topics, one_pair**2)
    parts = jackknife**2 / (systems - 1) + of_topics**2 / (topics - 1)
    freedom = np.maximum(variance**2 / parts, 2)
    return np.sqrt(variance), student.ppf(0.975, freedom)


def test_ends_of_the_interval_lie_students_quantile_away() -> None:
    """Tau less an end, over the error that tau would have at that end, is scipy's quantile of t."""
    found = taus(scores(np.random.default_rng(16)), np.random.default_rng(0))
    error, quantile = error_and_quantile(
        found, found.kernel, found.together, found.separate
    )
    interval = found.interval()
    for end in (interval.low, interval.high):
        there = error * np.sqrt((1 - end**2) / (1 - found.tau**2))
        np.testing.assert_allclose(np.abs(found.tau - end) / there, quantile)


def test_the_interval_of_a_difference_is_students() -> None:
    """Half the interval of a difference of two taus is scipy's quantile of t times its error."""
    found = taus(scores(np.random.default_rng(17)), np.random.default_rng(0))
    error, quantile = error_and_quantile(
        found,
        found.kernel[0] - found.kernel[1],
        found.together[:, 0] - found.together[:, 1],
        found.separate[:, 0] - found.separate[:, 1],
    )
    one = found.differences()
    half = quantile * error
    assert one.high[0, 1] - one.value[0, 1] == pytest.approx(half)
    assert one.value[0, 1] - one.low[0, 1] == pytest.approx(half)


def test_favour_is_students() -> None:
    """Interval and p of how much a judge favours a system are scipy's of a mean over topics."""
    made = scores(np.random.default_rng(18), sets=2)
    gain = made[1] - made[0]
    theirs = ttest_1samp(gain - gain.mean(axis=0), 0, axis=1)
    found = favour(made, np.eye(12))
    interval = theirs.confidence_interval(0.95)
    np.testing.assert_allclose(found.p[0], theirs.pvalue)
    np.testing.assert_allclose(found.low[0], interval.low)
    np.testing.assert_allclose(found.high[0], interval.high)


def test_what_a_topic_does_to_all_systems_does_not_matter() -> None:
    """Easier and harder topics, by truth or judge, leave tau and its interval as they are."""
    rng = np.random.default_rng(6)
    made = scores(rng)
    one, other = (
        taus(each, np.random.default_rng(0)).interval()
        for each in (made, made + rng.normal(size=(3, 1, 20)))
    )
    for name in ("value", "low", "high"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name))


def test_an_equal_ranking_has_an_interval_of_its_own() -> None:
    """A judge that ranks as the truth does has tau 1, and still an interval that reaches below."""
    truth = scores(np.random.default_rng(7))[0]
    found = taus(np.stack([truth, 2 * truth]), np.random.default_rng(0)).interval()
    assert found.value[0] == found.high[0] == pytest.approx(1)
    assert 0 < found.low[0] < 0.9


def test_an_equal_ranking_of_five_systems_is_as_of_ten_pairs() -> None:
    """Tau 1 of 5 systems ends where it does of 10 independent pairs: (1 - k) / (1 + k), k = t^2 / 10."""
    truth = scores(np.random.default_rng(7), systems=5)[0]
    found = taus(np.stack([truth, 2 * truth]), np.random.default_rng(0)).interval()
    k = student.ppf(0.975, 4) ** 2 / 10
    assert found.low[0] == pytest.approx((1 - k) / (1 + k))


@pytest.mark.parametrize(("systems", "topics"), [(3, 20), (12, 3)])
def test_too_few_have_no_interval(systems: int, topics: int) -> None:
    """With 3 systems, or 3 topics, there is a tau and no interval."""
    found = taus(
        scores(np.random.default_rng(8), systems=systems, topics=topics),
        np.random.default_rng(0),
    ).interval()
    assert np.isfinite(found.value).all()
    assert np.isnan(found.low).all()


def test_topics_of_their_own() -> None:
    """Where truth and judge have different topics, tau is that of their means, and its interval is wider."""
    rng = np.random.default_rng(9)
    made = scores(rng, sets=2, systems=30, topics=60)
    apart = taus_on_own_topics(
        made[0, :, :30], made[1, :, 30:], np.random.default_rng(0)
    ).interval()
    paired = taus(made[:, :, :30], np.random.default_rng(0)).interval()
    wanted = kendalltau(
        made[0, :, :30].mean(axis=1), made[1, :, 30:].mean(axis=1)
    ).statistic
    assert apart.value[0] == pytest.approx(wanted)
    assert apart.high[0] - apart.low[0] > paired.high[0] - paired.low[0]


def test_systems_of_a_team_count_once():
    """Where every system is there twice, as a team, the variance is about that of the single ones, not half of it."""
    rng = np.random.default_rng(4)
    scores = rng.normal(size=(2, 40, 12)) + 0.5 * rng.normal(size=(1, 40, 1))
    twice = np.repeat(scores, 2, axis=1) + 1e-6 * rng.normal(size=(2, 80, 12))
    once = pair_kernel(scores.mean(axis=-1))[1]
    kernel = pair_kernel(twice.mean(axis=-1))[1]
    teams = np.repeat(np.arange(40), 2)
    for by_team, alone, single in zip(
        by_systems(kernel, teams), by_systems(kernel), by_systems(once), strict=True
    ):
        assert by_team == pytest.approx(single, rel=0.1)
        assert alone == pytest.approx(single / 2, rel=0.2)


def test_intervals_over_teams_are_wider():
    """Tau of teams of clones is less sure than that of as many independent systems."""
    rng = np.random.default_rng(5)
    one = rng.normal(size=(1, 8, 1)) + 0.6 * rng.normal(size=(2, 8, 1))
    scores = np.repeat(one, 4, axis=1) + 0.3 * rng.normal(size=(2, 32, 20))
    team = np.repeat(np.arange(8), 4)
    alone, together = (
        taus(scores, np.random.default_rng(0), team=of).interval()
        for of in (None, team)
    )
    assert alone.value == together.value
    assert (together.high - together.low)[0] > 1.3 * (alone.high - alone.low)[0]
