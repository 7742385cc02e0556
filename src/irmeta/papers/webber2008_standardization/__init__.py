"""Webber, Moffat and Zobel, "Score standardization for inter-collection comparison of retrieval systems", SIGIR 2008.

The copies of the paper that circulate have lost the bodies of its tables; where the text does not repeat a number, the
cell holds ours alone. AP of the TREC 2004 systems is public, and their nDCG on two of the four collections; other
metrics need the runs themselves.
"""

from pathlib import Path

import xarray as xr

from irmeta.papers.webber2008_standardization.chance import chance_cells
from irmeta.papers.webber2008_standardization.factors import factor_cells
from irmeta.papers.webber2008_standardization.levels import level_cells
from irmeta.papers.webber2008_standardization.other_metrics import other_metric_cells
from irmeta.papers.webber2008_standardization.pairs import pair_cells
from irmeta.papers.webber2008_standardization.sources import (
    DRAWS,
    REPARTITIONS,
    Sources,
)
from irmeta.papers.webber2008_standardization.spread import spread_cells
from irmeta.studies.checks.reproduction import reproduction

NEEDS = (
    "trec3-adhoc",
    "trec7-adhoc",
    "trec8-adhoc",
    "robust2003",
    "robust2004",
    "robust2004-249",
)
"""The public collections it reads, as `irmeta datasets list` names them."""


def reproduce(data: Path, *, rng: int = 0) -> xr.Dataset:
    """Compute every figure, table and claim of the paper that public scores allow, beside the published ones."""
    sources = Sources.load(data)
    compared = sources.compared(rng)
    cells = [
        *spread_cells(sources.old["T8"], sources.trec3),
        *factor_cells(sources, rng),
        *chance_cells(compared),
        *pair_cells(compared),
        *level_cells(sources),
        *other_metric_cells(sources, rng),
    ]
    options = {"seed": rng, "draws": DRAWS, "randomise": REPARTITIONS}
    return reproduction("webber2008-standardization", cells, options=options)
