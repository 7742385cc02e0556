import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irmeta.stats.halves.more import Parts, parts
from irmeta.stats.halves.repeats import spread
from irmeta.stats.halves.teams import means_of

SEEDS = st.integers(0, 2**32 - 1)


def _drawn(rng, clusters=12, size=4, runs=3, systems=10):
    """Runs' scores (run, topic) whose components are 1, .5, .25 and .16, with the clusters of topics."""
    cluster = np.repeat(np.arange(clusters), size)
    topics = len(cluster)
    of = np.repeat(np.arange(systems), runs)
    own = rng.normal(size=(systems, clusters))[:, cluster]
    own = own + np.sqrt(0.5) * rng.normal(size=(systems, topics))
    once = 0.5 * rng.normal(size=(len(of), topics))
    level = 0.4 * rng.normal(size=(len(of), 1))
    return own[of] + once + level, of, cluster


def test_parts_are_those_that_scores_were_drawn_with():
    """On average over draws, clusters have 1 / 12, topics .5 / 48, runs .25 / 144 on a topic and .16 / 3 on all."""
    rng = np.random.default_rng(0)
    found = []
    for _ in range(200):
        scores, of, cluster = _drawn(rng)
        means, runs = means_of(scores, of), np.full(10, 3.0)
        of_runs = spread(scores[..., None], of)
        whole = parts(means, cluster, runs, of_runs)
        # the spread is of topics: what runs do on one is to be had of each of them
        found.append(whole)
    between, within, once, level = np.mean(found, axis=0)
    assert once == pytest.approx(0.25 / 144, rel=0.08)
    assert between == pytest.approx(1 / 12, rel=0.08)
    assert within == pytest.approx(0.5 / 48, rel=0.15)
    assert level == pytest.approx(0.16 / 3, rel=0.08)


def test_what_runs_do_on_one_topic_is_a_part_of_topics():
    """Without clusters the variance over topics is split into topics and what runs do on them."""
    rng = np.random.default_rng(1)
    found = []
    for _ in range(200):
        scores, of, _ = _drawn(rng, clusters=40, size=1)
        found.append(
            parts(
                means_of(scores, of),
                None,
                np.full(10, 3.0),
                spread(scores[..., None], of),
            )
        )
    between, within, once, level = np.mean(found, axis=0)
    assert between == 0
    assert within == pytest.approx(1.5 / 40, rel=0.05)
    assert once == pytest.approx(0.25 / 120, rel=0.05)
    assert level == pytest.approx(0.16 / 3, rel=0.08)


@given(seed=SEEDS)
def test_that_many_more_make_intervals_as_narrow(seed):
    """With what is said to be needed the variance is that of intervals as much narrower."""
    rng = np.random.default_rng(seed)
    own = Parts(*rng.random(4))
    for narrower in (0.1, 0.25):
        for kind in ("topics", "clusters", "runs"):
            times = own.times(kind, narrower)
            assert times > 1
            shrunk = {
                "topics": own._replace(
                    within=own.within / times, once=own.once / times
                ),
                "clusters": Parts(*np.array(own[:3]) / times, own.level),
                "runs": own._replace(once=own.once / times, level=own.level / times),
            }[kind]
            if np.isfinite(times):
                assert sum(shrunk) == pytest.approx(sum(own) * (1 - narrower) ** 2)
            else:
                assert sum(shrunk) >= sum(own) * (1 - narrower) ** 2 - 1e-12


def test_what_nothing_varies_by_cannot_narrow():
    """More runs of systems that answer the same each time bring nothing, however many."""
    assert Parts(0.0, 1.0, 0.0, 0.0).times("runs", 0.1) == np.inf
    assert Parts(0.0, 1.0, 0.0, 0.0).times("topics", 0.5) == pytest.approx(4)
