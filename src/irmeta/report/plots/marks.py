"""Words of what is drawn: a page says them to who points at a mark, and a figure marks the systems of interest."""

from collections.abc import Collection, Iterable, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from irmeta.report.plots.layout import MARKED, lay_out, write_beside
from irmeta.report.plots.rows import axis_name
from irmeta.scores.figures import short
from irmeta.stats.arrays import Floats, Indices

Nearest = Literal["x", "y", "xy"]
"""By what a pointer finds its mark: across, down, or by distance."""
POINTS = 72
"""Points of an inch, the unit of a figure in SVG."""


class Marks(Artist):
    """Where the marks of a plot stand, with a name and words for each; itself it draws nothing."""

    def __init__(
        self,
        x: npt.ArrayLike,
        y: npt.ArrayLike,
        names: Iterable[str],
        words: Sequence[str],
        nearest: Nearest,
        drawn: npt.ArrayLike = True,
    ) -> None:
        super().__init__()
        self.set_in_layout(False)
        self.x = np.asarray(x, dtype=np.float64)
        self.y = np.asarray(y, dtype=np.float64)
        self.drawn = np.broadcast_to(drawn, self.x.shape)
        self.names = [str(name) for name in names]
        self.words = list(words)
        self.nearest = nearest

    def draw(self, renderer: Any) -> None:
        """Draw nothing."""

    def placed(self) -> dict[str, Any]:
        """Return names and words with their places in points from the top left, once the figure is laid out."""
        across, down = _places(self, self.x, self.y)
        return {
            "x": across,
            "y": down,
            "names": self.names,
            "words": self.words,
            "nearest": self.nearest,
        }


class Cells(Artist):
    """The cells of a matrix, with words for each, row by row; itself it draws nothing."""

    def __init__(
        self, rows: Iterable[str], columns: Iterable[str], words: Sequence[str]
    ) -> None:
        super().__init__()
        self.set_in_layout(False)
        self.rows = [str(name) for name in rows]
        self.columns = [str(name) for name in columns]
        self.words = list(words)

    def draw(self, renderer: Any) -> None:
        """Draw nothing."""

    def placed(self) -> dict[str, Any]:
        """Return names and words, with the places of columns and rows as `Marks.placed`."""
        columns = np.arange(len(self.columns))
        rows = np.arange(len(self.rows))
        return {
            "x": _places(self, columns, 0 * columns)[0],
            "y": _places(self, 0 * rows, rows)[1],
            "rows": self.rows,
            "columns": self.columns,
            "words": self.words,
        }


def _places(
    artist: Artist, x: npt.NDArray[Any], y: npt.NDArray[Any]
) -> tuple[list[float], list[float]]:
    """Return where places of a plot lie in its figure, in points from the left and from the top."""
    assert artist.axes is not None
    figure = artist.axes.get_figure(root=True)
    assert figure is not None
    dots = artist.axes.transData.transform(np.column_stack([x, y]))
    points = dots * POINTS / figure.dpi
    tall = figure.get_figheight() * POINTS
    return points[:, 0].round(1).tolist(), (tall - points[:, 1]).round(1).tolist()


def name_marks(
    axes: Axes,
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    names: Iterable[str],
    words: Sequence[str],
    *,
    nearest: Nearest = "xy",
    drawn: npt.ArrayLike = True,
) -> None:
    """Keep the names of marks at (x, y), and words for what each shows; nothing is drawn.

    drawn : whether there is a dot to put a ring around, of all or of each.
    """
    axes.add_artist(Marks(x, y, names, words, nearest, drawn))


def name_intervals(
    axes: Axes,
    what: str,
    names: Sequence[str],
    middle: Floats,
    low: Floats,
    high: Floats,
    rows: Indices | None = None,
) -> None:
    """Name rows, by default from the top on, and say of each what it shows, as "mean .312, interval .28 to .35"."""
    words = [
        f"{what} {short(value, 3)}, interval {short(least, 3)} to {short(most, 3)}"
        for value, least, most in zip(middle, low, high, strict=True)
    ]
    rows = np.arange(len(names)) if rows is None else rows
    name_marks(axes, middle, rows, names, words, nearest="y")


def name_cells(
    axes: Axes, rows: Iterable[str], columns: Iterable[str], words: Sequence[str]
) -> None:
    """Keep words for what each cell of a matrix shows, row by row; nothing is drawn."""
    axes.add_artist(Cells(rows, columns, words))


def placed_marks(figure: Figure) -> list[dict[str, Any]]:
    """Return all marks of a figure that is laid out, for the page."""
    return [
        artist.placed()
        for axes in figure.axes
        for artist in axes.artists
        if isinstance(artist, Marks | Cells)
    ]


def names_of_marks(figure: Figure) -> list[str]:
    """Return the names of all marks of a figure."""
    names = [
        name
        for axes in figure.axes
        for artist in axes.artists
        if isinstance(artist, Marks | Cells)
        for name in (artist.names if isinstance(artist, Marks) else artist.rows)
    ]
    return list(dict.fromkeys(names))


def highlight(figure: Figure, names: Collection[str]) -> None:
    """Mark what has these names: bold where an axis names it, else its name beside it; and a ring around its dot."""
    shown = {axis_name(name) for name in names}
    for axes in figure.axes:
        labels = [*axes.get_xticklabels(), *axes.get_yticklabels()]
        named = [label for label in labels if label.get_text() in shown]
        for label in named:
            label.set_color(MARKED)
            label.set_fontweight("bold")
        for marks in axes.artists:
            if isinstance(marks, Marks):
                _ring_marks(axes, marks, names, named=bool(named))
    lay_out(figure)  # beside the names that were added


def _ring_marks(
    axes: Axes, marks: Marks, names: Collection[str], *, named: bool
) -> None:
    """Draw rings around the marks of these names, and their names beside them unless an axis has them (named)."""
    placed = zip(marks.x, marks.y, marks.names, marks.drawn, strict=True)
    for x, y, name, drawn in placed:
        if name not in names:
            continue
        if drawn:
            axes.plot(x, y, "o", markersize=6, markerfacecolor="none", color=MARKED)
        if not named:
            write_beside(axes, name, x, y, color=MARKED, fontweight="bold")
