"""List the cells of every part of every paper, for reproductions without its data: python scripts/cells.py DATA.

DATA holds the public collections of the catalogue. What nobody here has seen is stood in for by another table: the list
has no figure of ours.
"""

import shutil
import sys
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import polars as pl

from irmeta.cli.showing.reproduce import PAPERS
from irmeta.papers import parts
from irmeta.papers.parts import KNOWN, Part


def cells_of(paper: str, data: Path) -> pl.DataFrame:
    """Return the cells of one paper by part, in order."""
    rows = []

    def listed(name: str, given: list[Part], folder: Path):
        for part in given:
            for cell in parts_of(name, [part], folder):
                rows.append(
                    (name, part.name, cell.item, cell.row, cell.column, cell.published)
                )
                yield cell

    parts_of = parts.gathered
    module = import_module(f"irmeta.papers.{paper.replace('-', '_')}")
    with patch.object(module, "gathered", listed):
        module.reproduce(data)
    return pl.DataFrame(
        rows,
        schema={
            **dict.fromkeys(("paper", "part", "item", "row", "column"), pl.String),
            "published": pl.Float64,
        },
        orient="row",
    )


def every_cell(data: Path) -> pl.DataFrame:
    """Return the cells of all papers; the means that were released stand in for the rows released for ranking."""
    with TemporaryDirectory() as folder:
        whole = Path(folder)
        for path in data.iterdir():
            if path.name != "systemwise":
                (whole / path.name).symlink_to(path)
        shutil.copytree(data / "systemwise", whole / "systemwise")
        shutil.copy(
            data / "systemwise" / "train.csv", whole / "systemwise" / "ranking.csv"
        )
        return pl.concat([cells_of(paper, whole) for paper in PAPERS])


if __name__ == "__main__":
    every_cell(Path(sys.argv[1]).resolve()).write_csv(KNOWN)
