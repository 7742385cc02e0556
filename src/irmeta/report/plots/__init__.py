"""Figures: each module draws the results of the study of its name, in the room of what that is about."""

from collections.abc import Iterable
from importlib import import_module
from inspect import signature
from typing import Any

import xarray as xr
from matplotlib.figure import Figure

from irmeta.errors import ScoresError
from irmeta.report.plots import marks
from irmeta.report.plots.figure import as_wide_as
from irmeta.scores.labels import chosen
from irmeta.scores.selection import choose_names
from irmeta.studies import STUDIES, name_of


def figure_of(
    result: xr.Dataset,
    *,
    highlight: str | Iterable[str] | None = None,
    width: float | None = None,
    **view: Any,
) -> Figure:
    """Return the figure of a result, drawn by the `figure` of its study's plots; `view` says what of it to draw.

    highlight : names to mark, of systems or of what else the figure names, as `irmeta.select` takes them; a figure of
    the best systems draws them, too.
    width : in inches; as wide as the plot needs by default.
    Raises ScoresError where the study has no figure, and for names that it does not draw.
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
        if highlight is None:
            return figure
        drawn = marks.named(figure)
        systems = result.system.values.astype(str) if "system" in result.coords else ()
        known = list(dict.fromkeys([*drawn, *systems]))
        names = chosen(result, highlight, known, "the plot")
        if "marked" in signature(plots.figure).parameters:
            figure = plots.figure(result, marked=names, **view)
    marks.highlight(
        figure, choose_names("system", names, marks.named(figure), "the plot")
    )
    return figure
