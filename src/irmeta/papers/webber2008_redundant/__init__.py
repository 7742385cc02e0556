"""Webber, Moffat, Zobel and Sakai, "Precision-at-ten considered redundant", SIGIR 2008: its figures, and other data."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import xarray as xr

from irmeta.papers.parts import Part, gathered
from irmeta.papers.webber2008_redundant.elsewhere import (
    RUNS,
    evaluated_cells,
    trec7_cells,
)
from irmeta.papers.webber2008_redundant.halving import halving_cells
from irmeta.papers.webber2008_redundant.power import (
    PARTITIONS,
    TOP,
    matrices,
    measured,
    signs,
)
from irmeta.papers.webber2008_redundant.trec8 import terabyte_cells, trec8_cells
from irmeta.scores.attributes import about
from irmeta.studies.checks.reproduction import Cell, reproduction

NAME = "webber2008-redundant"


def reproduce(data: Path, *, rng: int = 0) -> xr.Dataset:
    """Compute every cell that the data allow: the top 75% of systems by AP, 2000 partitions; then other collections."""
    notes: list[str] = []
    parts = [
        Part("TREC-8", ["trec8-adhoc"], partial(_trec8, data, rng, notes)),
        Part("Terabyte", [], terabyte_cells),
        Part("halving", ["robust2004-249"], partial(halving_cells, data, rng)),
        Part("TREC-7", ["trec7-adhoc"], partial(trec7_cells, data, rng)),
        *(
            Part(item, [needs], partial(evaluated_cells, item, data / folder, rng))
            for item, (needs, folder) in RUNS.items()
        ),
    ]
    options = {
        "partitions": PARTITIONS,
        "top": TOP,
        "by": "AP",
        "coefficient": "Kendall tau-b",
        "seed": rng,
    }
    cells = list(gathered(NAME, parts, data))
    return reproduction(NAME, cells, options=options, notes=notes)


def _trec8(data: Path, rng: int, notes: list[str]) -> Iterator[Cell]:
    """Return what is said of TREC-8, and note how it was measured."""
    trec8 = matrices(data, "trec8", "401-450")
    best = measured(trec8, rng)
    notes += [f"TREC-8: {note}" for note in about(best)["notes"]]
    yield from trec8_cells(best, measured(trec8, rng, top=None), signs(trec8))
