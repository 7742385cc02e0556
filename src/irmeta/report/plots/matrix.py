"""Matrices drawn as shades, with their names, and with figures where a cell has room for them."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from irmeta.report.plots.marks import say_cells
from irmeta.scores.figures import short
from irmeta.stats.arrays import Floats


def matrix(
    axes: Axes,
    values: Floats,
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    label: str,
    low: float = -1,
    colours: str = "RdBu",
) -> None:
    """Draw values as shades, rows down and columns across, with a bar of the colours.

    label : what the values are.  low : the least value that has a colour; the greatest is 1.
    """
    square = len(rows) == len(columns)
    image = axes.imshow(
        values,
        cmap=colours,
        vmin=low,
        vmax=1,
        aspect="equal" if square else "auto",
        interpolation="nearest",
    )
    axes.set_xticks(range(len(columns)), columns, rotation=90 if square else 0)
    axes.set_yticks(range(len(rows)), rows)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    _write_figures(axes, values, low)
    bar = axes.get_figure(root=True).colorbar(  # type: ignore[union-attr]
        image, ax=axes, fraction=0.046, pad=0.02, shrink=0.8
    )
    bar.set_label(label)
    say_cells(axes, rows, columns, [short(value, 3) for value in values.ravel()])


def _write_figures(axes: Axes, values: Floats, low: float) -> None:
    middle = (1 + low) / 2
    for (row, column), value in np.ndenumerate(values):
        dark = abs(value - middle) > 0.6 * (1 - middle)
        figure = axes.text(
            column,
            row,
            short(value),
            ha="center",
            va="center",
            color="white" if dark else "black",
        )
        figure.set_in_layout(False)  # it lies within its cell
