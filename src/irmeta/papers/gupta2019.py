"""Gupta et al. (ECIR 2019), which covers Kutlu et al. (2018): prediction and ranking of metrics, published and ours."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import xarray as xr

from irmeta.choices import Status
from irmeta.io.importers import import_systemwise
from irmeta.names import split
from irmeta.papers.gupta2019_ranking import ranking_cells
from irmeta.papers.gupta2019_tables import CORRELATION, FITS, LOWCOST, PREDICTION, TOPICWISE, TOPICWISE_R2
from irmeta.stats.arrays import Floats
from irmeta.stats.prediction.accuracy import Accuracy, accuracy
from irmeta.stats.prediction.regression import least_squares, moments
from irmeta.studies.lowcost import lowcost
from irmeta.studies.predictors import predictors
from irmeta.studies.reproduction import Cell, compare, reproduction

NEEDS = ("gupta2019",)
"""The public collections it reads, as `irmeta datasets list` names them."""

TESTS = ("wt2012", "wt2013", "wt2014")
TWELVE = (
    *("Rprec", "Bpref", "RR", "ERR@20", "AP@1000", "nDCG@1000", "P@10", "R@100"),
    *("RBP(p=0.5)", "RBP(p=0.8)", "RBP(p=0.95)"),
)
"""The paper's twelve metrics in the order of its code; GMAP was not released."""
STAND_IN = {"AP": "AP@1000", "nDCG": "nDCG@1000"}
NOT_RELEASED = "needs full-run AP, full-run nDCG or GMAP, which were not released"
BY_TOPIC = "scores by topic were not released"
WITH_STAND_INS = "AP@1000 and nDCG@1000 for the full-run AP and nDCG, which were not released,"
PRINTED = 0.0005
"""Half of the last printed digit."""
TIED = 1e-9
"""Two values of tau that differ by less are the same."""

Tables = dict[str, xr.DataArray]


class Fit(NamedTuple):
    """One model: its coefficients in the order of the predictors, its intercept, and how it does on the tests."""

    slopes: Floats
    intercept: float
    tests: list[Accuracy]


def reproduce(data: Path, *, rng: int = 0) -> xr.Dataset:
    """Compute every figure again and set it beside the published one."""
    tables = import_systemwise([data / "systemwise" / f"{name}.csv" for name in ("train", *TESTS)])
    cheap = import_systemwise([data / "systemwise" / "lowcost" / f"{name}.csv" for name in TESTS])
    cells = [
        *correlation_cells(),
        *prediction_cells(tables),
        *fit_cells(tables),
        *selection_cells(tables),
        *lowcost_cells(cheap),
        *topicwise_cells(),
        *ranking_cells(data),
    ]
    notes = ["in rows that are not checkable, ours has AP@1000 and nDCG@1000 for AP and nDCG, and none for GMAP"]
    return reproduction("gupta2019", cells, options={"seed": rng}, notes=notes)


def prediction_cells(tables: Tables) -> Iterator[Cell]:
    """Give tau and R2 of the published predictors on the three test collections."""
    for target, names, figures in _rows(PREDICTION):
        fit = _fit(tables, target, names)
        item = "Kutlu et al. 2018, prediction" if target in ("RBP(p=0.5)", "RBP(p=0.8)") else "Table 1"
        ours = [float(value) for found in fit.tests for value in (found.tau, found.r2)] if fit else []
        columns = [f"{what} {test}" for test in TESTS for what in ("tau", "R2")]
        yield from _cells(item, target, names, columns, figures, ours)


def fit_cells(tables: Tables) -> Iterator[Cell]:
    """Give the coefficients and RMSE of the tables that the source of Kutlu et al. (2018) comments out."""
    for target, names, slopes, *rmse in _rows(FITS):
        fit = _fit(tables, target, names)
        columns = [f"coefficient {name}" for name in split(names)]
        yield from _cells("coefficients", target, names, columns, slopes, fit.slopes.tolist() if fit else [])
        if fit and _released(target, names):
            row = f"{target} <- {', '.join(split(names))}"
            yield Cell("coefficients", row, "intercept", None, fit.intercept, "ours", "never printed")
        ours = [float(found.rmse) for found in fit.tests] if fit else []
        yield from _cells("RMSE", target, names, [f"RMSE {test}" for test in TESTS], "".join(rmse), ours)


def selection_cells(tables: Tables) -> Iterator[Cell]:
    """Tell whether no set orders WT2012 better than the published predictors, by which they were chosen: 1 if so.

    Where all scores of a row were released, the sets are those of the released metrics, and the published one must be
    the best. Elsewhere stand-ins are among them, which may order WT2012 better than what they stand for.
    """
    released = [name for name in TWELVE if name not in STAND_IN.values()]
    by_released, by_all = (_chosen(tables, metrics) for metrics in (released, TWELVE))
    for target, names, _ in _rows(PREDICTION):
        row, fit = f"{target} <- {', '.join(split(names))}", _fit(tables, target, names)
        if fit is None:
            yield Cell("selection", row, "chosen", 1.0, None, "not checkable", NOT_RELEASED)
            continue
        checkable, key = _released(target, names), (STAND_IN.get(target, target), len(split(names)))
        published, best = float(fit.tests[0].tau), (by_released if checkable else by_all)[key]
        missed = abs(best.tau - published) > TIED
        wrong = missed and (checkable or best.tau < published)
        status: Status = "contradicted" if wrong else "not checkable" if missed else "reproduced"
        better = best if missed else by_all[key]
        note = f"with {WITH_STAND_INS} {better}" if abs(better.tau - published) > TIED else ""
        yield Cell("selection", row, "chosen", 1.0, float(not missed), status, note, wrong)


