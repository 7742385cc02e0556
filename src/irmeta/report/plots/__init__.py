"""Figures: each module draws the results of the study of its name, in the room of what that is about."""

from collections.abc import Collection
from importlib import import_module
from typing import Any

import xarray as xr
from matplotlib.figure import Figure

from irmeta.errors import ScoresError
from irmeta.report.plots import marks
from irmeta.report.plots.figure import as_wide_as
from irmeta.studies import STUDIES, name_of


def figure_of(
    result: xr.Dataset,
    *,
    highlight: Collection[str] = (),
    width: float | None = None,
    **view: Any,
) -> Figure:
    """Return the figure of a result, drawn by the `figure` of its study's plots; `view` says what of it to draw.

    highlight : names to mark, of systems or of what else the figure names.
    width : in inches; as wide as the plot needs by default.
    Raises ScoresError where the study has no figure.
    """
    name = name_of(result)
    place = f"irmeta.report.plots.{STUDIES[name].about}.{name}"
    try:
        plots = import_module(place)
    except ModuleNotFoundError as error:
        if error.name not in (place, place.rpartition(".")[0]):
            raise
        raise ScoresError(
            f"results of {name} have no figure; leave out --plot"
        ) from None
    with as_wide_as(width):
        figure: Figure = plots.figure(result, **view)
    if highlight:
        marks.highlight(figure, highlight)
    return figure
