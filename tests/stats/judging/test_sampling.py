"""Estimates from few human and many machine scores: formulas, what they come to without a machine, and coverage."""

from dataclasses import replace

import numpy as np
import pytest
from bench.coverage.estimates import dl2021, real
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import stdtrit

from irmeta.stats.descriptive import bounded_interval, t_interval
from irmeta.stats.judging.planning import (
    Spread,
    best_share,
    draw,
    draw_whole,
    spread,
    topics_for,
    width,
)
from irmeta.stats.judging.sampling import (
    Sample,
    contributions,
    correlation,
    estimate_differences,
    estimate_means,
    slope,
)
from irmeta.stats.rankings.ranksets import rank_sets


def sample(seed: int = 0, n: int = 10, total: int = 40, systems: int = 5) -> Sample:
    """Draw human and machine scores that correlate over topics."""
    rng = np.random.default_rng(seed)
    human = rng.normal(0, 0.2, (systems, total))
    machine = 0.8 * human + rng.normal(0, 0.1, human.shape)
    drawn = np.sort(rng.permutation(total)[:n])
    return Sample(human[:, drawn], machine, drawn, np.ones(n))


def test_without_the_machine_it_is_students_interval() -> None:
    """With lambda 0 the means over new topics, and their intervals, are Student's of the human scores."""
    one = sample()
    found = estimate_means(one, 0.0)
    np.testing.assert_allclose(found.value, one.human.mean(axis=1))
    np.testing.assert_allclose(found.interval(9), t_interval(one.human))


def by_hand(human, seen, machine) -> float:
    """Estimate one system's mean, with its own lambda."""
    lam = np.cov(human, seen)[0, 1] / seen.var(ddof=1)
    return lam * machine.mean() + (human - lam * seen).mean()


def test_the_formula() -> None:
    """Value and variance are those of the formula, written out for one system: each human topic is left out."""
    one = sample(systems=1)
    human, machine = one.human[0], one.machine[0]
    seen = machine[one.drawn]
    lam = np.cov(human, seen)[0, 1] / seen.var(ddof=1)
    found = estimate_means(one)
    assert found.slope == pytest.approx(lam)
    assert found.value[0] == pytest.approx(by_hand(human, seen, machine))
    without = [
        by_hand(np.delete(human, at), np.delete(seen, at), machine) for at in range(10)
    ]
    left_out = (1 - 10 / 40) * 9 / 10 * 10 * np.var(without)
    these = estimate_means(one, new_topics=False)
    assert these.variance[0] == pytest.approx(left_out)
    # S^2 of human scores, and what the machine's scores vary more on all topics than on these
    of_topics = human.var(ddof=1) + lam**2 * (machine.var(ddof=1) - seen.var(ddof=1))
    assert found.variance[0] == pytest.approx(left_out + of_topics / 40)


@pytest.mark.parametrize("way", [estimate_means, estimate_differences])
def test_with_a_known_slope_leaving_out_is_the_usual_variance(way) -> None:
    """Where lambda is given, the variance is (1/n - 1/N) S^2(H - lambda L)."""
    one = sample(systems=2)
    found = way(one, 0.5, new_topics=False)
    rest = one.human - 0.5 * one.machine[:, one.drawn]
    if way is estimate_means:
        wanted = rest.var(axis=1, ddof=1)
        np.testing.assert_allclose(found.variance, (1 / 10 - 1 / 40) * wanted)
    else:
        wanted = (rest[0] - rest[1]).var(ddof=1)
        assert found.variance[0, 1] == pytest.approx((1 / 10 - 1 / 40) * wanted)


def test_an_interval_within_0_and_1_holds_all_means_that_would_not_be_rejected() -> (
    None
):
    """Of scores within 0 and 1 both ends x have (value - x)^2 = t^2 ratio x (1 - x), and lie inside."""
    rng = np.random.default_rng(2)
    machine = rng.beta(0.2, 2, (6, 40))
    drawn = np.sort(rng.permutation(40)[:5])
    one = Sample(machine[:, drawn] ** 1.2, machine, drawn, np.ones(5))
    found = estimate_means(one)
    assert found.spread is not None
    factor = stdtrit(found.spread.freedom, 0.975) ** 2 * found.spread.ratio
    for end in found.interval(4):
        np.testing.assert_allclose(
            (found.value - end) ** 2, factor * end * (1 - end), atol=1e-12
        )
        assert ((end > 0) & (end < 1)).all()


