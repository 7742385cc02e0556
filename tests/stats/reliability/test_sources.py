"""What scores vary by: against statsmodels' mixed models, and against worlds whose variances are known."""

import numpy as np
import pytest

from irmeta.stats.halves.teams import means_of
from irmeta.stats.reliability.components import components
from irmeta.stats.reliability.sources import (
    design,
    of_judges,
    of_runs,
    sources,
)

CLUSTER = np.repeat(np.arange(4), 2)
"""8 topics in clusters of one size."""
SIZES = np.repeat(np.arange(5), [1, 2, 3, 8, 6])
"""20 topics in clusters of others."""


VARIANCES = {
    "system": 1.0,
    "run": 0.8,
    "cluster": 0.6,
    "topic": 0.4,
    "system x cluster": 0.5,
    "system x topic": 0.5,
    "run x cluster": 0.2,
    "run x topic": 0.1,
}


def levels(counts, cluster, judges=0):
    """Number the levels of every source in each cell (row, topic): of runs, else of judges of the same systems."""
    rows = np.repeat(np.arange(len(counts)), counts)
    numbers = {"system": rows, "run": np.arange(len(rows))}
    if judges:
        rows = np.tile(np.arange(len(counts)), judges)
        judge = np.repeat(np.arange(judges), len(counts))
        numbers = {
            "system": rows,
            "judge": judge,
            "system x judge": np.arange(len(rows)),
        }
    of_topics = {"cluster": cluster, "topic": np.arange(len(cluster))}
    cells = {name: number[:, None] + 0 * cluster for name, number in numbers.items()}
    for what, number in of_topics.items():
        cells[what] = number + 0 * rows[:, None]
        for who, row in numbers.items():
            cells[f"{who} x {what}"] = row[:, None] * len(cluster) + number
    return rows, cells


def drawn(counts, cluster, rng):
    """Draw scores (run, topic, 1) of systems with numbers of runs, those of one never vary; with each run's system."""
    system, cells = levels(counts, cluster)
    several = (counts[system] > 1)[:, None]
    scores = np.zeros((len(system), len(cluster)))
    for name, variance in VARIANCES.items():
        effect = rng.normal(size=cells[name].max() + 1)[cells[name]]
        scores += np.sqrt(variance) * effect * (several if "run" in name else 1)
    return scores[..., None], system


def split(scores, system, cluster, counts):
    """Return what scores of runs vary by, and what is in the error of a mean."""
    made = design(scores.shape[1], cluster, counts.astype(float), each=False)
    found = {"run": of_runs(scores, system, cluster)}
    return sources(means_of(scores, system), cluster, made, found)


@pytest.mark.slow
def test_agrees_with_the_mixed_model():
    """With clusters of one size and as many runs each, REML of statsmodels 0.15.0 gives the same variances."""
    statsmodels = pytest.importorskip("statsmodels.api")
    import pandas as pd

    counts = np.array([2, 2, 2, 2])
    rng = np.random.default_rng(5)
    scores, system = drawn(counts, CLUSTER, rng)
    found, _ = split(scores, system, CLUSTER, counts)
    assert min(found.values()) > 0
    short = {name: name.replace(" x ", "_") for name in VARIANCES}
    cells = levels(counts, CLUSTER)[1]
    table = pd.DataFrame({short[name]: cells[name].ravel() for name in VARIANCES})
    table["score"], table["all"] = scores.ravel(), 1
    parts = {name: f"0 + C({name})" for name in short.values() if name != "run_topic"}
    model = statsmodels.MixedLM.from_formula(
        "score ~ 1", table, groups="all", vc_formula=parts
    )
    fitted = model.fit(reml=True)
    theirs = dict(zip(fitted.model.exog_vc.names, fitted.vcomp, strict=True))
    theirs["run_topic"] = fitted.scale
    for name, own in found.items():
        assert own.item() == pytest.approx(theirs[short[name]], rel=0.01), name


@pytest.mark.parametrize("judges", [0, 3])
@pytest.mark.parametrize("cluster", [None, SIZES])
def test_each_variance_is_expected_as_it_is(cluster, judges):
    """Clusters of all sizes, numbers of runs that differ, judges: a source of variance 1 is expected as 1, others as 0.

    An estimate is quadratic in scores. Its expectation is its sum over the levels of a source, each being 1 alone.
    """
    counts = np.array([1, 3, 2, 4])
    topics = SIZES if cluster is None else cluster
    system, cells = levels(counts, topics, judges)
    if cluster is None:
        cells = {name: cell for name, cell in cells.items() if "cluster" not in name}
    runs = np.full(4, 3.0) if judges else counts.astype(float)
    made = design(len(topics), cluster, runs, each=False)
    varies = np.ones(len(system), dtype=bool) if judges else counts[system] > 1
    for name, cell in cells.items():
        alone = 1.0 * (cell[..., None] == np.unique(cell))
        if "run" in name:
            alone *= varies[:, None, None]
        if judges:
            judge = np.repeat(np.arange(judges), 4)
            both = of_judges(alone, judge, system, cluster)
            found = dict(zip(("judge", "system x judge"), both, strict=True))
        else:
            found = {"run": of_runs(alone, system, cluster)}
        expected, _ = sources(means_of(alone, system), cluster, made, found)
        assert set(expected) == set(cells)
        for other, values in expected.items():
            own = pytest.approx(float(other == name), abs=1e-9)
            assert values.sum() == own, (name, other)


def test_without_runs_and_clusters_it_is_the_usual_split():
    """Systems, topics and the rest have the variances of systems crossed with topics."""
    scores = np.random.default_rng(0).normal(size=(5, 12, 2))
    made = design(12, None, np.ones(5), each=False)
    found, in_error = sources(scores, None, made, {})
    usual = components(scores)
    for name, own in zip(("system", "topic", "system x topic"), usual.raw, strict=True):
        np.testing.assert_allclose(found[name], own)
    # the error of a mean beside others is that of topics over their number
    np.testing.assert_allclose(sum(in_error.values()), usual.ms_e / 12)


@pytest.mark.parametrize("each", [False, True])
def test_the_error_of_a_mean_is_made_of_its_sources(each):
    """Simulated means of runs over topics, or over clusters, vary beside others by what is added up."""
    rng, counts = np.random.default_rng(2), np.array([1, 2, 3])
    weights = 1 / np.bincount(SIZES)[SIZES] / 5 if each else np.full(20, 1 / 20)
    made = design(20, SIZES, counts.astype(float), each=each)
    shares = dict.fromkeys(VARIANCES, 0.0)
    variances = []
    for _ in range(400):
        scores, system = drawn(counts, SIZES, rng)
        variances.append(np.var(means_of(scores, system)[..., 0] @ weights, ddof=1))
        found = {"run": of_runs(scores, system, SIZES)}
        raw, in_error = sources(means_of(scores, system), SIZES, made, found)
        shares |= {
            name: (in_error[name] / raw[name]).item() for name in raw if raw[name] > 0
        }
    told = sum(shares[name] * variance for name, variance in VARIANCES.items())
    assert np.mean(variances) == pytest.approx(VARIANCES["system"] + told, rel=0.1)
