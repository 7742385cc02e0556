"""The look that all our figures share, and how they are saved: vector, fonts embedded, colour-blind safe."""

import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import matplotlib as mpl
import xarray as xr
from cycler import cycler
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from irmeta.errors import IrmetaError
from irmeta.io.outputs import writing
from irmeta.report.plots.layout import Layout, fit_to_content, freeze_layout
from irmeta.words import printable

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
    "#999999",
    "#000000",
)
"""Colours that suit colour-blind readers, with grey for yellow, which paper hides. Source: Okabe and Ito (2008)."""

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
_UNSIGNED: Any = dict.fromkeys(("Date", "Creator", "Format", "Type"))
"""What keeps all that is not drawn out of the SVG of a page."""
_LOOK = {
    "font-family": "'DejaVu Sans', Verdana, sans-serif",
    "stroke-linejoin": "round",
    "stroke-linecap": "butt",
}
"""What every element of the SVG of a page shares; the page may choose another font."""

Plot = Callable[..., Axes]


class Drawing(Figure):
    """A figure that a notebook shows when a cell ends with it, whether or not pyplot draws there."""

    def _repr_svg_(self) -> str:
        return inline_svg(self)


def inline_svg(figure: Figure) -> str:
    """Return a figure as the SVG element alone, for a notebook."""
    written = StringIO()
    with mpl.rc_context(STYLE), boxes_for_unknown():
        figure.savefig(written, format="svg", bbox_inches="tight", metadata=_UNSIGNED)
    text = written.getvalue()
    return text[text.index("<svg") :]


def draw(
    plot: Plot | Sequence[Plot],
    result: xr.Dataset | xr.DataArray,
    *,
    width: float = COLUMN,
    height: float = 2.6,
    columns: int = 1,
    shares: Sequence[float] | None = None,
    **options: Any,
) -> Figure:
    """Draw a plot of a result on a figure of its own, or several in columns that share the horizontal axis.

    width and height are in inches; a width that is asked for goes first, and words that need it add to the height.
    shares : of the height, by row of plots; by default all are as high.
    """
    plots = [plot] if callable(plot) else list(plot)
    with mpl.rc_context(STYLE), boxes_for_unknown():
        figure = Drawing(figsize=(asked_width(width), height), layout=Layout())
        panels = figure.subplots(
            len(plots) // columns,
            columns,
            sharex=True,
            squeeze=False,
            height_ratios=shares,
        )
        for draw_panel, panel in zip(plots, panels.flat, strict=True):
            draw_panel(result, panel, **options)
        fit_to_content(figure)
        return figure


_ASKED: ContextVar[float | None] = ContextVar("width", default=None)


@contextmanager
def as_wide_as(width: float | None) -> Iterator[None]:
    """Let figures that are drawn within be that many inches wide; None: as wide as each needs."""
    before = _ASKED.set(width)
    try:
        yield
    finally:
        _ASKED.reset(before)


def asked_width(width: float) -> float:
    """Return the width that is asked for, else this one."""
    return _ASKED.get() or width


def panels_abreast(panels: int, least: float, width: float = COLUMN) -> int:
    """Return how many panels of at least that many inches stand side by side, in full rows.

    >>> panels_abreast(4, 2.2), panels_abreast(4, 2.2, 7.0), panels_abreast(3, 2.2, 7.0)
    (1, 2, 3)
    """
    most = max(1, int(asked_width(width) // least))
    return max(count for count in range(1, most + 1) if panels % count == 0)


@contextmanager
def boxes_for_unknown() -> Iterator[None]:
    """Draw characters that no font here has as boxes; matplotlib would warn of each."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"Glyph .* missing from", UserWarning)
        yield


def save(figure: Figure, path: Path) -> None:
    """Save a figure as SVG, PDF or PNG by the suffix of its path; the file appears whole or not at all."""
    form = require_form(path)
    with writing(path) as part:
        part.write_bytes(figure_bytes(figure, form))


def figure_bytes(figure: Figure, form: str) -> bytes:
    """Return the bytes of a figure as a file of this form: svg, pdf or png."""
    drawn = BytesIO()
    with mpl.rc_context(STYLE), boxes_for_unknown():
        figure.savefig(drawn, format=form, dpi=200, metadata=_UNDATED.get(form))
    return drawn.getvalue()


def svg(figure: Figure, name: str, title: str) -> str:
    """Return a figure as SVG for a page: its text is text, and no identifier occurs on the page's other figures.

    name : of the figure on the page.  title : what it shows, for who does not see it.

    The figure is laid out for all later forms.
    """
    look = {**STYLE, "svg.fonttype": "none", "svg.hashsalt": name}
    drawn = BytesIO()
    with mpl.rc_context(look), boxes_for_unknown():
        freeze_layout(figure)  # laid out once, the same in all forms
        figure.savefig(drawn, format="svg", metadata=_UNSIGNED, transparent=True)
    root = _slim(printable(drawn.getvalue().decode(), "\n\t"))
    root.attrib |= {"role": "img", "tabindex": "0", "aria-label": title}
    return ElementTree.tostring(root, encoding="unicode")


_SVG = "http://www.w3.org/2000/svg"
_LINK = "http://www.w3.org/1999/xlink"
_GROUP = f"{{{_SVG}}}g"
ElementTree.register_namespace("", _SVG)
ElementTree.register_namespace("xlink", _LINK)


def _slim(text: str) -> Element:
    """Leave out of matplotlib's SVG what a page does not need: names of groups, their nesting, fonts, far decimals."""
    root = ElementTree.fromstring(text)
    root.attrib |= _LOOK
    root.remove(root[0])  # a style, which would be that of the whole page
    _unwrap_groups(root)
    for element in root.iter():
        if element.tag != f"{{{_SVG}}}text":
            element.text = None
        element.tail = None
        for name in ("d", "x", "y", "transform"):
            if name in element.attrib:
                element.set(name, _rounded(element.get(name, "")))
        if element.get("transform", "").startswith("rotate(-0 "):
            del element.attrib["transform"]
        if "style" in element.attrib:
            element.set(
                "style", re.sub("; font-family:[^;]*", "", element.get("style", ""))
            )
    return root


def _unwrap_groups(parent: Element) -> None:
    """Replace groups that have no attributes but a name by what they hold."""
    children = []
    for child in parent:
        _unwrap_groups(child)
        if child.tag == _GROUP:
            child.attrib.pop("id", None)
        bare = child.tag == _GROUP and not child.attrib
        children += list(child) if bare else [child]
    parent[:] = children


def _rounded(places: str) -> str:
    """Write places to a hundredth of a point, on one line."""
    return re.sub(r"(\.\d\d)\d+", r"\1", places).replace("\n", "")


def require_form(path: Path) -> str:
    """Return the form that a path's suffix asks for; raise IrmetaError if figures cannot be saved so."""
    form = path.suffix.lstrip(".").lower()
    if form not in ("svg", "pdf", "png"):
        raise IrmetaError(f"{path}: figures are saved as .svg, .pdf or .png")
    return form