def test_of_all_topics_by_people_it_is_the_interval_of_describe() -> None:
    """Where people judged all topics, systems share their variances, by lambda 0, as they do in `describe`."""
    human = np.random.default_rng(4).beta(0.2, 2, (6, 8))
    one = Sample(human, human, np.arange(8), np.ones(8))
    found = estimate_means(one, 0.0).interval(7)
    np.testing.assert_allclose(found, bounded_interval(human))


def test_a_system_alone_has_its_own_variance() -> None:
    """Of one system within 0 and 1 the ratio is its variance by m (1 - m), with a degree less than human topics."""
    machine = np.random.default_rng(5).random((1, 30))
    one = Sample(machine[:, :6] ** 2, machine, np.arange(6), np.ones(6))
    found = estimate_means(one)
    mean = max(found.value[0], one.human.mean(), key=lambda m: m * (1 - m))
    assert found.spread is not None
    assert found.spread.ratio[0] == pytest.approx(
        found.variance[0] / (mean * (1 - mean))
    )
    assert found.spread.freedom == 5


def test_systems_share_what_few_topics_leave_open() -> None:
    """Of equal systems with skewed scores, which few topics show unevenly, intervals rest on all: more degrees."""
    machine = np.random.default_rng(6).beta(0.1, 2, (12, 40))
    one = Sample(machine[:, :5] ** 1.2, machine, np.arange(5), np.ones(5))
    spread = estimate_means(one).spread
    alone = [
        estimate_means(Sample(h[None], m[None], one.drawn, one.weight), slope(one))
        for h, m in zip(one.human, one.machine, strict=True)
    ]
    assert spread is not None
    assert spread.freedom > 4
    own = np.array([each.spread.ratio[0] for each in alone])
    assert spread.ratio.std() < 0.8 * own.std()


def test_systems_that_score_0_everywhere_have_an_interval() -> None:
    """Where all human scores of a system are 0 the mean may be higher, at most as of scores of 0 and 1."""
    machine = np.random.default_rng(3).random((2, 20)) * [[0.0], [1.0]]
    drawn = np.arange(5)
    one = Sample(machine[:, drawn], machine, drawn, np.ones(5))
    low, high = estimate_means(one).interval(4)
    k = 2.7764451052**2 / 4
    assert low[0] == 0
    assert high[0] == pytest.approx(k / (1 + k))
    assert 0 < low[1] < high[1] < 1


def test_a_perfect_machine_leaves_no_doubt_about_these_topics() -> None:
    """Where the machine scores as people do, the mean over these topics is that of the machine, without error."""
    one = sample()
    exact = Sample(one.machine[:, one.drawn], one.machine, one.drawn, one.weight)
    found = estimate_means(exact, new_topics=False)
    np.testing.assert_allclose(found.value, one.machine.mean(axis=1))
    np.testing.assert_allclose(found.variance, 0, atol=1e-20)


def test_a_machine_that_says_nothing_is_not_used() -> None:
    """Machine scores that do not vary have lambda 0 and rho 0."""
    one = sample()
    flat = Sample(one.human, np.full_like(one.machine, 0.3), one.drawn, one.weight)
    assert slope(flat) == correlation(flat) == 0


def test_differences_are_those_of_means_of_differences() -> None:
    """The difference of two systems has the estimate, and the variance, of the mean of their scores' difference."""
    one = sample(systems=2)
    pair = Sample(
        one.human[:1] - one.human[1:],
        one.machine[:1] - one.machine[1:],
        one.drawn,
        one.weight,
    )
    wanted = estimate_means(pair)
    found = estimate_differences(one)
    assert found.value[0, 1] == pytest.approx(wanted.value[0])
    assert found.variance[0, 1] == pytest.approx(wanted.variance[0])


def test_a_difference_that_never_changes_has_no_variance_whatever_topics_weigh() -> (
    None
):
    """Where people give one system .3 more on every topic, and the machine too, unequal weights bring no variance."""
    one = sample(systems=2)
    human = np.stack([one.human[0], one.human[0] + 0.3])
    machine = np.stack([one.machine[0], one.machine[0] + 0.3])
    weight = np.linspace(0.2, 1.8, 10)
    found = estimate_differences(Sample(human, machine, one.drawn, weight))
    np.testing.assert_allclose(found.value[1, 0], 0.3)
    np.testing.assert_allclose(found.variance, 0, atol=1e-15)


