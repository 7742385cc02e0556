"""The model file: there and back, and files that are not one."""

import json
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from irmeta.errors import FileFormatError
from irmeta.io.formats.model_file import Model, Part, load_model, save_model
from irmeta.stats.prediction.intervals import tails
from irmeta.stats.prediction.regression import moments


def model():
    data = np.random.default_rng(1).random((9, 3))
    data[:, 2] = 0.5  # a constant metric has no residuals: its quantiles are missing
    part = Part("one", ("AP", "P@10", "RBP(p=0.95)"), moments(data), tails(data))
    return Model(
        "raw",
        (part, Part("two", ("AP", "RR"), moments(data[:, :2]), tails(data[:, :2]))),
        {"notes": ["x"]},
    )


def test_model_comes_back_exactly(tmp_path):
    """Every figure of a saved model is read back to the last bit, missing quantiles included."""
    saved = model()
    save_model(saved, tmp_path / "m.json")
    read = load_model(tmp_path / "m.json")
    assert (read.scale, read.provenance, read.metrics) == (
        "raw",
        {"notes": ["x"]},
        ["AP", "P@10", "RBP(p=0.95)", "RR"],
    )
    for one, other in zip(read.parts, saved.parts, strict=True):
        assert (one.name, one.metrics, one.moments.n) == (
            other.name,
            other.metrics,
            other.moments.n,
        )
        assert_array_equal(one.moments.mean, other.moments.mean)
        assert_array_equal(one.moments.cov, other.moments.cov)
        assert_array_equal(one.tails, other.tails)


def test_model_file_is_json_without_scores(tmp_path):
    """The file is a JSON document: counts, means, the lower triangle of the covariances, quantiles."""
    save_model(model(), tmp_path / "m.json")
    document = json.loads((tmp_path / "m.json").read_text())
    assert set(document) == {
        "format",
        "irmeta_seal",
        "scale",
        "levels",
        "provenance",
        "collections",
    }
    first = document["collections"][0]
    assert set(first) == {
        "name",
        "systems",
        "metrics",
        "means",
        "residual_quantiles",
        "covariances",
    }
    assert [len(row) for row in first["covariances"]] == [1, 2, 3]


def test_holding_gives_the_collections_that_have_all_metrics_in_the_order_asked():
    """Only collections with every metric asked for are given, their figures in that order."""
    found = model().parts_with(["RR", "AP"])
    assert [part.name for part in found] == ["two"]
    assert found[0].metrics == ("RR", "AP")
    assert found[0].moments.mean[1] == model().parts[1].moments.mean[0]
    assert len(model().parts_with(["AP"])) == 2
    assert model().parts_with(["P@10", "RR"]) == []


@pytest.mark.parametrize(
    "text",
    [
        "not json",
        "[]",
        "{}",
        '{"format": "irmeta prediction model 1", "scale": "cubic"}',
        '{"format": "irmeta prediction model 1", "scale": "raw", "levels": [0.5], "collections": []}',
        '{"format": "irmeta prediction model 1", "scale": "raw", "levels": [0.5, 0.8, 0.9, 0.95, 0.99],'
        ' "provenance": {}, "collections": []}',
    ],
)
def test_other_files_are_an_error_that_names_them(tmp_path, text):
    """A file that is not a model raises FileFormatError with its path and how to make one."""
    path = tmp_path / "m.json"
    path.write_text(text)
    with pytest.raises(
        FileFormatError, match=r"m\.json: not a prediction model .*predict.fit"
    ):
        load_model(path)


def test_a_scale_is_not_a_format(tmp_path):
    """A model on a scale that we do not know is refused for that."""
    save_model(replace(model(), scale="log"), tmp_path / "m.json")
    with pytest.raises(
        FileFormatError,
        match="its scale is 'log', but this version knows raw and logit",
    ):
        load_model(tmp_path / "m.json")


def test_figures_that_do_not_fit_the_metrics_are_an_error(tmp_path):
    """A collection with a mean too few is not read as a model."""
    save_model(model(), tmp_path / "m.json")
    document = json.loads((tmp_path / "m.json").read_text())
    del document["irmeta_seal"]
    document["collections"][0]["means"].pop()
    (tmp_path / "m.json").write_text(json.dumps(document))
    with pytest.raises(
        FileFormatError, match="the figures of 'one' do not fit its 3 metrics"
    ):
        load_model(tmp_path / "m.json")


@pytest.mark.parametrize(
    ("where", "value"),
    [
        (("collections", 0, "covariances", 0, 0), -1.0),
        (("collections", 0, "covariances", 1, 0), float("nan")),
        (("collections", 0, "covariances", 1, 0), 10.0),
        (("collections", 0, "covariances", 1), [1.0]),
        (("collections", 0, "covariances"), [[1.0]] * 4),
        (("collections", 0, "covariances"), 5),
        (("collections", 0, "means", 0), None),
        (("collections", 0, "means", 0), 10**400),
        (("collections", 0, "means", 0), 1e308),
        (("collections", 0, "systems"), -5),
        (("collections", 0, "systems"), float("inf")),
        (("collections", 0, "systems"), True),
        (("collections", 0, "metrics", 1), []),
        (("collections", 0, "metrics", 1), "AP"),
        (("collections", 0, "residual_quantiles", 0), [0.5, 0.4, 0.3, 0.2, 0.1]),
        (("collections", 0, "residual_quantiles", 0, 0), -0.1),
        (("collections", 0, "residual_quantiles", 0, 0), None),
        (("collections", 0), None),
        (("provenance",), 1.5),
        (("levels",), None),
    ],
)
def test_figures_that_no_model_has_are_refused(tmp_path, where, value):
    """A model of impossible or malformed figures is refused with the file's name, and predicts nothing."""
    save_model(model(), tmp_path / "m.json")
    document = json.loads((tmp_path / "m.json").read_text())
    del document["irmeta_seal"]
    at = document
    for step in where[:-1]:
        at = at[step]
    at[where[-1]] = value
    (tmp_path / "m.json").write_text(json.dumps(document))
    with pytest.raises(FileFormatError, match=r"m\.json: not a prediction model"):
        load_model(tmp_path / "m.json")


def test_deep_json_is_refused(tmp_path):
    """A hundred thousand brackets are an error of the file."""
    (tmp_path / "m.json").write_text("[" * 100_000)
    with pytest.raises(FileFormatError, match="not a prediction model"):
        load_model(tmp_path / "m.json")
