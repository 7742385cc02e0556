"""Decisions, favour, single topics and the top of a ranking: against plain loops and scipy."""

import numpy as np
import pytest
from scipy import stats

from irmeta.stats.judging.decisions import Decision, decisions
from irmeta.stats.judging.favour import favour
from irmeta.stats.judging.topics import topic_taus
from irmeta.stats.judging.tops import moves, tau_among_best, tau_gap


def made(seed: int = 0, systems: int = 8, topics: int = 25) -> np.ndarray:
    rng = np.random.default_rng(seed)
    truth = rng.normal(0, 0.1, (systems, 1)) + rng.normal(0, 0.2, (systems, topics))
    return np.stack(
        [
            truth,
            truth + rng.normal(0, 0.1, truth.shape),
            -truth,
            rng.normal(size=truth.shape),
        ]
    )


def test_decisions_are_those_of_single_t_tests() -> None:
    """Each pair is counted once, by the paired t tests of scipy and the signs of the differences."""
    scores = made()
    found = decisions(scores, 0.05, lambda p: p)
    for judge in (1, 2, 3):
        counts = dict.fromkeys(Decision, 0)
        for i in range(8):
            for j in range(i + 1, 8):
                truth, other = (
                    _claim(one[i], one[j]) for one in (scores[0], scores[judge])
                )
                counts[_named(truth, other)] += 1
        assert found[judge - 1].tolist() == list(counts.values())
    assert found[1, Decision.REVERSED] > 0
    assert found[1, Decision.AGREE] == 0


def _claim(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.sign((a - b).mean())) * (stats.ttest_rel(a, b).pvalue < 0.05)


def _named(truth: float, judge: float) -> Decision:
    if truth and judge:
        return Decision.AGREE if truth == judge else Decision.REVERSED
    if truth or judge:
        return Decision.MISSED if truth else Decision.INVENTED
    return Decision.NEITHER


def test_favour_is_a_paired_t_test_over_topics() -> None:
    """Favour has Student's interval and p, of judge less truth less the mean of that over systems."""
    scores = made(1)
    found = favour(scores, np.eye(8))
    gain = scores[1] - scores[0]
    relative = (gain - gain.mean(axis=0))[3]
    test = stats.ttest_1samp(relative, 0)
    assert found.favour[0, 3] == pytest.approx(relative.mean())
    assert found.p[0, 3] == pytest.approx(test.pvalue)
    assert (found.low[0, 3], found.high[0, 3]) == pytest.approx(
        tuple(test.confidence_interval())
    )


def test_a_lenient_judge_favours_nobody() -> None:
    """A judge that adds the same to all systems favours none, with p = 1."""
    truth = made()[0]
    found = favour(np.stack([truth, truth + 0.3]), np.eye(8))
    np.testing.assert_allclose(found.favour, 0, atol=1e-12)
    assert (found.p == 1).all()


def test_what_is_added_to_a_group_is_found() -> None:
    """A judge that adds .1 to two of eight systems favours their group by .1 less the mean of .025."""
    truth = made()[0]
    judge = truth.copy()
    judge[:2] += 0.1
    members = np.array([[0.5, 0.5, 0, 0, 0, 0, 0, 0], [0, 0, *[1 / 6] * 6]])
    found = favour(np.stack([truth, judge]), members)
    np.testing.assert_allclose(found.favour[0], [0.075, -0.025])


def test_taus_of_single_topics() -> None:
    """On each topic tau is scipy's, of judge and truth there, and of either with the truth on all other topics."""
    scores = made(2)
    found = topic_taus(scores)
    rest = np.delete(scores[0], 4, axis=1).mean(axis=1)
    assert found.tau[0, 4] == pytest.approx(
        stats.kendalltau(scores[0, :, 4], scores[1, :, 4]).statistic
    )
    assert found.own[4] == pytest.approx(
        stats.kendalltau(scores[0, :, 4], rest).statistic
    )
    assert found.rest[2, 4] == pytest.approx(
        stats.kendalltau(scores[3, :, 4], rest).statistic
    )


def test_tau_gap_against_a_loop() -> None:
    """Tau_GAP equals its definition in plain Python, with ties on either side."""
    rng = np.random.default_rng(3)
    truth, judge = rng.integers(0, 6, 12) / 10, rng.integers(0, 8, 12) / 10
    shares = []
    for i in range(12):
        above = [j for j in range(12) if judge[j] > judge[i]]
        gaps = sum(abs(truth[j] - truth[i]) for j in above)
        if gaps:
            shares.append(sum(max(truth[j] - truth[i], 0) for j in above) / gaps)
    assert tau_gap(truth, judge[None])[0] == pytest.approx(2 * np.mean(shares) - 1)


def test_a_small_gap_costs_less() -> None:
    """Swapping systems that the truth has near each other costs less than swapping those far apart."""
    truth = np.array([0.90, 0.50, 0.45, 0.20])
    near, far = tau_gap(truth, np.array([[0.8, 0.5, 0.6, 0.1], [0.6, 0.8, 0.4, 0.1]]))
    assert 1 > near > far


def test_the_best_by_the_truth() -> None:
    """Tau among the best looks only at systems that the truth ranks best; moves count ranks up and down."""
    truth, judge = np.array([4.0, 3, 2, 1]), np.array([[4.0, 3, 1, 2]])
    assert tau_among_best(truth, judge, 2).tolist() == [1]
    assert moves(truth, judge).tolist() == [[0, 0, -1, 1]]
