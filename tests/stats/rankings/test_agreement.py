"""Correlation between metrics with topics left out, intervals, groups and components."""

import numpy as np
import pytest
import scipy.special
import scipy.stats

from irmeta.stats.arrays import settled
from irmeta.stats.rankings import agreement


def made(seed=0, systems=8, topics=6, metrics=3):
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(systems, topics, 1)) + rng.normal(
        size=(systems, topics, metrics)
    )
    scores[..., -1] = np.round(scores[..., -1])
    return scores


def flat(parts):
    return np.concatenate([part.reshape(-1, part.shape[2]) for part in parts]).T


@pytest.mark.parametrize("method", ["pearson", "spearman", "kendall"])
def test_over_scores_without_each_topic(method):
    """The correlation over all scores is scipy's, and without a topic it is that of the scores of the other topics."""
    parts = [made(0), made(1, systems=5, topics=4)]
    whole, without = agreement.over_scores(parts, method)
    of = {
        "pearson": scipy.stats.pearsonr,
        "spearman": scipy.stats.spearmanr,
        "kendall": scipy.stats.kendalltau,
    }[method]
    x = flat(parts)
    assert whole[0, 2] == pytest.approx(of(x[0], x[2]).statistic, abs=1e-12)
    assert [len(part) for part in without] == [6, 4]
    for at in range(6):
        x = flat([np.delete(parts[0], at, axis=1), parts[1]])
        assert without[0][at, 0, 2] == pytest.approx(
            of(x[0], x[2]).statistic, abs=1e-12
        )
    for at in range(4):
        x = flat([parts[0], np.delete(parts[1], at, axis=1)])
        assert without[1][at, 1, 2] == pytest.approx(
            of(x[1], x[2]).statistic, abs=1e-12
        )


def test_spearman_does_not_rank_again_without_each_topic(monkeypatch):
    """Many topics take no more rankings of the scores than few: a rank without a topic follows from the one with it."""
    ranked, rankdata = [], scipy.stats.rankdata
    monkeypatch.setattr(
        scipy.stats,
        "rankdata",
        lambda *a, **options: ranked.append(1) or rankdata(*a, **options),
    )
    counts = []
    for topics in (4, 12):
        ranked.clear()
        agreement.over_scores([made(topics=topics)], "spearman")
        counts.append(len(ranked))
    assert counts[0] == counts[1]


@pytest.mark.parametrize("block", [1, 1500, 1 << 21])
@pytest.mark.parametrize("method", ["pearson", "spearman", "kendall", "tau-ap"])
def test_over_means_without_each_topic(method, block, monkeypatch):
    """The correlation over system means without a topic is that of means over the other topics of its collection."""
    monkeypatch.setattr(agreement, "BLOCK", block)  # one topic at a time, two, or all
    parts = [made(0), made(1, systems=5, topics=4)]
    whole = agreement.over_means(parts, method)
    without = agreement.over_means_without_topics(parts, method)
    of = agreement.COEFFICIENTS[method][1]
    means = [settled(part.mean(axis=1)) for part in parts]
    np.testing.assert_allclose(
        whole, of(np.concatenate(means).T, np.concatenate(means).T), atol=1e-12
    )
    for one, at in [*((0, at) for at in range(6)), *((1, at) for at in range(4))]:
        left = settled(np.delete(parts[one], at, axis=1).mean(axis=1))
        x = np.concatenate([left, means[1]] if one == 0 else [means[0], left]).T
        np.testing.assert_allclose(without[one][at], of(x, x), atol=1e-8)


def test_interval_is_the_jackknife_on_fisher_z():
    """The interval is z plus and minus t times the jackknife's error, put back on the scale of r."""
    whole, without = agreement.over_scores([made()], "pearson")
    low, high = agreement.interval(whole, without)
    z = np.arctanh(without[0][:, 0, 1])
    error = np.sqrt(5 / 6 * ((z - z.mean()) ** 2).sum())
    half = scipy.stats.t.ppf(0.975, 5) * error
    assert low[0, 1] == pytest.approx(np.tanh(np.arctanh(whole[0, 1]) - half))
    assert high[0, 1] == pytest.approx(np.tanh(np.arctanh(whole[0, 1]) + half))
    apart = ~np.eye(len(whole), dtype=np.bool_)  # a metric and itself have none
    assert (low <= whole)[apart].all()
    assert (whole <= high)[apart].all()


