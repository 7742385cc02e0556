"""Webber, Moffat and Zobel, "Score standardization for inter-collection comparison of retrieval systems", SIGIR 2008.

The copies of the paper that circulate have lost the bodies of its tables; where the text does not repeat a number, the
cell holds ours alone. AP of the TREC 2004 systems is public, and their nDCG on two of the four collections; other
metrics need the runs themselves.
"""

from pathlib import Path

import xarray as xr

from irmeta.papers.parts import Part, gathered
from irmeta.papers.webber2008_standardization.factors import factor_cells
from irmeta.papers.webber2008_standardization.levels import (
    document_cells,
    level_cells,
    sentence_cells,
)
from irmeta.papers.webber2008_standardization.other_metrics import (
    bar_cells,
    ndcg_cells,
    same_cells,
    sum_cells,
)
from irmeta.papers.webber2008_standardization.pairs import chance_cells, pair_cells
from irmeta.papers.webber2008_standardization.sources import (
    DRAWS,
    REPARTITIONS,
    Sources,
)
from irmeta.papers.webber2008_standardization.spread import spread_cells
from irmeta.studies.checks.reproduction import reproduction

NAME = "webber2008-standardization"
FOUR = ("trec7-adhoc", "trec8-adhoc", "robust2003", "robust2004-249")
"""The systems of TREC 2004 on four collections, and the original systems of three."""


def reproduce(data: Path, *, rng: int = 0) -> xr.Dataset:
    """Compute every figure, table and claim of the paper that public scores allow, beside the published ones."""
    of = Sources(data)
    parts = [
        Part("spread", ["trec8-adhoc"], lambda: spread_cells(of.trec8, of.trec3)),
        Part("factors", FOUR, lambda: factor_cells(of, rng)),
        Part("chance", FOUR, lambda: chance_cells(of.compared(rng))),
        Part("pairs", FOUR, lambda: pair_cells(of.compared(rng))),
        Part("documents", ["robust03-runs"], lambda: document_cells(of)),
        Part("sentences", [], sentence_cells),
        Part("levels", FOUR, lambda: level_cells(of)),
        Part("bars", [], bar_cells),
        Part("nDCG", ["robust2004"], lambda: ndcg_cells(of, rng)),
        Part(
            "sums of precisions",
            ["robust2004-249", "robust03-runs"],
            lambda: sum_cells(of, rng),
        ),
        Part("same scores", ["robust03-runs"], lambda: same_cells(data)),
    ]
    options = {"seed": rng, "draws": DRAWS, "randomise": REPARTITIONS}
    return reproduction(NAME, list(gathered(NAME, parts, data)), options=options)
