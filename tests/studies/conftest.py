"""Collections made for the tests."""

import os
import pickle
from types import SimpleNamespace

import numpy as np
import pytest
import xarray as xr

from irmeta.parallel import in_worker, single_threaded, working_on
from irmeta.scores.cube import cube
from irmeta.scores.tables.roles import ALL
from irmeta.studies.result import Result

METRICS = ["AP", "P@10", "RR", "nDCG@20"]
WEIGHTS = np.array([[0.25, 0.10], [0.35, 0.05], [0.40, -0.10], [0.30, 0.08]])


def bare(made):
    """Return the arrays of a result; an array or another thing as it is."""
    return made.data if isinstance(made, Result) else made


def collection(seed, name="made", systems=30, offset=0.02, error=0.01):
    """A system-level cube of METRICS, linear in two qualities of a system, each with an offset of the collection."""
    rng = np.random.default_rng(seed)
    scores = 0.35 + rng.normal(0, 0.25, (systems, 2)) @ WEIGHTS.T
    scores = (
        scores
        + rng.normal(0, offset, len(METRICS))
        + rng.normal(0, error, scores.shape)
    )
    return cube(
        np.clip(scores, 0.01, 0.99)[:, None],
        [f"s{i}" for i in range(systems)],
        [ALL],
        METRICS,
        collection=name,
    )


def collections(count=5, **options):
    return {f"c{i}": collection(i, f"c{i}", **options) for i in range(count)}


@pytest.fixture(scope="session")
def made():
    """How to make one collection, or several by name, and their metrics."""
    return SimpleNamespace(
        collection=collection, collections=collections, METRICS=METRICS
    )


class Serial:
    """An engine that does one item after the other, here; `done` counts them."""

    def __init__(self):
        self.done = 0

    def in_order(self, work, items):
        for item in items:
            with single_threaded():
                result = in_worker(work, item)
            self.done += 1
            yield result


class Elsewhere(Serial):
    """An engine whose work, items and results travel as between processes, and which begins with the last item."""

    def in_order(self, work, items):
        work, sent = pickle.dumps(work), [pickle.dumps(item) for item in items]
        done = super().in_order(
            pickle.loads(work), (pickle.loads(item) for item in reversed(sent))
        )
        yield from map(
            pickle.loads, reversed([pickle.dumps(result) for result in done])
        )


@pytest.fixture
def anywhere(monkeypatch):
    """How to hold that a study's result is the same on one core, on five, one item after the other, and elsewhere."""

    def check(study):
        expected = bare(study())
        for cores in (1, 5):
            monkeypatch.setattr(
                os,
                "sched_getaffinity",
                lambda _, cores=cores: range(cores),
                raising=False,
            )
            xr.testing.assert_identical(bare(study()), expected)
        for engine in (Serial(), Elsewhere()):
            with working_on(engine):
                xr.testing.assert_identical(bare(study()), expected)
            assert engine.done > 1
        return expected

    return check