def test_interval_covers_the_truth():
    """Over 400 samples of topics the 95% interval holds the correlation of the population in 91% to 98% of them."""
    rng = np.random.default_rng(0)
    truth = 1 / np.sqrt(2 * 2.5)
    held = 0
    for _ in range(400):
        shared = rng.normal(size=(15, 30, 1))
        scores = np.concatenate(
            [
                shared + rng.normal(size=shared.shape),
                shared + 1.5**0.5 * rng.normal(size=shared.shape),
            ],
            2,
        )
        low, high = agreement.interval(*agreement.over_scores([scores], "pearson"))
        held += low[0, 1] <= truth <= high[0, 1]
    assert 0.91 <= held / 400 <= 0.98


def test_topics_in_two_parts_count_once():
    """A part given twice with the same topics has nearly the interval of the part alone: there are no more topics."""
    scores = made(topics=40)
    topics = np.arange(scores.shape[1])
    alone = agreement.interval(*agreement.over_scores([scores], "pearson"))
    both = agreement.over_scores([scores, scores], "pearson")
    np.testing.assert_allclose(
        agreement.interval(*both, [topics, topics]), alone, atol=0.02
    )
    apart = agreement.interval(*both)
    assert (apart[1] - apart[0])[0, 2] < 0.8 * (alone[1] - alone[0])[0, 2]
    np.testing.assert_array_equal(
        agreement.interval(*both, [topics, topics + len(topics)]), apart
    )


@pytest.mark.parametrize("method", ["pearson", "spearman"])
def test_intervals_over_shared_topics_cover_the_truth(method):
    """Of two parts with the same topics, 95% intervals hold the truth in 91% to 99% of 300 samples; apart, in fewer."""
    rng = np.random.default_rng(1)
    truth = {"pearson": 0.5, "spearman": 6 / np.pi * np.arcsin(0.25)}[method]
    held = {"together": 0, "apart": 0}
    for _ in range(300):
        # by topic: the metrics agree and disagree on whole topics
        hard, easy = rng.normal(size=(2, 1, 25, 1))
        parts = []
        for _ in range(2):
            own = rng.normal(size=(8, 25, 2)) * 0.1
            parts.append(
                np.concatenate([np.sqrt(0.75) * easy + 0.5 * hard, hard], axis=2) + own
            )
        found = agreement.over_scores(parts, method)
        for how, topics in (("together", [np.arange(25)] * 2), ("apart", None)):
            low, high = agreement.interval(*found, topics)
            held[how] += low[0, 1] <= truth <= high[0, 1]
    assert 0.91 <= held["together"] / 300 <= 0.99
    assert held["apart"] < held["together"] - 15


def test_no_topics_to_leave_out():
    """A table of means has a correlation and no interval."""
    whole = agreement.over_means([made(topics=1)], "pearson")
    without = agreement.over_means_without_topics([made(topics=1)], "pearson")
    low, high = agreement.interval(whole, without)
    assert np.isfinite(whole).all()
    assert np.isnan(low).all()
    assert np.isnan(high).all()


def test_no_interval_where_a_topic_carries_the_metric():
    """A metric that varies on one topic only has no interval: without that topic it has no correlation."""
    scores = made()
    scores[:, 1:, 0] = 0.5
    low, high = agreement.interval(*agreement.over_scores([scores], "pearson"))
    assert np.isnan([low[0, 1], high[0, 1]]).all()
    assert low[1, 2] < high[1, 2]


def test_groups_hold_only_what_agrees():
    """Every two metrics of a group reach the threshold, and no two whole groups could be joined."""
    rng = np.random.default_rng(1)
    r = np.corrcoef(
        rng.normal(size=(12, 3)) @ rng.normal(size=(3, 40)) + rng.normal(size=(12, 40))
    )
    for threshold in (0.3, 0.5, 0.8):
        group = agreement.groups(agreement.merges(r), threshold)
        members = [
            np.flatnonzero(group == number) for number in range(1, group.max() + 1)
        ]
        assert sum(len(one) for one in members) == 12
        for at, one in enumerate(members):
            assert r[np.ix_(one, one)].min() >= threshold
            for other in members[:at]:
                assert r[np.ix_([*one, *other], [*one, *other])].min() < threshold
    assert agreement.groups(agreement.merges(r), 1.0).tolist() == list(range(1, 13))


