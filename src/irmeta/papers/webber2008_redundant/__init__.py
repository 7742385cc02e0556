"""Webber, Moffat, Zobel and Sakai, "Precision-at-ten considered redundant", SIGIR 2008: its figures, and other data."""

from pathlib import Path

import xarray as xr

from irmeta.papers.webber2008_redundant.elsewhere import elsewhere_cells
from irmeta.papers.webber2008_redundant.halving import halving_cells
from irmeta.papers.webber2008_redundant.power import PARTITIONS, matrices, measured
from irmeta.papers.webber2008_redundant.trec8 import terabyte_cells, trec8_cells
from irmeta.scores.attributes import about
from irmeta.studies.checks.reproduction import reproduction

NEEDS = (
    "trec7-adhoc",
    "trec8-adhoc",
    "robust2004-249",
    "trec-covid-round1",
    "trec-covid-round3",
)
"""The public collections it reads, as `irmeta datasets list` names them."""


def reproduce(data: Path, *, rng: int = 0) -> xr.Dataset:
    """Compute every cell that the data allow: the top 75% of systems by AP, 2000 partitions; then other collections."""
    trec8 = matrices(data, "trec8", "401-450")
    best = measured(trec8, rng)
    cells = [
        *trec8_cells(best, measured(trec8, rng, top=None)),
        *terabyte_cells(),
        *halving_cells(data, rng),
        *elsewhere_cells(data, rng),
    ]
    options = {
        "partitions": PARTITIONS,
        "top": 0.75,
        "by": "AP",
        "coefficient": "Kendall tau-b",
        "seed": rng,
    }
    notes = [f"TREC-8: {note}" for note in about(best)["notes"]]
    return reproduction("webber2008-redundant", cells, options=options, notes=notes)