def test_unequal_probabilities_are_made_good() -> None:
    """Averaged over many samples of unequal probabilities the estimate is the mean over all topics."""
    rng = np.random.default_rng(1)
    # the harder topics are drawn more often
    human = rng.normal(0, 0.2, (3, 30)) + np.linspace(0, 1, 30)
    machine = human + rng.normal(0, 0.3, human.shape)
    chance = np.linspace(0.1, 0.5, 30)
    found = []
    for _ in range(4000):
        # one topic of each two neighbours, and never both
        pairs = np.arange(30).reshape(15, 2)
        first = chance[pairs[:, 0]] / chance[pairs].sum(axis=1)
        drawn = np.where(rng.random(15) < first, pairs[:, 0], pairs[:, 1])
        probability = np.where(drawn == pairs[:, 0], first, 1 - first)
        one = Sample(human[:, drawn], machine, drawn, 15 / (30 * probability))
        found.append(estimate_means(one, 0.7).value)
    np.testing.assert_allclose(np.mean(found, axis=0), human.mean(axis=1), atol=0.01)


@given(st.integers(1, 12), st.integers(12, 40), st.integers(1, 4), st.integers(0, 99))
def test_topics_are_drawn_with_the_probabilities_given(
    size: int, total: int, groups: int, seed: int
) -> None:
    """Topics are distinct, in order and as many as wanted, and their inverse probabilities sum to N where all count."""
    level = np.random.default_rng(seed).random(total)
    drawn, chance = draw(
        size, total, level if groups > 1 else None, groups, np.random.default_rng(seed)
    )
    assert drawn.size == size
    assert (np.diff(drawn) > 0).all()
    if size >= 2 * groups:
        assert (1 / chance).sum() == pytest.approx(total)


def test_every_topic_is_drawn_as_often_as_it_says() -> None:
    """Over many samples each topic is drawn about as often as its probability says."""
    level = np.arange(20.0)
    count, chance = np.zeros(20), np.full(20, np.nan)
    for seed in range(2000):
        drawn, said = draw(6, 20, level, 3, np.random.default_rng(seed))
        count[drawn] += 1
        chance[drawn] = said
    np.testing.assert_allclose(count / 2000, chance, atol=0.04)
    assert chance.max() > chance.min()


def test_the_cheapest_share() -> None:
    """At the cheapest share no other has a lower cost for the same variance."""
    rho, human, machine = 0.7, 20.0, 0.5
    share = best_share(rho, human, machine)

    def cost(share: float) -> float:
        # topics n for a variance of 1: (1 - rho^2) / n + rho^2 share / n
        n = (1 - rho**2) + rho**2 * share
        return n * human + n / share * machine

    assert cost(share) < min(cost(share * 0.8), cost(share * 1.25))
    assert best_share(0.1, 1, 1) == best_share(0, 20, 0.1) == 1


def test_topics_for_a_width() -> None:
    """So many topics give intervals as narrow as wanted, and one fewer does not; some widths no number gives."""
    of = Spread(np.full(3, 0.04), 0.36)
    n = topics_for(of, 0.15, None, 200)
    assert n is not None
    assert width(of, n, 200) <= 0.15 < width(of, n - 1, 200)
    assert topics_for(Spread(np.full(3, 1e9)), 0.001, 1.0, 10) is None


def test_a_spread_has_the_errors_of_now() -> None:
    """With the topics of now errors are those of now; with all topics those of people alone."""
    variance, now = np.array([0.04, 0.04, 0.0]), np.array([0.002, 0.0001, 0.0])
    of = spread(variance, now, 10, 100, 0.5)
    assert of.error(10, 100) ** 2 == pytest.approx(now)
    assert of.error(100, 100) ** 2 == pytest.approx([0.0004, 0.0001, 0])
    assert (np.diff([of.error(n, 100) for n in (5, 10, 50)], axis=0) <= 1e-12).all()


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.parametrize("way", [estimate_means, estimate_differences])
def test_coverage_on_real_topics(data, way) -> None:
    """Of 300 draws of 10 of 53 topics 92% to 97% of intervals hold; a good judge narrows them by a fifth or more."""
    rng = np.random.default_rng(0)
    widths = {}
    for name, human, machine in dl2021(data):
        drawn = [real(way, 10, human, machine, rng) for _ in range(300)]
        kept, widths[name] = (
            np.mean([one[figure] for one in drawn]) for figure in ("kept", "width")
        )
        assert 0.92 <= kept <= 0.97
    assert widths["umbrela-gpt-4o"] < 0.8
    assert widths["umbrela-llama3.2-pass2"] > 0.85


