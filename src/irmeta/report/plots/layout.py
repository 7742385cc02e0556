"""Where words stand in a figure, so that all of them can be read: legends, labels of axes, names beside marks."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.cbook import STEP_LOOKUP_MAP
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.text import Annotation, Text
from matplotlib.ticker import AutoLocator
from matplotlib.transforms import Bbox, BboxBase

from irmeta.stats.arrays import Floats

BESIDE = "beside"
"""What marks a name that may move around its mark, or be left out."""
MARKED = "#D55E00"
"""The colour of systems of interest; their names are never left out."""
_PLACES = ((4, 3), (-4, 3), (4, -3), (-4, -3), (0, 5), (0, -5))
"""Points from a mark to its name: to the right and up first."""
_FAR_PLACES = tuple(
    (across, up * side)
    for up in range(0, 80, 4)
    for side in (1, -1)
    for across in (20, -20)
)
"""Points from a mark to a name that a thin line leads to, the nearest first."""
_LEADER: Any = {
    "width": 0,
    "headwidth": 0,
    "headlength": 0.1,
    "linewidth": 0.5,
    "color": "0.5",
}
"""How that line is drawn."""
_ALONG = 4.0
"""Dots from a place on a line to the next that a name should not cover."""


SQUARE = "square"
"""What marks a matrix whose cells are as high as they are wide, where they are not large."""
LARGEST_CELL = 24.0
"""The height in points that such a cell has at most."""
SMALLEST_CELL = 12.5
"""The width in points of a cell that has room for a figure that can be read; LOWEST_CELL is the height."""
LOWEST_CELL = 7.0
LARGEST_TEXT = 8.0
READABLE = 5.0
"""The size in points from which names can be read on paper without effort; no row of a plot has smaller ones."""
SMALLEST_TEXT = 4.5
"""Names smaller than this cannot be read; they are left out."""


_ROUNDS = 3
"""How often text is fitted to cells, which a layout with other text makes wider or narrower."""


class Layout(ConstrainedLayoutEngine):
    """A constrained layout that also fits the text of matrices to their cells, and keeps names apart.

    done : the size in inches of the figure that was laid out last.  sizes : of the text of its matrices.
    """

    done: tuple[float, ...] = ()
    sizes: Sequence[tuple[float, ...]] = ()

    def execute(self, figure: Any) -> None:
        """Lay out a figure."""
        super().execute(figure)
        for _ in range(_ROUNDS):
            before = self.sizes
            self.sizes = [fit_matrix_text(axes) for axes in figure.axes]
            if self.sizes == before or not any(self.sizes):
                break
            super().execute(figure)
        _keep_apart(figure)
        self.done = tuple(figure.get_size_inches())


def write_beside(axes: Axes, name: str, x: float, y: float, **look: Any) -> Annotation:
    """Write a name beside a mark, where there is room for it; names written first go first."""
    drawn = axes.annotate(
        name, (x, y), xytext=_PLACES[0], arrowprops=_LEADER, **_OFFSET, **look
    )
    drawn.set_gid(BESIDE)
    drawn.set_in_layout(False)
    return drawn


_OFFSET: Any = {"textcoords": "offset points", "annotation_clip": False}


class _Room(NamedTuple):
    """Where names may stand: beside no other mark, and within the whole figure."""

    marks: Sequence[BboxBase]
    whole: BboxBase
    renderer: Any


def _keep_apart(figure: Figure) -> None:
    """Move each name around its mark until it covers nothing, or else lines alone, or away to where a line leads to it.

    What finds no place is left out.
    """
    names = [
        text
        for axes in figure.axes
        for text in axes.texts
        if isinstance(text, Annotation) and text.get_gid() == BESIDE
    ]
    names.sort(key=lambda name: name.get_color() != MARKED)
    if not names:
        return
    drawn: Any = figure
    renderer = drawn._get_renderer()  # of the resolution drawn in, as layouts take it
    taken: list[BboxBase] = [
        text.get_window_extent(renderer) for text in _fixed_texts(figure)
    ]
    room = _Room(_mark_boxes(figure), figure.bbox, renderer)
    lines = _line_boxes(figure)
    for name in names:
        boxes = (
            _place_beside_mark(name, [*taken, *lines], room)
            or _place_beside_mark(name, taken, room)
            or _place_away(name, taken, room)
        )
        if not boxes and name.get_color() == MARKED:
            boxes = [_moved(name, *_PLACES[0], renderer)]
        name.set_visible(bool(boxes))
        taken += boxes


def _fixed_texts(figure: Figure) -> list[Text]:
    """List the texts that stay where they are: those of plots and of their axes."""
    return [
        text
        for axes in figure.axes
        for text in (
            *axes.texts,
            *axes.get_xticklabels(),
            *axes.get_yticklabels(),
            axes.xaxis.label,
            axes.yaxis.label,
        )
        if text.get_gid() != BESIDE and text.get_visible() and text.get_text()
    ]


def _mark_boxes(figure: Figure) -> list[BboxBase]:
    """Return the boxes of the marks that lines draw."""
    boxes: list[BboxBase] = []
    for line in (line for axes in figure.axes for line in axes.lines):
        if str(line.get_marker()).strip() in ("", "None"):
            continue
        half = line.get_markersize() * figure.dpi / 72 / 2
        places = line.get_transform().transform(line.get_xydata())
        boxes += [Bbox([place - half, place + half]) for place in places]
    return boxes


def _line_boxes(figure: Figure) -> list[BboxBase]:
    """Return small boxes along the lines that are drawn, which names should not cover."""
    boxes: list[BboxBase] = []
    for line in (line for axes in figure.axes for line in axes.lines):
        if line.get_linestyle() in ("", " ", "None", "none"):
            continue
        steps = STEP_LOOKUP_MAP[line.get_drawstyle()]
        ends = line.get_transform().transform(np.column_stack(steps(*line.get_data())))
        for start, end in pairwise(ends):
            boxes += _boxes_between(start, end)
    return boxes


def _boxes_between(start: Floats, end: Floats) -> list[BboxBase]:
    count = int(np.hypot(*(end - start)) / _ALONG) + 2
    return [Bbox([dot - 1, dot + 1]) for dot in np.linspace(start, end, count)]


def _place_beside_mark(
    name: Annotation, taken: Sequence[BboxBase], room: _Room
) -> list[BboxBase]:
    """Move a name to the first free place around its mark; return the box that it takes there, none without a place.

    No other mark is nearer to it there.
    """
    mark = _place_of_mark(name)
    corners = [box.corners().mean(axis=0) for box in room.marks]
    centres = np.array(corners).reshape(-1, 2)
    for across, up in _PLACES:
        own = _moved(name, across, up, room.renderer)
        others = _distances(own, centres).min(initial=np.inf)
        nearest = _distances(own, mark[None])[0] <= others + 1
        if nearest and _is_free(name, own, taken, room):
            return [own]
    return []


def _place_away(
    name: Annotation, taken: Sequence[BboxBase], room: _Room
) -> list[BboxBase]:
    """Move a name to where a line from its mark leads to it; return the boxes of both, none without a place.

    The line crosses no name, and no other such line.
    """
    mark = _place_of_mark(name)
    for across, up in _FAR_PLACES:
        own = _moved(name, across, up, room.renderer, away=True)
        end = np.array([own.x0 if across > 0 else own.x1, (own.y0 + own.y1) / 2])
        leader = _boxes_between(mark, end)
        crosses = any(dot.overlaps(other) for dot in leader for other in taken)
        if not crosses and _is_free(name, own, taken, room):
            return [own, *leader]
    return []


def _place_of_mark(name: Annotation) -> Floats:
    assert name.axes is not None
    return np.asarray(name.axes.transData.transform(name.xy))


def _distances(box: BboxBase, places: Floats) -> Floats:
    """Return how far places are from a box."""
    return np.hypot(*(places - np.clip(places, box.p0, box.p1)).T)


def _is_free(
    name: Annotation, own: BboxBase, taken: Sequence[BboxBase], room: _Room
) -> bool:
    """Say whether a name covers nothing and lies within its figure, right of the axis."""
    axes: Any = name.axes
    inside = axes.bbox.x0 <= own.x0 and own.x1 <= room.whole.x1
    return inside and not any(own.overlaps(other) for other in (*taken, *room.marks))


def _moved(
    name: Annotation, across: float, up: float, renderer: Any, *, away: bool = False
) -> BboxBase:
    """Move a name to points across and up from its mark, aligned towards it; return the box of its text.

    away : whether a line leads to it.
    """
    name.set_visible(True)
    assert name.arrow_patch is not None
    name.arrow_patch.set_visible(away)
    name.xyann = (across, up)
    name.set_horizontalalignment(
        "center" if across == 0 else "left" if across > 0 else "right"
    )
    name.set_verticalalignment("center" if away else "bottom" if up > 0 else "top")
    name.update_positions(renderer)
    return Text.get_window_extent(name, renderer)


def fit_matrix_text(axes: Axes) -> tuple[float, ...]:
    """Fit names and figures of a matrix that is laid out to the width of its cells; return their sizes in points.

    Nothing is written where it could not be read. Other axes have no sizes.
    """
    if not axes.images or not len(axes.get_xticks()):
        return ()
    across, down = _cell_size(axes)
    room = across >= SMALLEST_CELL and down >= LOWEST_CELL
    # to a tenth, so that another layout soon changes them no more
    figures, over, left = (
        round(min(LARGEST_TEXT, size), 1)
        for size in (min(0.4 * across, 0.8 * down), 0.85 * across, 0.85 * down)
    )
    for text in axes.texts:
        text.set_visible(room)
        text.set_fontsize(figures)
    if axes.get_gid() == SQUARE:
        axes.tick_params(axis="y", labelsize=left)
        if _longest_name(axes) > across:
            axes.tick_params(axis="x", labelrotation=90)
        elif not _names_are_turned(axes):
            over = LARGEST_TEXT
    axes.tick_params(axis="x", labelsize=over, labelbottom=over >= SMALLEST_TEXT)
    return room, figures, over, left, float(_names_are_turned(axes))


def _cell_size(axes: Axes) -> tuple[float, float]:
    """Return width and height in points of a cell of a matrix that is laid out."""
    points = 72 / axes.get_figure(root=True).dpi  # type: ignore[union-attr]
    wide, tall = points * axes.bbox.width, points * axes.bbox.height
    return wide / len(axes.get_xticks()), tall / len(axes.get_yticks())


def _names_are_turned(axes: Axes) -> bool:
    """Say whether the names below a matrix are turned, as they then stay."""
    return any(label.get_rotation() == 90 for label in axes.get_xticklabels())


def _longest_name(axes: Axes) -> float:
    """Return the points that the longest name below a matrix takes in its largest size, with room beside it."""
    points = 72 / axes.get_figure(root=True).dpi  # type: ignore[union-attr]
    axes.tick_params(axis="x", labelbottom=True)
    boxes = [
        (label.get_window_extent(), float(label.get_fontsize()))
        for label in axes.get_xticklabels()
    ]
    return (
        max(
            points * max(box.width, box.height) * LARGEST_TEXT / size
            for box, size in boxes
        )
        + LARGEST_TEXT / 2
    )


def smallest_text(figure: Figure) -> float:
    """Return the size in points of the smallest text of a figure that was drawn."""
    texts = [
        text
        for axes in figure.axes
        for text in (*axes.texts, *axes.get_xticklabels(), *axes.get_yticklabels())
        if text.get_visible() and text.get_text()
    ]
    return min((float(text.get_fontsize()) for text in texts), default=LARGEST_TEXT)


def lay_out(figure: Figure) -> None:
    """Lay out a figure as it is now."""
    layout = figure.get_layout_engine()
    if layout is not None:
        layout.execute(figure)


def freeze_layout(figure: Figure) -> None:
    """Lay out a figure that is not yet laid out in its size, and let it stay as it is."""
    size = tuple(figure.get_size_inches())
    if getattr(figure.get_layout_engine(), "done", ()) != size:
        lay_out(figure)
    figure.set_layout_engine(None)


def fit_to_content(figure: Figure) -> None:
    """Break long labels, thin the numbers of axes, and square the cells of matrices; then make a figure tall enough.

    It grows by what the labels along its height lack.
    """
    for axes in figure.axes:
        break_lines(axes.xaxis.label, figure.bbox.width)
    lay_out(figure)
    for axes in figure.axes:
        _thin_numbers(axes)
    lay_out(figure)
    for axes in figure.axes:
        if axes.get_gid() == SQUARE:
            _square_cells(figure, axes)
    labelled = [axes for axes in figure.axes if axes.get_ylabel()]
    lack = max(map(_overhang, labelled), default=0)
    if lack > 0:
        rows = len({round(axes.bbox.y0) for axes in labelled})
        figure.set_figheight(figure.get_figheight() + rows * lack / figure.dpi)


def _overhang(axes: Axes) -> float:
    """Return by how many pixels the label of a vertical axis is longer than the axis."""
    return axes.yaxis.label.get_window_extent().height - axes.bbox.height


def _thin_numbers(axes: Axes) -> None:
    """Number a horizontal axis at fixed places, so few that no number touches the next.

    Numbers that came and went with the width that they leave would be cut off at its end.
    """
    locator = axes.xaxis.get_major_locator()
    if not isinstance(locator, AutoLocator):
        return
    for places in range(min(max(axes.xaxis.get_tick_space(), 3), 9), 2, -1):
        locator.set_params(nbins=places)
        boxes = [
            label.get_window_extent()
            for label in axes.get_xticklabels()
            if label.get_text()
        ]
        if not any(box.padded(2).overlaps(other) for box, other in pairwise(boxes)):
            break


def _square_cells(figure: Figure, axes: Axes) -> None:
    """Make the cells of a matrix as high as they are wide, and none larger than it need be."""
    for _ in range(_ROUNDS):
        across, down = _cell_size(axes)
        lack = len(axes.get_yticks()) * (min(across, LARGEST_CELL) - down)
        if abs(lack) < 1:
            break
        figure.set_figheight(figure.get_figheight() + lack / 72)
        lay_out(figure)


def break_lines(label: Text, width: float) -> None:
    """Break a text at the space nearest to the middle of its longest line until it is no wider."""
    while label.get_window_extent().width > width:
        lines = label.get_text().split("\n")
        at = max(range(len(lines)), key=lambda line: len(lines[line]))
        line = lines[at]
        spaces = [place for place, letter in enumerate(line) if letter == " "]
        if not spaces:
            return
        cut = min(spaces, key=lambda place: abs(place - len(line) / 2))
        lines[at] = f"{line[:cut]}\n{line[cut + 1 :]}"
        label.set_text("\n".join(lines))
