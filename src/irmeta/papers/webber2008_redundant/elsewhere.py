"""The paper's question asked of collections that it does not use, where all of its metrics can be had."""

from collections.abc import Iterator
from pathlib import Path

import xarray as xr

from irmeta.evaluation.engine import evaluate
from irmeta.papers.webber2008_redundant.power import (
    METRICS,
    gain,
    matrices,
    measured,
    phi,
)
from irmeta.scores.selection import select
from irmeta.studies.checks.reproduction import Cell, ours_only

EVALUATED = (*METRICS, "RBP(p=0.98)")
JUDGED = "Judged@100"
RUNS = {
    "TREC-COVID round 1, not in the paper": ("trec-covid-round1", "trec-covid/round1"),
    "TREC-COVID round 3, not in the paper": ("trec-covid-round3", "trec-covid/round3"),
    "TREC 2003 Robust, 17 runs, not in the paper": ("robust03-runs", "robust03"),
}
"""By item: the data set, and its folder with runs and qrels.txt."""
COMPLEX = ("AP", "nDCG", "RBP(p=0.95)", "RBP(p=0.98)")


def trec7_cells(data: Path, rng: int) -> Iterator[Cell]:
    """Return phi of every pair of metrics on TREC-7, and what complex metrics gain over simple ones."""
    power = measured(matrices(data, "trec7", "351-400"), rng)
    yield from _collection("TREC-7, not in the paper", power)


def evaluated_cells(item: str, folder: Path, rng: int) -> Iterator[Cell]:
    """Return the same of a collection whose runs are at hand, and how deep it is judged."""
    scores = evaluate(folder / "qrels.txt", [folder / "runs"], [*EVALUATED, JUDGED])
    judged = select(scores, metrics=[JUDGED]).mean().item()
    note = "the paper asks for a sufficient depth of judgments"
    yield ours_only(item, JUDGED, "mean", judged, note)
    yield from _collection(item, measured(select(scores, metrics=EVALUATED), rng))


def _collection(item: str, power: xr.Dataset) -> Iterator[Cell]:
    """Return phi of every pair of metrics, and what complex metrics and P@10 gain over simple ones."""
    metrics = [str(metric) for metric in power["metric"].values]
    for at, a in enumerate(metrics):
        for b in metrics[at:]:
            yield ours_only(item, a, b, phi(power, a, b), "as Table 1")
    for predictor in [metric for metric in COMPLEX if metric in metrics]:
        for target in ("P@10", "RR"):
            found = gain(power, predictor, target)
            row = f"{predictor} over {target} itself"
            yield ours_only(item, row, "advantage", found.value, str(found))
    found = gain(power, "P@10", "RR")
    yield ours_only(item, "P@10 over RR itself", "advantage", found.value, str(found))
