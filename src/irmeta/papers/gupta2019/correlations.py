"""Section 4, Figure 1 (right): what is said of the correlation of metrics over all systems and topics."""

from collections.abc import Iterator, Sequence
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


def heat_map_cells(scores: xr.DataArray) -> Iterator[Cell]:
    """Hold what is said of the heat map to the rows released for ranking."""
    matrix = _matrix([scores])
    for what, metrics, figure in rows(CORRELATION):
        value, told = _judged(matrix, what, metrics.split())
        if figure and "above" not in what:
            known = "by all rows of the file, of which it is not said that the heat map is of them"
            yield compare(
                *("Figure 1", metrics, what, float(figure), value),
                within=0.005,
                known=known,
            )
        else:
            holds = float(told.startswith("holds"))
            known = f"{told}, in all rows of the file"
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
    for what, metrics, _ in rows(CORRELATION):
        value, told = _judged(matrix, what, metrics.split())
        yield ours_only(f"Figure 1 on {name}", metrics, what, value, told)


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


def _judged(matrix: Matrix, what: str, metrics: list[str]) -> tuple[float, str]:
    """Return the figure that a sentence is about, and whether the sentence holds."""
    if what.startswith("largest of"):
        return _largest(matrix, *metrics)
    if "every two" in what:
        pairs = {
            (a, b): matrix.of(a, b)
            for i, a in enumerate(metrics)
            for b in metrics[i + 1 :]
        }
        (a, b), low = min(pairs.items(), key=lambda pair: pair[1])
        return (
            low,
            f"{'holds' if low > 0.9 else 'does not hold'}: the lowest is {a} with {b}",
        )
    if what.startswith("least"):
        mean = (matrix.r.sum(axis=0) - 1) / (len(matrix.metrics) - 1)
        least = matrix.metrics[int(mean.argmin())]
        value = float(mean[matrix.metrics.index(metrics[0])])
        return value, "holds" if least == metrics[
            0
        ] else f"does not hold: {least} has {mean.min():.3f}"
    first, *others = metrics
    line = [matrix.of(first, other) for other in others]
    steps = np.diff(line) * (1 if what.startswith("rises") else -1)
    told = " ".join(f"{value:.3f}" for value in line)
    return float(
        line[-1] - line[0]
    ), f"{'holds' if (steps > 0).all() else 'does not hold'}: {told}"


def _largest(matrix: Matrix, metric: str, other: str) -> tuple[float, str]:
    """Say whether a metric correlates with no metric more than with this other one."""
    row = matrix.r[matrix.metrics.index(metric)].copy()
    row[matrix.metrics.index(metric)] = -np.inf
    best = matrix.metrics[int(row.argmax())]
    value = matrix.of(metric, other)
    return (
        value,
        "holds" if best == other else f"does not hold: {best} has {row.max():.3f}",
    )
