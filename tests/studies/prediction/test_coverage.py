"""Coverage against a loop over the public prediction, one system at a time."""

from itertools import combinations

import numpy as np
import pytest

from irmeta.errors import ScoresError
from irmeta.scores.averages.means import means
from irmeta.studies.prediction.coverage import coverage, findings, tables
from irmeta.studies.prediction.predict.study import predict
from irmeta.studies.prediction.prediction_model import prediction_model


@pytest.mark.parametrize("scale", ["raw", "logit"])
def test_coverage_is_that_of_predictions_one_by_one(made, scale):
    """The share inside and the width are those of `predict` with a model of the other collections."""
    cubes = made.collections(4, systems=12)
    outcome = coverage(cubes, targets=["AP"], k=2, level=0.8, scale=scale)
    for held, scores in cubes.items():
        fitted = prediction_model(
            {n: c for n, c in cubes.items() if n != held}, scale=scale
        )
        actual = means(scores).sel(metric="AP").values
        inside, width = [], []
        for pair in combinations(["P@10", "RR", "nDCG@20"], 2):
            found = predict(
                scores.sel(metric=list(pair)), fitted, want=["AP"], level=0.8
            )
            low, high = found["low"].values[:, 0], found["high"].values[:, 0]
            inside.append((low <= actual) & (actual <= high))
            width.append(high - low)
        one = outcome.sel(target="AP", collection=held)
        assert one["measured"].item() == pytest.approx(np.mean(inside))
        # predict cuts intervals to [0, 1]
        assert one["width"].item() == pytest.approx(np.mean(width), rel=0.02)
        assert one["relative_width"].item() == pytest.approx(
            one["width"].item() / 2 / actual.std()
        )


def test_wider_levels_cover_more(made):
    """Coverage and width grow with the level."""
    cubes = made.collections(5)
    low, high = (coverage(cubes, level=level) for level in (0.5, 0.95))
    assert (high["width"] > low["width"]).all()
    assert (high["measured"] >= low["measured"]).all()


def test_table_has_the_columns_of_the_contract(made):
    """A row a target and collection: target, collection, nominal, measured, and the widths."""
    frame = tables(coverage(made.collections(3)))["coverage"]
    assert frame.columns == [
        "target",
        "collection",
        "nominal",
        "measured",
        "width",
        "relative_width",
    ]
    assert frame.height == 4 * 3
    assert set(frame["nominal"]) == {0.9}


def test_findings_set_measured_beside_nominal(made):
    """The words give the nominal level and the measured mean."""
    outcome = coverage(made.collections(4))
    mean = float(outcome["measured"].mean("collection").mean())
    lead = "On average over 4 left-out collections, 90% intervals"
    assert findings(outcome)[0].startswith(
        f"{lead} held {mean:.1%} of the scores; fewest for"
    )


def test_collections_that_are_missed_as_a_whole_are_counted(made):
    """A collection far from the others is named, as most of its systems are missed together; like ones are not."""
    cubes = made.collections(5, offset=0.002)
    assert findings(coverage(cubes))[1].startswith("On none of the 5 collections")
    cubes["c4"] = cubes["c4"].copy(data=cubes["c4"].values * [1, 1, 1, 0.4])
    said = findings(coverage(cubes))[1]
    assert said.endswith(
        "for some target they missed most systems on 1 of 5 collections (c4)."
    )


@pytest.mark.parametrize(
    ("count", "options", "message"),
    [
        (
            2,
            {},
            "needs at least 3 collections, to leave out one at a time; there are 2",
        ),
        (3, {"level": 1}, "between 0 and 1"),
        (3, {"k": 4}, "1 to 3 predictors"),
    ],
)
def test_too_few_collections_and_wrong_options_are_errors(
    made, count, options, message
):
    """Two collections, a level of 1, and more predictors than metrics are errors."""
    with pytest.raises(ScoresError, match=message):
        coverage(made.collections(count), **options)


@pytest.mark.parametrize("level", [0.3, 0.0])
def test_a_metric_that_does_not_vary_has_no_relative_width(made, level):
    """Where all systems of a collection score alike there is no deviation to measure the interval in."""
    cubes = made.collections(4, systems=12)
    cubes = {name: one.where(one.metric != "RR", level) for name, one in cubes.items()}
    outcome = coverage(cubes, targets=["RR", "AP"], metrics=["AP", "P@10"], k=1)
    assert np.isnan(outcome["relative_width"].sel(target="RR").values).all()
    assert np.isfinite(outcome["relative_width"].sel(target="AP").values).all()
