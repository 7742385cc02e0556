"""Figures 5 to 7 for metrics other than AP: what they print, and the parts of it that public scores allow."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import xarray as xr

from irmeta.evaluation.engine import evaluate
from irmeta.papers.webber2008_standardization.levels import NO_RUNS, POWER, power
from irmeta.papers.webber2008_standardization.sources import (
    Sources,
    between,
    standardized,
)
from irmeta.scores import standardization
from irmeta.studies.checks.reproduction import Cell, claim, lacking, ours_only

BARS = {
    "P@10": ("P@10", "nP@10", "sP@10"),
    "RBP": ("RBP(p=0.95)", "nRBP(p=0.95)", "sRBP(p=0.95)"),
    "SP": ("SP", "sSP"),
    "DCG": ("DCG", "nDCG", "sDCG"),
}
"""The bars of Figures 5 to 7 by metric: raw, R-normalised, standardized; AP is the R-normalised SP."""
PART = "R03 with R04 only, where nDCG of the 110 systems is public"
SOME = "R of a topic is the number of relevant documents in the judgments of TREC 2003 Robust: 35 topics of T7 and T8"
DRAWS = 2000


def bar_cells() -> Iterator[Cell]:
    """List what cannot be had."""
    for figure in ("Figure 5", "Figure 6", "Figure 7"):
        for metric, bars in BARS.items():
            for bar in bars:
                yield lacking(figure, metric, bar, NO_RUNS)


def ndcg_cells(sources: Sources, rng: int) -> Iterator[Cell]:
    """Return dRMSE and power of nDCG on two collections."""
    raw = sources.ndcg
    forms = {
        "nDCG": raw,
        "sDCG": {name: standardized(cube, cube) for name, cube in raw.items()},
    }
    for form, cubes in forms.items():
        found = between(cubes, DRAWS, rng)
        drmse = found["drmse"].item()
        yield ours_only("Figure 7, in part", form, "dRMSE, R03 with R04", drmse, PART)
        for name, cube in cubes.items():
            item, column = "Section 5, other collections", f"{POWER}, {name}"
            yield ours_only(item, form, column, power(cube))


def sum_cells(sources: Sources, rng: int) -> Iterator[Cell]:
    """Return dRMSE of SP = AP x R, AP and standardized SP between topics of T7 and T8 and those of R03."""
    counted = sources.judgments
    relevant = dict(zip(counted["topic"], counted["relevant"], strict=True))
    every = {
        "AdHoc": xr.concat([sources.new["T7"], sources.new["T8"]], "topic"),
        "R03": sources.new["R03"],
    }
    ap = {
        name: cube.isel(topic=cube.indexes["topic"].isin(list(relevant)))
        for name, cube in every.items()
    }
    sp = {name: _times(cube, relevant) for name, cube in ap.items()}
    forms = {
        "SP": sp,
        "AP": ap,
        "sSP": {name: standardized(cube, cube) for name, cube in sp.items()},
    }
    for form, cubes in forms.items():
        found = between(cubes, DRAWS, rng)
        drmse, mean = found["drmse"].item(), found["drmse_mean"].item()
        column = "dRMSE, AdHoc with R03"
        yield ours_only("Figure 7, in part", form, column, drmse, SOME)
        yield ours_only("Figure 5, in part", form, "mean dRMSE", mean, SOME)
        for name, cube in cubes.items():
            yield ours_only("Table 6, in part", form, name, cube.mean().item(), SOME)


def _times(ap: xr.DataArray, relevant: dict[str, int]) -> xr.DataArray:
    """Return SP, the sum of precisions: AP times R."""
    by_topic = np.array([relevant[topic] for topic in ap.topic.values], dtype=float)
    sums = ap * by_topic[None, :, None]
    return sums.assign_coords(metric=["SP"]).assign_attrs(ap.attrs)


def same_cells(data: Path) -> Iterator[Cell]:
    """Compare standardized SP with AP, and DCG with nDCG, on the runs of TREC 2003 Robust."""
    item, column = "Section 4", "largest difference, standardized"
    folder = data / "robust03"
    scores = evaluate(folder / "qrels.txt", [folder / "runs"], "SP AP DCG nDCG")
    z = standardization.apply(scores, standardization.fit(scores)).assign_coords(
        metric=scores["metric"]
    )
    said = "precisely the same scores, since division by R scales a topic's mean and deviation alike"
    for raw, normalised in (("SP", "AP"), ("DCG", "nDCG")):
        apart = float(np.abs(z.sel(metric=raw) - z.sel(metric=normalised)).max())
        yield claim(
            item, f"{raw} and {normalised}", column, apart, said=said, most=1e-9
        )
