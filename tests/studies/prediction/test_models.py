"""Models compared: least squares as scikit-learn has it, and curved data that only some of them can follow."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

from irmeta.errors import ScoresError
from irmeta.scores.averages.means import means
from irmeta.scores.cube import cube
from irmeta.scores.tables.roles import ALL
from irmeta.studies.prediction.models import findings, models, tables


def test_least_squares_is_that_of_scikit_learn(made):
    """RMSE of the raw linear model on a collection left out is LinearRegression's."""
    cubes = made.collections(3)
    outcome = models(cubes, targets=["AP"], scales=["raw"])
    values = {name: means(scores).values for name, scores in cubes.items()}
    train = np.concatenate([values["c0"], values["c1"]])
    predicted = (
        LinearRegression().fit(train[:, 1:], train[:, 0]).predict(values["c2"][:, 1:])
    )
    expected = np.sqrt(((values["c2"][:, 0] - predicted) ** 2).mean())
    assert outcome["rmse"].sel(
        target="AP", model="ols", scale="raw", collection="c2"
    ).item() == pytest.approx(expected)


def test_curved_relation_is_followed_by_boosting_and_not_by_lines():
    """Where the target is a hump of the predictor, boosted trees and the radial kernel beat least squares."""
    rng = np.random.default_rng(1)
    cubes = {}
    for name in "abc":
        x = rng.random(60)
        scores = np.stack([np.clip(0.8 - 3 * (x - 0.5) ** 2, 0.01, 0.99), x], axis=-1)[
            :, None
        ]
        cubes[name] = cube(scores, [f"s{i}" for i in range(60)], [ALL], ["AP", "P@10"])
    rmse = models(cubes, targets=["AP"], scales=["raw"])["rmse"].mean("collection")
    line = rmse.sel(model="ols").item()
    assert rmse.sel(model="boosting").item() < line / 3
    assert rmse.sel(model="svr").item() < line / 3
    assert rmse.sel(model="ridge").item() == pytest.approx(line, rel=0.05)


def test_tables_hold_every_model_scale_and_collection(made):
    """One target, four models, two scales, two collections make 16 rows; the summary has one by model and scale."""
    outcome = models(made.collections(2, systems=12), targets=["AP"])
    views = tables(outcome)
    assert views["models"].columns == [
        "target",
        "model",
        "scale",
        "collection",
        "tau",
        "r2",
        "rmse",
    ]
    assert (views["models"].height, views["summary"].height) == (16, 8)
    best = views["summary"].sort("rmse").row(0, named=True)
    assert best["model"] in findings(outcome)[0]


def test_one_collection_cannot_be_left_out(made):
    """Comparing takes two collections."""
    with pytest.raises(ScoresError, match="at least 2 collections"):
        models(made.collections(1))
