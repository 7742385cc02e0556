"""The scores of one system, typed by hand."""

import re
from os import PathLike

import numpy as np
import xarray as xr

from irmeta.errors import FileFormatError, ScoresError
from irmeta.io import strictly
from irmeta.io.files import display, read_bytes, stem
from irmeta.io.formats.scores import load
from irmeta.io.tables.matrices import import_systemwise
from irmeta.io.tables.printed import is_document, split_fragment
from irmeta.io.tables.spreadsheet import import_table
from irmeta.metrics.names import is_known, parse, split
from irmeta.scores.cube import cube
from irmeta.scores.tables.roles import ALL
from irmeta.words import listed

GIVEN = "given"
"""The name of the one system whose scores were typed."""


def table(path: str | PathLike[str]) -> xr.DataArray:
    """Read a table of systems and metrics: CSV, a table of a document, or a score file of one collection."""
    where, words = split_fragment(path)
    if not words and stem(where).endswith(".parquet"):
        return load(path)
    if not words and not is_document(read_bytes(where)):
        return next(iter(import_systemwise(path).values()))
    cubes = import_table(path)
    if len(cubes) > 1:
        raise FileFormatError(
            f"{display(where)}: the table has the columns of {len(cubes)} collections; choose one by #, as in "
            f"'{'#'.join([display(where), *words, next(iter(cubes))])}': {listed(cubes)}"
        )
    [scores] = cubes.values()
    if not any(map(is_known, scores.metric.values)):
        raise FileFormatError(
            f"{display(where)}: no column of the table is called by a metric, but {listed(scores.topic.values)}; "
            "metrics are called as in AP, nDCG@10, RBP(p=0.95)"
        )
    return scores


def given(text: str, system: str = GIVEN) -> xr.DataArray:
    """Read one system's scores as a cube.

    >>> given("P@10=0.43 RBP(p=0.95)=0.3").metric.values.tolist()
    ['P@10', 'RBP(p=0.95)']
    >>> given("P@10=84.5%").item()
    0.845
    """
    scores: dict[str, float] = {}
    for part in split(text):
        name, equals, value = part.rpartition("=")
        number = strictly.number_or_nan(re.sub("%$", "e-2", value))
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
