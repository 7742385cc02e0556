"""Studies that draw at random, or leave out, give the same to the last bit whoever computes them."""

import os
import tracemalloc

import numpy as np
import pytest
import xarray as xr
from tests.studies.conftest import bare

from irmeta.parallel import watched_by, working_on
from irmeta.scores.cube import cube
from irmeta.stats.tests import compared, resampling, stepdown
from irmeta.studies.agreement.correlation.study import correlate
from irmeta.studies.agreement.predictivity.study import predictivity
from irmeta.studies.choice.ranking.study import rank
from irmeta.studies.differences.significance.study import significance
from irmeta.studies.standardizing.comparison.study import compare

METRICS = ["AP", "P@10", "RR", "nDCG@20"]


def scores(name="made", seed=0, systems=30, topics=16):
    """Scores of which P@10 ties systems, held metric by metric, so that no metric's scores lie side by side."""
    rng = np.random.default_rng(seed)
    made = rng.beta(1, 2, size=(topics, len(METRICS), systems)).transpose(2, 0, 1)
    made += np.linspace(0, 1, systems)[:, None, None]
    made[..., 1] = made[..., 1].round(1)
    return cube(
        made,
        [f"s{i:02}" for i in range(systems)],
        [str(i) for i in range(topics)],
        METRICS,
        collection=name,
    )


def collections():
    return {name: scores(name, seed) for seed, name in enumerate("ABC")}


def by_resampling(test, resamples, topics=16):
    return significance(
        scores(systems=12, topics=topics), test=test, resamples=resamples
    )


@pytest.fixture(autouse=True)
def several_blocks(monkeypatch):
    """Let the resamples of few systems come in several blocks, as those of many do."""
    for module in (compared, resampling):
        monkeypatch.setattr(module, "BLOCK", 1 << 14)
    monkeypatch.setattr(stepdown, "_BLOCK", 1 << 14)


STUDIES = {
    "predictivity": lambda: predictivity(scores(), partitions=520, sizes=(3, 8)),
    "predictivity, best on one half": lambda: predictivity(
        scores(), partitions=520, top=0.5, top_on="half", tau="a"
    ),
    "correlation, Kendall": lambda: correlate(scores(), method="kendall"),
    "correlation, Spearman": lambda: correlate(
        scores(), method="spearman", unit="within-topic"
    ),
    "correlation of means": lambda: correlate(
        collections(), method="kendall", unit="system"
    ),
    "comparison": lambda: compare(collections(), partitions=2500),
    "permutation": lambda: by_resampling("permutation", resamples=2000),
    "permutation, exact": lambda: by_resampling(
        "permutation", resamples=2000, topics=10
    ),
    "bootstrap": lambda: by_resampling("bootstrap", resamples=2000),
    "max-t": lambda: by_resampling("max-t", resamples=2000),
    "tukey": lambda: by_resampling("tukey", resamples=2000),
    "ranking": lambda: rank(scores(), partitions=10),
    "ranking, shrunk": lambda: rank(scores(), "pivot", "shrunk", partitions=10),
}


@pytest.mark.parametrize("study", STUDIES.values(), ids=STUDIES)
def test_the_result_is_the_same_whoever_computes_it(study, anywhere):
    """Cores, threads and processes that take the items in whatever order change no bit of a result."""
    anywhere(study)


@pytest.mark.parametrize(
    "name", ["permutation", "permutation, exact", "bootstrap", "max-t", "tukey"]
)
def test_resamples_come_in_several_blocks(name):
    """What the tests here share out is more than one block of resamples of each metric."""
    blocks = []

    def note(what, done, total):
        if what in ("blocks of resamples", "blocks of draws") and not done:
            blocks.append(total)

    with watched_by(note):
        STUDIES[name]()
    assert len(blocks) >= len(METRICS)
    assert min(blocks) > 1


QUICK = {"predictivity", "max-t"}


@pytest.mark.parametrize(
    "study",
    [
        pytest.param(study, id=name, marks=[] if name in QUICK else pytest.mark.slow)
        for name, study in STUDIES.items()
    ],
)
def test_on_a_cluster(study, cluster):
    """The workers of a Dask cluster give what the threads of this process give."""
    there = bare(study())
    with working_on(None):
        xr.testing.assert_identical(there, bare(study()))


def test_partitions_cost_no_memory(monkeypatch):
    """Forty times as many partitions are drawn in the memory of few: not even the sets drawn are held."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0}, raising=False)
    one = scores(systems=12, topics=200)

    def peak(partitions):
        tracemalloc.start()
        predictivity(one, partitions=partitions)
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    peak(500)
    drawn = 20_000 * one.sizes["topic"] / 8
    assert peak(20_000) < peak(500) + drawn


@pytest.mark.parametrize("study", STUDIES.values(), ids=STUDIES)
def test_it_is_known_how_long_a_study_takes(study):
    """Whoever watches a study is told at its first step how many there are, so that the time left can be said."""
    seen = {}
    with watched_by(lambda what, done, total: seen.setdefault(what, (done, total))):
        study()
    assert seen
    assert all(done == 0 and total for done, total in seen.values())
