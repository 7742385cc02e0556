"""The model that ships: what is in it, and that it is what its script makes."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from irmeta.datasets.reference import reference_model
from irmeta.io.model_file import load_model
from irmeta.names import SETS

SCRIPT = Path(__file__).parents[2] / "scripts" / "reference_model.py"


def script():
    spec = importlib.util.spec_from_file_location("reference_script", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_reference_has_eight_groups_of_systems_and_the_23_metrics():
    """The model holds 766 systems of eight groups of collections, each with all 23 metrics of the papers."""
    model = reference_model()
    assert [part.moments.n for part in model.parts] == [255, 54, 109, 46, 57, 28, 138, 79]
    assert all(set(part.metrics) == set(SETS["seeds23"]) for part in model.parts)
    assert len(model.provenance["sources"]) == 2


def test_reference_covariances_are_covariances():
    """Every matrix is symmetric and positive semidefinite, every correlation of AP with Rprec high."""
    for part in reference_model().parts:
        cov = part.moments.cov
        assert_allclose(cov, cov.T)
        assert np.linalg.eigvalsh(cov).min() > -1e-9
        ap, rprec = part.metrics.index("AP@1000"), part.metrics.index("Rprec")
        assert cov[ap, rprec] / np.sqrt(cov[ap, ap] * cov[rprec, rprec]) > 0.85


@pytest.mark.data
def test_training_rows_divide_by_topics_as_the_paper_counts_its_systems(data):
    """Of 428 rows 263 are means over 50 topics, 55 over 48 and 110 over 249; the paper counts 264, 55 and 110."""
    made = script()
    tables = made.import_systemwise(data / "systemwise" / "train.csv")
    parts = made.by_topics(tables["train"])
    assert {topics: part.sizes["system"] for topics, part in parts.items()} == {50: 263, 48: 55, 249: 110}


@pytest.mark.data
def test_reference_is_what_its_script_makes(data, tmp_path, monkeypatch):
    """Run on the data, the script writes the figures that ship."""
    made = script()
    monkeypatch.setattr(made, "TARGET", tmp_path / "reference.json")
    made.main(data)
    fresh, shipped = load_model(tmp_path / "reference.json"), reference_model()
    assert fresh.provenance == shipped.provenance
    for one, other in zip(fresh.parts, shipped.parts, strict=True):
        assert one.metrics == other.metrics
        assert_allclose(one.moments.mean, other.moments.mean, rtol=1e-9)
        assert_allclose(one.moments.cov, other.moments.cov, rtol=1e-6, atol=1e-12)
        assert_allclose(one.tails, other.tails, rtol=1e-6)
