"""Marks: where they stand, what they say, and how systems of interest are marked."""

from itertools import combinations
from xml.etree import ElementTree

import matplotlib as mpl
import numpy as np
import pytest
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.text import Text

from irmeta.report.plots.figure import COLUMN, PAGE, as_wide_as, draw, svg
from irmeta.report.plots.layout import write_beside
from irmeta.report.plots.marks import MARKED, highlight, name_marks, placed_marks
from irmeta.report.plots.matrix import draw_matrix, draw_square_matrix
from irmeta.report.plots.rows import legend, named_rows

NAMES = ["bm25", "<dense> & \x07", "mine"]
RESULT = xr.Dataset({"x": ("y", [3.0, 2.0, 1.0])})


def rows(result: xr.Dataset, axes: Axes) -> Axes:
    x = result["x"].values
    axes.plot(x, range(3), "o")
    name_marks(axes, x, range(3), NAMES, [f"x {value:g}" for value in x], nearest="y")
    return named_rows(axes, NAMES, "x")


def heat(result: xr.Dataset, axes: Axes) -> Axes:
    values = np.linspace(-1, 1, 23 * 23).reshape(23, 23)
    names = [f"metric {at}" for at in range(23)]
    draw_matrix(axes, values, names, names, label="r")
    return axes


def test_marks_stand_where_they_are_drawn() -> None:
    """A mark's place in points is that of its point in the SVG of the figure, and it keeps its name and words."""
    figure = draw(rows, RESULT)
    root = ElementTree.fromstring(svg(figure, "one", "Rows"))
    [marks] = placed_marks(figure)
    drawn = [
        (float(one.get("x", "")), float(one.get("y", "")))
        for one in root.iter("{http://www.w3.org/2000/svg}use")
    ]
    for x, y in zip(marks["x"], marks["y"], strict=True):
        assert any(abs(x - a) < 0.1 and abs(y - b) < 0.1 for a, b in drawn)
    assert marks["names"] == NAMES
    assert marks["words"] == ["x 3", "x 2", "x 1"]


def test_names_in_a_figure_are_text() -> None:
    """A name with markup and a bell in it stands in the SVG as text that can be printed."""
    drawn = svg(draw(rows, RESULT), "one", "Rows")
    texts = [
        one.text
        for one in ElementTree.fromstring(drawn).iter(
            "{http://www.w3.org/2000/svg}text"
        )
    ]
    assert "<dense> & \\x07" in texts


def test_figures_of_one_page_share_no_identifier() -> None:
    """Two drawings of the same result have no identifier in common: what refers to one finds it."""

    def identifiers(name: str) -> set[str]:
        root = ElementTree.fromstring(svg(draw(rows, RESULT), name, "Rows"))
        return {one.get("id", "") for one in root.iter()} - {""}

    assert identifiers("one")
    assert not identifiers("one") & identifiers("two")


def test_a_named_system_is_bold_and_ringed() -> None:
    """The system of interest has its name in colour and a ring at its mark; others have neither."""
    figure = draw(rows, RESULT)
    highlight(figure, {"mine"})
    [axes] = figure.axes
    colours = {one.get_text(): one.get_color() for one in axes.get_yticklabels()}
    assert colours["mine"] == MARKED
    assert colours["bm25"] != MARKED
    ring = axes.lines[-1]
    assert (ring.get_xdata()[0], ring.get_ydata()[0]) == (1, 2)


def test_a_ring_needs_a_dot() -> None:
    """Where a row has no dot, its name is marked and nothing is drawn around an empty place."""

    def hollow(result: xr.Dataset, axes: Axes) -> Axes:
        x, drawn = result["x"].values, [True, True, False]
        name_marks(axes, x, range(3), NAMES, [""] * 3, nearest="y", drawn=drawn)
        return named_rows(axes, NAMES, "x")

    figure = draw(hollow, RESULT)
    highlight(figure, {"bm25", "mine"})
    [axes] = figure.axes
    assert [line.get_xdata()[0] for line in axes.lines] == [3]
    bold = [one for one in axes.get_yticklabels() if one.get_fontweight() == "bold"]
    assert [one.get_text() for one in bold] == ["bm25", "mine"]


def test_a_name_covers_no_mark_where_it_need_not() -> None:
    """A name stands to the left of its mark where another mark is to the right."""

    def two(result: xr.Dataset, axes: Axes) -> Axes:
        axes.plot([0.5, 0.55], [0.5, 0.52], "o")
        axes.set(xlim=(0, 1), ylim=(0, 1))
        write_beside(axes, "between", 0.5, 0.5)
        return axes

    figure = draw(two, RESULT)
    [name], [line] = figure.axes[0].texts, figure.axes[0].lines
    box = name.get_window_extent()
    other = line.get_transform().transform((0.55, 0.52))
    assert name.get_visible()
    assert not box.contains(*other)
    assert box.x1 < other[0]


