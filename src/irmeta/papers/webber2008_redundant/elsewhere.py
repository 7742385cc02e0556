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
from irmeta.studies.checks.reproduction import Cell, lacking, ours_only

EVALUATED = (*METRICS, "RBP(p=0.98)")
JUDGED = "Judged@100"
RUNS = {
    "TREC-COVID round 1, not in the paper": "trec-covid/round1",
    "TREC-COVID round 3, not in the paper": "trec-covid/round3",
    "TREC 2003 Robust, 17 runs, not in the paper": "robust03",
}
NO_ROBUST03 = (
    "needs 17 runs of TREC 2003 Robust, which are not in the data folder (robust03)"
)
COMPLEX = ("AP", "nDCG", "RBP(p=0.95)", "RBP(p=0.98)")


def elsewhere_cells(data: Path, rng: int) -> Iterator[Cell]:
    """Return phi of every pair of metrics, and what complex metrics gain over simple ones, by collection."""
    yield from _collection(
        "TREC-7, not in the paper", measured(matrices(data, "trec7", "351-400"), rng)
    )
    for name, folder in RUNS.items():
        if not (data / folder).is_dir():
            yield lacking(name, "phi", "all pairs", NO_ROBUST03)
            continue
        scores = evaluate(
            data / folder / "qrels.txt", [data / folder / "runs"], [*EVALUATED, JUDGED]
        )
        judged = select(scores, metrics=[JUDGED]).mean().item()
        yield ours_only(
            name,
            JUDGED,
            "mean",
            judged,
            "the paper asks for a sufficient depth of judgments",
        )
        yield from _collection(name, measured(select(scores, metrics=EVALUATED), rng))


def _collection(item: str, power: xr.Dataset) -> Iterator[Cell]:
    metrics = [str(metric) for metric in power["metric"].values]
    for at, a in enumerate(metrics):
        for b in metrics[at:]:
            yield ours_only(item, a, b, phi(power, a, b), "as Table 1")
    for predictor in [metric for metric in COMPLEX if metric in metrics]:
        for target in ("P@10", "RR"):
            found = gain(power, predictor, target)
            yield ours_only(
                item,
                f"{predictor} over {target} itself",
                "advantage",
                found.value,
                str(found),
            )
    found = gain(power, "P@10", "RR")
    yield ours_only(item, "P@10 over RR itself", "advantage", found.value, str(found))
