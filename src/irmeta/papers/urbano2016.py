"""Urbano and Marrero, "Toward estimating the rank correlation with the true system performance", SIGIR 2016.

The paper prints curves only; the figures here are what its authors' code (sigir2016-correlation) gives on these data.
"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Literal

import numpy as np
import xarray as xr

from irmeta.io.tables.matrices import import_matrix
from irmeta.papers.parts import Part, file_of, gathered
from irmeta.stats.arrays import Floats
from irmeta.stats.reliability.expected import expected, pairs
from irmeta.studies.checks.reproduction import PORT, Cell, compare, reproduction

Estimator = Literal["ML", "MSQD"]
FILES = {
    "TREC-3": "reliability/adhoc3.csv",
    "TREC-7": "matrices/trec7-adhoc/AP.csv",
    "TREC-8": "matrices/trec8-adhoc/AP.csv",
}
FIGURES: dict[tuple[str, float], dict[Estimator, tuple[float, float]]] = {
    ("TREC-3", 0): {
        "ML": (0.9059575962, 0.8691707782),
        "MSQD": (0.9034537620, 0.8654823692),
    },
    ("TREC-3", 0.25): {
        "ML": (0.8643489838, 0.8394793431),
        "MSQD": (0.8606671041, 0.8348906257),
    },
    ("TREC-7", 0): {
        "ML": (0.8911347900, 0.8232282874),
        "MSQD": (0.8891992231, 0.8194831956),
    },
    ("TREC-7", 0.25): {
        "ML": (0.8372461437, 0.7778210226),
        "MSQD": (0.8337068584, 0.7727850044),
    },
    ("TREC-8", 0): {
        "ML": (0.8857366708, 0.8271402597),
        "MSQD": (0.8855714729, 0.8261209193),
    },
    ("TREC-8", 0.25): {
        "ML": (0.8151786674, 0.7774997666),
        "MSQD": (0.8139655601, 0.7757550355),
    },
}
"""Expected tau and tau_AP by collection, share of systems dropped (the worst by mean), and estimator."""
WITHIN, TREC8_WITHIN = 5e-10, 1e-6
"""Ten decimals; on TREC-8 six, as 2 of its 6450 scores differ by .0001 between the two published files."""


def reproduce(data: Path, *, rng: int = 0) -> xr.Dataset:
    """Compute every figure again; nothing in it is random."""
    parts = [
        Part(
            f"{name} {drop}",
            [f"{name.lower()}-adhoc".replace("trec-", "trec")],
            partial(_cells, data, name, drop, rows),
        )
        for (name, drop), rows in FIGURES.items()
    ]
    cells = list(gathered("urbano2016", parts, data))
    return reproduction("urbano2016", cells, options={"seed": rng})


def _cells(
    data: Path, name: str, drop: float, rows: dict[Estimator, tuple[float, float]]
) -> Iterator[Cell]:
    """Return the cells of the figures of one collection."""
    scores: Floats = import_matrix(file_of(FILES[name], data), rows="topics").values[
        ..., 0
    ]
    means = scores.mean(axis=1)
    kept = scores[means >= np.quantile(means, drop)]
    within = TREC8_WITHIN if name == "TREC-8" else WITHIN
    which = f"{name}, {len(kept)} systems"
    for estimator, (tau, tau_ap) in rows.items():
        found = expected(pairs(kept, estimator))
        for figure, published, ours in (
            ("tau", tau, found.tau),
            ("tau_AP", tau_ap, found.tau_ap),
        ):
            item, column = f"Authors' code {PORT}", f"expected {figure}, {estimator}"
            yield compare(item, which, column, published, ours, within=within)
