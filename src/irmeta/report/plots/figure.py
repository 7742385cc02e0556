"""The look that all our figures share, and how they are saved: vector, fonts embedded, colour-blind safe."""

from collections.abc import Callable, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import matplotlib as mpl
import xarray as xr
from cycler import cycler
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from irmeta.errors import IrmetaError
from irmeta.io.outputs import writing

COLUMN = 3.35
"""Width of a column of a two-column paper, in inches; PAGE is the width of both."""
PAGE = 7.0

PALETTE = (
    "#0072B2",
    "#E69F00",
    "#009E73",
    "#CC79A7",
    "#56B4E9",
    "#D55E00",
    "#F0E442",
    "#000000",
)
"""Colours that suit colour-blind readers. Source: Okabe and Ito (2008)."""

STYLE: Any = {  # Any: matplotlib spells out every key it knows, and newer ones differ
    "font.size": 8,
    "axes.titlesize": 8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.prop_cycle": cycler(color=PALETTE),
    "lines.linewidth": 1.2,
    "legend.frameon": False,
    "pdf.fonttype": 42,
    "svg.fonttype": "path",
    "text.parse_math": False,  # names are not formulas
    "svg.hashsalt": "irmeta",
}


_UNDATED: Any = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
"""What keeps the time out of a file: the same result draws the same bytes."""

Plot = Callable[..., Axes]


def draw(
    plot: Plot | Sequence[Plot],
    result: xr.Dataset,
    *,
    width: float = COLUMN,
    height: float = 2.6,
    **options: Any,
) -> Figure:
    """Draw a plot of a result on a figure of its own, or several above one another that share the horizontal axis.

    width and height are in inches.
    """
    plots = [plot] if callable(plot) else list(plot)
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(width, height), layout="constrained")
        panels = figure.subplots(len(plots), sharex=True, squeeze=False)[:, 0]
        for one, panel in zip(plots, panels, strict=True):
            one(result, panel, **options)
        return figure


def save(figure: Figure, path: Path, *, width: float | None = None) -> None:
    """Save a figure as SVG, PDF or PNG by the suffix of its path; the file appears whole or not at all.

    width : in inches; the figure's own by default. Its height and the size of its text stay.
    """
    form = require_form(path)
    if width is not None:
        figure.set_figwidth(width)
    with writing(path) as part:
        part.write_bytes(rendered(figure, form))


def rendered(figure: Figure, form: str) -> bytes:
    """Return a figure as what a file of this form holds."""
    drawn = BytesIO()
    with mpl.rc_context(STYLE):
        figure.savefig(drawn, format=form, dpi=200, metadata=_UNDATED.get(form))
    return drawn.getvalue()


def require_form(path: Path) -> str:
    """Return the form that a path's suffix asks for; raise IrmetaError if figures cannot be saved so."""
    form = path.suffix.lstrip(".").lower()
    if form not in ("svg", "pdf", "png"):
        raise IrmetaError(f"{path}: figures are saved as .svg, .pdf or .png")
    return form
