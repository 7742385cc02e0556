"""Prediction topic by topic, of which Kutlu et al. (2018) comment two tables out."""

from collections.abc import Iterator

import xarray as xr

from irmeta.metrics.names import split
from irmeta.papers.gupta2019.prediction import row_of
from irmeta.papers.gupta2019.printed import TOPICWISE, TOPICWISE_R2, rows
from irmeta.stats.arrays import Floats
from irmeta.stats.prediction.accuracy import Accuracy, accuracy
from irmeta.stats.prediction.learners import learner
from irmeta.studies.checks.reproduction import COMMENTED, Cell, lacking, ours_only

ITEM = f"topic by topic {COMMENTED}"
SPLIT = (
    "needs the paper's split of its scores by topic into training and test, which it does not give; ours has every "
    "second row of the file released for ranking"
)
NO_METRIC = (
    "needs AP and nDCG by topic, which the file released for ranking does not have"
)


def topicwise_cells(scores: xr.DataArray) -> Iterator[Cell]:
    """List the printed figures, of tables that are commented out, with a stand-in by the rows released for ranking."""
    for names, target, figures in _printed():
        found = _by_halves(scores, target, names)
        why = SPLIT if found else NO_METRIC
        ours = (found.rmse, found.r2) if found else (None, None)
        for column, figure, own in zip(("RMSE", "R2"), figures, ours, strict=True):
            yield lacking(
                *(ITEM, row_of(target, names), column, why),
                published=figure,
                ours=None if own is None else float(own),
            )
    for targets, names, pair in rows(TOPICWISE_R2):
        row = row_of(targets, names)
        for column, said in zip(("R2 w/ STD", "R2 w/ DTD"), pair.split(), strict=True):
            why = f"{SPLIT}; STD and DTD are not explained"
            item = f"topic by topic, R2 {COMMENTED}"
            yield lacking(item, row, column, why, published=float(said))


def topicwise_elsewhere(cubes: dict[str, xr.DataArray]) -> Iterator[Cell]:
    """Return the same models fitted on TREC-COVID round 1, tested on round 3."""
    item, note = "topic by topic on TREC-COVID", "round 1 to round 3"
    for names, target, _ in _printed():
        train, test = (_rows(scores, target, names) for scores in cubes.values())
        found = _tested(train, test)
        row = row_of(target, names)
        for column, ours in (("RMSE", found.rmse), ("R2", found.r2)):
            yield ours_only(item, row, column, float(ours), note)


def _printed() -> Iterator[tuple[str, str, list[float]]]:
    """Yield predictors, target, RMSE and R2 of each cell of the table."""
    for names, *groups in rows(TOPICWISE):
        for target, figures in zip(("AP", "nDCG"), groups, strict=True):
            if figures != "-":
                yield names, target, [float(one) for one in figures.split()]


def _by_halves(scores: xr.DataArray, target: str, names: str) -> Accuracy | None:
    """Predict every second row from the others; None where metrics are missing."""
    if not {*split(names), target} <= set(scores.metric.values):
        return None
    rows = _rows(scores, target, names)
    return _tested(rows[::2], rows[1::2])


def _rows(scores: xr.DataArray, target: str, names: str) -> Floats:
    """Return the scores of every system and topic by the predictors, and last by the target."""
    wanted = [*split(names), target]
    return scores.sel(metric=wanted).values.reshape(-1, len(wanted))


def _tested(train: Floats, test: Floats) -> Accuracy:
    """Fit on some rows, and predict others."""
    predict = learner("ols")(train[:, :-1], train[:, -1])
    return accuracy(test[:, -1], predict(test[:, :-1]))
