"""Figures of statsmodels 0.15.0 for small numbers, where it computes what irmeta does: standard errors and variances.

OLS with an intercept, cov_type="cluster" and use_t=True; GEE with independence and cov_type="bias_reduced"; MixedLM by
REML, with random clusters, and with crossed random runs and topics.
"""

import numpy as np
import pytest

from irmeta.scores.averages.intervals import intervals
from irmeta.scores.cube import cube
from irmeta.scores.groups.clusters import with_clusters
from irmeta.stats.halves.clusters import alike, pseudo_values
from irmeta.stats.halves.repeats import spread

SCORES = np.array(
    [
        [0.71, 0.88, 0.82, 1.24, 0.01, -0.05, -0.04, -0.08],
        [0.48, 0.54, 0.63, 0.56, 0.48, 0.37, 0.39, 0.54],
        [0.46, 0.36, 0.39, 0.46, 0.65, 0.43, 0.43, 0.56],
    ]
).ravel()
"""24 topics, in 6 clusters of 4 or of the sizes below."""
SIZES = [1, 2, 3, 5, 6, 7]
RUNS = np.array(
    [
        [0.17, 0.35, 0.58, 0.59, 0.46, 0.55, -0.11, 0.60],
        [0.11, 0.30, 0.54, 0.44, 0.31, 0.48, -0.36, 0.57],
        [0.37, 0.39, 0.71, 0.60, 0.58, 0.56, -0.08, 0.77],
        [0.45, 0.40, 0.72, 0.70, 0.56, 0.78, -0.06, 0.79],
        [0.23, 0.47, 0.63, 0.55, 0.39, 0.67, -0.07, 0.70],
    ]
)
"""5 runs of a system on 8 topics."""


def test_clusters_of_one_size_have_the_cluster_robust_interval():
    """The interval over six clusters of four is that of OLS with clustered errors and Student's t."""
    names = [f"{at // 4}_{at}" for at in range(24)]
    made = with_clusters(cube(SCORES[None, :, None], ["a"], names, ["x"]), "stem")
    found = intervals(made)
    assert found["low"].item() == pytest.approx(0.14632726, abs=1e-8)
    assert found["high"].item() == pytest.approx(0.78867274, abs=1e-8)


def test_clusters_of_other_sizes_have_the_jackknife_error():
    """With unequal sizes the error is the bias-reduced one of GEE, about the mean of means without each cluster."""
    cluster = np.repeat(np.arange(6), SIZES)
    values = pseudo_values(SCORES, cluster)
    found = values.std(ddof=1) / np.sqrt(6)
    without = np.array([SCORES[cluster != one].mean() for one in range(6)])
    bias_reduced = 0.0567434  # the root of the sum of (mean without - mean)²
    off = 6 * (without.mean() - SCORES.mean()) ** 2
    assert found**2 == pytest.approx(5 / 6 * (bias_reduced**2 - off), rel=1e-5)


def test_the_intraclass_correlation_is_that_of_the_mixed_model():
    """With clusters of one size REML and the analysis of variance agree."""
    found = alike(SCORES[None], np.repeat(np.arange(6), 4))
    assert found.icc == pytest.approx(0.0904010 / (0.0904010 + 0.0130445), abs=1e-5)


def test_levels_of_runs_are_those_of_the_mixed_model():
    """With every run on every topic REML and the analysis of variance agree on levels and on the rest."""
    found = spread(RUNS[..., None], np.zeros(5, dtype=np.int64))
    assert found.level.item() == pytest.approx(0.00817107, rel=1e-4)
    assert found.cell.item() == pytest.approx(0.00326518, rel=1e-4)
