"""Collections made for the tests."""

from types import SimpleNamespace

import numpy as np
import pytest

from irmeta.cube import ALL, cube

METRICS = ["AP", "P@10", "RR", "nDCG@20"]
WEIGHTS = np.array([[0.25, 0.10], [0.35, 0.05], [0.40, -0.10], [0.30, 0.08]])


def collection(seed, name="made", systems=30, offset=0.02, error=0.01):
    """A system-level cube of METRICS, linear in two qualities of a system, each with an offset of the collection."""
    rng = np.random.default_rng(seed)
    scores = 0.35 + rng.normal(0, 0.25, (systems, 2)) @ WEIGHTS.T
    scores = scores + rng.normal(0, offset, len(METRICS)) + rng.normal(0, error, scores.shape)
    return cube(
        np.clip(scores, 0.01, 0.99)[:, None], [f"s{i}" for i in range(systems)], [ALL], METRICS, collection=name
    )


def collections(count=5, **options):
    return {f"c{i}": collection(i, f"c{i}", **options) for i in range(count)}


@pytest.fixture(scope="session")
def made():
    """How to make one collection, or several by name, and their metrics."""
    return SimpleNamespace(collection=collection, collections=collections, METRICS=METRICS)
