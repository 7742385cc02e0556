"""Figures for papers: each module draws the results of the study of its name, and knows how large."""

from collections.abc import Collection
from importlib import import_module
from typing import Any

import xarray as xr
from matplotlib.figure import Figure

from irmeta.errors import ScoresError
from irmeta.report.plots import marks
from irmeta.studies import name_of


def figure_of(
    result: xr.Dataset, *, highlight: Collection[str] = (), **view: Any
) -> Figure:
    """Return the figure of a result, drawn by the `figure` of its study's plots; `view` says what of it to draw.

    highlight : names to mark, of systems or of what else the figure names.
    Raises ScoresError where the study has no figure.
    """
    name = name_of(result)
    try:
        plots = import_module(f"irmeta.report.plots.{name}")
    except ModuleNotFoundError as error:
        if error.name != f"irmeta.report.plots.{name}":
            raise
        raise ScoresError(
            f"results of {name} have no figure; leave out --plot"
        ) from None
    figure: Figure = plots.figure(result, **view)
    if highlight:
        marks.highlight(figure, highlight)
    return figure
