"""Section 5: tau, R2, coefficients and RMSE of the published predictors, and what other kernels change of them."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from irmeta.metrics.names import split
from irmeta.papers.gupta2019.printed import FITS, PREDICTION, rows
from irmeta.papers.gupta2019.released import TESTS, Tables
from irmeta.stats.arrays import Floats
from irmeta.stats.prediction.accuracy import Accuracy, accuracy
from irmeta.stats.prediction.learners import learner
from irmeta.stats.prediction.regression import least_squares, moments
from irmeta.studies.checks.reproduction import (
    COMMENTED,
    Cell,
    compare,
    lacking,
    ours_only,
)

STAND_IN = {"AP": "AP@1000", "nDCG": "nDCG@1000"}
NOT_RELEASED = "needs full-run AP, full-run nDCG or GMAP, which were not released"
PRINTED = 0.0005
"""Half of the last printed digit."""
KERNELS = (0.5, 1.0, 2.0, 5.0)
NO_SVM = "needs the penalty and the tube of the paper's SVM, which it does not give; ours has C = 1 and epsilon = 0.01"


class Fit(NamedTuple):
    """One model: its coefficients in the order of the predictors, its intercept, and how it does on the tests."""

    slopes: Floats
    intercept: float
    tests: list[Accuracy]


def prediction_cells(tables: Tables) -> Iterator[Cell]:
    """Return tau and R2 of the published predictors on the three test collections."""
    for target, names, figures in rows(PREDICTION):
        fit = fitted(tables, target, names)
        left_out = target in ("RBP(p=0.5)", "RBP(p=0.8)")
        item = "Kutlu et al. 2018, prediction" if left_out else "Table 1"
        pairs = [(found.tau, found.r2) for found in fit.tests] if fit else []
        ours = [float(figure) for pair in pairs for figure in pair]
        columns = [f"{what} {test}" for test in TESTS for what in ("tau", "R2")]
        yield from _cells(item, target, names, columns, figures, ours)


def fit_cells(tables: Tables) -> Iterator[Cell]:
    """Return the coefficients and RMSE of the tables that the source of Kutlu et al. (2018) comments out."""
    for target, names, slopes, *rmse in rows(FITS):
        fit = fitted(tables, target, names)
        item = f"coefficients {COMMENTED}"
        columns = [f"coefficient {name}" for name in split(names)]
        ours = fit.slopes.tolist() if fit else []
        yield from _cells(item, target, names, columns, slopes, ours)
        if fit and is_released(target, names):
            row = row_of(target, names)
            yield ours_only(item, row, "intercept", fit.intercept, "never printed")
        item, columns = f"RMSE {COMMENTED}", [f"RMSE {test}" for test in TESTS]
        ours = [float(found.rmse) for found in fit.tests] if fit else []
        yield from _cells(item, target, names, columns, "".join(rmse), ours)


def is_released(target: str, names: str) -> bool:
    """Say whether the scores of a row were released."""
    return not {target, *split(names)} & {"AP", "nDCG", "GMAP"}


def row_of(target: str, names: str) -> str:
    """Name a row by its target and predictors."""
    return f"{target} <- {', '.join(split(names))}"


def fitted(tables: Tables, target: str, names: str) -> Fit | None:
    """Fit a published model on the training rows, with stand-ins for AP and nDCG; None where GMAP is needed."""
    wanted = [STAND_IN.get(name, name) for name in (*split(names), target)]
    if "GMAP" in wanted:
        return None
    scores = {
        name: table.sel(metric=wanted).values[:, 0] for name, table in tables.items()
    }
    at = list(range(len(wanted) - 1))
    slopes, intercept = least_squares(moments(scores["train"]), at, [len(at)])
    tests = [
        accuracy(scores[n][:, -1], scores[n][:, :-1] @ slopes[:, 0] + intercept[0])
        for n in TESTS
    ]
    return Fit(slopes[:, 0], float(intercept[0]), tests)


def released(tables: Tables) -> Iterator[tuple[str, list[str], Fit]]:
    """Yield the models of which all scores were released: target, predictors, and the model fitted."""
    for target, names, _ in rows(PREDICTION):
        fit = fitted(tables, target, names) if is_released(target, names) else None
        if fit:
            yield target, split(names), fit


def _cells(
    item: str,
    target: str,
    names: str,
    columns: Iterable[str],
    figures: str,
    ours: list[float],
) -> Iterator[Cell]:
    """Compare a row of printed figures with ours; where the data were not released, only set them side by side."""
    row = row_of(target, names)
    for i, (column, figure) in enumerate(zip(columns, figures.split(), strict=False)):
        if is_released(target, names):
            yield compare(item, row, column, float(figure), ours[i], within=PRINTED)
        else:
            here = ours[i] if ours else None
            yield lacking(
                item, row, column, NOT_RELEASED, published=float(figure), ours=here
            )


def model_cells(tables: Tables) -> Iterator[Cell]:
    """Return what each kernel size changes: the mean and the largest change over 21 rows and three collections."""
    linear, data = [], []
    for target, names, fit in released(tables):
        linear.append([[one.tau, one.r2] for one in fit.tests])
        data.append(
            {
                name: table.sel(metric=[*names, target]).values[:, 0]
                for name, table in tables.items()
            }
        )
    item, why = "Section 5, SVM", f"text: no significant change; {NO_SVM}"
    for size in KERNELS:
        kernel = np.array([_measured(scores, size) for scores in data])
        changes = kernel - np.array(linear)
        row = f"RBF kernel of size {size:g}"
        for at, name in enumerate(("tau", "R2")):
            mean, most = changes[..., at].mean(), np.abs(changes[..., at]).max()
            yield lacking(item, row, f"mean change of {name}", why, ours=mean)
            yield lacking(item, row, f"largest change of {name}", NO_SVM, ours=most)


def _measured(scores: dict[str, Floats], size: float) -> list[list[Floats]]:
    """Fit on the training rows; return tau and R2 on each test collection."""
    train = scores["train"]
    fit = learner("svr", kernel=size, standardize=False)
    predict = fit(train[:, :-1], train[:, -1])
    found = [
        accuracy(scores[name][:, -1], predict(scores[name][:, :-1])) for name in TESTS
    ]
    return [[one.tau, one.r2] for one in found]
