"""Figures: each module draws the results of the study of its name, in the room of what that is about."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from importlib import import_module
from inspect import signature
from typing import Any, get_args, get_type_hints

import xarray as xr
from matplotlib.figure import Figure

from irmeta.errors import ScoresError, require_choice
from irmeta.metrics.names import nearest
from irmeta.report.plots import marks
from irmeta.report.plots.figure import as_wide_as
from irmeta.scores.attributes import about
from irmeta.studies import STUDIES, name_of
from irmeta.studies.result.labels import chosen
from irmeta.words import joined, listed


def figure_of(
    result: xr.Dataset,
    *,
    highlight: str | Iterable[str] | None = None,
    width: float | None = None,
    **view: Any,
) -> Figure:
    """Return the figure of a result, drawn by the `figure` of its study's plots; `view` says what of it to draw.

    highlight : names to mark, of systems or of what else the figure names, as `irmeta.select` takes them; a figure of
    the best systems, or of some metrics, draws them, too.
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
    for wrong in view.keys() - signature(plots.figure).parameters.keys():
        for option in {wrong, f"{wrong}s"} & about(result)["options"].keys():
            raise TypeError(f"plot: {option!r} is an option of {name}; give it there")
        if wrong == "view":
            raise ScoresError(f"results of {name} have one view; leave out --view")
        known = ["highlight", "width", *_options(plots.figure)]
        raise TypeError(f"plot: there is no option {wrong!r}; {nearest(wrong, known)}")
    if "view" in view:
        require_choice("view", view["view"], _views(plots.figure))
    with as_wide_as(width):
        figure: Figure = plots.figure(result, **view)
        if highlight is None:
            return figure
        marking = "marked" in signature(plots.figure).parameters
        known = _known_names(result, marks.names_of_marks(figure), metrics=marking)
        names = chosen(result, highlight, known, "the plot")
        if marking:
            figure = plots.figure(result, marked=names, **view)
    drawn = marks.names_of_marks(figure)
    if absent := [mark for mark in names if mark not in drawn]:
        there = _where_shown(result, plots.figure, absent, drawn)
        raise ScoresError(f"this plot does not show {listed(absent)}; {there}")
    marks.highlight(figure, names)
    return figure


def _views(figure: Callable[..., Figure]) -> tuple[str, ...]:
    """Return the views that a study's figure has to choose from."""
    return get_args(get_type_hints(figure).get("view"))


def _options(figure: Callable[..., Figure]) -> list[str]:
    """Name the options that say what a study's figure draws."""
    _, *options = signature(figure).parameters
    return [name for name in options if name != "marked"]


def _known_names(
    result: xr.Dataset, drawn: Sequence[str], *, metrics: bool
) -> list[str]:
    """Return the names that a figure may mark: those drawn, the systems, and, if it names some, the metrics."""
    compared = [about(result)["options"].get("system"), *_names(result, "against")]
    known = [*drawn, *_names(result, "system"), *filter(None, compared)]
    of_metrics = _names(result, "metric")
    if metrics and set(known) & set(of_metrics):
        known += of_metrics
    return list(dict.fromkeys(known))


def _where_shown(
    result: xr.Dataset,
    figure: Callable[..., Figure],
    absent: Sequence[str],
    drawn: Sequence[str],
) -> str:
    """Say which view of a study shows the systems that one does not, or what does where none does."""
    marked = {"marked": absent} if "marked" in signature(figure).parameters else {}
    able = []
    for view in _views(figure):
        with suppress(ScoresError):
            shown = marks.names_of_marks(figure(result, view=view, **marked))
            if set(absent) <= set(shown):
                able.append(view)
    if able:
        return f"choose another view: {joined(able, 'or')}"
    if shown := [name for name in drawn if name in _names(result, "system")]:
        return f"it names {listed(shown)}"
    topics = bool(drawn) and set(drawn) <= set(_names(result, "topic"))
    of = "topics" if topics else "metrics"
    return f"it is of {of}; `irmeta describe SCORES` draws systems"


def _names(result: xr.Dataset, dim: str) -> list[str]:
    """Return what a result has along one of its dimensions, if it has that."""
    if dim not in result.coords:
        return []
    return [str(name) for name in result[dim].values.reshape(-1)]
