"""Other models than least squares, each collection of the reference model left out: python -m bench.learners DATA.

Every target is predicted from the same random sets of other metrics, by `irmeta predict apply` itself: the error, the
order, the coverage of 90% intervals and their width, as means over targets, sets and collections, and on the worst one.
"""

import sys
from itertools import product
from pathlib import Path
from typing import get_args

import numpy as np
import polars as pl
import xarray as xr
from scripts.reference_model import collections

from irmeta.choices import Learner
from irmeta.stats.prediction.accuracy import accuracy
from irmeta.studies.prediction.predict.study import predict
from irmeta.studies.prediction.prediction_model import prediction_model

TARGETS = (
    "AP@1000",
    "nDCG@20",
    "RBP(p=0.95, rel=1)",
    "R@100",
    "P@10",
    "ERR(max_rel=4)@20",
)
SETS = 2
"""Sets of predictors of each size and target."""


def sets(metrics: list[str], rng: np.random.Generator) -> list[tuple[str, list[str]]]:
    """Draw what is predicted from what: for each target a few sets of one, two and three other metrics."""
    drawn = []
    for target, size, _ in product(TARGETS, (1, 2, 3), range(SETS)):
        others = [name for name in metrics if name != target]
        drawn.append((target, rng.choice(others, size, replace=False).tolist()))
    return drawn


def measured(
    cubes: dict[str, xr.DataArray], held: str, learner: Learner
) -> list[dict[str, object]]:
    """Predict the systems of a collection by models of all the others; return how well each target was predicted."""
    train = {name: scores for name, scores in cubes.items() if name != held}
    model = prediction_model(train, scale="logit")
    scores = cubes[held]
    found = []
    for target, given in sets(list(model.metrics), np.random.default_rng(0)):
        outcome = predict(
            scores.sel(metric=given),
            model,
            want=[target],
            train=None if learner == "ols" else train,
            learner=learner,
        ).data
        actual = scores.sel(metric=target).values[:, 0]
        value, low, high = (
            outcome[name].values[:, 0] for name in ("value", "low", "high")
        )
        close = accuracy(actual, value)
        found.append(
            {
                "learner": learner,
                "collection": held,
                "target": target,
                "k": len(given),
                "rmse": float(close.rmse),
                "tau": float(close.tau),
                "coverage": float(((low <= actual) & (actual <= high)).mean()),
                "width": float((high - low).mean()),
            }
        )
    return found


def main(data: Path) -> None:
    """Measure every learner on log odds, as the model that ships is, and print its means and its worst collection."""
    cubes = collections(data)
    figures = pl.col("rmse", "tau", "coverage", "width").mean()
    rows: list[dict[str, object]] = []
    for learner in get_args(Learner):
        for held in cubes:
            rows += measured(cubes, held, learner)
        table = pl.DataFrame(rows)
        each = table.group_by("learner", "collection", maintain_order=True).agg(figures)
        worst = each.group_by("learner", maintain_order=True).agg(
            pl.col("rmse").max().alias("worst_rmse"),
            pl.col("coverage").min().alias("worst_coverage"),
        )
        means = table.group_by("learner", maintain_order=True).agg(figures)
        with pl.Config(tbl_rows=-1, tbl_cols=-1, float_precision=4):
            print(means.join(worst, on="learner", maintain_order="left"), flush=True)
            print(each, flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