def test_a_name_covers_no_line_where_it_need_not() -> None:
    """A name stands below its mark where a line runs above it."""

    def line(result: xr.Dataset, axes: Axes) -> Axes:
        axes.plot([0.5], [0.5], "o")
        axes.plot([0, 1], [0.53, 0.53])
        axes.set(xlim=(0, 1), ylim=(0, 1))
        write_beside(axes, "below", 0.5, 0.5)
        return axes

    figure = draw(line, RESULT)
    [name] = figure.axes[0].texts
    mark = figure.axes[0].transData.transform((0.5, 0.5))
    assert Text.get_window_extent(name).y1 < mark[1]


def test_a_line_leads_to_a_name_that_would_stand_at_another_mark() -> None:
    """Names of marks one above the other stand nearest to their own, or a line leads there and crosses no other."""
    heights = [0.5, 0.52, 0.54, 0.56, 0.58]

    def stack(result: xr.Dataset, axes: Axes) -> Axes:
        axes.plot([0.5] * 5, heights, "s")
        axes.set(xlim=(0, 1), ylim=(0, 1))
        for height in heights:
            write_beside(axes, f"model {height}", 0.5, height, fontsize=6)
        return axes

    axes = draw(stack, RESULT).axes[0]
    assert [name.get_visible() for name in axes.texts] == [True] * 5
    led = [name for name in axes.texts if name.arrow_patch.get_visible()]
    assert len(led) == 3
    for side in (min, max):
        ends = [
            (name.get_window_extent().y0, name.xy[1])
            for name in led
            if side(0, name.xyann[0])
        ]
        assert ends == sorted(ends)
    boxes = [Text.get_window_extent(name) for name in axes.texts]
    assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))


def test_entries_of_a_legend_fill_its_columns() -> None:
    """Four entries for which a row has no room stand two by two, not three and one."""

    def four(result: xr.Dataset, axes: Axes) -> Axes:
        for at in range(4):
            axes.plot([0, at], label=f"trec-covid-round-{at}")
        legend(axes)
        return axes

    [made] = draw(four, RESULT).legends
    assert made._ncols == 2


def test_two_rows_stand_in_the_middle() -> None:
    """Two rows have as much room above as below."""

    def two(result: xr.Dataset, axes: Axes) -> Axes:
        return named_rows(axes, ["AP", "RR"], "x")

    assert draw(two, RESULT).axes[0].get_ylim() == (2, -1)


def test_figures_stand_in_cells_that_have_room_for_them() -> None:
    """23 metrics have figures at the width of a page and none at that of a column; the matrix stays square."""
    for width, shown in ((PAGE, True), (COLUMN, False)):
        with as_wide_as(width):
            figure = draw(heat, RESULT, height=width)
        figure.draw_without_rendering()
        [axes, *_] = figure.axes
        assert {text.get_visible() for text in axes.texts} == {shown}
        assert axes.bbox.width == pytest.approx(axes.bbox.height, rel=0.01)


def test_few_metrics_have_no_large_matrix() -> None:
    """At the width of a page three metrics are three low rows, their names upright, and near values differ in shade."""
    metrics = ["AP", "RR", "P@10"]
    result = xr.Dataset(coords={"metric": metrics})
    phi = 0.91 + 0.03 * np.eye(3)

    def pairs(result: xr.Dataset, axes: Axes) -> None:
        draw_matrix(axes, phi, metrics, metrics, label="phi")

    with as_wide_as(PAGE):
        figure = draw_square_matrix(pairs, result)
    figure.draw_without_rendering()
    [axes, _] = figure.axes
    assert figure.get_figheight() < 2
    assert {label.get_rotation() for label in axes.get_xticklabels()} == {0}
    one, other = axes.images[0].to_rgba(np.array([0.91, 0.94]))[:, :3]
    assert abs(one - other).max() > 0.15


def test_no_name_is_cut() -> None:
    """The longest name lies within the figure, at the width of a column and with 126 rows."""
    names = ["x" * 30, *(f"system {at}" for at in range(125))]

    def many(result: xr.Dataset, axes: Axes) -> Axes:
        return named_rows(axes, names, "mean nDCG@10, 95% interval", "right is better")

    with mpl.rc_context():
        figure = draw(many, RESULT, height=12)
        figure.draw_without_rendering()
    [axes] = figure.axes
    whole = figure.bbox
    for text in [*axes.get_yticklabels(), axes.xaxis.label]:
        box = text.get_window_extent()
        assert box.x0 >= whole.x0
        assert box.x1 <= whole.x1 + 1
