"""Split halves against a loop over scipy, and the sampling variance against leaving out by hand."""

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from irmeta.parallel import streams
from irmeta.stats import arrays
from irmeta.stats.arrays import settled
from irmeta.stats.halves import halving
from irmeta.stats.halves import jackknife as sampling
from irmeta.stats.rankings.rank import tau_b


def made(seed, systems=12, topics=9, metrics=3):
    """Scores of which the last metric has few values, so that systems tie."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(systems, 1, 1)) + rng.normal(
        size=(systems, topics, metrics)
    )
    scores[..., -1] = np.round(np.clip(scores[..., -1], -1, 1) * 2) / 2
    return scores


def draw(topics, sizes, partitions, seed=0):
    """Draw what `split_half` draws in its first block."""
    ((rng, count),) = streams(np.random.default_rng(seed), partitions, partitions)
    return halving.halves(halving.shuffles(topics, count, rng), sizes)


def split_half(scores, sizes, partitions, seed=0, **options):
    (found,) = halving.split_half(
        scores, [sizes], partitions, np.random.default_rng(seed), **options
    )
    return found


@given(st.integers(2, 20), st.data())
def test_halves_are_disjoint_and_sized(topics, data):
    """Drawn sets are disjoint and of the sizes asked for."""
    first = data.draw(st.integers(1, topics - 1))
    second = data.draw(st.integers(1, topics - first))
    drawn = draw(topics, (first, second), 50)
    assert not drawn.all(axis=1).any()
    assert (drawn.sum(axis=2) == (first, second)).all()


def test_topics_are_drawn_evenly():
    """Over many partitions each topic is in each set as often as its size says."""
    share = draw(8, (3, 2), 20000).mean(axis=0)
    np.testing.assert_allclose(share, [[3 / 8] * 8, [2 / 8] * 8], atol=0.02)


def test_sizes_are_nested():
    """The same orders give sets that grow with their size."""
    orders = halving.shuffles(10, 30, np.random.default_rng(0))
    small, large = halving.halves(orders, (2, 2)), halving.halves(orders, (5, 5))
    assert (large | ~small).all()


@pytest.mark.parametrize("ties", ["a", "b"])
def test_split_half_is_the_loop_over_scipy(ties):
    """Phi and its error are the mean and standard error of tau between halves, both ways round of each partition."""
    scores, drawn = made(0), draw(9, (4, 5), 20)
    found = split_half(scores, (4, 5), 20, ties=ties)
    taus = np.zeros((20, 3, 3))
    for at, (one, two) in enumerate(drawn):
        means = [settled(scores[:, half].mean(axis=1)) for half in (one, two)]
        for i, j in np.ndindex(3, 3):
            tau = scipy.stats.kendalltau(
                means[0][:, i], means[1][:, j], variant="b"
            ).statistic
            taus[at, i, j] = (
                tau if ties == "b" else _tau_a(means[0][:, i], means[1][:, j])
            )
    both = (taus + taus.transpose(0, 2, 1)) / 2
    np.testing.assert_allclose(found.phi, both.mean(axis=0), atol=1e-12)
    np.testing.assert_allclose(
        found.se, both.std(axis=0, ddof=1) / np.sqrt(20), atol=1e-9
    )
    own = np.diagonal(both, axis1=1, axis2=2)[:, None, :]
    np.testing.assert_allclose(found.difference, (both - own).mean(axis=0), atol=1e-12)
    np.testing.assert_allclose(
        found.difference_se, (both - own).std(axis=0, ddof=1) / np.sqrt(20), atol=1e-9
    )
    lead = both.mean(axis=2)[:, :, None] - both.mean(axis=2)[:, None, :]
    np.testing.assert_allclose(found.lead, lead.mean(axis=0), atol=1e-12)
    np.testing.assert_allclose(
        found.lead_se, lead.std(axis=0, ddof=1) / np.sqrt(20), atol=1e-9
    )


def test_blocks_add_up():
    """Several sizes, over more partitions than a block holds, have the mean and error of all of them."""
    scores = made(0)
    found = halving.split_half(scores, [(4, 5), (2, 2)], 600, np.random.default_rng(1))
    blocks = list(streams(np.random.default_rng(1), 600, halving._block(12)))
    assert len(blocks) > 1
    orders = np.concatenate([halving.shuffles(9, count, rng) for rng, count in blocks])
    for sizes, one in zip(((4, 5), (2, 2)), found, strict=True):
        means = halving.half_means(
            scores.transpose(1, 2, 0), halving.halves(orders, sizes)
        )
        phi = halving.both_ways(halving.half_tau(means[:, 0], means[:, 1], "b"))
        difference = phi - np.einsum("pbb->pb", phi)[:, None]
        for figure, error, parts in (
            (one.phi, one.se, phi),
            (one.difference, one.difference_se, difference),
        ):
            np.testing.assert_allclose(figure, parts.mean(axis=0), atol=1e-12)
            np.testing.assert_allclose(
                error, parts.std(axis=0, ddof=1) / np.sqrt(600), atol=1e-9
            )


def _tau_a(x, y):
    pairs = [(i, j) for i in range(len(x)) for j in range(i)]
    return np.mean([np.sign(x[i] - x[j]) * np.sign(y[i] - y[j]) for i, j in pairs])


@settings(max_examples=20)
@given(st.integers(0, 1000))
def test_phi_is_symmetric_and_bounded(seed):
    """phi(A, B) is phi(B, A) and no larger than 1, and the advantage of a metric over itself is 0."""
    found = split_half(made(seed), (4, 5), 30, seed)
    np.testing.assert_allclose(found.phi, found.phi.T, atol=1e-12)
    assert (np.abs(found.phi) <= 1 + 1e-12).all()
    assert (np.diagonal(found.difference) == 0).all()


def test_systems_best_on_one_half():
    """With `best` only the systems best on one half are ranked, each half in turn."""
    scores, drawn = made(1), draw(9, (4, 5), 10)
    found = split_half(scores, (4, 5), 10, best=(6, scores[..., 0]))
    taus = []
    for sets in drawn:
        means = [settled(scores[:, half].mean(axis=1)) for half in sets]
        for picking in means:
            kept = np.argsort(-picking[:, 0], kind="stable")[:6]
            tau = tau_b(means[0][kept].T, means[1][kept].T)
            taus.append((tau + tau.T) / 2)
    np.testing.assert_allclose(found.phi, np.mean(taus, axis=0), atol=1e-12)


def test_halves_that_tie_all_count_nothing():
    """A half in which a metric ties all systems has tau 0, and is counted."""
    scores = made(2, topics=4)
    scores[:, :3, 1] = 0.5
    found = split_half(scores, (2, 2), 40)
    assert found.undefined.tolist() == [0, 40, 0]
    assert found.phi[1, 1] == 0


@pytest.mark.parametrize("ties", ["a", "b"])
def test_variance_is_leaving_out_by_hand(ties):
    """The variance is S + T - C, each summed from figures with a system, a topic or one score left out, by team."""
    scores, drawn = made(3, systems=7, topics=6, metrics=2), draw(6, (3, 3), 8)

    def gains(scores, drawn, halves=None):
        parts = []
        for at, sets in enumerate(drawn):
            means = (
                [settled(scores[:, half].mean(axis=1)) for half in sets]
                if halves is None
                else halves[at]
            )
            tau = halving.half_tau(means[0].T, means[1].T, ties)
            phi = (tau + tau.T) / 2
            parts.append(phi - np.diag(phi))
        return np.array(parts)

    def summed(moves):
        mean, noise = moves.mean(axis=1), moves.var(axis=1, ddof=1) / moves.shape[1]
        return (mean**2 - noise).sum(axis=0)

    now = gains(scores, drawn)
    by_system = np.array(
        [gains(np.delete(scores, at, axis=0), drawn) - now for at in range(7)]
    )
    by_topic = np.array(
        [
            gains(np.delete(scores, at, axis=1), np.delete(drawn, at, axis=2)) - now
            for at in range(6)
        ]
    )
    by_score = []
    for system, topic in np.ndindex(7, 6):
        halves = []
        for sets in drawn:
            means = []
            for half in sets:
                mean = settled(scores[:, half].mean(axis=1))
                if half[topic]:
                    mean[system] = settled(
                        scores[system, half & (np.arange(6) != topic)].mean(axis=0)
                    )
                means.append(mean)
            halves.append(means)
        by_score.append(gains(scores, drawn, halves) - now)

    def leads(gains):
        mean = gains.mean(axis=-1)
        return mean[..., :, None] - mean[..., None, :]

    for ours, by_hand in zip(
        sampling._item_moves(scores, drawn, ties, np.arange(7)),
        (by_system, by_topic),
        strict=True,
    ):
        np.testing.assert_allclose(
            ours[:2], [summed(by_hand), summed(leads(by_hand))], atol=1e-12
        )
    found = sampling.variances(scores, drawn, ties=ties)
    for figure, of in (("advantage", np.asarray), ("lead", leads)):
        at_random = summed(of(by_topic)) - summed(of(np.array(by_score)))
        expected = summed(of(by_system)) + np.maximum(at_random, 0)
        np.testing.assert_allclose(getattr(found, figure), expected, atol=1e-12)


def test_without_all_but_one_system_there_is_no_ranking():
    """A team that leaves fewer than two systems leaves tau 0, not an error or NaN."""
    scores, drawn = made(0, systems=5), draw(9, (4, 5), 10)
    team = np.array([0, 0, 0, 0, 1])
    by_system, _ = sampling._item_moves(scores, drawn, "b", team)
    assert np.isfinite(by_system).all()


def test_variance_from_some_systems(monkeypatch):
    """With many systems the noise of single scores is estimated from some; the answer stays near that of all."""
    scores, drawn = made(4, systems=60, topics=12), draw(12, (6, 6), 40)
    whole = sampling.variances(scores, drawn).advantage
    monkeypatch.setattr(sampling, "SAMPLE", 30)
    some = sampling.variances(scores, drawn).advantage
    off = ~np.eye(3, dtype=bool)
    np.testing.assert_allclose(np.sqrt(some[off]), np.sqrt(whole[off]), rtol=0.25)


@pytest.mark.slow
def test_interval_covers_what_it_claims_with_teams():
    """With 10 teams of 4 near-clones, intervals over teams hold in 89% to 99% of samples, over systems in fewer."""
    count, size, topics, samples = 10, 4, 30, 120
    team = np.repeat(np.arange(count), size)
    gains, errors = [], {"teams": [], "systems": []}
    for sample in range(samples):
        rng = np.random.default_rng(sample)
        shared = [
            0.4 * rng.normal(size=(count, 1, 1)),
            0.8 * rng.normal(size=(count, 1, 2)),
        ]
        scores = sum(
            np.repeat(part, size, axis=0) for part in shared
        ) + 1.2 * rng.normal(size=(40, topics, 1))
        scores = scores + rng.normal(size=(40, topics, 2)) * [1.0, 2.0]
        sizes = (topics // 2, topics // 2)
        (found,) = halving.split_half(scores, [sizes], 200, rng)
        drawn = halving.halves(halving.shuffles(topics, 40, rng), sizes)
        gains.append(found.difference)
        for name, of in (("teams", team), ("systems", None)):
            variance = sampling.variances(scores, drawn, team=of).advantage
            errors[name].append(np.sqrt(variance + found.difference_se**2))
    truth = np.mean(gains, axis=0)
    covered = {}
    for name, freedom in (("teams", count - 1), ("systems", topics - 1)):
        width = scipy.stats.t.ppf(0.975, freedom) * np.array(errors[name])
        covered[name] = (np.abs(gains - truth) <= width).mean(axis=0)
    for predictor, target in ((0, 1), (1, 0)):
        assert 0.89 <= covered["teams"][predictor, target] <= 0.99
        assert (
            covered["systems"][predictor, target] < covered["teams"][predictor, target]
        )


@pytest.mark.skipif(arrays.core is None, reason="the core is not compiled")
@pytest.mark.parametrize("ties", ["a", "b"])
@pytest.mark.parametrize(
    ("systems", "topics", "metrics"), [(2, 4, 1), (12, 9, 3), (70, 5, 17)]
)
def test_single_scores_by_the_core_are_those_by_products(
    monkeypatch, ties, systems, topics, metrics
):
    """The compiled core and NumPy give the same noise of single scores, to the last bit, with ties and with teams."""
    scores = made(5, systems, topics, metrics)
    drawn = draw(topics, (topics // 2, topics - topics // 2), 30)
    team = np.arange(systems) // 2
    by_core = sampling._score_moves(scores, drawn, ties, team)
    monkeypatch.setattr(arrays, "core", None)
    by_products = sampling._score_moves(scores, drawn, ties, team)
    np.testing.assert_array_equal(by_core, by_products)
    assert systems == 2 or by_core.any()
