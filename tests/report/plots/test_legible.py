"""Every kind of plot at the widths of a column and of a page: no word is cut, and none covers another."""

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox
from tests.report.plots.kinds import KINDS, plotted
from xarray import Dataset

from irmeta.report.plots.figure import COLUMN, PAGE, draw, figure_bytes
from irmeta.report.plots.rows import named_rows
from irmeta.studies import STUDIES

SLACK = 0.1
"""What boxes may share at each side, in heights of their letters, which are smaller than their boxes."""
QUICK = {"describe", "table", "versus", "versus, one", "rank, pivot"}
QUICK |= {"leaderboard", "predictivity", "online", "leak"}


def written(figure: Figure) -> Iterator[tuple[str, float, Bbox]]:
    """Draw a figure as its file is, and return every text that was drawn last with its size and box in points."""
    seen: list[dict[Text, Bbox]] = [{}]
    draw, start = Text.draw, Figure.draw

    def starting(self: Figure, renderer: Any) -> None:
        seen.append({})
        start(self, renderer)

    def noting(self: Text, renderer: Any, *args: Any, **more: Any) -> None:
        if self.get_visible() and self.get_text().strip():
            box = Text.get_window_extent(self, renderer)
            seen[-1][self] = Bbox(box.get_points() * 72 / figure.dpi)
        draw(self, renderer, *args, **more)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Figure, "draw", starting)
        patch.setattr(Text, "draw", noting)
        figure_bytes(figure, "png")
    for text, box in seen[-1].items():
        yield text.get_text(), float(text.get_fontsize()), box


def faults(figure: Figure) -> list[str]:
    """Name the texts that a figure cuts, those that cover each other, and formulas; a figure has texts."""
    found = list(written(figure))
    assert found
    wide, tall = 72 * figure.get_size_inches()
    cut = [
        f"{text!r} is cut"
        for text, _, box in found
        if box.x0 < -0.5 or box.y0 < -0.5 or box.x1 > wide + 0.5 or box.y1 > tall + 0.5
    ]
    smaller = [(text, box.padded(-SLACK * size)) for text, size, box in found]
    covered = [
        f"{one!r} covers {other!r}"
        for (one, own), (other, box) in combinations(smaller, 2)
        if own.overlaps(box)
    ]
    spelled = [f"{text!r} is a formula" for text, *_ in found if "\\" in text]
    return cut + covered + spelled


def test_faults_are_found() -> None:
    """Words that cover others, and words that the figure cuts, are named."""
    figure = Figure(figsize=(2, 2))
    for across, text in ((0.5, "one"), (0.52, "two"), (0.95, "three")):
        figure.text(across, 0.5, text)
    assert faults(figure) == ["'three' is cut", "'one' covers 'two'"]


def test_the_last_number_of_an_axis_is_whole() -> None:
    """No number is cut where the room for it decides how many numbers there are."""

    def rows(_: object, axes: Axes, length: int) -> Axes:
        axes.plot([0, 0.252], [0, 1])
        axes.set_xlim(-0.012, 0.252)
        return named_rows(axes, ["n" * length, "m"], "difference")

    for length in range(10, 26):
        assert (length, faults(draw(rows, Dataset(), length=length))) == (length, [])


def test_every_study_with_a_plot_is_drawn() -> None:
    """The kinds below are those of all studies but for what has no figure."""
    drawn = {name.partition(",")[0] for name, _ in KINDS}
    without = {"validate", "predict.models", "standardize.durability"}
    public = {study.public for study in STUDIES.values() if study.public}
    assert public - drawn == without


@pytest.mark.parametrize(
    ("name", "view", "systems"),
    [
        pytest.param(
            name,
            view,
            systems,
            marks=[] if name in QUICK and systems == 12 else pytest.mark.slow,
        )
        for name, view in KINDS
        for systems in (12, 126)
    ],
)
def test_words_can_be_read(name: str, view: str, systems: int) -> None:
    """No word is cut and none covers another, in a column and on a page."""
    for width in (COLUMN - 0.05, PAGE):
        assert (width, faults(plotted(name, view, systems, width))) == (width, [])
