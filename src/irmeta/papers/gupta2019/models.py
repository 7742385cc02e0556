"""Section 5: support vector machines with a radial kernel instead of a linear model."""

from collections.abc import Iterator

import numpy as np

from irmeta.metrics.names import split
from irmeta.papers.gupta2019.prediction import fitted, is_released
from irmeta.papers.gupta2019.printed import PREDICTION, rows
from irmeta.papers.gupta2019.released import TESTS, Tables
from irmeta.stats.arrays import Floats
from irmeta.stats.prediction.accuracy import accuracy
from irmeta.stats.prediction.learners import learner
from irmeta.studies.checks.reproduction import Cell, lacking

KERNELS = (0.5, 1.0, 2.0, 5.0)
WHY = "needs the penalty and the tube of the paper's SVM, which it does not give; ours has C = 1 and epsilon = 0.01"


def model_cells(tables: Tables) -> Iterator[Cell]:
    """Return what each kernel size changes: the mean and the largest change over 21 rows and three collections."""
    linear, data = [], []
    for target, names, _ in rows(PREDICTION):
        if is_released(target, names):
            fit = fitted(tables, target, names)
        else:
            fit = None
        if fit:
            linear.append([[one.tau, one.r2] for one in fit.tests])
            data.append(
                {
                    name: table.sel(metric=[*split(names), target]).values[:, 0]
                    for name, table in tables.items()
                }
            )
    for size in KERNELS:
        changes = np.array([_measured(scores, size) for scores in data]) - np.array(
            linear
        )
        for at, name in enumerate(("tau", "R2")):
            row = f"RBF kernel of size {size:g}"
            change = changes[..., at]
            column, why = (
                f"mean change of {name}",
                f"text: no significant change; {WHY}",
            )
            yield lacking("Section 5, SVM", row, column, why, ours=change.mean())
            column = f"largest change of {name}"
            yield lacking("Section 5, SVM", row, column, WHY, ours=np.abs(change).max())


def _measured(scores: dict[str, Floats], size: float) -> list[list[Floats]]:
    """Fit on the training rows; return tau and R2 on each test collection."""
    train = scores["train"]
    predict = learner("svr", kernel=size, standardize=False)(
        train[:, :-1], train[:, -1]
    )
    found = [
        accuracy(scores[name][:, -1], predict(scores[name][:, :-1])) for name in TESTS
    ]
    return [[one.tau, one.r2] for one in found]