def test_components_rebuild_the_correlations():
    """Loadings times their transpose are the correlations, shares fall and add up to 1."""
    r = np.corrcoef(np.random.default_rng(2).normal(size=(5, 30)))
    loading, share = agreement.components(r)
    np.testing.assert_allclose(loading @ loading.T, r, atol=1e-12)
    np.testing.assert_allclose(share, np.linalg.eigvalsh(r)[::-1] / 5, atol=1e-12)
    assert (loading.sum(axis=0) >= 0).all()


def test_shares_of_components_are_those_of_numpy_added_up():
    """The first components together explain the sum of the largest eigenvalues, over the number of metrics."""
    r = np.corrcoef(np.random.default_rng(0).random((4, 30)))
    np.testing.assert_allclose(
        agreement.cumulated(r), np.cumsum(np.linalg.eigvalsh(r)[::-1]) / 4
    )
    np.testing.assert_allclose(
        agreement.cumulated(np.stack([r, r]))[1], agreement.cumulated(r)
    )
    assert np.isnan(agreement.cumulated(np.full((2, 2), np.nan))).all()


def test_intervals_of_shares_are_jackknives_of_log_odds():
    """The interval is logit(p) with the jackknife error of the log odds, put back."""
    whole, without = np.array(0.9), np.array([0.88, 0.91, 0.9, 0.905, 0.9])
    odds = scipy.special.logit(without)
    error = np.sqrt(4 / 5 * ((odds - odds.mean()) ** 2).sum())
    expected = scipy.special.expit(
        scipy.special.logit(0.9) + scipy.stats.t.ppf([0.025, 0.975], 4) * error
    )
    np.testing.assert_allclose(agreement.share_interval(whole, [without]), expected)


def test_intervals_over_means_shrink_with_topics():
    """With four times as many topics the interval of tau between two metrics is less than three quarters as wide."""
    rng = np.random.default_rng(0)
    ability = rng.normal(size=(20, 1, 1))
    widths = []
    for topics in (25, 100):
        part = ability + rng.normal(size=(20, topics, 2))
        whole = agreement.over_means([part], "kendall")
        low, high = agreement.interval_over_means([part], "kendall", whole)
        assert low[0, 1] < whole[0, 1] < high[0, 1]
        widths.append((high - low)[0, 1])
    assert widths[1] < 0.75 * widths[0]


def test_an_interval_of_tau_over_few_systems_says_something():
    """Of 5 systems halves often have tau 1, where Fisher's z has no end: intervals are shorter than from -.6 to 1."""
    rng, widths = np.random.default_rng(0), []
    for _ in range(20):
        able = 0.4 * rng.normal(size=(5, 1, 1)) + rng.normal(size=(5, 25, 1))
        part = able + 0.3 * rng.normal(size=(5, 25, 2))
        whole, _ = agreement.over_means([part], "kendall")
        low, high = agreement.interval_over_means([part], "kendall", whole)
        assert (low <= whole)[0, 1]
        assert (whole <= high)[0, 1]
        widths.append((high - low)[0, 1])
    assert 0.5 < np.mean(widths) < 1.6


def test_an_interval_over_means_of_three_topics_is_unknown():
    """With fewer than four topics there is none."""
    part = np.random.default_rng(0).random((5, 3, 2))
    whole = agreement.over_means([part], "kendall")
    ends = agreement.interval_over_means([part], "kendall", whole)
    assert np.isnan(ends).all()


@pytest.mark.parametrize("method", ["pearson", "spearman", "kendall"])
def test_clusters_are_left_out_whole(method):
    """With topics of clusters side by side, the correlation is that of the scores of all other clusters."""
    part, units = made(2, topics=9), np.array([0, 0, 0, 1, 2, 2, 3, 3, 3])
    whole, without = agreement.over_scores([part], method, [units])
    every, _ = agreement.over_scores([part], method)
    np.testing.assert_array_equal(whole, every)
    assert len(without[0]) == 4
    for unit in range(4):
        others, _ = agreement.over_scores([part[:, units != unit]], method)
        np.testing.assert_allclose(without[0][unit], others, atol=1e-12)


def test_pairs_leave_out_clusters_too():
    """Where no score is missing, pairs have the intervals of the whole: those over clusters."""
    part, units = made(3, topics=9), np.array([0, 0, 0, 1, 2, 2, 3, 3, 3])
    whole, without = agreement.over_scores([part], "pearson", [units])
    low, high = agreement.interval(whole, without)
    found = agreement.by_pairs([part], "topic", "pearson", [units], 4)
    np.testing.assert_allclose([found.low, found.high], [low, high], atol=1e-10)
