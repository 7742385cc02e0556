"""Gupta et al. (ECIR 2019), which covers Kutlu et al. (2018): correlation, prediction and ranking of metrics."""

from functools import partial
from pathlib import Path

import numpy as np
import xarray as xr

from irmeta.papers.gupta2019.collections import collection_cells
from irmeta.papers.gupta2019.correlations import (
    SINGLE,
    covid_cells,
    heat_map_cells,
    mean_cells,
    robust_cells,
    single_cells,
)
from irmeta.papers.gupta2019.lowcost import lowcost_cells, lowcost_elsewhere
from irmeta.papers.gupta2019.prediction import fit_cells, model_cells, prediction_cells
from irmeta.papers.gupta2019.ranking import (
    claim_cells,
    complexity_cells,
    figure_3_cells,
    proof_cells,
    sheffield_cells,
    stand_in_cells,
    table_3_cells,
)
from irmeta.papers.gupta2019.released import RANKING, Released
from irmeta.papers.gupta2019.selection import selection_cells
from irmeta.papers.gupta2019.sentences import sentence_cells
from irmeta.papers.gupta2019.topicwise import topicwise_cells, topicwise_elsewhere
from irmeta.papers.parts import Part, gathered
from irmeta.studies.checks.reproduction import reproduction

NAME = "gupta2019"
COVID = ("trec-covid-round1", "trec-covid-round3")
MEANS = "gupta2019"
"""The released means of systems; `gupta2019-ranking` is a file released beside them."""


def reproduce(data: Path, *, rng: int = 0) -> xr.Dataset:
    """Compute every figure and claim that the released scores allow, and the same on collections of our own."""
    of = Released(data)
    notes = [
        "in rows that are not checkable, ours has AP@1000 and nDCG@1000 for AP and nDCG, and none for GMAP"
    ]
    cells = list(gathered(NAME, [*_of_metrics(of), *_of_choices(of, rng)], data))
    return reproduction(NAME, cells, options={"seed": rng}, notes=notes)


def _of_metrics(of: Released) -> list[Part]:
    """Return the parts on collections, correlation and prediction."""
    return [
        Part("collections", [MEANS], lambda: collection_cells(of.tables)),
        Part("heat map", [RANKING], lambda: heat_map_cells(of.ranking)),
        Part("heat map, means", [MEANS], lambda: mean_cells(of.tables)),
        Part("heat map, TREC-COVID", COVID, lambda: covid_cells(of.covid)),
        Part("heat map, 17 runs", ["robust03-runs"], lambda: robust_cells(of.robust03)),
        *(
            Part(f"pair on {name}", [needs], partial(single_cells, of, name, needs))
            for name, needs in SINGLE.items()
        ),
        Part("prediction", [MEANS], lambda: prediction_cells(of.tables)),
        Part("fits", [MEANS], lambda: fit_cells(of.tables)),
        Part("selection", [MEANS], lambda: selection_cells(of.tables)),
        Part("sentences", [MEANS], lambda: sentence_cells(of.tables)),
        Part("kernels", [MEANS], lambda: model_cells(of.tables)),
        Part("low cost", [MEANS], lambda: lowcost_cells(of.cheap)),
        Part("low cost, TREC-COVID", COVID, lambda: lowcost_elsewhere(of.covid)),
        Part("by topic", [RANKING], lambda: topicwise_cells(of.ranking)),
        Part("by topic, TREC-COVID", COVID, lambda: topicwise_elsewhere(of.covid)),
    ]


def _of_choices(of: Released, rng: int) -> list[Part]:
    """Return the parts on the ranking of metrics."""
    return [
        Part("Sheffield", [], sheffield_cells),
        Part("Table 3", [RANKING], lambda: table_3_cells(of.ranking)),
        Part("Table 3, means", [MEANS], lambda: stand_in_cells(of.tables)),
        Part("claims", [MEANS], lambda: claim_cells(of.tables["train"])),
        Part("Figure 3", [RANKING], lambda: figure_3_cells(of.ranking)),
        Part(
            "proof",
            [MEANS],
            lambda: proof_cells(of.tables["train"], np.random.default_rng(rng)),
        ),
        Part("Table 2", [], complexity_cells),
    ]
