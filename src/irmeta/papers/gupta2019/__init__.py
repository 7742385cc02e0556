"""Gupta et al. (ECIR 2019), which covers Kutlu et al. (2018): correlation, prediction and ranking of metrics."""

from pathlib import Path

import xarray as xr

from irmeta.papers.gupta2019.collections import collection_cells
from irmeta.papers.gupta2019.correlations import correlation_cells
from irmeta.papers.gupta2019.lowcost import lowcost_cells
from irmeta.papers.gupta2019.models import model_cells
from irmeta.papers.gupta2019.prediction import fit_cells, prediction_cells
from irmeta.papers.gupta2019.ranking import ranking_cells
from irmeta.papers.gupta2019.released import Released
from irmeta.papers.gupta2019.selection import selection_cells
from irmeta.papers.gupta2019.sentences import sentence_cells
from irmeta.papers.gupta2019.topicwise import topicwise_cells
from irmeta.studies.checks.reproduction import reproduction

NEEDS = (
    "gupta2019",
    "web2010",
    "web2011",
    "web2012",
    "robust2004",
    "trec-covid-round1",
    "trec-covid-round3",
)
"""The public collections it reads, as `irmeta datasets list` names them."""


def reproduce(data: Path, *, rng: int = 0) -> xr.Dataset:
    """Compute every figure and claim that the released scores allow, and the same on collections of our own."""
    released = Released.load(data)
    cells = [
        *collection_cells(released),
        *correlation_cells(released),
        *prediction_cells(released.tables),
        *fit_cells(released.tables),
        *selection_cells(released.tables),
        *sentence_cells(released.tables),
        *model_cells(released.tables),
        *lowcost_cells(released),
        *topicwise_cells(released),
        *ranking_cells(released, rng),
    ]
    notes = [
        "in rows that are not checkable, ours has AP@1000 and nDCG@1000 for AP and nDCG, and none for GMAP"
    ]
    return reproduction("gupta2019", cells, options={"seed": rng}, notes=notes)
