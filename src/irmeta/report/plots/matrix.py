"""Matrices drawn as shades, with their names, and with figures where a cell has room for them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.ticker import MaxNLocator

from irmeta.report.plots.figure import PAGE, Plot, asked_width, draw
from irmeta.report.plots.layout import LARGEST_CELL, SQUARE
from irmeta.report.plots.marks import name_cells
from irmeta.scores.figures import short
from irmeta.stats.arrays import Floats

_LOWEST = (0.9, 0.8, 0.5, 0.0, -1.0)
"""Values that a scale of colours may begin with: the highest that is not above a matrix's own."""
_BAR = 0.1
"""Inches across a bar of colours."""


def draw_matrix(
    axes: Axes,
    values: Floats,
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    label: str,
) -> None:
    """Draw values up to 1 as shades, rows down and columns across, with a bar of the colours; 1 is darkest.

    label : what the values are.
    """
    least = float(np.nanmin(values, initial=1.0))
    low = next((lowest for lowest in _LOWEST if lowest <= least), -1.0)
    image = axes.imshow(
        values,
        cmap="RdBu" if low < 0 else "Blues",
        vmin=low,
        vmax=1,
        aspect="auto",
        interpolation="nearest",
    )
    if list(rows) == list(columns):  # of pairs
        axes.set_gid(SQUARE)
    axes.set_xticks(range(len(columns)), columns)
    axes.set_yticks(range(len(rows)), rows)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    _write_figures(axes, image, values)
    shade_bar(axes, image, label, shrink=0.8)
    name_cells(
        axes, rows, columns, [_cell_figure(value, 3) for value in values.ravel()]
    )


def draw_square_matrix(plot: Plot, result: xr.Dataset, **options: Any) -> Figure:
    """Draw a matrix of all pairs of metrics, the more of them the larger."""
    metrics = result.sizes["metric"]
    side = asked_width(min(PAGE, 2.0 + 0.25 * metrics))
    tall = 1.0 + min(side - 1.6, metrics * LARGEST_CELL / 72)
    return draw(plot, result, width=side, height=tall, **options)


def shade_bar(axes: Axes, image: AxesImage, label: str, *, shrink: float = 1.0) -> None:
    """Draw beside a matrix what its colours stand for, no wider in a large figure than in a small one."""
    figure: Any = axes.get_figure(root=True)
    wide, tall = figure.get_size_inches()
    bar = figure.colorbar(
        image,
        ax=axes,
        label=label,
        ticks=MaxNLocator(5, steps=[1, 2, 5, 10]),
        fraction=2 * _BAR / wide,
        pad=_BAR / wide,
        shrink=shrink,
        aspect=shrink * tall / _BAR,
    )
    bar.outline.set_visible(False)


def _cell_figure(value: float, digits: int = 2) -> str:
    """Write the figure of a cell; only what is 1 is written as 1.

    >>> _cell_figure(0.996), _cell_figure(-0.9996, 3), _cell_figure(1.0), _cell_figure(-0.001)
    ('>.99', '<-.999', '1.00', '.00')
    """
    rounded = round(value, digits) + 0.0  # never -.00
    if not abs(rounded) >= 1 or 1 - abs(value) < 1e-9:
        return short(rounded, digits)
    below = short(np.copysign(1 - 10.0**-digits, value), digits)
    return f"{'<' if value < 0 else '>'}{below}"


def _write_figures(axes: Axes, image: AxesImage, values: Floats) -> None:
    """Write the figure of each cell into it, black or white, whichever is read more easily."""
    # relative luminance; from 0.18 on, black is read more easily than white. Source: WCAG 2.1
    light = image.to_rgba(values)[..., :3] ** 2.2 @ (0.2126, 0.7152, 0.0722)
    for (row, column), value in np.ndenumerate(values):
        figure = axes.text(
            column,
            row,
            _cell_figure(float(value)),
            ha="center",
            va="center_baseline",
            color="black" if light[row, column] > 0.18 else "white",
        )
        figure.set_in_layout(False)  # it lies within its cell