def in_clusters(whole: bool, seed: int = 0, systems: int = 3) -> Sample:
    """Draw scores of 8 clusters of 5 topics, alike within a cluster; people judge 4 clusters, or 6 topics anywhere."""
    rng = np.random.default_rng(seed)
    cluster = np.arange(8).repeat(5)
    human = rng.normal(size=(systems, 8))[:, cluster] + rng.normal(size=(systems, 40))
    machine = 0.8 * human + 0.5 * rng.normal(size=human.shape)
    drawn = np.arange(20) if whole else np.sort(rng.permutation(40)[:6])
    return Sample(human[:, drawn], machine, drawn, np.ones(len(drawn)), cluster=cluster)


def test_without_the_machine_clusters_are_what_varies() -> None:
    """With lambda 0 and whole clusters of one size, intervals are Student's of the clusters' means."""
    one = in_clusters(whole=True)
    found = estimate_means(one, 0.0)
    means = one.human.reshape(3, 4, 5).mean(axis=2)
    assert one.freedom(new_topics=True) == 3
    np.testing.assert_allclose(found.interval(3), t_interval(means))


def test_each_cluster_is_left_out_with_the_scores_of_people_and_machine() -> None:
    """The variance is the jackknife's over clusters that people judged and over others, written out for one system."""
    one = in_clusters(whole=False, systems=1)
    human, machine, of = one.human[0], one.machine[0], one.cluster
    seen = np.isin(np.arange(8), of[one.drawn])
    assert 1 < (~seen).sum() < 8
    without = []
    for left in range(8):
        kept, every = of[one.drawn] != left, of != left
        judged = machine[one.drawn][kept]
        without.append(by_hand(human[kept], judged, machine[every]))
    parts = np.array(without)[seen], np.array(without)[~seen]
    expected = sum((len(part) - 1) * part.var() for part in parts)
    assert estimate_means(one).variance[0] == pytest.approx(expected)


def test_of_whole_clusters_these_are_the_more_the_surer() -> None:
    """The variance over clusters counts by the share of the clusters that people did not judge."""
    one = in_clusters(whole=True, systems=1)
    human, machine, of = one.human[0], one.machine[0], one.cluster[one.drawn]
    without = [
        by_hand(human[of != left], machine[one.drawn][of != left], machine)
        for left in range(4)
    ]
    found = estimate_means(one, new_topics=False).variance[0]
    assert found == pytest.approx((1 - 4 / 8) * 3 * np.var(without))


def test_topics_drawn_one_by_one_are_independent_for_a_mean_over_these() -> None:
    """Where any topic may be drawn, clusters change nothing in a mean over these topics, to the last bit."""
    one = in_clusters(whole=False)
    plain = replace(one, cluster=None)
    for way in (estimate_means, estimate_differences):
        both = (way(each, new_topics=False) for each in (one, plain))
        np.testing.assert_array_equal(*(found.variance for found in both))
    assert one.freedom(new_topics=False) == plain.freedom(new_topics=False) == 5


def test_a_difference_is_that_of_two_means() -> None:
    """Over clusters, too: with one lambda the variance of a difference is that of the estimate of differences."""
    one = in_clusters(whole=False, systems=2)
    apart = Sample(
        one.human[:1] - one.human[1:],
        one.machine[:1] - one.machine[1:],
        one.drawn,
        one.weight,
        cluster=one.cluster,
    )
    found = estimate_differences(one, 0.7)
    expected = estimate_means(apart, 0.7)
    assert found.value[0, 1] == pytest.approx(expected.value[0])
    assert found.variance[0, 1] == pytest.approx(expected.variance[0])


@pytest.mark.parametrize("n", [4, 12, 30])
def test_contributions_have_the_intervals_of_the_estimate(n) -> None:
    """Student's 95% interval of the mean contribution is the estimate's own, before it is kept within 0 and 1."""
    given = sample(n=n, total=40)
    added = contributions(given)
    means = estimate_means(given)
    assert added.mean(axis=1) == pytest.approx(means.value)
    half = stdtrit(n - 1, 0.975) * np.sqrt(means.variance)
    low, high = t_interval(added)
    assert low == pytest.approx(means.value - half)
    assert high == pytest.approx(means.value + half)


