"""The scores of one system, typed by hand."""

from os import PathLike
from pathlib import Path

import numpy as np
import xarray as xr

from irmeta.errors import ScoresError
from irmeta.io import strictly
from irmeta.io.scores import load
from irmeta.io.tables.matrices import import_systemwise
from irmeta.metrics.names import parse, split
from irmeta.scores.cube import cube
from irmeta.scores.frames import ALL

GIVEN = "given"
"""The name of the one system whose scores were typed."""


def table(path: str | PathLike[str]) -> xr.DataArray:
    """Read a table of systems and metrics: CSV, or a score file of one collection."""
    if Path(path).suffix == ".parquet":
        return load(path)
    return next(iter(import_systemwise(path).values()))


def given(text: str, system: str = GIVEN) -> xr.DataArray:
    """Read one system's scores as a cube.

    >>> given("P@10=0.43 RBP(p=0.95)=0.3").metric.values.tolist()
    ['P@10', 'RBP(p=0.95)']
    """
    scores: dict[str, float] = {}
    for part in split(text):
        name, equals, value = part.rpartition("=")
        try:
            number = strictly.number(value)
        except ValueError:
            number = np.nan
        if not equals or not name or np.isnan(number):
            raise ScoresError(
                f"{part!r}: expected METRIC=SCORE, as in 'P@10=0.43 RR=0.61'"
            )
        metric = str(parse(name))
        if metric in scores:
            raise ScoresError(f"{metric} is given twice; give one score of each metric")
        scores[metric] = number
    if not scores:
        raise ScoresError(
            "there are no scores; write METRIC=SCORE, as in 'P@10=0.43 RR=0.61'"
        )
    return cube([[list(scores.values())]], [system], [ALL], list(scores))
