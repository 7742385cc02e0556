"""Section 4, Figure 1 (right): what is said of the correlation of metrics over all systems and topics."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
import xarray as xr

from irmeta.metrics.signatures import SETS
from irmeta.papers.gupta2019.printed import CORRELATION, rows
from irmeta.papers.gupta2019.released import Released, Tables
from irmeta.stats.arrays import Floats
from irmeta.studies.checks.reproduction import Cell, claim, compare, ours_only

SINGLE = {
    **{f"WT{year}": f"web{year}" for year in (2010, 2011, 2012)},
    "RT2004, 99 topics": "robust2004",
}
"""Collections of which two metrics by topic are public, by name: the data set."""
OWN = "two metrics by topic of one of the papers' own collections"


class Matrix(NamedTuple):
    """Pearson's r of every pair of metrics."""

    metrics: list[str]
    r: Floats

    def of(self, a: str, b: str) -> float:
        """Pick the r of two metrics."""
        return float(self.r[self.metrics.index(a), self.metrics.index(b)])


class Verdict(NamedTuple):
    """What becomes of a sentence: its figure, whether it holds, and what is told beside."""

    figure: float
    holds: bool
    beside: str

    @property
    def said(self) -> str:
        """The verdict in words."""
        words = "holds" if self.holds else "does not hold"
        return f"{words}: {self.beside}" if self.beside else words


def heat_map_cells(scores: xr.DataArray) -> Iterator[Cell]:
    """Hold what is said of the heat map to the rows released for ranking."""
    matrix = _matrix([scores])
    for what, metrics, figure in rows(CORRELATION):
        found = _verdict_on(matrix, what, metrics.split())
        if figure and "above" not in what:
            known = "by all rows of the file, of which it is not said that the heat map is of them"
            yield compare(
                *("Figure 1", metrics, what, float(figure), found.figure),
                within=0.005,
                known=known,
            )
        else:
            known = f"{found.said}, in all rows of the file"
            holds = float(found.holds)
            yield claim(
                "Figure 1", metrics, what, holds, said=what, least=1, known=known
            )


def mean_cells(tables: Tables) -> Iterator[Cell]:
    """Say of each sentence whether it holds for means of the papers' own systems."""
    matrix = _matrix(list(tables.values()))
    yield from _elsewhere("system means of the papers' own collections", matrix)


def covid_cells(cubes: Tables) -> Iterator[Cell]:
    """Say of each sentence whether it holds on two rounds of TREC-COVID."""
    matrix = _matrix(list(cubes.values()))
    yield from _elsewhere("TREC-COVID 1 and 3, by topic", matrix)


def robust_cells(scores: xr.DataArray) -> Iterator[Cell]:
    """Say of each sentence whether it holds on 17 runs of TREC 2003 Robust."""
    yield from _elsewhere("TREC 2003 Robust, 17 runs, by topic", _matrix([scores]))


def single_cells(released: Released, name: str, folder: str) -> Iterator[Cell]:
    """Correlate the two metrics by topic that are public of one collection."""
    scores = released.single(folder)
    a, b = scores.metric.values
    r = _matrix([scores], [a, b]).r[0, 1]
    yield ours_only("Figure 1 on single pairs", f"{a} {b}", name, r, OWN)


def _elsewhere(name: str, matrix: Matrix) -> Iterator[Cell]:
    """Return the figure of each sentence on other scores, and whether it holds there; name : of these scores."""
    for what, metrics, _ in rows(CORRELATION):
        found = _verdict_on(matrix, what, metrics.split())
        yield ours_only(f"Figure 1 on {name}", metrics, what, found.figure, found.said)


def _matrix(
    cubes: Sequence[xr.DataArray], metrics: Sequence[str] = SETS["seeds23"]
) -> Matrix:
    """Correlate metrics over the pooled scores of all systems on all topics."""
    pooled = np.concatenate(
        [
            cube.sel(metric=list(metrics)).values.reshape(-1, len(metrics))
            for cube in cubes
        ]
    )
    return Matrix(list(metrics), np.corrcoef(pooled.T))


def _verdict_on(matrix: Matrix, what: str, metrics: list[str]) -> Verdict:
    """Find the figure that a sentence is about, and whether the sentence holds."""
    if what.startswith("largest of"):
        return _largest(matrix, *metrics)
    if "every two" in what:
        return _all_above(matrix, metrics, 0.9)
    if what.startswith("least"):
        return _least_correlated(matrix, metrics[0])
    return _steps(matrix, metrics, 1 if what.startswith("rises") else -1)


def _largest(matrix: Matrix, metric: str, other: str) -> Verdict:
    """Return the r of two metrics, and whether the first correlates with no metric more than with the other."""
    row = matrix.r[matrix.metrics.index(metric)].copy()
    row[matrix.metrics.index(metric)] = -np.inf
    best = matrix.metrics[int(row.argmax())]
    rival = "" if best == other else f"{best} has {row.max():.3f}"
    return Verdict(matrix.of(metric, other), best == other, rival)


def _all_above(matrix: Matrix, metrics: list[str], least: float) -> Verdict:
    """Return the lowest r of two of some metrics, and whether it is above the least."""
    low, a, b = min((matrix.of(a, b), a, b) for a, b in combinations(metrics, 2))
    return Verdict(low, low > least, f"the lowest is {a} with {b}")


def _least_correlated(matrix: Matrix, metric: str) -> Verdict:
    """Return the mean r of a metric with all others, and whether no metric has a lower one."""
    mean = (matrix.r.sum(axis=0) - 1) / (len(matrix.metrics) - 1)
    least = matrix.metrics[int(mean.argmin())]
    rival = "" if least == metric else f"{least} has {mean.min():.3f}"
    own = float(mean[matrix.metrics.index(metric)])
    return Verdict(own, least == metric, rival)


def _steps(matrix: Matrix, metrics: list[str], sign: int) -> Verdict:
    """Return how r of the first metric changes from the second to the last, and whether each step has the sign."""
    first, *others = metrics
    line = [matrix.of(first, other) for other in others]
    steps = sign * np.diff(line)
    values = " ".join(f"{value:.3f}" for value in line)
    return Verdict(line[-1] - line[0], bool((steps > 0).all()), values)
