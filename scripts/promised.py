"""The figure of what is promised against what was measured: a row for each promise, a dot for each case."""

from itertools import groupby
from operator import attrgetter

import xarray as xr
from matplotlib.axes import Axes

from irmeta.measured.coverage import rows
from irmeta.report.plots.figure import PAGE, PALETTE, draw, figure_bytes
from irmeta.report.plots.rows import legend, named_rows, rows_height


def figure() -> bytes:
    """Return the figure as SVG."""
    cases = sorted(rows(), key=attrgetter("of"))
    found = {of: list(group) for of, group in groupby(cases, attrgetter("of"))}

    def plot(_: xr.Dataset, axes: Axes) -> Axes:
        for row, group in enumerate(found.values()):
            kept = [one.kept for one in group]
            promised = sorted({one.promised for one in group})
            axes.plot(kept, [row] * len(kept), ".", color=PALETTE[0], alpha=0.4)
            axes.plot(promised, [row] * len(promised), "|", color=PALETTE[5])
        axes.plot([], [], ".", color=PALETTE[0], label="measured, one case each")
        axes.plot([], [], "|", color=PALETTE[5], label="promised")
        legend(axes)
        return named_rows(
            axes,
            list(found),
            "share of draws in which it held; of tests, in which they rejected what is true",
        )

    return figure_bytes(
        draw(plot, xr.Dataset(), width=PAGE, height=rows_height(len(found))), "svg"
    )
