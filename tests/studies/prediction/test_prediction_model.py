"""The model: what it keeps of collections, and what it cannot be made of."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from irmeta.errors import MetricError, ScoresError
from irmeta.scores.averages.means import means
from irmeta.studies.prediction.prediction_model import prediction_model


def test_model_keeps_means_and_covariances_of_each_collection(made):
    """The figures of a collection are those numpy gives for its systems' scores, or for their log odds."""
    cubes = made.collections(2)
    for scale, on_scale in (
        ("raw", lambda x: x),
        ("logit", lambda x: np.log(x / (1 - x))),
    ):
        model = prediction_model(cubes, scale=scale)
        for part, scores in zip(model.parts, cubes.values(), strict=True):
            values = on_scale(means(scores).values)
            assert part.metrics == tuple(made.METRICS)
            assert part.moments.n == 30
            assert_allclose(part.moments.mean, values.mean(axis=0))
            assert_allclose(part.moments.cov, np.cov(values.T, bias=True))


def test_scores_by_topic_count_as_their_means(made):
    """A cube of topics gives the model of its means."""
    system_level = made.collections(1)["c0"]
    by_topic = system_level.sel(topic=["all", "all"]).assign_coords(topic=["1", "2"])
    by_topic = by_topic + np.array([-0.01, 0.01])[:, None]
    by_topic.attrs["collection"] = "c0"
    one, other = (
        prediction_model({"c0": scores}) for scores in (system_level, by_topic)
    )
    assert_allclose(one.parts[0].moments.cov, other.parts[0].moments.cov)


def test_systems_dropped_for_missing_scores_are_noted(made):
    """Dropping systems that lack scores leaves a note in the model; without a policy they are an error."""
    scores = made.collection(1)
    scores[0, 0, 0] = np.nan
    with pytest.raises(ScoresError, match="missing"):
        prediction_model({"c": scores})
    model = prediction_model({"c": scores}, missing="systems")
    assert model.parts[0].moments.n == 29
    assert "dropped 1 of 30 systems" in model.provenance["notes"][0]


def test_models_of_too_little_are_errors(made):
    """No collections, two systems, one metric, an unknown metric, and log odds of an unbounded one raise errors."""
    cubes = made.collections(1)
    with pytest.raises(ScoresError, match="no collections"):
        prediction_model({})
    with pytest.raises(ScoresError, match="c0 has 2 systems and 4 metrics"):
        prediction_model({"c0": cubes["c0"][:2]})
    with pytest.raises(ScoresError, match="1 metric"):
        prediction_model(cubes, metrics=["AP"])
    with pytest.raises(
        MetricError, match="no collection has scores of 'P@11'; did you mean P@10"
    ):
        prediction_model(cubes, metrics=["AP", "P@11"])
    unbounded = {"c0": cubes["c0"].assign_coords(metric=["AP", "P@10", "RR", "DCG@20"])}
    with pytest.raises(MetricError, match=r"DCG@20 can exceed 1: use scale='raw'"):
        prediction_model(unbounded, scale="logit")


def test_a_collection_without_any_of_the_metrics_is_named(made):
    """A collection that has none of the metrics asked for cannot be part of the model."""
    cubes = made.collections(2)
    cubes["c1"] = cubes["c1"].sel(metric=["RR", "nDCG@20"])
    with pytest.raises(
        ScoresError, match="c1 has none of the metrics AP, P@10; leave it out"
    ):
        prediction_model(cubes, metrics="AP P@10")