def test_contributions_differ_as_estimates_do() -> None:
    """The variances of differences of mean contributions are those of the estimate on average, and none is far off."""
    ratios = []
    for seed in range(10):
        given = sample(seed, n=15, total=60)
        added = contributions(given)
        ours = np.array([[(a - b).var(ddof=1) for b in added] for a in added]) / 15
        above = np.triu_indices(len(added), 1)
        theirs = estimate_differences(given).variance[above]
        ratios += (ours[above][theirs > 0] / theirs[theirs > 0]).tolist()
    assert np.mean(ratios) == pytest.approx(1, abs=0.05)
    assert 0.6 < min(ratios) < max(ratios) < 2


def test_contributions_beside_a_machine_that_says_nothing_are_the_human_scores() -> (
    None
):
    """Where the machine gives all topics one score, the values are people's scores, so tests are as free as on them."""
    given = sample(3, n=11, total=53)
    silent = replace(given, machine=np.full_like(given.machine, 0.5))
    assert contributions(silent) == pytest.approx(silent.human)


def test_rank_sets_of_contributions_claim_nothing_of_equal_systems() -> None:
    """Where all of 30 systems are equal, rank sets by 11 human topics of 53 rarely claim a difference: .05 is promised.

    The machine is a bad one, so that nearly all that is known comes from the 11.
    """
    rng = np.random.default_rng(11)
    claims = 0
    for _ in range(200):
        level = rng.beta(1, 2, 53)
        human = rng.beta(8 * level + 0.2, 8 * (1 - level) + 0.2, (30, 53))
        machine = np.clip(human + rng.normal(0.1, 0.6, human.shape), 0, 1)
        drawn = np.sort(rng.choice(53, 11, replace=False))
        given = Sample(human[:, drawn], machine, drawn, np.ones(11))
        claims += bool(rank_sets(contributions(given).T, rng).better.any())
    assert claims <= 14


def test_clusters_are_drawn_whole_and_each_as_likely_as_said() -> None:
    """Of each drawn cluster there are all topics, and every cluster comes as often as its probability says."""
    cluster = np.repeat(np.arange(6), [1, 4, 2, 7, 1, 5])
    rng = np.random.default_rng(0)
    often = np.zeros(6)
    for _ in range(600):
        drawn, chance = draw_whole(10, cluster, None, 1, rng)
        seen = np.unique(cluster[drawn])
        assert drawn.tolist() == np.flatnonzero(np.isin(cluster, seen)).tolist()
        assert chance.tolist() == [0.5] * len(drawn)
        often[seen] += 1
    assert often / 600 == pytest.approx(np.full(6, 0.5), abs=0.08)


def test_strata_of_clusters_go_by_their_means() -> None:
    """From two groups of clusters, easy and hard by the mean of their topics, one cluster each is drawn."""
    cluster = np.repeat(np.arange(4), [1, 3, 2, 2])
    level = np.array([0.9, 0.1, 0.1, 0.2, 0.8, 0.9, 0.0, 0.4])
    for seed in range(10):
        drawn, chance = draw_whole(4, cluster, level, 2, np.random.default_rng(seed))
        seen = set(cluster[drawn].tolist())
        assert len(seen & {1, 3}) == len(seen & {0, 2}) == 1
        assert chance.tolist() == [0.5] * len(drawn)


@given(st.integers(2, 20), st.integers(0, 5))
def test_topics_by_themselves_are_drawn_as_ever(size: int, seed: int) -> None:
    """Where each topic is its own cluster, the same topics are drawn with the same probabilities."""
    level = np.random.default_rng(1).random(20)
    groups = min(size, 3)
    one = draw(size, 20, level, groups, np.random.default_rng(seed))
    other = draw_whole(size, np.arange(20), level, groups, np.random.default_rng(seed))
    assert [part.tolist() for part in one] == [part.tolist() for part in other]


def test_systems_alike_on_all_human_topics_may_differ_on_others() -> None:
    """Two systems that score alike on all 10 human topics differ on 25.9% of topics at most, by 1 at most."""
    human = np.tile(np.arange(10) % 2, (2, 1)).astype(float)
    machine = np.random.default_rng(0).integers(0, 2, (2, 40)).astype(float)
    one = Sample(human, machine, np.arange(10), np.ones(10))
    least = 1 - 0.05 ** (1 / 10)
    for new_topics, share in ((True, 1.0), (False, 0.75)):
        found = estimate_differences(one, 0.0, new_topics=new_topics)
        low, high = found.interval(9)
        assert high[0, 1] == pytest.approx(least * share)
        assert low[0, 1] == pytest.approx(-least * share)
    beyond = Sample(3 * human, machine, np.arange(10), np.ones(10))
    low, high = estimate_differences(beyond, 0.0).interval(9)
    assert low[0, 1] == high[0, 1] == 0