class Chosen(NamedTuple):
    """The set of predictors that a search finds, and its tau on WT2012."""

    metrics: list[str]
    tau: float

    def __str__(self) -> str:
        return f"{', '.join(self.metrics)} has tau {self.tau:.3f} on WT2012"


def _chosen(tables: Tables, metrics: Sequence[str]) -> dict[tuple[str, int], Chosen]:
    """Search for the predictors of each of these metrics among the others, by target and number of predictors."""
    tests = {name: tables[name] for name in TESTS[1:]}
    found = predictors({"train": tables["train"]}, tests, dev={"wt2012": tables["wt2012"]}, metrics=metrics)
    return {
        (str(target), int(size)): Chosen(
            [str(name) for name in one["coefficient"].dropna("metric").metric.values], one["chosen_by"].item()
        )
        for target in found.target.values
        for size in found["size"].values
        for one in [found.sel(target=target, size=size)]
    }


def correlation_cells() -> Iterator[Cell]:
    """List what is said of the correlations between metrics, which are over scores by topic."""
    for what, metrics, figure in _rows(CORRELATION):
        published = float(figure) if figure else None
        yield Cell("Figure 1", ", ".join(split(metrics)), what, published, None, "not checkable", BY_TOPIC)


def lowcost_cells(cheap: Tables) -> Iterator[Cell]:
    """Give tau of Figure 2; its training data were not released, so ours trains on WT2012, where it also selects."""
    rows = list(_rows(LOWCOST))
    found = lowcost(
        {"train": cheap["wt2012"]},
        {name: cheap[name] for name in TESTS[1:]},
        dev={"wt2012": cheap["wt2012"]},
        targets=dict.fromkeys(target for target, *_ in rows),
        proper=True,
    )
    note = "read from the figure; the training data were not released, ours is trained and selected on WT2012"
    for target, test, figures in rows:
        for depth, published in zip(found.depth.values, figures.split(), strict=True):
            ours = found["tau"].sel(target=target, collection=test, depth=depth, judgments="full").item()
            yield Cell("Figure 2", f"{target} {test}", f"tau D={depth}", float(published), ours, "not checkable", note)


def topicwise_cells() -> Iterator[Cell]:
    """List the figures of topic-by-topic prediction, whose scores were not released."""
    for names, *groups in _rows(TOPICWISE):
        for target, figures in zip(("AP", "nDCG"), groups, strict=True):
            for column, figure in zip(("RMSE", "R2"), figures.split() if figures != "-" else [], strict=False):
                row = f"{target} <- {', '.join(split(names))}"
                yield Cell("topic by topic", row, column, float(figure), None, "not checkable", BY_TOPIC)
    for targets, names, figures in _rows(TOPICWISE_R2):
        for column, figure in zip(("R2 w/ STD", "R2 w/ DTD"), figures.split(), strict=True):
            row, why = f"{targets} <- {', '.join(split(names))}", f"{BY_TOPIC}, and STD and DTD are not explained"
            yield Cell("topic by topic, R2", row, column, float(figure), None, "not checkable", why)


def _rows(text: str) -> list[list[str]]:
    return [[part.strip() for part in line.split("|")] for line in text.strip().splitlines()]


def _released(target: str, names: str) -> bool:
    return not {target, *split(names)} & {"AP", "nDCG", "GMAP"}


def _fit(tables: Tables, target: str, names: str) -> Fit | None:
    """Fit a published model on the training rows; None where GMAP is needed."""
    wanted = [STAND_IN.get(name, name) for name in (*split(names), target)]
    if "GMAP" in wanted:
        return None
    scores = {name: table.sel(metric=wanted).values[:, 0] for name, table in tables.items()}
    at = list(range(len(wanted) - 1))
    slopes, intercept = least_squares(moments(scores["train"]), at, [len(at)])
    tests = [accuracy(scores[n][:, -1], scores[n][:, :-1] @ slopes[:, 0] + intercept[0]) for n in TESTS]
    return Fit(slopes[:, 0], float(intercept[0]), tests)


def _cells(
    item: str, target: str, names: str, columns: Iterable[str], figures: str, ours: Iterable[float]
) -> Iterator[Cell]:
    """Compare a row of printed figures with ours; where the data were not released, only set them side by side."""
    row = f"{target} <- {', '.join(split(names))}"
    ours = list(ours)
    for i, (column, figure) in enumerate(zip(columns, figures.split(), strict=False)):
        if _released(target, names):
            yield compare(item, row, column, float(figure), ours[i], within=PRINTED, close=2 * PRINTED)
        else:
            here = ours[i] if ours else None
            yield Cell(item, row, column, float(figure), here, "not checkable", NOT_RELEASED)
