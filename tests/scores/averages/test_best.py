"""The best of many: by hand, beside Student's interval, and in worlds where all runs are equal."""

import numpy as np
import pytest
import scipy.stats

from irmeta.errors import ScoresError
from irmeta.scores.averages.best import best_of
from irmeta.scores.cube import cube
from irmeta.scores.groups.clusters import with_clusters
from irmeta.stats.descriptive import t_interval
from irmeta.stats.rankings.best import best

TOPICS = [str(topic) for topic in range(12)]


def some(systems: int = 6):
    values = np.random.default_rng(3).beta(2, 3, size=(systems, 12, 2))
    names = [f"{'ab'[at % 2]}_{at}" for at in range(systems)]
    return cube(values, names, TOPICS, ["AP", "P@10"])


def test_one_run_is_its_own_best() -> None:
    """A team with one run has Student's interval, and reaches what chance does."""
    scores = some(1)
    found = best_of(scores).sel(team="all")
    for metric in ("AP", "P@10"):
        one, own = found.sel(metric=metric), scores.sel(metric=metric).values[0]
        low, high = t_interval(own)
        assert float(one["mean"]) == float(one["chance"])
        assert float(one["mean"]) == pytest.approx(own.mean())
        assert float(one["high"]) == pytest.approx(high)
        assert float(one["low"]) <= low + 1e-12
        assert float(one["low"]) == pytest.approx(low, abs=0.01)


def test_equal_runs_with_independent_noise() -> None:
    """The best of 8 runs reaches what order statistics of the normal say, 1.42 standard errors, on many topics."""
    noise = np.random.default_rng(5).normal(0.4, 0.1, size=(8, 400))
    noise += 0.4 - noise.mean(axis=1, keepdims=True)
    found = best(noise)
    error = noise.std(axis=1, ddof=1).mean() / 20
    expected = scipy.stats.norm.expect(lambda z: 8 * z * scipy.stats.norm.cdf(z) ** 7)
    assert found.chance == pytest.approx(0.4 + expected * error, abs=0.06 * error)
    assert expected == pytest.approx(1.4236, abs=1e-3)


def test_runs_that_err_together_are_one() -> None:
    """Copies of a run have no best: chance reaches what they have, and the interval is that of one."""
    one = np.random.default_rng(6).beta(2, 3, size=(1, 30))
    found = best(np.repeat(one, 5, axis=0))
    assert found.chance == found.chance_high == pytest.approx(found.mean)
    assert found[4:] == pytest.approx(best(one)[4:])


def test_teams_and_clusters() -> None:
    """Each team has its own count and best; clusters of topics are what is independent."""
    scores = some()
    found = best_of(scores, teams="stem")
    assert found["runs"].to_series().to_dict() == {"a": 3, "b": 3}
    for team in "ab":
        own = scores.sel(
            system=[f"{team}_{at}" for at in range(6) if at % 2 == "ab".index(team)]
        )
        means = own.mean("topic").sel(metric="AP")
        line = found.sel(team=team, metric="AP")
        assert str(line["best"].item()) == str(
            means.system.values[means.values.argmax()]
        )
        assert float(line["mean"]) == pytest.approx(float(means.max()))
    clusters = {name: str(int(name) // 3) for name in TOPICS}
    wide = best_of(with_clusters(scores, clusters), teams="stem")
    assert (wide["low"] >= 0).all()
    assert not np.allclose(wide["low"], found["low"])


def test_holes_and_single_topics() -> None:
    """A team that misses a score has no figures, and one topic is an error."""
    scores = some()
    scores[0, 3, 0] = np.nan
    found = best_of(scores, teams="stem")
    assert np.isnan(found["mean"].sel(team="a", metric="AP"))
    assert found["best"].sel(team="a", metric="AP").item() == ""
    assert not np.isnan(found["mean"].sel(team="b")).any()
    with pytest.raises(ScoresError, match="at least 2 topics"):
        best_of(some()[:, :1])


def held(runs: int, worlds: int) -> tuple[float, float, float]:
    """Return how often the interval holds, the plain one holds, and the best is above chance, where all are equal."""
    rng = np.random.default_rng(11)
    outcomes = []
    for _ in range(worlds):
        shared, own = rng.normal(size=(1, 40)), rng.normal(size=(runs, 40))
        scores = 0.4 + 0.2 * (0.7 * shared + 0.7 * own)
        found = best(scores)
        plain = 2.0227 * scores[found.place].std(ddof=1) / np.sqrt(40)
        outcomes.append(
            (
                found.low <= 0.4 <= found.high,
                abs(found.mean - 0.4) <= plain,
                found.mean > found.chance_high,
            )
        )
    one, two, three = np.mean(outcomes, axis=0)
    return float(one), float(two), float(three)


def test_the_interval_holds_where_the_plain_one_does_not() -> None:
    """Of the best of 20 equal runs: 95% less three standard errors, or more; above chance in 5%, or as many more."""
    worlds = 100
    interval, plain, above = held(20, worlds)
    error = 3 * np.sqrt(0.05 * 0.95 / worlds)
    assert interval >= 0.95 - error
    assert plain < 0.95 - error
    assert above <= 0.05 + error


@pytest.mark.slow
def test_the_interval_holds_in_many_worlds() -> None:
    """The same in 1 000 worlds, with 3 and with 20 runs."""
    error = 3 * np.sqrt(0.05 * 0.95 / 1000)
    for runs in (3, 20):
        interval, _, above = held(runs, 1000)
        assert interval >= 0.95 - error
        assert abs(above - 0.05) <= error
