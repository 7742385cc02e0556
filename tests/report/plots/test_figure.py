"""The look of figures, and how they are saved."""

from pathlib import Path

import matplotlib as mpl
import matplotlib.image
import numpy as np
import pytest
import xarray as xr
from matplotlib.axes import Axes

from irmeta.errors import IrmetaError
from irmeta.report.plots.figure import COLUMN, PALETTE, as_wide_as, draw, save


def plot(result: xr.Dataset, axes: Axes, *, scale: float = 1.0) -> Axes:
    axes.plot(result["x"].values * scale)
    return axes


RESULT = xr.Dataset({"x": ("y", np.arange(3.0))})


def test_drawing() -> None:
    """A figure has the width asked for, draws the numbers in our colours, and leaves the global style alone."""
    before = dict(mpl.rcParams)
    figure = draw(plot, RESULT, scale=2)
    assert dict(mpl.rcParams) == before
    assert figure.get_figwidth() == COLUMN
    (line,) = figure.axes[0].lines
    assert line.get_ydata().tolist() == [0, 2, 4]
    assert line.get_color() == PALETTE[0]


@pytest.mark.parametrize("form", ["svg", "pdf", "png"])
def test_saving(tmp_path: Path, form: str) -> None:
    """Figures are saved in the form that their suffix names, and an SVG is the same each time."""
    for name in ("one", "two"):
        save(draw(plot, RESULT), tmp_path / f"{name}.{form}")
    one, two = ((tmp_path / f"{name}.{form}").read_bytes() for name in ("one", "two"))
    assert one.startswith({"svg": b"<?xml", "pdf": b"%PDF", "png": b"\x89PNG"}[form])
    assert form == "pdf" or one == two


def test_other_forms(tmp_path: Path) -> None:
    """Another suffix, or a missing folder, is an error, and nothing is written."""
    for name, says in (
        ("x.jpeg", "saved as .svg, .pdf or .png"),
        ("nowhere/x.svg", "does not exist"),
    ):
        with pytest.raises(IrmetaError, match=says):
            save(draw(plot, RESULT), tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_figure_is_as_wide_as_asked(tmp_path: Path) -> None:
    """A width in inches is that of the file, at 200 dots an inch; the height stays."""
    tall = round(draw(plot, RESULT).get_figheight() * 200)
    with as_wide_as(5):
        save(draw(plot, RESULT), tmp_path / "f.png")
    height, width = mpl.image.imread(tmp_path / "f.png").shape[:2]
    assert (width, abs(height - tall) <= 1) == (1000, True)
