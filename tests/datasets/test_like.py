"""Simulated scores like real ones: their truth, their spread, their dependence, and ties."""

import numpy as np
import pytest

from irmeta.datasets.like import Margin, like
from irmeta.errors import ScoresError
from irmeta.io.tables.matrices import import_matrix
from irmeta.scores.cube import cube
from irmeta.stats.reliability.expected import spread


def real(systems=12, topics=40, seed=0):
    """Make a cube of a smooth metric and a discrete one, both of systems that depend on the topic."""
    rng = np.random.default_rng(seed)
    hidden = (
        rng.normal(size=(systems, topics))
        + 1.5 * rng.normal(size=topics)
        + np.linspace(-1, 1, systems)[:, None]
    )
    smooth = 1 / (1 + np.exp(-hidden))
    scores = np.stack([smooth, (smooth * 10).round() / 10], axis=-1)
    return cube(
        scores,
        [f"s{i}" for i in range(systems)],
        [str(t) for t in range(topics)],
        ["AP", "P@10"],
    )


def test_true_means_are_those_of_many_topics():
    """The means of 20 000 topics are the world's true means, to sampling error."""
    world = like(real(), np.random.default_rng(0))
    drawn = world.scores(20_000, np.random.default_rng(1))
    np.testing.assert_allclose(drawn.mean(axis=1), world.means, atol=0.01)


def test_true_means_are_near_the_real_ones():
    """Without means of its own a world has those of the real cube."""
    world = like(real(), np.random.default_rng(0))
    np.testing.assert_allclose(world.means, real().values.mean(axis=1), atol=1e-9)


def test_a_discrete_metric_has_only_values_that_occur():
    """Scores of P@10 are tenths; scores of AP are not those of the real cube."""
    drawn = like(real(), np.random.default_rng(0)).scores(200, np.random.default_rng(1))
    np.testing.assert_allclose(
        drawn[..., 1] * 10, (drawn[..., 1] * 10).round(), atol=1e-9
    )
    assert not np.isin(drawn[..., 0], real().values[..., 0]).all()


def test_systems_depend_on_each_other_as_real_ones_do():
    """The spread of paired differences is near the real one, and far below that of independent systems."""
    one = real()
    drawn = like(one, np.random.default_rng(0)).scores(5000, np.random.default_rng(1))
    pairs = np.triu_indices(12, 1)
    ours, theirs = (
        np.median(spread(scores[..., 0])[pairs]) for scores in (drawn, one.values)
    )
    alone = np.sqrt(2) * one.values[..., 0].std(axis=1).mean()
    assert abs(ours / theirs - 1) < 0.1
    assert ours < 0.8 * alone


def test_means_that_are_asked_for_are_the_truth():
    """Margins are tilted until their means are as asked."""
    wanted = np.full((12, 2), 0.4)
    world = like(real(), np.random.default_rng(0)).with_means(wanted)
    np.testing.assert_allclose(world.means, wanted, atol=1e-8)
    np.testing.assert_allclose(
        world.scores(20_000, np.random.default_rng(1)).mean(axis=1), wanted, atol=0.01
    )


def test_a_mean_beyond_the_scores_is_an_error():
    """A mean that no system's scores allow is refused with the range."""
    with pytest.raises(ScoresError, match="choose one between"):
        like(real(), np.random.default_rng(0)).with_means(1.5)


@pytest.mark.parametrize("means", [[0.4, 0.5, 0.6], [[0.4], [0.4, 0.5]]])
def test_means_of_another_shape_are_an_error(means):
    """Means that do not fit the systems and metrics are refused with the shape that does."""
    wanted = (
        r"12 systems and 2 metrics; give one number, or an array of shape \(12, 2\)"
    )
    with pytest.raises(ScoresError, match=wanted):
        like(real(), np.random.default_rng(0)).with_means(means)


def test_tied_systems_have_one_mean():
    """A world tied in 3 groups has 3 true means a metric, and systems that still differ on topics."""
    world = like(real(), np.random.default_rng(0)).tied(3)
    assert [len(np.unique(column)) for column in world.means.T] == [3, 3]
    assert (
        spread(world.scores(50, np.random.default_rng(0))[..., 0])[
            np.triu_indices(12, 1)
        ]
        > 0
    ).all()


def test_more_systems_like_simulated_ones_have_names_of_their_own():
    """A simulated cube may be imitated in turn: further systems are not called as those that it has."""
    rng = np.random.default_rng(0)
    once = like(real(), rng, systems=15).cube(25, rng)
    names = like(once, rng, systems=18).systems
    assert names[12:] == [f"further{number}" for number in range(1, 7)]


@pytest.mark.parametrize("systems", [5, 12, 30])
def test_as_many_systems_as_asked_for(systems):
    """Fewer systems are real ones; further ones have names and dependence of their own."""
    world = like(real(), np.random.default_rng(0), systems=systems)
    drawn = world.cube(25, np.random.default_rng(0))
    assert drawn.shape == (systems, 25, 2)
    assert len(set(drawn.system.values)) == systems
    assert world.truth.topic.values.tolist() == ["all"]
    assert len(np.unique(drawn.values[..., 0], axis=0)) == systems


def test_the_same_seed_draws_the_same_scores():
    """A seed settles the cube."""
    made = [
        like(real(), np.random.default_rng(3), systems=9).scores(
            10, np.random.default_rng(4)
        )
        for _ in range(2)
    ]
    assert np.array_equal(*made)


def test_missing_scores_are_an_error():
    """A cube with holes has no margins."""
    with pytest.raises(ScoresError, match="no missing scores"):
        like(real().where(real().system != "s1"), np.random.default_rng(0))


def test_a_margin_without_tilt_is_its_values():
    """The mean of a discrete margin is that of its values, and its quantiles are values."""
    margin = Margin(np.array([0.0, 0.5, 1.0]), np.array([0.5, 0.25, 0.25]), True)
    assert margin.mean == 0.375
    assert margin.quantiles(np.array([0.1, 0.5, 0.6, 0.9])).tolist() == [
        0.0,
        0.0,
        0.5,
        1.0,
    ]


@pytest.mark.data
def test_worlds_like_trec8_spread_as_trec8_does(data):
    """The median deviation of paired differences is within 10% of the real one for AP, P@10 and RR."""
    files = [
        data / "matrices" / "trec8-adhoc" / f"{name}.csv"
        for name in ("AP", "P@10", "RR")
    ]
    trec8 = import_matrix(files, rows="topics")
    drawn = like(trec8, np.random.default_rng(0)).scores(1000, np.random.default_rng(1))
    pairs = np.triu_indices(129, 1)
    for metric in range(3):
        ours, theirs = (
            np.median(spread(scores[..., metric])[pairs])
            for scores in (drawn, trec8.values)
        )
        assert abs(ours / theirs - 1) < 0.1
