"""The model that ships: what is in it, that it is what its script makes, and how its intervals hold."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from irmeta.datasets.reference import reference_model
from irmeta.io.tables.matrices import import_systemwise
from irmeta.metrics.signatures import SETS
from irmeta.studies.prediction.coverage import coverage
from irmeta.studies.prediction.models import models

SCRIPT = Path(__file__).parents[2] / "scripts" / "reference_model.py"


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("reference_script", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def reference_cubes(script, data):
    """The system-level scores that the reference model is fitted on."""
    return script.collections(data)


def test_reference_has_nine_groups_of_systems_and_the_23_metrics(script):
    """The model holds 829 systems of nine groups of collections, each with the 23 metrics as released."""
    model = reference_model()
    assert [part.moments.n for part in model.parts] == [
        255,
        54,
        109,
        46,
        57,
        28,
        138,
        79,
        63,
    ]
    released = {script.AS_RELEASED.get(name, name) for name in SETS["seeds23"]}
    assert all(set(part.metrics) == released for part in model.parts)
    assert len(model.provenance["sources"]) == 3


def test_reference_covariances_are_covariances():
    """Every matrix is symmetric and positive semidefinite, every correlation of AP with Rprec high."""
    for part in reference_model().parts:
        cov = part.moments.cov
        assert_allclose(cov, cov.T)
        assert np.linalg.eigvalsh(cov).min() > -1e-9
        ap, rprec = part.metrics.index("AP@1000"), part.metrics.index("Rprec")
        assert cov[ap, rprec] / np.sqrt(cov[ap, ap] * cov[rprec, rprec]) > 0.85


@pytest.mark.data
def test_training_rows_divide_by_topics_as_the_paper_counts_its_systems(script, data):
    """Of 428 rows 263 are means over 50 topics, 55 over 48 and 110 over 249; the paper counts 264, 55 and 110."""
    parts = script.by_topics(
        import_systemwise(data / "systemwise" / "train.csv")["train"]
    )
    assert {topics: part.sizes["system"] for topics, part in parts.items()} == {
        50: 263,
        48: 55,
        249: 110,
    }


@pytest.mark.slow
@pytest.mark.data
def test_reference_is_what_its_script_makes(script, reference_cubes):
    """Run on the data, the script gives the figures that ship."""
    fresh, shipped = script.fitted(reference_cubes), reference_model()
    assert fresh.provenance == shipped.provenance
    for one, other in zip(fresh.parts, shipped.parts, strict=True):
        assert one.metrics == other.metrics
        assert_allclose(one.moments.mean, other.moments.mean, rtol=1e-9)
        assert_allclose(one.moments.cov, other.moments.cov, rtol=1e-6, atol=1e-12)
        assert_allclose(one.tails, other.tails, rtol=1e-6)


@pytest.mark.slow
@pytest.mark.data
def test_intervals_of_the_reference_collections_hold(reference_cubes):
    """On collections left out, 90% intervals hold 85% to 97% of systems on average, and at least 70% for every target.

    Averaged over all sets of 1, 2 or 3 predictors, over the 23 targets, and over six collections.
    Their median half-width is less than 2.5, 2 and 1.6 standard deviations of the systems' scores.
    """
    held = [*(f"web{year}" for year in (2012, 2013, 2014)), "dl2021"]
    held += ["trec-covid-round1", "trec-covid-round3"]
    for size, reached in ((1, 2.6), (2, 2.0), (3, 1.6)):
        outcome = coverage(reference_cubes, k=size, scale="logit").sel(collection=held)
        by_target = outcome["measured"].mean("collection")
        assert 0.85 <= float(by_target.mean()) <= 0.97
        assert float(by_target.min()) >= 0.70
        assert float(outcome["relative_width"].median()) < reached


@pytest.mark.data
@pytest.mark.slow
def test_least_squares_on_log_odds_does_best_on_the_reference_collections(
    reference_cubes,
):
    """From the other metrics of the papers' twelve, no model beats least squares or ridge on log odds by 5% of RMSE."""
    names = [
        "Rprec",
        "Bpref",
        "RR",
        "AP@1000",
        "nDCG@1000",
        "P@10",
        "R@100",
        "RBP(p=0.95, rel=1)",
    ]
    rmse = models(reference_cubes, metrics=names)["rmse"].mean(["target", "collection"])
    line = rmse.sel(model="ols", scale="logit").item()
    assert float(rmse.min()) > 0.95 * line
    assert line < rmse.sel(model="ols", scale="raw").item()
