"""The scores released with the papers, and other collections with scores by topic."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import xarray as xr

from irmeta.errors import FileFormatError
from irmeta.evaluation.engine import evaluate
from irmeta.io.tables.matrices import import_matrix, import_systemwise
from irmeta.metrics.signatures import SETS
from irmeta.stats.arrays import Bools
from irmeta.words import listed

Tables = dict[str, xr.DataArray]

RANKING = "gupta2019-ranking"
"""The data set that holds `Data/ranking.csv` of the authors' repository."""
TESTS = ("wt2012", "wt2013", "wt2014")
TOPICS = {50: "WT2000, WT2001 and WT2011", 48: "WT2010", 249: "RT2004"}
"""The released training rows bear no collection, but a mean of P@10 over n topics is a multiple of 1/(10 n)."""
DEPTHS = (10, 20, 30, 40, 50)
CHEAP = ("P", "Bpref", "ERR", "infAP", "AP", "nDCG", "RBP")


@dataclass(frozen=True)
class Released:
    """System-wise scores: training and tests (`tables`), and runs cut at seven depths (`cheap`)."""

    data: Path

    @cached_property
    def tables(self) -> Tables:
        """Read the released means."""
        folder = self.data / "systemwise"
        return import_systemwise([folder / f"{n}.csv" for n in ("train", *TESTS)])

    @cached_property
    def cheap(self) -> Tables:
        """Read the means of runs cut at seven depths."""
        folder = self.data / "systemwise" / "lowcost"
        return import_systemwise([folder / f"{name}.csv" for name in TESTS])

    @cached_property
    def ranking(self) -> xr.DataArray:
        """Read what the authors released for ranking: rows of scores by metrics named as in the other tables.

        Raises FileFormatError for other columns.
        """
        path = self.data / "systemwise" / "ranking.csv"
        [made] = import_systemwise([path]).values()
        names = [str(name) for name in made.metric.values]
        if absent := [name for name in SETS["seeds23"] if name not in names]:
            raise FileFormatError(
                f"{path}: no column for {listed(absent, 3)}; it has {listed(names, 3)}"
            )
        return made

    @cached_property
    def covid(self) -> Tables:
        """Score two rounds of TREC-COVID by topic: the 23 metrics, AP, nDCG, and what low-cost prediction takes."""
        metrics = [
            *SETS["seeds23"],
            "AP",
            "nDCG",
            *(cheap(name, depth) for name in CHEAP for depth in DEPTHS),
        ]
        return {
            name: self._scored(f"trec-covid/{name}", metrics)
            for name in ("round1", "round3")
        }

    @cached_property
    def robust03(self) -> xr.DataArray:
        """Score 17 runs of TREC 2003 Robust by topic."""
        return self._scored("robust03", SETS["seeds23"])

    def single(self, folder: str) -> xr.DataArray:
        """Read two metrics by topic of one of the papers' own collections."""
        of_robust = folder == "robust2004"
        metrics = ("AP", "nDCG") if of_robust else ("ERR@20", "nDCG@20")
        files = [f"{metric}.csv" for metric in metrics]
        paths = [self.data / "matrices" / folder / file for file in files]
        return import_matrix(paths, rows="topics")

    def _scored(
        self, folder: str, metrics: list[str] | tuple[str, ...]
    ) -> xr.DataArray:
        """Score the runs of a folder by its judgments."""
        here = self.data / folder
        return evaluate(here / "qrels.txt", [here / "runs"], metrics)


def cheap(base: str, depth: int) -> str:
    """Name a metric that looks at the first documents only."""
    if base == "P":
        return f"P(depth={depth})@1000"
    if base == "RBP":
        return f"RBP(p=0.95, depth={depth})"
    return f"{base}(depth={depth})"


def by_topics(train: xr.DataArray) -> dict[int, xr.DataArray]:
    """Divide rows by the number of topics that all of P@10, P@20 and P@100 are multiples of; 50 is tried first."""
    rest = np.ones(train.sizes["system"], dtype=bool)
    parts = {}
    for topics in TOPICS:
        fits = fits_topics(train, topics)
        parts[topics] = train[rest & fits]
        rest &= ~fits
    assert not rest.any()
    return parts


def fits_topics(table: xr.DataArray, topics: int) -> Bools:
    """Say which rows can be means over this number of topics: P@10, P@20 and P@100, to four decimals, are multiples."""
    fits = []
    for k in (10, 20, 100):
        scores = table.sel(metric=f"P@{k}").values[:, 0]
        parts = topics * k
        fits.append(np.abs(np.round(scores * parts) / parts - scores) < 6e-5)
    return np.all(fits, axis=0)
