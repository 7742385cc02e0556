"""Prediction topic by topic, of which Kutlu et al. (2018) comment two tables out."""

from collections.abc import Iterator

import numpy as np
import xarray as xr

from irmeta.metrics.names import split
from irmeta.papers.gupta2019.prediction import row_of
from irmeta.papers.gupta2019.printed import TOPICWISE, TOPICWISE_R2, rows
from irmeta.papers.gupta2019.released import Released
from irmeta.stats.prediction.accuracy import accuracy
from irmeta.stats.prediction.learners import learner
from irmeta.studies.checks.reproduction import Cell, lacking, ours_only

BY_TOPIC = "needs the papers' scores by topic, which were not released"


def topicwise_cells(released: Released) -> Iterator[Cell]:
    """List the printed figures, and give the same models fitted on TREC-COVID round 1, tested on round 3."""
    for names, *groups in rows(TOPICWISE):
        for target, figures in zip(("AP", "nDCG"), groups, strict=True):
            if figures == "-":
                continue
            row = row_of(target, names)
            for column, figure in zip(("RMSE", "R2"), figures.split(), strict=True):
                yield lacking(
                    "topic by topic", row, column, BY_TOPIC, published=float(figure)
                )
            yield from _elsewhere(released.covid, target, split(names))
    why = f"{BY_TOPIC}; STD and DTD are not explained"
    for targets, names, figures in rows(TOPICWISE_R2):
        for column, figure in zip(
            ("R2 w/ STD", "R2 w/ DTD"), figures.split(), strict=True
        ):
            yield lacking(
                "topic by topic, R2",
                row_of(targets, names),
                column,
                why,
                published=float(figure),
            )


def _elsewhere(
    cubes: dict[str, xr.DataArray], target: str, names: list[str]
) -> Iterator[Cell]:
    """Fit on every system and topic of one collection, and predict those of another."""
    train, test = (
        cubes[name].sel(metric=[*names, target]).values.reshape(-1, len(names) + 1)
        for name in cubes
    )
    predicted = learner("ols")(train[:, :-1], train[:, -1])(test[:, :-1])
    found = accuracy(test[:, -1], predicted)
    row = f"{target} <- {', '.join(names)}"
    for column, ours in (("RMSE", found.rmse), ("R2", found.r2)):
        yield ours_only(
            "topic by topic on TREC-COVID",
            row,
            column,
            np.asarray(ours).item(),
            "round 1 to round 3",
        )
